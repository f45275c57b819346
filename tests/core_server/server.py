"""The reference server: routes of the contract over a Core of our own."""

from __future__ import annotations

import base64
import json
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Self

import uvicorn
from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from server.errors import LoopwireError, NotFound
from server.loopos.core import Core, ItemRefused, NewPicture
from server.loopos.remote import wire
from server.loopos.remote.document import OPERATIONS
from server.loopos.rows import Item
from server.tasks import Tasks
from tests.core_server.elements import raw_element
from tests.core_server.faults import CoreFaults, cut_short, fault_of, faulty_answer
from tests.parts.ports import free_port
from tests.parts.wait import until_async

MOST_KEYS = 1000
LocalSession = Callable[[str, str], Awaitable[str]]


class _Refused(Exception):
    """A request that the contract does not know."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status, self.code = status, code


@dataclass(frozen=True)
class CameCall:
    """A request as it came."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Any


class CoreServer:
    """`async with CoreServer(core) as server:` serves on a port of its own, the same one when it is started again."""

    def __init__(
        self,
        core: Core,
        *,
        token: str | None = None,
        port: int | None = None,
        local_session: LocalSession | None = None,
    ) -> None:
        """`local_session` makes, of a principal and a caller's session, one that the Core's own tables know."""
        self.faults = CoreFaults()
        self.came: deque[CameCall] = deque(maxlen=MOST_KEYS)
        self.port = port or free_port()
        self.pictures: dict[str, bytes] = {}
        self._core = core
        self._token = token
        self._local_session = local_session
        self._sessions: dict[str, str] = {}
        self._answers: OrderedDict[tuple[str, str], Response | None] = OrderedDict()
        self._server: uvicorn.Server | None = None
        self._tasks = Tasks()
        own = [
            Route("/faults", self._change_faults, methods=["POST", "DELETE"]),
            Route("/requests", self._requests),
        ]
        handlers = {each.id: getattr(self, f"_{each.id}") for each in OPERATIONS}
        routes = [
            Route(each.path, self._endpoint(handlers[each.id]), methods=[each.method.upper()])
            for each in OPERATIONS
        ]
        self.application = Starlette(routes=[*own, *routes])

    @property
    def url(self) -> str:
        """Return the base address."""
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen."""
        serving = uvicorn.Config(
            self.application,
            port=self.port,
            log_config=None,
            log_level="critical",
            lifespan="off",
            timeout_graceful_shutdown=0,
        )
        self._server = uvicorn.Server(serving)
        self._tasks.spawn(self._server._serve(), name="core server")  # `serve` would take our signals.
        await until_async(lambda: self._server is not None and self._server.started, what="the Core")

    async def stop(self) -> None:
        """Close every connection and listen no more, as a process that dies."""
        assert self._server is not None, "not started"
        self._server.force_exit = self._server.should_exit = True
        await until_async(lambda: not len(self._tasks), what="the end of the Core")
        self._server = None

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        if self._server is not None:
            await self.stop()
        await self._tasks.aclose()

    def calls(self, method: str, path: str) -> list[CameCall]:
        """Return the requests that came to this path."""
        return [each for each in self.came if (each.method, each.path) == (method, path)]

    # What every request meets.

    def _endpoint(self, handler: Callable[[Request], Awaitable[Response]]) -> Any:
        async def answer(request: Request) -> Any:
            raw = await request.body()
            body = json.loads(raw) if raw else None
            path, query = request.url.path, request.url.query
            self.came.append(CameCall(request.method, path, query, dict(request.headers), body))
            fault = self.faults.take(request.method, path)
            if fault is not None and fault.kind != "cut":
                return faulty_answer(fault)
            done = await self._once(request, handler)
            return cut_short(done) if fault is not None else done

        return answer

    async def _once(self, request: Request, handler: Callable[[Request], Awaitable[Response]]) -> Response:
        """Answer; a write whose key came before is answered as it was then."""
        key = request.headers.get("idempotency-key")
        if key is None:
            return await self._answer(request, handler)
        name = request.headers.get("loopwire-principal", ""), key
        if name in self._answers:
            return self._answers[name] or _error(409, "in_progress")
        self._answers[name] = None
        try:
            answer = await self._answer(request, handler)
        except BaseException:
            del self._answers[name]
            raise
        self._answers[name] = answer
        while len(self._answers) > MOST_KEYS:
            self._answers.popitem(last=False)
        return answer

    async def _answer(self, request: Request, handler: Callable[[Request], Awaitable[Response]]) -> Response:
        if self._token is not None and request.headers.get("authorization") != f"Bearer {self._token}":
            return _error(401, "unauthorized")
        try:
            return await handler(request)
        except _Refused as refused:
            return _error(refused.status, refused.code)
        except ItemRefused as refused:
            return _error(422, "item_refused", refused.reason, refused.message)
        except LoopwireError as error:
            return _error(error.status, error.code, None, error.message)

    # The catalog.

    async def _health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _search(self, request: Request) -> Response:
        wished = await _body(request, wire.CoreSearch)
        found = await self._core.search(
            wished.query,
            category=wished.category,
            brand=wished.brand,
            limit=wished.limit,
            offset=wished.offset,
            language=wished.language,
        )
        return JSONResponse(asdict(found))

    async def _overview(self, request: Request) -> Response:
        offset = int(request.query_params.get("offset", "0"))
        found = await self._core.overview(
            limit=_limit(request, 6), offset=offset, language=_language(request)
        )
        return JSONResponse(asdict(found))

    async def _match_category(self, request: Request) -> Response:
        wished = await _body(request, wire.CoreCategoryWish)
        return JSONResponse({"key": await self._core.category_key(wished.text)})

    async def _product(self, request: Request) -> Response:
        found = await self._core.product(_product_id(request), language=_language(request))
        if found is None:
            raise NotFound
        return JSONResponse(asdict(found))

    async def _protocol(self, request: Request) -> Response:
        elements = await self._core.protocol(_product_id(request))
        return JSONResponse({"elements": [raw_element(each) for each in elements]})

    # The items.

    async def _items(self, request: Request) -> Response:
        found = await self._core.items(
            _principal(request), limit=_limit(request, 20), language=_language(request)
        )
        return JSONResponse({"items": [self._written(each) for each in found]})

    async def _item(self, request: Request) -> Response:
        return self._shown(
            await self._core.item(request.path_params["item_id"], _principal(request), _language(request))
        )

    async def _create_item(self, request: Request) -> Response:
        wished, principal = await _body(request, wire.CoreNewItem), _principal(request)
        local = self._local_session
        item = await self._core.create_item(
            principal=principal,
            session_id=wished.session_id if local is None else await local(principal, wished.session_id),
            product_id=wished.product_id,
            brand_id=wished.brand_id,
            option_value_ids=wished.option_value_ids,
            business_key=request.headers["idempotency-key"],
            language=_language(request),
        )
        if local is not None:
            self._sessions.setdefault(item.id, wished.session_id)
        return self._shown(item)

    async def _change_options(self, request: Request) -> Response:
        wished = await _body(request, wire.CoreItemChange)
        return self._shown(
            await self._core.change_item(
                request.path_params["item_id"],
                _principal(request),
                option_value_ids=wished.option_value_ids,
                seen=wished.seen,
                language=_language(request),
            )
        )

    async def _answer_question(self, request: Request) -> Response:
        given = await _body(request, wire.CoreAnswerBody)
        item_id, element_id = request.path_params["item_id"], request.path_params["element_id"]
        principal, language = _principal(request), _language(request)
        return self._shown(
            await self._core.answer(item_id, principal, element_id, given.value, given.shown, language)
        )

    async def _add_picture(self, request: Request) -> Response:
        given = await _body(request, wire.CoreNewPicture)
        item_id, picture_id = request.path_params["item_id"], request.path_params["picture_id"]

        async def read() -> bytes:
            return base64.b64decode(given.data, validate=True)

        picture = NewPicture(picture_id, given.width, given.height, given.media_type, read)
        self.pictures[picture_id] = await read()
        return self._shown(
            await self._core.add_picture(item_id, _principal(request), picture, _language(request))
        )

    async def _ask_price(self, request: Request) -> Response:
        given = await _body(request, wire.CoreNewPrice)
        item_id = request.path_params["item_id"]
        return self._shown(
            await self._core.ask_price(item_id, _principal(request), given.cents, _language(request))
        )

    async def _withdraw_item(self, request: Request) -> Response:
        return self._shown(
            await self._core.withdraw_item(
                request.path_params["item_id"], _principal(request), _language(request)
            )
        )

    def _shown(self, item: Item) -> Response:
        return JSONResponse(self._written(item))

    def _written(self, item: Item) -> dict[str, Any]:
        written = asdict(item)
        if self._local_session is not None:
            written["session_id"] = self._sessions.get(item.id)
        return written

    # The switches.

    async def _change_faults(self, request: Request) -> Response:
        if request.method == "DELETE":
            self.faults.clear()
            return Response(status_code=204)
        try:
            self.faults.add(fault_of(request, await request.json()))
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 400)
        return Response(status_code=204)

    async def _requests(self, _: Request) -> Response:
        return JSONResponse([{"method": each.method, "path": each.path} for each in self.came])


def _error(status: int, code: str, reason: str | None = None, message: str = "") -> Response:
    return JSONResponse({"code": code, "reason": reason, "message": message}, status)


async def _body(request: Request, model: type[BaseModel]) -> Any:
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        raise _Refused(400, "bad_request") from error


def _principal(request: Request) -> str:
    principal = request.headers.get("loopwire-principal", "")
    if not 0 < len(principal) <= 64:
        raise _Refused(400, "bad_request")
    return principal


def _product_id(request: Request) -> int:
    text = request.path_params["product_id"]
    if not text.isdigit():
        raise NotFound
    return int(text)


def _limit(request: Request, otherwise: int) -> int:
    text = request.query_params.get("limit", str(otherwise))
    if not text.isdigit() or not 1 <= int(text) <= 100:
        raise _Refused(400, "bad_request")
    return int(text)


def _language(request: Request) -> str:
    return "en" if request.query_params.get("language") == "en" else "pt"
