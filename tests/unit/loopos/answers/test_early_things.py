"""The things that a seller names early for a question of a text: whole lists and single clauses, without talk."""

from __future__ import annotations

import pytest

from tests.unit.loopos.phrases.judged import question
from tests.unit.loopos.phrases.told import told_fact


@pytest.mark.parametrize(
    ("element", "language", "message", "kept"),
    [
        (
            "cameras.accessories",
            "pt",
            "É a EOS 250D, preta. Leva a bateria, o carregador, a correia e uma mala a tiracolo.",
            "a bateria, o carregador, a correia e uma mala a tiracolo",
        ),
        (
            "strollers.accessories",
            "pt",
            "sem alcofa, mas levo a capa da chuva e a rede",
            "a capa da chuva e a rede",
        ),
        (
            "laptops.notes",
            "pt",
            "Vai com a caixa, o carregador e o cabo originais, comprado em 2021. 280 euros",
            "a caixa, o carregador e o cabo originais",
        ),
        (
            "laptops.notes",
            "en",
            "the original charger is with it but I no longer have the box",
            "no longer have the box",
        ),
        (
            "laptops.notes",
            "pt",
            "e tb tem o carregador mas a caixa ja n tenho",
            "o carregador mas a caixa ja n tenho",
        ),
        ("smartphones.notes", "pt", "iphone 12 com caixa e carregador, 300 euros", "caixa e carregador"),
        (
            "smartphones.notes",
            "en",
            "iphone 12, comes with the box and a charger, asking 300",
            "the box and a charger",
        ),
        ("smartphones.notes", "pt", "iphone 12 preto, sem caixa, com carregador", "sem caixa; carregador"),
        (
            "cameras.accessories",
            "pt",
            "junto com duas baterias, carregador e caixa",
            "duas baterias, carregador e caixa",
        ),
        (
            "smartphones.notes",
            "pt",
            "ecrã tem um risco pequeno, bateria boa, com carregador mas sem caixa, peço 180 euros",
            "carregador, sem caixa",
        ),
        ("smartphones.notes", "pt", "tenho o carregador n tenho caixa", "o carregador, n tenho caixa"),
        ("smartphones.notes", "pt", "tem carregador mas não tem caixa", "carregador mas não tem caixa"),
        ("smartphones.notes", "pt", "não tem caixa", "não tem caixa"),
        ("smartphones.notes", "pt", "a caixa não tenho", "a caixa não tenho"),
        ("smartphones.notes", "en", "i have the charger dont have the box", "the charger, dont have the box"),
        ("smartphones.notes", "en", "got the charger no box", "got the charger, no box"),
        ("smartphones.notes", "en", "do you need the box?", None),
        ("smartphones.notes", "en", "selling my old charger box thing", None),
        (
            "high-chairs.accessories",
            "pt",
            "vai com o baby set mas sem almofada",
            "o baby set mas sem almofada",
        ),
        ("strollers.accessories", "en", "yes bee 5, comes with a raincover too", "a raincover too"),
        (
            "cameras.accessories",
            "pt",
            "tenho duas baterias, carregador e mala, comprei em 2020",
            "duas baterias, carregador e mala",
        ),
        ("kitchen.notes", "en", "comes with the recipe book, lid is cracked", "the recipe book"),
        ("watches.notes", "en", "charger included, includes shipping", "charger included"),
        (
            "consoles.games",
            "pt",
            "quero vender a minha ps4 slim preta com um comando e 2 jogos",
            "um comando e 2 jogos",
        ),
    ],
)
def test_things_are_kept_as_they_were_listed(
    element: str, language: str, message: str, kept: str | None
) -> None:
    told = told_fact(question(element), [message], language)
    assert (None if told is None else told.shown) == kept


@pytest.mark.parametrize(
    "message",
    [f"tem caixa{' ' * 100_000}x", f"tem{' ' * 400_000}x?", "tem " * 200_000 + "caixa ? x"],
    ids=["blanks in a list", "blanks before a question", "verbs of lists"],
)
def test_the_time_to_read_a_list_does_not_grow_with_the_square_of_its_length(message: str) -> None:
    # By the square each of them takes minutes.
    assert told_fact(question("smartphones.notes"), [message], "pt") is None


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (("caixa e cabo", "tenho a caixa e o cabo, o carregador nao"), "a caixa e o cabo, o carregador nao"),
        (("o carregador", "tenho a caixa, o carregador nao"), "a caixa, o carregador nao; o carregador"),
        (("com a caixa", "sem caixa"), "sem caixa; a caixa"),
        (("caixa", "caixa"), "caixa"),
        (("a caixa azul", "com a caixa"), "a caixa azul"),
    ],
)
def test_what_another_message_names_already_is_told_once(messages: tuple[str, ...], kept: str) -> None:
    told = told_fact(question("smartphones.notes"), messages, "pt")
    assert told is not None and told.shown == kept
