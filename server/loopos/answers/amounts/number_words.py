"""Numbers in words, from nought to 999: `dois`, `oitenta e sete`, `one hundred and twenty`."""

from __future__ import annotations

from itertools import pairwise

_ONES = (
    ("zero", "nought", "nenhum", "nenhuma", "none"),
    ("um", "uma", "one"),
    ("dois", "duas", "two"),
    ("tres", "three"),
    ("quatro", "four"),
    ("cinco", "five"),
    ("seis", "six"),
    ("sete", "seven"),
    ("oito", "eight"),
    ("nove", "nine"),
    ("dez", "ten"),
    ("onze", "eleven"),
    ("doze", "twelve"),
    ("treze", "thirteen"),
    ("catorze", "quatorze", "fourteen"),
    ("quinze", "fifteen"),
    ("dezasseis", "dezesseis", "sixteen"),
    ("dezassete", "dezessete", "seventeen"),
    ("dezoito", "eighteen"),
    ("dezanove", "dezenove", "nineteen"),
)
_TENS = (
    ("vinte", "twenty"),
    ("trinta", "thirty"),
    ("quarenta", "forty"),
    ("cinquenta", "fifty"),
    ("sessenta", "sixty"),
    ("setenta", "seventy"),
    ("oitenta", "eighty"),
    ("noventa", "ninety"),
)
_HUNDREDS = (
    ("cem", "cento"),
    ("duzentos", "duzentas"),
    ("trezentos", "trezentas"),
    ("quatrocentos", "quatrocentas"),
    ("quinhentos", "quinhentas"),
    ("seiscentos", "seiscentas"),
    ("setecentos", "setecentas"),
    ("oitocentos", "oitocentas"),
    ("novecentos", "novecentas"),
)
_VALUE = {
    **{word: number for number, words in enumerate(_ONES) for word in words},
    **{word: number * 10 for number, words in enumerate(_TENS, 2) for word in words},
    **{word: number * 100 for number, words in enumerate(_HUNDREDS, 1) for word in words},
}
NUMBER_WORDS = frozenset({*_VALUE, "hundred", "thousand", "mil"} - {"a", "an"})
"""The words of numbers, without those that join them."""
_JOINS = frozenset({"e", "and"})
_HUNDRED = "hundred"


def split_number(words: list[str]) -> tuple[float | None, list[str]]:
    """Return the one number that folded words say, and the other words; None when they say none, or several."""
    parts: list[int] = []
    rest: list[str] = []
    for word in words:
        if word == _HUNDRED and len(parts) <= 1:
            parts = [100 * each for each in parts] or [100]
        elif word in _VALUE:
            parts.append(_VALUE[word])
        elif word not in _JOINS or not parts:
            rest.append(word)
    fits = all(_below(before, after) for before, after in pairwise(parts))
    return (float(sum(parts)) if parts and fits else None), rest


def _below(before: int, after: int) -> bool:
    """Return whether the second may follow the first within one number: the first has to end in noughts."""
    noughts = len(str(before)) - len(str(before).rstrip("0"))
    return min(before, after) > 0 and len(str(after)) <= noughts
