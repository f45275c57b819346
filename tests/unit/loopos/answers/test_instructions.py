"""The words that say what to write stay out of the answer, and the yes or no of an answer is found where it stands."""

from __future__ import annotations

import pytest

from server.loopos.answers import confirms
from server.loopos.answers.clauses.instructions import without_instruction
from tests.unit.loopos.phrases.judged import question


@pytest.mark.parametrize(
    ("element", "said", "written"),
    [
        ("consoles.games", "nao, mete so fifa 21 e gta v", "fifa 21 e gta v"),
        ("consoles.games", "mete so: bateria a 87%, risco", "bateria a 87%, risco"),
        ("consoles.games", "no just write few scratches on the back", "few scratches on the back"),
        ("consoles.games", "põe a caixa", "a caixa"),
        ("consoles.games", "deixa só o FIFA", "o FIFA"),
        ("consoles.games", "Jogos: FIFA 21 e GTA V", "FIFA 21 e GTA V"),
        ("consoles.controllers", "no, put 1", "1"),
        ("cameras.accessories", "Nos acessórios escreva antes: bateria, carregador", "bateria, carregador"),
        ("cameras.accessories", "Acessórios: capa, película", "capa, película"),
        ("cameras.accessories", "Nos acessórios falta a capa. Devia ser: capa e caixa.", "capa e caixa."),
        ("cameras.accessories", "it should say case and box", "case and box"),
        ("consoles.games", "That reads oddly. Please write: dock and box.", "dock and box."),
        ("consoles.games", "Está esquisito. Escreva só: a doca e a caixa", "a doca e a caixa"),
    ],
)
def test_an_instruction_is_removed_from_the_text_that_is_to_be_written(
    element: str, said: str, written: str
) -> None:
    assert without_instruction(question(element), said) == written


@pytest.mark.parametrize(
    "said",
    [
        "keep the box",
        "so fifa",
        "no games",
        "pode",
        "ponha-me",
        "FIFA 21: Ultimate",
        "put",
        "write:",
        "I write: a lot. dock",
    ],
)
def test_a_text_without_an_instruction_stays_as_it_is(said: str) -> None:
    assert without_instruction(question("consoles.games"), said) == said


@pytest.mark.parametrize(
    ("said", "language", "meaning"),
    [
        ("ok yes fair enough", "en", (True, "")),
        ("ok watever yea", "en", (True, "")),
        ("A new battery, yes", "en", (True, "A new battery")),
        ("What? No, it's not locked", "en", (False, "its not locked")),
        ("oh no, it's 84", "en", (False, "its 84")),
        ("no thats enough now", "en", (False, "thats enough now")),
        ("pode ser", "pt", (True, "")),
        ("yup. actualy no, you can barely see it", "en", (False, "you can barely see it")),
        ("sim. espera, não", "pt", (False, "")),
        ("yes. no scratches", "en", (True, "no scratches")),
        ("sim, está bem assim", "pt", (True, "")),
        ("nao pa. funciona", "pt", (False, "funciona")),
        ("it works, no problem", "en", (None, "it works, no problem")),
        ("white, 64", "en", (None, "white, 64")),
    ],
)
def test_a_yes_or_no_is_found_behind_an_exclamation_and_at_the_end(
    said: str, language: str, meaning: tuple[bool | None, str]
) -> None:
    assert confirms(said, language) == meaning
