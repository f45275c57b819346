"""The pages over a real store: whose they are, which language they speak, what they say when there is nothing."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
import pytest_asyncio
from sqlalchemy import select, update
from starlette.applications import Starlette
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.responses import JSONResponse
from starlette.routing import Route

from server import __version__
from server.errors import RateLimited, Unavailable
from server.html import export
from server.html.render import Renderer
from server.http import pages
from server.http.assets import assets
from server.http.failures import HANDLERS
from server.http.pages import Pages
from server.loopos.core import EmbeddedCore
from server.loopos.cores import Cores
from server.protocol.transcript import Transcript
from server.store import Finish, Session, Store
from server.store.tables import messages, sessions
from tests.e2e.scenarios import SCENARIOS
from tests.parts.postgres import copy_tables
from tests.parts.sampled import later

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[3]
ME, OTHER = "vis_me", "vis_other"
AWAY = {
    "away": Unavailable(),
    "away for long": Unavailable(retry_after=7.4),
    "asked too often": RateLimited(retry_after=0.2),
}
"""Services whose names cannot be found out now."""


async def principal(request: Any, call_next: Callable[..., Any]) -> Any:
    """Stand in front as the shield does: each client is the one that the header names."""
    request.state.principal = request.headers.get("x-me", ME)
    return await call_next(request)


def chosen_language(request: Any) -> str:
    """Choose the language as the application does: what is remembered, else what the browser wants."""
    wanted = request.cookies.get("language") or request.headers.get("accept-language", "pt")
    return "en" if wanted.startswith("en") else "pt"


async def broken(request: Any) -> JSONResponse:
    """Fail as nobody expected."""
    raise RuntimeError("secret detail")


@pytest_asyncio.fixture
async def store(durable_url, tmp_path) -> AsyncIterator[Store]:
    """Yield an empty store of each kind with the catalog."""
    if durable_url is None:
        copy_tables(tmp_path)
    opened = await Store.open(durable_url, data_dir=tmp_path)
    yield opened
    await opened.aclose()


@pytest_asyncio.fixture
async def browser(store) -> AsyncIterator[httpx2.AsyncClient]:
    """A person with a browser before the pages."""

    async def snapshot(session_id: str) -> Any:
        stored = await store.messages.transcript(session_id)
        whole = Transcript.of(stored.messages, stored.state)
        events = whole.snapshot_events(session_id)
        return SimpleNamespace(
            epoch="1.1", seq=stored.last_seq, transcript=whole, events=events, before="msg_2"
        )

    async def offers(service: str) -> bool:
        if service in AWAY:
            raise AWAY[service]
        return service == "chat"

    pages = Pages(
        store=store,
        cores=Cores(await EmbeddedCore.open(store.database, store.webhooks)),
        renderer=Renderer(ROOT / "web", {}),
        snapshot=snapshot,
        offers=offers,
        language_of=chosen_language,
        app="demo",
        service="submission",
        demo=True,
    )
    app = Starlette(
        routes=[Route("/broken", broken), *assets(ROOT), *pages.routes()],
        exception_handlers={**HANDLERS, Exception: pages.last_handler(HANDLERS[Exception])},
    )
    app.add_middleware(BaseHTTPMiddleware, dispatch=principal)
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://here") as client:
        yield client


async def conversation(store: Store) -> Session:
    """Return a conversation of mine whose item is made."""
    session = await store.sessions.create(app="demo", principal=ME, service="submission", language="pt")
    content = [{"type": "text", "text": "olá"}]
    submitted = await store.runs.submit(
        session_id=session.id, principal=ME, client_id="c1", content=content, language="pt"
    )
    claim = await store.runs.claim("here", 10)
    assert claim is not None
    transcript = Transcript()
    for event in SCENARIOS["finished"].events:
        transcript.apply(event)
    finish = Finish(
        outcome="success",
        code=None,
        messages=transcript.messages,
        state=transcript.state,
        items=[],
        agent=None,
        title="Fujifilm X-T30 II",
        status_line="done",
    )
    await store.runs.finish(submitted.run_id, claim.session.fence, finish)
    return session


async def test_the_first_page_is_an_empty_conversation(browser):
    answer = await browser.get("/")
    assert answer.status_code == 200
    assert "O que quer vender?" in answer.text
    assert "Modelo de demonstração" in answer.text
    assert answer.headers["cache-control"] == "no-store"


async def test_a_conversation_is_in_its_page_without_script(browser, store):
    session = await conversation(store)
    await store.messages.feedback("msg_6", ME, "up")
    text = (await browser.get(f"/s/{session.id}")).text
    assert "O artigo ficou assim:" in text
    assert "LW-48213" in text
    assert f'data-session="{session.id}"' in text
    assert 'aria-current="page"' in text
    assert 'data-epoch="1.1" data-seq="' in text
    assert 'data-before="msg_2"' in text
    assert text.count('aria-pressed="true"') == 2  # The thumb, and the language.


@pytest.mark.parametrize(
    ("service", "status", "seconds"),
    [("away", 503, 5), later("away for long", 503, 8), ("asked too often", 429, 1), later("none", 404, 0)],
)
async def test_a_page_that_cannot_be_shown_now_says_when_it_asks_again(browser, service, status, seconds):
    answer = await browser.get("/", params={"service": service})
    assert answer.status_code == status
    assert answer.headers.get("retry-after") == (str(seconds) if seconds else None)
    assert (f'<meta http-equiv="refresh" content="{seconds}">' in answer.text) is bool(seconds)


async def long_conversation(store: Store, count: int) -> Session:
    """Return a conversation of so many texts, numbered from 100 on."""
    session = await conversation(store)
    async with store.database.write() as connection:
        run = (await connection.execute(select(messages.c.run_id))).scalars().first()
        await connection.execute(messages.delete())
        for number in range(count):
            body = {"id": f"msg_{number}", "role": "user", "content": f"text {100 + number}"}
            values = {"id": body["id"], "session_id": session.id, "run_id": run, "position": number}
            parent = f"msg_{number - 1}" if number else None
            await connection.execute(
                messages.insert().values(**values, parent_id=parent, body=body, created_at=number)
            )
        await connection.execute(update(sessions).values(active_leaf=f"msg_{count - 1}"))
    return session


async def test_older_rows_come_by_fifty_and_a_saved_file_has_all(browser, store):
    session = await long_conversation(store, 120)
    given = (await browser.get(f"/s/{session.id}/older", params={"before": "msg_110"})).json()
    assert re.findall(r"text (\d+)", given["rows"]) == [str(number) for number in range(160, 210)]
    assert given["before"] == "msg_60"
    newest = (await browser.get(f"/s/{session.id}/older")).json()
    assert newest["before"] == "msg_70"
    saved = (await browser.get(f"/s/{session.id}/export")).text
    assert re.findall(r"text (\d+)", saved) == [str(number) for number in range(100, 220)]


@pytest.mark.conformance
async def test_others_have_turns_while_a_long_conversation_is_saved(browser, store, monkeypatch):
    """A page of 50 messages is drawn in one turn of the loop, and sent in another."""
    session = await long_conversation(store, 400)
    turns, drawn, draw = 0, Counter[int](), export.rows

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def rows(transcript: Transcript) -> Any:
        drawn[turns] += len(transcript.messages)
        return draw(transcript)

    monkeypatch.setattr(export, "rows", rows)
    other = asyncio.create_task(take_turns())
    try:
        saved = await browser.get(f"/s/{session.id}/export")
    finally:
        other.cancel()
    assert re.findall(r"text (\d+)", saved.text) == [str(number) for number in range(100, 500)]
    assert drawn.total() == 400
    assert max(drawn.values()) <= 51


@pytest.mark.parametrize("most", [later(1), 2, later(3), later(7)])
async def test_a_saved_file_is_the_same_however_it_is_read(browser, store, monkeypatch, most):
    session = await conversation(store)
    whole = (await browser.get(f"/s/{session.id}/export")).text
    monkeypatch.setattr(pages, "OLDER", most)
    assert (await browser.get(f"/s/{session.id}/export")).text == whole


@pytest.mark.conformance
async def test_control_characters_that_an_older_version_stored_reach_no_page(browser, store):
    """A terminal that shows a saved page must not obey them."""
    session = await conversation(store)
    nasty = "\x1b]0;owned\x07ab\x9b31mc\x7f d\r\ne"
    async with store.database.write() as connection:
        stored = (await connection.execute(select(messages.c.id, messages.c.body))).all()
        for row in stored:
            body = row.body | ({"content": nasty} if isinstance(row.body.get("content"), str) else {})
            await connection.execute(update(messages).where(messages.c.id == row.id).values(body=body))
        await connection.execute(update(sessions).values(title=nasty))
    pages = [(await browser.get(path)).text for path in (f"/s/{session.id}", "/sessions")]
    assert all("]0;ownedab31mc" in page for page in pages)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "".join(pages))


@pytest.mark.parametrize("path", ["/s/{id}", later("/s/{id}/older")])
async def test_a_conversation_of_another_visitor_is_not_found(browser, store, path):
    session = await conversation(store)
    answer = await browser.get(path.format(id=session.id), headers={"x-me": OTHER})
    assert answer.status_code == 404
    assert "Fujifilm" not in answer.text


async def test_the_list_has_the_visitors_conversations_and_marks_the_open_one(browser, store):
    session = await conversation(store)
    address = {"hx-current-url": f"http://here/s/{session.id}?a=1"}
    mine = (await browser.get("/sessions", headers=address)).text
    assert "Fujifilm X-T30 II" in mine
    assert "Artigo criado" in mine
    assert mine.count("aria-current") == 1
    assert "Fujifilm" not in (await browser.get("/sessions", headers={"x-me": OTHER})).text


async def test_a_conversation_is_saved_as_a_file_and_anothers_is_none(browser, store):
    session = await conversation(store)
    saved = await browser.get(f"/s/{session.id}/export")
    assert saved.headers["content-type"] == "text/markdown; charset=utf-8"
    named = saved.headers["content-disposition"]
    assert (
        named == f"attachment; filename=\"{session.id}.md\"; filename*=UTF-8''{quote('Fujifilm X-T30 II')}.md"
    )
    assert saved.text.startswith("# ") and "**Eu**" in saved.text and "Sim, pode criar." in saved.text
    assert saved.text.index("Sim, pode criar.") < saved.text.index("Está tudo.")
    assert "\n\n*Criou o artigo*\n\n" in saved.text
    assert "\n\n*Vem com caixa?* Sim\n\n" in saved.text
    assert (await browser.get(f"/s/{session.id}/export", headers={"x-me": OTHER})).status_code == 404


@pytest.mark.parametrize(
    ("title", "name"), [("câmara\u202egpj.exe\u202c", "câmaragpj.exe"), later("\u2066\u2069", None)]
)
async def test_the_name_of_a_saved_conversation_is_not_turned_around(browser, store, title, name):
    session = await conversation(store)
    async with store.database.write() as connection:
        await connection.execute(update(sessions).values(title=title))
    named = (await browser.get(f"/s/{session.id}/export")).headers["content-disposition"]
    assert named.endswith(f"; filename*=UTF-8''{quote(name or session.id)}.md")


async def test_the_list_is_searched(browser, store):
    await conversation(store)
    assert "<li>" in (await browser.get("/sessions", params={"q": "pode criar"})).text
    nothing = (await browser.get("/sessions", params={"q": "guitarra"})).text
    assert "<li>" not in nothing and "Nenhuma conversa tem estas palavras." in nothing
    # A search of 200 characters is searched for, and what is beyond them is left out.
    for length, found in ((200, True), (199, False)):
        long = (await browser.get("/sessions", params={"q": "pode criar".ljust(length) + "\u017c"})).text
        assert ("<li>" in long) is found
    # The page itself is no search.
    assert "<li>" in (await browser.get("/", params={"q": "guitarra"})).text


async def test_older_rows_come_by_their_cursor(browser, store):
    session = await conversation(store)
    given = (await browser.get(f"/s/{session.id}/older", params={"before": "msg_6"})).json()
    assert "Sim, pode criar." in given["rows"]
    assert "Está tudo." not in given["rows"]
    assert "row-tool running" not in given["rows"]
    assert given["before"] is None
    assert (await browser.get(f"/s/{session.id}/older", params={"before": "msg_no"})).status_code == 404


async def test_an_item_is_its_makers_and_hides_its_token(browser, store):
    session = await conversation(store)
    core = await EmbeddedCore.open(store.database, store.webhooks)
    found = await core.search("X-T30 II")
    product = await core.product(found.matches[0].product_id)
    values = [kind.values[0].id for kind in product.option_types]
    item = await core.create_item(
        principal=ME,
        session_id=session.id,
        product_id=product.id,
        brand_id=product.brands[0].id,
        option_value_ids=values,
        business_key="one",
    )
    text = (await browser.get(f"/items/{item.id}")).text
    assert item.reference in text
    assert product.brands[0].name in text
    assert item.token not in text
    assert (await browser.get(f"/items/{item.id}", headers={"x-me": OTHER})).status_code == 404
    assert (await browser.get(f"/items/{item.id}", params={"app": "none"})).status_code == 404


async def test_language_theme_and_clock_are_remembered(browser):
    for given in ({"language": "en"}, {"theme": "dark"}, {"clock": 60}):
        answer = await browser.post("/preferences", json=given)
        assert answer.status_code == 204
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert "SameSite=lax" in answer.headers["set-cookie"]
        assert "Max-Age=31536000" in answer.headers["set-cookie"]
        assert "Secure" not in answer.headers["set-cookie"]
    text = (await browser.get("/")).text
    assert "What would you like to sell?" in text
    assert '<html lang="en" data-theme="dark">' in text
    assert 'data-clock="60"' in text


@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ("841", 840),
        later("-841", -840),
        later("-60", -60),
        ("9" * 5000, 0),
        later("1.5", 0),
        later("x", 0),
        later("", 0),
    ],
)
async def test_an_invalid_clock_is_utc_and_none_is_beyond_fourteen_hours(browser, said, minutes):
    text = (await browser.get("/", headers={"cookie": f"clock={said}"})).text
    assert f'data-clock="{minutes}"' in text


async def test_a_page_that_may_be_installed_names_its_manifest_and_the_time_of_this_server(browser):
    before = time.time_ns() // 1_000_000
    text = (await browser.get("/")).text
    (told,) = re.findall(r'data-now="(\d+)"', text)
    assert before <= int(told) <= time.time_ns() // 1_000_000
    assert '<link rel="manifest"' in text


async def test_the_cookie_of_preferences_is_secure_over_https(browser):
    answer = await browser.post("https://here/preferences", json={"theme": "dark"})
    assert "Secure" in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    "given",
    [
        later({}),
        later([]),
        {"language": "it"},
        {"theme": "pink"},
        later({"clock": 9999}),
        later({"clock": True}),
        {"language": "en", "more": 1},
        later("x"),
    ],
)
async def test_an_unknown_preference_is_refused(browser, given):
    answer = await browser.post("/preferences", json=given)
    assert answer.status_code == 400
    assert "set-cookie" not in answer.headers


async def test_nesting_without_end_is_refused_as_any_other_text(browser):
    answer = await browser.post("/preferences", content=b"[" * 200_000)
    assert answer.status_code == 400


async def test_the_browsers_language_is_taken_until_one_is_chosen(browser):
    text = (await browser.get("/", headers={"accept-language": "en-GB,en;q=0.9"})).text
    assert "Or start from an example" in text


async def test_an_unknown_path_gets_a_page_and_one_of_the_api_gets_json(browser):
    answer = await browser.get("/nowhere")
    assert answer.status_code == 404
    assert "Esta página não existe" in answer.text
    machine = await browser.get("/v1/nowhere")
    assert machine.status_code == 404
    assert "<html" not in machine.text


async def test_an_unexpected_failure_is_answered_without_its_details(browser):
    answer = await browser.get("/broken", headers={"accept": "text/html"})
    assert answer.status_code == 500
    assert "Esta página não abriu" in answer.text
    assert "secret" not in answer.text
    assert (await browser.get("/broken", headers={"accept": "*/*"})).json()["error"]["code"] == "internal"


async def test_a_static_file_is_revalidated_and_not_sent_twice(browser):
    first = await browser.get("/static/sdk/client.js")
    assert first.headers["cache-control"] == "no-cache"
    again = await browser.get("/static/sdk/client.js", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304


async def test_a_page_of_any_origin_may_import_the_sdk_and_pin_its_version(browser):
    elsewhere = {
        "origin": "https://elsewhere.example",
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "cors",
    }
    for folder, kept in (("sdk", "no-cache"), (f"sdk@{__version__}", "public, max-age=31536000, immutable")):
        first = await browser.get(f"/static/{folder}/index.js", headers=elsewhere)
        again = await browser.get(
            f"/static/{folder}/index.js", headers={**elsewhere, "if-none-match": first.headers["etag"]}
        )
        assert [first.status_code, again.status_code] == [200, 304]
        assert "import(" in first.text
        assert not re.search(r"\bfrom ?\"", first.text)
        chat = await browser.get(f"/static/{folder}/chat.js", headers=elsewhere)
        assert 'from "./session.js"' in chat.text
        for answer in (first, again):
            assert answer.headers["access-control-allow-origin"] == "*"
            assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
            assert answer.headers["cache-control"] == kept
    assert (await browser.get("/static/sdk@0.0.0/index.js")).status_code == 404
    own = await browser.get("/static/js/page.js", headers=elsewhere)
    assert "access-control-allow-origin" not in own.headers


async def test_the_empty_page_begins_the_service_that_its_address_names(browser):
    for address, service in (("/", "submission"), ("/?service=chat", "chat"), ("/?service=", "submission")):
        shown = await browser.get(address)
        assert (shown.status_code, f'data-service="{service}"' in shown.text) == (200, True)
        fresh = re.search(r'<a class="new" href="([^"]*)"', shown.text)
        assert fresh is not None
        assert fresh[1] == ("/" if service == "submission" else f"/?service={service}")
        asks = "O que quer vender?" if service == "submission" else "Em que podemos ajudar?"
        assert f"<h2>{asks}</h2>" in shown.text
    assert (await browser.get("/?service=none")).status_code == 404
