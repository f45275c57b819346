"""All texts that LoopOS puts into blocks, in each language: of the embedded catalog, the judge and the price."""

import json
from collections.abc import Iterator
from pathlib import Path

from server.languages import Language
from server.loopos import seed
from server.loopos.answers import NO_PRICE, PRICE
from server.loopos.answers.refusals import REFUSALS
from server.loopos.answers.validation import NO_SHOWN, SKIPPED, YES_SHOWN
from server.loopos.common_answers import PRODUCT_ANSWERS
from server.loopos.texts import in_all_languages, texts_within


def shown_texts() -> Iterator[dict[Language, str]]:
    """Yield them; a text with values has their names in braces."""
    for text in (*REFUSALS.values(), NO_PRICE, PRICE.label, NO_SHOWN, SKIPPED, YES_SHOWN):
        yield in_all_languages(text.pt, text.en)
    yield from texts_within(PRODUCT_ANSWERS)
    for file in sorted(Path(seed.__file__).parent.rglob("*.json")):
        yield from texts_within(json.loads(file.read_text(encoding="utf-8")))
