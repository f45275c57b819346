"""The remarks of a sale: facts of the item beside an answer, which no field of the protocol takes.

The draft keeps them. The seller is asked about them at the last text of the protocol, together with the faults.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from server import patterns
from server.languages import fold, is_wish, split_question
from server.loopos.answers import Element, adds_nothing, confirms, tells_other_currency
from server.loopos.answers.amounts.corrected_amounts import SPELLED
from server.loopos.answers.amounts.numbers import unit_words
from server.loopos.answers.amounts.price_words import names_terms
from server.loopos.answers.amounts.side_amounts import speaks_of_deal
from server.loopos.answers.certainty import COMPARISONS, HEDGES, NEGATIONS, content
from server.loopos.answers.clauses.change_requests import added_words
from server.loopos.answers.clauses.change_wishes import asks_for_a_change
from server.loopos.answers.clauses.faults import denies_faults
from server.loopos.answers.clauses.item_facts import item_facts
from server.loopos.answers.clauses.other_kinds import without_other_goods
from server.loopos.answers.clauses.remark_parts import says_clean
from server.loopos.answers.clauses.reminders import is_repeat
from server.loopos.answers.wishes.things_taken_back import keeps_things
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.product_traits import colours_of, denied_colours
from server.text_reading.things.things_kept_back import sells_apart

MOST_REMARKS, MOST_LETTERS = 10, 500
"""So many of the newest remarks are kept, of so many characters together."""
_SHOP = patterns.compile(
    r"(?:(?:i |eu )?(?:got|bought|comprei(?:-[oa])?|comprad[oa])(?: (?:it|them))? )?"
    r"(?:from|at|via|n[ao]s?|d[ao]s?|pel[ao]|em|in) (?:the )?[\w.]+(?: [\w.]+)?",
    patterns.IGNORECASE,
)
_OFFER = patterns.compile(
    r"\b(?:black friday|cyber monday|deals?|promo\w*|saldos?|discount\w*|desconto\w*|(?:em|on) (?:sale|oferta))\b"
)
_SALE = frozenset(
    "lowest highest minimo maximo negociavel negociaveis negociar negocia negoceio negotiable negotiate haggle "
    "fixo firm final oferta ofertas offer offers preco price euros euro or ou less more menos mais vender vendo "
    "sell selling outro another troca trocas swap swaps".split()
)
"""Words that say nothing of the item: of its price, or of another one."""
_LACKS = patterns.compile(
    r"(?:(?:e|and|ainda|tamb[eé]m)\s+)*(?:faltam?\s+(?:(?:[oa]s?|dizer)\s+)*(?P<what>\w+)|"
    r"(?:the\s+)?(?P<named>\w+)\s+(?:is|are)\s+missing)[\s.!]*",
    patterns.IGNORECASE,
)
_TOLD_LATER = frozenset("preco price data date ano year".split())
_THINGS = frozenset("comando comandos controller controllers".split())


def keep_remark(draft: Draft, home: Element | None, words: str) -> bool:
    """Keep what stood beside an answer and names something of the item for the last text; return whether it does."""
    remark = added_words(without_other_goods(home, words) if home else words)
    told = remark if says_clean(remark) else item_facts(remark)
    if home is None or not (told and is_remark(remark)):
        return False
    remark = told
    kept = _remarks(draft)
    kept.append(remark)
    while len(kept) > MOST_REMARKS or sum(map(len, kept)) > MOST_LETTERS:
        kept.pop(0)
    return remark in kept


def keep_wished(draft: Draft, home: Element | None, message: str) -> bool:
    """Keep what the question at the end of a message asks to write about the item: `can you add that it has a box?`.

    The price that it asks to set is none of it.
    """
    asked = split_question(message)[1]
    found = _WISHED.match(asked) if is_wish(asked) else None
    parts = _JOINED.split(found["words"]) if found else []
    words = " and ".join(each for each in parts if not any(map(str.isdigit, each))).strip(" ?.!")
    return bool(words) and keep_remark(draft, home, words)


_WISHED = patterns.compile(
    r".*?\b(?:put|add|write|note|mention|say|p[oô]r|meter|escrever|juntar|acrescentar|anotar|dizer)\b"
    r"(?:\s(?:in|down|there|also|too|it|l[aá]|a[ií]|tamb[eé]m))*(?:\s(?:that|que))?\s(?P<words>.+)",
    patterns.IGNORECASE | patterns.DOTALL,
)
_JOINED = patterns.compile(r"\s(?:e|and)\s", patterns.IGNORECASE)


def keep_terms(draft: Draft, home: Element | None, words: str) -> bool:
    """Keep words for the last text that name terms of the sale: a price that can be talked about, or another price for
    a buyer who collects the item.

    Words with a number are kept only where they say how the item is handed over: the least price that a seller would
    take is no term. Returns whether the words name terms that are kept.
    """
    is_public = not any(map(str.isdigit, words)) or _HANDED_OVER.search(fold(words)) is not None
    if home is None or not (speaks_of_deal(words) or names_terms(words)) or not is_public or "?" in words:
        return False
    words = _JOINT.sub("", words)
    if words not in _remarks(draft):
        _remarks(draft).append(words)
    return True


_JOINT = patterns.compile(r"^(?:(?:or|ou|mas|but|e|and)\s)+", patterns.IGNORECASE)


_HANDED_OVER = patterns.compile(
    r"\b(?:levant\w*|busc\w*|recolh\w*|entreg\w*|em maos?|pick\w*|collect\w*|deliver\w*|in person)\b"
)
"""Words of how an item is handed over, on which its price may depend, in folded text."""


def keep_traits(draft: Draft, traits: Sequence[str]) -> None:
    """Keep for the last text what was told of the product, and what none of its options says."""
    _remarks(draft).extend(each for each in traits if each not in _remarks(draft))


def words_on_each(message: str) -> list[str]:
    """Return the words after the number in a message that describes one and another of the counted things:
    `2, the black one is fine and the white one drifts`.
    """
    found = _ON_EACH.match(message) if len(message) <= MOST_LETTERS and "?" not in message else None
    words = found["words"].strip(" .!") if found else ""
    return [words] if len(_EACH.findall(words)) >= _SEVERAL else []


_SEVERAL = 2
_ON_EACH = patterns.compile(
    rf"\s*(?:(?:yes|sim|s[aã]o|there are|tem|it has)\b[\s,]*)*(?:\d{{1,2}}|{SPELLED})(?:\s[^\W\d]+){{0,2}}?"
    r"\s*[,.:;–-]\s*(?P<words>\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
_EACH = patterns.compile(
    r"\b(?:(?:the|[oa])\s(?:[^\W\d]+\s)?(?:one|other)|one of (?:them|these)|one(?= (?:is|has|works|drifts))|"
    r"(?:a|o )?outr[oa]|um[a]?(?= (?:est[aá]|tem|funciona|del[ea]s))|[oa] \w+(?= (?:est[aá]|tem|funciona)\b))\b",
    patterns.IGNORECASE,
)
"""One of several things."""


def keep_share(draft: Draft, message: str) -> None:
    """Keep for the last text how much a battery still holds, where a message says it beside a figure that was asked:
    `214 cycles and 86% capacity`. A share that an older message or a remark tells is kept from there.
    """
    found = _SHARE.search(message)
    older = "; ".join([*draft.messages()[1:], *_remarks(draft)])
    if found and found["share"].replace(" ", "") not in older.replace(" ", ""):
        keep_traits(draft, [found[0]])


_SHARE = patterns.compile(
    r"(?<![\d.,])(?P<share>\d{1,3}\s?%)\s(?:(?:of|de|da|max|maximum|battery)\s){0,2}"
    r"(?:capacity|health|battery|capacidade|sa[uú]de|bateria)\b(?:\s(?:da|de)\sbateria\b)?",
    patterns.IGNORECASE,
)


def drop_trait(draft: Draft, trait: str) -> None:
    """Forget what was kept of the product, since an option says it otherwise."""
    _addition(draft)["remarks"] = [each for each in _remarks(draft) if each != trait]


def told_remarks(draft: Draft) -> list[str]:
    """Return the remarks that were kept, the oldest first, without a colour that the seller has denied since."""
    told = list(_remarks(draft))
    colours = [each for each in told if len(colours_of(each)) == len(content(tokens(each))) > 0]
    gone = set[str]().union(*(denied_colours(each) for each in (draft.messages() if colours else ())))
    return [each for each in told if each not in colours or gone.isdisjoint(colours_of(each))]


def drop_remarks(draft: Draft) -> None:
    """Forget the remarks: the seller has said what alone the text is to have."""
    _remarks(draft).clear()


def note_left(draft: Draft, left: Sequence[str]) -> None:
    """Note what does not fit in the last text."""
    _addition(draft)["unfit"] = [*_addition(draft).get("unfit", ()), *left][-MOST_REMARKS:]


def take_left(draft: Draft) -> dict[str, str]:
    """Return as `not_taken` what did not fit in the last text, once: the seller is told that it is not kept."""
    left = "; ".join(_addition(draft).pop("unfit", ()))
    return {"not_taken": left} if left else {}


def _addition(draft: Draft) -> dict[str, Any]:
    found: dict[str, Any] = draft.run.private.setdefault("addition", {})
    return found


def _remarks(draft: Draft) -> list[str]:
    found: list[str] = _addition(draft).setdefault("remarks", [])
    return found


def is_remark(words: str) -> bool:
    """Return whether words may be a fact of the item: no noise, no wish to change something, no talk of the sale."""
    said = content(tokens(words))
    is_idle = (len(said) < 2 and not says_clean(words)) or is_noise(words) or is_repeat(words) or "?" in words  # noqa: PLR2004  # a thing and what it is
    is_idle |= (
        denies_faults(words)
        or _ASKS.match(fold(words)) is not None
        or not content(tokens(added_words(words)))
    )
    is_idle |= keeps_things(words)
    return not (is_idle or is_of_sale(words) or asks_for_a_change(words) or _is_plain(words))


_ASKS = patterns.compile(
    r"(?:how|what|who|where|can i|could i|do i|will it|is it|e possivel|quem|onde|quando (?:e que|fica|posso)|"
    r"o que (?:acontece|e que|faco)|quanto (?:tempo|custa|e que|recebo)|posso|"
    r"como (?:e que|vejo|faco|ponho|mudo|apago|envio|recebo|vendo|sei|posso))\b"
)
"""The start of a question without its mark, in folded text."""


def without_courtesy(words: str, language: str) -> str:
    """Return words without their sentences that thank, or say nothing more: `Muito obrigada! E agora`."""
    said = (each for each in _SENTENCES.split(words) if not adds_nothing(each, language))
    return " ".join(each for each in said if not _THANKS.match(each))


_SENTENCES = patterns.compile(r"(?<=[.!;\n])\s+")
_THANKS = patterns.compile(
    r"(?:muit[oa] )?(?:obrigad[oa]|thanks?|thank you|cheers)\b|(?:e|and) (?:agora|now)\b", patterns.IGNORECASE
)


def _is_plain(words: str) -> bool:
    return any(confirms(words, language)[0] is not None for language in ("pt", "en"))


def is_noise(words: str) -> bool:
    """Return whether words beside an answer say nothing of the item: a measure of it, a shop, an offer."""
    folded = " ".join(patterns.findall(r"[\w.]+", fold(words))).strip(" .")
    return says_nothing(words) or bool(_SHOP.fullmatch(folded) or _OFFER.search(folded))


def says_nothing(words: str) -> bool:
    """Return whether words only measure or hedge."""
    return (COMPARISONS | HEDGES | _CHEAP).issuperset(content(tokens(words)))


_CHEAP = frozenset(
    "thats not much lot low high cheap expensive pouco muito barato caro baixo alto isso".split()
)
"""Words of what is said to a price."""


def is_of_sale(words: str) -> bool:
    """Return whether words speak of the price or of another sale, or say only no."""
    said = content(tokens(words))
    return (
        speaks_of_deal(words)
        or sells_apart(words)
        or tells_other_currency(words)
        or NEGATIONS.issuperset(said)
        or not _SALE.isdisjoint(said)
        or words.endswith("?")
    )


def lacks_answer(asked: Sequence[Element], clause: str) -> bool:
    """Return whether a clause says only that the answer to a question is missing: `faltam os quilómetros`."""
    found = _LACKS.fullmatch(clause.strip())
    word = fold((found["what"] or found["named"]) if found else "")
    units = {each for one in asked if one.kind == "number" for each in unit_words(one.unit)} - _THINGS
    return bool(word) and (word in _TOLD_LATER or word in units)
