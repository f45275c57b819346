"""A server behind a proxy: whose word counts for the address of a client and for its scheme."""

from __future__ import annotations

import pytest

from tests.integration.test_doctor import run
from tests.integration.ws.visitor import Answer, Visitor
from tests.parts.server import STRICT, Served, Servers

pytestmark = pytest.mark.once

MORE_THAN_ALLOWED = 22


def ticket(served: Served, address: str, **headers: str) -> Answer:
    """Ask for a ticket as a new visitor whose address a proxy names."""
    own = {"x-forwarded-for": address, **headers}
    return Visitor(served).request("POST", "/v1/tickets", {}, headers=own)


async def test_a_stranger_opens_no_limit_by_naming_other_addresses(serve: Servers) -> None:
    served = serve({**STRICT, "LOOPWIRE_TRUSTED_PROXIES": ""})
    answers = [ticket(served, f"203.0.113.{number}").status for number in range(MORE_THAN_ALLOWED)]
    assert answers == [200] * 20 + [429] * 2
    said = [each for each in served.log_text().splitlines() if "LOOPWIRE_TRUSTED_PROXIES=127.0.0.1" in each]
    assert len(said) == 1


async def test_behind_a_trusted_proxy_each_address_has_its_own_limits(serve: Servers) -> None:
    served = serve({**STRICT, "LOOPWIRE_TRUSTED_PROXIES": "127.0.0.0/8"})
    answers = [ticket(served, f"203.0.113.{number}").status for number in range(MORE_THAN_ALLOWED)]
    assert answers == [200] * MORE_THAN_ALLOWED
    planted = [ticket(served, f"1.1.1.{number}, 203.0.113.200").status for number in range(MORE_THAN_ALLOWED)]
    assert planted == [200] * 20 + [429] * 2
    one_network = [ticket(served, f"2001:db8::{number:x}").status for number in range(MORE_THAN_ALLOWED)]
    assert one_network == [200] * 20 + [429] * 2
    assert "LOOPWIRE_TRUSTED_PROXIES" not in served.log_text()


async def test_forwarded_https_counts_for_the_origin_from_a_trusted_proxy_alone(
    serve: Servers,
) -> None:
    trusted = serve({"LOOPWIRE_TRUSTED_PROXIES": "127.0.0.1"})
    stranger = serve({"LOOPWIRE_TRUSTED_PROXIES": ""})
    for served, status in ((trusted, 200), (stranger, 403)):
        origin = served.url.replace("http:", "https:")
        answer = ticket(served, "203.0.113.1", **{"x-forwarded-proto": "https", "origin": origin})
        assert answer.status == status
        if status == 200:
            assert "; Secure" in answer.headers["set-cookie"]
            assert answer.headers["strict-transport-security"]


async def test_doctor_notes_missing_trusted_proxies_and_refuses_a_wrong_one(tmp_path) -> None:
    note = "note  proxies   no proxy is believed: if one stands in front, set LOOPWIRE_TRUSTED_PROXIES"
    code, text = await run("doctor", tmp_path, LOOPWIRE_SECURE_COOKIES="1")
    assert code == 0 and note in text
    code, text = await run(
        "doctor", tmp_path, LOOPWIRE_SECURE_COOKIES="1", LOOPWIRE_TRUSTED_PROXIES="10.0.0.1"
    )
    assert code == 0 and note not in text
    code, text = await run("doctor", tmp_path, LOOPWIRE_TRUSTED_PROXIES="*")
    assert code == 2 and text.startswith("LOOPWIRE_TRUSTED_PROXIES: '*' is not an address or a network")
