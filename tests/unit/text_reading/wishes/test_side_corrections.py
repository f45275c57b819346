"""Sides that a newer message puts right, in English and Portuguese."""

import pytest

from server.text_reading.wishes.side_corrections import side_correction, with_sides_put_right

SWITCH = "want to sell my nintendo switch, right joycon drifts, mario kart come with it"
CONSOLE = "quero vender a minha nintendo switch, o comando direito tem drift, mario kart incluido"
BIKE = "the frame has a knock on the left side and the rear brake squeaks, saddle is torn"
BICICLETA = "o quadro tem uma pancada do lado esquerdo, o travão de trás chia e o selim está rasgado"
LEFT, ESQUERDO = "left joycon drifts", "o comando esquerdo tem drift"


@pytest.mark.parametrize(
    ("earlier", "message", "right", "rest"),
    [
        (SWITCH, "sorry its the LEFT joycon", LEFT, ""),
        (
            SWITCH,
            "yes. sorry its the LEFT joycon. bought dec 2022, want 190",
            LEFT,
            "yes. bought dec 2022, want 190",
        ),
        (SWITCH, "sorry, left", LEFT, ""),
        (SWITCH, "oops I meant left", LEFT, ""),
        (SWITCH, "no its the left one", LEFT, ""),
        (SWITCH, "not the right one, the left", LEFT, ""),
        (SWITCH, "the left joycon drifts, not the right one", LEFT, ""),
        (SWITCH, "left joycon sorry, grey", LEFT, "grey"),
        (SWITCH, "neon. my mistake, it's the left one that drifts", LEFT, "neon."),
        (CONSOLE, "desculpa, é o esquerdo", ESQUERDO, ""),
        (CONSOLE, "afinal é o comando esquerdo que tem drift", ESQUERDO, ""),
        (CONSOLE, "é o esquerdo, não o direito", ESQUERDO, ""),
        (CONSOLE, "cinzento, desculpa é o esquerdo", ESQUERDO, "cinzento"),
        (CONSOLE, "enganei-me, é o esquerdo", ESQUERDO, ""),
        (BIKE, "sorry it's the front brake", "the front brake squeaks", ""),
        (BIKE, "actually the knock is on the right side", "the frame has a knock on the right side", ""),
        (
            BIKE,
            "Yes. Sorry, I just looked: the knock is on the right side, not the left.",
            "the frame has a knock on the right side",
            "Yes.",
        ),
        (
            BICICLETA,
            "sim. desculpe, vi agora: a pancada é do lado direito, não do esquerdo.",
            "o quadro tem uma pancada do lado direito",
            "sim.",
        ),
        (BICICLETA, "desculpe, é o travão da frente", "o travão da frente chia", ""),
        (BICICLETA, "afinal a pancada é do lado direito", "o quadro tem uma pancada do lado direito", ""),
    ],
)
def test_a_message_puts_the_side_of_an_older_one_right(
    earlier: str, message: str, right: str, rest: str
) -> None:
    found = side_correction(message, earlier)
    assert found is not None
    assert (found.right, found.rest) == (right, rest)


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        (BIKE, "sorry, that's right"),
        (BIKE, "actually the left pedal is new"),
        (BIKE, "good, all right sorry for the late reply"),
        (SWITCH, "the left one is fine"),
        (SWITCH, "sorry, the left trigger sticks too"),
        (SWITCH, "sorry, the right one"),
        (CONSOLE, "desculpa, o botão esquerdo também prende"),
        ("vendo uma switch", "desculpa, é o esquerdo"),
    ],
)
def test_other_words_put_no_side_right(earlier: str, message: str) -> None:
    assert side_correction(message, earlier) is None


def test_older_messages_are_read_with_the_right_side() -> None:
    assert with_sides_put_right(["sorry its the LEFT joycon", "yes", SWITCH]) == [
        "",
        "yes",
        SWITCH.replace("right joycon", "left joycon"),
    ]


def test_clauses_of_other_things_keep_their_side() -> None:
    found = side_correction("sorry its the left joycon", "right joycon drifts, right trigger ok")
    assert found is not None
    assert found.put_right("right joycon drifts, right trigger ok") == "left joycon drifts, right trigger ok"
