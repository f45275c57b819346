"""Every fault of a model's server, in both dialects, over real HTTP: one outcome, one code, no upstream text."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import SecretStr

from server.agents.model.providers import ServerModels, provider
from server.agents.service import RunLimits
from server.settings import Settings
from tests.modelserver import CANARY, Call, Fault, ModelServer, Pace, Plan, Scripted, Text, named
from tests.modelserver.faults import ServerError
from tests.parts.sampled import later
from tests.unit.agents.outlet import Play, Recorder
from tests.unit.agents.teams import Bench, ScriptedModel

LONG = " ".join(f"palavra{n}" for n in range(40))


@pytest.fixture
def patience(request: pytest.FixtureRequest) -> float:
    """Return how long the model may be silent: only in a test about silence is that short."""
    params = request.node.callspec.params
    fault = params.get("name") or getattr(params.get("fault"), "name", "")
    return 0.5 if fault in {"hang", "stall"} else 60.0


@pytest.fixture
async def models(server: ModelServer, api: str, patience: float) -> AsyncIterator[ServerModels]:
    """Yield the provider that settings give for this server."""
    settings = Settings(
        OPENAI_API_KEY=SecretStr("sk-test"),
        OPENAI_BASE_URL=server.base_url,
        LOOPWIRE_MODEL="test-model",
        LOOPWIRE_MODEL_API=api,
    )
    made = provider(settings, ScriptedModel([]), read_timeout_s=patience)
    assert isinstance(made, ServerModels)
    yield made
    await made.aclose()


def script(server: ModelServer, *steps: Any, delay: float = 0.0) -> None:
    """Set what the model will say."""
    assert isinstance(server.brain, Scripted)
    paced = [Plan([Text(s)], pace=Pace(delay=delay)) if isinstance(s, str) else s for s in steps]
    server.brain.extend(paced)


def codes(play: Play) -> tuple[str, str | None]:
    """Return how it ended."""
    assert play.result is not None
    return play.result.outcome, play.result.code


def assert_estimated(play: Play, out: Recorder) -> None:
    """Assert that an unreported usage is estimated from what was read and said."""
    assert play.result is not None
    usage = play.result.usage
    assert usage["outputTokens"] == -(-len(out.text()) // 4) > 0
    assert usage["inputTokens"] >= len("oi") / 4
    assert usage["estimatedTokens"] == usage["totalTokens"] == usage["inputTokens"] + usage["outputTokens"]


def assert_nothing_leaked(play: Play, out: Recorder, caplog: pytest.LogCaptureFixture) -> None:
    """Upstream text is nowhere."""
    assert play.result is not None
    told = json.dumps(out.events) + json.dumps(play.result.items) + caplog.text
    assert CANARY not in told and "sk-test" not in told
    for record in caplog.records:
        assert CANARY not in str(record.exc_info)


async def test_text_tools_and_handoff_give_the_same_events_in_both_dialects(
    server: ModelServer, models: ServerModels
) -> None:
    script(
        server,
        Plan([Text("Vejo já."), Call("look", {"word": "abc"}), Call("look", {"word": "def"})]),
        Plan([Call("transfer_to_second")]),
        Plan([Call("pay", {"amount": 3, "key": None})]),
        "Feito, obrigado.",
    )
    bench = Bench()
    play = Play(bench.service(), models)
    out = await play.say("oi")
    assert codes(play) == ("success", None)
    assert sorted(bench.done) == ["look abc", "look def", "pay 3"]
    types = out.types()
    first = types.index("TEXT_MESSAGE_END")
    assert types[: first + 2] == [
        "STEP_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_START",
    ]
    assert types[-5:] == [
        "STATE_DELTA",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
    ]
    assert [len(out.of(t)) for t in ("TOOL_CALL_RESULT", "STEP_STARTED", "STEP_FINISHED")] == [3, 2, 2]
    assert play.result is not None and play.result.usage["totalTokens"] > 0
    assert play.result.agent == "second"
    script(server, "Outra vez.")
    await play.say("e agora?")
    assert codes(play) == ("success", None)
    assert [set(item) for item in play.history if item.get("role")] == [{"role", "content"}] * 5


CASES: list[tuple[str, Fault, str]] = [
    ("429 always", named("rate_limited"), "model_busy"),
    ("quota", named("insufficient_quota"), "model_rejected"),
    ("500", named("server_error"), "model_error"),
    ("503", named("server_error", status=503), "model_busy"),
    ("401", named("unauthorized"), "model_rejected"),
    ("400", named("context_length"), "model_rejected"),
    ("hang", named("hang"), "model_timeout"),
    ("reset", named("reset_first"), "model_error"),
    ("stall", named("stall"), "model_timeout"),
    ("cut", named("cut"), "cut"),
    ("close", named("close"), "cut"),
    ("reset in the middle", named("reset"), "cut"),
    ("bad json", named("bad_json"), "model_error"),
    ("error chunk", named("error_chunk"), "model_error"),
    ("length", named("length"), "truncated"),
    ("content filter", named("content_filter"), "content_filter"),
    ("failed", named("failed"), "model_error"),
]


@pytest.mark.parametrize(("fault", "code"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
async def test_each_fault_ends_the_run_with_its_own_code(
    server: ModelServer, models: ServerModels, fault: Fault, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for _ in range(4):
        script(server, LONG)
    server.faults.add(fault, times=None)
    play = Play(Bench().service(), models)
    out = await play.say("oi")
    assert codes(play) == ("error", code)
    assert_nothing_leaked(play, out, caplog)
    assert play.result is not None
    said = [item["content"] for item in play.result.items if item.get("role") == "assistant"]
    assert said == ([out.text()] if out.text() else [])
    assert out.transcript.run is not None and out.transcript.run.code == code
    assert not out.transcript.open_texts and not out.transcript.steps


@pytest.mark.parametrize(("name", "asked"), [("rate_limited", 3), ("server_error", 3), ("reset_first", 3)])
async def test_a_transient_fault_is_retried_before_the_first_event(
    server: ModelServer, models: ServerModels, name: str, asked: int
) -> None:
    script(server, "Olá.")
    server.faults.add(named(name), times=asked - 1)
    play = Play(Bench().service(), models)
    out = await play.say("oi")
    assert codes(play) == ("success", None) and out.text() == "Olá."
    assert len(server.requests) == asked


@pytest.mark.parametrize("name", ["insufficient_quota", "unauthorized", "context_length", later("hang")])
async def test_a_lasting_fault_is_not_retried(server: ModelServer, models: ServerModels, name: str) -> None:
    server.faults.add(named(name), times=None)
    await Play(Bench().service(), models).say("oi")
    assert len(server.requests) == 1


@pytest.mark.parametrize("name", ["length", "content_filter"])
async def test_an_answer_that_ended_before_its_first_word_is_not_asked_for_again(
    server: ModelServer, models: ServerModels, name: str
) -> None:
    script(server, *[Plan([])] * 3)
    server.faults.add(named(name), times=None)
    play = Play(Bench().service(), models)
    await play.say("oi")
    assert codes(play) == ("error", "truncated" if name == "length" else name)
    assert len(server.requests) == 1


async def test_a_stream_that_broke_is_never_repeated(server: ModelServer, models: ServerModels) -> None:
    for _ in range(3):
        script(server, LONG)
    server.faults.add(named("reset"), times=None)
    play = Play(Bench().service(), models)
    out = await play.say("oi")
    assert codes(play) == ("error", "cut") and len(server.requests) == 1
    assert_estimated(play, out)


async def test_a_stop_closes_the_models_stream_and_keeps_what_was_said(
    server: ModelServer, models: ServerModels
) -> None:
    script(server, LONG, "Continuo.", delay=0.1)
    play = Play(Bench().service(), models)
    turn, out = play.prepare("oi")
    running = asyncio.get_running_loop().create_task(play.go(turn, out))
    await out.until(lambda: len(out.text()) > 30)
    out.cancelled.set()
    await server.until(lambda: server.gone == 1)
    await running
    assert codes(play) == ("cancelled", None)
    assert play.result is not None
    assert play.result.items[-1] == {"role": "assistant", "content": out.text()}
    assert LONG.startswith(out.text().rstrip()) and len(out.text()) < len(LONG)
    assert_estimated(play, out)
    await play.say("e?")
    assert codes(play) == ("success", None)
    assert "estimatedTokens" not in play.result.usage


async def test_bad_arguments_and_unknown_tools_can_be_repaired_by_the_model(
    server: ModelServer, models: ServerModels, caplog: pytest.LogCaptureFixture
) -> None:
    script(
        server,
        Plan([Call("look", {"word": "a"})]),
        Plan([Call("look", {"word": "a"})]),
        Plan([Call("look", {"word": "a"})]),
        "Pronto.",
    )
    server.faults.add(named("bad_arguments"))
    server.faults.add(named("unknown_tool"))
    play = Play(Bench().service(), models)
    out = await play.say("oi")
    assert codes(play) == ("success", None)
    statuses = [e["metadata"]["loopwire"]["status"] for e in out.of("TOOL_CALL_RESULT")]
    assert statuses == ["failed", "failed", "done"]
    assert_nothing_leaked_to_page(out)


async def test_a_model_that_calls_tools_for_ever_is_stopped_at_the_limit(
    server: ModelServer, models: ServerModels
) -> None:
    most = RunLimits().model_calls
    script(server, *[Plan([Call("look", {"word": "a"})]) for _ in range(most + 5)])
    play = Play(Bench().service(), models)
    out = await play.say("oi")
    assert codes(play) == ("error", "limit")
    assert server.brain.left == 5, "nothing is asked of the model beyond the limit"
    assert len(out.of("TOOL_CALL_START")) == len(out.of("TOOL_CALL_RESULT")) == most
    assert out.transcript.run is not None and out.transcript.run.code == "limit"


def assert_nothing_leaked_to_page(out: Recorder) -> None:
    """The page sees nothing of it (the model's own words may stand in its own history)."""
    assert CANARY not in json.dumps(out.events)


@pytest.mark.parametrize("name", ["odd_borders", later("crlf"), later("comments")])
async def test_oddly_framed_but_correct_streams_are_read_whole(
    server: ModelServer, models: ServerModels, name: str
) -> None:
    script(server, LONG)
    server.faults.add(named(name))
    play = Play(Bench().service(), models)
    out = await play.say("oi")
    assert codes(play) == ("success", None) and out.text() == LONG


async def test_deltas_of_one_read_leave_as_one_event(server: ModelServer, models: ServerModels) -> None:
    script(server, LONG)
    out = await Play(Bench().service(), models).say("oi")
    assert out.text() == LONG
    assert len(out.of("TEXT_MESSAGE_CONTENT")) - 1 < 40 / 3


async def test_a_process_that_leaves_closes_the_models_stream(
    server: ModelServer, models: ServerModels
) -> None:
    script(server, LONG, delay=0.02)
    play = Play(Bench().service(), models)
    turn, out = play.prepare("oi")
    running = asyncio.get_running_loop().create_task(play.go(turn, out))
    await out.until(lambda: len(out.text()) > 30)
    running.cancel()
    await server.until(lambda: server.gone == 1)
    with pytest.raises(asyncio.CancelledError):
        await running


@pytest.mark.parametrize("status", [404, 405, 501])
async def test_a_server_without_responses_is_logged_with_the_setting_that_helps(
    server: ModelServer, models: ServerModels, api: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    hint = f"seems to have no /responses ({status}): set LOOPWIRE_MODEL_API=chat"
    server.faults.add(ServerError(status), times=None)
    play = Play(Bench().service(), models)
    await play.say("oi")
    assert play.result is not None and play.result.outcome == "error"
    logged = [each for each in caplog.records if "seems to have no" in each.getMessage()]
    assert len(logged) == (api == "responses"), "a server of Chat Completions is not told to become one"
    assert all(hint in each.getMessage() and each.levelname == "WARNING" for each in logged)
