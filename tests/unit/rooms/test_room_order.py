"""The frames of each socket of a room and their order: of new, resumed and late sockets, and of senders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from server.bus import Entry
from server.errors import Internal, NotFound, Replaced, Unavailable
from server.html.live_text import LiveTexts, TextAdded, TextChange
from server.protocol import events as ev
from server.protocol.codec import encode_event
from server.protocol.commands import Hello
from server.protocol.envelope import Degraded, FeedbackNotice, Fragment, Queue, TypingNotice
from server.protocol.transcript import Transcript
from server.rooms.connection import Connection
from server.rooms.member import Member
from server.rooms.room import Room
from server.runs import ConversationSnapshot, epoch_without_log
from server.runs.conversation.snapshots import SHOWN
from tests.parts.wait import until_async
from tests.unit.rooms.recording_writer import RecordingWriter

NEW = Hello(type="hello", v=1, ticket="t")
MOST = 3


def entry(seq: int, epoch: str = "log.1") -> Entry:
    return Entry(seq, epoch, encode_event(ev.step_started(f"s{seq}")))


@dataclass
class Parts:
    """A log and a database that say what a test wrote into them; what was asked of them stays to be read."""

    seq: int = 3
    epoch: str = "log.1"
    missed: Sequence[Entry] | None = None
    """What a replay gives."""
    fails: dict[str, Exception] = field(default_factory=dict)
    """What fails when it is asked."""
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    meanwhile: list[Callable[[], None]] = field(default_factory=list)
    """What happens while the conversation is read, each once."""
    degraded: bool = False
    transcript: Sequence[ev.Event] = ()
    """The events of what a snapshot holds."""
    drawn: list[TextChange | TextAdded] = field(default_factory=list)
    """What was drawn of a growing text."""

    def bus(self) -> Any:
        async def watch(session_id: str, watcher: Room) -> None:
            self._ask("watch", session_id)

        return SimpleNamespace(
            hub=SimpleNamespace(watch=watch, unwatch=lambda *who: self.asked.append(("unwatch", *who))),
            reader=self,
            degraded=self.degraded,
        )

    def room(self) -> Room:
        session: Any = SimpleNamespace(id="ses_1", service="chat")
        runs: Any = self
        return Room(session, bus=self.bus(), runs=runs, fragment_renderer=self, most_sockets=MOST)

    def _ask(self, *what: Any) -> None:
        self.asked.append(what)
        if what[0] in self.fails:
            raise self.fails[what[0]]

    async def replay(self, session_id: str, epoch: str, seq: int) -> Sequence[Entry] | None:
        self._ask("replay", session_id, epoch, seq)
        return self.missed

    async def snapshot(self, session_id: str) -> ConversationSnapshot:
        self._ask("snapshot", session_id)
        while self.meanwhile:
            self.meanwhile.pop()()
        transcript = Transcript()
        for event in self.transcript:
            transcript.apply(event)
        return ConversationSnapshot(self.epoch, self.seq, transcript, [], None)

    async def queue(self, session_id: str) -> Queue:
        self._ask("queue", session_id)
        return Queue(items=[])

    async def feedback(self, session_id: str) -> dict[str, str]:
        self._ask("feedback", session_id)
        return {}

    async def prepare(self, transcript: Transcript, language: str) -> None:
        """Nothing is drawn here."""

    def text_fragment(self, change: TextChange | TextAdded, language: str) -> Fragment:
        self.drawn.append(change)
        return Fragment(f"<p>{language}</p>", "#x", "outerHTML")

    def fragments(self, transcript: Transcript, event: Any, *about: Any) -> Fragment:
        return Fragment(f"<p>{event['type']} {about[1]} {about[2]}</p>", "#x", "outerHTML")


@dataclass
class Socket:
    """One socket of a room, and the writer that it is written on."""

    member: Member
    writer: RecordingWriter

    def told(self) -> list[Any]:
        """Return the types of control frames and the numbers of events, in order; an epoch where it changes."""
        return [_told(each) for each in self.writer.frames()]


def _told(frame: dict[str, Any]) -> Any:
    if "batch" in frame:
        return [_told(each) for each in frame["batch"]]
    if "seq" not in frame or "type" in frame:
        return (frame["type"], frame["on"]) if frame["type"] == "degraded" else frame["type"]
    return (frame["seq"], frame["epoch"]) if "epoch" in frame else frame["seq"]


def welcome(resumed: bool, seq: int, epoch: str) -> bytes:
    return b'{"type":"welcome %s %d %s"}' % (str(resumed).lower().encode(), seq, epoch.encode())


async def joined(room: Room, hello: Hello = NEW, *, html: bool = False) -> Socket:
    writer = RecordingWriter()
    member = Member(Connection(writer, html=html, language="pt"))
    await room.join(member, hello, welcome)
    return Socket(member, writer)


def back(seq: int, epoch: str = "log.1") -> Hello:
    return Hello(type="hello", v=1, resume_token="r", last_seq=seq, epoch=epoch)


async def test_a_newcomer_is_told_where_it_is_then_all_then_the_queue() -> None:
    parts = Parts()
    room = parts.room()
    first, second = await joined(room), await joined(room)
    for each in (first, second):
        assert each.told() == ["welcome false 3 log.1", "snapshot", "queue"]
        assert each.writer.frames()[1]["seq"] == 3
    assert [each for each in parts.asked if each[0] == "watch"] == [("watch", "ses_1")], "one watch for all"
    assert {each[1] for each in parts.asked} == {"ses_1"}


async def test_a_newcomer_of_a_degraded_room_is_told_so_last() -> None:
    parts = Parts(degraded=True)
    assert (await joined(parts.room())).told()[-2:] == ["queue", ("degraded", True)]


async def test_the_oldest_of_too_many_is_replaced() -> None:
    room = Parts().room()
    sockets = [await joined(room) for _ in range(MOST + 1)]
    assert [each.writer.closed for each in sockets] == [(Replaced.close_code, Replaced.code), *[None] * MOST]
    assert room.members == [each.member for each in sockets[1:]]


async def test_a_returning_reader_gets_what_it_missed_in_one_frame_and_no_snapshot() -> None:
    parts = Parts(missed=[entry(4), entry(5), entry(6, "log.2")])
    socket = await joined(parts.room(), back(3))
    assert socket.told() == ["welcome true 6 log.2", [4, 5, (6, "log.2")], "queue"]
    assert ("replay", "ses_1", "log.1", 3) in parts.asked
    assert ("snapshot", "ses_1") not in parts.asked


async def test_a_returning_reader_that_missed_nothing_goes_on_from_there() -> None:
    room = Parts(missed=[]).room()
    socket = await joined(room, back(3))
    room.deliver([entry(4)])
    assert socket.told() == ["welcome true 3 log.1", "queue", 4]


@pytest.mark.parametrize(
    ("hello", "missed"),
    [
        (back(3), None),
        (Hello(type="hello", v=1, resume_token="r", last_seq=3), []),
        (Hello(type="hello", v=1, resume_token="r", epoch="log.1"), []),
    ],
)
async def test_a_returning_reader_with_an_unknown_position_gets_a_snapshot(
    hello: Hello, missed: list[Entry] | None
) -> None:
    socket = await joined(Parts(missed=missed).room(), hello)
    assert socket.told() == ["welcome false 3 log.1", "snapshot", "queue"]


async def test_every_event_is_told_once_in_order_and_a_hole_is_a_snapshot() -> None:
    parts = Parts()
    room = parts.room()
    socket, other = await joined(room), await joined(room)
    room.deliver([entry(3), entry(4), entry(5)])
    room.deliver([entry(4), entry(5), entry(6, "log.2"), entry(7, "log.2")])
    for each in (socket, other):
        assert each.told()[3:] == [4, 5, (6, "log.2"), 7]
    parts.seq, parts.epoch = 9, "log.2"
    room.deliver([entry(9, "log.2")])
    await until_async(lambda: socket.told()[-1] == other.told()[-1] == "queue", what="the snapshots")
    room.deliver([entry(10, "log.2")])
    for each in (socket, other):
        assert each.told()[7:] == ["snapshot", "queue", 10]


async def test_a_lost_position_is_a_snapshot_for_all_readers() -> None:
    parts = Parts()
    room = parts.room()
    sockets = [await joined(room) for _ in range(2)]
    parts.seq = 8
    room.resync()
    room.deliver([entry(9)])
    await until_async(lambda: all(len(each.told()) == 6 for each in sockets), what="the snapshots")
    assert [each.told()[3:] for each in sockets] == [["snapshot", [9], "queue"]] * 2


async def test_typing_and_feedback_are_not_sent_back_to_their_sender() -> None:
    room = Parts().room()
    socket, other = await joined(room), await joined(room)
    own = socket.member.connection.id
    for notice in (
        TypingNotice(from_tab=own),
        FeedbackNotice(message_id=own, value="up", from_tab=own),
        Degraded(on=True),
    ):
        room.control(notice.encode())
    assert socket.told()[3:] == [("degraded", True)]
    assert other.told()[3:] == ["typing", "feedback", ("degraded", True)]


async def test_a_room_that_receives_nothing_closes_its_sockets_and_watches_anew() -> None:
    parts = Parts()
    room = parts.room()
    sockets = [await joined(room) for _ in range(2)]
    room.drop()
    assert [each.writer.closed for each in sockets] == [(Internal.close_code, Internal.code)] * 2
    await joined(room)
    assert [each[0] for each in parts.asked].count("watch") == 2
    await room.aclose()
    assert parts.asked[-1] == ("unwatch", "ses_1", room)


async def test_a_degraded_state_is_sent_only_when_it_changes() -> None:
    room = Parts().room()
    socket = await joined(room)
    for late in (False, True, True, False):
        room.set_backlogged(late)
    assert socket.told()[3:] == [("degraded", True), ("degraded", False)]
    room.set_backlogged(True)
    assert (await joined(room)).told()[-1] == ("degraded", True)


async def test_a_snapshot_that_cannot_be_given_ends_the_socket_with_its_reason() -> None:
    parts = Parts(fails={"snapshot": NotFound()})
    socket = await joined(parts.room())
    assert socket.writer.frames()[0]["code"] == "not_found"
    assert socket.writer.closed == (NotFound.close_code or 1011, "not_found")


async def test_a_live_reader_that_cannot_be_brought_up_to_date_is_not_left_silent() -> None:
    parts = Parts()
    room = parts.room()
    socket = await joined(room)
    parts.fails["queue"] = Unavailable()
    room.resync()
    await until_async(
        lambda: [each[0] for each in parts.asked].count("queue") == 2, what="the queue to be asked"
    )
    assert socket.told()[3:] == ["snapshot"]
    assert socket.writer.closed is None
    parts.fails["queue"] = RuntimeError("broken")
    room.resync()
    await until_async(lambda: socket.writer.closed is not None, what="the end")
    assert socket.writer.closed == (Internal.close_code, Internal.code)


async def test_a_socket_of_html_is_drawn_for_from_where_it_comes_in() -> None:
    parts = Parts(missed=[])
    room = parts.room()
    socket = await joined(room, html=True)
    assert ("feedback", "ses_1") in parts.asked
    assert "MESSAGES_SNAPSHOT pt chat" in socket.writer.frames()[1]["content"]
    room.deliver([entry(4)])
    assert socket.writer.frames()[-1]["content"] == "<p>STEP_STARTED pt chat</p>"
    plain = await joined(room, back(3))
    room.deliver([entry(5)])
    assert "content" not in plain.writer.frames()[-1]
    room.remove(socket.member)
    assert room.renderer.is_empty, "nobody wants it"


async def test_a_socket_of_html_that_missed_nothing_goes_on_and_is_drawn_for() -> None:
    room = Parts(missed=[]).room()
    socket = await joined(room, back(3), html=True)
    assert socket.told() == ["welcome true 3 log.1", "queue"]
    room.deliver([entry(4)])
    assert socket.writer.frames()[-1]["content"] == "<p>STEP_STARTED pt chat</p>"


async def test_a_socket_of_html_that_missed_something_gets_a_snapshot() -> None:
    parts = Parts(missed=[entry(4)], seq=4)
    socket = await joined(parts.room(), back(3), html=True)
    assert socket.told() == ["welcome false 4 log.1", "snapshot", "queue"]


async def test_a_socket_of_html_to_which_something_came_meanwhile_gets_a_snapshot() -> None:
    parts = Parts(missed=[])
    room = parts.room()
    parts.meanwhile.append(lambda: room.deliver([entry(4)]))
    socket = await joined(room, back(3), html=True)
    assert socket.told() == ["welcome false 4 log.1", "snapshot", "queue"]


async def test_entries_received_during_a_snapshot_are_sent_once_behind_it() -> None:
    parts = Parts()
    room = parts.room()
    parts.meanwhile.append(lambda: room.deliver([entry(3), entry(4), entry(5)]))
    socket = await joined(room)
    assert socket.told() == ["welcome false 3 log.1", "snapshot", [4, 5], "queue"]
    parts.meanwhile.append(lambda: room.deliver([entry(9)]))
    late = await joined(room)
    assert late.told() == ["welcome false 3 log.1", "snapshot", "snapshot", "queue"], (
        "a hole is another snapshot"
    )


async def test_a_room_that_could_not_watch_its_conversation_tries_again() -> None:
    parts = Parts(fails={"watch": Unavailable()})
    room = parts.room()
    with pytest.raises(Unavailable):
        await joined(room)
    parts.fails.clear()
    await joined(room)
    assert [each[0] for each in parts.asked].count("watch") == 2


async def test_a_room_is_full_by_the_readers_of_one_kind() -> None:
    room = Parts().room()
    for _ in range(MOST):
        assert not room.is_full(operator=False)
        await joined(room)
    assert room.is_full(operator=False)
    assert not room.is_full(operator=True)


async def test_a_replaced_reader_leaves_without_taking_anothers_place() -> None:
    room = Parts().room()
    first, *others = [await joined(room) for _ in range(MOST + 1)]
    room.remove(first.member)
    assert room.members == [each.member for each in others]


async def test_a_new_conversation_is_told_nothing_by_the_first_look() -> None:
    parts = Parts(seq=0)
    room = parts.room()
    socket = await joined(room)
    for _ in range(3):
        room.note_stored(0)
    assert socket.told() == ["welcome false 0 log.1", "snapshot", "queue"]
    assert socket.member.live


async def test_a_newcomer_that_gets_its_snapshot_is_not_behind() -> None:
    parts = Parts()
    room = parts.room()
    parts.meanwhile += [partial(room.note_stored, 5)] * 2
    assert (await joined(room)).told() == ["welcome false 3 log.1", "snapshot", "queue"]


async def test_a_page_is_drawn_anew_for_stored_entries_that_no_log_has() -> None:
    parts = Parts()
    room = parts.room()
    page = await joined(room, html=True)
    room.operated = True
    parts.seq = 4
    for _ in range(2):
        room.note_stored(5)
    await until_async(lambda: page.told()[3:] == ["snapshot", "queue"], what="the snapshot")
    assert room.operated is None
    assert [each[0] for each in parts.asked].count("snapshot") == 2


async def test_after_a_lost_position_a_page_is_drawn_anew_and_the_operator_asked_for_again() -> None:
    parts = Parts()
    room = parts.room()
    page = await joined(room, html=True)
    room.operated = True
    parts.seq = 8
    room.resync()
    assert room.operated is None
    await until_async(lambda: page.told()[3:] == ["snapshot", "queue"], what="the snapshot")
    assert page.writer.frames()[3]["seq"] == 8
    room.deliver([entry(9)])
    assert page.writer.frames()[-1]["content"] == "<p>STEP_STARTED pt chat</p>"


async def test_an_event_that_comes_before_a_snapshot_is_told_behind_it() -> None:
    parts = Parts()
    room = parts.room()
    socket = await joined(room)
    room.resync()
    room.deliver([entry(4)])
    await until_async(lambda: len(socket.told()) == 6, what="the snapshot")
    assert socket.told()[3:] == ["snapshot", [4], "queue"]


async def test_a_page_stays_drawn_for_when_another_leaves_and_when_an_event_is_repeated() -> None:
    room = Parts().room()
    page, plain = await joined(room, html=True), await joined(room)
    room.remove(plain.member)
    for each in (entry(3), entry(4)):
        room.deliver([each])
    assert page.told()[3:] == [4]
    assert page.writer.frames()[-1]["content"] == "<p>STEP_STARTED pt chat</p>"


async def test_a_hole_gives_a_page_the_conversation_anew() -> None:
    parts = Parts()
    room = parts.room()
    page = await joined(room, html=True)
    parts.seq = 5
    room.deliver([entry(5)])
    await until_async(lambda: page.told()[3:] == ["snapshot", "queue"], what="the snapshot")
    room.deliver([entry(6)])
    assert page.writer.frames()[3]["seq"] == 5
    assert page.writer.frames()[-1]["content"] == "<p>STEP_STARTED pt chat</p>"


async def test_a_conversation_that_is_lost_while_its_thumbs_are_read_is_read_after_them() -> None:
    class Lost(Parts):
        async def feedback(self, session_id: str) -> dict[str, str]:
            room.renderer.clear()
            return await super().feedback(session_id)

    room = Lost().room()
    await joined(room, html=True)
    page = await joined(room, html=True)
    room.deliver([entry(4)])
    assert page.told() == ["welcome false 3 log.1", "snapshot", "queue", 4]


async def test_a_fault_of_the_drawing_keeps_no_event_from_a_page(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise KeyError

    room = Parts(transcript=[ev.text_start("m", "assistant")]).room()
    page = await joined(room, html=True)
    text = [Entry(seq, "log.1", encode_event(ev.text_content("m", "x"))) for seq in (4, 5)]
    monkeypatch.setattr(Parts, "fragments", broken)
    monkeypatch.setattr(Parts, "text_fragment", broken, raising=False)
    monkeypatch.setattr(LiveTexts, "follow", lambda *_: TextAdded("m", "x"))
    room.deliver(text[:1])
    monkeypatch.setattr(LiveTexts, "follow", broken)
    room.deliver([text[1], entry(6)])
    assert page.told()[3:] == [4, 5, 6]
    assert [each for each in page.writer.frames()[3:] if "content" in each] == []
    said = [each.getMessage() for each in caplog.records]
    assert said == ["drawing a text failed", "following a text failed", "drawing STEP_STARTED failed"]


async def test_the_text_of_a_page_is_followed_anew_after_a_lost_position() -> None:
    parts = Parts(transcript=[ev.text_start("m", "assistant")])
    room = parts.room()
    page = await joined(room, html=True)

    def piece(seq: int, text: str) -> Entry:
        return Entry(seq, "log.1", encode_event(ev.text_content("m", text)))

    room.deliver([piece(4, "one\n\ntwo")])
    assert "content" in page.writer.frames()[-1]
    room.resync()
    await until_async(lambda: page.told()[-1] == "queue" and len(page.told()) == 6, what="the snapshot")
    room.deliver([piece(4, "```\ncode")])
    change = parts.drawn[-1]
    assert isinstance(change, TextChange)
    assert change.leaf is not None and change.leaf.kind == "code"


async def test_a_page_gets_another_path_of_its_conversation_anew() -> None:
    parts = Parts()
    room = parts.room()
    page, plain = await joined(room, html=True), await joined(room)
    parts.seq = 4
    room.deliver([Entry(4, "log.1", encode_event(ev.messages_snapshot([], scope="path")))])
    await until_async(lambda: page.told()[3:] == ["snapshot", "queue"], what="the snapshot")
    assert plain.told()[3:] == [4]
    assert page.writer.frames()[3]["seq"] == 4


async def test_a_returning_reader_that_is_overtaken_by_a_hole_gets_a_snapshot_too() -> None:
    class Overtaken(Parts):
        async def replay(self, session_id: str, epoch: str, seq: int) -> Sequence[Entry] | None:
            self.seq = 9
            room.deliver([entry(9)])
            return await super().replay(session_id, epoch, seq)

    room = Overtaken(missed=[entry(4)]).room()
    assert (await joined(room, back(3))).told() == ["welcome true 4 log.1", [4], "snapshot", "queue"]


async def test_a_snapshot_has_the_events_of_its_conversation_and_the_page_before() -> None:
    class Long(Parts):
        async def snapshot(self, session_id: str) -> ConversationSnapshot:
            events = [ev.step_started("s")]
            return replace(await super().snapshot(session_id), events=events, before="msg_1")

    frame = (await joined(Long().room())).writer.frames()[1]
    assert (frame["events"], frame["before"]) == ([ev.step_started("s")], "msg_1")


@pytest.mark.parametrize(("epoch", "fence"), [("log.7", 7), ("nothing", 0)])
async def test_a_snapshot_of_what_no_log_has_gives_way_to_the_next_log(epoch: str, fence: int) -> None:
    parts = Parts(epoch=epoch)
    room = parts.room()
    socket = await joined(room)
    for _ in range(2):
        room.note_stored(5)
    await until_async(lambda: socket.told()[3:] == ["snapshot", "queue"], what="the snapshot")
    frame = socket.writer.frames()[3]
    assert (frame["seq"], frame["epoch"]) == (5, epoch_without_log(fence))
    assert (socket.member.seq, socket.member.epoch) == (5, epoch_without_log(fence))


@pytest.mark.parametrize("gone", ["left", "closed"])
async def test_a_reader_that_is_gone_is_brought_up_to_date_no_more(gone: str) -> None:
    parts = Parts()
    room = parts.room()
    socket, other = await joined(room), await joined(room)
    room.resync()
    if gone == "left":
        room.remove(socket.member)
    else:
        socket.member.connection.close(1000, "")
    await until_async(lambda: other.told()[3:] == ["snapshot", "queue"], what="the snapshot of the other")
    assert [each[0] for each in parts.asked].count("snapshot") == 3
    assert "snapshot" not in socket.told()[3:]


async def test_a_stream_gets_the_position_of_its_snapshot() -> None:
    def framed(payload: bytes, epoch: str = "", seq: int = 0) -> bytes:
        return b"%s %d" % (epoch.encode(), seq)

    writer = RecordingWriter()
    member = Member(Connection(writer, html=False, language="pt", framing=framed))
    await Parts().room().join(member, NEW, welcome)
    assert writer.sent == [b" 0", b"log.1 3", b" 0"]


async def test_a_snapshot_that_cannot_be_drawn_has_its_events_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: Any) -> Any:
        raise KeyError

    monkeypatch.setattr(Parts, "fragments", broken)
    page = await joined(Parts(transcript=[ev.text_start("m", "assistant")]).room(), html=True)
    assert page.told() == ["welcome false 3 log.1", "snapshot", "queue"]
    frame = page.writer.frames()[1]
    assert "content" not in frame
    assert "m" in [each.get("messageId") for each in frame["events"]]


async def test_a_text_that_a_snapshot_replaced_is_followed_anew() -> None:
    parts = Parts(transcript=[ev.text_start("m", "assistant")])
    room = parts.room()
    await joined(room, html=True)
    empty = {"id": "m", "role": "assistant", "content": "", "metadata": {"loopwire": {"open": True}}}
    said = [
        ev.text_content("m", "one\n\ntwo"),
        ev.messages_snapshot([empty]),
        ev.text_content("m", "```\ncode"),
    ]
    room.deliver([Entry(seq, "log.1", encode_event(event)) for seq, event in enumerate(said, 4)])
    change = parts.drawn[-1]
    assert isinstance(change, TextChange)
    assert change.leaf is not None and change.leaf.kind == "code"


async def test_a_room_draws_from_twice_what_a_page_shows_when_a_run_begins() -> None:
    ids = [f"m{number}" for number in range(3 * SHOWN)]
    said = [each for id in ids for each in (ev.text_start(id, "assistant"), ev.text_end(id))]
    room = Parts(transcript=said).room()
    await joined(room, html=True)
    events = (ev.text_start("new", "assistant"), ev.text_end("new"), ev.run_started("ses_1", "run_1"))
    kept = []
    for seq, event in enumerate(events, 4):
        room.deliver([Entry(seq, "log.1", encode_event(event))])
        assert room.renderer.transcript is not None
        kept.append([each["id"] for each in room.renderer.transcript.messages])
    assert kept[1] == [*ids, "new"]
    assert kept[2] == [*ids, "new"][-2 * SHOWN :]
