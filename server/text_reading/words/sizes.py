"""Sizes: the words for their letters, such as `medium` for M, and the figures of `80 x 28 x 202`."""

from collections.abc import Sequence
from math import prod

from server import patterns
from server.languages import fold

SIZES = {
    word: letter
    for letter, words in {
        "s": "small pequeno pequena",
        "m": "medium medio media",
        "l": "large grande",
    }.items()
    for word in words.split()
}
SIZE_NAMES = frozenset("tamanho size quadro frame".split())
"""What has a size is said beside its word."""
_SAID = rf"(?P<extra>x |extra )?(?P<word>{'|'.join(SIZES)})"
_LINKS = r"(?:e|is|it'?s|para|to|o|a|an|esta|mal|errad[oa]|wrong|should|be)"
_ALONE = patterns.compile(_SAID)
_BEHIND = patterns.compile(rf"\b(?:{'|'.join(sorted(SIZE_NAMES))})(?: {_LINKS})* {_SAID}\b")
_FIGURES = patterns.compile(r"(?<!\d)\d+(?:\s*(?:cm|mm)?\s*(?:x|×|by|por)\s*\d+)+")
_BY = patterns.compile(r"(?<!\d)(\d+)\s+(?:por|by)\s+(\d+)\s+(?:por|by)\s+(\d+)(?!\d)", patterns.IGNORECASE)
_BEFORE = patterns.compile(rf"\b{_SAID} (?:size|frame)\b")


def with_signs(text: str) -> str:
    """Return a text with signs between the three figures of a size: `80 x 28 x 202` for `80 por 28 por 202`.

    Of two figures the second may be a price: `64 por 200`.
    """
    return _BY.sub(r"\1 x \2 x \3", text)


def figures_of(text: str) -> frozenset[tuple[str, int]]:
    """Return the figures of the first size such as `80 x 28 x 202` in a text, each with how often it was there."""
    found = patterns.findall(r"\d+", "".join(_FIGURES.findall(text)[:1]))
    return frozenset((each, found[:place].count(each)) for place, each in enumerate(found))


def size_in(text: str) -> str:
    """Return the letter of the size that a folded text says beside the word for it; empty where it says none."""
    return _letter(_BEHIND.search(text) or _BEFORE.search(text))


def join_letters(text: str) -> str:
    """Return a text in which a size between two others has no slash or blank between its letters: `ML` for `M/L`."""
    return _BETWEEN.sub(r"\1\2", text)


def without_denied_size(text: str) -> str:
    """Return a text without the size that it denies behind another one: `it's the ML` of `it's the ML not the L`."""
    return _DENIED.sub("", text)


_DENIED = patterns.compile(
    r"(?<=[\w,])\s+(?:and |e )?(?:not|n[ãa]o|nem)(?: (?:the|an?|o|um|uma|é o))? x{0,3}[sm]?[sml](?![\w'’/])",
    patterns.IGNORECASE,
)
_BETWEEN = patterns.compile(r"(?<![\w'/.-])(x?[sm]) ?/ ?(x?[ml])(?![\w'/-])", patterns.IGNORECASE)


def whole_size(text: str) -> str:
    """Return the letter of the size that is the whole folded text; empty where it is something else."""
    return _letter(_ALONE.fullmatch(text))


def _letter(found: patterns.Match[str] | None) -> str:
    if found is None:
        return ""
    letter = SIZES[found["word"]]
    return f"x{letter}" if found["extra"] and letter != "m" else letter


def named_size(text: str, folded: str, *, figures: bool) -> str:
    """Return a message that is a size, such as `it's an L`, with the word for it; any other text as it is.

    `figures` takes a number for a size too: `é o 42`.
    """
    found = _IS_SIZE.fullmatch(folded) if len(folded) <= _LONGEST_SIZE else None
    if found is None or (found["size"][0].isdigit() and not figures):
        return text
    return f"size {found['size']}"


def lone_size(text: str, folded: str) -> str:
    """Return the letter of the size that is all of a message beside a yes, a courtesy or an article: `S please`.

    Any other text is returned as it is. Where a size is asked for, its S is no short yes.
    """
    found = _LONE.fullmatch(folded) if len(folded) <= _LONGEST_SIZE else None
    return text if found is None else found["size"].upper()


_LONE = patterns.compile(
    r"(?:(?:yes|yeah|yep|sim|ok|okay|its|it s|it is|e|o|um|an?|the|size|tamanho) )*(?P<size>x{0,3}[sml])"
    r"(?: (?:please|pls|plz|thanks|thank you|thx|ty|obrigad[oa]|por favor|pf|pff|sff))*"
)


def extreme_quantity(labels: Sequence[str], *, largest: bool) -> int | None:
    """Return the place of the largest or smallest of folded labels such as `64 gb`; None where they tell of none."""
    sizes = _quantities(labels)
    return sizes.index(max(sizes) if largest else min(sizes)) if sizes else None


def quantity_meant(
    text: str, labels: Sequence[str], most: frozenset[str], least: frozenset[str]
) -> int | None:
    """Return the place of the quantity that a text means, whole or up to a comma, as the largest, the smallest or the
    one in the middle of folded labels: `o maior`, `the small one`. None where it means none, or they tell of none.
    """
    whole = fold(text)
    said, alone = (
        {*whole.split()},
        _BY_PLACE.fullmatch(whole) or _BY_PLACE.fullmatch(fold(text.partition(",")[0])),
    )
    largest, smallest = bool(said & most), bool(said & least)
    if alone:
        largest, smallest = alone["large"] is not None, alone["small"] is not None
    if largest or smallest:
        return extreme_quantity(labels, largest=largest)
    sizes = _quantities(labels) if alone else []
    return sizes.index(sorted(sizes)[len(sizes) // 2]) if len(sizes) % 2 and len(sizes) > 1 else None


def _quantities(labels: Sequence[str]) -> list[float]:
    """Return the quantities of folded labels, each of which is another one; nothing where one is something else."""
    found = [_QUANTITY.fullmatch(each) for each in labels]
    sizes = [float(each[1].replace("_", ".")) * _BESIDE_GB.get(each[2], 1) for each in found if each]
    measured = [each for each in labels if _DIMENSIONS.fullmatch(each)]
    sizes = sizes or [float(prod(map(int, patterns.findall(r"\d+", each)))) for each in measured]
    return sizes if len({*sizes}) == len(labels) else []


_BY_PLACE = patterns.compile(
    r"(?:(?:its|it s|it is|is|mine|minha|meu|e|de|the|o|a|um|an?|uma|acho que|i think|just|so|only|yes|sim|of|com) )*+"
    r"(?:(?P<large>(?:mais |muito )?(?:big|bigger|biggest|large|larger|largest|high|highest|higher|grande|maior|alto))|"
    r"(?P<small>(?:mais |muito )?(?:small|smaller|smallest|little|low|lowest|lower|pequen[oa]|menor|baixo))|"
    r"middle|medium|mid|in the middle|between|intermedi[oa]|d[oe] meio|medi[oa])"
    r"(?: (?:one|size|version|option|capacity|storage|ones|tamanho|versao|opcao|capacidade|memoria|de todos|of all|"
    r"of them|acho|i think|please|por favor|mesmo))*"
)
"""A folded text that says no more than how large a quantity is among others."""
_QUANTITY = patterns.compile(r"(\d+(?:_\d+)?) ?(gb|tb|mm|cm|l)?")
_DIMENSIONS = patterns.compile(r"\d{1,4}(?:\s?[x×]\s?|\s)\d{1,4}(?:(?:\s?[x×]\s?|\s)\d{1,4})? ?(?:cm|mm)?")
_BESIDE_GB = {"tb": 1024}
_LONGEST_SIZE = 60
_IS_SIZE = patterns.compile(
    r"(?:(?:afinal|actually|sorry|desculp[ae]|nao|no|sim|yes|mas|but) )*(?:it'?s|it is|e)(?: (?:actually|afinal))? "
    r"(?:(?:an?|o|um|the) (?P<size>x{0,3}[sml]|small|medium|(?:extra )?large|pequeno|medio|"
    r"(?:extra )?grande|\d\d(?: ?[mc]m)?)"
    r"|(?P<size>x{0,3}[sml]))(?: one)?(?: (?:afinal|actually|sorry|please))?"
)
