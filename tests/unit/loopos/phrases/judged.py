"""The judge's word on a row of the table."""

from __future__ import annotations

from datetime import date
from functools import cache

from server.loopos.answers import (
    PRICE,
    Element,
    ElementOption,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    judge,
)
from server.loopos.seed import Catalog, load_catalog
from tests.unit.loopos.phrases import Row

TODAY = date(2026, 11, 22)


@cache
def _catalog() -> Catalog:
    return load_catalog()


@cache
def question(name: str) -> Element:
    """Return the question of the catalog, or the choice of an option as one."""
    if name == PRICE.id:
        return PRICE
    catalog = _catalog()
    if "/" not in name:
        shared = [each for _, elements in catalog.protocols for each in elements]
        own = [each for product in catalog.products for each in product.elements]
        return next(each for each in (*shared, *own) if each.id == name)
    product, option_type = map(int, name.split("/"))
    choice = next(each for each in catalog.choices(product) if each.option_type.id == option_type)
    values = tuple(ElementOption(str(value.id), value.name) for value in choice.values)
    return Element(id=name, kind="select", label=choice.option_type.name, required=True, options=values)


@cache
def judged(row: Row) -> Judgement:
    """Return what the judge says to it; several tests ask."""
    return judge(question(row.element), row.phrase, row.language, TODAY)


def table_text(judgement: Judgement) -> str:
    """As the table writes it."""
    if isinstance(judgement, Refused) or (isinstance(judgement, Valid) and judgement.skipped):
        return "-"
    guess = judgement.guess if isinstance(judgement, ProbableAnswer) else judgement
    return ("?" if isinstance(judgement, ProbableAnswer) else "=") + _written(guess.value)


def _written(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
