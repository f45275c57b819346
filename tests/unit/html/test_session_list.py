"""A line of the list of conversations says in its own words what is the matter with it."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from server.html.render import Renderer
from server.languages import LANGUAGES

STATES = ("running", "waiting", "done", "stopped", "failed")


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(Path(__file__).parents[3] / "web")


def line(renderer: Renderer, language: str, state: str, item: dict[str, Any] | None = None) -> str:
    """Return the words below the title of a conversation in this state."""
    entry = SimpleNamespace(id="ses_1", title="Bimby", status_line=state, item=item)
    html = renderer.page("sessions.html", language, groups=[("today", [entry])], session_id="")
    (said,) = re.findall(r'<span class="state[^>]*>(.*?)</span>', html)
    return str(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_state_has_a_sentence_of_its_own_that_no_dialog_says(renderer, language):
    said = {state: line(renderer, language, state) for state in STATES}
    assert all(said.values()) and len(set(said.values())) == len(STATES)
    assert said["failed"] != renderer.words.say(language, "session.undone")


def test_a_finished_item_is_named_by_its_price_or_else_its_reference(renderer):
    item = {"reference": "LW-1", "price": "640 €"}
    assert line(renderer, "pt", "done", item) == "Artigo criado · 640 €"
    assert line(renderer, "pt", "done", {**item, "price": None}) == "Artigo criado · LW-1"
