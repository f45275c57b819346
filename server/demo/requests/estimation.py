"""The demo model's estimation: the price band of the item's category and brand in its condition."""

from typing import Any

from server.demo.reading.folding import MOST_LETTERS
from server.demo.requests.clauses import plain_beginning, words_of
from server.demo.requests.condition import condition_of
from server.demo.requests.decision import asks_function
from server.demo.requests.money import adjustment_sentences, prices, span
from server.demo.requests.parsed_request import Answer, Answers, ParsedRequest

_MOST_SOURCES = 3
_MOST_OF_ITEM = 2 * MOST_LETTERS
"""Letters that are read of a description and of the answers about the item."""
_BARE = 20
"""Letters of an answer that is a bare yes or no, at most."""

_REPAIRED = ("C", "D")
"""Conditions in which something is to be repaired."""
_YES, _NO = frozenset({"sim", "yes", "s", "y", "true"}), frozenset({"nao", "no", "n", "false"})


def answer(given: ParsedRequest) -> Answer:
    """Estimate by the facts. What is said of a fault counts more than a better letter."""
    item = given.facts.get("item") or {}
    said = condition_of(plain_beginning(_item_words(given, item), _MOST_OF_ITEM))
    hint = item.get("condition")
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
                (_basis(given, condition), adjustment_sentences(given), _source_sentence(given), given.label),
            )
        ),
        "description": _description(given, item, condition),
        "references": list(given.sources[:_MOST_SOURCES]),
    }


def _item_words(given: ParsedRequest, item: dict[str, Any]) -> str:
    """Return all that is said of the item: its description, and the answers to questions as sentences."""
    return ". ".join([str(item.get("description") or ""), *map(_sentence, given.facts.get("answers") or ())])


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
    if given.facts.get("price_band"):
        return given.say(
            f"Faixa de preços incluída nesta instalação, no estado {condition}.",
            f"Price band of this installation in condition {condition}.",
        )
    return given.say(
        "Esta instalação não conhece preços deste tipo de artigo: faixa geral para artigos usados.",
        "This installation knows no prices of such things: a general band for used things.",
    )


def _source_sentence(given: ParsedRequest) -> str:
    if not given.sources:
        return ""
    return given.say(
        "As páginas encontradas estão nas referências; o modelo de demonstração não lê os seus preços.",
        "The pages that were found are in the references; the demo model does not read their prices.",
    )


def _description(given: ParsedRequest, item: dict[str, Any], condition: str) -> str:
    name, brand = str(item.get("name") or ""), str(item.get("brand") or "")
    if brand and brand.casefold() not in name.casefold():
        name = f"{brand} {name}".strip()
    name = (name or str(item.get("category") or "") or given.say("Artigo", "Item"))[:200]
    return given.say(f"{name}, usado, estado {condition}.", f"{name}, used, condition {condition}.")


ANSWERS: Answers = {"EstimationAnswer": answer}
