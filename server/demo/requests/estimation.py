"""The demo model's estimation: the price band of the item's category and brand in its condition."""

from typing import Any

from server.demo.reading import MOST_LETTERS
from server.demo.requests.asked_state import asks_function
from server.demo.requests.clauses import plain_beginning, words_of
from server.demo.requests.condition import GradePhrase, condition_of, harm_in_name, worse_of
from server.demo.requests.contradictions import brand_contradiction
from server.demo.requests.money import adjustment_sentences, prices, span
from server.demo.requests.parsed_request import Answer, Answers, ParsedRequest

_MOST_SOURCES = 3
_MOST_OF_ITEM = 2 * MOST_LETTERS
"""Letters that are read of a description and of the answers about the item."""
_MOST_QUOTED = 80
"""Letters of the caller's words that a sentence repeats."""
_BARE = 20
"""Letters of an answer that is a bare yes or no, at most."""

_REPAIRED = ("C", "D")
"""Conditions in which something is to be repaired."""
_YES, _NO = frozenset({"sim", "yes", "s", "y", "true"}), frozenset({"nao", "no", "n", "false"})


def answer(given: ParsedRequest) -> Answer:
    """Estimate by the facts. What is said of a fault counts more than a better letter."""
    item = given.facts.get("item") or {}
    said = condition_of(plain_beginning(_item_words(given, item), _MOST_OF_ITEM))
    if given.facts.get("product"):
        said = worse_of(said, harm_in_name(plain_beginning(item.get("name"))))
    hint: str | None = item.get("condition")
    condition = max(hint, said.grade) if hint and said else hint or (said.grade if said else "B")
    values: dict[str, Any] = {}
    repair = span(given, "repair") if condition in _REPAIRED else (0.0, 0.0, 0.0)
    for name, (low, middle, high) in (
        ("value_out", prices(given, condition, {})),
        ("recycling_value", span(given, "recycling")),
        ("repair_cost", repair),
    ):
        values |= {f"{name}_min": low, f"{name}_average": middle, f"{name}_max": high}
    return {
        **values,
        "reasoning": " ".join(
            filter(
                None,
                (
                    _basis(given, condition),
                    _condition_note(given, item, said, condition),
                    adjustment_sentences(given),
                    brand_contradiction(given, str(item.get("brand") or ""), str(item.get("name") or "")),
                    given.say("estimation.sources") if given.sources else "",
                    given.label,
                ),
            )
        ),
        "description": _description(given, item, condition),
        "references": list(given.sources[:_MOST_SOURCES]),
    }


def _item_words(given: ParsedRequest, item: dict[str, Any]) -> str:
    """Return all that is said of the item: its condition and description, and the answers to questions as sentences."""
    own = (str(item.get(each) or "") for each in ("condition_words", "description"))
    return ". ".join([*own, *map(_sentence, given.facts.get("answers") or ())])


def _sentence(each: dict[str, str]) -> str:
    """Return an answer as a sentence: a bare yes affirms its question, a bare no denies that a thing works."""
    answer = each["answer"]
    words = {word.folded for word in words_of(answer)} if len(answer) <= _BARE else set()
    if words and words <= _YES:
        return each["question"].rstrip(" ?")
    if words and words <= _NO:
        return "não funciona" if asks_function(each["question"]) else ""
    return answer


def _basis(given: ParsedRequest, condition: str) -> str:
    """Return what the prices are: a band of the product, of its category, or for things of no known kind."""
    band, name = given.facts.get("price_band"), given.facts.get("unknown_product")
    if band and name:
        return given.say("estimation.category_band", name=name, condition=condition)
    if band and band.get("of") == "category" and (product := given.facts.get("product")):
        return given.say("estimation.unpriced", name=product["name"], condition=condition)
    return given.say("estimation.band" if band else "estimation.unknown", condition=condition)


def _condition_note(
    given: ParsedRequest, item: dict[str, Any], said: GradePhrase | None, condition: str
) -> str:
    """Return a sentence where the condition is not the one that the caller gave, or where that was not understood."""
    hint, words = item.get("condition"), plain_beginning(item.get("condition_words"))
    if hint and said and condition != hint:
        return given.say(
            "estimation.condition_overruled", hint=hint, words=said.words[:_MOST_QUOTED], condition=condition
        )
    if words and condition_of(words) is None:
        return given.say("estimation.condition_unread", said=words[:_MOST_QUOTED], condition=condition)
    return ""


def _description(given: ParsedRequest, item: dict[str, Any], condition: str) -> str:
    name, brand = str(item.get("name") or ""), str(item.get("brand") or "")
    if brand and brand.casefold() not in name.casefold():
        name = f"{brand} {name}".strip()
    name = (name or str(item.get("category") or "") or given.say("estimation.item"))[:200]
    return given.say("estimation.description", name=name, condition=condition)


ANSWERS: Answers = {"EstimationAnswer": answer}
