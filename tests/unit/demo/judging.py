"""The judgement of an utterance: its effect is the expected one, and it changed nothing else."""

import re
from typing import Any

from tests.unit.demo.harness import HarnessVisitor, Reply, RunnerHarness
from tests.unit.demo.utterances import STATES, TOOLS, Case

LOST = re.compile(
    r"não (?:percebi|entendi|compreendi)|(?:don't|do not|didn't) (?:understand|get that)", re.IGNORECASE
)


def known(visitor: HarnessVisitor) -> dict[str, Any]:
    """Product, options and answers as they stand."""
    state = visitor.state
    return {name: state.get(name) for name in ("product", "options", "answers")}


async def at(harness: RunnerHarness, state: str) -> HarnessVisitor:
    """Return a visitor in this state."""
    visitor = await harness.visitor("en" if state.startswith("en:") else "pt")
    for text in STATES[state]:
        await visitor.say(text)
    return visitor


async def judge(harness: RunnerHarness, case: Case) -> tuple[HarnessVisitor, list[str], bool]:
    """Bring a visitor to the state, say it, and list what is not as expected; True when something wrong was kept."""
    visitor = await at(harness, case.state)
    before = known(visitor)
    reply = await visitor.say(case.text)
    return visitor, _faults(case, reply), not case.restarts and _wrong(case, before, known(visitor))


def _faults(case: Case, reply: Reply) -> list[str]:
    """Return what is missing or too much in the reply."""
    faults = []
    if reply.result.outcome != "success":
        faults.append(f"ended {reply.result.outcome} {reply.result.code}")
    expected = [TOOLS[each] for each in case.calls.split()] if case.calls != "*" else reply.calls
    if reply.calls != expected:
        faults.append(f"called {reply.calls} instead of {expected}")
    if case.to and reply.handoffs != case.to.split():
        faults.append(f"went to {reply.handoffs}")
    if case.says and not re.search(case.says, reply.text):
        faults.append(f"said {reply.text!r}")
    if case.query is not None and _query(reply) != case.query:
        faults.append(f"looked for {_query(reply)!r}")
    if not reply.text:
        faults.append("said nothing")
    return faults


def _query(reply: Reply) -> str | None:
    """Return what the catalog was asked for."""
    for item in reply.result.items:
        if item.get("type") == "function_call" and item.get("name") == "get_catalog":
            found = re.search(r'"query": "([^"]*)"', item["arguments"])
            return found[1] if found else None
    return None


def _wrong(case: Case, before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Return whether something is kept that the person did not say, or lost that they did.

    Nothing at all is no harm.
    """
    if after == before:
        return False
    product = case.product or before["product"]
    options = {**(before["options"] or {}), **case.options}
    answers = {**(before["answers"] or {}), **case.answers}
    same_answers = all(
        str(value) in (after["answers"] or {}).get(name, "") for name, value in answers.items()
    )
    return (
        after["product"] != product
        or (after["options"] or {}) != options
        or not same_answers
        or len(after["answers"] or {}) != len(answers)
    )
