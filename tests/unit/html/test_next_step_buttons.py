"""The buttons for the next step: offered where no question waits, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from server.html.next_step_buttons import leads_of
from server.html.render import Renderer
from server.protocol import blocks
from server.protocol import events as ev
from server.protocol.transcript import Transcript
from tests.e2e import scenarios
from tests.e2e.scenarios import QUESTIONS, SESSION

WEB = Path(__file__).parents[3] / "web"
ASKED = blocks.Choices("state", "Em que estado?", (blocks.Choice("a", "Bom"),))
ITEM = blocks.Card("Bimby TM5", suggestions=("Quero vender outro artigo",))


def talk(*more: ev.Event, outcome: str = "success", state: dict[str, str] | None = None) -> Transcript:
    """Return a message, its answer, what that showed, and the run's end."""
    transcript = Transcript()
    told = [*scenarios.said(1, "a"), *scenarios.spoke("msg_1", QUESTIONS, "Não se vende aqui."), *more]
    transcript.state = state or {}
    for event in told:
        transcript.apply(event)
    if outcome == "error":
        transcript.apply(ev.run_error("It failed.", "internal", run_id="run_1", at=1))
    elif outcome:
        transcript.apply(ev.run_finished(SESSION, "run_1", {"type": outcome}))
    return transcript


def test_an_answer_that_asks_nothing_leads_on():
    begins = leads_of(talk(), "submission")
    assert len(begins) > 1
    assert leads_of(talk(*scenarios.shown("blk_1", ASKED)), "submission") == ()
    closed = [*scenarios.shown("blk_1", ASKED), scenarios.settled("blk_1", "closed")]
    assert leads_of(talk(*closed), "submission") == begins
    assert leads_of(talk(), "decision") == () != leads_of(talk(), "chat")
    assert leads_of(Transcript(), "submission") == ()


@pytest.mark.parametrize("outcome", ["", "error", "cancelled"])
def test_an_answer_that_comes_or_broke_off_has_its_own_buttons(outcome):
    assert leads_of(talk(outcome=outcome), "submission") == ()


@pytest.mark.parametrize("status", ["complete", "refused"])
def test_below_a_finished_item_its_card_leads_on_until_words_follow(status):
    state = {"item_id": "itm_1", "status": status}
    card = scenarios.shown("blk_1", ITEM)
    assert leads_of(talk(*card, state=state), "submission") == ()
    said = talk(*card, *scenarios.spoke("msg_2", QUESTIONS, "De nada."), state=state)
    assert leads_of(said, "submission") == ("card.correct.label", "card.another")
    assert leads_of(talk(state={"item_id": "itm_1", "status": "draft"}), "submission") == ("lead.continue",)


def test_where_the_next_item_is_looked_for_the_kinds_that_are_sold_lead_on():
    state = {"item_id": "itm_1", "status": "complete"}
    left = scenarios.handed("msg_h3", QUESTIONS, scenarios.IDENTIFICATION, "outro produto")
    refused = scenarios.spoke("msg_2", scenarios.IDENTIFICATION, "Não se vende aqui.")
    expected = (*leads_of(talk(), "submission"), "card.correct.label")
    assert leads_of(talk(*left, *refused, state=state), "submission") == expected


@pytest.mark.parametrize("language", ["pt", "en"])
def test_the_end_of_a_run_draws_buttons_that_send_the_words_they_show(language):
    renderer, transcript = Renderer(WEB), talk(outcome="")
    event = ev.run_finished(SESSION, "run_1", {"type": "success"})
    fragment = renderer.fragments(transcript, event, transcript.apply(event), language, "submission")
    words = json.loads((WEB / f"words/{language}.json").read_text(encoding="utf-8"))
    assert fragment is not None
    for key in leads_of(transcript, "submission"):
        assert f'data-say="{words[key]}">{words[key]}</button>' in fragment.content


@pytest.mark.parametrize("language", ["pt", "en"])
def test_the_button_whose_words_were_just_answered_is_left_out(language):
    words = json.loads((WEB / f"words/{language}.json").read_text(encoding="utf-8"))
    transcript = Transcript()
    for event in (
        *scenarios.said(1, words["lead.sellable"]),
        *scenarios.spoke("msg_1", QUESTIONS, "O que está no catálogo."),
    ):
        transcript.apply(event)
    transcript.apply(ev.run_finished(SESSION, "run_1", {"type": "success"}))
    drawn = Renderer(WEB).leads(transcript, language, "submission")
    assert words["lead.sellable"] not in drawn and words["lead.phone"] in drawn


def test_without_buttons_the_element_holds_nothing_that_a_style_would_give_room():
    event = ev.run_finished(SESSION, "run_1", {"type": "success"})
    transcript = talk(*scenarios.shown("blk_1", ASKED), outcome="")
    fragment = Renderer(WEB).fragments(transcript, event, transcript.apply(event), "en", "submission")
    assert fragment is not None
    assert '<div class="leads" id="leads"></div>' in fragment.content
