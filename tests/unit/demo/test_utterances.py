"""The utterances of people are understood: each through the real runner, tools and store."""

from itertools import pairwise

import pytest

from tests.parts.sampled import later, one_of
from tests.unit.demo.harness import RunnerHarness
from tests.unit.demo.judging import LOST, judge
from tests.unit.demo.utterances import CASES, STATES, Case

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

GARBAGE = ["asdf qwer", "???", "blá blá blá", "zzz", "hm", "não percebo nada disto", "gnu"]


EVERY = 6
"""`make test` tries so many's first; `make conformance` the others too."""


def _of(state: str, rest: bool) -> list[Case]:
    cases = [case for case in CASES if case.state == state]
    return [case for place, case in enumerate(cases) if bool(place % EVERY) is rest]


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param(False, id="each sixth"),
        later(True, id="the others"),
    ],
)
@pytest.mark.parametrize("state", one_of(3, STATES))
async def test_utterances_of_a_state_do_what_they_say(harness: RunnerHarness, state: str, rest: bool) -> None:
    cases, unmet, wrong = _of(state, rest), [], []
    for case in cases:
        faults, harm = (await judge(harness, case))[1:]
        unmet += [f"{case.text}: {fault}" for fault in faults]
        wrong += [case.text] if harm else []
    assert not wrong
    assert not unmet


async def test_the_table_has_150_utterances_and_some_for_every_state() -> None:
    assert len(CASES) >= 150
    assert len({case.text for case in CASES if case.state.startswith("en:")}) >= 50
    assert {case.state for case in CASES} == set(STATES)


@pytest.mark.parametrize(
    "state",
    [
        "start",
        "storage",
        "select",
        *(later(state) for state in ("list", "one", "colour", "ready", "number", "date")),
    ],
)
async def test_nonsense_never_loses_the_way(harness: RunnerHarness, state: str) -> None:
    visitor = await harness.visitor()
    for text in STATES[state]:
        await visitor.say(text)
    before = visitor.state.get("product"), visitor.state.get("options")
    said = [(await visitor.say(text)).text for text in GARBAGE]
    assert (visitor.state.get("product"), visitor.state.get("options")) == before
    assert all(said)
    assert not any(LOST.search(one) and LOST.search(two) for one, two in pairwise(said))
    assert all(one != two for one, two in pairwise(said))
