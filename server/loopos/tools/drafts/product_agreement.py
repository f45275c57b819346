"""A yes to the product that is proposed alone: what stands behind it is told early, unless it takes the yes back or
names another model.
"""

from collections.abc import Sequence

from server import patterns
from server.languages import fold
from server.loopos.answers import Picked
from server.loopos.answers.words import MOST_LETTERS, tokens
from server.loopos.core import Core
from server.loopos.rows import Product
from server.loopos.tools.drafts.draft import Draft
from server.text_reading.things.things_kept_back import is_taken_back
from server.text_reading.wishes.agreements import after_yes, bare_model, takes_back

GRADES = frozenset("pro max mini plus lite ultra slim mark ii iii iv".split())
"""Words behind a number that make another model."""
_SHORT = 5  # Words of a clause that may name another model by its variant alone.
_CLAUSES = 5  # Of what stands behind a yes, in which another model may be named.
_MARKS = patterns.compile(r"(?<!\d)[,.;!]|[,.;!](?!\d)|\n")
_BESIDE = frozenset("also too as well another second tambem tb tbm outro outra ainda mais".split())
"""Words of a clause that speaks of one more item."""


_LAST = 5  # Messages in which a doubt is read.
_OK = frozenset(
    ("ok", "okay", "oki", "okey", "k", "kk", "ok ok", "fine", "alright", "pronto", "ta", "ta bem", "esta bem")
)
_DOUBT = patterns.compile(
    r"\b(?:(?:nao|n) sei(?! (?:quant|o preco|a data))|(?:nao|nem) tenho (?:a )?certeza|sem certeza|"
    r"nao faco (?:a minima )?ideia|not (?:\w+ )?(?:sure|certain)|unsure|no (?:idea|clue)|dunno|idk|"
    r"(?:don'?t|do not) (?:really )?know(?! (?:how much|the price|when))|(?:pode|poderia|podia) ser (?:o|a|que)\b|"
    r"(?:could|might) be|maybe|talvez|se calhar)\b"
)
"""A doubt of what the item is."""


_FIGURE = patterns.compile(
    r"(\d+(?:[.,]\d+)?)\s?(?:gb|tb|gigas?)\b(?:\s(?:de\s)?ram\b)?|(\d{2,}(?:[.,]\d+)?)", patterns.IGNORECASE
)
"""A size of storage, or a number of two digits."""


def without_sizes(words: str, names: Sequence[str]) -> str:
    """Return the words without the sizes and numbers that no product on offer has in its name."""
    known = {figure for found in _FIGURE.findall(" ".join(names)) for figure in found}
    return _FIGURE.sub(lambda found: found[0] if known.intersection(found.groups()) else " ", words)


def agrees_to(words: str, name: str) -> bool:
    """Return whether the message begins with a yes, and what follows neither takes it back nor names a variant."""
    rest = after_yes(words[:MOST_LETTERS])
    if rest is None or takes_back(rest):
        return False
    first = tokens(_MARKS.split(rest)[0])
    return not (len(first) <= _SHORT and set(first) & GRADES - set(tokens(name)))


async def other_named(draft: Draft, product: Product) -> str:
    """Return the model of the same kind that the words behind a yes name instead of this product, or nothing.

    A number alone names a model of the same family: `yes, the 13`.
    """
    rest = after_yes(draft.typed_text()[:MOST_LETTERS]) or ""
    family = " ".join(each for each in tokens(product.name) if each.isalpha() and each not in GRADES)
    for clause in _MARKS.split(rest)[:_CLAUSES]:
        model = bare_model(clause)
        query = f"{family} {model}" if model else clause
        if not _BESIDE.isdisjoint(tokens(clause)) or is_taken_back(clause, clause):
            continue
        found = await draft.run.resource(Core).search(query, limit=1, language=draft.language)
        for match in found.matches:
            if match.exact and match.category_id == product.category_id and match.product_id != product.id:
                return match.name
    return ""


def is_doubted(draft: Draft) -> bool:
    """Return whether the seller doubted what the item is, and now says no more than `ok`, which agrees to nothing."""
    before = map(fold, draft.earlier_messages()[:_LAST])
    return fold(draft.typed_text()) in _OK and any(map(_DOUBT.search, before))


def plainest_model(picked: Picked, names: list[str], words: str) -> Picked:
    """Return the model that the words number, where the others that they fit are variants of it: `o 12`."""
    if not isinstance(picked, list):
        return picked
    named = {place: set(tokens(names[place])) for place in picked}
    base = [each for each in picked if all(named[each] <= other for other in named.values())]
    numbered = any(word.isdigit() for each in base for word in named[each].intersection(tokens(words)))
    return base[0] if len(base) == 1 and numbered else picked


def lacks_variant(words: str, name: str) -> bool:
    """Return whether the words number a model whose name has more behind the number: `o 11` of an iPhone 11 Pro."""
    said, named = set(tokens(words)), set(tokens(name))
    numbered = any(each.isdigit() for each in said & named)
    return numbered and bool((named - said) & GRADES)
