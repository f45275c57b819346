"""One tab of a browser: a socket that reconnects by itself, the position, the outbox, the conversation."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

import httpx2

from server.protocol.events import ours
from server.protocol.messages import is_of_path
from server.protocol.transcript import Transcript
from server.tasks import Tasks
from tests.chaos.lines import HELLO_S, Ended, Frame, Line, Socket, Stream
from tests.parts.wait import paced

KEPT_FRAMES = 600
_numbers = itertools.count(1)

COME_BACK = {1000, 1001, 1006, 1011, 1012, 1013, 4408, 4429}
TOO_LATE = {"answered", "expired"}
"""The errors of the second of two tabs that answer a question, and of a tab that answers too late."""

LATER = 1013
NEW_TICKET = 4401
REPLACED = 4409
PERMANENT = "a close code that no honest client deserves"


class Checks(Protocol):
    """The judge of what a tab sees."""

    def took(self, tab: Tab, frame: Frame) -> None:
        """A frame came, control or durable, before it is folded."""

    def blame(self, what: str, tab: Tab | None = None) -> None:
        """A promise was broken."""

    def note(self, what: str) -> None:
        """Something that is counted happened."""

    def took_time(self, what: str, seconds: float) -> None:
        """Something took so long."""


@dataclass
class Browser:
    """A person's browser: a cookie, an address of its own, and HTTP."""

    url: str
    address: str
    checks: Checks
    cookie: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """Return what it sends along."""
        return {"origin": self.url, "x-forwarded-for": self.address, "cookie": self.cookie}

    async def ask(self, method: str, path: str, body: Any = None) -> Any | None:
        """Return the JSON of an answer; None when there was none, or one that asks to come back later."""
        try:
            async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=10) as client:
                answer = await client.request(method, self.url + path, json=body, headers=self.headers)
        except httpx2.HTTPError:
            return None
        self.cookie = answer.headers.get("set-cookie", "").partition(";")[0] or self.cookie
        if answer.status_code in (429, 503):
            return None
        if answer.status_code >= 400:
            self.checks.blame(f"{method} {path} gave {answer.status_code} {answer.text[:200]}")
            return None
        return answer.json()

    async def upload(self, session: str, picture: bytes) -> str | None:
        """Store a picture in a conversation and return its id; None when it was not taken now."""
        headers = {**self.headers, "content-type": "image/png"}
        path = f"/v1/sessions/{session}/files"
        try:
            async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=10) as client:
                answer = await client.post(self.url + path, content=picture, headers=headers)
        except httpx2.HTTPError:
            return None
        if answer.status_code == httpx2.codes.CREATED:
            return str(answer.json()["blob_id"])
        if answer.status_code not in (429, 503):
            self.checks.blame(f"POST {path} gave {answer.status_code} {answer.text[:200]}")
        return None

    async def has(self, path: str) -> bool:
        """Return whether there is something at a path. The request is repeated until it is answered."""
        pause_s = 0.25
        while True:
            try:
                async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=10) as client:
                    status = (await client.get(self.url + path, headers=self.headers)).status_code
            except httpx2.HTTPError:
                status = httpx2.codes.SERVICE_UNAVAILABLE
            if status not in (429, 503):
                return status == httpx2.codes.OK
            pause_s = min(2 * pause_s, 4.0)
            await paced(pause_s)

    async def insist(self, method: str, path: str, body: Any = None) -> Any:
        """Return the same until it is answered."""
        pause_s = 0.25
        while (answer := await self.ask(method, path, body)) is None:
            pause_s = min(2 * pause_s, 4.0)
            await paced(pause_s)
        return answer


@dataclass(eq=False)
class Tab:
    """A tab on one session; `session` is empty until its first ticket begins one."""

    browser: Browser
    service: str
    language: str
    rng: Random
    session: str = ""
    number: int = field(default_factory=lambda: next(_numbers))
    transcript: Transcript = field(default_factory=Transcript)
    seq: int | None = None
    epoch: str = ""
    whole: bool = True
    """Does it hold the conversation from its beginning, or only what a snapshot shows?"""
    token: str = ""
    outbox: dict[str, Frame] = field(default_factory=dict)
    acks: dict[str, Frame] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    queued: list[str] = field(default_factory=list)
    frames: deque[tuple[float, str, Frame]] = field(default_factory=lambda: deque(maxlen=KEPT_FRAMES))
    streams: bool = False
    """Does it read server-sent events instead of having a socket?"""
    line: Line | None = None
    sockets: int = 0
    open: bool = False
    left: bool = False
    page: int = 0
    """How often it was reloaded: what a line brings belongs to the page that opened it."""
    pause_s: float = 0.0
    lost_at: float | None = None
    """When it should begin to come back."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: Tasks = field(default_factory=Tasks)

    def start(self) -> None:
        """Connect and stay connected until `leave`."""
        self.tasks.spawn(self._live(), name=f"tab {self.number}")

    async def leave(self) -> None:
        """Close the tab."""
        self.left = True
        await self.tasks.aclose()
        self.frames.clear()

    async def until(self, found: Callable[[], Any], seconds: float) -> bool:
        """Wait until something is so; False when it is not in time."""
        deadline = time.monotonic() + seconds
        while not found():
            self.changed.clear()
            try:
                async with asyncio.timeout_at(
                    asyncio.get_running_loop().time() + deadline - time.monotonic()
                ):
                    await self.changed.wait()
            except TimeoutError:
                return bool(found())
        return True

    async def send(self, frame: Frame) -> None:
        """Keep a frame until it is answered, and write it when there is a socket."""
        self.outbox[frame["id"]] = frame
        await self.transmit(frame)

    async def transmit(self, frame: Frame) -> None:
        """Write a frame if that is possible now."""
        if self.open and self.line is not None:
            self._note(">", frame)
            await self.line.send(frame)

    def lose_connection(self) -> None:
        """The network goes."""
        if self.line is not None:
            self.line.abort()

    def forget(self) -> None:
        """A reload: what was seen and where is forgotten, what was not acknowledged is not."""
        self.seq, self.epoch, self.token = None, "", ""
        self.transcript = Transcript()
        self.page += 1
        self.lose_connection()

    # The connection.

    async def _live(self) -> None:
        attempt = 0
        while not self.left:
            try:
                attempt = 0 if await self._visit() else attempt + 1
            except Exception as error:
                self.checks.blame(f"what came cannot be applied: {error!r}", self)
                self.left = True
            finally:
                if self.line is not None:
                    await self.line.aclose()
                if self.open:
                    self.lost_at = time.monotonic() + self.pause_s
                self.open, self.line = False, None
                self.changed.set()
            wait = max(self.pause_s, min(4.0, 0.2 * 2**attempt) * self.rng.uniform(0.5, 1.0))
            self.pause_s = 0.0
            await paced(wait)

    async def _visit(self) -> bool:
        """Be connected once; True when it came to a welcome."""
        page = self.page
        hello: Frame = {}
        if self.token:
            hello["resume_token"] = self.token
        else:
            new = {"session_id": self.session} if self.session else {"service": self.service}
            ticket = await self.browser.insist("POST", "/v1/tickets", {"language": self.language, **new})
            hello["ticket"] = ticket["ticket"]
            self.session = ticket["session_id"]
        if self.seq is not None:
            hello |= {"last_seq": self.seq, "epoch": self.epoch}
        self.sockets += 1
        self._note("+", {key: value for key, value in hello.items() if key not in ("ticket", "resume_token")})
        welcomed = False
        try:
            headers = self.browser.headers
            if self.streams:
                self.line = await Stream.open(self.browser.url, headers, hello, self.session)
            else:
                self.line = await Socket.open(self.browser.url, headers, hello)
            while page == self.page:
                # Until the welcome silence is a failure; afterwards the pings notice it.
                async with asyncio.timeout(None if welcomed else HELLO_S):
                    frame = await self.line.receive()
                await self._take(frame, page)
                welcomed = welcomed or frame.get("type") == "welcome"
        except TimeoutError:
            self._note("!", {"silent": HELLO_S})
        except Ended as ended:
            self._closed(ended.code)
        return welcomed

    def _closed(self, code: int) -> None:
        self._note("!", {"closed": code})
        if code in (NEW_TICKET, REPLACED):
            if code == NEW_TICKET and not self.token:
                self.checks.note("tickets refused")
            self.token = ""
            self.pause_s = 1.0
        elif code == LATER:
            self.pause_s = 1.0
        elif code not in COME_BACK:
            self.checks.blame(f"{PERMANENT}: {code}", self)

    @property
    def checks(self) -> Checks:
        """Return who is told."""
        return self.browser.checks

    # What comes.

    async def _take(self, frame: Frame, page: int) -> None:
        self._note("<", frame)
        for each in frame.get("batch", [frame]):
            if page != self.page:
                return
            self.checks.took(self, each)
            if "event" in each:
                self._durable(each)
            else:
                await self._control(each)
        self.changed.set()

    def _durable(self, frame: Frame) -> None:
        self.epoch = frame.get("epoch", self.epoch)
        self.seq = frame["seq"]
        self.transcript.apply(frame["event"])
        if is_of_path(frame["event"]):
            self.whole = "before" not in ours(frame["event"])

    async def _control(self, frame: Frame) -> None:
        kind = frame["type"]
        if kind == "welcome":
            self.token, self.open = frame["resume_token"], True
            if self.lost_at is not None:
                self.checks.took_time("a client without a line", time.monotonic() - self.lost_at)
                self.lost_at = None
            for each in tuple(self.outbox.values()):
                await self.transmit(each)
        elif kind == "snapshot":
            self.seq, self.epoch = frame["seq"], frame["epoch"]
            self.transcript, self.whole = Transcript(), frame.get("before") is None
            for event in frame["events"]:
                self.transcript.apply(event)
        elif kind == "queue":
            self.queued = [each["id"] for each in frame["items"]]
        elif kind == "reconnect":
            self.pause_s = frame["after_ms"] / 1000
        elif kind in ("ack", "error"):
            self._answered(frame)

    def _answered(self, frame: Frame) -> None:
        if frame["type"] == "ack":
            if self.outbox.pop(frame.get("id"), None) is not None:
                self.acks[frame["id"]] = frame
            return
        id, code = frame.get("id"), frame["code"]
        waiting = self.outbox.get(id) if id else None
        if waiting is None:
            return
        if frame.get("retry"):
            asyncio.get_running_loop().call_later(
                frame.get("retry_after") or 1.0, lambda: self._again(waiting)
            )
            return
        del self.outbox[id]
        self.refused[id] = code
        if code in TOO_LATE and waiting["type"] in ("resume", "tool_result"):
            return
        self.checks.blame(f"a frame was refused for good: {code} for {waiting['type']} {id}", self)

    def _again(self, frame: Frame) -> None:
        if frame["id"] in self.outbox and not self.left:
            self.tasks.spawn(self.transmit(frame), name="again")

    def _note(self, direction: str, frame: Frame) -> None:
        self.frames.append((time.time(), direction, frame))
