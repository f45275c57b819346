"""The Core that a request names: one of the app, or none."""

from __future__ import annotations

from typing import Any

import pytest

from server.errors import CoreUnavailable, NotFound
from server.loopos.cores import OWN, Cores

EMBEDDED: Any = object()
NORTH: Any = object()


def test_a_request_names_a_core_of_its_app() -> None:
    cores = Cores(EMBEDDED, remote={("shop", "north"): NORTH})
    assert cores.of_request("shop", "north") is NORTH
    assert cores.of_request("shop", OWN) is EMBEDDED


@pytest.mark.parametrize(("app", "name"), [("demo", "zzz"), ("demo", "north"), ("shop", "zzz")])
def test_a_core_that_the_app_does_not_have_is_not_found(app: str, name: str) -> None:
    cores = Cores(EMBEDDED, remote={("shop", "north"): NORTH})
    with pytest.raises(NotFound):
        cores.of_request(app, name)


def test_the_core_of_a_conversation_that_is_gone_is_away() -> None:
    with pytest.raises(CoreUnavailable):
        Cores(EMBEDDED).of_session("shop", {"loopos_core": "north"})
