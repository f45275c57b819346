"""The catalog between data file and tables: a changed file replaces the rows, and the rows are what is used."""

from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Table, select
from sqlalchemy.ext.asyncio import AsyncConnection

from server.loopos import tables
from server.loopos.answers import Element, Text
from server.loopos.seed import (
    Catalog,
    CatalogBrand,
    CatalogOptionType,
    CatalogOptionValue,
    CatalogProduct,
    Category,
    ProductOption,
    load_catalog,
)
from server.store.engine.clock import now_ms
from server.store.engine.database import Database, every, one

SEED_LOCK = 7_405_113
"""Any number that nothing else in the database locks."""

_elements = TypeAdapter(tuple[Element, ...])
_options = TypeAdapter(tuple[ProductOption, ...])
_text = TypeAdapter(Text)


async def seed_catalog(database: Database, catalog: Catalog | None = None) -> Catalog:
    """Bring the rows up to the data file when its checksum is another one, then read them.

    Items keep what they say: they name products by id and hold their own copy of the names.
    """
    wanted = load_catalog() if catalog is None else catalog
    async with database.opening(SEED_LOCK) as connection:
        seeds = tables.seeds
        seeded = await one(connection, select(seeds.c.checksum).where(seeds.c.name == "catalog"))
        if seeded is None or seeded.checksum != wanted.checksum:
            await _replace(connection, wanted)
            values = {"checksum": wanted.checksum, "seeded_at": now_ms()}
            await connection.execute(
                database.insert(seeds)
                .values(name="catalog", **values)
                .on_conflict_do_update(index_elements=["name"], set_=values)
            )
        return await _read(connection, wanted.checksum)


async def _replace(connection: AsyncConnection, catalog: Catalog) -> None:
    rows = _rows(catalog)
    for table in reversed(rows):
        await connection.execute(table.delete())
    for table, values in rows.items():
        if values:
            await connection.execute(table.insert(), values)


def _rows(catalog: Catalog) -> dict[Table, list[dict[str, Any]]]:
    """Return the rows of every table, a table after those that it refers to."""
    said = _text.dump_python
    return {
        tables.categories: [
            {
                "id": each.id,
                "place": place,
                "parent_id": each.parent_id,
                "key": each.key,
                "name": said(each.name),
                "description": said(each.description),
                "aliases": list(each.aliases),
            }
            for place, each in enumerate(catalog.categories)
        ],
        tables.brands: [
            {"id": each.id, "place": place, "name": each.name, "aliases": list(each.aliases)}
            for place, each in enumerate(catalog.brands)
        ],
        tables.option_types: [
            {"id": each.id, "place": place, "name": said(each.name)}
            for place, each in enumerate(catalog.option_types)
        ],
        tables.option_values: [
            {"id": value.id, "place": place, "option_type_id": each.id, "name": said(value.name)}
            for each in catalog.option_types
            for place, value in enumerate(each.values)
        ],
        tables.products: [_product_row(place, each) for place, each in enumerate(catalog.products)],
        tables.product_brands: [
            {"product_id": each.id, "brand_id": each.brand_id} for each in catalog.products
        ],
        tables.protocols: [
            {
                "category_id": category_id,
                "place": place,
                "elements": _elements.dump_python(elements, mode="json"),
            }
            for place, (category_id, elements) in enumerate(catalog.protocols)
        ],
    }


def _product_row(place: int, product: CatalogProduct) -> dict[str, Any]:
    return {
        "id": product.id,
        "place": place,
        "category_id": product.category_id,
        "name": product.name,
        "description": _text.dump_python(product.description),
        "aliases": list(product.aliases),
        "options": _options.dump_python(product.options, mode="json"),
        "elements": _elements.dump_python(product.elements, mode="json"),
    }


async def _read(connection: AsyncConnection, checksum: str) -> Catalog:
    """Return the catalog as the tables have it."""

    async def rows(table: Table) -> Any:
        return await every(connection, select(table).order_by(table.c.place))

    values: dict[int, list[CatalogOptionValue]] = {}
    for row in await rows(tables.option_values):
        values.setdefault(row.option_type_id, []).append(CatalogOptionValue(row.id, Text.of(row.name)))
    made_by = await every(connection, select(tables.product_brands))
    makers = {row.product_id: row.brand_id for row in made_by}
    return Catalog(
        categories=tuple([_category(row) for row in await rows(tables.categories)]),
        brands=tuple(
            [CatalogBrand(row.id, row.name, tuple(row.aliases)) for row in await rows(tables.brands)]
        ),
        option_types=tuple(
            [
                CatalogOptionType(row.id, Text.of(row.name), tuple(values.get(row.id, ())))
                for row in await rows(tables.option_types)
            ]
        ),
        products=tuple([_product(row, makers[row.id]) for row in await rows(tables.products)]),
        protocols=tuple(
            [
                (row.category_id, _elements.validate_python(row.elements))
                for row in await rows(tables.protocols)
            ]
        ),
        checksum=checksum,
    )


def _category(row: Any) -> Category:
    name, description = Text.of(row.name), Text.of(row.description)
    return Category(row.id, row.parent_id, row.key, name, description, tuple(row.aliases))


def _product(row: Any, brand_id: int) -> CatalogProduct:
    return CatalogProduct(
        id=row.id,
        name=row.name,
        brand_id=brand_id,
        category_id=row.category_id,
        description=Text.of(row.description),
        aliases=tuple(row.aliases),
        options=_options.validate_python(row.options),
        elements=_elements.validate_python(row.elements),
    )
