"""The choice that a message names by its place alone: `2`, `opção 2`, `the second one` stand for a click on it."""

from collections.abc import Sequence
from typing import Any

from server import patterns
from server.languages import fold
from server.loopos.answers.words import tokens
from server.protocol.blocks import Block, Choices

_ORDINALS = (
    "primeir[oa]|first|1st",
    "segund[oa]|second|2nd",
    "terceir[oa]|third|3rd",
    "quart[oa]|fourth|4th",
    "quint[oa]|fifth|5th",
    "sext[oa]|sixth|6th",
)
_PLACE = patterns.compile(
    r"(?:(?:a|o|the|e) )?(?:(?:opcao|option|choice|alt|numero|number) ?[+#]? ?)?(?P<figure>[1-9])[.)]?"
    rf"|(?:(?:a|o|the|e) )?(?:{'|'.join(f'(?P<at{at}>{words})' for at, words in enumerate(_ORDINALS, 1))})"
    r"(?: (?:one|option|choice|opcao))?[.!]?"
)
_LONGEST = 30


def places_of(block: Block, name: str) -> list[dict[str, str]]:
    """Return the answers of a question's choices in the order shown; none of any other block."""
    is_question = isinstance(block, Choices) and (block.position is not None or name.startswith("option:"))
    if not isinstance(block, Choices) or not is_question:
        return []
    return [{"name": each.name or name, "value": each.value, "label": each.label} for each in block.choices]


def click_at_place(
    parts: Sequence[dict[str, Any]], waiting: dict[str, Any], listed: Sequence[Any] | None = None
) -> dict[str, Any] | None:
    """Return the click that a typed message stands for, in the block that waited; None for any other message.

    Where the last reply to the question named some of its choices (`listed`), the place is counted among these. A
    figure that stands in a label is none of a place.
    """
    said = fold(str(parts[0].get("text") or "")).strip() if len(parts) == 1 else ""
    found = _PLACE.fullmatch(said) if said and len(said) <= _LONGEST else None
    places = waiting.get("places") or []
    name, values = listed or ("", ())
    if values and name == waiting.get("name"):
        places = [each for each in places if each["value"] in values]
    if found is None or not places:
        return None
    at = int(found["figure"] or next(at for at in range(1, len(_ORDINALS) + 1) if found[f"at{at}"]))
    is_in_label = found["figure"] and any(found["figure"] in tokens(each["label"]) for each in places)
    if at > len(places) or is_in_label:
        return None
    return {"type": "answer", "block_id": waiting.get("id"), **places[at - 1], "is_typed": True}
