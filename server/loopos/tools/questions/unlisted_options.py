"""Values of an option that a seller told and the catalog does not have: noted, told of and kept with the last text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from server import patterns
from server.languages import fold, split_question
from server.loopos.answers import Element, confirms
from server.loopos.answers.certainty import NEGATIONS, content
from server.loopos.answers.clauses.asides import without_looks_of_parts
from server.loopos.answers.options.unlisted_values import (
    named_colour,
    named_value,
    says_none,
    unlisted_size,
    value_beside_none,
)
from server.loopos.answers.words import tokens
from server.loopos.rows import OptionValue
from server.loopos.tools.drafts.confirmation import pending
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.product_traits import colours_in, colours_of
from server.loopos.tools.drafts.selected_options import (
    NO_VALUE,
    UnlistedValue,
    note_unlisted_value,
    open_option,
    unlisted_value_of,
)
from server.loopos.tools.questions.option_values import as_question, block_name, readings_of
from server.loopos.tools.questions.texts.remarks import drop_trait, keep_traits
from server.loopos.tools.tool_words import say

NEEDS_ALL = "needs_all"
_COLOUR = frozenset("cor colour color".split())
_NO = patterns.compile(r"\s*(?:no|n[aã]o|nope)\b[\s,.;:]*", patterns.IGNORECASE)
"""A no at the start of a message, which denies what was shown before it and not its own words."""
_MOST_WORDS = 4
"""A message that does not name the product is about a value of it where it has so few words."""


def none_of(language: str) -> OptionValue:
    """Return what stands for no value of an option among its values."""
    return OptionValue(NO_VALUE, say("choice.none", language))


def needs_all(draft: Draft) -> bool:
    """Return whether the Core has refused an item of this product without a value of an option."""
    return draft.product_id is not None and draft.run.private.get(NEEDS_ALL) == draft.product_id


async def note_unlisted(draft: Draft, product: Any) -> None:
    """Note the values that the seller told of options which do not have them, once a run.

    Told once more where the option is asked, agreed to, or said to be none, it is meant: the option is left out.
    """
    run = draft.run
    if run.private.get("unlisted_read") == run.run_id or not product.option_types:
        return
    run.private["unlisted_read"] = run.run_id
    readings = await readings_of(draft, product)
    elements = {kind.id: as_question(readings, kind) for kind in product.option_types}
    names = frozenset(tokens(" ".join(f"{each.name} {each.category}" for each in readings)))
    is_typed = not any(part.get("type") == "answer" for part in run.input)
    for kind in product.option_types:
        others = [each for key, each in elements.items() if key != kind.id]
        if is_typed and draft.waiting_block() == block_name(kind) and not pending(draft, block_name(kind)):
            _note_answer(draft, kind, elements[kind.id], others, names)
        elif unlisted_value_of(run, kind.id) is None or is_typed:
            _note_told(draft, kind, elements[kind.id], others, names, is_typed=is_typed)


def _note_answer(
    draft: Draft, kind: Any, element: Element, others: list[Element], names: frozenset[str]
) -> None:
    """Note what a message says to the values of the option that is asked."""
    run, message = draft.run, split_question(draft.typed_text())[0]
    noted = unlisted_value_of(run, kind.id)
    said = _unlisted_in(element, others, names, message, is_asked=True)
    is_same = noted is not None and bool(said) and {*tokens(said)} & {*tokens(noted.said)} != set()
    agrees = noted is not None and len(kind.values) > 1 and confirms(message, draft.language) == (True, "")
    if says_none(message) or is_same or agrees:
        told = noted or UnlistedValue(said, run.run_id)
        note_unlisted_value(run, kind.id, replace(told, said=told.said or said, meant_in=run.run_id))
    elif said:
        note_unlisted_value(run, kind.id, UnlistedValue(said, run.run_id))


def _note_told(
    draft: Draft, kind: Any, element: Element, others: list[Element], names: frozenset[str], *, is_typed: bool
) -> None:
    """Note what the messages tell beside the question: the newest one that has such a value."""
    run, messages = draft.run, draft.messages()
    is_chosen = kind.id in draft.chosen
    if is_chosen:
        messages = messages[:1] if is_typed and not draft.has_item() else []
    for place, message in enumerate(messages):
        is_of_it = not names.isdisjoint(tokens(message)) or len(tokens(message)) <= _MOST_WORDS
        said = _unlisted_in(element, others, names, message, is_asked=False) if is_of_it else ""
        noted = unlisted_value_of(run, kind.id)
        if said and (noted is None or (place == 0 and fold(said) != fold(noted.said))):
            note_unlisted_value(run, kind.id, UnlistedValue(said, run.run_id))
            if is_chosen:
                open_option(run, kind.id, kind.name)
        if said:
            return


def _unlisted_in(
    element: Element, others: list[Element], names: frozenset[str], message: str, *, is_asked: bool
) -> str:
    """Return the value of a message that is of the kind of an option and none of its values, as it is written."""
    values = [each.label.pt for each in element.options]
    if not _COLOUR.isdisjoint(tokens(f"{element.label.pt} {element.label.en}")):
        message = _without_values(others, message)
        said = _unlisted_colour(element, names, message, is_asked=is_asked)
    else:
        sizes = [[value.label.pt for value in each.options] for each in others]
        said = unlisted_size(values, sizes, names, message, is_asked=is_asked)
    if said or not is_asked:
        return said
    words = {word for each in element.options for word in tokens(f"{each.label.pt} {each.label.en}")}
    named = named_value(message) or value_beside_none(message)
    return named if words.isdisjoint(tokens(named)) and not colours_of(named) else ""


def _without_values(others: list[Element], message: str) -> str:
    """Return a message without the values of other options that have several words: `Scarlet and Violet`."""
    said = tokens(message)
    for value in (each for element in others for each in element.options):
        for label in (value.label.pt, value.label.en):
            named = tokens(label)
            start = message.casefold().find(label.casefold()) if len(named) > 1 else -1
            if start >= 0:
                message = f"{message[:start]} {message[start + len(label) :]}"
            elif len(said) > 1 and {*said} <= {*named}:
                return ""
    return message


def _unlisted_colour(element: Element, names: frozenset[str], message: str, *, is_asked: bool) -> str:
    """Return the colour of a message that no value has; none where it says the colour of a value too."""
    words = {word for each in element.options for word in tokens(f"{each.label.pt} {each.label.en}")}
    named = named_colour(without_looks_of_parts(words, message))
    if named and words.isdisjoint(tokens(named)) and not colours_of(named):
        return named
    if not words.isdisjoint(tokens(message)) and colours_of(" ".join(words)) & colours_of(message):
        return ""
    if not NEGATIONS.isdisjoint(tokens(_NO.sub("", message, count=1))) and not is_asked:
        return ""
    for found in colours_in(message, names, frozenset(words)):
        if is_asked or len(colours_of(found)) == len(content(tokens(found))):
            return " ".join(each for each in found.split() if colours_of(each))
    return ""


def told_value(draft: Draft, kind: Any) -> dict[str, Any]:
    """Return as `unlisted` what an option does not have, and whether the seller means it; nothing without such."""
    noted = unlisted_value_of(draft.run, kind.id) if kind is not None else None
    if noted is None:
        return {}
    is_meant = noted.meant_in == draft.run.run_id and not needs_all(draft)
    is_meant &= draft.chosen.get(kind.id) != NO_VALUE
    told = {"option_type_id": kind.id, "name": kind.name, "said": noted.said, "is_meant": is_meant}
    told["none"] = "" if needs_all(draft) else none_of(draft.language).name
    told["is_new"] = bool(noted.said) and noted.told_in == draft.run.run_id
    return {"unlisted": told}


def keep_unlisted_values(draft: Draft, product: Any) -> None:
    """Keep for the last text what the seller called the item at the options that are left out, and at no other."""
    for kind in product.option_types:
        noted = unlisted_value_of(draft.run, kind.id)
        trait = f"{kind.name}: {noted.said}" if noted is not None and noted.said else ""
        if trait and draft.chosen.get(kind.id) == NO_VALUE:
            keep_traits(draft, [trait])
        elif trait:
            drop_trait(draft, trait)
