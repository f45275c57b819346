"""The words that say that something was said before, and laughs, are read as nothing; what else stands there stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from server.loopos.answers import confirms
from server.loopos.answers.amounts.asking_price import tells_other_currency
from server.loopos.answers.certainty import without_doubt
from server.loopos.answers.clauses.reminders import is_repeat, without_reminders


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("as I said an extra battery and the strap", "an extra battery and the strap"),
        ("rain cover, like i told ya", "rain cover"),
        ("the left one, as I wrote in my first message", "the left one"),
        ("yes i told you", "yes"),
        ("não, já disse que não", "não, não"),
        ("como disse no início de 2021", "no início de 2021"),
        ("azul claro", "azul claro"),
        ("when i said good i meant fair", "when i said good i meant fair"),
        ("thats not what i said", "thats not what i said"),
        ("não foi isso que eu disse", "não foi isso que eu disse"),
        ("of course it works", "of course it works"),
        ("lol", "lol"),
    ],
)
def test_without_reminders_removes_the_reminder_alone(text: str, left: str) -> None:
    assert without_reminders(text) == left


@pytest.mark.parametrize(
    "text", ["like i said", "já disse", "that's what I said", "o que eu disse", "já tinha dito"]
)
def test_a_reminder_alone_only_repeats(text: str) -> None:
    assert is_repeat(text)


@pytest.mark.parametrize("text", ["I said no", "i never said that", "lol", "yes as I said", "good as new"])
def test_a_reminder_beside_an_answer_is_no_repetition(text: str) -> None:
    assert not is_repeat(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("yep, as I said", (True, "")),
        ("like i told you", (True, "")),
        ("haha yes", (True, "")),
        ("não, já disse que não", (False, "")),
        ("thats not what i said", (False, "")),
    ],
)
def test_a_yes_or_no_to_what_was_understood_is_read_without_it(
    text: str, says: tuple[bool | None, str]
) -> None:
    language = "pt" if "não" in text else "en"
    assert confirms(text, language) == says


@pytest.mark.parametrize("read", [without_doubt, tells_other_currency, without_reminders])
@pytest.mark.parametrize("piece", [" \n", "1", "1 ", "1.", "haha", ";"])
def test_a_message_of_one_thing_is_read_once(read: Callable[[str], object], piece: str) -> None:
    """From each blank, digit or letter the rest was read again: of this length it took longer than a test may."""
    read(piece * (100_000 // len(piece)) + "z")
