"""Messages that say all that a text shall be: `no, just the box and a cable`, `ponha: leva a caixa`, `change the notes
to ...`.
"""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import content
from server.loopos.answers.clauses.change_requests import says_it_lacks, told_addition, told_value
from server.loopos.answers.clauses.cut_texts import asks_to_cut
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.clauses.joined_parts import adds_to_text
from server.loopos.answers.clauses.stated_texts import takes_out
from server.loopos.answers.words import MOST_LETTERS, tokens

_TEXT = r"(?:notas?|notes?|text|texto|acess[oó]rios|accessories|extras|observa[cç][oõ]es)"
_WRITES = patterns.compile(
    r"(?:^|[.;!?,]\s*|\be\s+|\band\s+)"
    r"(?:(?:n[aã]o|no|please|por favor|pf|mas|but|antes|then|ent[aã]o|(?:can|could) (?:yo)?u|podes?|"
    r"just|s[oó])\b[\s,.]*)*"
    r"(?:(?:escrev[ae]|escrever|p[oõ]e|p[oô]r|ponha|met[ae]|coloc(?:a|que)|"
    r"write|put|say|make it|diz|diga|deix[ae]|fica|fique)"
    r"(?:\s+(?:assim|so|s[oó]|apenas|somente|only|just|this|isto|isso|antes|instead|it|l[aá]|a[ií]|down))*"
    r"|(?:é|s[aã]o|it['’]?s|they['’]?re)(?:\s+(?:s[oó]|just|only))?)\s*:\s*(?P<text>\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""A verb of writing and a colon, and what is to be written."""
_CHANGES = patterns.compile(
    r"\b(?:mud[ae]r?|alter[ae]r?|troc(?:ar?|ue)|substitu(?:a|i|ir)|change|replace|set|make)\s+(?:(?:the|my|as|os|o|a)\s+)?"
    rf"{_TEXT}\s+(?:para|por|to|into|with|by)\s*:?\s+(?P<text>\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
_POLITE = (
    r"(?:(?:n[aã]o|no|sim|yes|ok|okay|please|pls|por favor|pf|mas|but|antes|then|ent[aã]o|e|and|oh|ah|afinal|actually|"
    r"(?:can|could) (?:yo)?u|podes?|podia|quero que|i want (?:you )?to)\b[\s,.]*)*"
)
_ONLY = r"(?:s[oó]|apenas|somente|only|just)"
_LEAVES_ONLY = patterns.compile(
    rf"^\s*{_POLITE}(?:deix[ae]r?|deixem|mant[eé]m|mantenha|manter|leave|keep)(?:\s+(?:it|l[aá]|a[ií]|fic(?:ar?|am)))*"
    rf"\s+{_ONLY}\s+(?P<text>(?!(?:it|that|this|those|assim|isso|isto|como|as)\b)\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""A verb of leaving and all that is to be left: `deixa só a caixa`."""
_WRITES_ONLY = patterns.compile(
    r"(?:^|[.;!?,]\s*|\b(?:e|and|then|ent[aã]o)\s+)"
    r"(?:(?:(?:can|could) (?:yo)?u|podes?|please|por favor|you can|mas|but|antes|ent[aã]o|then|no|n[aã]o)\b[\s,]*)*"
    r"(?:(?:escrev(?:a|e|er)|p[oõ]e|p[oô]r|ponha|met(?:a|e|er)|diz|diga|write|put|say)\s+"
    rf"{_ONLY}|{_ONLY}\s+(?:escrev(?:a|e|er)|p[oõ]e|ponha|met(?:a|e)|diz|diga|write|put|say))"
    r"(?:\s+(?:l[aá]|a[ií]|isto|this|down|there|in it|in the notes?|nas notas))*\s*(?::\s*|\s(?:que|that)\s+|\s)"
    r"(?P<text>(?!(?:the price|o pre[cç]o|it|that|this|isso|so|assim)\b)\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""A verb of writing with `just`, and all that is to be written: `não é isso, escreve só fatura e cabo`."""
_OUT = patterns.compile(r"\b(?:out|off|away|fora)\b", patterns.IGNORECASE)
_STARTS_AGAIN = patterns.compile(
    rf"^\s*{_POLITE}(?:apag(?:ar?|ue)|tir[ae]r?|retir[ae]r?|remov[ae]r?|remove|elimin[ae]r?|delete|erase|scrap)\s+"
    r"(?:(?:isso|isto|tudo|o texto|todo|that|this|it|all|of|everything|the text|the lot)\b\s*)+"
    rf"[\s,.;]*(?:(?:e|and|then|depois)\s+)?(?:{_ONLY}\s+)?"
    r"(?:escrev(?:a|e|er)|p[oõ]e|p[oô]r|ponha|met(?:a|e|er)|diz|diga|write|put|say)"
    rf"(?:\s+(?:{_ONLY}|antes|instead|that|que|l[aá]|a[ií]))*\s*:?\s+(?P<text>\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""All of a text is to go, and what is to be written then."""
_REFUSES = patterns.compile(
    r"\s*(?:(?:oh|ah|ai|hm+|wait|espera|espere|well|olh[ae]|mas|but)\b[\s,.]*)*(?:no|nope|nah|n[aã]o|n)\b"
    r"(?:\s+(?:dear|love|mate|mano|man|pal|p[aá]|sorry|thanks|obrigad[oa]|desculp[ae]|"
    r"that['’]?s \w+|that is \w+|isso est[aá] \w+))*"
    r"\s*[,.;:!–—-]+\s*",
    patterns.IGNORECASE,
)
"""A no that ends with a mark, and what is called out behind it."""
_LISTS = patterns.compile(
    r"(?:it\s|they\s|isto\s|isso\s)?(?:(?:['’]?s|is|are|é|s[aã]o)\s+)?(?:just|only|s[oó]|apenas|somente)\b|"
    r"(?:it\s)?(?:comes? with|includes?|leva|inclui|traz|vai com|vem com)\b",
    patterns.IGNORECASE,
)
"""The start of a sentence that lists what there is."""
_IS = patterns.compile(
    r"^(?:it|they|there|isto|isso)?\s*(?:['’]?s|['’]?re|is|are|é|s[aã]o)\s+(?:(?:just|only|s[oó]|apenas|somente)\s+)?"
    r"|^(?:just|only|s[oó]|apenas|somente)\s*:\s*",
    patterns.IGNORECASE,
)
_STATES = frozenset("is are was were has have e esta estao sao foi era tem isnt arent doesnt".split())
_CLAUSE_END = patterns.compile(r"[,.;!\n]")
_JOINED = patterns.compile(r"[,;.](?=\s*\S)|\s(?:e|and|com|with|plus|mais)\s", patterns.IGNORECASE)
_NOTHING_ELSE = patterns.compile(
    r"[\s,.;]+(?:(?:e|and)\s+)?(?:o resto|the rest)\s+(?:fica|est[aá]|is|stays)\b[^,.;]*$",
    patterns.IGNORECASE,
)


_INCLUDES = patterns.compile(
    r"(?:it\s)?(?:comes? with|includes?|leva|inclui|traz|vai com|vem com)\b", patterns.IGNORECASE
)


def starts_again(message: str) -> bool:
    """Return whether a message says to take all of a text out, and what to write then."""
    return len(message) <= MOST_LETTERS and _STARTS_AGAIN.match(message) is not None


def read_whole_text(message: str, *, is_refusable: bool, is_waiting: bool) -> str:
    """Return all that a message says that a text shall be; empty where it says nothing of the kind.

    Behind a no to a text (`is_refusable`) that is what the message lists; where none waits for a yes (`is_waiting`)
    only what a verb says to be included.
    """
    if len(message) > MOST_LETTERS or message.rstrip().endswith("?"):
        return ""
    if not told_addition(message) and (found := _first_of(message, _WRITES, _CHANGES, _WRITES_ONLY)):
        return _tidy(found["text"])
    left = _LEAVES_ONLY.match(message)
    if found := _STARTS_AGAIN.match(message) or (None if left and _OUT.search(left["text"]) else left):
        return _tidy(found["text"])
    refused = _REFUSES.match(message) if is_refusable else None
    rest = message[refused.end() :] if refused else ""
    return _tidy(_IS.sub("", rest)) if rest and _lists_things(rest, is_waiting=is_waiting) else ""


def _first_of(message: str, *shapes: patterns.Pattern) -> patterns.Match[str] | None:
    return next((found for each in shapes if (found := each.search(message))), None)


def _lists_things(said: str, *, is_waiting: bool) -> bool:
    """Return whether words list what there is, and neither add, deny nor take out something."""
    if adds_to_text(said) or told_addition(said) or says_it_lacks(said) or asks_to_cut(said):
        return False
    leads = (_LISTS if is_waiting else _INCLUDES).match(said) is not None
    first = _CLAUSE_END.split(said, maxsplit=1)[0]
    if not content(tokens(first)) or (not leads and (takes_out(first) or fault_clauses(first))):
        return False
    is_list = is_waiting and _JOINED.search(said) is not None and _STATES.isdisjoint(tokens(first))
    return leads or is_list


def _tidy(words: str) -> str:
    quoted = words.lstrip()[:1] in tuple('"«“')
    return told_value(words) if quoted else _NOTHING_ELSE.sub("", words).strip(" ,;").rstrip(".")
