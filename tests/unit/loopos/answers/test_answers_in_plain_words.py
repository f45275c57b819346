"""Answers in plain words: a Portuguese `no`, short spellings, a lacking half, a state before other sentences."""

import pytest

from tests.unit.loopos.answers.test_denied_guesses import read

HEATS, STANDS = "food-processors.works", "furniture.assembled"
BOX, GRADE, SOUND, DESCALED = "audio.box", "audio.condition", "audio.works", "coffee-machines.descaled"


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (DESCALED, "pt", "sim no mes passado", "Sim"),
        (DESCALED, "pt", "sim, no natal", "Sim"),
        (DESCALED, "pt", "no ano passado sim", "Sim"),
        (BOX, "pt", "está no armário", "Sim"),
        (BOX, "pt", "esta no sotao", "Sim"),
        (BOX, "pt", "Não, isso já foi para o lixo há muito, desculpe", "=Não"),
        (BOX, "en", "No, it went in the bin", "=No"),
        (GRADE, "pt", "bom, risco no vidro", "Bom (risco no vidro)"),
        (
            GRADE,
            "pt",
            "tao bons mas a almofada esquerda ta rasgada",
            "Bom (a almofada esquerda ta rasgada)",
        ),
        (GRADE, "pt", "estão boas", "=Bom"),
        (
            GRADE,
            "en",
            "good cond, leather is peelin a bit on the left ear pad. got em nov 21",
            "Good (leather is peeling a bit on the left ear pad)",
        ),
        (
            HEATS,
            "en",
            "motor is fine, theres no heating on this one",
            "Yes, everything works (theres no heating on this one)",
        ),
        (
            HEATS,
            "pt",
            "o motor está bom, esta não tem aquecimento",
            "Sim, tudo funciona (esta não tem aquecimento)",
        ),
        (STANDS, "pt", "ainda está montado no quarto, mas o meu marido desmonta antes da recolha", "Sim"),
        (SOUND, "en", "Thank you. Yes, it works perfectly.", "=Yes, everything works"),
    ],
)
def test_plain_words_are_read(element: str, language: str, said: str, shown: str) -> None:
    assert read(element, said, language) == shown
