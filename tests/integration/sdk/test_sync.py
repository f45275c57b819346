"""The client without `await`: the same conversation in a plain program, and no thread that stays."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import loopwire
from tests.integration.sdk.people import OPENING, agent_words, words
from tests.parts.images import png
from tests.parts.ports import free_port
from tests.parts.server import Served, served

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def quick() -> Iterator[Served]:
    """Yield a server whose demo model does not pause."""
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0"}) as running:
        yield running


def threads() -> set[str]:
    return {each.name for each in threading.enumerate() if each.name.startswith("loopwire")}


def test_a_conversation_is_completed_without_await(quick: Served) -> None:
    with loopwire.sync.connect(quick.url, service="submission", language="en") as chat:
        assert threads() == {"loopwire"}
        run = chat.send(OPENING, id="m1")
        parts = list(run)
        assert words(parts) == run.result().text == agent_words(chat.messages) != ""
        block = [each for each in parts if isinstance(each, loopwire.Block)][-1]
        answer = chat.send([block.answer(block.choices[0])])
        assert answer.result(timeout=60).outcome == "success"
        assert [each["id"] for each in chat.history()] == [each["id"] for each in reversed(chat.messages)]
        assert chat.upload(png()).media_type == "image/jpeg"
        chat.feedback(next(each["id"] for each in chat.messages if each["role"] == "assistant"), "up")
        assert chat.run is not None and chat.run.id == answer.id
        chat.stop()
        assert words(list(chat.follow(run.id))) == words(parts)
        heard, log = chat.listen(), chat.events()
        before = next(log)
        assert isinstance(before, loopwire.Snapshot)
        chat.send("no").result()
        assert next(heard)
        assert next(log).seq == before.seq + 1
        session, visitor, state = chat.session, chat.visitor, chat.state
    assert threads() == set()
    with loopwire.sync.connect(quick.url, session=session, visitor=visitor) as again:
        assert again.state == state
    with pytest.raises(loopwire.Closed):
        again.send("too late")
    again.close()


def test_a_timeout_of_a_wait_leaves_the_answer_running() -> None:
    with (
        served({"LOOPWIRE_DEMO_DELAY_MS": "100"}) as slow,
        loopwire.sync.connect(slow.url, service="submission") as chat,
    ):
        run = chat.send(OPENING)
        with pytest.raises(TimeoutError):
            run.result(timeout=0.001)
        next(iter(run))
        run.stop()
        assert run.result().outcome in {"cancelled", "success"}


def test_an_unreachable_server_raises_and_leaves_no_thread() -> None:
    with (
        pytest.raises(loopwire.Unreachable),
        loopwire.sync.connect(f"http://127.0.0.1:{free_port()}", open_timeout=0.3),
    ):
        raise AssertionError
    assert threads() == set()
