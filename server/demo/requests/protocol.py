"""The demo model's protocol: the questions that the catalog asks about a similar product, else general ones."""

from typing import Any

from server.demo.requests.parsed_request import Answers, ParsedRequest
from server.text_reading.words.markup_removal import without_symbols


def answer(given: ParsedRequest) -> dict[str, Any]:
    """Return the catalog's own questions, after a line that says where they are from."""
    name = without_symbols(str((given.request.get("node_context") or {}).get("name", "")))
    info = _element(given.say("protocol.about", name=name), given.label, kind="info")
    return {"elements": [info, *(given.facts.get("similar") or _general(given))]}


def _element(
    label: str, hint: str = "", *, kind: str = "text", required: bool = False, options: tuple[Any, ...] = ()
) -> dict[str, Any]:
    listed = [{"label": text, "deal_breaker": breaks} for text, breaks in options]
    return {"kind": kind, "label": label, "required": required, "hint": hint, "options": listed}


def _general(given: ParsedRequest) -> list[dict[str, Any]]:
    grades = ("excellent", "good", "fair", "poor")
    parts = (("yes", False), ("lacks_accessory", False), ("lacks_part", True))
    return [
        _element(
            given.say("protocol.condition"),
            given.say("protocol.condition.hint"),
            kind="select",
            required=True,
            options=tuple((given.say(f"protocol.{each}"), False) for each in grades),
        ),
        _element(given.say("protocol.works"), kind="boolean", required=True),
        _element(
            given.say("protocol.complete"),
            given.say("protocol.complete.hint"),
            kind="select",
            required=True,
            options=tuple((given.say(f"protocol.{each}"), breaks) for each, breaks in parts),
        ),
        _element(given.say("protocol.bought"), kind="date"),
        _element(given.say("protocol.more")),
    ]


ANSWERS: Answers = {"ProtocolAnswer": answer}
