"""The documented requests of LoopOS, and the tables of their answers, written down apart from our own models.

A type is that of JSON; `?` is a field that may be null or missing, `[]` a list, and texts between bars are an enum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.parts.images import inline, png

DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Documented:
    """One documented request."""

    path: str
    body: dict[str, Any]
    answer: dict[str, str]


DECISION = {"decision": "string", "reasoning": "string"}
MONEY = {f"value_out_{each}": "number" for each in ("max", "min", "average")}
DESCRIPTOR = {
    **MONEY,
    "marketplace_posting_title": "string",
    "marketplace_posting_description": "string",
    "condition": "A|B|C|D",
    "dimensions_box": "S|L",
    "warning": "boolean",
    "warning_message": "string",
}
VALIDATION_TEXT = {
    "approved": "boolean",
    "rejection_reason": "string?",
    "confidence_score": "number?",
    "validation_notes": "string?",
    "required_modifications": "string[]?",
    "message_to_user": "string?",
}
VALIDATION_BRAND = {
    "new_brand": "boolean",
    "new_brand_name": "string?",
    "existing_brand_name": "string?",
    "existing_brand_id": "integer?",
}
VALIDATION_PRODUCT = {name.replace("brand", "product"): kind for name, kind in VALIDATION_BRAND.items()}
ESTIMATION = {
    f"{name}_{each}": "number"
    for name in ("value_out", "recycling_value", "repair_cost")
    for each in ("max", "min", "average")
} | {"reasoning": "string", "description": "string", "references": "string[]"}
ID = {
    "status": "OK|ERROR_IMAGE_QUALITY|ERROR_VALIDATION",
    "reasoning": "string",
    "message": "string?",
    "doc_type": "string?",
    "number": "string?",
    "name": "string?",
    "expiry": "string?",
    "item_id": "string?",
    "ocr_confidence": "number?",
}
TRANSLATOR = {"translations": "object", "untranslated": "object?"}
"""`untranslated` is our own: LoopOS documents no field that could say so."""
PROTOCOL = {"elements": "object[]"}
BRANDS = {"brands": "string[]", "reasoning": "string"}

TEXTS = {
    "product_6_name": "iPhone 12",
    "product_6_description": "A used phone",
    "option_type_2_name": "Colour",
    "option_value_3_name": "Black",
}
FLAT_ITEM = {
    "name": "iPhone 12",
    "brand": "Apple",
    "condition": "B",
    "description": "Pequenos riscos atrás.",
    "category": "Smartphones",
}
NESTED_ITEM = {
    "data": {
        "id": 7,
        "product": {"name": "iPhone 12", "brand": "Apple"},
        "categories": ["Eletrónica", "Smartphones"],
    },
    "protocol_answers": {"last_answers": [{"question": "Liga?", "answer": "Sim"}]},
}
NODE = {
    "name": "Smartphones",
    "description": "Used mobile phones.",
    "parent_categories": ["Electronics"],
}
SUBMISSION = {
    "loopos_core_base_url": "https://core.example/",
    "loopos_submission_base_url": "https://submission.example/",
}
EVERY = {
    "session_extra_data": {"core_id": "1", "script_id": "2", "item_id": "3"},
    "loopos_core_context": "Loja de telemóveis usados, Portugal.",
}
"""What every request may have besides."""


def _decision(**more: Any) -> dict[str, Any]:
    return {"prompt": "Em que estado está?", "item_context": "Telemóvel com o ecrã partido.", **more}


def _specific(**about: Any) -> dict[str, Any]:
    return {"agent_specific": about, "language": "PT-PT"}


WORDS = ["Excellent", "Good", "Fair", "Poor"]
LISTING = {
    "marketplace_posting_title": "Apple iPhone 12 128 GB preto",
    "marketplace_posting_description": "iPhone 12 em bom estado, com caixa e cabo.",
    "category_name": "Smartphones",
}
DESCRIBED = {
    "category_name": "Smartphones",
    "product_name": "iPhone 12",
    "brand_name": "Apple",
    "user_description": "iPhone 12 de 128 GB, com caixa.",
}
HINTS = {"condition": "B", "value_out_max": 400, "value_out_min": 250.5, "value_out_average": 320}
BRAND_LIST = {"brand_name": "apple", "reference_brands": "id,name\n7,Apple\n9,Samsung"}
PRODUCT_LIST = {"product_name": "iphone 12", "reference_products": "id,name\n1,iPhone 12\n2,iPhone 14"}
IMAGES = [inline(png())]


def _documented() -> Iterator[tuple[str, Documented]]:
    decision, validation = "/loopos_ai_decision", "/loopos_ai_c2c_validation"
    yield "decision", Documented(decision, _decision(options=WORDS), DECISION)
    yield "decision of a text", Documented(decision, _decision(options=",".join(WORDS)), DECISION)
    whole = _decision(options=WORDS, context="A loja não compra partidos.", language="en-US", **EVERY)
    yield "decision with all fields", Documented(decision, whole, DECISION)
    for name, about in (("descriptor", DESCRIBED), ("descriptor with hints", DESCRIBED | HINTS)):
        body = {"images": IMAGES, **_specific(**about), **EVERY}
        yield name, Documented("/loopos_ai_c2c_descriptor", body, DESCRIPTOR)
    yield "validation of texts", Documented(validation, _specific(**LISTING), VALIDATION_TEXT)
    refused = LISTING | {"marketplace_posting_description": "Ligue 912 345 678"}
    yield "validation that refuses", Documented(validation, _specific(**refused), VALIDATION_TEXT)
    yield "validation of a brand", Documented(validation, _specific(**BRAND_LIST), VALIDATION_BRAND)
    new = BRAND_LIST | {"brand_name": "Zwergo"}
    yield "validation of a new brand", Documented(validation, _specific(**new), VALIDATION_BRAND)
    yield "validation of a product", Documented(validation, _specific(**PRODUCT_LIST), VALIDATION_PRODUCT)
    for name, item in (("flat", {"data": FLAT_ITEM}), ("nested", NESTED_ITEM)):
        body = _specific(loopos_item={"item": item})
        yield f"estimation, {name}", Documented("/loopos_ai_value_estimation", body, ESTIMATION)
    about = {"doc_type": "passport,id-card", "name": "Ana Silva", "number": "12345678Z", "validity": True}
    yield "id", Documented("/loopos_ai_id_validator", {"images": IMAGES, "agent_specific": about}, ID)
    texts = {"source_locale": "en", "context": "Product", "data": TEXTS}
    for name, target in (("one", {"target_locale": "pt"}), ("several", {"target_locales": ["pt", "es"]})):
        yield f"translator, {name}", Documented("/loopos_ai_translator", {**texts, **target}, TRANSLATOR)
    for kind in ("category", "subcategory", "product"):
        body = {"node_type": kind, "node_context": NODE, "language": "pt"}
        yield f"protocol of a {kind}", Documented("/loopos_ai_protocol_generator", body, PROTOCOL)
    yield "brands", Documented("/loopos_ai_brands_generator", _specific(category="Smartphones"), BRANDS)


DOCUMENTED = dict(_documented())

MAY_HAVE = {
    "/loopos_ai_c2c_validation": VALIDATION_TEXT | VALIDATION_BRAND | VALIDATION_PRODUCT,
}
"""Of a path with several kinds of answers, the fields of all of them."""

ELEMENT = {"class": "string", "attributes": "object", "options": "object[]?"}
ATTRIBUTES = {"label": "string", "required": "boolean", "hint": "string"}
OPTION = {"label": "string", "deal_breaker": "boolean"}
CLASSES = {
    f"Protocol::Element::Input::{each}" for each in ("Text", "Select", "Number", "Date", "Boolean")
} | {
    "Protocol::Element::Info",
    "Protocol::Element::Warning",
}
CHAT_MESSAGE = {"text": "string", "role": "assistant|user", "html": "string?"}


def deviations(table: dict[str, str], found: Any, at: str = "") -> list[str]:
    """Return what of an object is otherwise than its table says, a sentence each."""
    if not isinstance(found, dict):
        return [f"{at} is no object"]
    told = [f"{at}.{name} is not documented" for name in found if name not in table]
    for name, kind in table.items():
        if found.get(name) is None:
            told += [] if kind.endswith("?") else [f"{at}.{name} is missing"]
        elif not _is(kind.removesuffix("?"), found[name]):
            told.append(f"{at}.{name} is {found[name]!r}, no {kind}")
    return told


def _is(kind: str, value: Any) -> bool:
    if kind.endswith("[]"):
        return isinstance(value, list) and all(_is(kind[:-2], each) for each in value)
    if "|" in kind:
        return value in kind.split("|")
    types: dict[str, Any] = {
        "string": str,
        "boolean": bool,
        "integer": int,
        "number": (int, float),
        "object": dict,
    }
    return isinstance(value, types[kind]) and (kind == "boolean") == isinstance(value, bool)


def deeper_deviations(body: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    """Return what is otherwise inside an answer: its translations, elements, day and confidence."""
    told: list[str] = []
    for element in answer.get("elements", ()):
        told += deviations(ELEMENT, element, "element")
        told += deviations(ATTRIBUTES, element["attributes"], "attributes")
        told += [fault for each in element.get("options", ()) for fault in deviations(OPTION, each, "option")]
        told += [] if element["class"] in CLASSES else [f"{element['class']} is no class"]
        if ("options" in element) != element["class"].endswith("::Select"):
            told.append(f"options of a {element['class']}")
    if "translations" in answer:
        told += deviations({"context": "string", "data": "object"}, answer["translations"], "translations")
        targets = body.get("target_locales") or [body["target_locale"]]
        got = {name: set(each) for name, each in answer["translations"]["data"].items()}
        told += [] if got == {each: set(body["data"]) for each in targets} else [f"translations of {got}"]
    for name in ("confidence_score", "ocr_confidence"):
        if answer.get(name) is not None and not 0 <= answer[name] <= 1:
            told.append(f"{name} is {answer[name]}")
    if answer.get("expiry") and not DAY.fullmatch(answer["expiry"]):
        told.append(f"expiry is {answer['expiry']}")
    if len(answer.get("message_to_user") or "") > 200:
        told.append("message_to_user is too long")
    return told
