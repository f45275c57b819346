"""Clauses of an answer that say nothing of its question, but of another thing, a price or what is unknown."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from server import patterns
from server.loopos.answers.amounts.deal_words import spell_signs
from server.loopos.answers.certainty import MARKERS, content, is_like, spell_is
from server.loopos.answers.element import Element
from server.loopos.answers.words import clauses, fold, is_unknown, tokens
from server.text_reading.things.coloured_parts import COLOURED_PARTS, split_part

THINGS = frozenset(
    "caixa box embalagem carregador charger cabo cable capa case pelicula protector bateria battery fatura invoice "
    "recibo receipt garantia warranty auscultadores earphones headphones "
    "preco price valor euro euros eur paus dollars pounds portes envio entrega shipping delivery comprar buy".split()
)
"""Things that are sold with an item, and subjects of a sale: each has a question of its own, or none."""
_BORDERS = patterns.compile(
    r"(?<!\d)[,.](?!\d)|(?<=\D)[,.]|[,.](?=\s|$)|[;:!\n—–()]|\b(?:e|and)\b|"
    r"(?=\b(?:mas|but|com|with|sem|without|exceto|except)\b)|(?=\bnem\s)|(?<=\bno \w{2,20}\s)(?=no\s)"
)


def is_ignorant(answer: str) -> bool:
    """Return whether the answer begins so that the seller does not know, or a clause of it says no more than that."""
    return _KNOWS_NOT.match(fold(answer)) is not None or any(
        is_unknown(" ".join(clause)) for clause in clauses(answer)
    )


_KNOWS_NOT = patterns.compile(
    r"(?:(?:sorry|oh|ah|hm+|well|olha|desculp\w*|honestly|epa|pa|mate)\b[\s,.!]*)*+"
    r"(?:(?:i |ive |have |got |really |absolutely |honestly )*+(?:no (?:idea|clue)|not a clue|(?:dont|do not) know|"
    r"dunno|idk|(?:havent|not) (?:got )?(?:a|the) (?:clue|foggiest|faintest))|"
    r"(?:eu )?(?:(?:nao|n|nem) (?:sei|(?:faco|tenho)(?: a minima)? ideia|me lembro)|sei la|nem ideia))"
    r"\b(?! (?:how (?!many|much|long|old|often)|where\b|como\b|onde\b))"
)
"""The start of an answer whose writer does not know, whatever stands behind it; one that asks how to see it is none."""


def without_asides(element: Element, answer: str) -> str:
    """Return the answer without its clauses about a thing that the question does not speak of."""
    return " ".join(own_parts(element, answer))


def own_parts(element: Element, answer: str) -> list[str]:
    """Return the parts of the answer without those about a thing that the question does not speak of."""
    own = own_words(element)
    parts = _BORDERS.split(spell_signs(fold(spell_is(answer))))
    return [part for part in parts if not _is_aside(part, own)]


def speaks_of(element: Element, text: str) -> bool:
    """Return whether a text has a word of the question, its hint or its options, or no word that says anything."""
    said, own = content(tokens(text)), content(own_words(element), MARKERS)
    return not said or any(is_like(word, each) for word in said for each in own)


def _is_aside(part: str, own: frozenset[str]) -> bool:
    return any(word in THINGS and not any(is_like(word, each) for each in own) for word in tokens(part))


@lru_cache(maxsize=512)
def own_words(element: Element) -> frozenset[str]:
    """Return the words of the question and of its options."""
    labels = [
        element.label,
        *([element.hint] if element.hint else []),
        *(each.label for each in element.options),
    ]
    return frozenset(word for label in labels for word in tokens(f"{label.pt} {label.en}"))


def named_clauses(element: Element, text: str) -> str:
    """Return the clauses that say a value beside the option's own name, without those that say what other things are.

    Of `the hood is black, the chassis is aluminium` the last one is about the chassis. The text itself where none does.
    """
    own = {*content(tokens(f"{element.label.pt} {element.label.en}"))}
    said = [each.strip() for each in _SAYINGS.split(text) if each.strip()]
    parts = [part for each in said for part in split_part(each, own)]
    values = {
        word for each in element.options for word in content(tokens(f"{each.label.pt} {each.label.en}"))
    }
    named = [
        each
        for each in parts
        if not own.isdisjoint(tokens(each))
        and any(is_like(word, value) for word in tokens(each) for value in values)
    ]
    others = [each for each in parts if own.isdisjoint(tokens(each)) and _OF_A_THING.search(fold(each))]
    return ", ".join(named) if named and (others or len(parts) > len(said)) else text


_SAYINGS = patterns.compile(
    r"[,;.!?\n]+(?=\s|$)|\b(?:but|mas)\b|\b(?:and|e)\s(?=(?:the|o|a)\s)", patterns.IGNORECASE
)
_OF_A_THING = patterns.compile(r"\b(?:the|my|o|a|os|as) (?:\w+ ){1,2}?(?:is|are|e|sao|esta|estao)\b")


def without_looks_of_parts(own: Collection[str], text: str) -> str:
    """Return a text without the phrases on a part that is none of a question's own words: `black hood`, `capota preta`.

    The colour of such a part is not that of the item or of its frame; one word that is joined to the phrase is of the
    part too (`capota preta e branca`). A phrase with a number stays: it may be a size.
    """
    parts = COLOURED_PARTS.difference(own)
    phrases = _PHRASES.split(text)
    figures = [bool(_NUMBER.search(each)) for each in phrases]
    words = [tokens(each) for each in phrases]
    gone = [
        not parts.isdisjoint(said) and not has_figure for said, has_figure in zip(words, figures, strict=True)
    ]
    for place, joint in enumerate(_PHRASES.findall(text)):
        first, second, is_and = words[place], words[place + 1], joint.strip().lower() in ("and", "e")
        has_article = first[:1] == ["a"]  # `a black, scratched case`
        if gone[place] and is_and and first[-1] not in parts and len(second) == 1:
            gone[place + 1] = not figures[place + 1]
        if (
            gone[place + 1]
            and (is_and or has_article)
            and second[-1] in parts
            and len(first) - has_article == 1
        ):
            gone[place] = not figures[place]
    kept = [each.strip() for each, is_gone in zip(phrases, gone, strict=True) if not is_gone]
    return ", ".join(filter(None, kept)) if any(gone) else text


_PHRASES = patterns.compile(r"[,;.!?\n]+(?=\s|$)|\b(?:and|with|but|e|com|mas)\s", patterns.IGNORECASE)
_NUMBER = patterns.compile(r"\d")
