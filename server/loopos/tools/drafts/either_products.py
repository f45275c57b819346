"""The products of which a message says that it is one or the other: `iphone 12 ou 12 pro, não sei`."""

from collections.abc import Sequence

from server import patterns
from server.languages import fold
from server.loopos.answers.words import tokens
from server.loopos.catalog.certainty import CONFIDENT
from server.loopos.core import Core
from server.loopos.rows import Found, Match
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.product_agreement import GRADES

_MOST_READ, _MOST = 160, 4
"""So many characters of a message are read, and so many products are offered."""
_OR = patterns.compile(
    r"\s+(?:ou|or)\s+|[\s,.;]+(?:but|mas|or|ou|and|e)\s+(?:(?:it|this|tamb[eé]m|also)\s+)?(?:(?:might|could|may)(?:\s+(?:also|well))?"
    r"\s+be|maybe|perhaps|possibly|(?:pode|podia|poder[aá])(?:\s+(?:bem|tamb[eé]m))?\s+ser|talvez|"
    r"se calhar(?:\s+[eé])?)\s+|\s*/\s*|\s+vs\.?\s+",
    patterns.IGNORECASE,
)
_CLAUSES = patterns.compile(r"[,;.!?]+(?=\s|$)|\s[-–]\s|\b(?:mas|but)\b", patterns.IGNORECASE)
_DOUBT = patterns.compile(
    r"\b(?:(?:nao|n) (?:sei|tenho a certeza|me lembro)|sem certeza|(?:i m |im |i am )?not (?:really |quite )?sure|"
    r"unsure|no idea|dunno|idk|i don t know|don t remember|can t tell|not certain|acho que|acho|i think|think|maybe|"
    r"talvez|either|ou|is it|it s a|its a|it is a|it s|its|it is|the|o meu e|mine is|e|nem|sei|se|bem|ao certo|"
    r"whether|if|which)\b"
)
"""Words beside the names, in folded text."""
_QUANTITY = patterns.compile(r"\b\d+\s?(?:gb|tb|mm|cm|kg|km|l|w|mah|polegadas|inch(?:es)?)\b")
"""A quantity, which names no product: `talvez 128 gb`."""
_OF_PLACE = patterns.compile(r"\b(\d{1,2})(?:st|nd|rd|th|a|o)\b")
_BARTER = frozenset("troc troco troca trocar swap trade exchange dinheiro cash best nearest".split())
"""Words behind `or` of an exchange or an offer."""


async def either_products(draft: Draft, query: str) -> tuple[str, Found] | None:
    """Return the products between which a typed message hesitates, with the query; nothing where it names fewer than
    two for sure. A part that has only the variant is of the family of the first: `ps4 ou slim`.
    """
    typed = draft.typed_text()
    parts = [each for each in _OR.split(typed) if each.strip()]
    if len(typed) > _MOST_READ or not 1 < len(parts) <= _MOST or not _BARTER.isdisjoint(tokens(typed)):
        return None
    named = [name for each in parts for clause in _CLAUSES.split(each) if (name := _name_in(clause))]
    found = list[Match]()
    for name in named[: _MOST + 2]:
        match = await _meant(draft, name) or await _of_family(draft, found[:1], name)
        found += [match] if match and match.product_id not in {each.product_id for each in found} else []
    is_one_kind = len({each.category_id for each in found}) == 1
    return (query, Found(len(found), found[:_MOST])) if len(found) > 1 and is_one_kind else None


def _name_in(clause: str) -> str:
    """Return the words of a clause that may name a product."""
    words = " ".join(patterns.findall(r"[^\W_]+(?:[-.][^\W_]+)*", _QUANTITY.sub(" ", fold(clause))))
    return " ".join(_DOUBT.sub(" ", _OF_PLACE.sub(r"\1", words)).split())


async def _meant(draft: Draft, name: str) -> Match | None:
    """Return the one product that a text names whole, or that is likelier than each other: `dyson v10`."""
    found = (await draft.run.resource(Core).search(name, limit=_MOST, language=draft.language)).matches
    exact = [each for each in found if each.exact]
    if exact or not found or found[0].score < CONFIDENT:
        return exact[0] if len(exact) == 1 else None
    return found[0] if len(found) == 1 or found[1].score < found[0].score else None


async def _of_family(draft: Draft, first: Sequence[Match], name: str) -> Match | None:
    """Return the product of the family of the first one, or of what is on offer, that a number or a variant names.

    Such are `12 pro`, `slim` and `one s`.
    """
    if not first:
        base = draft.run.private.get("searched", "")
        return await _meant(draft, f"{base} {name}") if base else None
    own, said = [word for word in tokens(first[0].name) if word not in GRADES], tokens(name)
    family = [word for word in own if word.isalpha()] if any(map(str.isdigit, name)) else own
    family = own[: own.index(said[0])] if said and said[0] in own else family
    return await _meant(draft, " ".join([*family, name]))
