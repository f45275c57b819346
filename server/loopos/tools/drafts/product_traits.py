"""Traits that sellers tell of a product and that none of its options takes: a colour, a tail of a model, `clean`."""

from collections.abc import Iterable, Iterator, Sequence

from server import patterns
from server.languages import fold
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.clauses.remark_parts import says_clean
from server.loopos.answers.words import tokens
from server.loopos.rows import Product
from server.loopos.tools.drafts.other_items import BELONGS

_MOST = 3
"""So many of them are kept."""
_COLOURS = {
    word: group[0]
    for line in (
        "preto preta pretos pretas negro negra|black", "branco branca brancos brancas|white",
        "vermelho vermelha vermelhos vermelhas encarnado encarnada|red", "verde verdes|green", "azul azuis|blue navy",
        "roxo roxa|purple", "violeta|violet", "lilas|lilac", "prateado prateada prata|silver",
        "cinzento cinzenta cinzentos cinzentas cinza|grey gray", "dourado dourada ouro|gold golden",
        "amarelo amarela|yellow", "cor-de-rosa rosa|pink", "laranja|orange", "castanho castanha|brown",
        "bege|beige", "creme|cream", "grafite|graphite", "antracite|anthracite", "turquesa|turquoise",
        "lavanda|lavender", "salmao|salmon", "coral corais", "cobre|copper", "bronze bronzes",
        "bordeaux bordo|burgundy", "magenta fucsia|fuchsia", "teal|teal",
    )
    for group in [line.replace("|", " ").split()]
    for word in group
}  # fmt: skip
"""Each word for a colour, to the first of those that mean the same."""
_ENGLISH = frozenset(
    "black white red green blue purple violet lilac silver grey gray gold golden yellow pink orange brown beige cream "
    "graphite anthracite turquoise navy lavender salmon copper burgundy fuchsia teal".split()
)
"""Words that stand before what has the colour; others stand behind it."""
_PARTS = patterns.compile(
    r"[,.;:!?()\n]+(?:\s|$)|\b(?:com|with|e|and|mas|but|que|that|which|in|em|de|of|do|da|for|para|is|are|it['’]?s)\b",
    patterns.IGNORECASE,
)
_COMPARED = patterns.compile(
    r"\b(?:as|like|como|weight in|peso em|valem?)\s+(?:o\s+)?[^\W\d]+", patterns.IGNORECASE
)
"""What something is only compared with, as in `the brakes are good as gold`: no colour of the product."""
_SMALL = frozenset(
    "a o as os um uma uns umas the an my our his her its this that meu minha nosso nossa novo nova new old velho velha "
    "usado usada used quase almost like como very muito mais more cor all toda todo friday really "
    "selling vendo vender sell have has tenho tem queria quero want from at so just only".split()
)
_TAIL = patterns.compile(r"(?<!\S)(?P<known>\S*\d\S*)(?P<tail>(?:\s[A-Z]{2,4}(?!\w))+)")
_UNITS = frozenset("GB TB MB MP MM CM KG RAM SSD HDD EUR UK USA EU PT HD TV KM II III IV".split())


def told_traits(product: Product, brand: str, messages: Iterable[str]) -> list[str]:
    """Return the words of the messages for what the product has and no option of it says, the newest first."""
    names = frozenset(tokens(f"{product.name} {brand} {product.category}"))
    messages, gone = list(messages), set[str]()
    found = [trait for message in messages for trait in _generations_in(message, product, brand)]
    for message in messages:
        found += [each for each in _traits_in(message, product, names) if gone.isdisjoint(colours_of(each))]
        gone |= denied_colours(message)
    return list(dict.fromkeys(found))[:_MOST]


def _traits_in(message: str, product: Product, names: frozenset[str]) -> Iterator[str]:
    values = frozenset(
        word for kind in product.option_types for each in kind.values for word in tokens(each.name)
    )
    known = names | values
    if not any(fold(kind.name) in ("cor", "colour", "color") for kind in product.option_types):
        yield from colours_in(message, names, values)
    yield from (part.strip() for part in _PARTS.split(message) if says_clean(part))
    for found in _TAIL.finditer(message if message.upper() != message else ""):
        tail = found["tail"].split()
        if set(tokens(found["known"])) <= known and known.union(map(str.lower, _UNITS)).isdisjoint(
            map(str.lower, tail)
        ):
            yield found[0]


_GENERATION = patterns.compile(
    r"(?<!\w)(?:(?P<count>\d{1,2})(?:st|nd|rd|th|[aªoº.])?|(?P<word>second|third|fourth|fifth|segunda|terceira|quarta|quinta))\s?"
    r"(?:gen(?:eration)?|ger(?:a[cç][aã]o)?)\b\.?(?! (?:intel|core|i[3579]))|"
    r"(?<!\w)(?:gen(?:eration)?|gera[cç][aã]o|mk|mark)\s?(?P<mark>\d{1,2}|i{2,3}|iv)(?!\w)",
    patterns.IGNORECASE,
)
_ORDINALS = dict(
    zip("second third fourth fifth segunda terceira quarta quinta".split(), "23452345", strict=True)
)
_COUNT = patterns.compile(
    r"(?<!\w)(?P<word>[^\W\d]{2,})\s(?P<count>[2-9]|1\d|II|III|IV)"
    r"(?=\s*(?:[,.;:!?()\n]|$)|\s(?P<next>[^\W\d]+))(?![.,]\d)"
)
"""A number behind the name of a product, with the word behind it."""
_AFTER_COUNT = frozenset(
    "in em with com and e for por a at de da do from is is plus mais mas but pro max used usado usada novo nova new "
    "stroller carrinho good bom boa".split()
)


def _generations_in(message: str, product: Product, brand: str) -> Iterator[str]:
    """Yield the generation that a message tells of a product whose name does not say it: `Fox 2`, `2nd gen`."""
    own = {*tokens(product.name)}
    for found in _GENERATION.finditer(message):
        said = found["count"] or found["mark"] or _ORDINALS.get(fold(found["word"] or ""), "")
        if fold(said) not in own:
            yield found[0].strip(" .")
    if any((each.isdecimal() and len(each) <= 2) or each in ("ii", "iii", "iv") for each in own):  # noqa: PLR2004
        return
    names = own | {*tokens(brand)}
    for found in _COUNT.finditer(message):
        behind = fold(found["next"] or "")
        is_end = not behind or behind in _AFTER_COUNT or behind in _COLOURS
        if is_end and names.issuperset(tokens(found["word"])):
            yield found[0]


def colours_in(message: str, names: frozenset[str], values: frozenset[str]) -> Iterator[str]:
    """Return the colours that are of the product and not of what comes along, with the part that has them."""
    colours = {_COLOURS[each] for each in names | values if each in _COLOURS}
    for part in _PARTS.split(_COMPARED.sub(" ", message)):
        words = [each.strip("\"'“”«»()!?.,;:") for each in part.split()]
        folded = [fold(each) for each in words]
        if not BELONGS.isdisjoint(folded) or fault_clauses(part):
            continue
        denied = denied_colours(part)
        for place, word in enumerate(folded):
            if word in _COLOURS and _COLOURS[word] not in colours | denied:
                yield _with_noun(words, folded, place, names)
                break


def colours_of(text: str) -> set[str]:
    """Return the colours among the words of a text, each by the first word that means it."""
    return {_COLOURS[each] for each in tokens(text) if each in _COLOURS}


def denied_colours(text: str) -> set[str]:
    """Return the colours that a text denies right before it names them: `not black`, `não é bem azul`."""
    return {_COLOURS[each["word"]] for each in _DENIED.finditer(fold(text)) if each["word"] in _COLOURS}


def told_colours(messages: Iterable[str], names: frozenset[str]) -> set[str]:
    """Return the colours that the newest message with any tells of the product with these names itself."""
    told = (colours_of(" ".join(colours_in(each, names, frozenset()))) for each in messages)
    return next(filter(None, told), set())


_DENIED = patterns.compile(
    r"\b(?:nao|nem|not|(?:is|are|was|were)n['’]?t)\s"
    r"(?:(?:e|era|sao|eram|is|it s|bem|propriamente|really|quite|exactly|the|an?|o|os|as|uma?)\s){0,3}(?P<word>[\w-]+)"
)
"""A denial with the word behind it, in folded text."""


def _with_noun(words: Sequence[str], folded: Sequence[str], place: int, names: frozenset[str]) -> str:
    """Return a colour with the words of the part that has it: those behind an English one, before any other."""
    step, at = (1, place) if folded[place] in _ENGLISH else (-1, place)
    while 0 <= at + step < len(words) and abs(at + step - place) <= 2 and _is_noun(folded[at + step], names):  # noqa: PLR2004
        at += step
    return " ".join(words[min(at, place) : max(at, place) + 1])


def _is_noun(word: str, names: frozenset[str]) -> bool:
    return word.isalpha() and word not in _SMALL and names.isdisjoint(tokens(word))
