"""The option that a model selects, held against what the seller wrote: only the seller's own words make it sure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from server.protocol.answers.certainty import (
    BARE_YES,
    MARKERS,
    NEGATIONS,
    asks,
    content,
    is_like,
    plain_words,
)
from server.protocol.answers.element import Element, ElementOption
from server.protocol.answers.judging import judge
from server.protocol.answers.picking import pick_place
from server.protocol.answers.refusals import Judgement, Refused, Unsure, Valid
from server.protocol.answers.synonyms import phrases
from server.protocol.answers.words import is_number, is_unknown, tokens

_CLAUSE = re.compile(r"(?<!\d)[,.](?!\d)|(?<=\D)[,.]|[,.](?=\s|$)|[;:!\n—–]|(?=\b(?:sem|without)\b)|(?<=\?)")
_OTHER_UNITS = frozenset(
    "euro euros eur paus dollars pounds mm cm m pol polegadas inch inches ano anos mes meses dia dias year years month "
    "months day days vezes times mil mah mp hz kg w v tb ram".split()
)
_THINGS = frozenset(
    "capa capas capinha caixa pelicula carregador cabo bracelete pulseira ecra vidro visor rato teclado comando "
    "comandos auriculares fones saco bolsa mochila suporte base lente lentes pega tampa estojo cartao sd microsd "
    "pen ram case cover box charger cable strap band screen glass controller controllers mouse keyboard bag "
    "headphones lens lid stand card".split()
)
"""Things beside the item itself, which have colours and sizes of their own."""
_SIZE_UNITS = frozenset("gb tb mm cm".split())
_SURELY_A_SIZE = 16
"""From this number on `de 128` is a storage and no count."""


def judge_selection(
    element: Element,
    value: str,
    messages: Sequence[str],
    language: str,
    today: date,
    *,
    beside: str = "",
    is_asked: bool = False,
) -> Judgement:
    """Judge the option that a model selects; `messages` are the seller's, the newest first.

    `beside` is the name of the product, whose words say nothing of its options. The newest message that names one of
    the options decides. A value that no message names is a guess: Unsure where the seller was asked for it (`is_asked`)
    and said something, otherwise Refused as `not_said`.
    """
    option = next(each for each in element.options if each.value == value)
    guess = Valid(value, option.label.said(language), option.deal_breaker)
    if not messages:
        return Refused("not_said")
    newest = messages[0]
    judged = judge(element, newest, language, today)
    if isinstance(judged, Valid) and (is_asked or not _is_a_place(element, newest)):
        return _held(guess, judged)
    for message in messages:
        named = _Named(element, message, beside, language)
        if named.plain is not None:
            return _held(guess, Valid(named.plain.value, named.plain.label.said(language)))
        if option in named.denied:
            return Refused("not_said")
        if named.found:
            return Unsure(guess) if option in named.found else Refused("not_said")
    if isinstance(judged, Unsure):
        return Unsure(guess, "paraphrase")
    spoken = [word for word in content(plain_words(newest, language)) if word not in BARE_YES | MARKERS]
    says_something = bool(spoken) and not asks(newest) and not is_unknown(newest)
    return Unsure(guess, "paraphrase") if is_asked and says_something else Refused("not_said")


def _is_a_place(element: Element, message: str) -> bool:
    """Does the message only say a place in a list, such as `o segundo`?"""
    return pick_place(message, [(each.label.pt, each.label.en) for each in element.options]) is not None


def _held(guess: Valid, said: Valid) -> Judgement:
    """The selected value, if it is what the seller said."""
    if said.skipped:
        return Refused("not_said")
    return guess if said.value == guess.value else Refused("said_otherwise", {"said": said.shown})


class _Named:
    """The options that a message names, beside other things."""

    def __init__(self, element: Element, message: str, beside: str, language: str) -> None:
        skipped, things = set(tokens(beside)), _other_things(element)
        self.found: list[ElementOption] = []
        self.denied: list[ElementOption] = []
        plain: list[ElementOption] = []
        doubtful: list[ElementOption] = []
        for clause in filter(None, _CLAUSE.split(message)):
            words = [word for word in plain_words(clause, language) if word not in skipped]
            for option, own, place in _named_in(element, words):
                markers = [word for word in words if word in MARKERS and word not in own]
                self.found.append(option)
                if NEGATIONS.intersection(markers):
                    self.denied.append(option)
                elif markers or asks(clause):
                    doubtful.append(option)
                elif not _is_of_another_thing(words, place, len(own), things):
                    plain.append(option)
        is_single = not doubtful and len({each.value for each in plain}) == 1
        self.plain = plain[0] if is_single and plain[0] not in self.denied else None
        """The option that the message says plainly, and no other."""


def _other_things(element: Element) -> frozenset[str]:
    """The things beside the item that neither the option type nor an option is about."""
    labels = [phrase for each in element.options for phrase in phrases(element, each)]
    return _THINGS.difference(*map(tokens, [element.label.pt, element.label.en, *labels]))


def _is_of_another_thing(words: list[str], place: int, length: int, things: frozenset[str]) -> bool:
    """Is what is named the colour or size of something that comes with it, as in `capa preta` or `black case`?"""
    before, after = words[max(0, place - 2) : place], words[place + length : place + length + 2]
    joined = next((at for at, word in enumerate(after) if word in ("com", "with", "e", "and")), len(after))
    return not things.isdisjoint([*before, *after[:joined]])


def _named_in(element: Element, words: list[str]) -> list[tuple[ElementOption, list[str], int]]:
    """The options whose words the clause says one after the other, without those that are part of a longer one."""
    found = [
        (option, wanted, place)
        for option in element.options
        for wanted in {tuple(tokens(phrase)): None for phrase in phrases(element, option)}
        if (place := _place(words, wanted)) is not None
    ]
    return [
        (option, list(wanted), place)
        for option, wanted, place in found
        if not any(
            other is not option
            and start <= place
            and place + len(wanted) <= start + len(longer)
            and len(longer) > len(wanted)
            for other, longer, start in found
        )
    ]


def _place(words: list[str], wanted: Sequence[str]) -> int | None:
    """Where the clause says these words; a size may lack its unit, where it is surely one."""
    if len(wanted) == 1 and len(wanted[0]) == 1:
        return _place_of_letter(words, wanted[0])
    starts = range(len(words) - len(wanted) + 1)
    whole = next((at for at in starts if all(map(is_like, words[at:], wanted))), None)
    if whole is not None or len(wanted) != 2 or wanted[1] not in _SIZE_UNITS or not is_number(wanted[0]):  # noqa: PLR2004
        return whole
    if float(wanted[0]) < _SURELY_A_SIZE:
        return None
    sizes = [at for at, word in enumerate(words) if word == wanted[0]]
    return next((at for at in sizes if not _OTHER_UNITS.intersection(words[at + 1 : at + 2])), None)


def _place_of_letter(words: list[str], letter: str) -> int | None:
    """Where a size such as `M` is said as one: behind the word for it."""
    after = [at for at, word in enumerate(words) if at and word == letter]
    return next((at for at in after if words[at - 1] in ("tamanho", "size", "quadro", "frame")), None)
