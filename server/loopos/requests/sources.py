"""The sources of an answer: the addresses that a search has found, and no others that a model names."""

from collections.abc import Iterable, Mapping
from itertools import count, islice
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from server import patterns
from server.languages import nearest_language

_ADDRESS = patterns.compile(r"https?://[^\s<>\"'`]+", patterns.IGNORECASE)
_AROUND = ".,;:!?)]}*_"
"""Characters that may stand behind an address in a text without being a part of it."""

MOST_ADDRESSES = 200
"""Addresses of one text, and references of one answer, that are looked at; a run remembers no more pages."""
MOST_ADDRESS = 4_096
"""Characters of an address that may be one that was found."""

NO_SOURCES = {
    "pt": "Estimativa sem fontes da web.",
    "en": "Estimated without sources from the web.",
    "es": "Estimación sin fuentes de la web.",
    "fr": "Estimation sans sources du web.",
    "de": "Geschätzt ohne Quellen aus dem Web.",
}


def tell_sources(response: dict[str, Any], found: Iterable[str], language: str) -> dict[str, Any]:
    """Return a response whose references were found, and whose texts name no other addresses.

    Of each at most `MOST_ADDRESSES` are looked at, the others were not found. Without any reference its reasoning
    says so.
    """
    known = {_same(each): each for each in found}
    named = (_find_known(each, known) for each in islice(response["references"], MOST_ADDRESSES))
    references = list(dict.fromkeys(filter(None, named)))
    texts = {name: _without_strangers(response[name], known) for name in ("reasoning", "description")}
    if not references:
        texts["reasoning"] = (
            f"{texts['reasoning']} {NO_SOURCES.get(nearest_language(language), NO_SOURCES['en'])}".strip()
        )
    return {**response, **texts, "references": references}


def _find_known(address: str, known: Mapping[str, str]) -> str | None:
    """Return an address as it was found; None where nobody has found it."""
    return known.get(_same(address)) if len(address) <= MOST_ADDRESS else None


def _without_strangers(text: str, known: Mapping[str, str]) -> str:
    """Return a text without the addresses that nobody has found."""
    places = count()

    def keep(match: patterns.Match[str]) -> str:
        address = match[0].rstrip(_AROUND)
        is_found = next(places) < MOST_ADDRESSES and _find_known(address, known) is not None
        return match[0] if is_found else match[0][len(address) :]

    return _ADDRESS.sub(keep, text)


def _same(address: str) -> str:
    """Return an address without what models add to it: a mark of theirs, a fragment, a last slash."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return address
    asked = [each for each in parse_qsl(parts.query, keep_blank_values=True) if each[0] != "utm_source"]
    host = parts.netloc.lower()
    return f"{parts.scheme.lower()}://{host}{parts.path.rstrip('/')}?{urlencode(asked)}"
