"""The faults of a catalog: ids that clash, references to nothing, texts that lack a language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from server import patterns
from server.loopos.answers import Element, Text
from server.loopos.seed.catalog import Catalog, CatalogProduct


class CatalogError(ValueError):
    """The catalog's data cannot be used; `faults` has one sentence for each thing wrong."""

    def __init__(self, found: list[str]) -> None:
        self.faults = tuple(found)
        super().__init__("The catalog is faulty: " + "; ".join(found))


def faults(catalog: Catalog) -> list[str]:
    """Return everything wrong, in reading order; empty when the catalog can be used."""
    return [
        *_clashes(catalog),
        *_loose_categories(catalog),
        *(fault for product in catalog.products for fault in _product_faults(catalog, product)),
        *(fault for element in _elements(catalog) for fault in _element_faults(element)),
        *_loose_questions(catalog),
        *(f"{where} lacks a language" for where, text in _texts(catalog) if not _is_whole(text)),
    ]


def _elements(catalog: Catalog) -> Iterator[Element]:
    for _, elements in catalog.protocols:
        yield from elements
    for product in catalog.products:
        yield from product.elements


def _twice(what: str, ids: Iterable[Hashable]) -> Iterator[str]:
    return (f"{what} {each} is there twice" for each, count in Counter(ids).items() if count > 1)


def _clashes(catalog: Catalog) -> Iterator[str]:
    yield from _twice("category id", (each.id for each in catalog.categories))
    yield from _twice("category key", (each.key for each in catalog.categories))
    yield from _twice("brand id", (each.id for each in catalog.brands))
    yield from _twice("brand name", (each.name.casefold() for each in catalog.brands))
    yield from _twice("option type id", (each.id for each in catalog.option_types))
    yield from _twice("option value id", (value.id for each in catalog.option_types for value in each.values))
    yield from _twice("product id", (each.id for each in catalog.products))
    yield from _twice("protocol of category", (category_id for category_id, _ in catalog.protocols))
    yield from _twice("element id", (each.id for each in _elements(catalog)))


def _loose_categories(catalog: Catalog) -> Iterator[str]:
    """Yield parents that do not exist, and categories that are their own ancestors."""
    parents = {each.id: each.parent_id for each in catalog.categories}
    for category_id, _ in catalog.protocols:
        if category_id not in parents:
            yield f"a protocol names category {category_id}, which does not exist"
    for category in catalog.categories:
        seen: set[int | None] = set()
        at: int | None = category.id
        while at is not None and at not in seen:
            seen.add(at)
            if at not in parents:
                yield f"category {category.id} has the ancestor {at}, which does not exist"
                break
            at = parents[at]
        else:
            if at is not None:
                yield f"category {category.id} is its own ancestor"


def _product_faults(catalog: Catalog, product: CatalogProduct) -> Iterator[str]:
    if product.brand_id not in catalog.brand_by_id:
        yield f"product {product.id} names brand {product.brand_id}, which does not exist"
    if product.category_id not in catalog.category_by_id:
        yield f"product {product.id} names category {product.category_id}, which does not exist"
    yield from _twice(f"product {product.id}: option type", (each.option_type_id for each in product.options))
    for option in product.options:
        kind = catalog.option_type_by_id.get(option.option_type_id)
        if kind is None:
            yield f"product {product.id} names option type {option.option_type_id}, which does not exist"
            continue
        known = {value.id for value in kind.values}
        for value_id in option.option_value_ids:
            if value_id not in known:
                yield f"product {product.id}: option value {value_id} is none of option type {kind.id}"
        yield from _twice(f"product {product.id}: option value", option.option_value_ids)
        if not option.option_value_ids:
            yield f"product {product.id}: option type {kind.id} has no values"


def _element_faults(element: Element) -> Iterator[str]:
    if element.kind == "select" and len(element.options) < 2:  # noqa: PLR2004 - one answer is no choice
        yield f"element {element.id} is a select with fewer than two options"
    if element.kind != "select" and element.options:
        yield f"element {element.id} has options and is no select"
    if element.min is not None and element.max is not None and element.min > element.max:
        yield f"element {element.id} has a minimum above its maximum"
    if element.pattern is not None:
        try:
            patterns.compile(element.pattern).check()
        except patterns.error as exc:
            yield f"element {element.id} has a pattern that cannot be read: {exc}"
    if not element.asks and element.required:
        yield f"element {element.id} asks nothing and is required"
    yield from _twice(f"element {element.id}: option", (each.value for each in element.options))


def _loose_questions(catalog: Catalog) -> Iterator[str]:
    for element in _elements(catalog):
        for option_type_id in element.depends_on:
            if option_type_id not in catalog.option_type_by_id:
                yield f"element {element.id} depends on option type {option_type_id}, which does not exist"


def _texts(catalog: Catalog) -> Iterator[tuple[str, Text]]:
    """Yield every visible text with the place where it stands."""
    for category in catalog.categories:
        yield f"the name of category {category.id}", category.name
        yield f"the description of category {category.id}", category.description
    for kind in catalog.option_types:
        yield f"the name of option type {kind.id}", kind.name
        for value in kind.values:
            yield f"the name of option value {value.id}", value.name
    for product in catalog.products:
        yield f"the name of product {product.id}", Text.of(product.name)
        yield f"the description of product {product.id}", product.description
    for brand in catalog.brands:
        yield f"the name of brand {brand.id}", Text.of(brand.name)
    for element in _elements(catalog):
        yield from _element_texts(element)


def _element_texts(element: Element) -> Iterator[tuple[str, Text]]:
    yield f"the label of element {element.id}", element.label
    extra = {
        "title": element.title,
        "hint": element.hint,
        "unit": element.unit,
        "unit of one": element.unit_one,
    }
    yield from (
        (f"the {name} of element {element.id}", text) for name, text in extra.items() if text is not None
    )
    for option in element.options:
        yield f"the option {option.value} of element {element.id}", option.label


def _is_whole(text: Text) -> bool:
    return bool(text.pt.strip() and text.en.strip())
