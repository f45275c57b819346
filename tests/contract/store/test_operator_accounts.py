"""Accounts of operators over both databases: names, disabled accounts, and sign-ins that end."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from server.errors import NotFound
from server.store import Store
from server.store.tables import operator_sign_ins

ROLES = {"demo": "agent"}


async def test_a_name_is_one_account_whatever_its_case_and_accents_are_written_like(store: Store) -> None:
    accounts = store.operator_accounts
    made = await accounts.add("José", ROLES, "hash")
    assert made is not None
    assert made.id.startswith("opr_")
    assert made.created_at > 1_700_000_000_000
    assert (made.name, dict(made.roles), made.disabled_at) == ("José", ROLES, None)
    assert await accounts.add("  JOSE\u0301 ", {"shop": "admin"}, "other") is None
    assert await accounts.find("jose\u0301") == (made, "hash")
    assert await accounts.find("jose") is None
    assert [await accounts.find(f"jos\u00e9{each}x") for each in ("\0", "\n", "\x7f")] == [None] * 3
    assert await accounts.list_all() == [made]


async def test_a_disabled_account_and_its_sign_ins_open_nothing(store: Store) -> None:
    accounts = store.operator_accounts
    ana, rui = [await accounts.add(name, ROLES, "hash") for name in ("Ana", "Rui")]
    assert ana is not None
    assert rui is not None
    since = await store.revocations.now()
    first = await accounts.sign_in(ana.id, "a")
    await accounts.sign_in(rui.id, "b")
    found = await accounts.find_sign_in("a")
    assert found is not None
    assert (found.id, found.account) == (first, ana)
    assert (await accounts.disable("ANA")).disabled_at is not None
    assert await accounts.find_sign_in("a") is None
    assert await accounts.find("Ana") is None
    assert (await store.revocations.since(since))[0] == [first], "its streams end"
    other = await accounts.find_sign_in("b")
    assert other is not None
    await accounts.enable("Ana")
    assert await accounts.find("Ana") is not None
    assert await accounts.find_sign_in("a") is None, "what ended stays so"
    with pytest.raises(NotFound, match=r"There is no operator 'nobody'\."):
        await accounts.disable("nobody")


async def test_a_sign_in_lasts_for_twelve_hours(store: Store) -> None:
    accounts = store.operator_accounts
    made = await accounts.add("Ana", ROLES, "hash")
    assert made is not None
    await accounts.sign_in(made.id, "a")
    for minutes, opens in ((11 * 60 + 50, True), (10, False)):
        earlier = operator_sign_ins.c.ends_at - minutes * 60_000
        await store.database.execute(update(operator_sign_ins).values(ends_at=earlier), {})
        assert (await accounts.find_sign_in("a") is not None) is opens


async def test_a_sign_in_ends_by_signing_out_by_a_new_password_and_by_its_time(store: Store) -> None:
    accounts = store.operator_accounts
    made = await accounts.add("Ana", ROLES, "hash")
    assert made is not None
    ids = {digest: await accounts.sign_in(made.id, digest) for digest in ("out", "old", "late")}
    assert all(each.startswith("sin_") for each in ids.values())
    await accounts.sign_out(ids["out"])
    assert await accounts.find_sign_in("out") is None
    assert await store.revocations.holds(ids["out"]), "the streams that it opened end"
    ending = update(operator_sign_ins).where(operator_sign_ins.c.digest == "late").values(ends_at=1)
    await store.database.execute(ending, {})
    assert await accounts.find_sign_in("late") is None
    assert await accounts.sweep() == 1
    assert await accounts.find_sign_in("old") is not None
    await accounts.set_password("Ana", "new")
    assert await accounts.find_sign_in("old") is None
    assert await store.revocations.holds(ids["old"])
    assert await accounts.find("Ana") == (made, "new")
