"""A number that belongs to a name, as of a game, counts no things; one that stands alone or by its noun does."""

import pytest

from server.loopos.answers import Element, ProbableAnswer, Refused, judge
from server.loopos.answers.element import Text
from tests.unit.loopos.answers.test_answers import TODAY

CONTROLLERS = Element(
    id="controllers",
    kind="number",
    label=Text("Quantos comandos inclui?", "How many controllers are included?"),
    unit=Text("comandos", "controllers"),
    min=0,
    max=8,
    required=True,
)


@pytest.mark.parametrize(
    "said",
    [
        "with spiderman 2",
        "spiderman 2",
        "fifa 23 and GTA 5",
        "2nd edition",
        "2ª edição",
        "com gta 5",
        "controller with spiderman 2",
        "the controller and god of war 2",
        "comando com o fifa 23",
        "comes with edition 2",
        "xbox 360 controller",
        "dualshock 4 controller",
    ],
)
def test_a_number_of_a_name_is_no_count(said: str) -> None:
    assert isinstance(judge(CONTROLLERS, said, "en", TODAY), Refused)


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("2", 2),
        ("2 controllers", 2),
        ("dois comandos", 2),
        ("just 2", 2),
        ("ps4 2 controllers", 2),
        ("um comando e o gta 5", 1),
        ("1 controller and spiderman 2", 1),
        ("it has 2 controllers and fifa 23", 2),
        ("2 e o fifa 23", 2),
        ("tem 2, um avariado", 2),
    ],
)
def test_a_count_stands_alone_or_by_its_noun(said: str, count: int) -> None:
    judged = judge(CONTROLLERS, said, "en", TODAY)
    assert not isinstance(judged, Refused)
    assert (judged.guess if isinstance(judged, ProbableAnswer) else judged).value == count
