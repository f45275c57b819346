"""Things that a seller has to sell besides the present one, in messages that begin with another person or a verb."""

import pytest

from server.text_reading.wishes.switch_wishes import had_besides


@pytest.mark.parametrize(
    ("message", "thing"),
    [
        ("btw got a soundbar to sell too, later", "soundbar"),
        ("my sister has also got a pram to sell", "pram"),
        ("got another bike to sell after this", "bike"),
        ("E o meu neto também tem uma trotinete para vender, depois trato disso", "trotinete"),
        ("ah e tenho outra bicicleta para vender mais tarde", "bicicleta"),
        ("tb tenho uma ps4 p vender", "ps4"),
        ("I have a ps5 to sell", ""),
        ("tenho uma trotinete para vender", ""),
    ],
)
def test_a_thing_to_sell_besides_is_named(message: str, thing: str) -> None:
    assert had_besides(message) == thing
