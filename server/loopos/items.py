"""Items and their answers: made once under a business key, answered and changed by their owner."""

import secrets
from collections.abc import Sequence
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, delete, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from server.errors import NotFound
from server.identity import claimed_from
from server.loopos.answers import Element, Text
from server.loopos.rows import (
    MOST_CENTS,
    MOST_PICTURES,
    AskingPrice,
    Item,
    ItemAnswer,
    ItemChanged,
    ItemPicture,
    ItemRefused,
    NewPicture,
)
from server.loopos.seed import Catalog
from server.loopos.tables import answers, items, reference_of
from server.protocol.ids import new_id
from server.store.engine.clock import now_ms
from server.store.engine.database import Database, count_changed, every, exactly, one
from server.store.rows import Json
from server.store.tables import revoked, sessions
from server.store.webhooks import Webhooks


class Items:
    """The items of all principals, each shown to its own principal only."""

    def __init__(self, database: Database, catalog: Catalog, webhooks: Webhooks) -> None:
        self._database = database
        self._webhooks = webhooks
        self._catalog = catalog

    async def create(
        self,
        *,
        principal: str,
        session_id: str,
        product_id: int,
        brand_id: int,
        option_value_ids: Sequence[int],
        business_key: str,
        language: str,
    ) -> Item:
        """Make the item or return the one of this key; the first caller's wishes count."""
        options = _checked_options(self._catalog, product_id, brand_id, option_value_ids)
        making = (
            self._database.insert(items)
            .values(
                id=new_id("itm"),
                token=secrets.token_urlsafe(24),
                business_key=business_key,
                principal=_owner(session_id, principal),
                session_id=session_id,
                product_id=product_id,
                product=self._catalog.product_by_id[product_id].name,
                brand_id=brand_id,
                brand=self._catalog.brand_by_id[brand_id].name,
                options=options,
                pictures=[],
                status="draft",
                created_at=now_ms(),
            )
            .on_conflict_do_nothing(index_elements=["business_key"])
        )
        async with self._database.write() as connection:
            made = await count_changed(connection, making)
            row = await one(
                connection,
                select(items).where(
                    items.c.business_key == business_key, items.c.principal == _owner(session_id, principal)
                ),
            )
            if row is None:
                raise NotFound
            if made:
                await connection.run_sync(tell_item, self._webhooks, "item.created", row)
            return await _whole(connection, row, language)

    async def answer(
        self, item_id: str, principal: str, element_id: str, value: Any, shown: str, language: str
    ) -> Item:
        """Keep or replace one answer and judge the item anew, in one transaction."""
        async with self._database.write() as connection:
            row = await _own(connection, item_id, principal)
            asked = {each.id: each for each in self._elements(row.product_id) if each.asks}
            element = asked.get(element_id)
            if element is None:
                raise ItemRefused("unknown_question")
            if value is None and element.required:
                raise ItemRefused("required")
            await connection.execute(
                self._database.insert(answers)
                .values(
                    item_number=row.number,
                    element_id=element_id,
                    question=_question(element),
                    value=value,
                    shown=shown,
                    created_at=now_ms(),
                    changed_at=now_ms(),
                )
                .on_conflict_do_update(
                    index_elements=["item_number", "element_id"],
                    set_={"value": value, "shown": shown, "changed_at": now_ms()},
                )
            )
            return await self._write_changes(connection, row, language)

    async def change(
        self,
        item_id: str,
        principal: str,
        option_value_ids: Sequence[int],
        seen: Sequence[int],
        language: str,
    ) -> Item:
        """Put other options in place of the seen ones and judge the item anew, in one transaction."""
        async with self._database.write() as connection:
            row = await _own(connection, item_id, principal)
            options = _checked_options(self._catalog, row.product_id, row.brand_id, option_value_ids)
            before = {each["option_type_id"]: each["option_value_id"] for each in row.options}
            after = {each["option_type_id"]: each["option_value_id"] for each in options}
            if before == after:
                return await _whole(connection, row, language)
            if set(before.values()) != set(seen):
                raise ItemChanged
            changed = {kind for kind in {*before, *after} if after.get(kind) != before.get(kind)}
            stale = [each.id for each in self._elements(row.product_id) if changed & set(each.depends_on)]
            mine = answers.c.item_number == row.number
            await connection.execute(delete(answers).where(mine, answers.c.element_id.in_(stale)))
            return await self._write_changes(connection, row, language, options=options)

    async def add_picture(self, item_id: str, principal: str, picture: NewPicture, language: str) -> Item:
        """Put a picture after the others, once."""
        async with self._database.write() as connection:
            row = await _own(connection, item_id, principal)
            if any(each["id"] == picture.id for each in row.pictures or ()):
                return await _whole(connection, row, language)
            if len(row.pictures or ()) >= MOST_PICTURES:
                raise ItemRefused("too_many_pictures")
            new = {"id": picture.id, "width": picture.width, "height": picture.height}
            adding = (
                update(items)
                .where(items.c.number == row.number)
                .values(pictures=[*(row.pictures or ()), new])
            )
            row = await exactly(connection, adding.returning(items))
            return await self._tell_change(connection, row, language)

    async def ask_price(self, item_id: str, principal: str, cents: int | None, language: str) -> Item:
        """Put this price in place of the earlier one."""
        if cents is not None and not 0 < cents <= MOST_CENTS:
            raise ItemRefused("bad_price")
        async with self._database.write() as connection:
            row = await _own(connection, item_id, principal)
            price = {"asking_cents": cents, "asking_currency": None if cents is None else "EUR"}
            pricing = update(items).where(items.c.number == row.number).values(**price)
            row = await exactly(connection, pricing.returning(items))
            return await self._tell_change(connection, row, language)

    async def withdraw(self, item_id: str, principal: str, language: str) -> Item:
        """Take it out for good."""
        async with self._database.write() as connection:
            row = await _own(connection, item_id, principal, withdrawn=True)
            withdrawing = update(items).where(items.c.number == row.number).values(status="withdrawn")
            row = await exactly(connection, withdrawing.returning(items))
            return await self._tell_change(connection, row, language)

    async def newest(self, principal: str, limit: int, language: str) -> list[Item]:
        """Return the principal's items that were not withdrawn, newest first."""
        active = (items.c.principal == principal) & (items.c.status != "withdrawn")
        query = select(items).where(active).order_by(items.c.number.desc()).limit(limit)
        async with self._database.read() as connection:
            return [await _whole(connection, row, language) for row in await every(connection, query)]

    async def one(self, item_id: str, principal: str, language: str) -> Item:
        """Return the principal's own item."""
        query = select(items).where(items.c.id == item_id, items.c.principal == principal)
        async with self._database.read() as connection:
            row = await one(connection, query)
            if row is None:
                raise NotFound
            return await _whole(connection, row, language)

    def _elements(self, product_id: int) -> tuple[Element, ...]:
        """Return the questions; none when the product has left the catalog since."""
        return self._catalog.protocol(product_id) if product_id in self._catalog.product_by_id else ()

    async def _write_changes(
        self, connection: AsyncConnection, row: Row[Any], language: str, **changes: Any
    ) -> Item:
        """Write the changes with the status that follows from the answers."""
        given = await every(connection, _answers(row.number))
        asked = [each for each in self._elements(row.product_id) if each.asks]
        status = _status(asked, {each.element_id: each.value for each in given})
        judged = update(items).where(items.c.number == row.number).values(status=status, **changes)
        row = await exactly(connection, judged.returning(items))
        return await self._tell_change(connection, row, language)

    async def _tell_change(self, connection: AsyncConnection, row: Row[Any], language: str) -> Item:
        """Write the event of a change, and return the item."""
        await connection.run_sync(tell_item, self._webhooks, "item.changed", row)
        return await _whole(connection, row, language)


def tell_item(
    connection: Connection, webhooks: Webhooks, type: Literal["item.created", "item.changed"], row: Row[Any]
) -> None:
    """Write the event in the transaction that wrote the item. Nobody is told of one whose conversation is deleted."""
    if row.session_id is None or not webhooks.wanted_by_any(type):
        return
    app = connection.execute(select(sessions.c.app).where(sessions.c.id == row.session_id)).scalar_one()
    price = None if row.asking_cents is None else {"cents": row.asking_cents, "currency": row.asking_currency}
    webhooks.write(
        connection,
        app,
        type,
        row.session_id,
        item_id=row.id,
        reference=reference_of(row.number),
        status=row.status,
        product_id=row.product_id,
        product=row.product,
        brand=row.brand,
        asking_price=price,
    )


def hand_over(connection: Connection, session_ids: Sequence[str], visitor: str, user: str) -> None:
    """Make the items of conversations that a user has claimed from a visitor those of the user."""
    claimed = (items.c.session_id.in_(session_ids), items.c.principal == visitor)
    connection.execute(update(items).where(*claimed).values(principal=user))


def _owner(session_id: str, principal: str) -> ColumnElement[str]:
    """Return the owner of a conversation's item: the caller, or the user who has claimed it since the run began."""
    claimed = exists().where(revoked.c.subject == claimed_from(session_id, principal))
    owner = select(sessions.c.principal).where(sessions.c.id == session_id, claimed).scalar_subquery()
    return func.coalesce(owner, principal)


async def _own(
    connection: AsyncConnection, item_id: str, principal: str, *, withdrawn: bool = False
) -> Row[Any]:
    """Return the principal's own item, locked; a withdrawn one only for who wants that."""
    own = select(items).where(items.c.id == item_id, items.c.principal == principal)
    row = await one(connection, own.with_for_update())
    if row is None:
        raise NotFound
    if row.status == "withdrawn" and not withdrawn:
        raise ItemRefused("withdrawn")
    return row


async def _whole(connection: AsyncConnection, row: Row[Any], language: str) -> Item:
    given = await every(connection, _answers(row.number))
    return Item(
        id=row.id,
        token=row.token,
        reference=reference_of(row.number),
        session_id=row.session_id,
        product_id=row.product_id,
        product=row.product,
        brand_id=row.brand_id,
        brand=row.brand,
        option_value_ids=tuple(each["option_value_id"] for each in row.options),
        options={
            Text.of(each["name"]).text_in(language): Text.of(each["value"]).text_in(language)
            for each in row.options
        },
        answers=tuple(
            ItemAnswer(
                each.element_id,
                Text.of(each.question).text_in(language),
                each.value,
                each.shown,
                Text.of(each.question["title"]).text_in(language) if "title" in each.question else "",
            )
            for each in given
        ),
        status=row.status,
        created_at=row.created_at,
        pictures=tuple(ItemPicture(each["id"], each["width"], each["height"]) for each in row.pictures or ()),
        asking_price=AskingPrice(row.asking_cents, row.asking_currency or "EUR"),
    )


def _question(element: Element) -> Json:
    """Return the words of a question as its answer keeps them: those of the moment, whatever the catalog says later."""
    title = element.title
    words = {"pt": element.label.pt, "en": element.label.en}
    return words if title is None else {**words, "title": {"pt": title.pt, "en": title.en}}


def _answers(number: int) -> Any:
    in_order = (answers.c.created_at, answers.c.element_id)
    return select(answers).where(answers.c.item_number == number).order_by(*in_order)


def _status(asked: Sequence[Element], given: dict[str, Any]) -> str:
    """Return the status: refused while an answer breaks the deal, complete when nothing is left to ask."""
    breakers = {(each.id, option.value) for each in asked for option in each.options if option.deal_breaker}
    if any((element_id, str(value)) in breakers for element_id, value in given.items()):
        return "refused"
    return "complete" if all(each.id in given for each in asked) else "draft"


def _checked_options(
    catalog: Catalog, product_id: int, brand_id: int, option_value_ids: Sequence[int]
) -> list[Json]:
    """Return the chosen options as the item keeps them, when they fit the product.

    An option without a value is left out: the item has none of those that the catalog knows.
    """
    product = catalog.product_by_id.get(product_id)
    if product is None:
        raise ItemRefused("unknown_product")
    if product.brand_id != brand_id:
        raise ItemRefused("other_brand")
    wanted, chosen = set(option_value_ids), []
    for kind, values in catalog.choices(product_id):
        found = [value for value in values if value.id in wanted]
        if len(found) > 1:
            raise ItemRefused("option_missing", f"One value only of: {kind.name.en}.")
        if not found:
            continue
        wanted.discard(found[0].id)
        chosen.append(
            {
                "option_type_id": kind.id,
                "option_value_id": found[0].id,
                "name": {"pt": kind.name.pt, "en": kind.name.en},
                "value": {"pt": found[0].name.pt, "en": found[0].name.en},
            }
        )
    if wanted:
        raise ItemRefused("unknown_option")
    return chosen
