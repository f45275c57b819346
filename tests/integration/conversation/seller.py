"""A seller at a server: words or clicks until the item is complete, over a socket that may break at any time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from server.protocol.transcript import Transcript
from tests.integration.ws.visitor import Answer, Frame, Talk, Visitor
from tests.parts.wait import until_async

_addresses = itertools.count(1)
_ids = itertools.count(1)

Part = dict[str, Any]
Asked = dict[str, Any]

MOST_MESSAGES = 40
FORM_ANSWERS = {"number": "12", "date": "2021", "text": "uma caixa"}
YES = {"pt": "sim", "en": "yes"}


def new_address() -> str:
    """Return an address that nobody else in this process of the tests has."""
    number = next(_addresses)
    return f"10.1.{number // 250}.{number % 250 + 1}"


def new_frame_id() -> str:
    """Return an id that no other frame of this run of the tests has."""
    return f"said-{next(_ids)}"


def text_parts(text: str) -> list[Part]:
    """Words as the content of a message."""
    return [{"type": "text", "text": text}]


def waiting_blocks(transcript: Transcript) -> list[Asked]:
    """Return the questions that wait for an answer, with their ids, as the page shows them."""
    shown = [each for each in transcript.messages if each.get("activityType") == "block"]
    blocks = [{"id": each["id"], **each["content"]} for each in shown]
    return [each for each in blocks if each["status"] == "open" and "name" in each]


def typed(asked: Asked, language: str) -> list[Part]:
    """Return the answer of a seller who only types."""
    if asked["name"] in {"confirm", "options"}:
        return text_parts(YES[language])
    if asked["kind"] == "choices":
        return text_parts(asked["choices"][0]["label"])
    return text_parts(FORM_ANSWERS[asked.get("input", "text")])


def clicked(asked: Asked, _language: str) -> list[Part]:
    """Return the answer of a seller who only clicks: the block holds all of it."""
    if asked["kind"] == "choices":
        choice = asked["choices"][0]
        value, label = choice["value"], choice["label"]
    else:
        choice, value = {}, FORM_ANSWERS[asked.get("input", "text")]
        label = value
    name = choice.get("name") or asked["name"]
    return [{"type": "answer", "block_id": asked["id"], "name": name, "value": value, "label": label}]


@dataclass
class Seller(Visitor):
    """One browser at an address of its own, so that the limits of one address are not what is tested."""

    language: str = "pt"
    service: str = "submission"
    address: str = field(default_factory=new_address)
    opening: str = "Polly Magic"
    answer: Callable[[Asked, str], list[Part]] = typed
    patience: int = 1
    talk: Talk = field(init=False)

    def request(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None
    ) -> Answer:
        """Ask from the seller's own address."""
        return super().request(
            method, path, body, headers={"x-forwarded-for": self.address, **(headers or {})}
        )

    def ticket(self, **body: Any) -> Frame:
        """Get a ticket for the service in the seller's language."""
        new = {} if "session_id" in body else {"service": self.service}
        return super().ticket(**{"language": self.language, **new, **body})

    async def begin(self, **options: Any) -> Talk:
        """Open the socket that `talk` is from now on."""
        self.talk = await self.open(**options)
        return self.talk

    async def tab(self, *, html: bool = False) -> Talk:
        """Open the same conversation once more."""
        return await self.open(session=self.talk.session, html=html)

    async def back(self, *, position: bool = True, talk: Talk | None = None) -> Talk:
        """Come back with the resume token; with the position what was missed comes, without it a snapshot."""
        old = talk or self.talk
        hello: Frame = {"type": "hello", "resume_token": old.welcome["resume_token"]}
        if position:
            hello |= {"last_seq": old.seq, "epoch": old.epoch}
        new = Talk(await self.socket(), welcome=old.welcome)
        if position:
            new.transcript, new.seq, new.epoch = old.transcript, old.seq, old.epoch
        await new.send(hello)
        await new.until(lambda frame: frame.get("type") == "queue")
        return new

    async def say(self, content: str | list[Part], id: str | None = None) -> Frame:
        """Send a message, wait for its ack and for the end of its run; returns the ack."""
        parts = text_parts(content) if isinstance(content, str) else content
        return await self.answer_frame({"type": "message", "id": id or new_frame_id(), "content": parts})

    async def answer_frame(self, frame: Frame) -> Frame:
        """Send a frame that starts a run, wait for its ack and for the end of its run; returns the ack."""
        await self.talk.send(frame)
        ack = await self.talk.until(lambda each: each.get("id") == frame["id"])
        assert ack["type"] == "ack", ack
        await ended(self.talk, ack["run_id"], self.patience)
        return ack

    def next_message(self) -> list[Part] | None:
        """Return what this seller answers now; None when the item is complete."""
        transcript = self.talk.transcript
        if transcript.state.get("status") in {"complete", "refused"}:
            return None
        if not transcript.messages:
            return text_parts(self.opening)
        asked = waiting_blocks(transcript)
        assert len(asked) == 1, f"one question at a time, not {asked}"
        return self.answer(asked[0], self.language)

    async def sell(self) -> Transcript:
        """Go through the whole conversation."""
        for _ in range(MOST_MESSAGES):
            content = self.next_message()
            if content is None:
                return self.talk.transcript
            await self.say(content)
        raise AssertionError("the conversation does not come to an end")

    def stored(self) -> list[dict[str, Any]]:
        """Return the whole transcript as REST gives it, page by page."""
        found: list[dict[str, Any]] = []
        before: str | None = None
        while True:
            query = f"?limit=20{f'&before={before}' if before else ''}"
            page = self.request("GET", f"/v1/sessions/{self.talk.session}/messages{query}").body
            found, before = [*page["messages"], *found], page["before"]
            if before is None:
                return found

    def item(self) -> dict[str, Any]:
        """Return the item of this conversation as REST gives it."""
        answer = self.request("GET", f"/v1/items/{self.talk.transcript.state['item_id']}")
        assert answer.status == 200, answer.body
        found: dict[str, Any] = answer.body
        return found


async def ended(talk: Talk, run_id: str, patience: int = 1) -> None:
    """Take frames until this run, or a later one, has ended; `patience` many silences are borne before."""

    def over() -> bool:
        run = talk.transcript.run
        return run is not None and run.status != "running" and (run.id == run_id or known_after())

    def known_after() -> bool:
        return any(
            each.get("metadata", {}).get("loopwire", {}).get("run_id") == run_id
            for each in talk.transcript.messages
        )

    while not over():
        try:
            await talk.receive()
        except TimeoutError:
            patience -= 1
            if not patience:
                raise


def seen(talk: Talk) -> Any:
    """Return all that a person can see; when a finished run began is known only to those who were there."""
    shown, run = talk.transcript, talk.transcript.run
    ended = (run.id, run.status, run.outcome, run.code) if run is not None else None
    return shown.messages, shown.state, shown.steps, shown.open_texts, shown.open_calls, ended


async def words(talk: Talk, count: int) -> None:
    """Take frames until an open text of an agent has so many words."""

    def spoken() -> int:
        found = [talk.transcript.message(each) for each in talk.transcript.open_texts]
        return max(
            (len(each["content"].split()) for each in found if each and each["role"] == "assistant"),
            default=0,
        )

    while spoken() < count:
        await talk.receive()


async def deltas(talk: Talk, count: int) -> None:
    """Take frames until so many deltas of an agent's text have come."""
    seen = 0
    while seen < count:
        frame = await talk.receive()
        role = next(iter(talk.transcript.open_texts.values()), "")
        seen += frame.get("event", {}).get("type") == "TEXT_MESSAGE_CONTENT" and role == "assistant"


@dataclass
class Stubborn:
    """A seller's client that reconnects until it is answered, and sends again what was never acknowledged."""

    seller: Seller
    reconnects: int = 0
    resumed: list[bool] = field(default_factory=list)
    acks: list[Frame] = field(default_factory=list)

    async def say(self, content: list[Part]) -> None:
        """Have a message answered, however often the server dies meanwhile."""
        frame = {"type": "message", "id": new_frame_id(), "content": content}
        ack: Frame | None = None
        while True:
            talk = self.seller.talk
            try:
                if ack is None:
                    await talk.send(frame)
                    ack = await talk.until(lambda each: each.get("id") == frame["id"])
                    assert ack["type"] == "ack", ack
                    self.acks.append(ack)
                await ended(talk, ack["run_id"], self.seller.patience)
            except (ConnectionClosed, OSError):
                await self._again()
            else:
                return

    async def sell(self) -> Transcript:
        """Go through the whole conversation."""
        for _ in range(MOST_MESSAGES):
            content = self.seller.next_message()
            if content is None:
                return self.seller.talk.transcript
            await self.say(content)
        raise AssertionError("the conversation does not come to an end")

    async def settled(self) -> None:
        """Have a socket that is open."""
        try:
            pong = await self.seller.talk.socket.ping()
            await pong
        except ConnectionClosed:
            await self._again()

    async def _again(self) -> None:
        """Reconnect as soon as a server answers."""

        async def tried() -> Talk | None:
            try:
                return await self.seller.back()
            except (ConnectionClosed, InvalidHandshake, OSError):
                return None

        self.seller.talk = await until_async(tried, seconds=120, what="the server to be back")
        self.reconnects += 1
        self.resumed.append(bool(self.seller.talk.welcome["resumed"]))


def plain(transcript: Transcript) -> list[Any]:
    """Return a conversation without its ids, times and numbers: two of the same words and deeds are equal."""
    return list(_plain(transcript))


def _plain(transcript: Transcript) -> Iterator[Any]:
    reference = str(transcript.state.get("reference") or "no reference")
    item_id = str(transcript.state.get("item_id") or "no item")

    def said(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(reference, "LW-*").replace(item_id, "itm_*")
        if isinstance(value, dict):
            return {key: said(each) for key, each in value.items() if key not in {"tool_call_id", "block_id"}}
        return [said(each) for each in value] if isinstance(value, list) else value

    for message in transcript.messages:
        if calls := message.get("toolCalls"):
            yield "call", calls[0]["function"]["name"], said(calls[0]["function"]["arguments"])
        elif message["role"] == "activity":
            yield message["activityType"], said(message["content"])
        else:
            yield message["role"], message.get("name"), said(message["content"])
    yield "state", said(transcript.state)
