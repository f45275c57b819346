"""The searches for a product, and what they leave of the words about an item that was put aside."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from typing import Any

from server import patterns
from server.languages import fold
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.words import tokens
from server.loopos.catalog.words import VARIANTS, read
from server.loopos.rows import Found, Match
from server.loopos.tools.drafts.corrected_products import forget_correction
from server.loopos.tools.drafts.draft import Draft
from server.text_reading.things.owners import other_owner
from server.text_reading.things.unsold_kinds import other_piece

_MOST_MISSED, _MOST_SEARCHES = 200, 10
"""So many characters of each of so many searches in vain are remembered."""
_OFFERS = 3
"""The place of the offers in what is remembered of a search."""
_JOINING = frozenset(("and", "e", "&", "of", "de", "da", "do"))
_ARTICLES = frozenset(
    "um uma uns umas o os as an the my our meu minha some vendo vender selling sell".split()
)
_RUNS = patterns.compile(r"\d+|[^\W\d_]+")
_MEASURED = patterns.compile(r"\d{1,4}(?:[.,]\d{1,2})?(?:kg|g|l|cm|mm|m|w|v|pol)", patterns.IGNORECASE)
_MOST_QUOTED, _MODEL_DIGITS = 5, 3  # Words of a brand and a model; after a `2` may come `pro`.
_LIKELY = 0.85
"""So much of the best score has a product that the words fit nearly as well: a longer name of the same family."""
_PLAIN = frozenset("normal standard simples regular plain base".split())
"""Words for the plain model, which are no part of its name."""
_YEAR = patterns.compile(r"(?<![\w.,-])20[0-3]\d(?![\w-])")
_OF_PURCHASE = patterns.compile(
    r"\b(?:compr\w+|bought|purchased|got|received|recebi|ofere\w+|since|desde|em|in|jan\w*|fe[bv]\w*|mar\w*|a[bp]r\w*|"
    r"ma[iy]\w*|jun\w*|jul\w*|a[ug][ug]\w*|ago\w*|se[pt]\w*|o[cu]t\w*|nov\w*|de[cz]\w*)(?:\W+\w+){0,2}?\W*$"
)
"""The end of what stands before a year in which the seller got the item."""


_ALSO_HAS = patterns.compile(
    r"\s*(?:and |e )?(?:(?:i|we)(?:['’]ve)? also (?:have|got)|tamb[eé]m (?:tenho|temos)|(?:tenho|temos) tamb[eé]m)\b",
    patterns.IGNORECASE,
)
"""The beginning of a message about one more item, of which nothing was told before."""


def note_looked_for(
    draft: Draft, query: str, found: Sequence[Match], *, again: bool, corrects: bool = False
) -> str:
    """Remember what was looked for, and the categories of what was found; what was said of an item that the catalog
    does not have, or that was left for another one, says nothing of the item that is found now.

    A search in vain by the kind of the item that is found now, or before a message that only names the model, was for
    this one. Where the same offer is shown `again`, what was looked for in vain was no item. Once something was, an
    item of the same category is the same one only if it shares more of its name than brand and category. Where the
    message `corrects` the product, it is the same item.
    Returns the words of this message that were looked for before the same offer is shown `again`; none of a question
    without a number, which may name nothing.
    """
    private, kinds = draft.run.private, {each.category for each in found}
    known = private.get("missed") or []
    known = known if isinstance(known, list) else []  # It was a text in sessions of older versions.
    now = [draft.run.run_id, query[:_MOST_MISSED], sorted(kinds), _offers_in_place(query, found)]
    if again:
        private["missed"] = [each for each in known if each[2]]
        sought = next((each[1] for each in known if each[0] == draft.run.run_id), "")
        name = quotation_of(written_name(draft.typed_text(), sought) or sought)
        is_question = draft.typed_text().rstrip().endswith("?") and not any(map(str.isdigit, name))
        return "" if is_question else name
    if not (kinds or query):
        return ""
    if not kinds:
        private["missed"] = [*known, now][-_MOST_SEARCHES:]
    else:
        in_vain = not all(each[2] for each in known) or _ALSO_HAS.match(draft.typed_text()) is not None
        common = (
            {word for each in found for word in tokens(f"{each.brand} {each.category}")} if in_vain else set()
        )
        same = [
            each[0]
            for each in known
            if corrects
            or _is_same(query, each[1], common)
            or not (in_vain or kinds.isdisjoint(each[2]) or _is_unlike(found, each))
            or (_goes_on(draft.typed_text(), each[2]) and not _NUMBERED.search(each[1]))
            or (not each[2] and names_kind(each[1], kinds))
        ]
        others = [each[0] for each in known if each[0] not in (*same, draft.run.run_id)]
        private["missed"] = [now]
        leave_words_of_another_owner(draft)
        if others:
            draft.forget_words_until(others[-1], same)
            forget_correction(draft)
    return ""


def _offers_in_place(query: str, found: Sequence[Match]) -> list[int]:
    """Return the products that are offered in the place of a named one that the catalog lacks; else none."""
    named = {word for each in found for word in tokens(f"{each.name} {each.brand} {each.category}")}
    lacks = any(not any(is_like(word, each) for each in named) for word in content(tokens(query)))
    return [each.product_id for each in found] if lacks and not any(each.exact for each in found) else []


def _is_unlike(found: Sequence[Match], search: Sequence[Any]) -> bool:
    """Return whether a product is named now that was not offered for what an older search named and did not find."""
    offered = search[_OFFERS] if len(search) > _OFFERS else []  # Sessions of older versions have none.
    exact = [each.product_id for each in found if each.exact]
    return bool(offered and exact) and not {*exact} & {*offered}


def leave_words_of_another_owner(draft: Draft) -> None:
    """Forget the words so far where a message begins with the thing of a relative who was not named before."""
    owner, before = other_owner(draft.typed_text()), draft.newest_earlier_run()
    if owner and before is not None and owner not in tokens(" ".join(draft.earlier_messages())):
        draft.forget_words_until(before, ())


def _goes_on(message: str, found: Sequence[str]) -> bool:
    """Return whether a message names the same item again: behind `it's a`, or by its model alone where nothing was
    found before.
    """
    named = _SAME_ITEM.match(message)
    return named is not None and (named["model"] is None or not found)


_SAME_ITEM = patterns.compile(
    r"\s*(?:(?:yes|yeah|oh|ah|ok|sim|pois|desculp\w*|sorry)\b[\s,.!]*)*(?:(?:it['’]?s|it is|its|"
    r"this is|that['’]?s|é|isto é|"
    r"trata-se de|(?:the |o |a )?(?:model|modelo)(?: is| é)?:?)\s+(?!not\b)\w|"
    r"(?P<model>[^\W\d]{1,3}-?\d{1,3}\w?)[\s.!]*$)",
    patterns.IGNORECASE,
)
_NUMBERED = patterns.compile(r"\d")
"""A query with a figure names a model of its own."""


def names_kind(query: str, kinds: Iterable[str]) -> bool:
    """Return whether all words of a query name the kind of a product, as `food processor` does: no other item."""
    words, named = content(tokens(query)), {word for kind in kinds for word in tokens(kind)}
    return bool(words) and all(any(is_like(word, each) for each in named) for word in words)


def forget_model(draft: Draft, name: str) -> None:
    """Take the long numbers of a product's name from what is read of the messages: they answer no question."""
    models = [_RUNS.findall(word) for word in name.split() if sum(map(str.isdigit, word)) >= _MODEL_DIGITS]
    heard = draft.run.private.get("heard", [])
    for model in (r"[\s._-]?".join(runs) for runs in models if not name.isdigit()):
        pattern = patterns.compile(rf"(?<!\w){model}(?:[.-]?[a-z]{{1,2}})?(?!\w)", patterns.IGNORECASE)
        heard = [[run_id, pattern.sub(_without_model, said)] for run_id, said in heard]
    draft.run.private["heard"] = heard


def _without_model(found: patterns.Match[str]) -> str:
    """Return nothing in the place of a model's number; a year stays in which the item was got: `bought in nov 2020`."""
    before = fold(_CLAUSE.split(found.string[: found.start()])[-1])
    is_date = _YEAR.fullmatch(found[0]) is not None and _OF_PURCHASE.search(before) is not None
    return found[0] if is_date else " "


_CLAUSE = patterns.compile(r"[,.;()!?\n]")


def written_name(message: str, query: str) -> str:
    """Return the words of a query that follow each other in a message, as they are written there: those with a model's
    number, else the most of them. A single plain word among others is a name behind an article alone.
    """
    known, runs, before = set(map(fold, query.split())), [("", list[str]())], ""
    for word in message.split():
        bare = word.strip("()[].,:;!?'\"“”«»")
        if fold(bare) in known or (runs[-1][1] and bare in _JOINING):
            runs[-1] = (runs[-1][0] or before, [*runs[-1][1], bare])
        else:
            runs.append(("", []))
        if not word[-1].isalnum() and word != "&":
            runs.append(("", []))
        before = fold(bare)
    whole = ((lead, run[: -1 if run[-1] in _JOINING else None]) for lead, run in runs if run)
    named = [each for each in whole if each[1]]
    lead, best = max(
        named, key=lambda each: (_numbers_model(each[1]), _has_code(each[1]), len(each[1])), default=("", [])
    )
    is_plain = len(best) == 1 and len(named) > 1 and best[0].islower() and not _numbers_model(best)
    opens = not patterns.split(r"\s", message.strip(), maxsplit=1)[0].isalpha()  # `lawnmower, flymo`
    return "" if is_plain and lead not in _ARTICLES and not opens else " ".join(_without_tail(best))


def _without_tail(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a name without one for the plain model at its end."""
    return words[:-1] if len(words) > 1 and fold(words[-1]) in _PLAIN else words


def of_told_year(found: Found, message: str) -> tuple[str, Found] | None:
    """Return the one of equally likely products that is named by a year which the message tells of the model, as
    `o de 2021` does and `comprado em 2021` does not, with its query; nothing where the words name an exact one by it.
    """
    years, matches = told_years(fold(message)), found.matches
    likely = [each for each in matches if each.score >= _LIKELY * matches[0].score and not each.exact]
    named = [each for each in likely if years.intersection(tokens(each.name))]
    is_exact = any(each.exact and years.intersection(tokens(each.name)) for each in matches)
    if len(named) != 1 or len(matches) == 1 or is_exact:
        return None
    return f"{named[0].brand} {named[0].name}", replace(found, matches=named, total=1)


def told_years(folded: str) -> set[str]:
    """Return the years of a folded text in which nothing was got: those of a model."""
    return {each[0] for each in _YEAR.finditer(folded) if not _OF_PURCHASE.search(folded[: each.start()])}


def quotation_of(name: str) -> str:
    """Return what is quoted of a name: its first words, up to a model's number or a word that comes again."""
    words = name.split()
    ends = [place for place, word in enumerate(words) if fold(word) in map(fold, words[:place])]
    ends += [place for place, word in enumerate(words, 1) if sum(map(str.isdigit, word)) >= _MODEL_DIGITS]
    return " ".join(words[: min([_MOST_QUOTED, *ends])])


def understood_of(query: str, page: Sequence[Any]) -> str:
    """Return the query from its first to its last word that is known, or nothing.

    A known word numbers or varies a model, or stands in the name or kind of a product found. A word between two of
    them may be a brand that the catalog does not have.
    """
    named = {word for each in page for word in tokens(f"{each.name} {each.brand} {each.category}")}
    named |= {"".join(tokens(each.brand)) for each in page} | {*tokens(other_piece(query))}
    words = query.split()
    known = [place for place, word in enumerate(words) if _is_known(word, named)]
    said = (word.strip("()[].,;") for word in words[known[0] : known[-1] + 1]) if known else ()
    return quotation_of(" ".join(said))


def _is_known(word: str, named: Set[str]) -> bool:
    # Behind another word `two` is read as `2`.
    marks = any(each.counts or each.text in VARIANTS for each in read(f"model {word}"))
    return marks or any(is_like(each, other) for each in content(tokens(word)) for other in named)


def _numbers_model(words: Sequence[str]) -> bool:
    """Return whether words have both letters and a figure, as models do, and neither years, counts nor measures."""
    written = "".join(words[1:] if words and words[0].isdigit() else words)
    measured = all(_MEASURED.fullmatch(each) for each in words if any(map(str.isdigit, each)))
    return any(map(str.isdigit, written)) and any(map(str.isalpha, written)) and not measured


def _has_code(words: Sequence[str]) -> bool:
    """Return whether one of the words has both letters and a figure: `AF160UK`."""
    return any(_numbers_model([each]) for each in words)


def _is_same(query: str, missed: str, common: Set[str]) -> bool:
    """Return whether half of the words by which a product was found, or the number of its model, stand in what was
    looked for in vain before; a lone digit, and words that are `common` to many products, do not count beside others.
    """
    before = content(tokens(missed))
    said = content(tokens(query))
    words = [each for each in said if each not in common and not (each.isdigit() and len(each) == 1)] or said
    if any(each in before and any(map(str.isdigit, each)) and len(each) > 1 for each in words):
        return True
    return 2 * sum(any(is_like(word, each) for each in before) for word in words) >= len(words)
