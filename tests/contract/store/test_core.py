"""LoopOS Core on our tables and over HTTP: a catalog in two languages, items made once, answers that complete them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from server.errors import NotFound
from server.loopos.answers import Element
from server.loopos.catalog.index import Index
from server.loopos.catalog.rows import seed_catalog
from server.loopos.core import AskingPrice, Core, EmbeddedCore, Item, ItemChanged, ItemRefused, NewPicture
from server.loopos.rows import MOST_CENTS
from server.loopos.seed import Catalog, load_catalog
from server.store import Store
from server.store.engine.database import Database
from server.store.engine.database import database_url as address_of
from tests.contract.store.conftest import Talk, Talks, an_order
from tests.core_server import CoreServer
from tests.parts.core import http_core


@dataclass
class Sale(Talk):
    """A session with LoopOS Core over the same connections."""

    core: Core


@pytest.fixture(scope="module", params=["embedded-sqlite", "embedded-postgres", "http-sqlite"])
def kind(request: pytest.FixtureRequest) -> str:
    """Return which Core, and on which database its tables are."""
    return str(request.param)


@pytest.fixture(scope="module")
def shared_kind(kind: str) -> str:
    """Return the kind of the database that the tests of this file share."""
    return kind.partition("-")[2]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def catalog(shared_database: Database) -> Catalog:
    """Return the catalog as the tables have it."""
    return await seed_catalog(shared_database)


@pytest_asyncio.fixture(loop_scope="module")
async def core(kind: str, store: Store, catalog: Catalog) -> AsyncIterator[Core]:
    """LoopOS Core, as the services see it."""
    embedded = EmbeddedCore(store.database, catalog, store.webhooks)
    if kind.startswith("embedded"):
        yield embedded
        return
    async with CoreServer(embedded, token="t0ken") as server, http_core(server.url, token="t0ken") as remote:
        yield remote


@pytest_asyncio.fixture(loop_scope="module")
async def talk(talks: Talks, core: Core) -> Sale:
    """Return one session of ana's."""
    begun = await talks()
    return Sale(begun.store, begun.session, core)


async def make(talk: Sale, key: str = "k", principal: str = "ana", **changes: Any) -> Item:
    """Create an item that the catalog accepts."""
    order = {**an_order(), **changes}
    return await talk.core.create_item(
        principal=principal, session_id=talk.session.id, business_key=key, **order
    )


# The catalog.


async def test_the_catalog_is_indexed_in_a_thread_before_its_first_search(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_in: list[threading.Thread] = []
    make_index = Index.__init__

    def note_thread(self: Index, catalog: Catalog) -> None:
        made_in.append(threading.current_thread())
        make_index(self, catalog)

    monkeypatch.setattr(Index, "__init__", note_thread)
    core = await EmbeddedCore.open(store.database, store.webhooks)
    assert len(made_in) == 1
    assert made_in != [threading.current_thread()]
    assert (await core.search("iphone 13")).total > 0
    assert len(made_in) == 1


async def test_a_product_of_the_data_file_is_found_by_its_name(core: Core) -> None:
    product = load_catalog().products[0]
    found = await core.search(product.name)
    assert found.matches[0].product_id == product.id
    assert found.matches[0].exact
    assert (found.matches[0].name, found.matches[0].brand_id) == (product.name, product.brand_id)


async def test_every_product_of_the_data_file_can_be_read(core: Core) -> None:
    for product in load_catalog().products:
        read = await core.product(product.id)
        assert read is not None
        assert (read.name, [brand.id for brand in read.brands]) == (product.name, [product.brand_id])
        assert [(kind.id, tuple(value.id for value in kind.values)) for kind in read.option_types] == [
            (option.option_type_id, option.option_value_ids) for option in product.options
        ]


async def test_an_overview_counts_everything_and_shows_all_kinds(core: Core) -> None:
    some = await core.overview(limit=8, language="en")
    assert some.total > len(some.matches) == 8
    kinds = [match.category for match in some.matches]
    assert len(set(kinds)) == len(kinds)


async def test_pages_of_an_overview_add_up_to_the_catalog(core: Core) -> None:
    total = (await core.overview(limit=1)).total
    pages = [await core.overview(limit=100, offset=offset) for offset in range(0, total, 100)]
    names = [(match.name, match.brand) for page in pages for match in page.matches]
    assert len(names) == len(set(names)) == total


async def test_pages_of_a_search_add_up_to_all_matches(core: Core) -> None:
    whole = await core.search("", brand="Apple", limit=1000)
    assert whole.total == len(whole.matches) > 6
    assert {match.brand for match in whole.matches} == {"Apple"}
    pages = [
        await core.search("", brand="apple", limit=3, offset=offset) for offset in range(0, whole.total, 3)
    ]
    assert [match for page in pages for match in page.matches] == whole.matches
    assert {page.total for page in pages} == {whole.total}


async def test_an_unknown_category_does_not_hide_a_product_and_an_unknown_brand_does(core: Core) -> None:
    product = load_catalog().products[0]
    assert product.id in {
        match.product_id for match in (await core.search(product.name, category="xyzzy")).matches
    }
    assert (await core.search("", brand="xyzzy")).total == 0


async def test_texts_come_in_the_language_that_is_asked_for(core: Core) -> None:
    order = an_order()
    pt, en = [await core.product(order["product_id"], language=each) for each in ("pt", "en")]
    assert pt is not None
    assert en is not None
    assert pt.category != en.category
    assert pt.description != en.description
    assert [kind.id for kind in pt.option_types] == [kind.id for kind in en.option_types]
    found = await core.search(pt.name, language="en")
    assert en.category in {match.category for match in found.matches}


async def test_an_unknown_product_is_none_and_has_no_questions(core: Core) -> None:
    assert await core.product(987_654) is None
    with pytest.raises(NotFound):
        await core.protocol(987_654)


async def test_core_returns_the_questions_of_the_data_file(core: Core) -> None:
    catalog = load_catalog()
    for product in catalog.products:
        assert await core.protocol(product.id) == list(catalog.protocol(product.id))


# Items.


async def test_a_new_item_has_the_product_and_the_options_of_its_order(talk: Sale) -> None:
    order = an_order()
    item = await make(talk)
    product = await talk.core.product(order["product_id"])
    assert product is not None

    assert item == await talk.core.item(item.id, "ana")
    assert (item.product, item.brand) == (product.name, product.brands[0].name)
    assert item.option_value_ids == tuple(order["option_value_ids"])
    assert item.options == {kind.name: kind.values[0].name for kind in product.option_types}
    assert (item.status, item.answers) == ("draft", ())
    assert item.id.startswith("itm_")
    assert item.reference.startswith("LW-")
    assert len(item.token) >= 32


async def test_fifty_racing_creations_of_one_key_make_one_item(talk: Sale) -> None:
    made = await asyncio.gather(*(make(talk) for _ in range(50)))
    assert len({(item.id, item.token, item.reference) for item in made}) == 1
    assert len(await talk.core.items("ana")) == 1


async def test_items_of_different_keys_have_their_own_reference_and_token(talk: Sale) -> None:
    made = await asyncio.gather(*(make(talk, key=f"k{each}") for each in range(20)))
    assert len({item.reference for item in made}) == len({item.token for item in made}) == 20
    listed = await talk.core.items("ana", limit=5)
    assert listed == sorted(made, key=lambda item: int(item.reference[3:]), reverse=True)[:5]


async def test_an_item_is_its_principals_alone(talk: Sale) -> None:
    item = await make(talk)
    core = talk.core
    for attempt in (
        core.item(item.id, "eva"),
        core.answer(item.id, "eva", "x", "y", "y"),
        core.item("itm_none", "ana"),
    ):
        with pytest.raises(NotFound):
            await attempt
    with pytest.raises(NotFound):
        await make(talk, principal="eva")
    assert await core.items("eva") == []


async def test_an_order_that_does_not_fit_the_catalog_is_refused(talk: Sale) -> None:
    order = an_order()
    catalog = load_catalog()
    other_brand = next(brand.id for brand in catalog.brands if brand.id != order["brand_id"])
    options = catalog.product_by_id[order["product_id"]].options
    several = next((option for option in options if len(option.option_value_ids) > 1), None)
    assert several is not None
    first, *others = order["option_value_ids"]
    for wrong, code in (
        ({"product_id": 987_654}, "unknown_product"),
        ({"brand_id": other_brand}, "other_brand"),
        ({"option_value_ids": [first, *others, 987_654]}, "unknown_option"),
        ({"option_value_ids": [*order["option_value_ids"], *several.option_value_ids]}, "option_missing"),
    ):
        with pytest.raises(ItemRefused) as refused:
            await make(talk, **wrong)
        # The reference server has one reason for all of them.
        assert refused.value.reason == (code if isinstance(talk.core, EmbeddedCore) else "unknown_product")
    assert await talk.core.items("ana") == []


async def test_an_option_whose_values_are_none_of_the_items_is_left_out(talk: Sale) -> None:
    order = an_order()
    first, *others = order["option_value_ids"]
    item = await make(talk, option_value_ids=others)
    assert (item.option_value_ids, len(item.options)) == (tuple(others), len(others))
    whole = [first, *others]
    changed = await talk.core.change_item(item.id, "ana", option_value_ids=whole, seen=others)
    assert sorted(changed.option_value_ids) == sorted(whole)
    bare = await talk.core.change_item(item.id, "ana", option_value_ids=[], seen=whole)
    assert (bare.option_value_ids, bare.options) == ((), {})


# Answers.


def answer_to(element: Element) -> tuple[Any, str]:
    """Return an answer that is fine for the item."""
    if element.kind == "select":
        option = next(each for each in element.options if not each.deal_breaker)
        return option.value, option.label.pt
    return {"boolean": True, "number": 1, "date": "2024-01-31"}.get(element.kind, "bom"), "resposta"


async def questions(talk: Sale) -> list[Element]:
    """Return what has to be asked about the item."""
    return [each for each in await talk.core.protocol(an_order()["product_id"]) if each.asks]


async def test_an_item_is_complete_with_its_last_answer_and_not_before(talk: Sale) -> None:
    item = await make(talk)
    asked = await questions(talk)
    states = []
    for element in asked:
        value, shown = answer_to(element)
        item = await talk.core.answer(item.id, "ana", element.id, value, shown)
        states.append(item.status)

    assert states == ["draft"] * (len(asked) - 1) + ["complete"]
    assert {answer.element_id: answer.value for answer in item.answers} == {
        element.id: answer_to(element)[0] for element in asked
    }
    assert {answer.question for answer in item.answers} == {element.label.pt for element in asked}
    assert {answer.title for answer in item.answers} == {element.heading.pt for element in asked}
    assert item == await talk.core.item(item.id, "ana")


async def test_an_answer_can_be_corrected_and_is_kept_once(talk: Sale) -> None:
    item = await make(talk)
    element = next(each for each in await questions(talk) if each.kind == "select")
    for option in element.options:
        item = await talk.core.answer(item.id, "ana", element.id, option.value, option.label.pt)
    (answer,) = item.answers
    assert (answer.value, answer.shown) == (element.options[-1].value, element.options[-1].label.pt)


async def test_a_deal_breaker_refuses_the_item_until_it_is_corrected(talk: Sale) -> None:
    item = await make(talk)
    element = next(
        each for each in await questions(talk) if any(option.deal_breaker for option in each.options)
    )
    bad = next(option for option in element.options if option.deal_breaker)
    refused = await talk.core.answer(item.id, "ana", element.id, bad.value, bad.label.pt)
    assert refused.status == "refused"
    corrected = await talk.core.answer(item.id, "ana", element.id, *answer_to(element))
    assert corrected.status == "draft"


async def test_only_an_optional_question_can_be_skipped(talk: Sale) -> None:
    item = await make(talk)
    asked = await questions(talk)
    required = next(each for each in asked if each.required)
    with pytest.raises(ItemRefused):
        await talk.core.answer(item.id, "ana", required.id, None, "")
    optional = next((each for each in asked if not each.required), None)
    if optional is not None:
        item = await talk.core.answer(item.id, "ana", optional.id, None, "—")
        assert item.answers[0].value is None


async def test_an_answer_to_no_question_of_the_item_is_refused(talk: Sale) -> None:
    item = await make(talk)
    notices = [each.id for each in await talk.core.protocol(item.product_id) if not each.asks]
    for element_id in ("nothing", *notices):
        with pytest.raises(ItemRefused):
            await talk.core.answer(item.id, "ana", element_id, "x", "x")


async def test_answers_that_race_are_all_kept_and_complete_the_item(talk: Sale) -> None:
    item = await make(talk)
    asked = await questions(talk)
    await asyncio.gather(
        *(talk.core.answer(item.id, "ana", element.id, *answer_to(element)) for element in asked)
    )
    whole = await talk.core.item(item.id, "ana")
    assert (len(whole.answers), whole.status) == (len(asked), "complete")


# Changes.


async def an_item_of(talk: Sale, product: str) -> Item:
    """Return an item with the first value of every option."""
    catalog = load_catalog()
    ordered = next(each for each in catalog.products if each.name == product)
    return await make(
        talk,
        product_id=ordered.id,
        brand_id=ordered.brand_id,
        option_value_ids=[option.option_value_ids[0] for option in ordered.options],
    )


async def completed(talk: Sale, item: Item) -> Item:
    """Return the item with an answer to everything."""
    for element in await talk.core.protocol(item.product_id):
        if element.asks:
            item = await talk.core.answer(item.id, "ana", element.id, *answer_to(element))
    assert item.status == "complete"
    return item


def other_values(item: Item, place: int = 0) -> list[int]:
    """Return the item's options with the second value of one type instead of the first."""
    options = load_catalog().product_by_id[item.product_id].options
    return [option.option_value_ids[number == place] for number, option in enumerate(options)]


async def test_a_changed_option_leaves_the_same_item_with_its_answers(talk: Sale) -> None:
    item = await completed(talk, await an_item_of(talk, "iPhone 12"))
    wanted = other_values(item)
    changed = await talk.core.change_item(
        item.id, "ana", option_value_ids=wanted, seen=list(item.option_value_ids)
    )
    assert changed == replace(item, option_value_ids=tuple(wanted), options=changed.options)
    assert changed.options == {**item.options, "Armazenamento": "128 GB"}
    assert await talk.core.items("ana") == [changed]


async def test_a_changed_option_drops_only_the_answers_that_depend_on_it(talk: Sale) -> None:
    item = await completed(talk, await an_item_of(talk, "Nintendo Switch OLED"))
    edition = await talk.core.change_item(
        item.id, "ana", option_value_ids=other_values(item), seen=list(item.option_value_ids)
    )
    dropped = {each.element_id for each in item.answers} - {each.element_id for each in edition.answers}
    assert (dropped, edition.status) == ({"consoles.games"}, "draft")
    again = await completed(talk, edition)
    options = load_catalog().product_by_id[item.product_id].options
    coloured = [edition.option_value_ids[0], options[1].option_value_ids[1]]
    colour = await talk.core.change_item(
        item.id, "ana", option_value_ids=coloured, seen=list(edition.option_value_ids)
    )
    assert (colour.answers, colour.status) == (again.answers, "complete")


async def test_a_change_asked_for_again_changes_nothing_and_one_of_an_older_item_is_refused(
    talk: Sale,
) -> None:
    item = await an_item_of(talk, "iPhone 12")
    seen, core = list(item.option_value_ids), talk.core
    changed = await core.change_item(item.id, "ana", option_value_ids=other_values(item), seen=seen)
    assert await core.change_item(item.id, "ana", option_value_ids=other_values(item), seen=seen) == changed
    with pytest.raises(ItemChanged):
        await core.change_item(item.id, "ana", option_value_ids=other_values(item, 1), seen=seen)
    assert await core.item(item.id, "ana") == changed


async def test_one_of_several_racing_changes_is_made_and_the_others_are_refused(talk: Sale) -> None:
    item = await an_item_of(talk, "iPhone 12")
    options = load_catalog().product_by_id[item.product_id].options
    wishes = [[options[0].option_value_ids[0], colour] for colour in options[1].option_value_ids[1:]]
    results = await asyncio.gather(
        *(
            talk.core.change_item(item.id, "ana", option_value_ids=wish, seen=list(item.option_value_ids))
            for wish in wishes
        ),
        return_exceptions=True,
    )
    (made,) = [each for each in results if isinstance(each, Item)]
    assert all(isinstance(each, ItemChanged) for each in results if each is not made)
    assert await talk.core.item(item.id, "ana") == made


async def test_a_change_that_does_not_fit_or_is_anothers_changes_nothing(talk: Sale) -> None:
    item = await an_item_of(talk, "iPhone 12")
    seen, core = list(item.option_value_ids), talk.core
    for wrong in ([987_654], [*seen, 987_654]):
        with pytest.raises(ItemRefused):
            await core.change_item(item.id, "ana", option_value_ids=wrong, seen=seen)
    with pytest.raises(NotFound):
        await core.change_item(item.id, "eva", option_value_ids=other_values(item), seen=seen)
    with pytest.raises(NotFound):
        await core.withdraw_item(item.id, "eva")
    assert await core.item(item.id, "ana") == item


async def test_a_withdrawn_item_is_listed_and_changed_no_more(talk: Sale) -> None:
    item, core = await completed(talk, await an_item_of(talk, "iPhone 12")), talk.core
    withdrawn = await core.withdraw_item(item.id, "ana")
    assert withdrawn == replace(item, status="withdrawn")
    assert await core.withdraw_item(item.id, "ana") == withdrawn == await core.item(item.id, "ana")
    assert await core.items("ana") == []
    element = next(each for each in await core.protocol(item.product_id) if each.asks)
    for attempt in (
        core.answer(item.id, "ana", element.id, *answer_to(element)),
        core.change_item(
            item.id, "ana", option_value_ids=other_values(item), seen=list(item.option_value_ids)
        ),
    ):
        with pytest.raises(ItemRefused):
            await attempt


# The data file and the rows.


async def _reseed(url: str, folder: Path, catalog: Catalog) -> Catalog:
    database = Database(address_of(url, folder))
    try:
        return await seed_catalog(database, catalog)
    finally:
        await database.aclose()


async def test_the_stored_rows_equal_the_data_file(store: Store, shared_url: str, tmp_path: Path) -> None:
    catalog = load_catalog()
    read = await _reseed(shared_url, tmp_path, catalog)
    assert read is not catalog
    for part in ("categories", "brands", "option_types", "products", "protocols", "checksum"):
        assert getattr(read, part) == getattr(catalog, part)


async def test_rows_are_left_alone_while_the_checksum_is_the_same(
    core: Core, shared_url: str, tmp_path: Path
) -> None:
    catalog = load_catalog()
    empty = replace(catalog, products=())
    assert len((await _reseed(shared_url, tmp_path, empty)).products) == len(catalog.products)


async def test_a_changed_data_file_changes_the_rows_and_no_item(
    talk: Sale, shared_url: str, tmp_path: Path
) -> None:
    item = await make(talk)
    catalog = load_catalog()
    kept = tuple(
        replace(each, name=f"{each.name} (novo)") for each in catalog.products if each.id != item.product_id
    )
    changed = await _reseed(shared_url, tmp_path, replace(catalog, products=kept, checksum="0" * 64))

    assert changed.products == kept
    assert await talk.core.item(item.id, "ana") == item
    again = await _reseed(shared_url, tmp_path, catalog)
    assert again.products == catalog.products


# Pictures.


def a_picture(number: int = 1) -> NewPicture:
    """Return a picture of a conversation."""

    async def read() -> bytes:
        return b"jpeg %d" % number

    return NewPicture(f"blb_{number}", 40, 30, "image/jpeg", read)


async def test_a_picture_is_kept_once_after_the_others(talk: Sale) -> None:
    item = await make(talk)
    assert item.pictures == ()
    for number in (2, 1, 2):
        item = await talk.core.add_picture(item.id, "ana", a_picture(number))
    assert [(each.id, each.width, each.height) for each in item.pictures or ()] == [
        ("blb_2", 40, 30),
        ("blb_1", 40, 30),
    ]
    assert await talk.core.item(item.id, "ana") == item
    changed = await talk.core.change_item(
        item.id, "ana", option_value_ids=other_values(item), seen=list(item.option_value_ids)
    )
    assert changed.pictures == item.pictures


async def test_an_item_has_ten_pictures_at_most_and_its_owner_s_alone(talk: Sale) -> None:
    item = await make(talk)
    with pytest.raises(NotFound):
        await talk.core.add_picture(item.id, "eva", a_picture())
    for number in range(10):
        item = await talk.core.add_picture(item.id, "ana", a_picture(number))
    with pytest.raises(ItemRefused):
        await talk.core.add_picture(item.id, "ana", a_picture(10))
    await talk.core.withdraw_item(item.id, "ana")
    with pytest.raises(ItemRefused):
        await talk.core.add_picture(item.id, "ana", a_picture(0))


async def test_a_core_elsewhere_gets_the_bytes_of_a_picture(store: Store) -> None:
    embedded = await EmbeddedCore.open(store.database, store.webhooks)
    async with CoreServer(embedded, token="t0ken") as server, http_core(server.url, token="t0ken") as remote:
        session = await store.sessions.create(
            app="demo", principal="ana", service="submission", language="pt"
        )
        item = await remote.create_item(
            principal="ana", session_id=session.id, business_key="k", **an_order()
        )
        await remote.add_picture(item.id, "ana", a_picture(7))
        assert server.pictures == {"blb_7": b"jpeg 7"}


# Asking prices.


async def test_an_item_has_the_last_price_that_its_owner_asked(talk: Sale) -> None:
    item = await make(talk)
    assert item.asking_price == AskingPrice()
    await talk.core.ask_price(item.id, "ana", 28_050)
    priced = await talk.core.ask_price(item.id, "ana", 25_000)
    assert priced.asking_price == AskingPrice(25_000, "EUR")
    assert priced.status == item.status and priced.answers == item.answers
    changed = await talk.core.change_item(
        item.id, "ana", option_value_ids=other_values(item), seen=list(item.option_value_ids)
    )
    assert changed.asking_price == priced.asking_price
    assert await talk.core.item(item.id, "ana") == changed
    assert (await talk.core.ask_price(item.id, "ana", None)).asking_price == AskingPrice()


async def test_a_price_is_its_owner_s_alone_above_nothing_and_bounded(talk: Sale) -> None:
    item = await make(talk)
    with pytest.raises(NotFound):
        await talk.core.ask_price(item.id, "eva", 100)
    for cents in (0, -1, MOST_CENTS + 1):
        with pytest.raises(ItemRefused):
            await talk.core.ask_price(item.id, "ana", cents)
    assert (await talk.core.ask_price(item.id, "ana", MOST_CENTS)).asking_price == AskingPrice(MOST_CENTS)
    await talk.core.withdraw_item(item.id, "ana")
    with pytest.raises(ItemRefused):
        await talk.core.ask_price(item.id, "ana", 100)
