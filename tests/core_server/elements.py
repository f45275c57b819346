"""Elements of a protocol as the contract of LoopOS Core writes them: the other direction of `remote/wire.py`."""

from typing import Any

from server.loopos.answers.element import CLASSES, Element


def raw_element(element: Element) -> dict[str, Any]:
    """Return an element as the contract writes it."""

    def raw(text: Any) -> Any:
        return None if text is None else {"pt": text.pt, "en": text.en}

    return {
        "id": element.id,
        "class": CLASSES[element.kind],
        "attributes": {
            "label": raw(element.label),
            "title": raw(element.title),
            "hint": raw(element.hint),
            "required": element.required,
            "unit": raw(element.unit),
            "unit_one": raw(element.unit_one),
            "min": element.min,
            "max": element.max,
            "pattern": element.pattern,
            "max_length": element.max_length,
            "not_in_future": element.not_in_future,
            "depends_on": list(element.depends_on),
        },
        "options": [
            {"value": each.value, "label": raw(each.label), "deal_breaker": each.deal_breaker}
            for each in element.options
        ],
    }
