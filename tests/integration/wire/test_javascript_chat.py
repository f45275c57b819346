"""The chat of the JavaScript SDK, in a Node, against a real server: parts, cuts, a second tab, a reload, its README."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest

from tests.integration.wire.conftest import SHOP
from tests.parts.agui_client import NODE
from tests.parts.server import Served
from tests.parts.wait import PATIENCE_S

pytestmark = pytest.mark.once

SCRIPTS = Path(__file__).parents[3] / "sdk/js/tests"
OFFER = "I want to sell an iPhone 12"


async def told_by(place: Served, scene: str, script: str = "chat_scenes.mjs") -> Any:
    """Run a scene, whose Node has to end by itself, and return what it tells."""
    process = await asyncio.create_subprocess_exec(NODE, SCRIPTS / script, place.url, scene, stdout=PIPE)
    out, _ = await asyncio.wait_for(process.communicate(), 4 * PATIENCE_S)
    assert process.returncode == 0
    return json.loads(out)


async def test_the_parts_of_a_run_are_what_is_stored(place: Served) -> None:
    told = await told_by(place, "parts")
    assert told["texts"] == told["stored"] != []
    assert {each["type"] for each in told["parts"]} >= {"text", "tool", "block"}
    assert len({json.dumps(each) for each in told["parts"] if each["type"] != "text"}) == sum(
        each["type"] != "text" for each in told["parts"]
    )
    assert (told["end"]["status"], told["end"]["outcome"]) == ("finished", {"type": "success"})


async def test_cuts_at_any_moment_repeat_and_lose_nothing(place: Served) -> None:
    told = await told_by(place, "cuts")
    assert told["cuts"] > 1
    assert told["texts"] == told["stored"] != []


async def test_a_chat_that_is_closed_in_mid_answer_lets_its_process_end(place: Served) -> None:
    told = await told_by(place, "leaving")
    assert told["heard"] > 0
    assert told["status"] == "running"


async def test_a_second_tab_shows_the_same_and_a_queued_run_is_stopped(place: Served) -> None:
    told = await told_by(place, "tabs")
    assert told["second"] == told["first"] != []
    assert told["end"]["outcome"] == {"type": "cancelled"}


@pytest.mark.conformance
async def test_the_next_page_sends_all_that_waited_and_reads_older_messages(place: Served) -> None:
    told = await told_by(place, "queue")
    assert told["said"] == told["texts"]
    assert told["kept"]["frames"] == []
    assert told["all"] == told["recent"] + told["pages"]
    assert told["pages"] > 0


async def test_a_picture_is_uploaded_and_sent_without_a_socket(place: Served) -> None:
    told = await told_by(place, "picture")
    assert told["transport"] == "sse"
    text, image = told["sent"]
    assert text == {"type": "text", "text": "This one"}
    assert (image["type"], image["blob_id"]) == ("image", told["blob"])


async def test_the_examples_of_the_readme_run(place: Served) -> None:
    told = await told_by(place, SHOP, "examples.mjs")
    assert told["text"] != ""
    assert told["shown"] == told["messages"] > 1
    assert told["end"]["status"] == "finished"
    assert told["end"]["usage"][0]["model"] == "demo"
    assert told["reloaded"] == [True, "Polly Magic"]
    assert told["below"] == OFFER
