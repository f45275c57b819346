"""Contrasts that a seller writes without a mark, such as `not black its blue`: the mark is put where it belongs."""

from __future__ import annotations

from functools import lru_cache

from server import patterns
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.element import Element
from server.loopos.answers.words import fold, tokens

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

    Nothing where it has no clause of both kinds, where one that denies also tells a fault (`no cup holder and the
    basket has a tear`), or where its writer is not sure.
    """
    if _UNSURE.search(" ".join(tokens(text))):
        return ""
    parts = [part.strip() for part in _BORDERS.split(text) if tokens(part)]
    kept = [part for part in parts if not _DENIES.match(" ".join(tokens(part)))]
    tells_both = any(tells_fault(part) for part in parts if part not in kept)
    return ", ".join(kept) if len(kept) < len(parts) and not tells_both else ""


def without_retracted(element: Element, text: str) -> str:
    """Return what a text says last, without what it takes back before: `bom` of `excelente. hmm, não, é mais bom`, and
    `fair` of `good. well, more fair`, where that is an option.
    """
    text = _NEVER_SAID.sub(", ", _ECHO.sub("", text)) if _ECHO.match(text) else text
    found = _TAKES_BACK.search(text)
    text = text[found.end() :] if found else text
    named = {
        each for o in element.options for label in (o.label.pt, o.label.en) for each in (label, fold(label))
    }
    turned = _turns_to(frozenset(named)).search(text) if named else None
    return f"{turned['value'] or turned['before']}{text[turned.end() :]}" if turned else text


@lru_cache(maxsize=512)
def _turns_to(labels: frozenset[str]) -> patterns.Pattern:
    """Return the pattern of words that put one of these options in the place of what stands before them."""
    named = "|".join(patterns.escape(each) for each in sorted(labels, key=len, reverse=True))
    return patterns.compile(
        rf"(?<=\w)(?:\s*[,.;!…]+\s*|\s+(?=(?:well|bem|or|ou|i mean|quer dizer)\b)){_HESITATES}"
        rf"(?:{_RATHER}[\s,]+(?:(?:an?|the|o|just|s[oó])\s+)?(?P<value>{named})|"
        rf"(?P<before>{named})\s+(?:more like|rather))(?=\s*(?:$|[,.;!…\n]|{_AFTER}))",
        patterns.IGNORECASE,
    )


_HESITATES = r"(?:(?:well|bem|hm+|actually|ali[aá]s|afinal|maybe|talvez|se calhar|it['’]?s|[eé])\b[\s,.…]*)*"
_RATHER = (
    r"(?:more(?: like| of| towards?)?|closer to|mais(?: para| perto de| pr[oó])?|(?:or |ou )?(?:rather|antes|melhor)|"
    r"i mean|quer dizer|(?:or )?i should say|"
    r"(?:wait|hang on|hold on|oh|espere?|espera),?\s(?:no|n[aã]o)|(?:no|n[aã]o),?\s(?:wait|hang on|espere?|espera))"
)
_AFTER = r"(?:really|actually|condition|tbh|i['’]?d say|i think|acho|diria|mesmo|na verdade)\b"
_ECHO = patterns.compile(
    r"^\s*(?:\w+\s){0,3}\w+\s?\?+[\s,.!]*(?=(?:no|nope|nah|n[aã]o)\b)", patterns.IGNORECASE
)
"""What was proposed, doubted before a no: `torn?? no`."""
_NEVER_SAID = patterns.compile(
    r"[\s,.;]*(?:\b(?:i|eu)\s)?\b(?:never|didn['’]?t|did not|nunca|n[aã]o)\s(?:said|say|wrote|disse|escrevi|falei)"
    r"(?:\s(?:that|it|so|isso|isto|tal))?\s*(?:[,.;!]+\s*|$)",
    patterns.IGNORECASE,
)


_TAKES_BACK = patterns.compile(
    r"(?<=\w)\s*[,.;!…]+\s*(?:h+m+[\s,.]*)?(?:n[aã]o|no|actually|afinal|ali[aá]s|wait|espera)\b[\s,.]+"
    r"(?:(?:n[aã]o|no|wait|se calhar|talvez|maybe|perhaps|afinal|actually|diria|i['’]?d say|antes|rather)[\s,.]+)*"
    r"(?:(?:[eé]|est[aá]|it['’]?s|make it|call it) )?(?:mais|more like|antes|rather)\s+",
    patterns.IGNORECASE,
)
