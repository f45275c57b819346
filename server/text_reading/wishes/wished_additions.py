"""Wishes that something is written beside what is there: `can you add that ...?`, `põe aí que ...`."""

from __future__ import annotations

from dataclasses import dataclass

from server import patterns
from server.languages import fold

_LONGEST = 600
"""Letters of a message up to which its wishes are read."""
_SHORT = 60
_POLITE = (
    r"(?:(?:please|pls|plz|(?:can|could|would|will) (?:you|u|we|i)|can ya|may i|i(?:['’]?d| would)? (?:like|"
    r"want)(?: you)? to|"
    r"i wanted to|also|just|maybe|perhaps|and|but|so|then|well|ok(?:ay)?|oh|lol|actually|yes|no|sorry|great|thanks|"
    r"por favor|pf|sff|se faz favor|(?:é|e) que|podem?|podes|poderiam?|podia[sm]?|posso|"
    r"consegues?|d[aá] para|quero|queria|gostava de|tamb[eé]m|tbm?|ainda|ent[aã]o|j[aá] agora|s[oó]|apenas|sim|"
    r"n[aã]o|olh[ae]|"
    r"ah|e|mas|afinal|obrigad[oa]|esqueci(?:[- ]me)?(?: de)?|i forgot to|if you can|se puder(?:es)?)\b[\s,.:!]*+)*+"
)
_MODAL = r"(?:podem?|podes|poderiam?|podia[sm]?|posso|consegues?|d[aá] para|quero|queria|gostava de|de)"
_NOTES = (
    r"(?:notes?|notas?|text|texto|listing|ad|advert|card|description|descri[cç][aã]o|an[uú]ncio|observa[cç][oõ]es|"
    r"accessories|acess[oó]rios|extras)\b"
)
_PLACE = (
    rf"(?:(?:(?:in|on|to|into|under) (?:the |my )?(?:\w+['’]s |item |\w+ )?|(?:n[oa]s?|[aà]s?|ao) (?:meus? |"
    rf"minhas? )?){_NOTES}"
    r"(?: (?:d[oa]s? )\w+)?)"
)
_ADDING = (
    r"(?:add|include|mention|specify|state(?= that\b)|note(?= (?:that|down)\b)|make(?= that (?:the|it|there)\b)|"
    r"(?:acrescent|adicion|junt|mencion|anot|apont)(?:ar|am|em|a|e)|ref(?:erir|ere|ira)|inclu(?:ir|am|a)\b)"
)
_WRITING = (
    r"(?:say|write|put|p[oõ]em?|ponham?|p[oô]r(?=\s)(?!\s+(?:favor|exemplo|mim|aqui|causa|isso)\b)|met(?:er|am|"
    r"em|a|e)|"
    r"escrev(?:er|am|em|a|e)|di(?:zer|gam|ga|z))"
)
_VERB = rf"(?:{_ADDING}|(?!por\b){_WRITING}|(?<=\b{_MODAL}\s(?:l[aá]\s)?){_WRITING})"
_BEHIND = (
    rf"(?:[\s:,]+(?:{_PLACE}|also|too|tamb[eé]m|tbm?|in|l[aá]|a[ií]|there|down|as well|please|por favor|"
    r"isto|just|only|s[oó]|apenas))*+"
)
_THAT = (
    r"[\s:,]+(?P<that>(?:that(?!\s+(?:in|into|to|as|back|out|up|again|too|over|down|there|properly)\b)|que|q|k)"
    r"\s+)?"
)
_NO_FACT = (
    r"(?!(?:que |that )?(?:sim|yes|yeah|n[aã]o|no|ok)\W*$|(?:to me|me|us|them|this|that|isso|isto|lhe|"
    r"o pre[cç]o|pre[cç]o|(?:a|the|my) price|how|what|when|where|"
    r"who|why|whether|if|"
    r"which|quanto|quando|onde|quem|qual|como|se|porqu[eê]|another|outr[oa]s?|(?:uma? |umas |as |a |the |some |"
    r"more |mais )?"
    r"(?:fotos?|fotografias?|photos?|pictures?|pics?|images?|imagens?|item|artigo|venda|sale)|online|à venda|"
    r"for sale|up)\b"
    r"|it(?:\s*$|[\s,]+(?!is\b|has\b|was\b|comes?\b|works?\b|needs?\b|does|had\b|can|runs?\b|['’]s|still\b|"
    r"never\b|only\b|"
    r"lasts?\b|fits?\b|weighs?\b|takes?\b|won))|[oa]s?\s+(?:a|em|por)\s+\d|[^\w]*(?:a |at |to |em |os |for |"
    r"por )*[€£$]?\d+\s*(?:€|euros?|eur)?\W*(?:$|(?:if|se|firm|fixed|final|fixos?|negoti\w+|negoci\w+|ono|obo)\b))"
)
_ADD = patterns.compile(
    rf"^\W*(?P<led>{_POLITE}(?:(?:in|on|under|n[oa]s?) (?:the |my )?{_NOTES}[\s,:]+)?{_POLITE})"
    rf"(?<!\bn[aã]o\s)(?:(?P<adds>{_ADDING})|{_VERB})\b(?P<behind>{_BEHIND}){_THAT}{_NO_FACT}(?P<fact>\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
_FORGOT = patterns.compile(
    rf"^\W*(?P<led>{_POLITE})(?P<adds>(?:you|u|ya)\s+(?:did\s?n['’]?t|did not|haven['’]?t|never)\s+"
    r"(?:put|add(?:ed)?|mention(?:ed)?|includ(?:ed|e)|sa(?:y|id)|wr(?:itten|ite|ote))|"
    r"(?:you|u|ya)(?:['’]ve)?\s+(?:forgot|missed|left out|skipped)(?:\s+to (?:put|add|say|mention|"
    r"include))?(?:\s+about)?|"
    r"(?<=\bn[aã]o )(?:puseste|puseram|p[oô]s|meteste|meteram|meteu|acrescentou|acrescentaste)|"
    r"(?:esqueceste|esqueceu|esqueceram)[- ](?:te|se) (?:de (?:p[oô]r|dizer|meter)|d(?=[oae]s?\s)))"
    rf"(?P<behind>{_BEHIND}){_THAT}(?!(?:me|us|it|that|isso|disso)\b)(?P<fact>\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
_I_FORGOT = patterns.compile(
    r"^\W*(?P<led>(?:(?:ah|oh|e|and|ups|oops|sorry|desculp[ae])\b[\s,.!]*)*)(?P<adds>esqueci(?:[- ]me)?|"
    r"(?:i )?forgot)"
    r"(?:\s*[,:]\s*|\s+(?=(?:que|that|also|tamb[eé]m|tbm?)\b))(?P<behind>(?:(?:also|tamb[eé]m|"
    r"tbm?)\s+)*)(?P<that>(?:que|that)\s+)?"
    r"(?P<fact>[^\s?]+\s+[^?]+)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""A fact behind `I forgot`."""
_THAT_SAID = patterns.compile(
    rf"^\W*{_POLITE}{_VERB}[\s-]+(?:that|it|this|so|isso|isto|o)(?:\s+(?:in|too|as well|there|down|please|"
    rf"instead|also|"
    rf"tamb[eé]m|a[ií]|l[aá]|por favor|{_PLACE}))*[\s.!?]*$",
    patterns.IGNORECASE,
)
"""A wish that what stands before it is written: `we've got a dog, so maybe say that`."""
_OTHER = patterns.compile(
    rf"^\W*{_POLITE}(?:tak(?:e|ing)|remov\w+|delete|drop|cut|scrap|leave|change|chang\w+|replace|swap|lower|"
    rf"raise|set|make it|"
    r"fix|correct|keep|never ?mind|forget|esquec[ea]|tir(?:a|e|ar|em)|retir(?:a|e|ar)|apag(?:a|ar|ue)|elimin\w+|"
    r"mud(?:a|e|ar)|"
    r"alter(?:a|e|ar)|troc(?:a|ar|que)|corrig\w+|corrij\w+|baix(?:a|e|ar)|sub(?:a|e|ir)|deix(?:a|e|ar)|mant[eé]m|"
    r"(?:p[oõ]em?|ponham?|met[ae]|put|say|write|make it)\s+(?:(?:a|o|at|to|it|em|os)\s+)*[€£$]?\d|"
    r"(?:o |the |my )?(?:pre[cç]o|price)\b)",
    patterns.IGNORECASE,
)
_ASKS = patterns.compile(
    r"^\W*(?:(?:e|and|but|mas|also|so|ok|oh)\s+)?(?:what|how|when|where|who|why|which|do|does|is|are|can|could|"
    r"will|"
    r"quanto|quando|onde|quem|qual|como|o que|ser[aá])\b",
    patterns.IGNORECASE,
)
_BORDER = patterns.compile(
    r"(?P<ends>(?:[.!?;]+(?=\s)|\n)\s*|\s+[-–—]+\s+)|\s*,\s+|\s+(?=(?:and|e|but|mas|so|tho)\s)",
    patterns.IGNORECASE,
)
_BIT = patterns.compile(
    r"(?:the|a|o)\s+(?:(?:bit|part|parte)\s+(?:about|that says?|sobre|d[aeo]s?|que diz)\s+(?P<told>\S.*)|"
    r"(?P<fact>\S.*?)\s+(?:bit|part))(?:\s+(?:in|there|a[ií]))?|the\s+(?P<deal>(?:pick\s?up|collection)\b.*)",
    patterns.IGNORECASE | patterns.DOTALL,
)
_OF_PLACE = patterns.compile(
    rf"[\s,]+{_PLACE}(?:\s+(?:please|por favor|too|tamb[eé]m))*$", patterns.IGNORECASE
)
_COURTESY = patterns.compile(
    r"(?:[\s,.;!?]+(?:tho(?:ugh)?|please|pls|plz|por favor|pf|sff|if you can|thanks|thank you|cheers|"
    r"obrigad[oa]|ok|lol|then))+[\s.!?]*$",
    patterns.IGNORECASE,
)
_ONLY_COMPLAINS = patterns.compile(
    r"\W*(?:(?:but|and|mas|e|hm+|oh)\s+)*(?:(?:the|my|as)\s+)?(?:notes?|notas|text|texto|card|listing|you|"
    r"u)\s+(?:(?:just|have|has)\s+)*"
    r"(?:lost|dropped|miss(?:ed|es)?|forgot|left out|perdeu|perderam)\s+(?:(?:a few|some|a couple of|two|umas?|"
    r"algumas?|uns)\s+)?"
    r"(?:bits?|things?|parts?|stuff|coisas?|partes?)\W*",
    patterns.IGNORECASE,
)


_JOINTS = patterns.compile(r"^(?:(?:ah|oh|and|but|also|then|e|mas|tamb[eé]m)\b[\s,]*)+", patterns.IGNORECASE)
_ONLY = patterns.compile(r"\b(?:just|only|s[oó]|apenas|instead|antes)\b", patterns.IGNORECASE)
_PLACED = patterns.compile(rf"{_PLACE}|\b(?:also|too|tamb[eé]m|tbm?)\b", patterns.IGNORECASE)


@dataclass(frozen=True)
class Wishes:
    """The facts that a message asks to add, and all that it says besides.

    Where it `is_sure` the words can ask for nothing else; `put X` may give another answer of the item.
    """

    facts: tuple[str, ...] = ()
    rest: str = ""
    is_sure: bool = False
    is_only: bool = False
    """Whether the message says to put nothing but that: `no, just put no box`."""


_CORRECTS = patterns.compile(r"\d\S*,? (?:and )?(?:not|e n[aã]o|n[aã]o) \d", patterns.IGNORECASE)
"""A figure that takes the place of another one, which an answer may hold: `the battery is 83 not 84`."""


def read_wishes(message: str) -> Wishes:
    """Return what a message asks to add to what is written, in its own words, and what else it says."""
    facts, rest, is_sure = list[str](), list[str](), False
    is_read = len(message) <= _LONGEST and _CORRECTS.search(message) is None
    for part in _parts_of(message) if is_read else ():
        found = _match_wish(part)
        if found is not None and not _is_whole_text(found) and not _tells_figure(found):
            facts.append(_bare(found["fact"]))
            is_sure |= _is_sure(found)
        elif found is None and rest and _THAT_SAID.match(part):
            head, fact = _last_clause(rest.pop())
            rest += [head] if head else []
            facts.append(_JOINTS.sub("", _bare(fact)))
            is_sure = True
        else:
            rest.append(part)
    told = [_JOINTS.sub("", each) for each in rest if not _ONLY_COMPLAINS.fullmatch(each) and fold(each)]
    facts = [each for each in facts if fold(each)]
    if facts:
        return Wishes(tuple(facts), " ".join(told), is_sure)
    alone = _ADD.match(message) if is_read and len(message) <= _SHORT and ":" not in message else None
    only = (_bare(alone["fact"]),) if alone and _is_whole_text(alone) else ()
    return Wishes(only, "" if only else message, is_only=bool(only))


def _parts_of(message: str) -> list[str]:
    """Return the sentences of a message, and of those the parts that begin with a wish."""
    parts, begin = list[str](), 0
    for border in _BORDER.finditer(message):
        behind = message[border.end() :]
        opens = _match_wish(behind) or _THAT_SAID.match(behind) or _OTHER.match(behind)
        if border["ends"] or opens:
            parts.append(message[begin : border.end()].strip(" ,-–—\n"))
            begin = border.end()
    return [each for each in (*parts, message[begin:].strip()) if each]


def _match_wish(words: str) -> patterns.Match[str] | None:
    return _I_FORGOT.match(words) or _FORGOT.match(words) or _ADD.match(words)


def _last_clause(part: str) -> tuple[str, str]:
    """Return what stands before the last clause of a part that begins with another wish, and that clause; else all."""
    head, _, clause = part.rpartition(", ")
    return (head, clause) if _OTHER.match(part) else ("", part)


def _is_whole_text(found: patterns.Match[str]) -> bool:
    """Return whether a wish says what alone is to be written: `no, just put the box`."""
    return not found["adds"] and _ONLY.search(f"{found['led']} {found['behind']}") is not None


def _tells_figure(found: patterns.Match[str]) -> bool:
    """Return whether a wish may give the number of another answer: `put 1 controller`."""
    return not _is_sure(found) and any(map(str.isdigit, found["fact"]))


def _is_sure(found: patterns.Match[str]) -> bool:
    is_placed = _PLACED.search(found[0]) is not None
    return bool(found["adds"] or found["that"]) or is_placed


def _bare(fact: str) -> str:
    """Return a fact without courtesy, the name of the text and the words for a part of it: `the no box bit`."""
    left = _COURTESY.sub("", fact).strip(" ,;:.!?")
    left = _OF_PLACE.sub("", left)
    bit = _BIT.fullmatch(left)
    left = next((each for each in bit.groups() if each), left) if bit else left
    return left.strip(' ,;:.!?"«»“”')
