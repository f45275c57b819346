"""The catalog as frozen data: categories, brands, products with their options, and questions about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from server.loopos.answers import Element, Text


@dataclass(frozen=True, slots=True)
class Category:
    """A node of the category tree; `aliases` are words for it in both languages."""

    id: int
    parent_id: int | None
    key: str
    name: Text
    description: Text
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CatalogBrand:
    """A maker; `aliases` are other spellings."""

    id: int
    name: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CatalogOptionValue:
    """One value of an option type, for example 128 GB."""

    id: int
    name: Text


@dataclass(frozen=True, slots=True)
class CatalogOptionType:
    """A property in which variants of a product differ, for example the colour."""

    id: int
    name: Text
    values: tuple[CatalogOptionValue, ...]


@dataclass(frozen=True, slots=True)
class ProductOption:
    """The values of one option type in which a product was sold."""

    option_type_id: int
    option_value_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CatalogProduct:
    """A model that was really sold. `aliases` are full names of this model, not of its family."""

    id: int
    name: str
    brand_id: int
    category_id: int
    description: Text
    aliases: tuple[str, ...]
    options: tuple[ProductOption, ...]
    elements: tuple[Element, ...]
    """Questions of this product alone; `Catalog.protocol` joins them with the category's."""


class CatalogChoice(NamedTuple):
    """An option type with the values that one product has."""

    option_type: CatalogOptionType
    values: tuple[CatalogOptionValue, ...]


@dataclass(frozen=True, eq=False)
class Catalog:
    """Everything, looked up by id. Two catalogs are equal only when they are the same one."""

    categories: tuple[Category, ...]
    brands: tuple[CatalogBrand, ...]
    option_types: tuple[CatalogOptionType, ...]
    products: tuple[CatalogProduct, ...]
    protocols: tuple[tuple[int, tuple[Element, ...]], ...]
    """Pairs of category id and the elements of its protocol, in asking order."""
    checksum: str
    """SHA-256 of the data; another one means that the tables are to be seeded again."""

    @cached_property
    def category_by_id(self) -> dict[int, Category]:
        """Return the categories by id."""
        return {each.id: each for each in self.categories}

    @cached_property
    def brand_by_id(self) -> dict[int, CatalogBrand]:
        """Return the brands by id."""
        return {each.id: each for each in self.brands}

    @cached_property
    def product_by_id(self) -> dict[int, CatalogProduct]:
        """Return the products by id."""
        return {each.id: each for each in self.products}

    @cached_property
    def option_type_by_id(self) -> dict[int, CatalogOptionType]:
        """Return the option types by id."""
        return {each.id: each for each in self.option_types}

    def title(self, product_id: int) -> str:
        """Return the product's name after its brand's, unless the name says the brand itself."""
        product = self.product_by_id[product_id]
        brand = self.brand_by_id[product.brand_id].name
        return product.name if brand.lower() in product.name.lower() else f"{brand} {product.name}"

    def lineage(self, category_id: int) -> Iterator[Category]:
        """Yield the category, its parent and so on up to the root."""
        at: int | None = category_id
        while at is not None:
            category = self.category_by_id[at]
            yield category
            at = category.parent_id

    def choices(self, product_id: int) -> tuple[CatalogChoice, ...]:
        """Return the option types of a product, each with the product's own values in their order."""
        found = []
        for option in self.product_by_id[product_id].options:
            kind = self.option_type_by_id[option.option_type_id]
            by_id = {value.id: value for value in kind.values}
            found.append(CatalogChoice(kind, tuple(by_id[each] for each in option.option_value_ids)))
        return tuple(found)

    def protocol(self, product_id: int) -> tuple[Element, ...]:
        """Return the questions about a product: its category's, with its own before the closing notices.

        A category without a protocol has its nearest ancestor's.
        """
        product = self.product_by_id[product_id]
        protocols = dict(self.protocols)
        shared: tuple[Element, ...] = next(
            (protocols[each.id] for each in self.lineage(product.category_id) if each.id in protocols), ()
        )
        end = len(shared)
        while end and not shared[end - 1].asks:
            end -= 1
        return shared[:end] + product.elements + shared[end:]
