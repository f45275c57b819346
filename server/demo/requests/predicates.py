"""Questions of yes or no by their predicate: an item's words answer one where they hold it all and surely.

A word that a question and an item share proves nothing. Each clause that names what is asked is affirming, denying,
or unsure; an unsure one, and two that differ, leave the question open.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from server import patterns
from server.demo.requests.clauses import Word, clauses_of, stem, words_of
from server.languages import detect_language

_LISTS: dict[str, frozenset[str]] = {
    name: frozenset(" ".join(lines).split())
    for name, lines in json.loads(Path(__file__).with_name("question_words.json").read_bytes()).items()
}
_FILLERS, _GENERIC, _HAS = _LISTS["fillers"], _LISTS["generic"], _LISTS["has"]
_LOSSES = _LISTS["losses"]
NEGATIONS = _LISTS["negations"]
"""Words that deny in every text; an English or a Spanish `no` is another matter."""
_MAKERS = frozenset({"original", "originale", "originais", "originales", "originaux"})
"""Of a thing that is there or not, these say nothing."""
_JOINING = frozenset({"nem", "nor", "ni", "noch"})
"""Denials that go on with an earlier one."""
_INFINITIVE = frozenset({"be", "ser", "sein", "etre"})
"""Before a participle: what is still to be done, or may be."""
_NO = "no"
"""A denial, except in Portuguese, where it means `on the`."""
_ELISION = patterns.compile(r"(?i)\b(?:l|d|s|j|c|m|t|n|qu)['’](?=\w)")
_FRENCH_HAS = patterns.compile(r"\ba t (?:il|elle|on)\b|\by a\b")
_REACH = 5
"""Words from a denial to what it denies, at most."""
_SHORT_NOUN = 4
"""Letters from which on a noun is known as the beginning of a compound, as in `Akkuzustand`."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Whether an item's words affirm what is asked, and the words that do or do not."""

    holds: bool
    words: str


def part_elisions(text: str) -> str:
    """Return a text in which French articles stand as words of their own; no letter changes its place."""
    return _ELISION.sub(lambda found: f"{found[0][:-1]} ", text)


def contents_of(text: str) -> list[str]:
    """Return the stems of the words that say something, in their order."""
    found = (each.folded for each in words_of(part_elisions(text)))
    return list(dict.fromkeys(stem(each) for each in found if each not in _FILLERS))


def nouns_of(question: str) -> set[str]:
    """Return the stems of what a question names, without words that mean any item."""
    return set(contents_of(question)) - {stem(each) for each in _GENERIC}


def names_any(clause: str, nouns: set[str]) -> bool:
    """Return whether a clause has one of these nouns, be it as the beginning of a compound."""
    said = contents_of(clause)
    return any(
        each == noun or (len(noun) >= _SHORT_NOUN and each.startswith(noun))
        for each in said
        for noun in nouns
    )


def is_unsure(clause: str) -> bool:
    """Return whether a clause only supposes, excepts or wishes what it says."""
    return any(each.folded in _LISTS["hedges"] for each in words_of(part_elisions(clause)))


def answer_of_predicate(question: str, item: str) -> Evidence | None:
    """Return what an item says of the predicate of a question; None where it says nothing that is sure."""
    asked = [each.folded for each in words_of(part_elisions(question))]
    is_portuguese = detect_language(question) == "pt" and detect_language(item) in ("pt", None)
    negations = NEGATIONS if is_portuguese else NEGATIONS | {_NO}
    if set(asked) & negations or "?" in item:
        return None
    reader = _reader_of(asked, negations)
    if not reader.wanted:
        return None
    clauses = [clause for each in clauses_of(item) if (clause := reader.clause_of(each)) is not None]
    found = [said for each in clauses if (said := reader.judge(each)) is not None]
    if len({each.holds for each in found}) != 1 or found[0].holds is None:
        return None
    if reader.asks_thing and all(each.is_bare for each in found) and _denies_something(item, negations):
        return None
    return Evidence(found[0].holds, found[0].words)


def _denies_something(item: str, negations: frozenset[str]) -> bool:
    """Return whether an item denies anything: a bare noun may then be the next one of a list of missing things."""
    return any(each.folded in negations | _LOSSES for each in words_of(part_elisions(item)))


@dataclass(frozen=True, slots=True)
class AskedClause:
    """A clause that names what is asked: its words, and where the first and the last word of that stand."""

    text: str
    words: Sequence[Word]
    first: int
    last: int

    def words_between(self, first: int, last: int) -> list[str]:
        """Return the words from one place up to another, a number as its sign among the fillers."""
        return ["#" if each.folded.isdigit() else each.folded for each in self.words[first:last]]

    def quote(self, first: int, last: int) -> str:
        """Return the text from one word to another."""
        return self.text[self.words[first].start : self.words[last].end]


@dataclass(frozen=True, slots=True)
class Polarity:
    """What a clause says of what is asked; `holds` is None where that is not sure."""

    holds: bool | None
    words: str = ""
    is_bare: bool = False
    """Whether the clause is nothing but what is asked."""


@dataclass(frozen=True, slots=True)
class PredicateReader:
    """What is looked for, and the words that count as a denial and as a doubt of it."""

    wanted: frozenset[str]
    asks_thing: bool
    """Whether it is asked if a thing is there, and not what it is like."""
    negations: frozenset[str]
    hedges: frozenset[str]

    def clause_of(self, text: str) -> AskedClause | None:
        """Return a clause if it has all that is asked."""
        words = words_of(part_elisions(text))
        places = [at for at, each in enumerate(words) if stem(each.folded) in self.wanted]
        if {stem(words[at].folded) for at in places} != self.wanted:
            return None
        return AskedClause(text, words, places[0], places[-1])

    def judge(self, clause: AskedClause) -> Polarity | None:
        """Return what a clause says; None where it only names the thing."""
        before = clause.words_between(0, clause.first)
        after = clause.words_between(clause.last + 1, len(clause.words))
        between = [
            each
            for each in clause.words_between(clause.first, clause.last + 1)
            if stem(each) not in self.wanted
        ]
        if set(chain(before, between, after)) & self.hedges or set(before) & _LISTS["hedges_before"]:
            return Polarity(None)
        if set(between) & self.negations:
            rest = set(between) - self.negations <= _FILLERS - _LISTS["conjunctions"]
            is_single = not set(chain(before, after)) & self.negations and not self.asks_thing
            return (
                Polarity(False, clause.quote(clause.first, clause.last))
                if rest and is_single
                else Polarity(None)
            )
        if not set(between) <= (_FILLERS | _GENERIC) - _LISTS["conjunctions"]:
            return None
        return (
            self._loss(before, after, clause)
            or self._denial(before, after, clause)
            or (self._presence if self.asks_thing else self._state)(before, after, clause)
        )

    def _loss(self, before: list[str], after: list[str], clause: AskedClause) -> Polarity | None:
        """Return that a thing is lost or expired, or that this is not sure; None where no word says so."""
        around = set(chain(before, after))
        if not around & _LOSSES:
            return None
        if not self.asks_thing or around & (self.negations | (_HAS - _FILLERS)):
            return Polarity(None)
        return Polarity(False, clause.text)

    def _denial(self, before: list[str], after: list[str], clause: AskedClause) -> Polarity | None:
        """Return the denial of a clause, or that one does not clearly reach what is asked; None without any."""
        negated = [at for at, each in enumerate(before) if each in self.negations]
        is_behind = any(each in self.negations for each in after)
        if not negated and not is_behind:
            return None
        joining = _LISTS["conjunctions"]
        if negated and not is_behind:
            passed = set(before[negated[-1] + 1 :])
            is_double = len(negated) > 1 and before[negated[-1]] not in _JOINING
            is_turned = is_double and {before[at] for at in negated} & _LISTS["bare_negations"]
            is_near = len(before) - negated[-1] <= _REACH and passed <= (_FILLERS | _GENERIC | _HAS) - joining
            if is_near and not is_turned:
                return Polarity(False, clause.quote(negated[0], clause.last))
        elif is_behind and not negated and set(after) - self.negations <= (_FILLERS | _HAS) - joining:
            return Polarity(False, clause.quote(clause.first, len(clause.words) - 1))
        return Polarity(None)

    def _presence(self, before: list[str], after: list[str], clause: AskedClause) -> Polarity | None:
        """Return that a thing is there where a word says so, or where the clause is nothing but its name."""
        around = set(chain(before, after))
        if after and after[0] not in _FILLERS | _HAS:
            return None  # It may be the first word of a compound, as in `seat post`.
        if set(before) & _HAS or set(after) & _LISTS["behind"]:
            start = max(
                (at for at, each in enumerate(clause.words) if each.folded in _HAS and at < clause.first),
                default=clause.first,
            )
            end = next(
                (
                    at
                    for at, each in enumerate(clause.words)
                    if each.folded in _LISTS["behind"] and at > clause.last
                ),
                clause.last,
            )
            return Polarity(True, clause.quote(start, end))
        if around <= _FILLERS | _MAKERS:
            return Polarity(True, clause.text, is_bare=True)
        return None

    def _state(self, before: list[str], after: list[str], clause: AskedClause) -> Polarity | None:
        """Return that a predicate holds, where it is said of the item itself or of the part that is asked about."""
        if not set(before) <= (_FILLERS | _GENERIC) - _LISTS["conjunctions"]:
            return None
        if after and after[0] not in _FILLERS | _GENERIC:
            return None
        return Polarity(True, clause.quote(0, clause.last))


def _reader_of(asked: Sequence[str], negations: frozenset[str]) -> PredicateReader:
    """Read a question in folded words."""
    words = set(asked)
    is_perfect = bool(words & _LISTS["perfect"])
    named = words & (_HAS - _FILLERS if is_perfect else _HAS)
    asks_thing = bool(named) or (not is_perfect and _FRENCH_HAS.search(" ".join(asked)) is not None)
    dropped = _FILLERS | _GENERIC | (_HAS | _MAKERS if asks_thing else frozenset())
    hedges = _LISTS["hedges"] | (frozenset() if is_perfect else _LISTS["past"])
    hedges |= frozenset() if asks_thing else _INFINITIVE
    return PredicateReader(
        wanted=frozenset(stem(each) for each in asked if each not in dropped),
        asks_thing=asks_thing,
        negations=negations,
        hedges=hedges - words,
    )
