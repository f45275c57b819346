"""The demo model's answers to requests: rules over the request and its facts, one module a service, each labelled."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from server.demo.requests.parsed_request import Answer, Answers, ParsedRequest, Rule
from server.demo.requests.search import sources_in
from server.protocol.codec import read_json


def _found_answers() -> Answers:
    """Return the rules of all modules of this package; each module names its own in `ANSWERS`. Raises ValueError."""
    found: dict[str, Rule] = {}
    for each in iter_modules(__path__):
        rules: Answers = getattr(import_module(f"{__name__}.{each.name}"), "ANSWERS", {})
        twice = found.keys() & rules.keys()
        if twice:
            raise ValueError(f"Two modules answer {', '.join(sorted(twice))}.")
        found |= rules
    return found


ANSWERS = _found_answers()
"""By the type of the answer that is asked for."""


def answer_request(items: Sequence[Mapping[str, Any]], schema: Mapping[str, Any]) -> Answer | None:
    """Return the answer to the newest request; None where no rule knows the type of answer or the request."""
    play = ANSWERS.get(str(schema.get("title")))
    given = next((read for each in reversed(items) if (read := _read(each)) is not None), None)
    if play is None or given is None:
        return None
    return play(replace(given, sources=tuple(sources_in(items))))


def _read(item: Mapping[str, Any]) -> ParsedRequest | None:
    """Read an item as a request, if it is one."""
    content = item.get("content")
    if item.get("role") != "user" or not content:
        return None
    parts = [content] if isinstance(content, str) else [str(each.get("text", "")) for each in content]
    pictures = 0 if isinstance(content, str) else sum("image" in str(each.get("type")) for each in content)
    try:
        told = read_json("".join(parts))
    except ValueError:
        return None
    if not isinstance(told, dict) or not isinstance(told.get("request"), dict):
        return None
    return ParsedRequest(told["request"], told.get("facts") or {}, pictures)
