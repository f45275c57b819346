"""The page over a scripted conversation, without a Loopwire behind it: `python -m tests.e2e.gallery PORT`.

It serves the real templates, scripts and fragments; only what is said comes from tests/e2e/scenarios.py. Opening
`/s/<scenario>` shows a state, and the test says when its live events come by `POST /go/<scenario>`.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from server.html.live_text import LiveTexts
from server.html.page import View, draw_page
from server.html.render import Renderer
from server.http.assets import assets
from server.http.installation import Installation
from server.http.shield import POLICY
from server.protocol import envelope
from server.protocol.codec import encode_event
from server.protocol.transcript import Transcript
from tests.e2e.scenarios import (
    IDENTIFICATION,
    NEXT,
    NOW,
    OPTIONS,
    QUESTIONS,
    REGISTRATION,
    SCENARIOS,
    SESSION,
    Scenario,
)
from tests.parts.wait import paced

ROOT = Path(__file__).parents[2]
STEPS = ("step.identify", "step.options", "step.create", "step.questions")
STEP_OF = {IDENTIFICATION: 0, OPTIONS: 1, REGISTRATION: 2, QUESTIONS: 3}
DAY = 86_400_000


@dataclass
class Line:
    """One line of the list of conversations."""

    id: str
    title: str
    status_line: str
    updated_at: int
    item: dict[str, str | None] | None = None
    service: str = "submission"


LINES = [
    Line("streaming", "Fujifilm X-T30 II com 18-55", "waiting", NOW),
    Line("b", "Bimby TM5 com Varoma", "running", NOW - 1000),
    Line("c", "Bicicleta B’Twin Elops 520", "done", NOW - DAY, {"reference": "LW-48190", "price": None}),
    Line(
        "d", "Nintendo Switch OLED branca", "done", NOW - 3 * DAY, {"reference": "LW-47002", "price": "195 €"}
    ),
    Line("e", "Quanto vale um iPad Air 4?", "", NOW - 3 * DAY),
    Line("f", "Carrinho Bugaboo Fox 2", "stopped", NOW - 4 * DAY),
]


@dataclass
class Refusal:
    """What the next frames of a type get: this error, or the end of the wire where there is none."""

    type: str
    times: int
    error: dict[str, Any] | None


class Gallery:
    """Scripted conversations behind the page's own routes."""

    def __init__(self) -> None:
        """Draw with the real renderer."""
        stages = SimpleNamespace(name="submission", start=IDENTIFICATION, steps=STEPS, step_of=STEP_OF)
        self.renderer = Renderer(ROOT / "web", {"submission": stages})
        self.going: dict[str, asyncio.Event] = {}
        self.received: dict[str, list[dict[str, Any]]] = {}
        self.refusals: dict[str, Refusal] = {}
        self.refused: dict[str, list[dict[str, Any]]] = {}
        self.pace = 0.0
        self.last = 0

    def app(self) -> Starlette:
        """Return the whole server."""
        return Starlette(
            routes=[
                Route("/", self.empty),
                Route("/s/{name}", self.page),
                Route("/sessions", self.sessions),
                Route("/go/{name}", self.go, methods=["POST"]),
                Route("/received/{name}", self.told),
                Route("/refuse/{name}", self.refuse, methods=["POST"]),
                Route("/refused/{name}", self.not_taken),
                Route("/preferences", self.nothing, methods=["POST"]),
                Route("/v1/tickets", self.ticket, methods=["POST"]),
                Route("/v1/push", self.push_key),
                WebSocketRoute("/ws", self.socket),
                *Installation(ROOT / "web", self.renderer, installable=True).routes(),
                *assets(ROOT),
            ]
        )

    async def empty(self, request: Request) -> HTMLResponse:
        """Return the page before a conversation."""
        return self._page(request, "", SCENARIOS["empty"])

    async def page(self, request: Request) -> HTMLResponse:
        """Return a conversation in the state of the scenario."""
        name = request.path_params["name"]
        self.refusals.pop(name, None)
        return self._page(request, name, SCENARIOS.get(name, SCENARIOS["empty"]))

    def _page(self, request: Request, name: str, scenario: Scenario) -> HTMLResponse:
        view = View(
            language=request.query_params.get("language", "pt"),
            transcript=folded(scenario),
            lines=LINES,
            now_ms=NOW,
            demo=True,
            service="submission",
            session_id=name,
            title="Fujifilm X-T30 II" if name else "",
            theme=request.query_params.get("theme", ""),
            position=("1.1", 0) if name else None,
        )
        html = draw_page(self.renderer, view)
        return HTMLResponse(html, headers={"content-security-policy": POLICY.format(socket="")})

    async def sessions(self, request: Request) -> HTMLResponse:
        """Return the list of conversations, which does not change here."""
        current = request.headers.get("hx-current-url", "").rsplit("/", 1)[-1]
        html = self.renderer.page("sessions.html", "pt", groups=[("today", LINES[:2])], session_id=current)
        return HTMLResponse(html)

    async def nothing(self, request: Request) -> JSONResponse:
        """Take a preference."""
        return JSONResponse({})

    async def go(self, request: Request) -> JSONResponse:
        """Let the live events come, `pace` seconds apart, up to the one of number `last`; return that number."""
        name = request.path_params["name"]
        self.pace = float(request.query_params.get("pace", 0))
        self.last = int(request.query_params.get("last", 1_000_000))
        self.going.setdefault(name, asyncio.Event()).set()
        return JSONResponse(min(self.last, len(SCENARIOS[name].live)))

    async def told(self, request: Request) -> JSONResponse:
        """Return what the page has sent."""
        return JSONResponse(self.received.get(request.path_params["name"], []))

    async def refuse(self, request: Request) -> JSONResponse:
        """Refuse the next frames of a type, until the page is loaded again."""
        name = request.path_params["name"]
        self.refusals[name] = Refusal(**await request.json())
        self.refused[name] = []
        return JSONResponse({})

    async def not_taken(self, request: Request) -> JSONResponse:
        """Return what the page has sent and was refused."""
        return JSONResponse(self.refused.get(request.path_params["name"], []))

    async def ticket(self, request: Request) -> JSONResponse:
        """A ticket is the scenario's name."""
        name = (await request.json()).get("session_id") or "empty"
        return JSONResponse({"ticket": name, "session_id": name})

    async def push_key(self, request: Request) -> JSONResponse:
        """Return no key: nothing is pushed here."""
        return JSONResponse({"key": None})

    async def socket(self, ws: WebSocket) -> None:
        """Say what the scenario says."""
        await ws.accept(subprotocol="loopwire.v1.html")
        hello = await ws.receive_json()
        name = hello.get("ticket") or hello["resume_token"]
        scenario = SCENARIOS.get(name, SCENARIOS["empty"])
        if name == "offline":
            await ws.close(1012)
            return
        transcript = folded(scenario)
        # Before the welcome: a test that sees the page connected may ask for the live events at once.
        self.received[name] = received = []
        self.going[name] = asyncio.Event()
        await self._welcome(ws, name, scenario, None if "last_seq" in hello else transcript)
        playing = asyncio.ensure_future(self._play(ws, name, scenario, transcript))
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                frame = await ws.receive_json()
                if await self._refuses(ws, name, frame):
                    continue
                received.append(frame)
                if frame.get("id"):
                    await ws.send_json({"type": "ack", "id": frame["id"], "run_id": NEXT})
        playing.cancel()

    async def _refuses(self, ws: WebSocket, name: str, frame: dict[str, Any]) -> bool:
        refusal = self.refusals.get(name)
        if refusal is None or refusal.type != frame["type"] or not refusal.times:
            return False
        refusal.times -= 1
        self.refused[name].append(frame)
        if refusal.error is None:
            await ws.close(1012)
            raise WebSocketDisconnect(1012)
        await ws.send_json(
            {"type": "error", "id": frame["id"], "message": "No.", "retry": False, **refusal.error}
        )
        return True

    async def _welcome(self, ws: WebSocket, name: str, scenario: Scenario, whole: Transcript | None) -> None:
        welcome = {"type": "welcome", "session_id": name, "epoch": "1.1", "seq": 0, "resume_token": name}
        more = {"resumed": whole is None, "heartbeat_ms": 15_000, "resume_window": 900, "capabilities": {}}
        await ws.send_json({**welcome, **more})
        if whole is not None:
            events, content = whole.snapshot_events(SESSION), self.renderer.log(whole, "pt")
            frame = {"type": "snapshot", "epoch": "1.1", "seq": 0, "events": events, "content": content}
            await ws.send_json(frame)
        await ws.send_json({"type": "queue", "items": scenario.queue})

    async def _play(self, ws: WebSocket, name: str, scenario: Scenario, transcript: Transcript) -> None:
        going, texts = self.going[name], LiveTexts()
        for seq, event in enumerate(scenario.live, 1):
            await going.wait()
            changed = transcript.apply(event)
            change = texts.follow(transcript, event)
            fragment = (
                self.renderer.text_fragment(change, "pt")
                if change is not None
                else self.renderer.fragments(transcript, event, changed, "pt", "submission")
            )
            await ws.send_text(envelope.durable(seq, encode_event(event), fragment=fragment).decode())
            if seq == self.last:
                going.clear()
            await paced(self.pace)


def folded(scenario: Scenario) -> Transcript:
    """Return the conversation before its live events."""
    transcript = Transcript()
    for event in scenario.events:
        transcript.apply(event)
    return transcript


if __name__ == "__main__":
    uvicorn.run(Gallery().app(), port=int(sys.argv[1]), log_level="warning")
