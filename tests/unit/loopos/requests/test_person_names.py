"""Names of people: compared by their words, however a document writes them."""

from __future__ import annotations

import pytest

from server.loopos.requests.person_names import plain_name, same_name


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("João da Silva", "JOAO DA SILVA", True),
        ("Silva, João", "João Silva", True),
        ("Ana Maria Costa", "Ana Costa", True),
        ("Ana", "Ana Costa", False),
        ("Ana", "ANA", True),
        ("", "", False),
        ("Ana Costa", "Ana Lopes", False),
        ("", "Ana Costa", False),
        ("O'Neill Conor", "CONOR O NEILL", True),
        ("O’Neill Conor", "CONOR ONEILL", True),
        ("Jörg Müller", "MUELLER JOERG", True),
        ("Jörg Müller", "MULLER JORG", True),
        ("Øystein Łukasz", "OYSTEIN LUKASZ", True),
        ("Øystein Åberg", "OEYSTEIN AABERG", True),
        ("Weiß Anna", "WEISS ANNA", True),
    ],
)
def test_names_are_compared_by_their_words(one: str, other: str, same: bool) -> None:
    assert same_name(one, other) is same
    assert same_name(other, one) is same


def test_a_name_is_made_plain_and_loses_no_letter() -> None:
    assert plain_name("José  Ñunez-Pérez") == "JOSE NUNEZ PEREZ"
    assert plain_name("Øystein Łukasz Ðorđe Þór Æsa") == "OYSTEIN LUKASZ DORDE THOR AESA"
