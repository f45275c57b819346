"""A provider of models over real HTTP: OpenAI's wire outside, a brain inside."""

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from tests.modelserver import wire_chat, wire_responses
from tests.modelserver.brains import Brain
from tests.modelserver.checks import check
from tests.modelserver.connection import Connection, HttpRequest
from tests.modelserver.control import Control
from tests.modelserver.fault_queue import FaultQueue
from tests.modelserver.plan import Close, Disturbance, Fault, Frame, Pace, Plan, Stall, new_id
from tests.modelserver.request import ModelRequest, ProviderError, bad_request

logger = logging.getLogger(__name__)

_WIRES = {"/v1/responses": wire_responses, "/v1/chat/completions": wire_chat}
_FRAMES_A_WRITE = 32


class ModelServer:
    """`async with ModelServer(brain) as server:` serves on a port of its own.

    `requests` are the model calls as they came, `faults` the queue of what goes wrong, `gone`
    counts clients that left before their answer ended. A brain that raises anything but
    ProviderError answers 500 and fails the `async with` at its end.
    """

    def __init__(
        self,
        brain: Brain,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        api_key: str | None = None,
        keep: int | None = None,
        models: tuple[str, ...] = ("test-model",),
    ) -> None:
        """`api_key` refuses all others with 401; `keep` bounds the record of requests."""
        self.brain = brain
        self.faults = FaultQueue()
        self.requests: deque[ModelRequest] = deque(maxlen=keep)
        self._control = Control(brain, self.faults, self.requests)
        self.answered = 0
        self.gone = 0
        self.errors: list[Exception] = []
        self._host, self._port = host, port
        self._api_key = api_key
        self._models = models
        self._live: set[Connection] = set()
        self._changed = asyncio.Event()
        self._server: asyncio.Server | None = None

    @property
    def base_url(self) -> str:
        """Return what a client takes as `base_url`."""
        return f"http://{self._host}:{self._port}/v1"

    async def start(self) -> None:
        """Listen; port 0 becomes a free one."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Connection(self._serve, self._live), self._host, self._port, backlog=1024
        )
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close every connection and stop listening."""
        assert self._server is not None, "not started"
        self._server.close()
        for connection in list(self._live):
            await connection.stop()
        await self._server.wait_closed()

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop, and tell what the brain raised unless the block failed already."""
        await self.stop()
        if error is None and self.errors:
            raise ExceptionGroup("the brain failed", self.errors)

    async def until(self, reached: Callable[[], bool], seconds: float = 10.0) -> None:
        """Wait until a state is reached, e.g. `lambda: server.gone == 1`."""
        async with asyncio.timeout(seconds):
            while not reached():
                self._changed.clear()
                await self._changed.wait()

    def _count(self, **by: int) -> None:
        for name, step in by.items():
            setattr(self, name, getattr(self, name) + step)
        self._changed.set()

    async def _serve(self, http: HttpRequest, connection: Connection) -> None:
        """Answer one HTTP request."""
        try:
            if http.path in _WIRES and http.method == "POST":
                await self._model_call(http, connection)
            elif (reply := self._control.reply(http)) is not None:
                connection.answer(200, reply)
            else:
                connection.answer(*self._plain(http))
        except ProviderError as error:
            headers = {"x-request-id": new_id("req"), **error.headers}
            connection.answer(error.status, {"error": error.error}, headers)
            self._count(answered=1)
        except ConnectionResetError:
            connection.hang_up(reset=True)
            self._count(answered=1)
        except asyncio.CancelledError:
            self._count(gone=1)
            raise

    def _plain(self, http: HttpRequest) -> tuple[int, dict[str, Any]]:
        if http.path == "/v1/models":
            models = [{"id": m, "object": "model", "created": 0, "owned_by": "tests"} for m in self._models]
            return 200, {"object": "list", "data": models}
        raise ProviderError(404, f"Invalid URL ({http.method} {http.path})", kind="invalid_request_error")

    async def _model_call(self, http: HttpRequest, connection: Connection) -> None:
        wire = _WIRES[http.path]
        if self._api_key and http.headers.get("authorization") != f"Bearer {self._api_key}":
            raise ProviderError(
                401, "Incorrect API key", kind="invalid_request_error", code="invalid_api_key"
            )
        request = wire.parse(_json(http.body), http.headers)
        self.requests.append(request)
        self._changed.set()
        queued = self.faults.take(request)
        for fault in queued:
            await fault.before()
        check(request)
        plan = await self._ask(request)
        for fault in plan.faults:
            await fault.before()
        faults = queued + plan.faults
        for fault in faults:
            plan = fault.plan(plan)
        if request.stream:
            steps: Iterator[Disturbance] = iter(wire.frames(plan, request))
            kind = "text/event-stream; charset=utf-8"
        else:
            if request.dialect == "chat" and plan.ending == "failed":
                raise ProviderError(500, plan.failure, kind="server_error")
            steps, kind = _halves(wire.complete(plan, request)), "application/json"
        for fault in faults:
            steps = fault.stream(steps, request.dialect)
        connection.open(200, {"content-type": kind, "x-request-id": new_id("req")})
        await _send(connection, steps, plan.pace, faults if request.stream else ())
        self._count(answered=1)

    async def _ask(self, request: ModelRequest) -> Plan:
        try:
            return await self.brain(request)
        except ProviderError:
            raise
        except Exception as error:
            logger.exception("brain failed")
            self.errors.append(error)
            raise ProviderError(500, "The brain failed.", kind="server_error") from error


def _json(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        raise bad_request("We could not parse the JSON body of your request.") from None
    if not isinstance(value, dict):
        raise bad_request("The body must be a JSON object.")
    return value


def _halves(value: dict[str, Any]) -> Iterator[Disturbance]:
    """Yield a body in one piece that faults may cut in the middle."""
    data = json.dumps(value, ensure_ascii=False).encode()
    middle = len(data) // 2
    yield Frame(data[:middle], "delta")
    yield Frame(data[middle:], "end")


async def _send(
    connection: Connection,
    steps: Iterator[Disturbance],
    pace: Pace,
    faults: tuple[Fault, ...],
) -> None:
    """Send a body at its pace: what is ready leaves in one write, before any wait."""
    now = asyncio.get_running_loop().time
    due = now() + pace.first
    ticks = 0
    ready: list[bytes] = []
    splitters = [fault.split for fault in faults if type(fault).split is not Fault.split]
    for step in steps:
        if step is None:
            if ticks % pace.burst == 0:
                if due > now():
                    connection.chunks(ready)
                    ready = []
                    await asyncio.sleep(due - now())
                due += pace.delay
            ticks += 1
        elif isinstance(step, Frame):
            ready.append(step.data)
            if splitters:
                await _send_split(connection, ready, splitters)
                ready = []
            elif len(ready) >= _FRAMES_A_WRITE:
                connection.chunks(ready)
                ready = []
                await connection.drain()
                await asyncio.sleep(0)
        else:
            connection.chunks(ready)
            ready = []
            if isinstance(step, Close):
                connection.hang_up(reset=step.reset)
                return
            assert isinstance(step, Stall)
            await asyncio.sleep(step.seconds)
    connection.chunks(ready)
    connection.end()


async def _send_split(
    connection: Connection, ready: list[bytes], splitters: Sequence[Callable[[bytes], Iterator[bytes]]]
) -> None:
    """Send frames through all splitters, every piece in a write of its own."""
    pieces = ready
    for split in splitters:
        pieces = [part for piece in pieces for part in split(piece)]
    for piece in pieces:
        connection.chunks([piece])
        await connection.drain()
        await asyncio.sleep(0)
