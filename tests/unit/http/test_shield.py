"""The shield: the host and the origin of a request, the guesses of its client, and the headers of every answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.auth import Frames, Origins, Visitors, cookie_values
from server.endpoints.caller_resolver import CallerResolver
from server.errors import ForeignOrigin
from server.http.shield import Shield
from server.identity import Identity
from server.limits import Limits
from tests.unit.http.asking import Answered, asked

SECRET = b"s" * 32
SHOP = "https://shop.example"
VISITORS = Visitors(SECRET)
OURS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
    "connect-src 'self' {socket}; base-uri 'none'; form-action 'self'; "
)
PAGE = {
    "content-security-policy": f"{OURS}manifest-src 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(self), microphone=(self), geolocation=()",
    "cross-origin-opener-policy": "same-origin",
}
FRAME = (
    f"{OURS}worker-src 'none'; frame-ancestors 'self' {SHOP} https://b.example; "
    "require-trusted-types-for 'script'; trusted-types loopwire"
)


class App:
    """An application that notes who asks."""

    def __init__(self, status: int = 200, *own: tuple[bytes, bytes]) -> None:
        self.status, self.own = status, list(own)
        self.states: list[dict[str, Any]] = []
        self.marks: dict[str, bool] = {}
        """What it writes into the state of each request."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope.get("state", {}).update(self.marks)
        self.states.append(scope.get("state", {}))
        await receive()
        await send({"type": "http.response.start", "status": self.status, "headers": self.own})
        await send({"type": "http.response.body", "body": b"ok"})


def shielded(app: Any, *, loopback: bool = True, framed_by: Any = None, **limits: Any) -> Shield:
    async def revoked(_principal: str, _identity: Identity | None) -> bool:
        return False

    apps = {"shop": (SHOP, "https://b.example")}
    resolver = CallerResolver(VISITORS, Frames(SECRET), revoked, apps=apps, secure_cookies=False)
    origins = Origins(frozenset({SHOP}), loopback=loopback)
    framed = framed_by or apps
    return Shield(app, origins=origins, caller_resolver=resolver, limits=Limits(**limits), framed_by=framed)


async def visited(path: str, *headers: tuple[str, str], status: int = 200, **more: Any) -> dict[str, str]:
    """Return the headers of an answer, without the cookie."""
    answer = await asked(shielded(App(status)), "GET", path, *headers, **more)
    assert answer.status == status
    answer.headers.pop("set-cookie", None)
    return answer.headers


def page(socket: str = "ws://localhost") -> dict[str, str]:
    return {**PAGE, "content-security-policy": PAGE["content-security-policy"].format(socket=socket)}


async def test_a_page_says_what_it_may_do_and_who_may_show_it() -> None:
    assert await visited("/") == page()
    secure = await visited("/", scheme="https")
    assert secure == {**page("wss://localhost"), "strict-transport-security": "max-age=31536000"}


@pytest.mark.parametrize(
    ("host", "socket"),
    [
        ("a-b.example:8000", "ws://a-b.example:8000"),
        ("[::1]:8000", "ws://[::1]:8000"),
        ("a_b;script-src", ""),
        ("a;b", ""),
    ],
)
async def test_a_policy_names_only_a_host_that_is_one(host: str, socket: str) -> None:
    answer = await asked(shielded(App(), loopback=False), "GET", "/", host=host)
    assert f"connect-src 'self' {socket}; base-uri" in answer.headers["content-security-policy"]


async def test_the_demo_may_be_shown_by_this_machine_under_its_other_name_and_by_no_other_server() -> None:
    async def shown_by(host: str, *, loopback: bool = True, app: str = "demo") -> str:
        shield = shielded(App(), loopback=loopback, framed_by={"demo": (), "shop": (SHOP,)})
        answer = await asked(shield, "GET", f"/embed/{app}", host=host)
        return answer.headers["content-security-policy"].partition("frame-ancestors ")[2].partition(";")[0]

    assert await shown_by("127.0.0.1:8000") == "'self' http://localhost:8000"
    assert await shown_by("localhost:8000") == "'self' http://127.0.0.1:8000"
    assert (await shown_by("127.0.0.1:8000", loopback=False)).strip() == "'self'"
    assert await shown_by("127.0.0.1:8000", app="shop") == f"'self' {SHOP}"
    assert await shown_by("127.0.0.1:8000", app="none") == "'none'"


async def test_a_frame_of_an_app_may_be_shown_by_its_pages_alone() -> None:
    frame = await visited("/embed/shop")
    assert frame == {
        **page(),
        "content-security-policy": FRAME.format(socket="ws://localhost"),
        "cross-origin-embedder-policy": "require-corp",
        "cross-origin-resource-policy": "cross-origin",
        "permissions-policy": "camera=(self), microphone=(), geolocation=()",
    }
    assert (await visited("/embed/none"))["content-security-policy"] == page()["content-security-policy"]


async def test_a_file_has_what_matters_for_files_and_a_file_that_is_missing_is_a_page() -> None:
    shared = {
        "cross-origin-resource-policy": "cross-origin",
        "permissions-policy": "camera=(self), microphone=(), geolocation=()",
    }
    assert await visited("/static/x.js") == {
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cross-origin-resource-policy": "cross-origin",
    }
    assert await visited("/static/x.js", status=404) == {**page(), **shared}
    assert await visited("/static/x.js", status=304) != {**page(), **shared}


async def test_an_answer_of_the_api_is_not_kept_and_names_its_reader() -> None:
    api = {**page(), "cache-control": "no-store", "cross-origin-resource-policy": "same-origin"}
    assert await visited("/v1/sessions") == {**api, "vary": "origin"}
    read = await visited("/v1/sessions", ("origin", SHOP))
    assert read["access-control-allow-origin"] == SHOP
    assert "retry-after" in read["access-control-expose-headers"]


async def test_headers_of_the_application_are_kept_and_a_visitor_cookie_is_added() -> None:
    app = App(200, (b"Cache-Control", b"private"), (b"set-cookie", b"a=b"), (b"referrer-policy", b"origin"))
    answer = await asked(shielded(app), "GET", "/v1/sessions")
    assert answer.headers["Cache-Control"] == "private"
    assert "cache-control" not in answer.headers
    assert answer.headers["referrer-policy"] == "origin"
    assert answer.headers["set-cookie"].startswith("a=b, loopwire_visitor=vis_")


async def test_a_newcomer_gets_a_cookie_and_who_is_known_gets_none() -> None:
    app = App()
    shield = shielded(app)
    first = await asked(shield, "GET", "/")
    pair, *rest = first.headers["set-cookie"].split("; ")
    assert rest == ["Max-Age=31536000", "Path=/", "HttpOnly", "SameSite=Lax"]
    (value,) = cookie_values(pair, "loopwire_visitor")
    assert VISITORS.read(value) == app.states[0]["principal"]
    again = await asked(shield, "GET", "/", ("cookie", pair))
    assert "set-cookie" not in again.headers
    assert app.states[1]["principal"] == app.states[0]["principal"]
    secure = await asked(shield, "GET", "/", scheme="https")
    assert secure.headers["set-cookie"].startswith("__Host-loopwire_visitor=vis_")
    assert secure.headers["set-cookie"].endswith("; SameSite=Lax; Secure")


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", [("authorization", "Bearer lwk_a")]),
        *((path, []) for path in ("/static/a", "/widget.js", "/healthz", "/readyz", "/offline")),
        *((path, []) for path in ("/embed/shop", "/inbox", "/service-worker.js", "/manifest.webmanifest")),
    ],
)
async def test_no_cookie_is_for_a_bearer_and_for_what_asks_not_who_comes(
    path: str, headers: list[tuple[str, str]]
) -> None:
    answer = await asked(shielded(App()), "GET", path, *headers)
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("path", "status", "kind", "given"),
    [
        ("/v1/sessions", 200, b"application/json", True),
        ("/v1/sessions", 404, b"application/json", False),
        ("/nothing", 404, b"text/html; charset=utf-8", False),
        *(
            (path, 200, b"application/json", False)
            for path in ("/chat", "/loopos_ai_decision", "/openapi.json")
        ),
        ("/v1/jobs/run_a", 200, b"application/json", False),
    ],
)
async def test_pages_and_sessions_give_a_cookie_and_answers_to_programs_give_none(
    path: str, status: int, kind: bytes, given: bool
) -> None:
    answer = await asked(shielded(App(status, (b"Content-Type", kind))), "GET", path)
    assert ("set-cookie" in answer.headers) is given


REFUSED: dict[str, tuple[str, list[tuple[str, str]], dict[str, Any], int, str]] = {
    "two hosts": ("GET", [("host", "b")], {}, 400, "bad_host"),
    "no host": ("GET", [], {"host": None}, 400, "bad_host"),
    "another host": ("GET", [], {"host": "evil.example"}, 421, "misdirected"),
    "a NUL in the path": ("GET", [], {"path": "/v1/a\0b"}, 400, "bad_frame"),
    "a NUL in the query": ("GET", [], {"query_string": b"a=%00"}, 400, "bad_frame"),
    "a page of another site": ("POST", [("origin", "https://evil.example")], {}, 403, "forbidden"),
    "a form of another site": ("POST", [("sec-fetch-site", "cross-site")], {}, 403, "forbidden"),
    "a question of another site": (
        "OPTIONS",
        [("origin", "https://evil.example"), ("access-control-request-method", "POST")],
        {},
        403,
        "forbidden",
    ),
    "a token that is none": ("GET", [("authorization", "Bearer lwf_a")], {}, 401, "unauthorized"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_bad_hosts_paths_and_origins_are_refused_with_the_usual_headers(name: str) -> None:
    method, headers, more, status, code = REFUSED[name]
    app = App()
    answer = await asked(shielded(app), method, more.pop("path", "/v1/sessions"), *headers, **more)
    assert (answer.status, app.states) == (status, [])
    assert f'"code":"{code}"'.encode() in answer.body
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


async def test_a_page_that_may_not_use_the_chat_is_told_as_its_element_reads_it() -> None:
    answer = await asked(shielded(App()), "POST", "/chat", ("origin", "https://evil.example"))
    assert (answer.status, json.loads(answer.body)) == (
        403,
        {"error": ForeignOrigin.text, "code": "forbidden"},
    )
    for setting in ("the `origins` of an app", "LOOPWIRE_ALLOWED_ORIGINS"):
        assert setting in ForeignOrigin.text


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("GET", [("origin", "https://evil.example")]),
        ("HEAD", [("sec-fetch-site", "cross-site")]),
        ("POST", [("origin", SHOP)]),
        ("POST", [("origin", "http://localhost"), ("sec-fetch-site", "cross-site")]),
        ("POST", [("sec-fetch-site", "same-origin")]),
        ("DELETE", []),
    ],
)
async def test_a_page_of_this_server_or_of_an_allowed_one_and_a_program_may_ask(
    method: str, headers: list[tuple[str, str]]
) -> None:
    assert (await asked(shielded(App()), method, "/v1/sessions", *headers)).status == 200


async def test_a_question_of_an_allowed_page_is_answered_here() -> None:
    app = App()
    asks = [("origin", SHOP), ("access-control-request-method", "PATCH")]
    answer = await asked(shielded(app), "OPTIONS", "/v1/sessions", *asks)
    assert (answer.status, app.states) == (204, [])
    assert "PATCH" in answer.headers["access-control-allow-methods"]
    assert answer.headers["access-control-allow-origin"] == SHOP
    assert (await asked(shielded(app), "OPTIONS", "/sessions", *asks)).status == 200
    assert (await asked(shielded(app), "OPTIONS", "/v1/sessions", asks[0])).status == 200


async def test_a_client_that_guesses_ids_is_refused_before_any_look_up() -> None:
    app = App(404)
    shield = shielded(app, guesses_per_visitor="3/1m", guesses_per_address="100/1m")

    async def guess(bearer: str, path: str = "/v1/sessions/ses_1") -> Answered:
        return await asked(shield, "GET", path, ("authorization", f"Bearer {bearer}"))

    alike = "x" * 80
    for _ in range(3):
        assert (await guess(f"{alike}a")).status == 404
        assert (await guess("short", "/v1/sessions")).status == 404
    refused = await guess(f"{alike}a")
    assert refused.status == 429
    assert int(refused.headers["retry-after"]) > 0
    assert refused.headers["x-content-type-options"] == "nosniff"
    assert len(app.states) == 6
    assert (await guess(f"{alike}b")).status == 404
    assert (await guess("short")).status == 404
    assert (await guess(f"{alike}a", "/v1/sessions")).status == 404


@pytest.mark.parametrize(
    ("path", "counted"),
    [
        *((each, True) for each in ("/", "/s/ses_1", "/s/ses_1/export", "/sessions", "/items/itm_1")),
        *((each, True) for each in ("/docs", "/docs/socket", "/services/chat", "/openapi.json")),
        *((each, True) for each in ("/v1/sessions", "/v1/sessions/ses_1/messages")),
        *((each, False) for each in ("/v1/sessions/ses_1", "/v1/sessions/ses_1/files/pic_1", "/health")),
        *((each, False) for each in ("/static/app.js", "/v1/jobs/run_1", "/inbox")),
    ],
)
async def test_an_address_reads_and_draws_so_much_and_an_app_by_its_key_more(
    path: str, counted: bool
) -> None:
    shield = shielded(App(), reads_per_address="2/1m")

    async def read(method: str = "GET", *given: tuple[str, str], client: str = "192.0.2.1") -> int:
        return (await asked(shield, method, path, *given, client=(client, 5))).status

    assert [await read("GET"), await read("HEAD")] == [200, 200]
    assert await read() == (429 if counted else 200)
    assert await read(client="192.0.2.2") == 200
    by_key = await read("GET", ("authorization", "Bearer lwk_1"))
    assert by_key == (429 if counted and not path.startswith("/v1/") else 200), (
        "a page is nobody's with a key"
    )
    assert await read("GET", ("authorization", "Basic lwk_1")) == (429 if counted else 200)
    assert await read("OPTIONS") == 200


async def test_visitors_of_an_address_guess_each_for_itself_and_the_address_for_all() -> None:
    shield = shielded(App(404), guesses_per_visitor="3/1m", guesses_per_address="5/1m")

    async def guess(visitor: str, address: str = "192.0.2.1") -> int:
        cookie = ("cookie", f"loopwire_visitor={VISITORS.sign(visitor)}")
        return (await asked(shield, "GET", "/s/ses_1", cookie, client=(address, 5))).status

    assert [await guess("vis_a") for _ in range(4)] == [404, 404, 404, 429]
    assert [await guess("vis_b") for _ in range(3)] == [404, 404, 429]
    assert await guess("vis_c", "192.0.2.2") == 404


async def test_a_header_that_opened_nothing_lets_nobody_past_the_limit_of_its_address() -> None:
    app = App(200)
    shield = shielded(app, guesses_per_visitor="3/1m", guesses_per_address="5/1m")
    cookie = ("cookie", f"loopwire_visitor={VISITORS.sign('vis_a')}")

    async def guess(number: int, scheme: str = "Basic") -> int:
        shown = ("authorization", f"{scheme} t{number}")
        return (await asked(shield, "GET", "/v1/sessions/ses_1", cookie, shown)).status

    assert {await guess(number) for number in range(20)} == {200}
    app.status = 404
    assert [await guess(number) for number in range(6)] == [404] * 5 + [429]


async def test_a_bearer_that_opened_its_session_is_served_where_others_guess() -> None:
    app = App(200)
    shield = shielded(app, guesses_per_visitor="3/1m", guesses_per_address="5/1m")

    async def ask(bearer: str, *more: tuple[str, str], **state: bool) -> int:
        app.marks = state
        shown = ("authorization", f"Bearer {bearer}")
        return (await asked(shield, "GET", "/v1/sessions/ses_1", shown, *more)).status

    assert await ask("token", bearer_accepted=True) == 200
    assert await ask("lwk_key", ("loopwire-user", "ana"), keyed=True) == 200
    app.status = 404
    assert [await ask(f"guess{number}") for number in range(6)] == [404] * 5 + [429]
    assert await ask("token") == 404
    assert [await ask("lwk_key", ("loopwire-user", "ana")) for _ in range(4)] == [404] * 3 + [429]
    assert await ask("lwk_key", ("loopwire-user", "rui")) == 429


async def test_body_bytes_are_released_at_the_end_of_their_request() -> None:
    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    shield = shielded(app, unfinished_kib_per_address=40)
    for _ in range(3):
        assert (await half_sent(shield, 40_000)).status == 200


async def test_a_body_that_is_too_long_after_the_answer_has_begun_is_a_client_that_left() -> None:
    heard: list[str] = []

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        heard.append((await receive())["type"])

    assert (await half_sent(shielded(app), 65_537)).status == 200
    assert heard == ["http.disconnect"]


async def half_sent(app: Any, size: int) -> Answered:
    """Ask with a body whose end does not come."""

    async def cut(scope: Any, _receive: Any, send: Any) -> None:
        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"x" * size, "more_body": True}

        await app(scope, receive, send)

    return await asked(cut, "POST", "/v1/sessions")
