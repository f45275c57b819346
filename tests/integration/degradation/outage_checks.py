"""The views that an operator and a person have of a server in trouble."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.integration.ws.visitor import Answer, Frame, Talk, Visitor
from tests.parts.wait import paced, until_async


async def ask(visitor: Visitor, method: str, path: str, body: Any = None) -> Answer:
    """Ask over HTTP without standing still."""
    return await asyncio.to_thread(lambda: visitor.request(method, path, body))


async def health(visitor: Visitor, **wanted: Any) -> int:
    """Wait until /readyz says so, and return its status; /healthz says that the process lives whatever happens."""
    answers: list[Answer] = []

    async def says() -> bool:
        answers.append(await ask(visitor, "GET", "/readyz"))
        return answers[-1].body.items() >= wanted.items()

    await until_async(says, what=f"/readyz to say {wanted}")
    assert (await ask(visitor, "GET", "/healthz")).status == 200
    return answers[-1].status


async def take_until_notice(talk: Talk, *, degraded: bool) -> None:
    """Take frames until the person is told; an earlier frame may have told it already."""
    while True:
        said = [each["on"] for each in talk.frames if each.get("type") == "degraded"]
        if said and said[-1] is degraded:
            return
        await talk.receive()


async def insist(talk: Talk, text: str, id: str) -> list[Frame]:
    """Send a message again after each `unavailable`, as our client does; return all answers, the ack last."""
    answers: list[Frame] = []
    while not answers or answers[-1]["type"] != "ack":
        answers.append(await talk.say(text, id))
        if answers[-1]["type"] == "error":
            assert answers[-1]["code"] == "unavailable"
            assert answers[-1]["retry"] is True
            await paced(answers[-1]["retry_after"])
    return answers


async def stored(visitor: Visitor, talk: Talk) -> list[Any]:
    """Return what a reload shows."""
    answer = await ask(visitor, "GET", f"/v1/sessions/{talk.session}/messages")
    assert answer.status == 200, answer.body
    messages: list[Any] = answer.body["messages"]
    return messages


async def intact(visitor: Visitor, talk: Talk, *texts: str) -> None:
    """Each of these was stored exactly once, each was answered, and what was shown is what a reload shows."""

    kept: list[Any] = []

    async def has_ended() -> bool:
        kept[:] = await stored(visitor, talk)
        return len(kept) == len(talk.transcript.messages)

    await until_async(has_ended, what="all that was shown to be stored")
    assert kept == talk.transcript.messages
    said = [each for each in talk.transcript.messages if each["role"] == "user"]
    assert [
        each["content"] if isinstance(each["content"], str) else each["content"][0]["text"] for each in said
    ] == list(texts)
    assert talk.transcript.run is None or talk.transcript.run.status != "running"
