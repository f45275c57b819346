"""The search query of a message: its words that identify a product."""

import re

from server.demo.reading import intents
from server.demo.reading.matching import CANON, COLOURS
from server.demo.reading.phrases import PHRASES
from server.languages import READ, SMALL_WORDS, detect_language, fold

_FIGURE = re.compile(
    r"\b(?:por|for|uns|about|cerca de)?\s*\d+(?:[.,]\d+)?\s*(?:€|euros?|eur|paus)(?!\w)|€\s*\d+",
    re.IGNORECASE,
)
_SIZE = re.compile(
    r"\b\d+\s*(?:gb|tb|gigas?|teras?)\b|\b(?:de|com|with|of)\s+(?:16|32|64|128|256|512|1024)\b(?!\s*(?:mm|cm|pol))",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\b(?:64|128|256|512)\b\s*$")
_YEAR = re.compile(r"\b(?:em|in|de|from|since|desde|d[oe] ano)\s+(?:19|20)\d\d\b", re.IGNORECASE)
_BESIDE, SECOND = (re.compile(PHRASES[name], re.IGNORECASE) for name in ("beside", "second"))
_RETRACTED = re.compile(PHRASES["retracted"], re.IGNORECASE | re.DOTALL)
_MODEL = re.compile(r"\b[A-Za-z]+-?[A-Za-z]*\d+\w*")
_AGE = re.compile(r"\b\d+\s*(?:anos?|mes(?:es)?|years?|months?|vezes|times)\b", re.IGNORECASE)
_SMALL = frozenset(["", *PHRASES["small"], *(word for word, first in CANON.items() if first in COLOURS)])


def query_of(text: str) -> str:
    """Return the identifying words, as typed, without colour, size, price, condition and politeness."""
    rest = _FIGURE.sub(" ", intents.without_slip(halves(text)[0]))
    rest = _BESIDE.sub(" ", rest)
    rest = _SIZE.sub(" ", rest)
    rest = _AGE.sub(" ", _YEAR.sub(" ", rest))
    rest = _TAIL.sub(" ", rest) if len(rest.split()) > 1 else rest
    language = detect_language(text)
    small = _SMALL if language is None or language in READ else _SMALL | SMALL_WORDS[language]
    sentences = re.split(r"[.!?;\n]\s+", rest.strip())
    plain = not any(map(str.isdigit, sentences[0]))
    sentences.sort(key=lambda each: (not intents.inside(each, "sell"), plain and not _MODEL.search(each)))
    first, *others = [kept for each in sentences if (kept := _kept_words(each, small))] or [""]
    models = [] if any(map(str.isdigit, first)) else _MODEL.findall(" ".join(others))[:1]
    return " ".join([first, *models])[:120]


def halves(text: str) -> tuple[str, str]:
    """Return the words about the message's item, and those about another one behind `e também` or `e uma`."""
    said = _RETRACTED.sub("", text) or text
    found = SECOND.search(said)
    first = said[: found.start()] if found else ""
    names = intents.inside(first, "sell") or any(each.isdigit() for each in first)
    return (first, said[found.end() :]) if found and first.strip() and (found[1] or names) else (said, "")


def _kept_words(sentence: str, small: frozenset[str]) -> str:
    """Return the words that are neither small nor a colour; "preto" alone never names a product."""
    words = re.findall(r"[^\s,:!?«»\"“”]+", sentence)
    return " ".join(word.strip(".'") for word in words if fold(word) not in small or word == "SE").strip()


def shorter(query: str) -> str:
    """Return a second try with fewer words: what looks like a model stays, else the first two words."""
    words = query.split()
    if len(words) <= 1:
        return ""
    models = [word for word in words if any(each.isdigit() for each in word)]
    first = words[0]
    kept = [first, *[word for word in models if word != first]]
    return " ".join(kept if len(kept) < len(words) else words[: max(1, len(words) - 1)])
