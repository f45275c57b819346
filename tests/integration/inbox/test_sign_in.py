"""Operators sign in to the inbox: what guessing gains, and when a sign-in ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from server.errors import Unavailable
from server.http.inbox.sign_in import MOST_WAITING, SignInPage
from server.store import Store
from tests.integration.conversation.seller import new_address
from tests.integration.inbox.conftest import Office
from tests.parts.command import command
from tests.parts.operators import PASSWORD, Operator, Page, new_account
from tests.parts.server import Backend, Servers, apart, served

OFTEN = {"LOOPWIRE_LIMIT_SIGN_INS_PER_ADDRESS": "3/1h", "LOOPWIRE_LIMIT_SIGN_INS_PER_NAME": "4/1h"}
WRONG = "This name and password do not match."
ENGLISH = {"Accept-Language": "en"}


@pytest.fixture(scope="module")
def office(backend: Backend) -> Iterator[Office]:
    """Yield one for all tests of this file; each has names of its own."""
    with apart(backend) as own:
        environment = {"LOOPWIRE_DEMO_DELAY_MS": "0", **own.environment, **OFTEN}
        with served(environment) as running:
            yield Office(running, environment)
            assert "Traceback" not in running.log_text()


def browser(office: Office) -> Operator:
    """Open another browser, at an address of its own."""
    return Operator(office.served, address=new_address(), headers=ENGLISH)


async def account(office: Office, name: str) -> Operator:
    """Make an account and sign in."""
    await new_account(office.served, office.environment, name)
    operator = browser(office)
    assert operator.sign_in(name).status == 303
    return operator


@pytest.mark.once
async def test_an_operator_signs_in_and_out(office: Office) -> None:
    nobody = browser(office)
    sent_away = nobody.ask("GET", "/inbox")
    assert (sent_away.status, sent_away.headers.getheader("location")) == (303, "/inbox/sign-in")
    assert sent_away.headers.getheader("set-cookie") is None, "who comes to the inbox is no visitor"
    operator = await account(office, "Ana")
    page = operator.ask("GET", "/inbox")
    assert page.status == 200
    assert "Signed in as Ana" in page.text
    told = browser(office).sign_in("Ana").headers.getheader("set-cookie") or ""
    assert told.endswith("; Max-Age=43200; Path=/; HttpOnly; SameSite=Strict"), "it ends after 12 hours"
    assert page.headers.getheader("cache-control") == "no-store"
    kept = operator.cookie
    assert operator.ask("GET", "/inbox/sign-in").status == 303
    left = operator.form("/inbox/sign-out")
    assert (left.status, operator.cookie) == (303, "loopwire_operator=")
    assert "; Max-Age=0; " in (left.headers.getheader("set-cookie") or "")
    operator.cookie = kept
    assert operator.ask("GET", "/inbox").status == 303, "a copy of the cookie opens nothing"


@pytest.mark.once
async def test_a_wrong_password_a_name_that_nobody_has_and_a_disabled_account_answer_the_same(
    office: Office,
) -> None:
    await account(office, "Bea")
    await account(office, "Carla")
    assert command(office.served.data_dir, office.environment, "operators", "disable", "carla")[0] == 0
    answers = [
        browser(office).sign_in(name, password)
        for name, password in (
            ("Bea", "wrong password"),
            ("Nobody", PASSWORD),
            ("Carla", PASSWORD),
            ("", ""),
            ("Be\0a", PASSWORD),
            ("Bea", f"{PASSWORD}\0"),
        )
    ]
    assert {each.status for each in answers} == {401}
    assert len({each.text for each in answers}) == 1
    assert WRONG in answers[0].text
    assert all(each.headers.getheader("set-cookie") is None for each in answers)


async def test_the_cookie_of_an_account_that_is_disabled_opens_nothing_from_then_on(office: Office) -> None:
    operator = await account(office, "Dora")
    assert operator.ask("GET", "/inbox").status == 200
    store = await Store.open_beside(office.environment.get("DATABASE_URL"), data_dir=office.served.data_dir)
    await store.operator_accounts.disable("Dora")
    await store.aclose()
    assert operator.ask("GET", "/inbox").status == 303
    assert operator.sign_in("Dora").status == 401


@pytest.mark.once
async def test_wrong_passwords_are_limited_by_address_and_by_name(office: Office) -> None:
    await new_account(office.served, office.environment, "Emilia")
    one = browser(office)
    codes = [one.sign_in(f"guessed {n}", "wrong password").status for n in range(4)]
    assert codes == [401, 401, 401, 429], "an address"
    refused = one.sign_in("Emilia")
    assert refused.status == 429
    assert int(refused.headers.getheader("retry-after") or 0) > 0
    assert "too many attempts" in refused.text
    codes = [
        browser(office).sign_in(name, "wrong password").status
        for name in ("Emilia", "emilia", " EMILIA ", "eMilia")
    ]
    assert codes == [401] * 4
    assert browser(office).sign_in("Emilia").status == 429, "a name, from all addresses"


@pytest.mark.once
async def test_passwords_that_would_wait_long_are_refused_in_a_crowd(office: Office) -> None:
    def guess(number: int) -> Page:
        return browser(office).sign_in(f"crowd {number}", "wrong password")

    with ThreadPoolExecutor(80) as pool:
        pages = list(pool.map(guess, range(80)))
    assert {each.status for each in pages} == {401, 503}
    refused = [each for each in pages if each.status == 503]
    assert {each.headers.getheader("retry-after") for each in refused} == {"5"}
    assert guess(80).status == 401, "there is room again"


@pytest.mark.conformance
@pytest.mark.once
async def test_who_waits_for_the_database_counts_among_those_who_wait(tmp_path: Path) -> None:
    store = await Store.open(None, data_dir=tmp_path)
    parts: Any = SimpleNamespace(store=store)
    page = SignInPage(parts, parts, parts)
    guesses = (page._account(f"crowd {number}", "wrong password") for number in range(MOST_WAITING + 5))
    found = await asyncio.gather(*guesses, return_exceptions=True)
    await store.aclose()
    assert found[:MOST_WAITING] == [None] * MOST_WAITING
    assert [type(each) for each in found[MOST_WAITING:]] == [Unavailable] * 5


@pytest.mark.once
async def test_pages_of_other_origins_sign_nobody_in_or_out(office: Office) -> None:
    operator = await account(office, "Flor")
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "", "Sec-Fetch-Site": "cross-site"},
        {"Origin": ""},
    ):
        assert browser(office).sign_in("Flor", headers=headers).status == 403, headers
        assert operator.form("/inbox/sign-out", headers).status == 403, headers
    assert operator.ask("GET", "/inbox").status == 200


@pytest.mark.once
def test_an_origin_that_may_embed_the_chat_changes_nothing_in_the_inbox(serve: Servers) -> None:
    shop = "https://shop.example"
    running = serve({"LOOPWIRE_ALLOWED_ORIGINS": shop})
    answer = Operator(running).sign_in("Ana", headers={"Origin": shop})
    assert answer.status == 403


@pytest.mark.once
def test_a_form_that_no_browser_sends_is_refused_before_anything_is_hashed(office: Office) -> None:
    huge = b"name=" + b"a" * (200 << 10) + b"&password=x"
    for body, status in ((huge, 413), (b"\xff\xfe", 400), (b"&".join([b"name=a"] * 9), 400)):
        assert browser(office).ask("POST", "/inbox/sign-in", body).status == status
    typed = {"Content-Type": "application/json"}
    assert browser(office).ask("POST", "/inbox/sign-in", b"{}", typed).status == 400


@pytest.mark.once
async def test_a_name_is_shown_as_text(office: Office) -> None:
    operator = await account(office, "<script>alert(1)</script>")
    assert "<script>alert" not in operator.ask("GET", "/inbox").text
