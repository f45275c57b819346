"""Chat: a general assistant that answers from its tools and passes a sale on to the submission."""

from server.agents import Agent, RunContext, RunLimits, Service, Team, ask_user, call_person, hands_over
from server.loopos.core import Core
from server.loopos.pictures import Pictures
from server.loopos.tools.assistant import (
    get_business_context,
    get_my_item,
    list_my_conversations,
    list_my_items,
    search_catalog,
)
from server.services.submission import (
    CHAT,
    IDENTIFICATION,
    QUESTIONS,
    STEP_OF,
    STEPS,
    because,
    instructions,
    status,
    submission_team,
)


def is_finished(run: RunContext) -> bool:
    """Return whether nothing more is asked about the item."""
    return run.state.get("status") in ("complete", "refused")


def chat_team() -> Team:
    """Return the assistant before the submission's four; the first of these may hand back."""
    team = submission_team()
    identification = team[IDENTIFICATION]
    assistant = Agent[RunContext](
        name=CHAT,
        instructions=instructions("chat"),
        handoff_description="Answers everything that is not about the item being sold.",
        tools=[
            search_catalog,
            list_my_items,
            get_my_item,
            list_my_conversations,
            get_business_context,
            ask_user,
            call_person,
        ],
        handoffs=[
            hands_over(
                identification, reason=because("sale"), description="The person wants to sell something."
            )
        ],
    )
    back = hands_over(
        assistant, reason=because("question"), description="A question that is not about this sale."
    )
    identification.handoffs = [*identification.handoffs, back]
    questions = team[QUESTIONS]
    after = hands_over(
        assistant,
        when=is_finished,
        reason=because("question"),
        description="A question that is not about this sale.",
    )
    questions.handoffs = [*questions.handoffs, after]
    return {assistant.name: assistant, **team}


service = Service(
    name="chat",
    start=CHAT,
    agents=chat_team,
    steps=STEPS,
    step_of=STEP_OF,
    limits=RunLimits(seconds=300),
    status=status,
    deps=(Core, Pictures),
)
