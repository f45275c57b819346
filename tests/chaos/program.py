"""A program that asks services over REST: it waits for answers or is called back, and repeats what it is unsure of."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx2

from server.services import services
from tests.chaos.frame_checks import FrameChecks
from tests.parts.images import inline, png
from tests.parts.wait import paced

KEYED, CALLED_BACK, TWICE_AT_ONCE, AGAIN_LATER, PICTURED = 0.75, 0.4, 0.3, 0.3, 0.4
ANSWER_S = 140.0
"""A request waits for its run, which may take two minutes."""

LATER = frozenset({429, 503})
FAILED = 500
"""The least status of an answer whose run failed: the next request with its key may begin another one."""
TOO_LATE = (504, "timeout")
"""Status and code of an answer whose run goes on: what becomes of it is told later. A run may end with 504 too."""

EXAMPLES = {
    each.contract.path: each.contract.example for each in services().values() if each.contract is not None
}
PICTURES = ("/loopos_ai_c2c_descriptor", "/loopos_ai_c2c_validation")

_numbers = itertools.count(1)
Answer = tuple[int, str, Any]
"""The status, the run and the body of an answer."""


@dataclass(eq=False)
class RestRequest:
    """One request, and all that was answered to it."""

    path: str
    body: dict[str, Any]
    key: str | None
    hook: str | None
    """The path that it is posted to."""
    answers: list[Answer] = field(default_factory=list)
    job: dict[str, Any] | None = None
    """What GET /v1/jobs told in the end."""

    @property
    def whole(self) -> list[Answer]:
        """Return the answers that say what became of it."""
        return [each for each in self.lasting if (each[0], _code(each[2])) != TOO_LATE]

    @property
    def lasting(self) -> list[Answer]:
        """Return the answers but failures that its key began another run after, as docs/services.md promises."""
        last = next((run for _, run, _ in reversed(self.answers) if run), "")
        return [each for each in self.answers if each[0] < FAILED or each[1] in ("", last)]


@dataclass(eq=False)
class RestProgram:
    """A program at an address of its own; one request after another."""

    url: str
    hooks: str
    """The address of the receiver."""
    checks: FrameChecks
    rng: Random
    leisure: float
    patience_s: float
    over: bool = False
    requests: list[RestRequest] = field(default_factory=list)
    number: int = field(default_factory=lambda: next(_numbers))

    async def work(self) -> None:
        """Ask, until it is `over`; what has begun is ended."""
        while not self.over:
            await paced(self.rng.uniform(0.3, 2.0) * self.leisure)
            request = self._draw()
            self.requests.append(request)
            self.checks.note("requests")
            await self._ask(request)

    def _draw(self) -> RestRequest:
        path = self.rng.choice(list(EXAMPLES))
        keyed = self.rng.random() < KEYED
        id = f"chaos-request-{self.number}-{len(self.requests)}"
        hook = f"/hook/{id}" if self.rng.random() < CALLED_BACK else None
        body = dict(EXAMPLES[path])
        if path in PICTURES and self.rng.random() < PICTURED:
            colour = self.rng.choice(("red", "green", "blue"))
            body["images"] = [inline(png(colour)), inline(png(colour, (50, 50)))]
        if hook:
            body["callback_url"] = f"http://{self.hooks}{hook}"
        return RestRequest(path, body, id if keyed else None, hook)

    async def _ask(self, request: RestRequest) -> None:
        """Ask until it is answered; without a key once, as a second one would be another request."""
        if request.key is None:
            await self._try(request)
        else:
            count = 2 if self.rng.random() < TWICE_AT_ONCE else 1
            if not await self._insist(request, count):
                self.checks.blame(f"{request.key} is not answered within {self.patience_s:.0f} s")
                return
        if request.hook and request.answers:
            await self._follow(request)
        if request.key and self.rng.random() < AGAIN_LATER:
            self.checks.note("requests repeated")
            await self._try(request)

    async def _insist(self, request: RestRequest, count: int) -> bool:
        """Send it, `count` times at once, and again until it is answered."""
        deadline = time.monotonic() + self.patience_s
        pause_s = 0.25
        while time.monotonic() < deadline:
            if any(await asyncio.gather(*(self._try(request) for _ in range(count)))):
                return True
            pause_s = min(2 * pause_s, 4.0)
            await paced(pause_s)
        return False

    async def _try(self, request: RestRequest) -> bool:
        """Send it once; False when there was no answer, or one that asks to come back later."""
        headers = {"idempotency-key": request.key} if request.key else {}
        answer = await self._send("POST", request.path, request.body, headers)
        if answer is None or answer.status_code in LATER:
            return False
        run = answer.headers.get("x-loopwire-run", "")
        self.checks.note(f"request: {answer.status_code}")
        if not run:
            self.checks.blame(f"{request.path} gave {answer.status_code} {answer.text[:300]}")
        request.answers.append((answer.status_code, run, _json(answer)))
        return bool(request.whole)

    async def _follow(self, request: RestRequest) -> None:
        """Ask how far it is until it is over."""
        deadline = time.monotonic() + self.patience_s
        url = request.answers[0][2]["url"]
        while time.monotonic() < deadline:
            answer = await self._send("GET", url, None, {})
            if answer is not None and answer.status_code not in LATER:
                if answer.status_code != httpx2.codes.OK:
                    self.checks.blame(f"GET {url} gave {answer.status_code} {answer.text[:300]}")
                    return
                if answer.json()["status"] in ("done", "failed"):
                    request.job = answer.json()
                    return
            await paced(0.5)
        self.checks.blame(f"the job of {request.hook} is not over within {self.patience_s:.0f} s")

    async def _send(
        self, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> httpx2.Response | None:
        own = {"x-forwarded-for": f"10.78.{self.number // 250}.{self.number % 250 + 1}", **headers}
        try:
            async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=ANSWER_S) as client:
                return await client.request(method, self.url + path, json=body, headers=own)
        except httpx2.HTTPError:
            return None


def _json(answer: httpx2.Response) -> Any:
    try:
        return answer.json()
    except json.JSONDecodeError:
        return answer.text


def _code(body: Any) -> str | None:
    error = body.get("error") if isinstance(body, dict) else None
    return error.get("code") if isinstance(error, dict) else None
