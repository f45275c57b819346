"""The schedule of a storm, all of it from the seed: its faults, and what people do; no clock and no process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from tests.chaos import disasters, faults
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
WISHES = {
    "pick-up": ("Queria marcar uma recolha", "Can I arrange a pick-up?"),
    "contact": ("quero deixar o meu contacto", "Please call me"),
    "page": ("Qual é o title desta página?", "What is the title of this page?"),
    "sale": ("quero vender uma cadeira Tripp Trapp", "I want to sell a stroller"),
}
"""Wishes of a person in the chat besides questions: two forms, a tool of their own page, another service's agents."""

SHORTEST_S = 2.0
LIKELY = ("question", "pick-up", "pick-up", "contact", "page", "page", "sale")
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
    "cancel late",
)
MEETS = (
    "answer",
    "answer",
    "answer elsewhere",
    "answer twice",
    "answer twice",
    "decline",
    "leave",
    "write instead",
    "let expire",
    "answer late",
)
"""What is done about a question that waits."""


@dataclass(frozen=True, slots=True)
class Blow:
    """A fault and when it begins, in seconds from the start."""

    at: float
    fault: Fault


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a person: how it is answered, what happens in the middle of the answer, the pause before."""

    clicks: bool
    wish: str
    """What is wanted, in the chat."""
    meets: str
    interlude: str
    words: int
    """How much of the answer is there when the interlude happens."""
    pause_s: float
    lasts_s: float


@dataclass(frozen=True, slots=True)
class Script:
    """The acts of one person in one conversation."""

    service: str
    language: str
    opening: str
    streams: bool
    """Does this person's network let no socket through?"""
    turns: tuple[Turn, ...]


def kinds() -> list[type[Fault]]:
    """Return every kind of fault that has a name, as they stand in the file."""
    named = [*vars(faults).values(), *vars(disasters).values()]
    found = [each for each in named if isinstance(each, type) and issubclass(each, Fault) and each.name]
    return list(dict.fromkeys(found))


def blows(seed: int, seconds: float, *, between: tuple[float, float]) -> list[Blow]:
    """Return the faults of a run: each kind is drawn once before any is drawn again."""
    rng = Random(f"{seed} faults")
    found: list[Blow] = []
    deck: list[type[Fault]] = []
    at = rng.uniform(*between)
    while at < seconds - SHORTEST_S:
        if not deck:
            deck = kinds()
            rng.shuffle(deck)
        fault = deck.pop().draw(rng)
        # All is healed when the time is over.
        found.append(Blow(round(at, 1), replace(fault, seconds=min(fault.seconds, round(seconds - at, 1)))))
        at += rng.uniform(*between)
    return found


def scripts(seed: int, person: int, leisure: float = 1.0) -> Iterator[Script]:
    """Yield the conversations of one person, one after the other, for ever; `leisure` makes their pauses longer."""
    rng = Random(f"{seed} person {person}")
    while True:
        language, opening = rng.choice(OPENINGS)
        service = rng.choice(["submission", "submission", "chat", "chat"])
        turns = tuple(_turn(rng, leisure) for _ in range(rng.randint(4, 14)))
        opening = opening if service == "submission" else QUESTIONS[language == "en"]
        yield Script(service, language, opening, rng.random() < STREAMS, turns)


def _turn(rng: Random, leisure: float) -> Turn:
    return Turn(
        clicks=rng.random() < CLICKS,
        wish=rng.choice(LIKELY),
        meets=rng.choice(MEETS),
        interlude=rng.choice(INTERLUDES),
        words=rng.randint(0, 12),
        pause_s=round(rng.uniform(0.1, 2.5) * leisure, 2),
        lasts_s=round(rng.uniform(0.5, 8), 2),
    )
