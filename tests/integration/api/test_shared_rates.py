"""Limits of an address and a visitor over two instances: they count together, and each alone while Redis is away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from server.services import services
from tests.integration.agui.caller import body_of
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.test_chat import body_of as chat_body
from tests.integration.ws.visitor import Answer
from tests.parts import postgres
from tests.parts.images import inline, png
from tests.parts.live import Live, breakable
from tests.parts.sampled import later
from tests.parts.server import Served, served
from tests.parts.wait import until

MOST = 4
RATE = f"{MOST}/1d"
LIMITS = (
    "TICKETS_PER_VISITOR",
    "TICKETS_PER_ADDRESS",
    "RUNS_PER_ADDRESS",
    "REQUESTS_PER_ADDRESS",
    "IMAGES_PER_ADDRESS",
)
Ask = Callable[[RestCaller], Answer]


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    """Yield the Redis of both, which a test breaks and mends."""
    with breakable() as running:
        yield running


@pytest.fixture(scope="module")
def instances(live: Live, postgres_server: object) -> Iterator[tuple[Served, Served]]:
    """Two web processes that allow an address little."""
    with postgres.fresh_database(postgres_server) as database:  # type: ignore[arg-type]
        shared = {"REDIS_URL": live.url, "DATABASE_URL": database, "LOOPWIRE_SECRET": "one secret for both"}
        shared |= {f"LOOPWIRE_LIMIT_{each}": RATE for each in LIMITS} | {"LOOPWIRE_DEMO_DELAY_MS": "0"}
        with served(shared) as first, served(shared) as second:
            yield first, second


def _ticket(caller: RestCaller) -> Answer:
    return caller.request("POST", "/v1/tickets", {"service": "chat"})


def _translation(caller: RestCaller) -> Answer:
    contract = services()["translator"].contract
    assert contract is not None
    return caller.request("POST", contract.path, dict(contract.example))


def _chat(caller: RestCaller) -> Answer:
    return caller.request("POST", "/chat", chat_body("olá"))


def _run(caller: RestCaller) -> Answer:
    return caller.request("POST", "/agui/chat", body_of(caller.address, "run", ("m1", "olá")))


ASKS: dict[str, Ask] = {"tickets": _ticket, "requests": _translation, "chat": _chat, "runs": _run}


def _both(instances: tuple[Served, Served]) -> tuple[RestCaller, RestCaller]:
    """Return one caller, at both of them."""
    one, other = (RestCaller(each) for each in instances)
    other.address = one.address
    return one, other


@pytest.mark.parametrize("name", ASKS)
def test_a_caller_of_two_instances_gets_the_rate_once(instances: tuple[Served, Served], name: str) -> None:
    callers = _both(instances)
    answers = [ASKS[name](caller) for _ in range(MOST) for caller in callers]
    assert [each.status for each in answers] == [200] * MOST + [429] * MOST
    counted = "requests" if name == "chat" else name  # One rate for both.
    for number, each in enumerate(answers):
        left = max(0, MOST - 1 - number)
        assert f'"{counted}";q={MOST};w=86400' in each.headers["ratelimit-policy"]
        assert f'"{counted}";r={left};t=' in each.headers["ratelimit"]
        assert (each.headers["retry-after"] is None) is (each.status == 200)
    stranger = RestCaller(instances[0])
    assert ASKS[name](stranger).status == 200


def test_pictures_of_an_address_are_counted_by_both(instances: tuple[Served, Served]) -> None:
    contract = services()["id_validator"].contract
    assert contract is not None
    body = {**contract.example, "images": [inline(png()), inline(png("blue"))]}
    one, other = _both(instances)
    answers = [caller.request("POST", contract.path, body) for caller in (one, other, one, other)]
    assert [each.status for each in answers] == [200] * (MOST // 2) + [429] * (4 - MOST // 2)
    assert '"images";r=0;t=' in answers[-1].headers["ratelimit"]


@contextmanager
def _away(live: Live, how: str) -> Iterator[None]:
    live.hurt(how)
    try:
        yield
    finally:
        live.heal(how)


@pytest.mark.parametrize("how", ["gone", later("silent"), "read-only", later("full")])
def test_each_instance_keeps_its_own_limits_when_redis_is_away(
    instances: tuple[Served, Served], live: Live, how: str
) -> None:
    callers = _both(instances)
    with _away(live, how):
        for caller in callers:
            answers: list[Any] = [_translation(caller) for _ in range(MOST + 1)]
            assert [each.status for each in answers] == [200] * MOST + [429]
            assert answers[-1].headers["ratelimit"].startswith('"requests";r=0;t=')
    until(lambda: _count_together(instances), what="both instances to count together again")


def _count_together(instances: tuple[Served, Served]) -> bool:
    callers = _both(instances)
    return [_translation(callers[each % 2]).status for each in range(MOST + 1)][-1] == 429
