"""Parts of a text that a message quotes and wants away: `the notes end with "free"; can you take that out`."""

from server import patterns

_LONGEST = 300
_TEXT = r"(?:notes?|notas?|text|texto|description|descri[cç][aã]o|accessories|acess[oó]rios|card|cart[aã]o|an[uú]ncio)"
_SAYS = (
    r"(?:says?|ends? (?:with|in)|(?:starts?|begins?) with|reads?|has|have|got|diz(?:em)?|acabam?(?: com| em)?|"
    r"terminam?(?: com| em)?|come[cç]am?(?: com| por)?|t[eê]m|ficaram? com)"
)
_QUOTED = patterns.compile(
    r"^\W*(?:(?:oh|ah|ok|and|but|so|e|mas|sorry|desculpe|now|agora|wait|espera)\b[\s,]*){0,4}"
    rf"(?:the |my |a |as |o |os )?{_TEXT}(?: (?:bit|part|text|row))?"
    rf"(?: (?:still|now|ainda|agora|also|tamb[eé]m))? {_SAYS}\s*:?\s+(?P<part>\S[^\n]{{1,200}}?)[\s\"»”]*[,.;!]\s*"
    r"(?:(?:please|pls|por favor|so|e|and|mas|but|(?:can|could) (?:yo)?u|podes?|podem?|podia) ){0,3}"
    r"(?:(?:take|leave|cut|get) (?:that|it|this|them)(?: (?:bit|part))? (?:out|off|away)|"
    r"(?:remove|delete|drop) (?:that|it|this|them)|(?:tir|retir|apag|elimin)(?:a|ar|e|ue|em) (?:isso|isto|essa parte)|"
    r"(?:tir[aá]|retir[aá]|apag[aá])-?l?[oa]s?)"
    r"(?: (?:please|pls|por favor|then|now|of there|from there|da[ií]))?[\s.!?]*$",
    patterns.IGNORECASE,
)


def quoted_to_go(message: str) -> str:
    """Return the words that a message says a text has, and that are to go; else nothing."""
    found = _QUOTED.match(message) if len(message) <= _LONGEST else None
    return found["part"].strip(' "«»“”.,;') if found else ""
