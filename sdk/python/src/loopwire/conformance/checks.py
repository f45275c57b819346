"""The checks of a server, in the order in which they run. Each begins a conversation of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from loopwire.conformance.faults import require
from loopwire.conformance.judge import Judge
from loopwire.conformance.peer import Peer, Talk

Check = Callable[[Peer], Awaitable[None]]

CHECKS: dict[str, Check] = {}
"""Each check by what it says of a server that passes."""

UNAUTHORIZED = 4401


def check(says: str) -> Callable[[Check], Check]:
    """Add a check."""

    def add(judged: Check) -> Check:
        CHECKS[says] = judged
        return judged

    return add


async def _say(peer: Peer, talk: Talk, id: str = "m1") -> str:
    """Say something, and return the run that answers."""
    ack = await talk.say(peer.text, id)
    require(ack["type"] == "ack", f"a message is refused with {ack.get('code')}")
    require(bool(ack.get("run_id")), "an ack names no run")
    return str(ack["run_id"])


def _hello(talk: Talk) -> dict[str, object]:
    """Return the hello of a client that comes back."""
    token = talk.welcome["resume_token"]
    return {"resume_token": token, "last_seq": talk.judge.seq, "epoch": talk.judge.epoch}


@check("a hello is answered by welcome, snapshot and queue")
async def _(peer: Peer) -> None:
    ticket, session = await peer.ticket()
    async with peer.talk(hello={"ticket": ticket}) as talk:
        kinds = [each.get("type") for each in talk.frames]
        require(kinds == ["welcome", "snapshot", "queue"], f"the frames are {kinds}")
        require(talk.welcome["session_id"] == session, "the welcome is for another session than the ticket")
        require(not talk.welcome["resumed"], "a new session is said to be resumed")


@check("a ticket works once, and a wrong one never")
async def _(peer: Peer) -> None:
    ticket, _ = await peer.ticket()
    async with peer.talk(hello={"ticket": ticket}):
        pass
    for each in (ticket, "wrong"):
        async with peer.socket() as opened:
            await opened.send({"type": "hello", "ticket": each})
            code = await opened.close_code()
            require(code == UNAUTHORIZED, f"a ticket that is not good is closed with {code}")


@check("a message is stored once, however often it is sent")
async def _(peer: Peer) -> None:
    async with peer.talk() as talk:
        run = await _say(peer, talk)
        again = await talk.say(peer.text, "m1")
        require(again.get("dup") is True, "the ack of a message that was sent again says no dup")
        require(again.get("run_id") == run, "a message that was sent again begins another run")
        other = await talk.say(peer.text + " more", "m1")
        require(other["type"] == "error", "other words are taken under the same id")
        await talk.until_ended(run)
        said = [each for each in talk.judge.transcript.messages if each["role"] == "user"]
        require(len(said) == 1, f"one message is stored {len(said)} times")


@check("the events of a run are numbered without a hole, well formed, and closed in order")
async def _(peer: Peer) -> None:
    async with peer.talk() as talk:
        run = await _say(peer, talk)
        await talk.until_ended(run)
        second = await _say(peer, talk, "m2")
        await talk.until_ended(second)
        require(bool(talk.judge.events), "no event was sent one by one")


@check("two sockets get the same events under the same numbers")
async def _(peer: Peer) -> None:
    ticket, session = await peer.ticket()
    async with peer.talk(hello={"ticket": ticket}) as one, peer.talk(session) as other:
        run = await _say(peer, one)
        await one.until_ended(run)
        await other.until_ended(run)
        both = one.judge.events.keys() & other.judge.events.keys()
        require(bool(both), "the second socket got no event")
        for seq in both:
            require(one.judge.events[seq] == other.judge.events[seq], f"event {seq} is not the same for both")
        same = one.judge.transcript.messages == other.judge.transcript.messages
        require(same, "two sockets of a session fold to different messages")


@check("who comes back gets each missed event once and in order, or a snapshot")
async def _(peer: Peer) -> None:
    ticket, session = await peer.ticket()
    async with peer.talk(hello={"ticket": ticket}) as left, peer.talk(session) as stays:
        run = await _say(peer, left)
        while not left.judge.events:
            await left.receive()
        hello, judge = _hello(left), left.judge
        await left.socket.close()
        await stays.until_ended(run)
        async with peer.talk(hello=hello, before=judge) as back:
            replays = back.welcome["resumed"]
            kinds = {each.get("type") for each in back.frames}
            require(replays != ("snapshot" in kinds), "a resumed client gets a snapshot, or another one none")
            await back.until_ended(run) if replays else None
            same = back.judge.transcript.messages == stays.judge.transcript.messages
            require(same, "who returned folds to other messages than who stayed")


@check("a position of another log is answered by a snapshot")
async def _(peer: Peer) -> None:
    async with peer.talk() as talk:
        run = await _say(peer, talk)
        await talk.until_ended(run)
        for changed in ({"epoch": "unknown.1"}, {"last_seq": talk.judge.seq + 1_000_000}):
            async with peer.talk(hello={**_hello(talk), **changed}) as back:
                require(not back.welcome["resumed"], f"a position with {changed} is resumed")
                same = back.judge.transcript.messages == talk.judge.transcript.messages
                require(same, "a snapshot folds to other messages than the events")


@check("live events, a snapshot and the stored messages come to the same")
async def _(peer: Peer) -> None:
    ticket, session = await peer.ticket()
    async with peer.talk(hello={"ticket": ticket}) as talk:
        run = await _say(peer, talk)
        await talk.until_ended(run)
        async with peer.talk(session) as fresh:
            live, shown = talk.judge.transcript, fresh.judge.transcript
            require(live.messages == shown.messages, "a snapshot folds to other messages than the events")
            require(live.state == shown.state, "a snapshot has another state than the events")
        stored = await peer.messages(session)
        require(stored == talk.judge.transcript.messages, "other messages are stored than the events fold to")


@check("a stop from another socket ends the run for everybody, with everything closed")
async def _(peer: Peer) -> None:
    ticket, session = await peer.ticket()
    async with peer.talk(hello={"ticket": ticket}) as one, peer.talk(session) as other:
        run = await _say(peer, one)
        await other.send({"type": "cancel", "id": "stop", "run_id": run})
        answer = await other.until(lambda frame: frame.get("id") == "stop")
        require(answer["type"] == "ack", f"a stop is refused with {answer.get('code')}")
        await one.until_ended(run)
        await other.until_ended(run)
        same = one.judge.transcript.messages == other.judge.transcript.messages
        require(same, "a stopped run is not the same for both sockets")


@check("what is not understood is refused, and the socket lives on")
async def _(peer: Peer) -> None:
    async with peer.talk() as talk:
        for text in ("no json", '{"type": "nothing", "id": "x"}', '{"type": "message", "id": "y"}'):
            await talk.send(text)
            refused = await talk.until(lambda frame: frame.get("type") in ("error", "ack"))
            require(refused["type"] == "error", f"{text} is taken")
        await talk.until_ended(await _say(peer, talk))


@check("another visitor's conversation is not there")
async def _(peer: Peer) -> None:
    _, session = await peer.ticket()
    peer.http.cookies.clear()
    refused = await peer.http.post("/v1/tickets", json={"session_id": session})
    require(refused.status_code == 404, f"a ticket for another's session answers {refused.status_code}")


@check("events and commands over HTTP are the conversation of the sockets")
async def _(peer: Peer) -> None:
    ticket, session = await peer.ticket()
    judge, run, ids = Judge(), "", []
    token = ""
    async for id, frame in peer.events(session, ticket):
        judge.take(frame)
        ids += [id] if id else []
        token = frame.get("resume_token", token)
        if frame.get("type") == "queue" and not run:
            message = {"type": "message", "id": "m1", "content": [{"type": "text", "text": peer.text}]}
            bearer = {"authorization": f"Bearer {token}"}
            posted = await peer.http.post(f"/v1/sessions/{session}/commands", json=message, headers=bearer)
            require(posted.status_code == 200, f"a command answers {posted.status_code}")
            run = str(posted.json().get("run_id"))
        if run in judge.ended:
            break
    require(ids[-1] == f"{judge.epoch}-{judge.seq}", "the id of an event is not its epoch and number")
    async with peer.talk(session) as fresh:
        same = fresh.judge.transcript.messages == judge.transcript.messages
        require(same, "a stream and a socket fold to different messages")
    back = Judge()
    back.transcript, back.seq, back.epoch = fresh.judge.transcript, judge.seq, judge.epoch
    async for _, frame in peer.events(session, token, ids[-1]):
        require("event" not in frame, "Last-Event-ID gives an event that the client has")
        if frame.get("type") == "queue":
            break
