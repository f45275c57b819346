"""What the page weighs: requests and bytes of its first and second view, as a phone that has seen nothing pays them."""

from __future__ import annotations

import pytest

from bench.page import MOST_BYTES, MOST_REQUESTS, PHONE, SECOND_REQUESTS, views
from tests.parts.chromium import NewPage
from tests.parts.server import Served

pytestmark = pytest.mark.once


@pytest.mark.parametrize("path", ["/", "/embed/demo"])
async def test_the_first_view_is_light_and_the_second_asks_for_the_page_alone(
    quick: Served, new_page: NewPage, path: str
) -> None:
    page = await new_page(**PHONE)
    first, second = await views(page.context, quick.url + path)
    assert 1 < first.requests <= MOST_REQUESTS, first.bytes_of
    assert 10_000 < first.bytes <= MOST_BYTES, first.bytes_of
    assert 1 <= second.requests <= SECOND_REQUESTS, second.bytes_of
