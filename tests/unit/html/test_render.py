"""Every event is drawn by the templates that draw the page, and what belongs together is drawn together."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from html import escape
from pathlib import Path
from types import SimpleNamespace

import pytest

from server.html.answer_words import answer_text
from server.html.render import Renderer, _markdown, day, seconds
from server.html.rows import rows
from server.protocol import blocks
from server.protocol import events as ev
from server.protocol.operators import said_part
from server.protocol.transcript import Transcript
from tests.e2e import scenarios
from tests.e2e.scenarios import IDENTIFICATION, OPTIONS, QUESTIONS, REGISTRATION, SCENARIOS, SESSION

STAGES = SimpleNamespace(
    name="submission",
    start=IDENTIFICATION,
    steps=("step.identify", "step.options", "step.create", "step.questions"),
    step_of={IDENTIFICATION: 0, OPTIONS: 1, REGISTRATION: 2, QUESTIONS: 3},
)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(Path(__file__).parents[3] / "web", {"submission": STAGES})


def folded(events) -> Transcript:
    transcript = Transcript()
    for event in events:
        transcript.apply(event)
    return transcript


def row_ids(html: str) -> list[str]:
    return re.findall(r'id="row-([\w]+)"', html)


@pytest.mark.parametrize("name", sorted(SCENARIOS))
@pytest.mark.parametrize("language", ["pt", "en"])
def test_every_scenario_is_drawn_and_every_live_event_too(renderer, name, language):
    scenario = SCENARIOS[name]
    transcript = folded(scenario.events)
    renderer.log(transcript, language)
    for event in scenario.live:
        changed = transcript.apply(event)
        fragment = renderer.fragments(transcript, event, changed, language, "submission")
        if fragment is not None and fragment.target.startswith("#row-"):
            assert f'id="{fragment.target[1:]}"' in fragment.content
    assert len(set(row_ids(renderer.log(transcript, language)))) == len(
        row_ids(renderer.log(transcript, language))
    )


async def test_the_long_texts_of_a_page_are_parsed_in_turns_of_the_loop(renderer):
    texts = [f"{number} " + "**a** _b_ `c` [d](http://e.f)\n\n" * 250 for number in range(12)]
    said = [
        each for number, text in enumerate(texts) for each in scenarios.spoke(f"msg_{number}", OPTIONS, text)
    ]
    transcript = folded([*scenarios.said(1, "a"), *said])
    turns = 0
    preparing = asyncio.ensure_future(renderer.prepare(transcript, "pt"))
    while not preparing.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > len(texts)
    before = _markdown.made
    drawn = renderer.log(transcript, "pt")
    assert drawn.count("<strong>a</strong>") > 100 * len(texts)
    assert _markdown.made == before


async def test_the_blocks_of_one_long_text_are_parsed_in_turns_of_the_loop(renderer):
    text = "".join(f"{number} " + "**a** [d](http://e.f) " * 90 + "\n\n" for number in range(9))
    transcript = folded([*scenarios.said(1, "a"), *scenarios.spoke("msg_1", OPTIONS, text)])
    turns = 0
    preparing = asyncio.ensure_future(renderer.prepare(transcript, "pt"))
    while not preparing.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 4
    before = _markdown.made
    assert renderer.log(transcript, "pt").count("<strong>a</strong>") == 9 * 90
    await renderer.prepare(transcript, "pt")
    assert _markdown.made == before


def test_a_piece_of_text_has_no_fragment(renderer):
    transcript = folded([*scenarios.said(1, "a"), ev.text_start("msg_1", "assistant", name=OPTIONS)])
    event = ev.text_content("msg_1", "b")
    assert renderer.fragments(transcript, event, transcript.apply(event), "pt") is None


def test_open_text_is_plain_and_closed_text_is_markdown(renderer):
    opened = [*scenarios.said(1, "a"), *scenarios.spoke("msg_1", OPTIONS, "**b** <i>", open_=True)]
    assert ">**b** &lt;i&gt;</loopwire-text>" in renderer.row(folded(opened), "msg_1", "pt")
    assert "<strong>b</strong> &lt;i&gt;" in renderer.row(
        folded([*opened, ev.text_end("msg_1")]), "msg_1", "pt"
    )


def test_two_finished_calls_are_folded_and_a_single_one_is_not(renderer):
    one, two = (scenarios.called(f"cal_{n}", "get_catalog", ms=800) for n in (1, 2))
    assert [row.kind for row in rows(folded([*scenarios.said(1, "a"), *one]))] == ["user", "tool"]
    whole = folded([*scenarios.said(1, "a"), *one, *two])
    assert [row.kind for row in rows(whole)] == ["user", "steps"]
    html = renderer.log(whole, "pt")
    assert '<b data-announce="work">Procurou no catálogo</b>' in html
    assert "1,6\N{NO-BREAK SPACE}s" in html.split("<summary>")[1].split('class="technical')[1]


def test_a_failed_or_running_call_is_never_folded_away():
    one, two, four = (scenarios.called(f"cal_{n}", "get_catalog") for n in (1, 2, 4))
    failed = scenarios.called("cal_3", "get_catalog", status="failed")
    running = scenarios.calling("cal_3", "get_catalog")
    for third in (failed, running):
        kinds = [row.kind for row in rows(folded([*scenarios.said(1, "a"), *one, *two, *third, *four]))]
        assert kinds == ["user", "steps", "tool", "tool"]


def handed_between(*after):
    handed = scenarios.handed("hnd_1", IDENTIFICATION, OPTIONS, "feito")
    calls = [scenarios.called(f"cal_{n}", name) for n, name in enumerate(("get_catalog", "confirm_product"))]
    return [*scenarios.said(1, "a"), *calls[0], *handed, *calls[1], *after]


def test_the_work_of_a_turn_is_one_line_above_its_handoffs(renderer):
    whole = folded(handed_between())
    assert [row.kind for row in rows(whole)] == ["user", "steps", "handoff"]
    assert "Procurou no catálogo e confirmou o produto" in renderer.log(whole, "pt")
    spoken = folded(handed_between(*scenarios.spoke("msg_1", OPTIONS, "b"), *scenarios.called("cal_9", "x")))
    assert [row.kind for row in rows(spoken)] == ["user", "steps", "handoff", "text", "tool"]


@pytest.mark.parametrize("language", ["pt", "en"])
def test_the_end_of_a_run_is_drawn_once_below_its_last_handoff(renderer, language):
    whole = folded(handed_between())
    event = ev.run_finished(SESSION, "run_1", {"type": "cancelled"})
    fragment = renderer.fragments(whole, event, whole.apply(event), language)
    html = renderer.log(whole, language)
    assert html.count('class="ended') == 1
    assert html.index('class="ended') > html.index('id="row-hnd_1"')
    assert fragment is not None
    assert fragment.content.count('class="ended') == 1
    assert "row-hnd_1" in fragment.content


def test_the_second_result_replaces_the_row_of_the_first_call_by_the_fold(renderer):
    scenario = SCENARIOS["folded"]
    transcript = folded(scenario.events)
    drawn = []
    for event in scenario.live:
        fragment = renderer.fragments(transcript, event, transcript.apply(event), "pt")
        drawn.append(fragment.target if fragment else None)
    assert "#row-steps_cal_1" in drawn


def test_the_agent_is_named_in_the_line_of_its_work_or_once_over_its_words(renderer):
    html = renderer.log(folded(scenarios.beginning()), "pt")
    assert html.count('class="who"') == 0
    assert html.count("<dd>Identificação</dd>") == 1
    spoken = folded([*scenarios.said(1, "a"), *scenarios.spoke("msg_1", OPTIONS, "b")])
    assert '<p class="who"><b>Opções</b>' in renderer.log(spoken, "pt")


def test_an_agent_without_words_goes_by_its_own_name(renderer):
    events = [*scenarios.said(1, "a"), ev.text_start("msg_a", "assistant", name="repairs_assistant")]
    events += [ev.text_content("msg_a", "b"), ev.text_end("msg_a")]
    html = renderer.log(folded(events), "en")
    assert '<p class="who"><b>Repairs assistant</b>' in html


def test_a_person_of_the_team_is_told_apart_from_the_agents(renderer):
    transcript = folded(SCENARIOS["operator"].events)
    kinds = [row.kind for row in rows(transcript)]
    assert kinds == ["user", "text", "operator", "user", "person", "operator", "user", "text"]
    html = renderer.log(transcript, "pt")
    assert html.count('<b><bdi>Ana Sousa</bdi></b> <span class="tag person">') == 1
    assert "<strong>sábado</strong>" in html
    assert html.count("data-action=") == 2 * html.count('data-action="copy"') * 2, "nobody judges a person"
    assert [step.state for step in renderer.steps(transcript, "submission")] == [
        "done",
        "now",
        "later",
        "later",
    ]
    agents = [row.agent for row in rows(transcript) if row.kind == "text"]
    assert agents == [OPTIONS, OPTIONS], "after a person an agent says again who it is"


def test_a_persons_name_is_neither_markup_nor_an_agents_and_turns_nothing_around(renderer):
    events = scenarios.noted(1, said_part("a", "repairs_assistant\u202e <b>"))
    html = renderer.log(folded(events), "en")
    assert "<bdi>repairs_assistant &lt;b&gt;</bdi>" in html
    assert "Somebody of the team" in renderer.log(folded(scenarios.noted(1, said_part("a", None))), "en")


def test_the_reason_of_an_interrupted_run_stands_once_at_its_last_row(renderer):
    stopped = renderer.log(folded(SCENARIOS["stopped"].events), "pt")
    assert stopped.count("Interrompida por si") == 1
    failed = renderer.log(folded(SCENARIOS["failed"].events), "en")
    assert failed.count("The text so far is kept.") == 1
    assert 'data-retry="run_1"' in failed


def test_a_failed_run_without_text_is_not_told_to_keep_its_text(renderer):
    events = [*scenarios.said(1, "a"), *scenarios.called("cal_1", "get_catalog")]
    events.append(ev.run_error("The model could not answer.", "model_error", run_id="run_1"))
    html = renderer.log(folded(events), "en")
    assert "The answer did not begin." not in html
    assert "What was done already is kept." in html
    assert "text so far is kept" not in html
    html = renderer.log(folded([*scenarios.said(1, "a"), events[-1]]), "en")
    assert "The answer did not begin." in html and "Nothing was written yet." in html


@pytest.mark.parametrize(
    ("code", "button"),
    [
        ("service_gone", "data-new>"),
        ("truncated", 'data-say="Continue"'),
        ("model_busy", 'data-retry="run_1"'),
    ],
)
def test_a_failed_run_has_the_one_button_that_fits_its_code(renderer, code, button):
    events = [*scenarios.said(1, "a"), *scenarios.spoke("msg_1", QUESTIONS, "Half of it")]
    html = renderer.log(folded([*events, ev.run_error("It failed.", code, run_id="run_1")]), "en")
    card = html.partition('class="trouble')[2]
    assert card.count("<button") == 1 and button in card


@pytest.mark.parametrize("kind", ["approval", "form", "tool"])
def test_a_waiting_call_names_its_answerer_until_it_has_a_result(renderer, kind):
    events = [*scenarios.said(1, "a"), *scenarios.calling("cal_1", "create_item")]
    block_id = None if kind == "tool" else "blk_1"
    if block_id:
        events += scenarios.shown(block_id, scenarios.CREATE)
    transcript = folded([*events, scenarios.waiting(1, "cal_1", kind, block_id)])
    words = "waits for the browser" if kind == "tool" else "waits for you"
    assert words in renderer.row(transcript, "cal_1", "en")
    transcript.apply(ev.run_started(SESSION, "run_2", parent_run_id="run_1"))
    if block_id:
        event = scenarios.settled(block_id, "answered", {"approved": True})
        fragment = renderer.fragments(transcript, event, transcript.apply(event), "en")
        assert fragment is not None
        assert 'class="row row-tool running' in fragment.content
    transcript.apply(ev.tool_result("res_cal_1", "cal_1", "{}"))
    assert "Created the item" in renderer.row(transcript, "cal_1", "en")


def test_a_tool_without_words_goes_by_its_own_name_as_people_read_it(renderer):
    transcript = folded([*scenarios.said(1, "a"), *scenarios.calling("cal_1", "estimate_repair")])
    assert "Using Estimate repair" in renderer.row(transcript, "cal_1", "en")
    transcript.apply(ev.tool_result("res_cal_1", "cal_1", "{}"))
    assert "Usou Estimate repair" in renderer.row(transcript, "cal_1", "pt")


@pytest.mark.parametrize("status", ["declined", "closed", "expired"])
def test_a_call_without_a_yes_was_not_confirmed_and_nobody_stopped_it(renderer, status):
    events = [*scenarios.said(1, "a"), *scenarios.calling("cal_1", "create_item")]
    events += [
        *scenarios.shown("blk_1", scenarios.CREATE),
        scenarios.waiting(1, "cal_1", "approval", "blk_1"),
    ]
    events += [scenarios.settled("blk_1", status), ev.run_started(SESSION, "run_2", parent_run_id="run_1")]
    refused = ev.tool_result("res_cal_1", "cal_1", '{"status":"stopped"}', status="stopped")
    drawn = renderer.row(folded([*events, refused]), "cal_1", "en")
    assert "not confirmed by you" in drawn and "Did not create the item" in drawn
    assert "stopped by you" not in drawn


def test_a_call_whose_result_is_on_another_page_waits_for_nobody(renderer):
    events = [*scenarios.said(1, "a"), *scenarios.calling("cal_1", "create_item")]
    events += [
        *scenarios.shown("blk_1", scenarios.CREATE),
        scenarios.waiting(1, "cal_1", "approval", "blk_1"),
    ]
    transcript = folded([*events, scenarios.settled("blk_1", "answered", {"approved": True})])
    assert "Created the item" in renderer.row(Transcript.of(transcript.messages, {}), "cal_1", "en")


@pytest.mark.parametrize(("kind", "block_id"), [("tool", None), ("approval", "blk_1")])
def test_on_a_page_of_what_was_said_before_no_call_waits_whose_result_and_block_are_on_the_next(
    renderer, kind, block_id
):
    events = [*scenarios.said(1, "a"), *scenarios.calling("cal_1", "create_item")]
    transcript = folded([*events, scenarios.waiting(1, "cal_1", kind, block_id)])
    assert "waits" not in renderer.row(Transcript.of(transcript.messages, {}), "cal_1", "en")


@pytest.mark.parametrize("language", ["pt", "en"])
@pytest.mark.parametrize("status", ["answered", "declined", "expired", "closed"])
@pytest.mark.parametrize("block", [scenarios.CREATE, scenarios.PICKUP], ids=["approval", "ask"])
def test_each_end_of_a_question_says_what_happened(renderer, block, status, language):
    events = [*scenarios.said(1, "a"), *scenarios.shown("blk_1", block)]
    html = renderer.log(folded([*events, scenarios.settled("blk_1", status)]), language)
    assert renderer.words.say(language, f"{block.kind}.{status}") in html
    assert "<button" not in html.partition('id="row-blk_1"')[2]
    assert "<form" not in html


@pytest.mark.parametrize(
    ("field", "value", "language", "words"),
    [
        ({"choices": [{"value": "a", "label": "Um"}]}, "a", "pt", "Um"),
        ({}, True, "en", "Yes"),
        ({}, 1.5, "pt", "1,5"),
        ({}, 1.5, "en", "1.5"),
        ({"input": "date"}, "2026-11-24", "pt", "24/11/2026"),
        ({"input": "date"}, "amanhã", "pt", "amanhã"),
    ],
)
def test_answers_read_as_people_write_them(renderer, field, value, language, words):
    assert answer_text(value, field, language, renderer.words) == words


CLOSED = (
    (blocks.Choices("set", "Conjunto", (blocks.Choice("a", "Com <XF>", "o mais vendido"),), "um só"), True),
    (blocks.Form("bought", "Quando o comprou?", hint="O mês chega."), True),
    (blocks.Form("colour", "Que cor?"), False),
)


@pytest.mark.parametrize(("block", "opens"), CLOSED)
def test_a_closed_question_is_one_line_that_opens_to_its_hint_and_options(renderer, block, opens):
    events = [*scenarios.said(1, "a"), *scenarios.shown("blk_1", block), scenarios.settled("blk_1", "closed")]
    row = renderer.log(folded(events), "pt").partition('id="row-blk_1"')[2]
    line, _, opened = row.partition("</summary>" if opens else "</p>")
    assert block.legend in line and "fechado<" in line and "<input" not in row
    assert ("<details" in line) is opens and " open" not in line and "data-answer" not in row
    assert block.hint in opened and not (block.hint and block.hint in line)
    for choice in getattr(block, "choices", ()):
        assert f"<bdi>{escape(choice.label)}</bdi>" in opened and choice.note in opened


def test_the_reason_of_a_handoff_is_in_the_language_of_the_page(renderer):
    events = [*scenarios.said(1, "a"), ev.step_started(IDENTIFICATION)]
    for number, reason in enumerate(("produto e marca confirmados", "Because I say so")):
        content = {"from": IDENTIFICATION, "to": OPTIONS, "reason": reason, "status": "done"}
        events.append(ev.activity(f"act_{number}", "handoff", content, at=1))
    html = renderer.log(folded(events), "de")
    assert html.count("Produkt und Marke bestätigt") == html.count("Because I say so") == 2
    assert "confirmados" not in html


@pytest.mark.parametrize("field", ["", "blk_1", "blk_other"])
def test_a_refused_answer_stays_in_its_field_where_it_was_written_there(renderer, field):
    asked = blocks.Form("date", "Quando o comprou?", "text")
    again = replace(asked, value="a caixa", error="Escreva o mês.", again_of="blk_1")
    parts = [{"type": "answer", "block_id": field, "value": "a caixa"}] if field else []
    begun, said, *rest = scenarios.said(2, "a caixa")
    said["metadata"]["loopwire"]["content"] = parts
    events = [*scenarios.said(1, "a"), *scenarios.shown("blk_1", asked), begun, said, *rest]
    html = renderer.log(folded([*events, *scenarios.shown("blk_2", again)]), "pt")
    assert "Escreva o mês." in html
    assert ('value="a caixa"' in html) == (field == "blk_1")


def test_a_text_that_is_offered_to_edit_stands_in_its_field_whatever_was_written(renderer):
    asked = blocks.Form("notes", "O que traz?", "text")
    offered = replace(
        asked, value="caixa, cabo e um risco na tampa", error="Mude-o no campo.", again_of="blk_1"
    )
    begun, said, *rest = scenarios.said(2, "tira a parte do cão")
    said["metadata"]["loopwire"]["content"] = [{"type": "text", "text": "tira a parte do cão"}]
    events = [*scenarios.said(1, "a"), *scenarios.shown("blk_1", asked), begun, said, *rest]
    html = renderer.log(folded([*events, *scenarios.shown("blk_2", offered)]), "pt")
    assert ">caixa, cabo e um risco na tampa</textarea>" in html and "Usar este texto" in html


def test_a_figure_that_was_understood_stands_in_its_field_above_a_yes(renderer):
    asked = blocks.Form("minutes", "Quantos minutos dura?", "number")
    yes = blocks.Choice("answer:right", "Sim, é isso")
    kept = replace(asked, legend="Percebi: 40 min. Certo?", value="40", confirm=yes, again_of="blk_1")
    begun, said, *rest = scenarios.said(2, "uns 40 talvez")
    said["metadata"]["loopwire"]["content"] = [{"type": "text", "text": "uns 40 talvez"}]
    events = [*scenarios.said(1, "a"), *scenarios.shown("blk_1", asked), begun, said, *rest]
    html = renderer.log(folded([*events, *scenarios.shown("blk_2", kept)]), "pt")
    assert 'value="40"' in html and ">Sim, é isso</button>" in html and ">Responder</button>" not in html


@pytest.mark.parametrize("kind", ["form", "choices"])
def test_the_last_question_shows_what_is_kept_until_it_is_answered(renderer, kind):
    bought = blocks.Pair("Comprado", "2021", blocks.Choice("bought", "Alterar: Comprado", name="change"))
    kept = (blocks.Pair("Produto", "Bimby <TM5>"), bought)
    asked = {
        "form": blocks.Form(
            "notes",
            "O que traz?",
            kept=kept,
            unused=(blocks.Choice("o copo <novo>", "o copo <novo>", name="add"),),
        ),
        "choices": blocks.Choices("box", "Tem caixa?", (blocks.Choice("a", "Sim"),), kept=kept),
    }[kind]
    events = [*scenarios.said(1, "a"), *scenarios.shown("blk_1", asked)]
    html = renderer.log(folded(events), "pt")
    assert "<dd>Bimby &lt;TM5&gt;</dd>" in html and html.count('class="change"') == 1
    assert 'data-block="blk_1" data-name="change" data-value="bought"' in html
    assert ('data-name="add" data-value="o copo &lt;novo&gt;"' in html) is (kind == "form")
    html = renderer.log(folded([*events, scenarios.settled("blk_1", "closed")]), "pt")
    assert "2021" not in html and "copo" not in html


def test_a_refused_answer_marks_its_question_where_it_stands(renderer):
    asked, names = blocks.Choices("state", "Em que estado?", (blocks.Choice("a", "Bom"),)), ("blk_1", "blk_2")
    again = [replace(asked, error=f"Escolha {number}.", again_of=name) for number, name in enumerate(names)]
    transcript = folded([*scenarios.said(1, "a"), *scenarios.shown("blk_1", asked)])
    for number, block in enumerate(again, 2):
        events = [*scenarios.said(number, "banana"), *scenarios.spoke(f"msg_{number}", QUESTIONS, "Não.")]
        for event in [*events, scenarios.settled(names[number - 2], "closed")]:
            transcript.apply(event)
        event = ev.activity(f"blk_{number}", "block", block.to_content())
        fragment = renderer.fragments(transcript, event, transcript.apply(event), "pt")
        assert fragment is not None and fragment.target == "#row-blk_1"
        assert f'data-block="blk_{number}"' in fragment.content and 'aria-invalid="true"' in fragment.content
    broken = ev.run_error("It failed.", "internal", run_id="run_3", at=1)
    transcript.apply(broken)
    html = renderer.log(transcript, "pt")
    assert row_ids(html) == ["msg_u1", "blk_1", "msg_u2", "msg_2", "msg_u3", "msg_3"]
    assert html.count("Escolha 1.") == 1 and "Escolha 0." not in html
    assert 'data-retry="run_3"' in html.partition('id="row-msg_3"')[2], "how the run ended stands at its end"
    later = Transcript.of(transcript.messages[2:], {})
    assert row_ids(renderer.log(later, "pt"))[2] == "blk_2", "what it asks again is on an older page"
    transcript.apply(scenarios.settled("blk_3", "answered", {"value": "a", "label": "Bom"}))
    assert "<b>Bom</b>" in renderer.row(transcript, "blk_1", "pt")


def test_after_a_take_over_the_call_still_says_whose_it_is(renderer):
    transcript = folded([*scenarios.said(1, "a"), *scenarios.called("cal_1", "get_catalog")])
    event = ev.messages_snapshot(transcript.run_messages("run_1"), scope="run", attempt=2)
    fragment = renderer.fragments(transcript, event, transcript.apply(event), "pt")
    assert fragment is not None
    assert "<dd>Identificação</dd>" in fragment.content


def test_a_message_taken_back_says_so_and_can_be_sent_again(renderer):
    cancelled = ev.run_finished(SESSION, "run_1", {"type": "cancelled"})
    html = renderer.log(folded([*scenarios.said(1, "a"), cancelled]), "pt")
    assert "Retirada antes da resposta" in html
    assert 'data-retry="run_1"' in html
    assert "Interrompida" not in html


def test_a_handoff_is_told_in_words(renderer):
    html = renderer.log(folded(scenarios.beginning()), "en")
    assert "The conversation moved from Identification to Options: product and brand confirmed." in html


def test_steps_follow_the_agents_and_end_with_the_item(renderer):
    states = [step.state for step in renderer.steps(folded(scenarios.beginning()), "submission")]
    assert states == ["done", "now", "later", "later"]
    states = [step.state for step in renderer.steps(folded(SCENARIOS["finished"].events), "submission")]
    assert states == ["done"] * 4
    states = [step.state for step in renderer.steps(folded(SCENARIOS["refused"].events), "submission")]
    assert states == [*["done"] * 3, "refused"]
    asked_again = [*SCENARIOS["finished"].events, *scenarios.shown("blk_7", scenarios.SETS)]
    states = [step.state for step in renderer.steps(folded(asked_again), "submission")]
    assert states == [*["done"] * 3, "now"]
    assert "Concluído<" not in renderer.stepper(folded(asked_again), "pt", "submission")
    assert renderer.steps(folded(scenarios.beginning()), "chat") == []


def test_a_conversation_with_an_agent_outside_the_steps_has_none():
    chat = SimpleNamespace(name="chat", start="the_chat", steps=STAGES.steps, step_of=STAGES.step_of)
    drawing = Renderer(Path(__file__).parents[3] / "web", {"chat": chat})
    asked = scenarios.said(1, "Can I arrange a pick-up?")
    assert drawing.steps(folded(asked), "chat") == []
    assert drawing.steps(folded([*asked, ev.step_started("the_chat")]), "chat") == []
    sale = drawing.steps(folded([*asked, ev.step_started(IDENTIFICATION)]), "chat")
    assert [step.state for step in sale] == ["now", "later", "later", "later"]


def test_a_question_says_how_far_the_last_step_is(renderer):
    steps = renderer.steps(folded(SCENARIOS["form"].events), "submission")
    assert steps[-1].fraction == pytest.approx(2 / 7)


def test_a_snapshot_of_the_log_draws_it_whole_with_what_stands_around_it(renderer):
    transcript = folded(scenarios.beginning())
    fragment = renderer.fragments(transcript, ev.messages_snapshot([]), [], "pt", "submission")
    assert fragment is not None
    assert (fragment.target, fragment.swap) == ("#log", "innerHTML")
    assert re.findall(r'hx-target="(#\w+)"', fragment.content) == ["#stepper", "#leads"]


def test_texts_of_people_tools_and_blocks_are_escaped(renderer):
    attack = '"><img src=x onerror=alert(1)>'
    choice = blocks.Choice(attack, attack, attack)
    events = [
        *scenarios.said(1, attack),
        *scenarios.called(
            "cal_1", "get_catalog", f'{{"total":"{attack[2:]}"}}', args=f'{{"query":"{attack[2:]}"}}'
        ),
        *scenarios.handed("msg_h", IDENTIFICATION, OPTIONS, attack),
        *scenarios.shown(
            "blk_1", blocks.Choices(attack, attack, (choice,), hint=attack, more=choice, unsure=choice)
        ),
        *scenarios.shown(
            "blk_2", blocks.Form(attack, attack, hint=attack, unit=attack, value=attack, error=attack)
        ),
        *scenarios.shown(
            "blk_3", blocks.Card(attack, tag=attack, reference=attack, pairs=(blocks.Pair(attack, attack),))
        ),
        *scenarios.shown("blk_4", blocks.Rows(attack, (blocks.Row(attack, attack, action=choice),))),
        *scenarios.shown("blk_5", blocks.Notice(attack, attack)),
        *scenarios.shown("blk_6", blocks.Image("/static/logo.svg", attack, 10, 10, attack)),
        *scenarios.shown("blk_7", blocks.Progress(attack, 0.5, attack)),
        *scenarios.shown(
            "blk_8", blocks.Choices("a", attack, (choice,)), answer={"value": "1", "label": attack}
        ),
        *scenarios.shown("blk_9", blocks.Approval(attack, attack, 1, pairs=(blocks.Pair(attack, attack),))),
        *scenarios.shown(
            "blk_10",
            blocks.Ask(
                attack,
                attack,
                1,
                tuple(blocks.Field(attack, attack, each, attack, (choice,)) for each in ("text", "choice")),
            ),
        ),
        *scenarios.shown(
            "blk_11", blocks.Ask("i", attack, 1, (blocks.Field("a", attack),)), answer={"a": attack}
        ),
    ]
    html = renderer.log(folded(events), "pt")
    assert "<img src=x" not in html
    assert html.count("&lt;img src=x onerror=alert(1)&gt;") > 20


def test_every_kind_of_block_has_its_template():
    folder = Path(__file__).parents[3] / "web/templates/blocks"
    assert {path.stem for path in folder.glob("*.html")} == {
        *blocks.KINDS,
        "again",
        "answered",
        "kept",
        "position",
        "question",
        "settled",
    }


def test_an_activity_nobody_knows_is_not_drawn():
    events = [*scenarios.said(1, "a"), ev.activity("act_1", "weather", {"sky": "blue"})]
    events.append(ev.activity("blk_1", "block", {"kind": "hologram", "status": "open"}))
    assert [row.kind for row in rows(folded(events))] == ["user"]


@pytest.mark.parametrize(
    ("ms", "language", "text"),
    [(4, "pt", ""), (40, "pt", "40 ms"), (810, "pt", "0,8 s"), (2400, "en", "2.4 s")],
)
def test_durations_read_as_people_write_them(ms, language, text):
    assert seconds(ms, language).replace("\N{NO-BREAK SPACE}", " ") == text


def test_days_read_as_people_write_them():
    assert day(1_795_183_320_000, "pt") == "20/11/2026"
    assert day(1_795_183_320_000, "en") == "2026-11-20"


def test_a_run_finished_with_nothing_to_draw_moves_the_stepper(renderer):
    transcript = folded(scenarios.beginning())
    event = ev.run_finished(SESSION, "run_1")
    fragment = renderer.fragments(transcript, event, transcript.apply(event), "pt", "submission")
    assert fragment is not None
    assert fragment.target == "#stepper"


def test_only_a_typed_message_can_be_edited(renderer):
    said = ev.text_start("msg_1", "user", content=[{"type": "input", "text": "a"}])
    typed = ev.text_start(
        "msg_2", "user", content=[{"type": "text", "text": "b"}], versions=["msg_0", "msg_2"]
    )
    events = [
        *(said, ev.text_content("msg_1", "a"), ev.text_end("msg_1")),
        *(typed, ev.text_content("msg_2", "b"), ev.text_end("msg_2")),
    ]
    html = renderer.log(folded(events), "en")
    assert 'data-edit="msg_1"' not in html
    assert 'data-edit="msg_2"' in html
    assert 'aria-label="Version 2 of 2"' in html
    assert 'data-switch-to="msg_0"' in html
