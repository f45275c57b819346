"""The embedded catalog's data file and the loader that refuses a faulty one."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from server.loopos.answers import Element, Text
from server.loopos.seed.catalog import (
    Catalog,
    CatalogBrand,
    CatalogChoice,
    CatalogOptionType,
    CatalogOptionValue,
    CatalogProduct,
    Category,
    ProductOption,
)
from server.loopos.seed.faults import CatalogError, faults

__all__ = [
    "Catalog",
    "CatalogBrand",
    "CatalogChoice",
    "CatalogError",
    "CatalogOptionType",
    "CatalogOptionValue",
    "CatalogProduct",
    "Category",
    "ProductOption",
    "load_catalog",
]

FOLDER = Path(__file__).parent


def load_catalog(folder: Path = FOLDER) -> Catalog:
    """Read the data files of a folder and check them; CatalogError names everything that is wrong.

    Ids are stable: items refer to them, so a product that goes leaves its id unused. Files of the same content are
    decoded and checked once in a process.
    """
    paths = sorted(folder.rglob("*.json"))
    return _decode(tuple((path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths))


@lru_cache(maxsize=1)
def _decode(files: tuple[tuple[str, bytes], ...]) -> Catalog:
    """Decode files, which are names and contents in the order of their names, and check the whole."""
    digest = hashlib.sha256()
    read: dict[str, Any] = {}
    for name, content in files:
        digest.update(name.encode() + b"\0" + content + b"\0")
        try:
            read[name] = json.loads(content)
        except ValueError as exc:
            raise CatalogError([f"{name}: is not JSON ({exc})"]) from exc
    try:
        catalog = _catalog(read, digest.hexdigest())
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise CatalogError([f"a member is missing or has the wrong shape: {exc!r}"]) from exc
    found = faults(catalog)
    if found:
        raise CatalogError(found)
    return catalog


def _catalog(read: dict[str, Any], checksum: str) -> Catalog:
    """Return the typed form of the files."""
    shelves = [content for name, content in read.items() if name.startswith("items/")]
    return Catalog(
        categories=tuple(_category(raw) for raw in read["categories.json"]["categories"]),
        brands=tuple(
            CatalogBrand(raw["id"], raw["name"], tuple(raw["aliases"]))
            for raw in read["brands.json"]["brands"]
        ),
        option_types=tuple(_option_type(raw) for raw in read["options.json"]["option_types"]),
        products=tuple(_product(raw, shelf["category_id"]) for shelf in shelves for raw in shelf["products"]),
        protocols=tuple(
            (shelf["category_id"], tuple(Element.of(raw) for raw in shelf["protocol"]))
            for shelf in shelves
            if "protocol" in shelf  # Else its products have the questions of the category above.
        ),
        checksum=checksum,
    )


def _category(raw: dict[str, Any]) -> Category:
    return Category(
        id=raw["id"],
        parent_id=raw["parent_id"],
        key=raw["key"],
        name=Text.of(raw["name"]),
        description=Text.of(raw["description"]),
        aliases=tuple(raw["aliases"]),
    )


def _option_type(raw: dict[str, Any]) -> CatalogOptionType:
    values = tuple(CatalogOptionValue(value["id"], Text.of(value["name"])) for value in raw["values"])
    return CatalogOptionType(raw["id"], Text.of(raw["name"]), values)


def _product(raw: dict[str, Any], category_id: int) -> CatalogProduct:
    return CatalogProduct(
        id=raw["id"],
        name=raw["name"],
        brand_id=raw["brand_id"],
        category_id=category_id,
        description=Text.of(raw["description"]),
        aliases=tuple(raw["aliases"]),
        options=tuple(
            ProductOption(option["option_type_id"], tuple(option["option_value_ids"]))
            for option in raw["options"]
        ),
        elements=tuple(Element.of(element) for element in raw.get("protocol", ())),
    )
