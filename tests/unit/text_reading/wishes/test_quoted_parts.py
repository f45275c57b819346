"""The part of a text that a message quotes and wants away is read; a message that only tells has none."""

import pytest

from server.text_reading.wishes.quoted_parts import quoted_to_go


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("the notes end with its 210 euro now, can you take that out", "its 210 euro now"),
        ("the notes say two cables, please remove that", "two cables"),
        ("oh my notes still say no box. take it out please", "no box"),
        ("as notas acabam com são 210 agora, podes tirar isso?", "são 210 agora"),
        ("o texto diz «sem caixa», tira isso", "sem caixa"),
        ("as notas ainda têm o cabo; apaga isso por favor", "o cabo"),
        ("the notes say two cables", ""),
        ("can you take that out", ""),
        ("take out the cable", ""),
    ],
)
def test_the_part_is_read(said: str, part: str) -> None:
    assert quoted_to_go(said) == part
