"""The sources of an answer: the addresses that a search has found, and no others that a model names."""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from server.languages import nearest_language

_ADDRESS = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)
_AROUND = ".,;:!?)]}*_"
"""Characters that may stand behind an address in a text without being a part of it."""

NO_SOURCES = {
    "pt": "Estimativa sem fontes da web.",
    "en": "Estimated without sources from the web.",
    "es": "Estimación sin fuentes de la web.",
    "fr": "Estimation sans sources du web.",
    "de": "Geschätzt ohne Quellen aus dem Web.",
}


def keep_found(named: Iterable[str], found: Iterable[str]) -> list[str]:
    """Return those of the named addresses that were found, as they were found, each once."""
    known = {_same(each): each for each in found}
    return list(dict.fromkeys(known[key] for each in named if (key := _same(each)) in known))


def tell_sources(response: dict[str, Any], found: Iterable[str], language: str) -> dict[str, Any]:
    """Return a response whose references were found, and whose texts name no other addresses.

    Without any reference its reasoning says so.
    """
    found = list(found)
    references = keep_found(response["references"], found)
    texts = {name: _without_strangers(response[name], found) for name in ("reasoning", "description")}
    if not references:
        texts["reasoning"] = (
            f"{texts['reasoning']} {NO_SOURCES.get(nearest_language(language), NO_SOURCES['en'])}".strip()
        )
    return {**response, **texts, "references": references}


def _without_strangers(text: str, found: list[str]) -> str:
    """Return a text without the addresses that nobody has found."""

    def keep(match: re.Match[str]) -> str:
        address = match[0].rstrip(_AROUND)
        return match[0] if keep_found([address], found) else match[0][len(address) :]

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
