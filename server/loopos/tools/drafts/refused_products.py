"""The products that a seller has refused: they are proposed no more, until they are named or another is confirmed."""

from server import patterns
from server.languages import fold
from server.loopos.answers.words import MOST_LETTERS, tokens
from server.loopos.rows import Found
from server.loopos.tools.drafts.draft import Draft

_KEY = "refused_products"
_MOST = 40
"""So many refused products are remembered."""
_VARIANT = r"(?:\d\S*|pro|max|mini|plus|lite|ultra|slim|air|ii|iii|iv|one|normal|simples|base|regular|standard|plain)"
_DENIED = patterns.compile(
    r"\b(?:nao|nem|never|nunca|not|(?:is|was|are)n['’]?t|sem ser)\s+(?:(?:e|era|is|the|a|an|o|um|uma)\s+)*"
    rf"(?P<what>(?:{_VARIANT}\s+)?(?!(?:sure|certain|sei|tenho|know)\b)[a-z0-9-]+(?:\s{_VARIANT}\b)*)"
)
"""A denial with a word behind it, and the numbers and variants of a model."""
_MARKS = patterns.compile(r"[,.;:!?\n]")
_IS_VARIANT = patterns.compile(rf".*\d.*|{_VARIANT}")


def denies_product(message: str, name: str) -> bool:
    """Return whether a message denies a word of this name that it does not say elsewhere: `the first, not the II`.

    Of `not an iphone 12` the number is denied, and not the family.
    """
    clauses = " , ".join(map(fold, _MARKS.split(message[:MOST_LETTERS])))
    said, denied = set(tokens(_DENIED.sub(" ", clauses))), set[str]()
    for found in _DENIED.finditer(clauses):
        words = tokens(found["what"])
        denied.update([each for each in words if _IS_VARIANT.fullmatch(each)] or words)
    return not (denied - said).isdisjoint(tokens(name))


_NOT_SHOWN = patterns.compile(
    r"(?:no|nope|nah|nao)\b.{0,30}\b(?:isn['’]?t|not|nao e) (?:that|this|it|ess[ea]|est[ea]|isso)\b"
)
"""A no to what is shown, whatever is named behind it: `no dear, it isn't that one… it is the AF160UK`."""


def left_out(draft: Draft, found: Found, *, refused: bool, again: bool) -> set[str]:
    """Return the products that are not shown: those that a no refuses in the block that waits, or in the block that is
    shown again; those that the message denies; and those that were refused alone, where the search does not name them.
    """
    private = draft.run.private
    denies = _NOT_SHOWN.match(fold(draft.typed_text()[:MOST_LETTERS])) is not None
    no = (refused or denies or draft.refuses()) and draft.waiting() == "product"
    shown: list[str] = private.get("asked", [])
    before: list[str] = private.setdefault(_KEY, [])
    typed, keyed = draft.typed_text(), {f"{each.product_id}:{each.brand_id}": each for each in found.matches}
    denied = {key for key, match in keyed.items() if denies_product(typed, match.name)}
    if len(shown) == 1 and (no or not denied.isdisjoint(shown)):
        before[:] = [*(each for each in before if each not in shown), *shown][-_MOST:]
    out = set(private.get("left_out" if again else "asked", ())) if again or no else set()
    return out | denied | {each for each in before if each in keyed and not keyed[each].exact}


def forget_refusals(draft: Draft) -> None:
    """Forget what was refused, since another product was confirmed."""
    draft.run.private.pop(_KEY, None)
