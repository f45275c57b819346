"""Contrasts that a seller writes without a mark, such as `not black its blue`: the mark is put where it belongs."""

from server import patterns
from server.loopos.answers.words import tokens

_CONTRASTS = (
    patterns.compile(
        r"(?P<denied>\b(?:not|n[aã]o|isn'?t|aren'?t)\s(?:(?:the|an?|is|é|e|s[aã]o|era|o|uma?)\s)?"
        r"[\w.]+(?:\s(?:[gt]b|gigas?)\b)?)\s(?=(?:it['’]?s|it is|they['’]?re|é|s[aã]o)\s)",
        patterns.IGNORECASE,
    ),
    patterns.compile(r"(?P<denied>\bnao\se\s\w+)\s(?=e\s\w)", patterns.IGNORECASE),
)
"""A denied value before what is right. Who writes `nao e` without accents writes the second `é` as `e` too."""


def mark_contrasts(text: str) -> str:
    """Return the text with a comma between what it denies and what it says instead: `não é preto, é azul`."""
    for contrast in _CONTRASTS:
        text = contrast.sub(r"\g<denied>, ", text)
    return text


_BORDERS = patterns.compile(
    r"[,.;!\n]+(?=\s|$)|\s+(?=(?:mas|but|just|only|s[oó]|apenas)\b)", patterns.IGNORECASE
)
_DENIES = patterns.compile(
    r"(?:(?:mas|but|and|e|its?|is|are|they|they re|esta[o]?|ta|tem|has|got|ha|there|ja|really) )*"
    r"(?:not|no|sem|without|nao|n|never|isnt|arent|doesnt|dont|nem|nenhuma?) \w"
)
_UNSURE = patterns.compile(
    r"\b(?:nao|n|nem|dont|not|no) (?:sei|faco|tenho (?:a )?(?:certeza|ideia)|know|sure|idea|clue)\b"
)

_PAIR = patterns.compile(
    r"(?P<first>\b\w+\s(?:yes|sim|no|n[aã]o))\s+(?=(?:the |o |a )?\w+\s(?:yes|sim|no|n[aã]o)\s*(?:[,.;!]|$))",
    patterns.IGNORECASE,
)
_JUST_NOT = patterns.compile(
    r"(?<=\w)\s+(?=(?:(?:just|only)\s(?:not|no|without|missing)|s[oó]\s(?:n[aã]o|sem|falta))\b)",
    patterns.IGNORECASE,
)


def mark_pairs(text: str) -> str:
    """Return the text with a comma between what there is and what there is not: `case yes, box no`."""
    return _JUST_NOT.sub(", ", _PAIR.sub(r"\g<first>, ", text))


def affirmed_words(text: str) -> str:
    """Return the clauses of a text beside those that deny something: `just worn` of `not peeling, just worn`.

    Nothing where it has no clause of both kinds, or where its writer is not sure.
    """
    if _UNSURE.search(" ".join(tokens(text))):
        return ""
    parts = [part.strip() for part in _BORDERS.split(text) if tokens(part)]
    kept = [part for part in parts if not _DENIES.match(" ".join(tokens(part)))]
    return ", ".join(kept) if len(kept) < len(parts) else ""


def without_retracted(text: str) -> str:
    """Return what a text says last, without what it takes back before: `bom` of `excelente. hmm, não, é mais bom`."""
    found = _TAKES_BACK.search(text)
    return text[found.end() :] if found else text


_TAKES_BACK = patterns.compile(
    r"(?<=\w)\s*[,.;!…]+\s*(?:h+m+[\s,.]*)?(?:n[aã]o|no|actually|afinal|ali[aá]s|wait|espera)\b[\s,.]+"
    r"(?:(?:n[aã]o|no|wait|se calhar|talvez|maybe|perhaps|afinal|actually|diria|i['’]?d say|antes|rather)[\s,.]+)*"
    r"(?:(?:[eé]|est[aá]|it['’]?s|make it|call it) )?(?:mais|more like|antes|rather)\s+",
    patterns.IGNORECASE,
)
