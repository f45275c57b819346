"""`python -m tests.transcripts.record [name …]`: record the sessions of the conformance kit anew, at real servers.

Each file holds every frame that one client got, in order, and what was stored at the end. The ids are whatever they
were on that day.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.integration.api.test_app_keys import Program
from tests.integration.conversation.models import remote
from tests.integration.conversation.seller import (
    Seller,
    Stubborn,
    clicked,
    ended,
    new_frame_id,
    text_parts,
    words,
)
from tests.integration.crash.restarting_server import RestartingServer
from tests.modelserver import Call, Plan, Reasoning, Scripted, Text
from tests.modelserver.faults import ServerError
from tests.parts.app_keys import new_key
from tests.parts.model import Held, Model, Tap, sentences
from tests.parts.server import served
from tests.parts.wait import until_async

FOLDER = Path(__file__).parents[2] / "sdk/python/src/loopwire/conformance/transcripts"
QUICK = {"LOOPWIRE_DEMO_DELAY_MS": "0"}
OPENING = "Polly Magic"


def write(name: str, seller: Seller, frames: list[dict[str, Any]]) -> None:
    """Write one session; a frame is a line, so that a change can be read."""
    transcript = seller.talk.transcript
    told = {"stored": seller.stored(), "state": transcript.state}
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in frames if public(each))
    rest = ",\n".join(f'"{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in told.items())
    (FOLDER / f"{name}.json").write_text(f'{{"frames": [\n{lines}\n],\n{rest}}}\n', encoding="utf-8")


def public(frame: dict[str, Any]) -> bool:
    """Leave the permission out: it was a secret on that day."""
    frame.pop("resume_token", None)
    return True


async def sent(seller: Seller, text: str) -> str:
    """Send a message; returns its run."""
    await seller.talk.send({"type": "message", "id": new_frame_id(), "content": text_parts(text)})
    ack = await seller.talk.until(lambda frame: frame.get("type") == "ack")
    return str(ack["run_id"])


async def submission() -> None:
    """A whole sale, typed."""
    with served(QUICK) as running:
        seller = Seller(running)
        await seller.begin()
        await seller.sell()
        write("submission", seller, seller.talk.frames)
        await seller.aclose()


async def handoff() -> None:
    """Up to the answer in which the agents hand over to each other."""
    with served(QUICK) as running:
        seller = Seller(running)
        await seller.begin()
        await seller.say(OPENING)
        await seller.say("sim")
        write("handoff", seller, seller.talk.frames)
        await seller.aclose()


async def error() -> None:
    """A model that fails."""
    with remote("responses") as running:
        seller = Seller(running.served)
        await seller.begin()
        async with running.model(Scripted()) as server:
            server.faults.add(ServerError(), times=None)
            await ended(seller.talk, await sent(seller, OPENING))
        write("error", seller, seller.talk.frames)
        await seller.aclose()


async def cancel() -> None:
    """An answer that is stopped in its middle."""
    with remote("responses") as running:
        seller = Seller(running.served)
        await seller.begin()
        async with running.model(Scripted()) as server:
            Model(server).held(sentences(10)).let(6)
            run = await sent(seller, OPENING)
            await words(seller.talk, 6)
            await seller.talk.send({"type": "cancel", "id": "stop", "run_id": run})
            await ended(seller.talk, run)
        write("cancel", seller, seller.talk.frames)
        await seller.aclose()


async def reasoning() -> None:
    """Summaries of what the model thinks: around a call, in two parts, and one that is stopped in its middle."""
    with remote("responses", {"LOOPWIRE_SHOW_REASONING": "1"}) as running:
        seller = Seller(running.served, service="chat")
        await seller.begin()
        call = Call("search_catalog", {"query": "iphone"})
        thought = Reasoning("**Reading**\n\nThe person asks what there is.")
        plans = [Plan([thought, call]), Plan([Reasoning("Two were found."), Text("There are two.")])]
        async with running.model(Scripted(plans)) as server:
            await seller.say("What is there?")
            tap = Tap()
            server.brain.extend([Plan([Reasoning(sentences(4))], faults=(Held(tap.allowed),))])
            tap.let(6)
            run = await sent(seller, "And phones?")
            await seller.talk.until(lambda frame: str(frame.get("event", {}).get("delta")).endswith("c1 "))
            await seller.talk.send({"type": "cancel", "id": "stop", "run_id": run})
            await ended(seller.talk, run)
        write("reasoning", seller, seller.talk.frames)
        await seller.aclose()


async def take_over() -> None:
    """A process that is killed in mid-answer, and the one that goes on."""
    restarting = RestartingServer({})
    try:
        seller = Seller(restarting.served, answer=clicked, patience=3)
        frames = (await seller.begin()).frames
        client = Stubborn(seller)
        restarting.die_at("publish.TOOL_CALL_RESULT:0")
        await client.say(text_parts(OPENING))
        await until_async(restarting.died, what="the death")
        again = seller.talk.frames
        write("take-over", seller, frames if again is frames else [*frames, *again])
        await seller.aclose()
    finally:
        restarting.close()


async def interrupt() -> None:
    """A yes that is wanted, and given."""
    with asking() as running:
        seller = Seller(running)
        await seller.begin()
        while not (waiting := interrupts(seller)):
            content = seller.next_message()
            assert content is not None
            await seller.say(content)
        entry = {"interrupt_id": waiting[0]["id"], "status": "resolved", "payload": {"approved": True}}
        await seller.talk.send({"type": "resume", "id": "yes", "entries": [entry]})
        ack = await seller.talk.until(lambda frame: frame.get("id") == "yes")
        await ended(seller.talk, ack["run_id"])
        write("interrupt", seller, seller.talk.frames)
        await seller.aclose()


async def operator() -> None:
    """A person of the team who joins, answers and leaves."""
    with served(QUICK) as running:
        seller = Seller(running)
        await seller.begin()
        await seller.say(OPENING)
        program = Program(running, key=new_key(running, {}, "demo", "operator"))
        path = f"/v1/sessions/{seller.talk.session}"
        assert program.request("PUT", f"{path}/operator", {"name": "Ana"}).status == 200
        await sent(seller, "Posso entregá-lo na loja?")
        answer = {"id": "o1", "name": "Ana", "content": "Sim, no **sábado**."}
        ack = program.request("POST", f"{path}/messages", answer).body
        assert program.request("DELETE", f"{path}/operator").status == 204
        await ended(seller.talk, ack["run_id"])
        await seller.say("Obrigado")
        write("operator", seller, seller.talk.frames)
        await seller.aclose()


async def versions() -> None:
    """A message that is edited, answered again, and shown as it was before."""
    with served(QUICK) as running:
        seller = Seller(running)
        await seller.begin()
        await seller.say(OPENING)
        first = seller.talk.transcript.messages[0]["id"]
        for frame in (
            {"type": "edit", "id": "e1", "message_id": first, "content": text_parts("PlayStation 5")},
            {"type": "regenerate", "id": "g1", "message_id": first},
            {"type": "switch", "id": "w1", "message_id": first},
        ):
            await seller.talk.send(frame)
            ack = await seller.talk.until(lambda got, id=frame["id"]: got.get("id") == id)
            await ended(seller.talk, ack["run_id"])
        write("versions", seller, seller.talk.frames)
        await seller.aclose()


def interrupts(seller: Seller) -> list[dict[str, Any]]:
    """Return what the last run waits for."""
    run = seller.talk.transcript.run
    found: list[dict[str, Any]] = (run.outcome or {}).get("interrupts", []) if run is not None else []
    return found


@contextmanager
def asking() -> Any:
    """Yield a server whose app wants a yes before an item is made."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "apps.toml"
        file.write_text('[demo]\napprovals = ["create_item"]\n')
        with served({**QUICK, "LOOPWIRE_APPS": str(file)}) as running:
            yield running


SESSIONS: dict[str, Callable[[], Awaitable[None]]] = {
    "submission": submission,
    "handoff": handoff,
    "error": error,
    "cancel": cancel,
    "reasoning": reasoning,
    "take-over": take_over,
    "interrupt": interrupt,
    "operator": operator,
    "versions": versions,
}


async def main(names: list[str]) -> None:
    """Record what is named, or everything."""
    for name in names or SESSIONS:
        await SESSIONS[name]()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
