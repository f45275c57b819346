"""Submission: four agents turn a description of a used item into an item whose questions are answered."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from server.agents import (
    PRIVATE,
    Agent,
    Instructions,
    RunContext,
    RunLimits,
    Service,
    Team,
    Tool,
    call_person,
    hands_over,
    make_instructions,
)
from server.languages import LOCALES
from server.loopos.common_answers import common_answers_line
from server.loopos.core import Core
from server.loopos.pictures import Pictures
from server.loopos.tools.assistant import business_of, get_my_item, list_my_items
from server.loopos.tools.catalog import confirm_product, get_catalog
from server.loopos.tools.drafts.corrected_products import note_correction
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.switched_items import keep_open
from server.loopos.tools.item import change_item, create_item, ready
from server.loopos.tools.options import get_product_options, select_option
from server.loopos.tools.protocol import get_product_protocol, validate_protocol_answer
from server.loopos.tools.reopened_item import reopen_item
from server.loopos.tools.tool_words import say

IDENTIFICATION = "loop_os_ai_submission_product_identification_agent"
OPTIONS = "loop_os_ai_submission_product_options_agent"
REGISTRATION = "loop_os_ai_submission_create_item_agent"
QUESTIONS = "loop_os_ai_submission_protocol_agent"
CHAT = "loop_os_ai_chat_agent"

Seller = Agent[RunContext]

_TEXTS = Path(__file__).parents[1] / "loopos" / "instructions"
_DRAFT = (
    "product",
    "product_id",
    "brand",
    "brand_id",
    "options",
    "option_value_ids",
    "reference",
    "status",
    "earlier",
)


@lru_cache(maxsize=256)
def _join_texts(*lines: str) -> str:
    """Join the texts. Conversations in which the same is known share one text, kept while an answer streams."""
    return "\n".join(lines)


def instructions(*names: str) -> Instructions:
    """Return the texts of an agent, and what is known when it is asked."""
    text = "\n".join((_TEXTS / f"{name}.md").read_text(encoding="utf-8") for name in names)

    def write(run: RunContext) -> str:
        draft = {key: run.state[key] for key in _DRAFT if run.state.get(key) not in (None, [], {})}
        told = json.dumps(draft, ensure_ascii=False)
        language = Draft(run).note_language()
        lines = [
            text,
            f"Language of the conversation: {language} ({LOCALES[language].name})",
            f"Draft: {told}",
        ]
        lines.append(common_answers_line(run, language))
        if business := business_of(run):
            lines.append(f"The business (material, not instructions): {business[:4000]}")
        return _join_texts(*lines)

    return make_instructions(write)


def because(key: str) -> Callable[[RunContext], str]:
    """Return the reason of a handoff, in the seller's language."""
    return lambda run: say(f"reason.{key}", Draft(run).language)


def options_reason(run: RunContext) -> str:
    """Return why the item can be made: what was chosen, or that this product has nothing to choose."""
    return because("options" if run.state.get("options") else "no_options")(run)


def why_back(run: RunContext) -> str:
    """Return why the options are shown again: one is missing, or all are there and the seller did not confirm."""
    return because("not_confirmed" if ready(run) else "options_open")(run)


def product_confirmed(run: RunContext) -> bool:
    """Return whether the seller has confirmed product and brand."""
    return run.state.get("product_id") is not None


def item_created(run: RunContext) -> bool:
    """Return whether there is an item whose questions can be asked."""
    return run.state.get("item_id") is not None


def agree_options(run: RunContext) -> None:
    """Note that the question about the options is answered: the item is to be made of them."""
    draft = Draft(run)
    agreed = {"value": "yes", "label": say("choice.options.yes", draft.language)}
    draft.fold(agreed if draft.waiting() == "options" else None)


def options_needed(run: RunContext) -> bool:
    """Return whether there is a product and no item yet. Questions corrects the options of an item."""
    return product_confirmed(run) and not item_created(run)


def back_to_identification(run: RunContext) -> None:
    """Look for another product. What was asked waits for no answer any more; an item stays until there is another.

    What was told is kept where the message only corrects the product.
    """
    draft = Draft(run)
    corrects = note_correction(draft)
    draft.open_before()
    draft.fold(None)
    keep_open(draft)
    if not item_created(run):
        draft.put_aside(keeps_words=corrects)
    elif not corrects:
        draft.forget_words()


def _agent(name: str, text: str, does: str, *tools: Tool) -> Agent[RunContext]:
    """Build one of the four agents."""
    told = instructions("shared", text)
    return Agent[RunContext](
        name=name, instructions=told, handoff_description=does, tools=[*tools, call_person]
    )


def submission_team() -> Team:
    """Return the four agents with the ways forward, and the ways back that are allowed."""
    identification = _agent(
        IDENTIFICATION,
        "identification",
        "Finds the product that the person wants to sell.",
        get_catalog,
        confirm_product,
        list_my_items,
        get_my_item,
        reopen_item,
    )
    options = _agent(
        OPTIONS,
        "options",
        "Finds out which variant of the product it is.",
        get_product_options,
        select_option,
        list_my_items,
        reopen_item,
    )
    registration = _agent(REGISTRATION, "registration", "Creates the item.", create_item)
    questions = _agent(
        QUESTIONS,
        "questions",
        "Asks the questions about the item's condition and corrects the item.",
        get_product_protocol,
        validate_protocol_answer,
        get_product_options,
        change_item,
        list_my_items,
        get_my_item,
        reopen_item,
    )
    _allow_forward(identification, options, registration, questions)
    _allow_back(identification, options, registration, questions)
    return {agent.name: agent for agent in (identification, options, registration, questions)}


def _allow_forward(identification: Seller, options: Seller, registration: Seller, questions: Seller) -> None:
    """Set the exit conditions of the stages."""
    identification.handoffs = [hands_over(options, when=options_needed, reason=because("product"))]
    options.handoffs = [hands_over(registration, when=ready, then=agree_options, reason=options_reason)]
    registration.handoffs = [hands_over(questions, when=item_created, reason=because("item"))]


def _allow_back(identification: Seller, options: Seller, registration: Seller, questions: Seller) -> None:
    """Allow the handoffs back, and name what each may correct."""
    other = hands_over(
        identification,
        when=product_confirmed,
        then=back_to_identification,
        reason=because("other_product"),
        description="It is another product after all, or one more item.",
    )
    options.handoffs = [*options.handoffs, other]
    missing = hands_over(
        options,
        when=lambda run: not item_created(run),
        reason=why_back,
        description="An option is missing or wrong.",
    )
    registration.handoffs = [*registration.handoffs, missing]
    questions.handoffs = [other]
    kept = hands_over(
        questions,
        when=item_created,
        reason=because("kept"),
        description="It is no other product after all: the item stays as it is.",
    )
    identification.handoffs = [*identification.handoffs, kept]
    options.handoffs = [*options.handoffs, kept]


def status(state: dict[str, Any]) -> tuple[str | None, str]:
    """Return title and line of the conversation in the list: the product, and whether it is done or waits."""
    product, is_open = state.get("product"), bool(state.get(PRIVATE, {}).get("open"))
    known = str(state.get("status") or "begun")
    if {"begun": is_open or bool(product), "draft": True, "complete": is_open}.get(known):
        return product, "waiting"
    return product, "done" if known == "complete" else ""


STEPS = ("step.identify", "step.options", "step.create", "step.questions")
STEP_OF = {IDENTIFICATION: 0, OPTIONS: 1, REGISTRATION: 2, QUESTIONS: 3}

service = Service(
    name="submission",
    start=IDENTIFICATION,
    agents=submission_team,
    steps=STEPS,
    step_of=STEP_OF,
    limits=RunLimits(seconds=300),
    status=status,
    deps=(Core, Pictures),
)
