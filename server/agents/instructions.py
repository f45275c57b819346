"""Instructions of an agent that depend on its run."""

from collections.abc import Callable

from agents import Agent, RunContextWrapper

from server.agents.context import RunContext
from server.agents.run.prepared_team import keep_signature

Instructions = Callable[[RunContextWrapper[RunContext], Agent[RunContext]], str]


def make_instructions(write: Callable[[RunContext], str]) -> Instructions:
    """Return instructions for an `Agent` that `write` makes of the run, anew before each request to the model."""

    @keep_signature
    def instructions(context: RunContextWrapper[RunContext], _agent: Agent[RunContext]) -> str:
        return write(context.context)

    return instructions
