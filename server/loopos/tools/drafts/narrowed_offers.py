"""The offer that waits, narrowed by what a message says of it, and the other products of a brand that it names."""

from dataclasses import replace

from server import patterns
from server.languages import fold
from server.loopos.answers.certainty import NEGATIONS, content
from server.loopos.answers.words import tokens
from server.loopos.catalog.certainty import ACCESSORIES, ORDINARY
from server.loopos.catalog.words import VARIANTS, read
from server.loopos.core import Core
from server.loopos.rows import Found, Match
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.product_searches import of_told_year, told_years
from server.loopos.tools.drafts.switched_items import keep_offer
from server.text_reading.things.unsold_kinds import is_other_kind, other_piece

_LIMIT, _MOST_READ, _FEWEST = 24, 200, 2
"""So many products are looked up, so many characters of a message are read, and so many products are a list."""
_INCHES = patterns.compile(
    r"(?<![\w.,])(\d{1,2})(?:[.,]\d{1,2})?\s?(?:\"|''|”|inch(?:es)?\b|pol(?:egadas?)?\b)"
)


def product_key(match: Match) -> str:
    """Return the name of a product under a brand, as a click sends it."""
    return f"{match.product_id}:{match.brand_id}"


async def narrow(draft: Draft, query: str, found: Found) -> tuple[str, Found] | None:
    """Return what the words mean beside what was offered last, where alone they name nothing better, with its query.

    They choose among several that are on offer, as `the essential, the small one` does, or name a variant of one, as
    `it is the second generation` does. Else the year that is told of the model chooses. What was offered waits where
    another item is begun before it.
    """
    keep_offer(draft, query)
    base = draft.run.private.get("searched", "")
    meant = await _meant_beside(draft, base, query, found) if base else []
    if not meant:
        return of_told_year(found, draft.typed_text())
    query = f"{meant[0].brand} {meant[0].name}" if len(meant) == 1 else f"{base} {query}"
    return query, replace(found, matches=meant, total=len(meant))


async def _meant_beside(draft: Draft, base: str, query: str, found: Found) -> list[Match]:
    shown = draft.run.private.get("asked", [])
    if not shown or any(each.exact for each in found.matches):
        return []
    best = max((each.score for each in found.matches), default=0.0)
    if best:
        among = [
            each for each in found.matches if product_key(each) in shown and draft.waiting() == "product"
        ]
        return among if len(among) < len(shown) and any(each.score >= best for each in among) else []
    marks = [each.text for each in read(query) if each.counts or each.text in VARIANTS]
    words = marks or content(tokens(query))
    beside = f"{base} {' '.join(words)}"
    wider = await draft.run.resource(Core).search(beside, limit=_LIMIT, language=draft.language)
    own = [each for each in wider.matches if set(words) & set(tokens(each.name))]
    others = {each for each in content(tokens(query)) if len(each) > 2} - {*marks}  # noqa: PLR2004 - `s`, `o`
    if marks and others:  # `Seiko 5` is no other watch with a 5.
        own = [each for each in own if others & {*tokens(f"{each.name} {each.brand}")}]
    exact = [each for each in wider.matches if each.exact and (marks or each in own or each.score == 1)]
    meant = exact if len(exact) == 1 else [each for each in own if product_key(each) in shown]
    # Where all the words are of the one product that is shown, it is shown again.
    is_same = {product_key(each) for each in meant} == set(shown) and meant[0].score < 1
    return [] if is_same else meant


async def offers_beside(
    draft: Draft, query: str, found: Found
) -> tuple[tuple[str, Found] | None, tuple[str, Found] | None]:
    """Return what answers words that find nothing: the narrowed offer that waits, else the products of their brand."""
    kept = await _narrowed_offer(draft, found)
    return kept, None if kept else await _products_of_brand(draft, query)


async def _narrowed_offer(draft: Draft, found: Found) -> tuple[str, Found] | None:
    """Return those of several products on offer that have the year, the size in inches and the brand which a message
    tells, where its words find nothing, with the query of the offer. A fact that none of them has says nothing.
    """
    base, typed = draft.run.private.get("searched", ""), draft.typed_text()[:_MOST_READ]
    shown = draft.run.private.get("asked", [])
    waits = draft.waiting_block() == "product" and len(shown) > 1
    if not (base and waits) or not NEGATIONS.isdisjoint(tokens(typed)):
        return None
    again = await draft.run.resource(Core).search(base, limit=_LIMIT, language=draft.language)
    offered = [each for each in again.matches if product_key(each) in shown]
    years, inches = told_years(fold(typed)), {*_INCHES.findall(typed.casefold())}
    fitting = _having(offered, years)
    fitting = _having(fitting, inches)
    fitting = [each for each in fitting if _is_said(each.brand, typed)] or fitting
    is_narrower = 0 < len(fitting) < len(offered)
    return (base, replace(found, matches=fitting, total=len(fitting))) if is_narrower else None


def _having(matches: list[Match], figures: set[str]) -> list[Match]:
    """Return the products with one of these figures in their names, or all where none has any."""
    named = [each for each in matches if figures & {part.partition(".")[0] for part in tokens(each.name)}]
    return named or matches


def _is_said(brand: str, text: str) -> bool:
    """Return whether a text says a brand, with or without the marks in it: `delonghi`."""
    words, name = tokens(text), tokens(brand)
    joined = "".join(name)
    return joined in words or any(words[at : at + len(name)] == name for at in range(len(words)))


async def _products_of_brand(draft: Draft, query: str) -> tuple[str, Found] | None:
    """Return the products of the brand that a query names beside words which the catalog does not know, with the query.

    They are an answer where all of them are of one kind, and the query names neither another kind nor an accessory. A
    word that models of others share, as `tab` is, names another kind, and a number may: `HP Deskjet 2720`.
    """
    said = {each.text for each in read(query)}
    is_plain = ACCESSORIES.isdisjoint(said) and not any(map(str.isdigit, query))
    if not is_plain or is_other_kind(query) or other_piece(query):
        return None
    core, typed = draft.run.resource(Core), query[:_MOST_READ]
    own = await core.search("", brand=typed, limit=_LIMIT, language=draft.language)
    is_one = len({(each.brand_id, each.category_id) for each in own.matches}) == 1
    if not is_one or len(own.matches) < _FEWEST or not _is_said(own.matches[0].brand, query):
        return None
    names = {word for each in own.matches for word in tokens(f"{each.brand} {each.name}")}
    is_other = not VARIANTS.intersection(said) <= names or ORDINARY.issuperset(tokens(own.matches[0].brand))
    return None if is_other else (query, own)
