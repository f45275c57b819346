"""The products that a conversation names: in any clause of a message, or before another one was looked for."""

from collections.abc import Sequence
from dataclasses import replace

from server import patterns
from server.languages import fold
from server.loopos.answers.certainty import NEGATIONS
from server.loopos.answers.words import tokens
from server.loopos.catalog.words import VARIANTS, read
from server.loopos.core import Core
from server.loopos.rows import Found, Match
from server.loopos.tools.drafts.draft import Draft
from server.text_reading.things.unsold_kinds import is_other_kind

_KEY = "named"
_MOST, _MOST_READ, _MOST_CLAUSES, _LIMIT = 5, 1_000, 8, 24
"""So many products are remembered, and so many characters and clauses of a message are read."""
_SHORTEST = 4
_BORDERS = patterns.compile(r"[^\w\s)]\s+|\n")
_SIZES = patterns.compile(
    r"(?<![\w/])\d{1,2}(?: ?gb)?/(?:\d{3,4}|[1-8] ?tb)(?: ?gb)?(?![\w/])|\b\d{1,4} ?[gt]b\b",
    patterns.IGNORECASE,
)
"""Memory and storage, which no product is called by: `8/256`."""
_NUMBERED = patterns.compile(
    r"\b(?:the|my|o|a|os|as|ao|do|da|meu|minha)\s+(\d{1,4})(?![\w%€])(?!\s?(?:gb|tb|€|eur))"
)
"""A number that names a model by itself, in folded text: `the 12`."""


def note_named(draft: Draft, key: str, name: str, brand: str) -> None:
    """Remember a product that the seller named, with what the message told of it."""
    known: list[dict[str, str]] = draft.run.private.get(_KEY, [])
    before = next((each for each in known if each["key"] == key), {})
    named = {"key": key, "name": name, "brand": brand, "told": before.get("told") or draft.typed_text()[:500]}
    draft.run.private[_KEY] = [*(each for each in known if each is not before), named][-_MOST:]


async def named_product(draft: Draft, found: Found, others: Sequence[str]) -> tuple[str, Found] | None:
    """Return the product that a typed message names beside the words of the query, where those name none for sure,
    with its query: by its whole name in some clause, or again by a part of it. A clause with one of the `others` is of
    another item.
    """
    typed = draft.typed_text()
    is_typed = not any(part.get("type") == "answer" for part in draft.run.input)
    if not is_typed or len(found.matches) == 1 or any(each.exact for each in found.matches):
        return None
    meant = await _named_in_clause(draft, typed, others) if len(typed) <= _MOST_READ else None
    meant = meant or await _named_before(draft, typed)
    return (f"{meant.brand} {meant.name}", replace(found, matches=[meant], total=1)) if meant else None


async def _named_in_clause(draft: Draft, typed: str, others: Sequence[str]) -> Match | None:
    """Return the only product that a clause names whole, or by its brand and a word of its name."""
    clauses = [each for each in _BORDERS.split(typed) if read(each) and NEGATIONS.isdisjoint(tokens(each))]
    for clause in clauses[:_MOST_CLAUSES]:
        if is_other_kind(clause) or any({*tokens(each)} <= {*tokens(clause)} for each in others):
            continue
        found = await _search(draft, _SIZES.sub(" ", clause))
        exact = [each for each in found.matches if each.exact]
        if len(exact) == 1 or (found.total == 1 and _has_brand_and_word(clause, found.matches[0])):
            return exact[0] if exact else found.matches[0]
    return None


async def _search(draft: Draft, query: str) -> Found:
    return await draft.run.resource(Core).search(query, limit=_LIMIT, language=draft.language)


def _has_brand_and_word(text: str, match: Match) -> bool:
    said = set(tokens(text))
    return said.issuperset(tokens(match.brand)) and bool(_words_of(match.name) & said)


def _words_of(name: str) -> set[str]:
    """Return the words of a name that few others have."""
    return {each for each in tokens(name) if each.isalpha() and len(each) >= _SHORTEST} - VARIANTS


async def _named_before(draft: Draft, typed: str) -> Match | None:
    """Return the one product of this conversation that a message names again by a part of its name, or its number,
    with no other number or variant; what was told of it is heard again. One that is sold is none.
    """
    out = {*draft.run.private.get("left_out", ()), *_sold(draft)}
    known = [each for each in draft.run.private.get(_KEY, []) if each["key"] not in out]
    named = [each for each in known if _is_named(typed, each["name"])]
    if len(named) != 1:
        return None
    found = await _search(draft, f"{named[0]['brand']} {named[0]['name']}")
    again = next((e for e in found.matches if f"{e.product_id}:{e.brand_id}" == named[0]["key"]), None)
    heard: list[list[str]] = draft.run.private.get("heard", [])
    if again is not None and heard and not any(named[0]["told"] in said for _, said in heard):
        heard[-1:-1] = [[f"{draft.run.run_id}:before", named[0]["told"]]]
    return again


def _is_named(typed: str, name: str) -> bool:
    own, said = set(tokens(name)), set(tokens(typed))
    numbers = {*_NUMBERED.findall(fold(typed))}
    marks = {each.text for each in read(typed) if each.text in VARIANTS and each.text not in tokens(name)}
    if numbers - own or (marks and not numbers):
        return False
    return bool(numbers or _words_of(name) & said)


def _sold(draft: Draft) -> list[str]:
    sold = {each["product"] for each in draft.run.private.get("earlier", [])}
    return [each["key"] for each in draft.run.private.get(_KEY, []) if each["name"] in sold]
