"""The choice on the screen that a typed text means: by name, by number, by place or by yes and no."""

from __future__ import annotations

from collections.abc import Sequence

from server import patterns
from server.loopos.answers.words import (
    ANSWERS,
    MOST_LETTERS,
    NO,
    clauses,
    fold,
    is_number,
    is_unknown,
    likeness,
    polarity,
    tokens,
    without_fillers,
)

Picked = int | list[int] | None

_ORDINALS = {
    word: place
    for place, words in enumerate(
        (
            "primeiro primeira first",
            "segundo segunda second",
            "terceiro terceira third",
            "quarto quarta fourth",
            "quinto quinta fifth",
            "sexto sexta sixth",
            "setimo setima seventh",
            "oitavo oitava eighth",
            "nono nona ninth",
            "decimo decima tenth",
        )
    )
    for word in words.split()
}
_LAST = {"ultimo": -1, "ultima": -1, "last": -1, "penultimo": -2, "penultima": -2}
_PLACE = patterns.compile(r"\b(?:numero|number|opcao|option)\s+(\d{1,2})\b|\b(\d{1,2})(?:o|a|st|nd|rd|th)\b")
_PLACES = 3
"""Digits of a place in a list; a number may have more of them than Python converts."""
_OF_A_COUNT = frozenset("um uma a an one mais another meu minha my our nosso nossa".split())
"""Before an ordinal: a stretch of time or a thing of one's own, as in `a second` and `o meu primeiro`."""
_AROUND = ANSWERS | frozenset(
    "e and ou or to numero number lista list lugar place posicao position escolha choice pick ali there "
    "here aqui faz faca thanks thank you obrigado obrigada eh hmm entao well then vou go acho".split()
)
"""Words that may stand beside a place and say nothing else."""
_MARKS = frozenset("o a st nd rd th".split())
_QUESTION = frozenset("qual quais quanto quantos porque como onde what which how why where when who".split())
_SIZE = patterns.compile(r"(?<!\d)(\d+)\s*(?:x|×|by|por)\s*(\d+)")
"""A width and a height, as in `77x147`."""
_ENOUGH = 1 / 3
"""So much of what was said must be found in a label that is not said whole."""


class _Candidate:
    """One choice: its labels in all languages, as comparable words."""

    def __init__(self, place: int, labels: Sequence[str]) -> None:
        self.place = place
        self.labels = [words for words in map(tokens, labels) if words]
        self.numbers = {word for label in self.labels for word in label if is_number(word)}
        self.sizes = {size for label in labels for size in _sizes(label)}
        first = {label[0] for label in self.labels}
        unknown = any(is_unknown(label) for label in labels)
        self.yes = not unknown and bool(first & {"sim", "yes"})
        self.no = not unknown and bool(first & {"nao", "no", "not"})


def pick(text: str, candidates: Sequence[str | Sequence[str]]) -> Picked:
    """Resolve a typed answer to one of the given labels.

    A candidate is its label, or its labels in several languages. Returns the index; a list of indexes when the
    text fits several equally well; None when it fits none. Case, accents and typing errors are forgiven, but a
    number means itself only: 64 is never 640.
    """
    known = [_Candidate(i, [each] if isinstance(each, str) else each) for i, each in enumerate(candidates)]
    said = tokens(text)
    if not said or not known or len(text) > MOST_LETTERS:
        return None
    exact = [each.place for each in known if said in each.labels]
    if exact:
        return _one(exact)
    if text.rstrip().endswith("?") and said[0] in _QUESTION:
        return None
    if is_unknown(text):
        return _one([each.place for each in known if any(is_unknown(" ".join(one)) for one in each.labels)])
    sized = [each.place for each in known if each.sizes & _sizes(text)]
    if len(sized) == 1 and NO.isdisjoint(said):
        return sized[0]
    by_place = _by_place(text, said, known)
    if by_place is not None:
        return by_place
    return _by_words(text, known)


def _sizes(text: str) -> set[tuple[str, str]]:
    return {(found[1], found[2]) for found in _SIZE.finditer(text.casefold())}


def pick_place(text: str, candidates: Sequence[Sequence[str]]) -> int | None:
    """Resolve an answer that says nothing but a place in the list: `o segundo`, `the last one`, but no bare `2`."""
    known = [_Candidate(i, each) for i, each in enumerate(candidates)]
    said = tokens(text)
    is_bare = all(map(is_number, without_fillers(said)))
    picked = _by_place(text, said, known) if said and known and not is_bare else None
    return picked if isinstance(picked, int) else None


def _one(places: list[int]) -> Picked:
    """Return a single place as itself, several as a list, none as None."""
    return places[0] if len(places) == 1 else (places or None)


def _by_place(text: str, said: list[str], known: list[_Candidate]) -> Picked:
    """`a segunda`, `the last one`, `n.º 3`, `2`; words that a label has itself are no places.

    Only when hardly anything else is said: `give me a second` and `the last time` name no choice.
    """
    labelled = {word for each in known for label in each.labels for word in label}
    if not _is_only_a_place(said, labelled):
        return None
    count = len(known)
    places = [_ORDINALS[word] for word in said if word in _ORDINALS and word not in labelled]
    ends = [count + _LAST[word] for word in said if word in _LAST and word not in labelled]
    if ends and "second" in said:
        return count - 2 if count > 1 else None
    numbered = [int(found[1] or found[2]) - 1 for found in _PLACE.finditer(fold(text))]
    bare = without_fillers(said)
    if len(bare) == 1 and bare[0].isdecimal() and len(bare[0]) <= _PLACES and bare[0] not in labelled:
        numbered.append(int(bare[0]) - 1)
    if not any(each.numbers & {str(place + 1)} for place in numbered for each in known):
        places += numbered
    return _one(sorted({place for place in places + ends if 0 <= place < count}))


def _is_only_a_place(said: list[str], labelled: set[str]) -> bool:
    """Return whether the answer is only a place, the words around it, and words of a label."""
    ordinals = {word for word in said if word in _ORDINALS or word in _LAST} - labelled
    for before, word in zip(["", *said], said, strict=False):
        definite = before == "a" and word.endswith("a")
        if word in ordinals and before in _OF_A_COUNT and not definite:
            return False
    beside = [word for word in without_fillers(said) if word not in ordinals | _AROUND | labelled]
    return all(is_number(word) or word in _MARKS for word in beside)


def _by_words(text: str, known: list[_Candidate]) -> Picked:
    """Read clause by clause: what is denied is left out, yes and no choose the side, the rest names the label."""
    parts = clauses(text)
    if not parts:
        return None
    affirmed = [
        word for part in parts if polarity(part) is not False or _is_named(part, known) for word in part
    ]
    rest = [word for word in affirmed if word not in ANSWERS]
    named = _pick_named(rest, known) if rest else None
    opening = polarity(parts[0]) if parts[0][0] in ANSWERS or polarity(parts[0]) is False else None
    if opening is None and not isinstance(named, int) and (polarity(parts[0]) or _points_at_it(parts[0])):
        opening = True
    sides = [each for each in known if (each.yes if opening else each.no)] if opening is not None else []
    if not sides:
        return named
    within = _pick_named(rest, sides) if rest else None
    if isinstance(within, int):
        return within
    if opening is False and rest:
        neither = _pick_named(rest, [each for each in known if not each.no and not each.yes])
        if isinstance(neither, int):
            return neither
    return _one([each.place for each in sides])


def _points_at_it(words: list[str]) -> bool:
    """Return whether the answer points at what was shown: `é esse`, `that is the one`."""
    return not without_fillers(words) and bool(
        {"esse", "essa", "este", "esta", "isso", "that", "thats", "this"} & set(words)
    )


def _is_named(part: list[str], known: list[_Candidate]) -> bool:
    """Return whether the denial is a label's own, as in `não funciona` or `sem riscos`."""
    denials = {word for word in part if word in NO} - {"nao", "no", "not"}
    if denials:
        return any(word in label for word in denials for each in known for label in each.labels)
    return len(part) > 1 and any(part[:2] == label[:2] for each in known for label in each.labels)


def _pick_named(said: list[str], known: list[_Candidate]) -> Picked:
    """Return the labels that share most words with what was said; every number said must be in the label."""
    content = without_fillers(said) or said
    numbers = {word for word in content if is_number(word)}
    if numbers and any(each.numbers for each in known):
        known = [each for each in known if numbers <= each.numbers]
    scored = [
        (max(_shared_words(content, label) for label in each.labels), each) for each in known if each.labels
    ]
    best = max((score for score, _ in scored), default=(0.0, False))[0]
    if not best:
        return None
    winners = [(whole, each) for (score, whole), each in scored if score == best]
    if any(whole for whole, _ in winners):
        return _one([each.place for whole, each in winners if whole])
    if best / len(content) < _ENOUGH:
        return None
    neutral = [each for _, each in winners if not each.no]
    return _one([each.place for each in (neutral or [each for _, each in winners])])


def _shared_words(content: list[str], label: list[str]) -> tuple[float, bool]:
    """Return how many of the words stand in the label, and whether they are the whole label."""
    wanted = [word for word in without_fillers(label) if word not in ("sim", "nao", "yes", "no")] or label
    exact = set(content) & set(wanted)
    score = float(len(exact))
    found, unlike = set(exact), set[str]()
    for word in content:
        if word in exact or word in unlike:
            continue
        alike, which = max(
            ((likeness(word, other), other) for other in wanted if other not in found), default=(0.0, "")
        )
        if alike:
            score += alike
            found.add(which)
        else:
            unlike.add(word)
    return score, found >= set(wanted)
