"""The meaning of a search: what its words name beside what the conversation has said, and what is found of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from server.loopos.core import Core
from server.loopos.rows import Found
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.either_products import either_products
from server.loopos.tools.drafts.named_products import named_product
from server.loopos.tools.drafts.narrowed_offers import narrow, offers_beside
from server.loopos.tools.drafts.other_items import items_in
from server.text_reading.things.parts_for_sale import lone_part, part_for_sale


@dataclass(frozen=True)
class SearchMeaning:
    """What a search looks for, and what it finds."""

    query: str
    found: Found
    several: list[str] = field(default_factory=list)
    """The items that the message joins, of which the first is looked for."""
    part: str = ""
    """The part or accessory that is all that the message sells: the catalog has none."""
    alone: str = ""
    """The part that alone is sold of the product found: `iphone 11 only the box`."""
    is_narrowed: bool = False
    is_either: bool = False
    """The message hesitates between the products found."""
    stays: bool = False
    """The offer that waits is shown where it stands."""
    is_of_brand: bool = False
    """Nothing but the brand is known."""

    @property
    def marks(self) -> dict[str, bool]:
        """Return what a model reads of it."""
        return {"either": self.is_either, "narrowed": self.is_narrowed}


async def meaning_of(
    draft: Draft, query: str, also: Sequence[str], narrower: Mapping[str, Any], *, is_new: bool
) -> SearchMeaning:
    """Return what a search means. What the query alone finds stands where the search `is_new` no more.

    `narrower` is what the search is limited to, and `also` are the items that the message names beside this one.
    """
    core = draft.run.resource(Core)
    if part := part_for_sale(draft.typed_text()) if is_new else "":
        return SearchMeaning(query, Found(0, []), part=part)
    found = await core.search(query, language=draft.language, **narrower)
    if not is_new:
        return SearchMeaning(query, found)
    either = await either_products(draft, query)
    narrowed = either or await narrow(draft, query, found)
    several = await items_in(draft, query) if not narrowed else []
    narrowed = narrowed or (await named_product(draft, found, also) if not several else None)
    is_vain = not (narrowed or several or found.matches)
    kept, of_brand = await offers_beside(draft, query, found) if is_vain else (None, None)
    query, found = narrowed or kept or of_brand or (query, found)
    if several:
        query, limit = several[0], narrower["limit"]
        found = await core.search(query, limit=limit, language=draft.language)
    return SearchMeaning(
        query,
        found,
        several,
        alone=lone_part(draft.typed_text()),
        is_narrowed=bool(narrowed or kept or several),
        is_either=bool(either),
        stays=bool(kept),
        is_of_brand=bool(of_brand),
    )
