"""The tree of messages: versions are siblings, one path is active, and each continues with the state that it left."""

from __future__ import annotations

from typing import Any

import pytest

from server.errors import IdReused, NotEditable, NotFound
from server.protocol.events import ours
from server.store import ROOT, Claim, Finish, Store
from server.store.conversations import versions as versions_module
from server.store.runs.interrupt_tables import interrupts
from tests.contract.store.conftest import Talk, Talks
from tests.contract.store.test_interrupts import answer, asks, ends, waits, yes
from tests.contract.store.test_operators import SAY, does


async def edit(talk: Talk, of: str, text: str, **more: Any) -> Claim:
    """Store another version of a message, and claim its run."""
    await talk.say(text, branch={"version_of": of}, **more)
    return await talk.claim()


async def finish(talk: Talk, claim: Claim, *answers: str, **more: Any) -> list[dict[str, Any]]:
    """End a run where it leaves the active path."""
    assert claim.run.branch is not None
    found = await talk.store.versions.find_branch(talk.session.id, claim.run.branch)
    assert found is not None
    return await talk.finish(claim, *answers, parent=found.parent or ROOT, **more)


async def switch(talk: Talk, to: str, client_id: str) -> None:
    """Show another version, as the note of a switch does."""
    await talk.say("", client_id=client_id, branch={"switch_to": to}, kind="note")
    await finish(talk, claim := await talk.claim(), messages=[], items=[])
    assert claim.run.kind == "note"


async def shown(store: Store, talk: Talk, most: int | None = None) -> list[tuple[str, list[str]]]:
    """Return the texts of the active path, each with the versions that it names."""
    messages = (await store.messages.transcript(talk.session.id, most)).messages
    return [(each["content"], ours(each).get("versions", [])) for each in messages]


async def test_a_version_takes_the_place_of_a_message_and_of_all_that_followed(talk: Talk) -> None:
    first, second = (await talk.turn("a"))[0]["id"], (await talk.turn("b"))[0]["id"]
    new = (await finish(talk, await edit(talk, second, "c"), "re: c"))[0]["id"]
    assert await shown(talk.store, talk) == [("a", []), ("re: a", []), ("c", [second, new]), ("re: c", [])]
    history = await talk.store.messages.history(talk.session.id)
    assert [item["content"] for item in history] == ["a", "re: a", "c", "re: c"]
    again = (await finish(talk, await edit(talk, first, "d"), "re: d"))[0]["id"]
    assert await shown(talk.store, talk) == [("d", [first, again]), ("re: d", [])]
    assert [item["content"] for item in await talk.store.messages.history(talk.session.id)] == ["d", "re: d"]


@pytest.mark.parametrize("levels", [1, 2, versions_module.LEVELS])
async def test_a_switch_shows_what_was_written_last_below_a_version(
    talk: Talk, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions_module, "LEVELS", levels)
    first, second = (await talk.turn("a"))[0]["id"], (await talk.turn("b"))[0]["id"]
    third = (await finish(talk, await edit(talk, second, "c"), "re: c"))[0]["id"]
    await talk.turn("after c")
    other = (await finish(talk, await edit(talk, first, "d"), "re: d"))[0]["id"]
    await switch(talk, first, "s1")
    versions = [second, third]
    assert await shown(talk.store, talk) == [
        ("a", [first, other]),
        ("re: a", []),
        ("c", versions),
        ("re: c", []),
        ("after c", []),
        ("re: after c", []),
    ]
    await switch(talk, second, "s2")
    assert [text for text, _ in await shown(talk.store, talk)] == ["a", "re: a", "b", "re: b"]
    await switch(talk, other, "s3")
    assert [text for text, _ in await shown(talk.store, talk)] == ["d", "re: d"]
    # What is said now follows the version that is shown.
    await talk.turn("e")
    assert [text for text, _ in await shown(talk.store, talk)] == ["d", "re: d", "e", "re: e"]


async def test_the_end_of_a_path_and_its_pages_name_the_same_versions(talk: Talk) -> None:
    ids = [(await talk.turn(f"m{each}"))[0]["id"] for each in range(6)]
    await finish(talk, await edit(talk, ids[5], "n"), "re: n")
    await finish(talk, await edit(talk, ids[5], "o"), "re: o")
    whole = (await talk.store.messages.transcript(talk.session.id)).messages
    assert len(whole) == 12
    for most in range(1, 13):
        assert (await talk.store.messages.transcript(talk.session.id, most)).messages == whole[-most:]
    page = await talk.store.messages.page(talk.session.id, "ana", limit=2)
    assert (page.messages, len(ours(page.messages[0])["versions"])) == (whole[-2:], 3)


async def test_a_branch_starts_with_the_state_and_the_agent_before_its_message(talk: Talk) -> None:
    """The state and the agent are those after the message before it: nothing and nobody before the first one."""
    first = (await talk.turn("a", state={"at": 1}, agent="one"))[0]["id"]
    second = (await talk.turn("b", state={"at": 2}, agent="two"))[0]["id"]
    find_branch = talk.store.versions.find_branch
    before = await find_branch(talk.session.id, {"version_of": second})
    assert before is not None
    assert (before.state, before.agent, before.versions) == ({"at": 1}, "one", [second])
    root = await find_branch(talk.session.id, {"version_of": first})
    assert root is not None
    assert (root.parent, root.state, root.agent) == (None, {}, None)
    back = await find_branch(talk.session.id, {"switch_to": first})
    assert back is not None
    assert (back.state, back.agent, back.versions) == ({"at": 2}, "two", [])
    assert await find_branch(talk.session.id, {"version_of": "msg_none"}) is None


async def test_a_branch_reports_a_done_once_call_after_its_message(talk: Talk) -> None:
    first = (await talk.turn("a"))[0]["id"]
    await talk.say("b")
    claim = await talk.claim()
    await talk.store.ledger.begin(claim.run.id, "call", "create_item", "once", "hash")
    kept = []
    for settle in (None, talk.store.ledger.keep_result):
        if settle is not None:
            await settle(claim.run.id, "call", {"id": 7})
        found = await talk.store.versions.find_branch(talk.session.id, {"version_of": first})
        assert found is not None
        kept.append(found.kept)
    assert kept == [False, True]
    await talk.finish(claim, "re: b")
    third = (await talk.turn("c"))[0]["id"]
    after = await talk.store.versions.find_branch(talk.session.id, {"version_of": third})
    assert after is not None
    assert not after.kept


async def test_a_new_version_stops_the_running_and_the_waiting_runs(talk: Talk) -> None:
    first = await talk.say("a")
    running = await talk.claim()
    waiting = await talk.say("b")
    submitted = await talk.say("c", branch={"version_of": first.message_id})
    assert submitted.stopped == (first.run_id,)
    assert (await talk.renew(running, 10)).cancel
    assert (await talk.store.runs.get(waiting.run_id)).cancel
    assert not (await talk.store.runs.get(submitted.run_id)).cancel
    # The message whose run had not ended is in the tree by the time that the new run begins.
    await talk.finish(running, "re")
    await talk.finish(await talk.claim())
    claim = await talk.claim()
    assert claim.run.id == submitted.run_id
    await finish(talk, claim, "re: c")
    assert await shown(talk.store, talk) == [("c", [first.message_id, claim.run.message_id]), ("re: c", [])]


@pytest.mark.parametrize("kind", ["version_of", "switch_to"])
async def test_an_open_question_of_the_path_that_is_left_is_closed(talk: Talk, kind: str) -> None:
    first = (await talk.turn("a"))[0]["id"]
    await talk.say("b")
    await talk.finish(await talk.claim(), outcome="interrupt", interrupts=[waits("a")], resume=None)
    assert len(await talk.store.interrupts.open_in(talk.session.id)) == 1
    await talk.say("c", branch={kind: first}, kind="agent" if kind == "version_of" else "note")
    assert await talk.store.interrupts.open_in(talk.session.id) == []
    rows = await talk.store.database.fetch(interrupts.select())
    assert [row.status for row in rows] == ["overridden"]


async def test_a_question_that_is_asked_while_a_switch_waits_is_closed_at_once(talk: Talk) -> None:
    first = (await talk.turn("a"))[0]["id"]
    await talk.say("b")
    claim = await talk.claim()
    await talk.say("", client_id="s", branch={"switch_to": first}, kind="note")
    await talk.finish(claim, outcome="interrupt", interrupts=[waits("a")], resume=None)
    assert await talk.store.interrupts.open_in(talk.session.id) == []


async def test_the_same_version_again_is_the_same_run_and_another_under_its_id_is_refused(talk: Talk) -> None:
    first, second = (await talk.turn("a"))[0]["id"], (await talk.turn("b"))[0]["id"]
    made = await talk.say("c", branch={"version_of": second})
    again = await talk.say("c", branch={"version_of": second})
    assert (again.run_id, again.dup, again.stopped) == (made.run_id, True, ())
    for other in ({"version_of": first}, None):
        with pytest.raises(IdReused):
            await talk.say("c", branch=other)
    assert not (await talk.store.runs.get(made.run_id)).cancel


async def test_a_message_is_found_by_itself_by_its_answer_and_in_its_own_session_alone(talks: Talks) -> None:
    talk, other = await talks(), await talks()
    find = talk.store.versions.find
    said = await talk.turn("a")
    own, answer = said[0]["id"], said[1]["id"]
    found = await find(talk.session.id, own)
    assert (found.message_id, found.content, found.versions) == (own, [{"type": "text", "text": "a"}], 1)
    assert await find(talk.session.id, answer, of_answer=True) == found
    last_run = (await talk.store.sessions.load(talk.session.id)).last_run
    assert last_run is not None
    assert await find(talk.session.id, last_run) == found
    with pytest.raises(NotEditable):
        await find(talk.session.id, answer)
    for session, id in ((talk.session.id, "msg_none"), (other.session.id, own), (other.session.id, last_run)):
        with pytest.raises(NotFound):
            await find(session, id, of_answer=True)
    running = await talk.say("b")
    for id in (running.message_id, running.run_id):
        waiting = await find(talk.session.id, id)
        assert (waiting.message_id, waiting.versions) == (running.message_id, 1)
    await talk.finish(await talk.claim(), "re: b")
    await finish(talk, await edit(talk, own, "c"), "re: c")
    assert (await find(talk.session.id, own)).versions == 2


async def test_a_branch_reports_a_once_call_in_the_run_of_its_own_message(talks: Talks) -> None:
    talk, other = await talks(), await talks()
    find, ledger = talk.store.versions.find_branch, talk.store.ledger

    async def kept(message_id: str) -> bool:
        found = await find(talk.session.id, {"version_of": message_id})
        assert found is not None
        return found.kept

    ids = []
    for each, effect in ((talk, "repeatable"), (other, "once"), (talk, "once")):
        await each.say(f"a {effect}")
        claim = await each.claim()
        await ledger.begin(claim.run.id, "call", "look", effect, "hash")
        await ledger.keep_result(claim.run.id, "call", {"id": 7})
        ids.append((await each.finish(claim, "done"))[0]["id"])
        assert await kept(ids[0]) is (len(ids) == 3)
    assert await kept(ids[2])


async def test_a_message_of_an_operator_is_not_editable(talk: Talk) -> None:
    said = await does(talk, SAY, "o1")
    with pytest.raises(NotEditable):
        await talk.store.versions.find(talk.session.id, said.run_id)


async def test_an_answer_belongs_to_the_message_whose_run_asked(talk: Talk) -> None:
    asked = await asks(talk, waits("a"))
    await answer(talk, yes("a"))
    claim = await talk.claim()
    await ends(talk, claim, messages=[{"id": "done", "role": "assistant", "content": "done"}])
    find = talk.store.versions.find
    for id in ("done", claim.run.id):
        assert (await find(talk.session.id, id, of_answer=True)).message_id == asked.run.message_id


async def test_a_version_of_the_first_message_replaces_the_whole_conversation(talk: Talk) -> None:
    first = (await talk.turn("a"))[0]["id"]
    await talk.say("b", branch={"version_of": first})
    claim = await talk.claim()
    fields = {"messages": [{"id": "m", "role": "user", "content": "b"}], "state": {}, "items": []}
    end = Finish(outcome="success", code=None, agent=None, parent=ROOT, **fields)  # type: ignore[arg-type]
    await talk.store.runs.finish(claim.run.id, claim.run.fence, end)
    stored = await talk.store.messages.transcript(talk.session.id)
    assert ([each["id"] for each in stored.messages], stored.older) == (["m"], False)
