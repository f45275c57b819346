"""LoopOS Core at an address: the port, spoken over HTTP."""

import base64
import uuid
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from server import patterns
from server.errors import NotFound
from server.loopos.answers import Element
from server.loopos.remote.endpoint import CoreEndpoint
from server.loopos.remote.exchange import CoreRequest
from server.loopos.remote.replies import read_reply
from server.loopos.remote.wire import (
    MOST_NAME,
    MOST_WORDS,
    PLAIN_ID,
    CoreAnswerBody,
    CoreCategory,
    CoreCategoryWish,
    CoreHealth,
    CoreItem,
    CoreItemChange,
    CoreItems,
    CoreMatches,
    CoreNewItem,
    CoreNewPicture,
    CoreNewPrice,
    CoreProduct,
    CoreProtocol,
    CoreSearch,
    found_of,
    item_of,
    product_of,
)
from server.loopos.rows import Found, Item, ItemRefused, NewPicture, Product

PRINCIPAL = "loopwire-principal"
IDEMPOTENCY_KEY = "idempotency-key"

M = TypeVar("M", bound=BaseModel)
B = TypeVar("B", bound=BaseModel)


class HttpCore:
    """The port over one endpoint.

    Each write has an Idempotency-Key, the same for all attempts of it: that of a new item is its business key, so that
    a call that another process makes again after a crash is the same call too. The other writes are the same when they
    are made again; their key is random for each call, and keeps an attempt that arrives late from undoing a newer call.
    """

    def __init__(self, endpoint: CoreEndpoint) -> None:
        self._endpoint = endpoint

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    async def require_answer(self) -> None:
        """Ask whether the Core works, with the token. Raises CoreUnavailable."""
        await self._call("GET", "/v1/health", CoreHealth)

    # The catalog.

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
        """Ask for a page of matches."""
        body = _body(
            CoreSearch,
            query=query[:MOST_WORDS],
            category=category and category[:MOST_NAME],
            brand=brand and brand[:MOST_NAME],
            limit=limit,
            offset=offset,
            language=language,
        )
        return found_of(await self._call("POST", "/v1/products/search", CoreMatches, body=body))

    async def category_key(self, text: str) -> str | None:
        """Ask which category a text names."""
        body = _body(CoreCategoryWish, text=text[:MOST_NAME])
        return (await self._call("POST", "/v1/categories/match", CoreCategory, body=body)).key

    async def overview(self, *, limit: int = 6, offset: int = 0, language: str = "pt") -> Found:
        """Ask for a page of products of all kinds."""
        query = {"limit": str(limit), "offset": str(offset), "language": language}
        return found_of(await self._call("GET", "/v1/products", CoreMatches, query=query))

    async def product(self, product_id: int, language: str = "pt") -> Product | None:
        """Ask for a product."""
        try:
            path, query = f"/v1/products/{int(product_id)}", {"language": language}
            return product_of(await self._call("GET", path, CoreProduct, query=query))
        except NotFound:
            return None

    async def protocol(self, product_id: int) -> list[Element]:
        """Ask for the questions about a product."""
        found = await self._call("GET", f"/v1/products/{int(product_id)}/protocol", CoreProtocol)
        return [each.element() for each in found.elements]

    # The items.

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
        """Ask the Core to create an item. Repeated calls create it once."""
        body = _body(
            CoreNewItem,
            product_id=product_id,
            brand_id=brand_id,
            option_value_ids=option_value_ids,
            session_id=session_id,
        )
        return await self._item("POST", "/v1/items", principal, language, body, key=business_key)

    async def change_item(
        self,
        item_id: str,
        principal: str,
        *,
        option_value_ids: list[int],
        seen: list[int],
        language: str = "pt",
    ) -> Item:
        """Ask the Core to change the item's options."""
        body = _body(CoreItemChange, option_value_ids=option_value_ids, seen=seen)
        return await self._item("PUT", f"{_path(item_id)}/options", principal, language, body)

    async def withdraw_item(self, item_id: str, principal: str, language: str = "pt") -> Item:
        """Ask the Core to withdraw the item."""
        return await self._item("POST", f"{_path(item_id)}/withdraw", principal, language, {})

    async def answer(
        self, item_id: str, principal: str, element_id: str, value: Any, shown: str, language: str = "pt"
    ) -> Item:
        """Ask the Core to store an answer."""
        path, body = (
            f"{_path(item_id)}/answers/{quote(element_id, safe='')}",
            {"value": value, "shown": shown},
        )
        return await self._item("PUT", path, principal, language, _body(CoreAnswerBody, **body))

    async def add_picture(
        self, item_id: str, principal: str, picture: NewPicture, language: str = "pt"
    ) -> Item:
        """Ask the Core to store a picture. The bytes are sent: the Core cannot read pictures of a conversation."""
        body = _body(
            CoreNewPicture,
            media_type=picture.media_type,
            width=picture.width,
            height=picture.height,
            data=base64.b64encode(await picture.read()).decode(),
        )
        path = f"{_path(item_id)}/pictures/{quote(picture.id, safe='')}"
        return await self._item("PUT", path, principal, language, body)

    async def ask_price(self, item_id: str, principal: str, cents: int | None, language: str = "pt") -> Item:
        """Ask the Core to store the price."""
        body = _body(CoreNewPrice, cents=cents, currency="EUR")
        return await self._item("PUT", f"{_path(item_id)}/price", principal, language, body)

    async def items(self, principal: str, limit: int = 20, language: str = "pt") -> list[Item]:
        """Ask for the principal's items."""
        query = {"limit": str(limit), "language": language}
        found = await self._call("GET", "/v1/items", CoreItems, query=query, headers={PRINCIPAL: principal})
        return [item_of(each) for each in found.items]

    async def item(self, item_id: str, principal: str, language: str = "pt") -> Item:
        """Ask for an item."""
        query, headers = {"language": language}, {PRINCIPAL: principal}
        return item_of(await self._call("GET", _path(item_id), CoreItem, query=query, headers=headers))

    async def _item(
        self,
        method: str,
        path: str,
        principal: str,
        language: str,
        body: Mapping[str, Any],
        *,
        key: str | None = None,
    ) -> Item:
        """Write, and return the item as it is then."""
        headers = {PRINCIPAL: principal, IDEMPOTENCY_KEY: key or uuid.uuid4().hex}
        query = {"language": language}
        return item_of(await self._call(method, path, CoreItem, query=query, headers=headers, body=body))

    async def _call(self, method: str, path: str, model: type[M], **more: Mapping[str, Any]) -> M:
        request = CoreRequest(method, path, **more)
        return await self._endpoint.call(request, lambda reply: read_reply(reply, model))


def _path(item_id: str) -> str:
    """Return the path of an item. Raises NotFound for what is no id: a person may have written it."""
    if not patterns.fullmatch(PLAIN_ID, item_id):
        raise NotFound
    return f"/v1/items/{item_id}"


def _body(model: type[B], **fields: Any) -> Mapping[str, Any]:
    """Return a body that fits the contract. Raises ItemRefused for what no Core could take."""
    try:
        return model(**fields).model_dump(mode="json")
    except ValidationError:
        raise ItemRefused from None
