"""The side of a backend: requests of services, and the conversations of its users, with the key of an app."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from loopwire.access import Access, json_of
from loopwire.chat import Chat, connect
from loopwire.errors import Garbled
from loopwire.messages import Message

PATHS = "/loopos_ai_"
ANSWER_S = 330.0
"""A request waits for its answer: no run may take longer."""
PAGE = 50


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service answered; `demo` when the server's scripted model did."""

    data: Any
    run_id: str
    session_id: str
    demo: bool


@dataclass(frozen=True, slots=True)
class Job:
    """A request: `status` is queued, running, done (then `result` is its answer) or failed (then `code` says why).

    `steps` are its agents and calls of tools so far, each with `type`, `name` and `status`; `progress` is the part of
    its agents that has answered, 0 to 1, and None where that is not known. `user` is the one who is meant where the job
    is given to `job` or `wait` without another: who was named when it was begun or looked at.
    """

    id: str
    session_id: str
    status: str
    result: Any = None
    code: str | None = None
    progress: float | None = None
    steps: tuple[dict[str, Any], ...] = ()
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """A message of an operator, which is stored; `dup` where it had been stored before."""

    run_id: str
    message_id: str
    dup: bool


class Service:
    """What a backend may do for its users, within `async with`."""

    def __init__(self, url: str, key: str, *, user: str | None = None) -> None:
        """`user` is the one who is meant where no other is named; without any it is the app itself."""
        self._url = url
        self._key = key
        self._user = user
        self._access = Access(url, key=key, user=user)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Let go of all connections."""
        await self._access.aclose()

    async def request(
        self, service: str, data: Mapping[str, Any], *, user: str | None = None, id: str | None = None
    ) -> Answer:
        """Ask a service, and wait for its answer; the same `id` is the same request, however often it is sent."""
        response = await self._access.request(
            "POST",
            _path_of(service),
            json=dict(data),
            headers={**_headers(user), "idempotency-key": id or uuid.uuid4().hex},
            timeout=ANSWER_S,
        )
        told = response.headers
        return Answer(
            json_of(response),
            told.get("x-loopwire-run", ""),
            told.get("x-loopwire-session", ""),
            told.get("x-loopwire-demo") == "true",
        )

    async def start(
        self,
        service: str,
        data: Mapping[str, Any],
        *,
        callback_url: str,
        user: str | None = None,
        id: str | None = None,
    ) -> Job:
        """Begin a request whose answer is posted to an address when it is there."""
        response = await self._access.request(
            "POST",
            _path_of(service),
            json={**data, "callback_url": callback_url},
            headers={**_headers(user), "idempotency-key": id or uuid.uuid4().hex},
        )
        told = json_of(response)
        try:
            return Job(told["job_id"], response.headers["x-loopwire-session"], told["status"], user=user)
        except (KeyError, TypeError) as error:
            raise Garbled("a request that was begun has a job_id and a session") from error

    async def job(self, job: Job | str, *, user: str | None = None) -> Job:
        """Look how far a request is."""
        job_id, known = (job.id, job.user) if isinstance(job, Job) else (job, None)
        user = user or known
        told = await self._access.json("GET", f"/v1/jobs/{quote(job_id, safe='')}", headers=_headers(user))
        return Job(
            told["job_id"],
            told.get("loopwire_session") or told["session_id"],  # An older server has the second alone.
            told["status"],
            told.get("result"),
            (told.get("error") or {}).get("code"),
            told.get("progress"),
            tuple(told.get("steps", ())),
            user,
        )

    async def wait(self, job: Job, *, user: str | None = None) -> Job:
        """Wait for the end of a request, and return it as it is then."""
        user = user or job.user
        async with self.connect(user=user, session=job.session_id) as chat:
            await chat.follow(job.id)
        return await self.job(job, user=user)

    async def begin(
        self,
        service: str | None = None,
        *,
        user: str | None = None,
        alias: str | None = None,
        language: str | None = None,
        callback_url: str | None = None,
    ) -> str:
        """Begin a conversation, and return its id; the end of each of its runs is posted to `callback_url`."""
        given = {"service": service, "alias": alias, "language": language, "callback_url": callback_url}
        body = {name: value for name, value in given.items() if value is not None}
        told = await self._access.json("POST", "/v1/sessions", json=body, headers=_headers(user))
        return str(told["id"])

    def connect(self, *, user: str | None = None, **options: Any) -> Chat:
        """Open a conversation of a user; options are those of `loopwire.connect`."""
        return connect(self._url, key=self._key, user=user or self._user, **options)

    async def conversations(self, *, user: str | None = None) -> AsyncIterator[dict[str, Any]]:
        """Yield the conversations of a user, the newest first."""
        async for each in self._pages("/v1/sessions", "sessions", user):
            yield each

    async def history(self, session: str, *, user: str | None = None) -> AsyncIterator[Message]:
        """Yield the messages of a conversation, the newest first."""
        path = f"{_path_of_session(session)}/messages"
        async for each in self._pages(path, "messages", user, backwards=True):
            yield each

    # With a key of scope `operator`.

    async def app_conversations(self, words: str | None = None) -> AsyncIterator[dict[str, Any]]:
        """Yield all conversations of the app, the newest change first; with `words` those whose titles have each."""
        asked = {} if words is None else {"q": words}
        async for each in self._pages("/v1/operator/sessions", "sessions", None, asked=asked):
            yield each

    async def write(
        self, session: str, content: str, *, name: str | None = None, id: str | None = None
    ) -> Written:
        """Write in a conversation under a person's name; the same `id` is the same message."""
        body = {"id": id or uuid.uuid4().hex, "content": content, **_named(name)}
        told = await self._access.json("POST", f"{_path_of_session(session)}/messages", json=body)
        return Written(told["run_id"], told["message_id"], bool(told.get("dup")))

    async def take_over(self, session: str, name: str | None = None) -> None:
        """Let a person answer in place of the agents; an answer at work is stopped."""
        await self._access.json("PUT", f"{_path_of_session(session)}/operator", json=_named(name))

    async def give_back(self, session: str) -> None:
        """Let the agents answer again."""
        await self._access.request("DELETE", f"{_path_of_session(session)}/operator")

    async def _pages(
        self,
        path: str,
        name: str,
        user: str | None,
        *,
        backwards: bool = False,
        asked: Mapping[str, str] | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        place = {**(asked or {}), "limit": PAGE}
        while True:
            page = await self._access.json("GET", path, params=place, headers=_headers(user))
            for each in reversed(page[name]) if backwards else page[name]:
                yield each
            if page["before"] is None:
                return
            place["before"] = page["before"]


def service(url: str, key: str, *, user: str | None = None) -> Service:
    """Speak for the users of an app: `async with loopwire.service(url, key) as service`."""
    return Service(url, key, user=user)


def _path_of(service: str) -> str:
    return service if service.startswith("/") else PATHS + service


def _path_of_session(session: str) -> str:
    return f"/v1/sessions/{quote(session, safe='')}"


def _named(name: str | None) -> dict[str, str]:
    return {} if name is None else {"name": name}


def _headers(user: str | None) -> dict[str, str]:
    return {} if user is None else {"loopwire-user": quote(user)}
