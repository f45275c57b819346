"""The brain of the model server for requests of services: an object at once, and stamped tokens for conversations."""

import json

from tests.modelserver.brains import stamped
from tests.modelserver.plan import Plan, Text
from tests.modelserver.request import ModelRequest

TRANSLATED = {
    "texts": [
        {"locale": locale, "key": key, "text": text}
        for locale, texts in {
            "pt": ("iPhone 12", "Cor", "Preto"),
            "es": ("iPhone 12", "Color", "Negro"),
        }.items()
        for key, text in zip(
            ("product_6_name", "option_type_2_name", "option_value_3_name"), texts, strict=True
        )
    ]
}
"""What fits the example of the translator."""

ESTIMATED = {
    **{
        f"{name}_{part}": value
        for name, values in {
            "value_out": (210.0, 150.0, 180.0),
            "recycling_value": (6.0, 2.0, 4.0),
            "repair_cost": (120.0, 60.0, 90.0),
        }.items()
        for part, value in zip(("max", "min", "average"), values, strict=True)
    },
    "reasoning": "Phones of this age and storage sell in this band; the battery and the scratches lower it.",
    "description": "A used iPhone 12 with 128 GB, light scratches on the back, battery at 87 %.",
    "references": [],
}
"""What fits the example of the value estimation."""

_tokens = stamped()


async def answering(request: ModelRequest) -> Plan:
    """Answer at once: by the fields that are asked for."""
    if request.output_format is None:
        return await _tokens(request)
    asked = request.output_format.schema["properties"]
    return Plan([Text(json.dumps(TRANSLATED if "texts" in asked else ESTIMATED))])
