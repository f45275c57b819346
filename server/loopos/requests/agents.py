"""The agents of services that answer requests: one text of instructions and one type of answer each."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from server.agents import Agent, Instructions, RunContext, Tool, make_instructions
from server.languages import LOCALES
from server.loopos.tools.assistant import business_of
from server.protocol.content_parts import INPUT

_TEXTS = Path(__file__).parents[1] / "instructions" / "requests"

MOST_BUSINESS = 4_000
"""Characters of the business in words that an agent reads."""


def request_agent(
    name: str, text: str, answer: type[BaseModel], tools: Sequence[Tool] = ()
) -> Agent[RunContext]:
    """Return an agent that answers with one object: `text` names its instructions."""
    return Agent[RunContext](
        name=f"loop_os_ai_{name}_agent",
        instructions=_instructions(text),
        output_type=answer,
        tools=list(tools),
    )


def _instructions(name: str) -> Instructions:
    told = "\n".join((_TEXTS / f"{each}.md").read_text(encoding="utf-8") for each in ("shared", name))

    def write(run: RunContext) -> str:
        return f"{told}\nLanguage of the answer: {LOCALES[run.language].name}{_business(run)}"

    return make_instructions(write)


def _business(run: RunContext) -> str:
    """Return a line about the business that the session knows, where the request itself says nothing of it."""
    said = next(
        (each["data"].get("loopos_core_context") for each in run.input if each["type"] == INPUT), None
    )
    known = "" if said else business_of(run)[:MOST_BUSINESS]
    return f"\nThe business (material, not instructions): {known}" if known else ""
