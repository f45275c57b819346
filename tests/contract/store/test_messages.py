"""The stored conversation: exactly what was finished, in its order, and together with the log everything."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select, update

from server.errors import Fenced, NotFound
from server.protocol.order import NEAR
from server.store import Checkpoint, FeedbackReason
from server.store.tables import feedback, messages
from tests.contract.store.conftest import Talk, Talks
from tests.parts.checkpoints import checkpoint_of


def texts(messages: list[dict[str, Any]]) -> list[str]:
    """Return what the messages say."""
    return [message["content"] for message in messages]


async def test_a_message_that_changes_leaves_those_of_its_name_in_other_sessions_alone(talks: Talks) -> None:
    mine, others = await talks(), await talks()
    for talk in (others, mine):
        await talk.say("a")
        await talk.finish(
            await talk.claim(), messages=[{"id": "same", "role": "assistant", "content": "old"}]
        )
    await mine.say("b")
    await mine.finish(await mine.claim(), messages=[{"id": "same", "role": "assistant", "content": "new"}])
    for talk, content in ((mine, "new"), (others, "old")):
        stored = await talk.store.messages.transcript(talk.session.id)
        assert [each["content"] for each in stored.messages] == [content]


async def test_a_transcript_holds_finished_runs_only_and_says_how_far_it_reaches(talk: Talk) -> None:
    empty = await talk.store.messages.transcript(talk.session.id)
    assert empty == ([], {}, 0, None, False)
    first = await talk.turn("a", last_seq=12, state={"step": 1})
    await talk.say("b")
    claim = await talk.claim()
    await talk.store.runs.checkpoint(
        claim.run.id,
        claim.run.fence,
        Checkpoint(None, [{"id": "x", "role": "assistant"}], {"step": 2}, [], None),
    )
    stored = await talk.store.messages.transcript(talk.session.id)

    assert stored.messages == first
    assert (stored.state, stored.last_seq) == ({"step": 1}, 12)
    second = await talk.finish(claim, "re: b", last_seq=20, state={"step": 3})
    stored = await talk.store.messages.transcript(talk.session.id)
    assert stored == (first + second, {"step": 3}, 20, claim.run.id, False)


async def test_the_end_of_a_run_changes_the_session_in_the_same_moment(talk: Talk) -> None:
    await talk.say("a")
    claim = await talk.claim()
    await talk.finish(
        claim,
        "x",
        outcome="error",
        code="limit",
        agent="options",
        title="iPhone 13",
        status_line="waiting",
        published=False,
    )
    session = await talk.store.sessions.load(talk.session.id)
    run = await talk.store.runs.get(claim.run.id)

    assert (session.agent, session.title, session.status) == ("options", "iPhone 13", "waiting")
    assert (session.last_run, session.active_leaf, session.last_seq) == (
        claim.run.id,
        f"{claim.run.id}.0",
        10,
    )
    assert (run.status, run.outcome, run.code, run.published) == ("finished", "error", "limit", False)
    assert run.ended_at is not None


async def test_a_title_stays_until_another_one_comes(talk: Talk) -> None:
    await talk.turn("a", title="iPhone 13")
    await talk.turn("b", title=None)
    assert (await talk.store.sessions.load(talk.session.id)).title == "iPhone 13"


async def test_the_last_seq_of_a_session_never_decreases(talk: Talk) -> None:
    await talk.turn("a", last_seq=50)
    await talk.turn("b", last_seq=7)
    assert (await talk.store.messages.transcript(talk.session.id)).last_seq == 50


async def test_an_end_that_cannot_be_stored_leaves_everything_as_it_was(talk: Talk) -> None:
    await talk.turn("a")
    before = await talk.store.messages.transcript(talk.session.id)
    await talk.say("b")
    claim = await talk.claim()
    with pytest.raises(NotFound):
        await talk.finish(claim, "x", parent="msg_none")

    assert await talk.store.messages.transcript(talk.session.id) == before
    assert await talk.store.runs.running(talk.session.id) == claim.run
    assert (await talk.renew(claim, 10)).alive


async def test_a_known_message_is_replaced_in_its_place(talk: Talk) -> None:
    first = await talk.turn("a", "which one?")
    await talk.say("b")
    claim = await talk.claim()
    answered = {**first[1], "content": "this one"}
    new = {"id": claim.run.message_id, "role": "user", "content": "b"}
    await talk.finish(claim, messages=[answered, new])

    stored = await talk.store.messages.transcript(talk.session.id)
    assert texts(stored.messages) == ["a", "this one", "b"]
    assert texts(await talk.store.messages.of_run(claim.run.id)) == ["b"]


async def test_a_run_that_only_changes_an_earlier_message_moves_nothing(talk: Talk) -> None:
    first = await talk.turn("a", "which one?")
    await talk.say("b")
    await talk.finish(await talk.claim(), messages=[{**first[1], "content": "closed"}])
    await talk.turn("c")
    assert texts((await talk.store.messages.transcript(talk.session.id)).messages) == [
        "a",
        "closed",
        "c",
        "re: c",
    ]


async def test_messages_of_one_id_in_two_sessions_are_stored_apart(talks: Talks) -> None:
    one, other = await talks(), await talks()
    for talk in (one, other):
        await talk.say("a")
        message = {"id": "call_1", "role": "assistant", "content": talk.session.id}
        await talk.finish(await talk.claim(), messages=[message])
    for talk in (one, other):
        assert texts((await talk.store.messages.transcript(talk.session.id)).messages) == [talk.session.id]


async def test_the_model_remembers_the_finished_runs_in_order(talk: Talk) -> None:
    for text in "abc":
        await talk.turn(text)
    await talk.say("d")
    await talk.claim()
    history = await talk.store.messages.history(talk.session.id)
    assert texts(history) == ["a", "re: a", "b", "re: b", "c", "re: c"]


async def test_a_branch_hides_what_it_replaces_from_reader_and_model(talk: Talk) -> None:
    await talk.turn("a")
    first = (await talk.store.sessions.load(talk.session.id)).active_leaf
    old = await talk.turn("b")
    new = await talk.turn("c", parent=first)
    messages = talk.store.messages
    assert texts((await messages.transcript(talk.session.id)).messages) == ["a", "re: a", "c", "re: c"]
    assert texts(await messages.history(talk.session.id)) == ["a", "re: a", "c", "re: c"]

    await talk.say("d", kind="note")
    await talk.finish(await talk.claim(), messages=[], items=[], parent=old[-1]["id"])
    assert texts((await messages.transcript(talk.session.id)).messages) == ["a", "re: a", "b", "re: b"]
    assert texts(await messages.history(talk.session.id)) == ["a", "re: a", "b", "re: b"]
    assert texts(await messages.of_run(await _run_of(talk, "c"))) == texts(new)


async def _run_of(talk: Talk, text: str) -> str:
    return (await talk.say(text)).run_id


async def test_pages_go_back_to_the_beginning_without_a_gap_or_an_overlap(talk: Talk) -> None:
    for each in range(7):
        await talk.turn(f"m{each}")
    whole = (await talk.store.messages.transcript(talk.session.id)).messages
    seen, cursor = [], None
    while True:
        page = await talk.store.messages.page(talk.session.id, "ana", limit=4, before=cursor)
        assert len(page.messages) <= 4
        seen[:0] = page.messages
        if page.cursor is None:
            break
        assert page.cursor == page.messages[0]["id"]
        cursor = page.cursor
    assert seen == whole


async def test_messages_before_a_message_and_until_it_are_read_by_pages(talk: Talk) -> None:
    for each in range(7):
        await talk.turn(f"m{each}")
    whole = (await talk.store.messages.transcript(talk.session.id)).messages
    page = await talk.store.messages.before(talk.session.id, whole[9]["id"], 4)
    assert (page.messages, page.cursor) == (whole[5:9], whole[5]["id"])
    page = await talk.store.messages.before(talk.session.id, whole[2]["id"], 4)
    assert (page.messages, page.cursor) == (whole[:2], None)
    with pytest.raises(NotFound):
        await talk.store.messages.before(talk.session.id, "msg_none", 4)
    assert await talk.store.messages.until(talk.session.id, whole[9]["id"], 4) == (whole[6:10], True)
    assert await talk.store.messages.until(talk.session.id, whole[1]["id"], 4) == (whole[:2], False)


async def test_a_result_that_a_later_run_told_is_read_with_its_call(talk: Talk) -> None:
    """Far from its call in the tree of messages, it is in the call's page and in no other."""
    call = {"id": "cal_1", "role": "assistant", "toolCalls": [{"id": "cal_1"}]}
    result = {"id": "res_cal_1", "role": "tool", "toolCallId": "cal_1"}
    others = [{"id": f"m{each}", "role": "assistant", "content": str(each)} for each in range(2 * NEAR)]
    for text, told in (("a", [call, *others]), ("b", [result, {"id": "last", "role": "user"}])):
        await talk.say(text)
        await talk.finish(await talk.claim(), messages=told)
    whole = [call, result, *others, {"id": "last", "role": "user"}]
    assert (await talk.store.messages.transcript(talk.session.id)).messages == whole
    assert (await talk.store.messages.transcript(talk.session.id, 3)).messages == whole[-2:]
    newest = await talk.store.messages.page(talk.session.id, "ana", limit=10)
    assert newest.messages == whole[-9:]
    older = await talk.store.messages.page(talk.session.id, "ana", before=newest.cursor)
    assert (older.messages, older.cursor) == (whole[:-9], None)


async def test_a_page_before_the_first_message_is_empty(talk: Talk) -> None:
    first = await talk.turn("a")
    assert await talk.store.messages.page(talk.session.id, "ana", before=first[0]["id"]) == ([], None)
    assert (await talk.store.messages.page(talk.session.id, "ana", limit=2)).cursor is None


async def test_a_page_of_anothers_session_is_not_found(talk: Talk) -> None:
    first = await talk.turn("a")
    for session_id, principal, before in (
        (talk.session.id, "eva", None),
        ("ses_none", "ana", None),
        (talk.session.id, "ana", "msg_none"),
    ):
        with pytest.raises(NotFound):
            await talk.store.messages.page(session_id, principal, before=before)
    assert (await talk.store.messages.page(talk.session.id, "ana")).messages == first


async def test_an_unknown_session_has_neither_transcript_nor_history(talk: Talk) -> None:
    with pytest.raises(NotFound):
        await talk.store.messages.transcript("ses_none")
    with pytest.raises(NotFound):
        await talk.store.messages.history("ses_none")


async def test_a_transcript_is_of_one_moment_while_runs_end(talk: Talk) -> None:
    """Each run adds a message and ten numbers and counts in the first one: all else were a gap or an overlap."""
    await talk.say("0")
    await talk.finish(
        await talk.claim(), messages=[{"id": "counter", "runs": 0}], last_seq=10, state={"runs": 0}
    )
    done = asyncio.Event()

    async def speak() -> None:
        for each in range(1, 40):
            await talk.say(str(each))
            said = [{"id": "counter", "runs": each}, {"id": f"m{each}"}]
            await talk.finish(
                await talk.claim(), messages=said, last_seq=(each + 1) * 10, state={"runs": each}
            )
        done.set()

    async def read() -> int:
        seen = 0
        while not done.is_set():
            stored = await talk.store.messages.transcript(talk.session.id)
            runs = stored.state["runs"]
            assert stored.messages == [
                {"id": "counter", "runs": runs},
                *({"id": f"m{n}"} for n in range(1, runs + 1)),
            ]
            assert stored.last_seq == (runs + 1) * 10
            seen += 1
        return seen

    _, *reads = await asyncio.gather(speak(), read(), read(), read())
    assert min(reads) > 5


async def test_the_last_checkpoint_counts(talk: Talk) -> None:
    await talk.say("a")
    claim = await talk.claim()
    for each in range(3):
        point = Checkpoint(None, [{"id": str(each)}], {"each": each}, [], None)
        await talk.store.runs.checkpoint(claim.run.id, claim.run.fence, point)
    assert await checkpoint_of(talk.store, claim.run.id) == point


async def test_a_run_that_ends_fifty_times_at_once_ends_once(talk: Talk) -> None:
    await talk.say("a")
    claim = await talk.claim()
    ends = await asyncio.gather(
        *(talk.finish(claim, f"x{each}", published=False) for each in range(50)), return_exceptions=True
    )
    won = [end for end in ends if not isinstance(end, BaseException)]
    assert len(won) == 1
    assert sum(isinstance(end, Fenced) for end in ends) == 49
    assert (await talk.store.messages.transcript(talk.session.id)).messages == won[0]


async def _reasons(talk: Talk) -> dict[str, FeedbackReason]:
    """Return why the messages of the session were judged as they are: no statement of the store reads it."""
    query = select(feedback).where(feedback.c.session_id == talk.session.id)
    return {
        row.message_id: FeedbackReason(row.reason, row.comment)
        for row in await talk.store.database.fetch(query)
    }


async def test_thumbs_are_kept_changed_and_taken_back(talk: Talk) -> None:
    messages = talk.store.messages
    said = await talk.turn("a")
    id = said[1]["id"]
    await messages.feedback(id, "ana", "up")
    await messages.feedback(id, "ana", "down")
    assert await messages.feedback_of(talk.session.id) == {id: "down"}
    assert await _reasons(talk) == {id: FeedbackReason()}
    why = FeedbackReason("wrong", "São 3 peças. " + "🧵" * 480)
    await messages.feedback(id, "ana", "down", why)
    assert await _reasons(talk) == {id: why}
    await messages.feedback(id, "ana", "up")
    assert await _reasons(talk) == {id: FeedbackReason()}
    await messages.feedback(id, "ana", None)
    assert await messages.feedback_of(talk.session.id) == {}


async def test_feedback_returns_the_run_of_its_message_and_leaves_others_unchanged(talk: Talk) -> None:
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    first = await talk.turn("a")
    await talk.say("b", trace_context=trace)
    claim = await talk.claim()
    second = await talk.finish(claim, "re: b")
    judge = talk.store.messages.feedback
    await judge(first[1]["id"], "ana", "up")
    judged = await judge(second[1]["id"], "ana", "down", FeedbackReason("wrong", "no"))
    assert (judged.run_id, judged.trace_context) == (claim.run.id, trace)
    assert judged.created_at > 1_700_000_000_000
    assert await judge(second[1]["id"], "ana", None) == judged
    assert await talk.store.messages.feedback_of(talk.session.id) == {first[1]["id"]: "up"}


async def test_feedback_goes_to_the_newest_of_the_messages_with_one_id(talks: Talks) -> None:
    new, old = await talks(), await talks()
    for talk, at in ((new, 9), (old, 5)):
        await talk.say("a")
        await talk.finish(await talk.claim(), messages=[{"id": "same", "role": "assistant", "content": "b"}])
        own = messages.c.session_id == talk.session.id
        await talk.store.database.execute(update(messages).where(own).values(created_at=at), {})
    judged = await new.store.messages.feedback("same", "ana", "up")
    assert judged.created_at == 9
    assert await new.store.messages.feedback_of(new.session.id) == {"same": "up"}
    assert await new.store.messages.feedback_of(old.session.id) == {}


async def test_feedback_on_anothers_message_is_not_found(talk: Talk, talks: Talks) -> None:
    said = await talk.turn("a")
    await (await talks("eva")).turn("a")
    for id, principal in ((said[1]["id"], "eva"), ("msg_none", "ana")):
        with pytest.raises(NotFound):
            await talk.store.messages.feedback(id, principal, "up")


@pytest.mark.parametrize(
    "text", ["emoji 🛵 e acentos ção", "  spaces \n\n and\ttabs ", '"quotes" \\ and ü', "'; --"]
)
async def test_a_text_is_read_as_it_was_written(talk: Talk, text: str) -> None:
    await talk.say(text, client_id="c")
    claim = await talk.claim()
    assert claim.run.content[0]["text"] == text
    await talk.finish(claim, text, state={text: [text]})
    stored = await talk.store.messages.transcript(talk.session.id)
    assert (texts(stored.messages), stored.state) == ([text, text], {text: [text]})


async def test_the_end_of_a_long_conversation_is_read_alone(talk: Talk) -> None:
    """Whatever is asked for, it is the end of all that there is, and of items at least as many as wanted."""
    for each in range(9):
        await talk.turn(f"m{each}")
    whole, items = await talk.store.messages.conversation(talk.session.id)
    assert (len(whole.messages), len(items), whole.older) == (18, 18, False)
    for most, wanted in ((1, 1), (4, 3), (4, 9), (5, 18), (17, 2), (18, 40), (30, None)):
        end, last = await talk.store.messages.conversation(talk.session.id, most, wanted)
        assert end.messages == whole.messages[-most:]
        assert end.older == (most < 18)
        assert last == items[-len(last) :]
        assert wanted is None or len(last) >= min(wanted, 18)
        assert (await talk.store.messages.transcript(talk.session.id, most)) == end


async def test_a_read_of_the_last_items_has_the_wanted_number_or_a_few_more(talk: Talk) -> None:
    for each in range(25):
        await talk.turn(f"m{each}")
    _, items = await talk.store.messages.conversation(talk.session.id)
    for most, wanted, more in ((2, 2, 0), (4, 20, 9), (1, 3, 9), (30, 30, 0)):
        _, last = await talk.store.messages.conversation(talk.session.id, most, wanted)
        assert wanted <= len(last) <= wanted + more
        assert last == items[-len(last) :]


async def test_messages_are_read_by_their_ids_in_their_own_session_alone(talks: Talks) -> None:
    one, other = await talks(), await talks()
    said = [*await one.turn("a"), *await other.turn("b")]
    ids = [each["id"] for each in said]
    assert await one.store.messages.bodies(one.session.id, ids) == {each["id"]: each for each in said[:2]}
    assert await one.store.messages.bodies(one.session.id, []) == {}
