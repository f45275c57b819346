"""A caller with AG-UI's own client: an agent of it, and a browser's cookie."""

from __future__ import annotations

import itertools
import json
import urllib.request
from dataclasses import dataclass, field
from typing import Any

from server.protocol.events import ours
from tests.integration.conversation.seller import waiting_blocks
from tests.integration.ws.visitor import Answer, Visitor
from tests.parts.agui_client import Client, Json, Ran
from tests.parts.wait import until_async

_numbers = itertools.count(1)

YES = "sim"
FORM_ANSWERS = {"number": "12", "date": "2021", "text": "uma caixa"}
MOST_MESSAGES = 40


@dataclass
class Caller(Visitor):
    """One agent of the client at a server, and the thread that it talks in."""

    client: Client = None  # type: ignore[assignment]
    service: str = "submission"
    number: int = field(default_factory=lambda: next(_numbers))

    @property
    def agent(self) -> str:
        """The agent's name in the client."""
        return f"agent-{self.number}"

    @property
    def thread(self) -> str:
        """The caller's own name of the conversation."""
        return f"thread {self.number}"

    def request(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None
    ) -> Answer:
        """Ask from an address of its own, so that the limits of one address are not what is tested."""
        own = {"x-forwarded-for": f"10.3.{self.number % 250}.{self.number // 250}"}
        return super().request(method, path, body, headers={**own, **(headers or {})})

    async def begin(self, *, thread: str | None = None, headers: Json | None = None, **config: Any) -> None:
        """Make the agent; a cookie is fetched unless other headers are given."""
        if headers is None:
            if not self.cookie:
                self.request("GET", "/v1/sessions")
            headers = {"cookie": self.cookie}
        url = f"{self.served.url}/agui/{self.service}"
        config = {"url": url, "threadId": thread or self.thread, "headers": headers, **config}
        await self.client.do("agent", agent=self.agent, **config)

    async def add(self, text: str, id: str | None = None) -> str:
        """Let the agent know a new message of the user; returns its id."""
        id = id or f"said-{next(_numbers)}"
        message = {"id": id, "role": "user", "content": text}
        await self.client.do("say", agent=self.agent, message=message)
        return id

    async def said(self, text: str) -> Ran:
        """Say something; the run that answers is under way."""
        await self.add(text)
        return self.client.begin(self.agent)

    async def say(self, text: str) -> Ran:
        """Say something and have the whole answer."""
        return await self.client.wait(await self.said(text))

    def post(self, body: Json, *, headers: Json | None = None) -> list[Json]:
        """Post as a program does, and read the events of the whole response."""
        answer = self.request("POST", f"/agui/{self.service}", body, headers=headers)
        assert answer.status == 200, answer.body
        return events_in(answer.body)

    def opened(self, body: Json, headers: Json | None = None) -> Any:
        """Post, and give the response as it comes."""
        request = urllib.request.Request(
            f"{self.served.url}/agui/{self.service}",
            data=json.dumps(body).encode(),
            headers={"content-type": "application/json", "cookie": self.cookie, **(headers or {})},
        )
        return urllib.request.urlopen(request, timeout=60)

    def command(self, session: str, **frame: Any) -> Answer:
        """Send a command to the conversation, with a ticket as any program would."""
        ticket = self.ticket(session_id=session)["ticket"]
        bearer = {"authorization": f"Bearer {ticket}"}
        return self.request("POST", f"/v1/sessions/{session}/commands", frame, headers=bearer)

    def session(self, ran: Ran) -> str:
        """Return the id that the run's session has here."""
        return str(ours(ran.events[0])["session_id"])

    def stored(self, session: str) -> list[Json]:
        """Return the transcript as REST gives it, under the ids that a caller knows."""
        found: list[Json] = []
        before: str | None = None
        while True:
            query = f"?limit=100{f'&before={before}' if before else ''}"
            page = self.request("GET", f"/v1/sessions/{session}/messages{query}").body
            found, before = [*page["messages"], *found], page["before"]
            if before is None:
                return [told(each) for each in found]


async def wait_for_words(ran: Ran, words: int) -> None:
    """Wait until so much was said in a run."""
    await until_async(lambda: ran.done.is_set() or len(ran.text().split()) >= words, what=f"{words} words")
    assert not ran.done.is_set(), ran.after


def body_of(thread: str, run: str, *messages: tuple[str, str], **more: Any) -> Json:
    """Return a RunAgentInput whose messages are all of the user: pairs of id and text."""
    said = [{"id": id, "role": "user", "content": text} for id, text in messages]
    return {"threadId": thread, "runId": run, "messages": said, **more}


def events_in(body: bytes) -> list[Json]:
    """Return the events of a response."""
    lines = body.decode().split("\n\n")
    return [json.loads(each.removeprefix("data: ")) for each in lines if each.startswith("data: ")]


def told(message: Json) -> Json:
    """Return a message as far as both sides know it, under the caller's id."""
    shown = {
        key: message[key]
        for key in ("role", "content", "toolCalls", "toolCallId", "activityType", "name")
        if key in message
    }
    for call in shown.get("toolCalls", ()):
        call.pop("metadata", None)
    return {"id": ours(message).get("client_id") or message["id"], **shown}


class _Shown:
    """Messages that can be asked for their open blocks."""

    def __init__(self, messages: list[Json]) -> None:
        self.messages = messages


def next_text(ran: Ran) -> str | None:
    """Return what a seller who only types says next; None when nothing is asked."""
    asked = waiting_blocks(_Shown(ran.messages))  # type: ignore[arg-type]
    if not asked or ran.after["state"].get("status") in {"complete", "refused"}:
        return None
    block = asked[-1]
    if block["name"] in {"confirm", "options"}:
        return YES
    if block["kind"] == "choices":
        return str(block["choices"][0]["label"])
    return FORM_ANSWERS[block.get("input", "text")]
