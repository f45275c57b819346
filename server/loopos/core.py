"""LoopOS Core as the services see it: the port, and the embedded one over our own catalog and items."""

import asyncio
from typing import Any, Protocol

from server.errors import NotFound
from server.loopos.answers import Element
from server.loopos.catalog.index import index_of
from server.loopos.catalog.rows import seed_catalog
from server.loopos.catalog.search import Ranking, brand_named, category_named, overview, rank
from server.loopos.items import Items, hand_over
from server.loopos.rows import (
    AskingPrice,
    Brand,
    Found,
    Item,
    ItemChanged,
    ItemRefused,
    Match,
    NewPicture,
    OptionType,
    OptionValue,
    Product,
)
from server.loopos.seed import Catalog
from server.store.engine.database import Database
from server.store.webhooks import Webhooks

__all__ = [
    "AskingPrice",
    "Brand",
    "Core",
    "EmbeddedCore",
    "Found",
    "Item",
    "ItemChanged",
    "ItemRefused",
    "Match",
    "NewPicture",
    "OptionType",
    "OptionValue",
    "Product",
]


class Core(Protocol):
    """The catalog, which every principal reads, and the items, which only their own principal sees."""

    async def search(
        self,
        query: str,
        *,
        category: str | None = None,
        brand: str | None = None,
        limit: int = 6,
        offset: int = 0,
        language: str = "pt",
    ) -> Found:
        """Return the products that the words may mean, likeliest first; `total` counts all of them."""
        ...

    async def category_key(self, text: str) -> str | None:
        """Return the key of the category that a text names in any language, as `smartphones`; None without one."""
        ...

    async def overview(self, *, limit: int = 6, offset: int = 0, language: str = "pt") -> Found:
        """Return some products of all kinds, for a person who asks what there is; `total` counts the whole catalog."""
        ...

    async def product(self, product_id: int, language: str = "pt") -> Product | None:
        """Return a product with its brands and options, or None when the catalog has none of that id."""
        ...

    async def protocol(self, product_id: int) -> list[Element]:
        """Return the questions about a product in asking order, in both languages; NotFound without such a product."""
        ...

    async def create_item(
        self,
        *,
        principal: str,
        session_id: str,
        product_id: int,
        brand_id: int,
        option_value_ids: list[int],
        business_key: str,
        language: str = "pt",
    ) -> Item:
        """Return a new item, or the one that the same principal made under this key before, however often it is asked.

        An option type without a value is left out: the item has none of its values. Raises ItemRefused unless the
        brand is the product's and there is at most one value of each of its option types; a Core that needs a value of
        each refuses as `option_missing`.
        """
        ...

    async def change_item(
        self,
        item_id: str,
        principal: str,
        *,
        option_value_ids: list[int],
        seen: list[int],
        language: str = "pt",
    ) -> Item:
        """Return the same item with these options (one value of each type, or none) in place of those that were `seen`.

        Asking again for what it is already changes nothing; ItemChanged when it is neither that nor as seen,
        ItemRefused for values that do not fit and for an item that was withdrawn. Answers to questions that depend on a
        changed option are dropped, so the item may be a draft again.
        """
        ...

    async def withdraw_item(self, item_id: str, principal: str, language: str = "pt") -> Item:
        """Take the item out for good: listed no more, changed no more, still readable. Again is the same."""
        ...

    async def answer(
        self, item_id: str, principal: str, element_id: str, value: Any, shown: str, language: str = "pt"
    ) -> Item:
        """Keep an answer, or put another in its place; None skips an optional question.

        The item is `refused` while an answer breaks the deal, else `complete` once everything is answered.
        """
        ...

    async def add_picture(
        self, item_id: str, principal: str, picture: NewPicture, language: str = "pt"
    ) -> Item:
        """Put a picture after those that the item has; one that it has changes nothing.

        Raises ItemRefused for an eleventh picture, and for an item that was withdrawn.
        """
        ...

    async def ask_price(self, item_id: str, principal: str, cents: int | None, language: str = "pt") -> Item:
        """Keep what the seller asks for the item, in euro cents, in place of an earlier price; None takes it back.

        Raises ItemRefused for a price that is not above nothing or above a million euro, and for a withdrawn item.
        """
        ...

    async def items(self, principal: str, limit: int = 20, language: str = "pt") -> list[Item]:
        """Return the principal's items, newest first, without those that were withdrawn."""
        ...

    async def item(self, item_id: str, principal: str, language: str = "pt") -> Item:
        """Return the principal's own item; NotFound for another's."""
        ...


class EmbeddedCore:
    """Core over our own tables; the catalog is held in memory, read once from its rows."""

    def __init__(self, database: Database, catalog: Catalog, webhooks: Webhooks) -> None:
        self._catalog = catalog
        self._items = Items(database, catalog, webhooks)
        self.hand_over = hand_over
        """Follows a claim of conversations (`store.hand_overs`): their items change hands in its transaction."""

    @classmethod
    async def open(cls, database: Database, webhooks: Webhooks) -> "EmbeddedCore":
        """Bring the rows up to the data file, read them and index them; `webhooks` are told of items."""
        catalog = await seed_catalog(database)
        await asyncio.to_thread(index_of, catalog)  # The first search would make it on the loop.
        return cls(database, catalog, webhooks)

    async def search(
        self,
        query: str,
        *,
        category: str | None = None,
        brand: str | None = None,
        limit: int = 6,
        offset: int = 0,
        language: str = "pt",
    ) -> Found:
        """Search in memory. A brand that no product has counts as a word of the query, such a category not at all."""
        catalog = self._catalog
        brand_id = brand_named(catalog, brand) if brand else None
        words = f"{brand} {query}" if brand and brand_id is None else query
        category_id = category_named(catalog, category) if category else None
        found = rank(catalog, words, category=category_id, brand=brand_id)
        return Found(len(found), [self._match(each, language) for each in found[offset : offset + limit]])

    async def category_key(self, text: str) -> str | None:
        """Look among the names of categories."""
        found = category_named(self._catalog, text[:200])
        return None if found is None else self._catalog.category_by_id[found].key

    async def overview(self, *, limit: int = 6, offset: int = 0, language: str = "pt") -> Found:
        """Return products of all categories: one of each category before a second one of any."""
        found = overview(self._catalog)
        return Found(len(found), [self._match(each, language) for each in found[offset : offset + limit]])

    async def product(self, product_id: int, language: str = "pt") -> Product | None:
        """Read it in one language."""
        product = self._catalog.product_by_id.get(product_id)
        if product is None:
            return None
        brand = self._catalog.brand_by_id[product.brand_id]
        return Product(
            id=product.id,
            name=product.name,
            description=product.description.text_in(language),
            category_id=product.category_id,
            category=self._catalog.category_by_id[product.category_id].name.text_in(language),
            brands=(Brand(brand.id, brand.name),),
            option_types=tuple(
                OptionType(
                    kind.id,
                    kind.name.text_in(language),
                    tuple(OptionValue(value.id, value.name.text_in(language)) for value in values),
                )
                for kind, values in self._catalog.choices(product_id)
            ),
        )

    async def protocol(self, product_id: int) -> list[Element]:
        """Return the category's questions with the product's own."""
        if product_id not in self._catalog.product_by_id:
            raise NotFound
        return list(self._catalog.protocol(product_id))

    async def create_item(
        self,
        *,
        principal: str,
        session_id: str,
        product_id: int,
        brand_id: int,
        option_value_ids: list[int],
        business_key: str,
        language: str = "pt",
    ) -> Item:
        """Write it, or read the one that is there."""
        return await self._items.create(
            principal=principal,
            session_id=session_id,
            product_id=product_id,
            brand_id=brand_id,
            option_value_ids=option_value_ids,
            business_key=business_key,
            language=language,
        )

    async def change_item(
        self,
        item_id: str,
        principal: str,
        *,
        option_value_ids: list[int],
        seen: list[int],
        language: str = "pt",
    ) -> Item:
        """Write the options and drop the answers that went with the old ones."""
        return await self._items.change(item_id, principal, option_value_ids, seen, language)

    async def withdraw_item(self, item_id: str, principal: str, language: str = "pt") -> Item:
        """Write the status."""
        return await self._items.withdraw(item_id, principal, language)

    async def answer(
        self, item_id: str, principal: str, element_id: str, value: Any, shown: str, language: str = "pt"
    ) -> Item:
        """Write the answer and the status that follows from it."""
        return await self._items.answer(item_id, principal, element_id, value, shown, language)

    async def add_picture(
        self, item_id: str, principal: str, picture: NewPicture, language: str = "pt"
    ) -> Item:
        """Write which picture of the conversation it is; the bytes stay there, and go with it."""
        return await self._items.add_picture(item_id, principal, picture, language)

    async def ask_price(self, item_id: str, principal: str, cents: int | None, language: str = "pt") -> Item:
        """Write the price."""
        return await self._items.ask_price(item_id, principal, cents, language)

    async def items(self, principal: str, limit: int = 20, language: str = "pt") -> list[Item]:
        """Read the newest."""
        return await self._items.newest(principal, limit, language)

    async def item(self, item_id: str, principal: str, language: str = "pt") -> Item:
        """Read one."""
        return await self._items.one(item_id, principal, language)

    def _match(self, ranking: Ranking, language: str) -> Match:
        product = self._catalog.product_by_id[ranking.product_id]
        return Match(
            product_id=product.id,
            name=product.name,
            brand_id=ranking.brand_id,
            brand=self._catalog.brand_by_id[ranking.brand_id].name,
            category_id=product.category_id,
            category=self._catalog.category_by_id[product.category_id].name.text_in(language),
            score=ranking.score,
            exact=ranking.exact,
        )
