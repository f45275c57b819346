"""The key of an app: whose request it makes, what it opens, and how long it is believed without a look."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from server.apps import App
from server.auth import KeyScope, NewKey, make_key, principal_of_user
from server.bus.shared_counts import Limited, WindowCount
from server.endpoints.app_rates import AppRates
from server.errors import RateLimited, UnknownKey
from server.http import key_authentication
from server.http.key_authentication import KNOWN_S, MOST_KNOWN, MOST_USER, KeyAuthentication
from server.identity import Identity
from server.limits import Limits
from server.store.app_keys import AppKey
from tests.unit.http.asking import Answered, asked

SECRET = b"s" * 32
SHOP = "https://shop.example"
APPS = {"demo": App(), "shop": App(origins=(SHOP,), requests="5/1m", requests_per_user="3/1m")}  # type: ignore[arg-type]
ALL: tuple[KeyScope, ...] = ("rest", "tickets", "operator")


class Keys:
    """A store of keys, which counts how often it is asked."""

    def __init__(self) -> None:
        self.known: dict[str, AppKey] = {}
        self.asked = 0

    def add(self, *scopes: KeyScope, app: str = "shop") -> NewKey:
        made = make_key()
        self.known[made.id] = AppKey(made.id, app, frozenset(scopes or ("rest",)), made.digest, 0, None)
        return made

    async def find(self, id: str) -> AppKey | None:
        self.asked += 1
        return self.known.get(id)


class Counts:
    """The counts of all instances, of which there is one."""

    def __init__(self) -> None:
        self.by_name: dict[str, int] = {}

    async def add(self, windows: Sequence[Limited], by: int = 1) -> list[WindowCount]:
        for each in windows:
            self.by_name[each.name] = self.by_name.get(each.name, 0) + by
        return [WindowCount(self.by_name[each.name], 7.0) for each in windows]


class Doors:
    """The authentication before an application that notes what it is given."""

    def __init__(self, **limits: Any) -> None:
        self.keys, self.counts = Keys(), Counts()
        self.scopes: list[Any] = []
        self.door = KeyAuthentication(
            self._serve,
            keys=self.keys,
            rates=AppRates(self.counts, APPS),  # type: ignore[arg-type]
            apps=APPS,
            secret=SECRET,
            limits=Limits(**limits),
        )

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        assert (await receive())["body"] == b"sent"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})
        await send({"type": "http.response.body", "body": b""})

    @property
    def state(self) -> dict[str, Any]:
        """Return what the application was told of the last request."""
        return dict(self.scopes[-1]["state"])

    async def ask(
        self, text: str = "", *headers: tuple[str, str], method: str = "GET", path: str = "/v1/x", **more: Any
    ) -> Answered:
        """Ask with a key."""
        shown = [("authorization", f"Bearer {text}")] if text else []
        more.setdefault("state", {})
        return await asked(self.door, method, path, *shown, *headers, body=b"sent", **more)


async def test_a_key_speaks_for_its_app_and_is_taken_out_of_the_request() -> None:
    doors = Doors()
    key = doors.keys.add()
    answer = await doors.ask(key.text, ("cookie", "a=b"), ("x-other", "c"))
    assert (answer.status, answer.headers["a"]) == (200, "b")
    assert doors.scopes[0]["headers"] == [(b"host", b"localhost"), (b"x-other", b"c")]
    told = doors.state
    assert (told["app"], told["keyed"], told["newcomer"]) == ("shop", True, False)
    assert told["principal"] == principal_of_user(SECRET, "shop", None)
    assert told["counted_user"] is None
    assert "operator_key" not in told
    assert doors.counts.by_name == {"app:shop": 1}
    assert answer.headers["ratelimit"] == '"app";r=4;t=7'
    assert answer.headers["ratelimit-policy"] == '"app";q=5;w=60'


async def test_a_user_that_the_app_names_is_its_own_principal_and_is_counted_besides() -> None:
    doors = Doors()
    key = doors.keys.add()
    for _ in range(3):
        assert (await doors.ask(key.text, ("loopwire-user", " an%C3%A1 "))).status == 200
    ana = principal_of_user(SECRET, "shop", "aná")
    assert (doors.state["principal"], doors.state["counted_user"]) == (ana, ana)
    refused = await doors.ask(key.text, ("loopwire-user", "an%C3%A1"))
    assert (refused.status, refused.headers["retry-after"], len(doors.scopes)) == (429, "7", 3)
    assert refused.headers["ratelimit"].startswith('"user";r=0;t=7')
    assert (await doors.ask(key.text, ("loopwire-user", "bea"))).status == 200


async def test_a_user_without_a_key_is_refused_and_told_why() -> None:
    doors = Doors()
    answer = await doors.ask("", ("loopwire-user", "ana"))
    assert (answer.status, len(doors.scopes)) == (401, 0)
    assert b"beside the key of an app" in answer.body
    assert (await doors.ask("a-ticket", ("loopwire-user", "ana"))).status == 200


async def test_what_is_refused_at_the_chat_is_a_sentence_with_its_code_beside_it() -> None:
    doors = Doors()
    rest, tickets = doors.keys.add(), doors.keys.add("tickets")
    user = ("loopwire-user", "")
    answers = [
        await doors.ask(shown, *headers, method="POST", path="/chat")
        for shown, headers in (("lwk_a", []), (tickets.text, []), (rest.text, [user]), *[(rest.text, [])] * 6)
    ]
    refused = [each for each in answers if each.status != 200]
    assert [each.status for each in refused] == [401, 403, 400, 429]
    told = [json.loads(each.body) for each in refused]
    assert [each["code"] for each in told] == ["unauthorized", "forbidden", "bad_frame", "rate_limited"]
    assert all(isinstance(each["error"], str) for each in told)
    assert told[3]["retry_after"] == 7


@pytest.mark.parametrize(
    ("user", "taken"),
    [("x" * 200, True), ("x" * 201, False), ("", False), ("a%00b", False), ("a%0Ab", False), ("%FF", True)],
)
async def test_the_name_of_a_user_has_1_to_200_characters(user: str, taken: bool) -> None:
    assert MOST_USER == 200
    doors = Doors()
    answer = await doors.ask(doors.keys.add().text, ("loopwire-user", user))
    assert answer.status == (200 if taken else 400)
    assert (b"has 1 to 200 characters" in answer.body) is not taken


async def test_a_key_that_is_none_opens_nothing() -> None:
    doors = Doors()
    other, gone = doors.keys.add(), doors.keys.add(app="gone")
    for shown in ("lwk_a", make_key().text, f"{other.text[:-4]}AAAA", f"{other.text}x", gone.text):
        answer = await doors.ask(shown)
        assert (answer.status, doors.scopes, doors.counts.by_name) == (401, [], {})
        assert b"This key is not valid, or not any more." in answer.body


SESSION = "/v1/sessions/ses_1"


@pytest.mark.parametrize(
    ("scopes", "method", "path", "user", "opens"),
    [
        (("rest",), "GET", "/v1/x", False, True),
        (("tickets",), "GET", "/v1/x", False, False),
        (("tickets",), "POST", "/v1/tickets", True, True),
        (("operator",), "PUT", f"{SESSION}/operator", False, True),
        (("operator",), "PUT", f"{SESSION}/operator", True, False),
        (("rest",), "PUT", f"{SESSION}/operator", False, False),
        (("operator",), "GET", SESSION, False, True),
        (("operator",), "GET", SESSION, True, False),
        (("rest",), "GET", SESSION, True, True),
        (ALL, "GET", SESSION, True, True),
    ],
)
async def test_a_key_opens_what_its_scopes_say_and_an_operator_speaks_for_no_user(
    scopes: tuple[KeyScope, ...], method: str, path: str, user: bool, opens: bool
) -> None:
    doors = Doors()
    key = doors.keys.add(*scopes)
    named = [("loopwire-user", "ana")] if user else []
    answer = await doors.ask(key.text, *named, method=method, path=path)
    assert answer.status == (200 if opens else 403)
    if opens:
        by_operator = "operator" in scopes and not user
        assert doors.state.get("operator_key") == (key.id if by_operator else None)


async def test_a_refusal_says_which_scopes_would_open() -> None:
    doors = Doors()
    answer = await doors.ask(doors.keys.add("tickets").text, path=SESSION)
    assert b"does not have the scope rest or operator." in answer.body
    named = ("loopwire-user", "ana")
    answer = await doors.ask(doors.keys.add("operator").text, named, method="PUT", path=f"{SESSION}/operator")
    assert b"An operator speaks for no user: leave Loopwire-User out." in answer.body


async def test_the_method_of_a_handshake_is_get() -> None:
    doors = Doors()
    key = doors.keys.add("operator")
    answer = await asked(without_method(doors.door), "GET", SESSION, bearer(key), body=b"sent", state={})
    assert (answer.status, doors.state["operator_key"]) == (200, key.id)


def bearer(key: NewKey) -> tuple[str, str]:
    return ("authorization", f"bearer  {key.text} ")


def without_method(app: Any) -> Any:
    async def serve(scope: Any, receive: Any, send: Any) -> None:
        del scope["method"]
        await app(scope, receive, send)

    return serve


async def test_a_key_that_was_just_seen_is_not_looked_up_again_and_later_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert 0 < KNOWN_S <= 5
    doors = Doors()
    key = doors.keys.add()
    for _ in range(3):
        await doors.ask(key.text)
    assert doors.keys.asked == 1
    again = doors.state["require_key"]
    assert (await again()).id == key.id
    doors.keys.known.clear()
    assert (await again()).id == key.id, "it may be accepted for a few seconds after its end"
    monkeypatch.setattr(key_authentication, "KNOWN_S", 0)
    other = doors.keys.add()
    await doors.ask(other.text)
    doors.keys.known[other.id] = replace(doors.keys.known[other.id], app="gone")
    with pytest.raises(UnknownKey):
        await doors.state["require_key"]()
    assert doors.keys.asked == 3


async def test_only_the_keys_used_last_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_KNOWN == 2_000
    monkeypatch.setattr(key_authentication, "MOST_KNOWN", 2)
    doors = Doors()
    first, second, third = (doors.keys.add(app="demo") for _ in range(3))
    for key in (first, second, third, second, third, first):
        await doors.ask(key.text)
    assert doors.keys.asked == 4


async def test_an_address_that_shows_wrong_keys_is_refused_and_a_known_key_still_opens() -> None:
    doors = Doors(guesses_per_address="2/1m")
    key, late = doors.keys.add(app="demo"), doors.keys.add(app="demo")
    assert (await doors.ask(key.text)).status == 200
    for _ in range(2):
        assert (await doors.ask(make_key().text)).status == 401
    looked = doors.keys.asked
    refused = await doors.ask(make_key().text)
    assert (refused.status, doors.keys.asked) == (429, looked), "it is not looked up"
    assert (await doors.ask(late.text)).status == 429
    assert (await doors.ask(key.text)).status == 200
    assert (await doors.ask(late.text, client=("192.0.2.9", 1))).status == 200


async def test_a_request_without_a_key_belongs_to_the_app_of_its_page() -> None:
    doors = Doors()
    for text, origin, app in (
        ("", "", "demo"),
        ("", SHOP, "shop"),
        ("", "https://evil.example", "demo"),
        ("a-ticket", SHOP, "shop"),
    ):
        answer = await doors.ask(text, *([("origin", origin)] if origin else []))
        assert (answer.status, doors.state["app"]) == (200, app)
        assert "ratelimit" not in answer.headers
        assert "principal" not in doors.state
    key = doors.keys.add()
    assert (await doors.ask("", ("authorization", f"Basic {key.text}"))).status == 200
    assert "keyed" not in doors.state
    await doors.ask("", ("origin", SHOP), state={"app": "demo"})
    assert doors.state["app"] == "demo", "the app of a frame is known by its token"


async def test_a_user_of_a_page_is_counted_for_itself_alone() -> None:
    doors = Doors()

    async def ask() -> Answered:
        identity = Identity("jti_1", 1, 2)
        return await doors.ask("", state={"app": "shop", "principal": "usr_1", "identity": identity})

    for left in (2, 1, 0):
        assert (await ask()).headers["ratelimit"] == f'"user";r={left};t=7'
    refused = await ask()
    assert (refused.status, refused.headers["ratelimit"], len(doors.scopes)) == (429, '"user";r=0;t=7', 3)
    assert doors.counts.by_name == {"user:usr_1": 4}


async def test_a_socket_asks_again_and_is_refused_when_its_address_shows_too_many_wrong_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_authentication, "KNOWN_S", 0)
    doors = Doors(guesses_per_address="1/1m")
    key = doors.keys.add()
    await doors.ask(key.text)
    again = doors.state["require_key"]
    assert (await again()).id == key.id
    doors.keys.known.clear()
    with pytest.raises(UnknownKey):
        await again()
    with pytest.raises(RateLimited):
        await again()
