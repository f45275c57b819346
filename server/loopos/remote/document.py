"""The OpenAPI document of the contract that Loopwire expects of a LoopOS Core over HTTP."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from server.languages import LANGUAGES
from server.loopos.remote import wire

Json = dict[str, Any]
VERSION = "1.2.0"
MOST_ITEMS = 100

ABOUT = (
    "What Loopwire calls when an app has `core_base_url`. This contract is Loopwire's own: LoopOS publishes none of "
    "its Core. The operator of a LoopOS Core puts an adapter in front of it that speaks this. How Loopwire calls it: "
    "docs/core/README.md."
)

_WHO = (
    "Whose items they are: an opaque id of at most 64 characters. Items are seen and changed by theirs alone."
)
_KEY = (
    "The same for all attempts of one write. A repeated one is answered as the first was, and done once; 409 "
    "`in_progress` while the first is under way. Of a new item it is what the item is known by, for good; of other "
    "writes it may be forgotten after a day."
)
_ERRORS = {
    "401": "The bearer token is missing or wrong: `unauthorized`.",
    "404": "There is no such product or item, or it is another principal's: `not_found`. Without this code a 404 says "
    "nothing, since a proxy in between may have written it.",
    "409": "`item_changed`: the item has other options than `seen`. `in_progress`: the same key is under way.",
    "422": "`item_refused`: it does not fit the catalog; `reason` says how.",
    "429": "Too many calls; `Retry-After` says when to come again.",
    "503": "Not now; `Retry-After` says when to come again.",
}
_OF_CALLER = ("401", "429", "503")


@dataclass(frozen=True)
class CoreOperation:
    """One operation of the contract."""

    id: str
    method: str
    path: str
    summary: str
    response: type[BaseModel]
    body: type[BaseModel] | None = None
    query: tuple[str, ...] = ()
    is_of_principal: bool = False
    is_write: bool = False
    errors: tuple[str, ...] = ()


OPERATIONS = (
    CoreOperation("health", "get", "/v1/health", "Say that the Core works.", wire.CoreHealth),
    CoreOperation(
        "search", "post", "/v1/products/search", "Search the catalog.", wire.CoreMatches, wire.CoreSearch
    ),
    CoreOperation(
        "overview",
        "get",
        "/v1/products",
        "Some products of all kinds; `total` counts the whole catalog.",
        wire.CoreMatches,
        query=("limit", "offset", "language"),
    ),
    CoreOperation(
        "match_category",
        "post",
        "/v1/categories/match",
        "The category that a text names in any language.",
        wire.CoreCategory,
        wire.CoreCategoryWish,
    ),
    CoreOperation(
        "product",
        "get",
        "/v1/products/{product_id}",
        "A product with its brands and options.",
        wire.CoreProduct,
        query=("language",),
        errors=("404",),
    ),
    CoreOperation(
        "protocol",
        "get",
        "/v1/products/{product_id}/protocol",
        "The questions about a product in asking order.",
        wire.CoreProtocol,
        errors=("404",),
    ),
    CoreOperation(
        "items",
        "get",
        "/v1/items",
        "The items of a principal, the newest first.",
        wire.CoreItems,
        query=("limit", "language"),
        is_of_principal=True,
    ),
    CoreOperation(
        "create_item",
        "post",
        "/v1/items",
        "Create an item, or return the one that this principal created under this key. 404 where another did.",
        wire.CoreItem,
        wire.CoreNewItem,
        query=("language",),
        is_of_principal=True,
        is_write=True,
        errors=("404", "409", "422"),
    ),
    CoreOperation(
        "item",
        "get",
        "/v1/items/{item_id}",
        "An item, withdrawn or not.",
        wire.CoreItem,
        query=("language",),
        is_of_principal=True,
        errors=("404",),
    ),
    CoreOperation(
        "change_options",
        "put",
        "/v1/items/{item_id}/options",
        "Put these options in place of those that were seen. Answers to questions that depend on a changed one are "
        "dropped. What it is already changes nothing.",
        wire.CoreItem,
        wire.CoreItemChange,
        query=("language",),
        is_of_principal=True,
        is_write=True,
        errors=("404", "409", "422"),
    ),
    CoreOperation(
        "answer_question",
        "put",
        "/v1/items/{item_id}/answers/{element_id}",
        "Keep an answer, or put another in its place, and judge the item anew.",
        wire.CoreItem,
        wire.CoreAnswerBody,
        query=("language",),
        is_of_principal=True,
        is_write=True,
        errors=("404", "409", "422"),
    ),
    CoreOperation(
        "add_picture",
        "put",
        "/v1/items/{item_id}/pictures/{picture_id}",
        "Put a picture after those that the item has. One that it has changes nothing.",
        wire.CoreItem,
        wire.CoreNewPicture,
        query=("language",),
        is_of_principal=True,
        is_write=True,
        errors=("404", "409", "422"),
    ),
    CoreOperation(
        "ask_price",
        "put",
        "/v1/items/{item_id}/price",
        "Keep what the seller asks for an item, in place of an earlier price.",
        wire.CoreItem,
        wire.CoreNewPrice,
        query=("language",),
        is_of_principal=True,
        is_write=True,
        errors=("404", "409", "422"),
    ),
    CoreOperation(
        "withdraw_item",
        "post",
        "/v1/items/{item_id}/withdraw",
        "Take an item out for good. Once more changes nothing.",
        wire.CoreItem,
        query=("language",),
        is_of_principal=True,
        is_write=True,
        errors=("404", "409"),
    ),
)

_PARAMETERS: Mapping[str, Json] = {
    "limit": {"schema": {"type": "integer", "minimum": 1, "maximum": MOST_ITEMS}, "required": False},
    "offset": {"schema": {"type": "integer", "minimum": 0}, "required": False},
    "language": {"schema": {"type": "string", "enum": list(LANGUAGES)}, "required": False},
    "product_id": {"schema": {"type": "integer", "minimum": 1}, "required": True},
    "item_id": {"schema": {"type": "string", "pattern": wire.PLAIN_ID}, "required": True},
    "picture_id": {"schema": {"type": "string", "pattern": wire.PLAIN_ID}, "required": True},
    "element_id": {"schema": {"type": "string", "minLength": 1, "maxLength": 128}, "required": True},
}


def core_document() -> Json:
    """Return the document."""
    models: set[type[BaseModel]] = {wire.CoreError}
    for each in OPERATIONS:
        models |= {each.response} if each.body is None else {each.response, each.body}
    listed = sorted(models, key=lambda model: model.__name__)
    _, schemas = models_json_schema(
        [(model, "validation") for model in listed], ref_template="#/components/schemas/{model}"
    )
    paths: dict[str, Json] = {}
    for each in OPERATIONS:
        paths.setdefault(each.path, {})[each.method] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "LoopOS Core for Loopwire", "version": VERSION, "description": ABOUT},
        "servers": [{"url": "https://core.shop.example", "description": "The app's core_base_url."}],
        "security": [{"token": []}, {}],
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: CoreOperation) -> Json:
    in_path = [part.strip("{}") for part in operation.path.split("/") if part.startswith("{")]
    parameters = [{"name": name, "in": "path", **_PARAMETERS[name]} for name in in_path]
    parameters += [{"name": name, "in": "query", **_PARAMETERS[name]} for name in operation.query]
    if operation.is_of_principal:
        parameters.append(_header("Loopwire-Principal", _WHO))
    if operation.is_write:
        parameters.append(_header("Idempotency-Key", _KEY))
    written: Json = {
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "Done.", "content": _content(operation.response)},
            **{
                status: {"description": _ERRORS[status], "content": _content(wire.CoreError)}
                for status in sorted({*operation.errors, *_OF_CALLER})
            },
        },
    }
    if operation.body is not None:
        written["requestBody"] = {"required": True, "content": _content(operation.body)}
    return written


def _header(name: str, text: str) -> Json:
    schema = {"type": "string", "minLength": 1, "maxLength": 64}
    return {"name": name, "in": "header", "required": True, "description": text, "schema": schema}


def _content(model: type[BaseModel]) -> Json:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}
