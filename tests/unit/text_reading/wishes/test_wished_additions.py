"""Wishes that something is written are read out of a message; other words are none."""

import pytest

from server.text_reading.wishes.wished_additions import read_wishes


@pytest.mark.parametrize(
    ("said", "facts", "rest"),
    [
        ("can you add that the lens is new? I also have a tripod", ["the lens is new"], "I also have a tripod"),
        ("can you make it 130 and say no box", ["no box"], "can you make it 130"),
        ("can you please mention the battery was replaced", ["the battery was replaced"], ""),
        ("you didn't put the no box bit", ["no box"], ""),
        ("add: box and cable", ["box and cable"], ""),
        ("its in york, can you put that in?", ["its in york"], ""),
        ("Please say in the notes that it is heavy, and take the table out", ["it is heavy"], "take the table out"),
        ("e podes meter nas notas que so entrego em lisboa", ["so entrego em lisboa"], ""),
        ("é que pode por que é pouco usada?", ["é pouco usada"], ""),
        ("esqueceste-te de por a caixa", ["a caixa"], ""),
        ("nao puseste que e a versao de 2021", ["e a versao de 2021"], ""),
        ("tira a parte do gato e acrescenta que tem garantia", ["tem garantia"], "tira a parte do gato"),
    ],
)  # fmt: skip
def test_the_facts_to_add_stand_apart_from_the_rest(said: str, facts: list[str], rest: str) -> None:
    wishes = read_wishes(said)
    assert [*wishes.facts] == facts
    assert wishes.rest == rest


@pytest.mark.parametrize(
    "said",
    [
        "put it at 130",
        "put 120 firm",
        "put 1 controller",
        "poe a 130 euros",
        "make it 290",
        "can you say how much it sells for?",
        "podes dizer quanto custa o envio?",
        "can you add photos?",
        "posso meter fotos?",
        "quero por à venda outra coisa",
        "e por que é tão barato?",
        "pode por favor mudar a cor",
        "can you put me in touch with someone",
        "can you write that in portuguese?",
        "what does it say in the notes?",
        "don't say it has a box",
        "não ponha que tem caixa",
        "não acrescente que é usado",
        "diz que sim",
        "they say the battery is fine",
        "I put the charger in the box",
        "add another item",
        "Não. Inclui apenas a correia",
        "põe isso",
    ],
)
def test_other_words_ask_to_add_nothing(said: str) -> None:
    assert not read_wishes(said).facts


def test_an_exclamation_goes_from_a_fact_and_its_only_stays() -> None:
    # `so` without its accent is `only`.
    assert read_wishes("ah and the handle is torn, put that in").facts == ("the handle is torn",)
    assert read_wishes("so tem a caixa, mete isso").facts == ("so tem a caixa",)
