"""The pictures that a request names: what is no picture is told as that, whatever characters it is made of."""

from __future__ import annotations

import pytest

from server.callbacks import Guard
from server.errors import ImageUnreadable, UrlNotAllowed
from server.images import images_of


@pytest.mark.parametrize("text", ["é", "AAAAé", "!!!", "A", "\ud83d", "\N{FULLWIDTH EQUALS SIGN}"])
async def test_a_data_url_that_is_no_base64_is_refused_as_one(text: str) -> None:
    with pytest.raises(ImageUnreadable, match="not base64"):
        await images_of([f"data:image/png;base64,{text}"], Guard())


@pytest.mark.parametrize("address", ["http://shop.example/a.png", "https://shop.example:8443/a.png"])
async def test_a_picture_is_fetched_by_https_at_its_own_port_alone(address: str) -> None:
    with pytest.raises(UrlNotAllowed):
        await images_of([address], Guard())
