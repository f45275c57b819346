"""Facts in one clause without commas are divided, and a clause that tells one thing stays as it is."""

import pytest

from server.loopos.answers.clauses.joined_facts import divide_facts


@pytest.mark.parametrize(
    ("said", "divided"),
    [
        (
            "iphone 12 azul 64gb bateria 90% com caixa 250 euros",
            "iphone 12 azul, 64gb, bateria 90%, com caixa, 250 euros",
        ),
        (
            "iphone 12 blue 64gb battery 90% with box bought may 2021 asking 250",
            "iphone 12 blue, 64gb, battery 90%, with box, bought may 2021, asking 250",
        ),
        (
            "iphone 12 comprado em maio de 2021 bateria 90% com caixa e carregador riscado no ecrã peço 250",
            "iphone 12, comprado em maio de 2021, bateria 90%, com caixa e carregador, riscado no ecrã, peço 250",
        ),
        (
            "iphone 12 that I bought in May 2021 battery 90% with box and charger",
            "iphone 12, that I bought in May 2021, battery 90%, with box and charger",
        ),
        ("ps5 com 2 comandos 3 jogos como nova 350€", "ps5, com 2 comandos, 3 jogos, como nova, 350€"),
        ("bmx preta 2019 travões novos 120", "bmx preta 2019, travões novos, 120"),
        (
            "canon 250d 18-55 5000 disparos sem riscos 380 euros",
            "canon 250d 18-55, 5000 disparos, sem riscos, 380 euros",
        ),
        (
            "galaxy s21 128gb grey good condition no scratches with charger 180",
            "galaxy s21, 128gb grey, good condition, no scratches, with charger, 180",
        ),
        ("iphone 12 bateria 90%", "iphone 12, bateria 90%"),
        ("iphone 13 128gb preto, comprado por 1.149 €", "iphone 13 128gb preto, comprado por 1.149 €"),
        ("iphone 13 64gb bought for 400 battery 90%", "iphone 13, 64gb, bought for 400, battery 90%"),
        ("iphone 13 64gb comprado em 2021 quero 250", "iphone 13, 64gb, comprado em 2021, quero 250"),
        ("iphone 12, 64gb battery 90%", "iphone 12, 64gb, battery 90%"),
    ],
)
def test_facts_of_one_clause_are_divided(said: str, divided: str) -> None:
    assert divide_facts(said) == divided


@pytest.mark.parametrize(
    "said",
    [
        "it works fine with a small crack",
        "i bought it in may 2021 with my wife",
        "ele vem com 2 comandos e 3 jogos",
        "no scratches on the screen with a small dent on the back",
        "the screen has a crack and the battery is 80%",
        "battery 85% but no box",
        "sim, com o carregador e a caixa",
        "quero vender um iphone 12",
        "iphone 12 azul",
        "a bateria dura 3 horas",
        "galaxy s21 fe",
        "battery only does 15 km now",
    ],
)
def test_a_clause_of_one_fact_stays_whole(said: str) -> None:
    assert divide_facts(said) == said


@pytest.mark.parametrize("said", ["comprei na worten com garantia", "bateria 90% com a caixa"])
def test_an_answer_needs_several_facts(said: str) -> None:
    assert divide_facts(said, 2) == said
