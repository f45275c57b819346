"""The demo model's search for a brand or product in a list: spelling and order may differ, models may not."""

from rapidfuzz.distance import DamerauLevenshtein

from server import patterns
from server.demo.requests.parsed_request import Answer, Answers, ParsedRequest
from server.languages import fold
from server.text_reading.words.beginnings import beginning_of

_MOST_LETTERS = 300
"""Letters of a name that are read."""
_RUN = patterns.compile(r"\d+|[^\W\d_]+")
_LONG, _MISSPELLED = 7, 4
"""From the first length on a letter may be another one; from the second on one may be missing, doubled or swapped."""
_SHOUTED = 3
"""Words in capitals up to so many letters are abbreviations."""
_BRANDS = frozenset(
    """apple samsung xiaomi google oneplus huawei sony nintendo microsoft lenovo hp dell asus acer canon nikon fujifilm
    panasonic bose jbl garmin fitbit casio trek ikea dyson philips vorwerk bugaboo lg motorola nokia""".split()
)
"""Brands that callers write before a product."""


def judge_brand(given: ParsedRequest) -> Answer:
    """Find the brand in the list."""
    return _find(given, "brand", frozenset())


def judge_product(given: ParsedRequest) -> Answer:
    """Find the product in the list, with or without its brand before it."""
    brands = [str(given.specific.get("brand_name") or "")]
    brands += [str(each["name"]) for each in given.facts.get("brands") or []]
    return _find(
        given, "product", _BRANDS | {word for each in brands for word in _RUN.findall(_fold_name(each))}
    )


def _find(given: ParsedRequest, kind: str, extra: frozenset[str]) -> Answer:
    asked, listed = str(given.specific.get(f"{kind}_name", "")), given.facts.get(f"{kind}s") or []
    names = [_fold_name(str(each["name"])) for each in listed]
    name = _fold_name(asked)
    exact = [each for each, known in zip(listed, names, strict=True) if known == name]
    same = exact or [each for each, known in zip(listed, names, strict=True) if _is_same(name, known, extra)]
    found = same[0] if same else None
    return {
        f"new_{kind}": found is None,
        f"new_{kind}_name": None if found else _tidy_name(asked, kind),
        f"existing_{kind}_name": found["name"] if found else None,
        f"existing_{kind}_id": found["id"] if found else None,
    }


def _fold_name(name: str) -> str:
    return fold(beginning_of(name, _MOST_LETTERS))


def _is_same(asked: str, listed: str, extra: frozenset[str]) -> bool:
    """Return whether two names are one. Words of `extra` may stand in one of them alone; numbers have to be equal."""
    one, other = _RUN.findall(asked), _RUN.findall(listed)
    if not one or not other:
        return False
    if "".join(one) == "".join(other):
        return True
    left = list(other)
    for word in one:
        partner = next((each for each in left if each == word), None) or next(
            (each for each in left if _alike(word, each)), None
        )
        if partner is not None:
            left.remove(partner)
        elif word not in extra:
            return False
    return all(each in extra for each in left) and len(left) < len(other)


def _alike(one: str, other: str) -> bool:
    """Return whether the word is the other one misspelled; a number never is."""
    short, long = sorted((one, other), key=len)
    if one.isdigit() or other.isdigit() or len(short) < _MISSPELLED or one[0] != other[0]:
        return False
    if DamerauLevenshtein.distance(one, other) != 1:
        return False
    return len(short) >= _LONG or len(long) > len(short) or sorted(one) == sorted(other)


def _tidy_name(name: str, kind: str) -> str:
    """Write a new name without blanks around it, and one in capitals as names are written."""
    words = name.split()
    if name.isupper() and (len(words) > 1 or len(name.strip()) > _SHOUTED + 1):
        return " ".join(_lower_capitals(each) for each in words)
    if kind == "brand" and name.islower():
        return " ".join(each[:1].upper() + each[1:] for each in words)
    return " ".join(words)


def _lower_capitals(word: str) -> str:
    return word.capitalize() if word.isalpha() and len(word) > _SHOUTED else word


ANSWERS: Answers = {"BrandJudgement": judge_brand, "ProductJudgement": judge_product}
