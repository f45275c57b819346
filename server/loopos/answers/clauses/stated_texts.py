"""Sentences that say all that a text is to have: `no, the drift isn't an accessory, it's the dock and the box`."""

from __future__ import annotations

from collections.abc import Sequence

from server import patterns
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.words import MOST_LETTERS, fold, tokens, without_debris

_NO = patterns.compile(
    r"^\s*(?:(?:n[aã]o(?!\s+(?:é|e|s[aã]o|era|foi|vai|est[aá]|tem)\b)|no|nope|nah|nn?(?!\s+(?:é|e)\b)|mas|but|oh|ah|well|"
    r"sorry|desculp[ae]|espera|wait)\b[\s,.;:!–—-]*)+",
    patterns.IGNORECASE,
)
_LED = patterns.compile(
    r"^(?:n[oa]s?|em|in|for|at|under|on)\s+(?:(?:the|my|os|as|o|a)\s+)?(?P<named>\w+)[\s,:]+(?=\S)",
    patterns.IGNORECASE,
)
_NAMED = patterns.compile(
    r"^(?:(?:e|and|mas|but|so|ent[aã]o)\s+)?(?:(?:os|as|o|a|the|my|meus?|minhas?)\s+)*(?P<named>\w+)\s*"
    r"(?:(?:\s(?:s[aã]o|é|are|is)\b|:)\s*)(?!n[aã]o\b|not\b|n['’]?t\b)(?P<rest>[^\s;!\n][^;!\n]*)$",
    patterns.IGNORECASE,
)
_OF_TEXTS = frozenset(
    "acessorios acessorio accessories accessory extras notas nota notes note observacoes texto text".split()
)
_BORDERS = patterns.compile(r"([,.;:!\n]\s+|\s+[–—-]\s+|\s+(?:mas|but)\s+)", patterns.IGNORECASE)
_SENTENCE = patterns.compile(r"[.\"»”]\s+\S")
_DENIAL = patterns.compile(
    r"(?:nem|not|neither|sem ser) .+|(?:nao|n) (?:e|sao|era|foi) .+|(?:its|it is|they are|theyre) not .+|"
    r".+ (?:tb |tambem |tampouco )?(?:nao|either|neither|n)|"
    r".+ (?:nao|n) (?:e|sao|era|conta[m]?|entra[m]?|vai|vao|fica[m]?|pertence[m]?|faz|fazem)\b.*|"
    r".+ (?:is|are|was|does|do|should)(?:nt| not) .+|.+ (?:isnt|arent)\b.*|"
    r"(?:(?:mas|but|e|and|please|por favor|pf) )?"
    r"(?:tir[ae]r?|retir[ae]r?|remov[ae]r?|apag[ae]r?|delete|drop|take out|leave out|take) .+"
)
"""A clause that takes something out, and is no value itself."""
_ONLY = r"(?:s[oó]|apenas|somente|just|only)"
_IS = (
    r"(?:é|s[aã]o|e(?=\s+(?:s[oó]|apenas|[ao]s?)\s)|ficam?|"
    r"it\s?(?:['’]?s|is)|they\s?(?:['’]?re|are)|there\s?(?:['’]?s|is|are))"
)
_STATES = patterns.compile(
    rf"^(?:(?:e|and|so|ent[aã]o|portanto)\s+)?(?:(?P<is>{_IS})\s+)?"
    rf"(?P<only>{_ONLY}\b(?:\s+(?:isto|isso|this|these|that|estes|estas|leva|tem|vai|traz))?\s*(?P<colon>:)?\s*)?(?P<rest>\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
_NO_MORE = patterns.compile(
    r"[\s,.;]+(?:(?:e|and)\s+)?(?:mais nada|nada mais|nothing (?:else|more)|that['’]?s (?:it|all)|"
    r"(?:é )?s[oó] isso|é tudo)(?=\s*(?:$|[.,;!]))",
    patterns.IGNORECASE,
)
_ONLY_BEHIND = patterns.compile(rf".*\S\s{_ONLY}", patterns.IGNORECASE)
_NO_THINGS = frozenset(
    "defeito defeitos falha estado condicao marca coisa coisas problema desgaste uso pergunta resposta pouco fault "
    "faults defect condition wear mark problem thing question answer bit part outra outro other".split()
)
"""What a thing is instead of one that the text lists: `it is a fault`."""
_JOINED = patterns.compile(r",|;|\s(?:e|and|com|with|mais|plus)\s", patterns.IGNORECASE)


def stated_text(message: str, question: Sequence[str], *, is_open: bool) -> str:
    """Return what a message says that a text is to have and nothing else; empty where it says nothing of the kind.

    `question` are the words of the question. Where the text is not the open one (`is_open`), the message names it.
    """
    if len(message) > MOST_LETTERS:
        return ""
    said = _NO.sub("", message)
    is_refused, led = said != message, _LED.match(said)
    is_named = led is not None and _names(led["named"], question)
    said = said[led.end() :] if led and is_named else said
    named = _NAMED.match(said)
    is_of_text = named is not None and fold(named["named"]) in _OF_TEXTS
    if named is not None and (is_of_text or (is_refused and _names(named["named"], question))):
        return "" if _SENTENCE.search(named["rest"]) else _tidy(named["rest"])
    return _stated_behind(said, is_led=is_named, is_refused=is_refused) if is_named or is_open else ""


def _names(word: str, question: Sequence[str]) -> bool:
    said = content(tokens(word))
    return bool(said) and all(
        each in _OF_TEXTS or any(is_like(each, own) for own in question) for each in said
    )


def _stated_behind(said: str, *, is_led: bool, is_refused: bool) -> str:
    """Return what is stated behind the clauses that take something out."""
    parts = _BORDERS.split(said)
    at = 0
    while at < len(parts) - 1 and _DENIAL.fullmatch(_plain(parts[at])):
        at += 2
    rest = "".join(parts[at:]).strip(" ,.;:!")
    takes_out, found = at > 0, _STATES.match(rest)
    if found is None or not (takes_out or is_led or is_refused) or _DENIAL.fullmatch(_plain(parts[at])):
        return ""
    told, ends = found["rest"], _NO_MORE.search(rest) is not None
    is_only = (
        found["only"] is not None or ends or (takes_out and _ONLY_BEHIND.fullmatch(parts[at]) is not None)
    )
    lists = _JOINED.search(told) is not None
    is_stated = is_only or (found["is"] is not None and (takes_out or is_led or lists))
    is_other = not takes_out and bool(fault_clauses(told))
    if not is_stated or is_other or _NO_THINGS.issuperset(content(tokens(_JOINED.split(told)[0]))[:1]):
        return ""
    keeps_only = found["only"] is not None and not found["colon"] and not found["is"] and not ends
    return _tidy(rest if keeps_only else told)


def takes_out(clause: str) -> bool:
    """Return whether a clause denies something or takes it out: it names no thing that a text is to have."""
    return _DENIAL.fullmatch(_plain(clause)) is not None


def _plain(part: str) -> str:
    return " ".join(patterns.findall(r"\w+", fold(part).replace("'", "").replace("’", "")))


def _tidy(words: str) -> str:
    return without_debris(_NO_MORE.sub("", words)).strip(" .,;:!")
