"""What will go wrong and what people will do, all of it from the seed: no clock, no process, no order of anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.chaos import faults
from tests.chaos.faults import Fault

OPENINGS = (
    ("pt", "Polly Magic"),
    ("pt", "quero vender uma cadeira Tripp Trapp"),
    ("pt", "vendo um iPhone 12"),
    ("en", "headphones"),
    ("en", "I want to sell a stroller"),
)
QUESTIONS = (
    "Olá, o que é que posso vender aqui e como funciona?",
    "What can I sell here, and how does it work?",
)
STREAMS = 0.25
CLICKS = 0.6
INTERLUDES = (
    "nothing",
    "nothing",
    "nothing",
    "reconnect",
    "reload",
    "second tab",
    "close second tab",
    "cancel",
    "send twice",
    "say two things",
    "walk away",
    "do not read",
    "type",
    "cancel at once",
)


@dataclass(frozen=True, slots=True)
class Blow:
    """A fault and when it begins, in seconds from the start."""

    at: float
    fault: Fault


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a person: how it is answered, what happens in the middle of the answer, the pause before."""

    clicks: bool
    interlude: str
    words: int
    """How much of the answer is there when the interlude happens."""
    pause_s: float
    lasts_s: float


@dataclass(frozen=True, slots=True)
class Script:
    """What one person does in one conversation."""

    service: str
    language: str
    opening: str
    streams: bool
    """Does this person's network let no socket through?"""
    turns: tuple[Turn, ...]


def kinds() -> list[type[Fault]]:
    """Every kind of fault that has a name, as they stand in the file."""
    found = [each for each in vars(faults).values() if isinstance(each, type) and issubclass(each, Fault)]
    return [each for each in found if each.name]


def blows(seed: int, seconds: float, *, between: tuple[float, float]) -> list[Blow]:
    """The faults of a run: dealt like cards, so that every kind comes before one comes again."""
    rng = Random(f"{seed} faults")
    found: list[Blow] = []
    deck: list[type[Fault]] = []
    at = rng.uniform(*between)
    while at < seconds:
        if not deck:
            deck = kinds()
            rng.shuffle(deck)
        found.append(Blow(round(at, 1), deck.pop().draw(rng)))
        at += rng.uniform(*between)
    return found


def scripts(seed: int, person: int) -> Iterator[Script]:
    """The conversations of one person, one after the other, for ever."""
    rng = Random(f"{seed} person {person}")
    while True:
        language, opening = rng.choice(OPENINGS)
        service = rng.choice(["submission", "submission", "chat"])
        turns = tuple(_turn(rng) for _ in range(rng.randint(4, 14)))
        opening = opening if service == "submission" else QUESTIONS[language == "en"]
        yield Script(service, language, opening, rng.random() < STREAMS, turns)


def _turn(rng: Random) -> Turn:
    return Turn(
        clicks=rng.random() < CLICKS,
        interlude=rng.choice(INTERLUDES),
        words=rng.randint(0, 12),
        pause_s=round(rng.uniform(0.1, 2.5), 2),
        lasts_s=round(rng.uniform(0.5, 8), 2),
    )
