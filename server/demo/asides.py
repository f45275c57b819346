"""The demo model's answer to a remark while a product is on offer: the offer stays."""

import re
from typing import Any

from server.demo.lines import say
from server.demo.offers import CATALOG, offered_before
from server.demo.reading import intents
from server.demo.reading.query import shorter
from server.demo.scene import Act, Call, Scene

_OTHER = re.compile(
    r"\b(?:it'?s|it is|that'?s|this is|i have|i've got|i got|sell(?:ing)?|how about|what about"
    r"|do you (?:have|buy|take|accept|sell)|é|são|tenho|que tal|vend[oe]r?|aceitam|compram|têm)"
    r"\s+(?:an?|the|some|my|um|uma|uns|umas|os?|as?|meu|minha)\b"
)
_SHORT_NAME = 4
"""Letters of a name that may lack its family: `the xr` beside an iPhone."""
_IS = re.compile(r"\bé\b")
"""The verb; without its accent it is "and"."""


def again(query: str) -> Call:
    """Show once more what is on offer."""
    return Call(CATALOG, {"query": query, "again": True})


def beside(scene: Scene, remark: str | None, result: dict[str, Any]) -> list[Act]:
    """Answer above the products that stay on offer."""
    key = (
        ""
        if intents.whole(scene.message.text, "continue")
        else remark or ("no_info" if intents.asks(scene.message.text) else "product_first")
    )
    if result.get("shown") == "confirm":
        return list(say(scene, key, "again_one", product=result["products"][0]["name"]))
    return list(say(scene, key, "again"))


def nothing_found(scene: Scene, queries: list[str]) -> list[Act]:
    """Try fewer words; then show what was on offer, if the message was about it; then the way on."""
    text, fewer, before = scene.message.text, shorter(queries[-1]), offered_before(scene)
    if fewer and len(queries) == 1:
        return [Call(CATALOG, {"query": fewer})]
    if before not in ("", queries[-1]) and about_it(text):
        return [again(before)]
    if before and len(queries) == 1 and len(queries[0]) <= _SHORT_NAME:
        return [Call(CATALOG, {"query": f"{before.split()[0]} {queries[0]}"})]
    if intents.asks(text) and not names(text):
        return list(say(scene, "no_info", "ask_product"))
    return list(say(scene, "not_in_catalog", query=queries[0]))


def about_it(text: str) -> bool:
    """Return whether the text asks or remarks about what is on offer, and is not the name of something else."""
    if names(text) or intents.starts(text, "no"):
        return False
    return intents.asks(text) or intents.inside(text, "statement") or bool(_IS.search(text.casefold()))


def names(text: str) -> bool:
    """Return whether the text says which one it is, or has a number as models do."""
    return says_which(text) or any(each.isdigit() for each in text)


def says_which(text: str) -> bool:
    """Return whether the text says "it is the …" or "I have a …"."""
    return bool(_OTHER.search(text.casefold().replace("’", "'")))
