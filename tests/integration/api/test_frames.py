"""Frames on other sites: the sites that may show them, their principals, and the access of a frame without a cookie."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.integration.ws.visitor import Answer, Visitor
from tests.parts.server import STRICT, Backend, Served, apart, served

pytestmark = pytest.mark.once

SHOP = "https://shop.example"
APPS = f"""
[values]
services = ["value_estimation"]
service = "value_estimation"

[shop]
title = "Vender no Desvão"
service = "chat"
services = ["chat"]
languages = ["en"]
origins = ["{SHOP}", "http://shop.example:8443"]

["loja azul; script-src *"]
origins = ["https://azul.example"]
"""
HTTPS = {"x-forwarded-proto": "https"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
POLICY = "content-security-policy"


@pytest.fixture(scope="module")
def place(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a server with an app of another site."""
    path: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    path.write_text(APPS)
    with apart(backend) as own:
        settings = {"LOOPWIRE_APPS": str(path), "LOOPWIRE_DEMO_DELAY_MS": "0"}
        with served({**own.environment, **settings}) as running:
            yield running


@dataclass
class Frame:
    """A frame as it was drawn, in a browser that keeps no cookies."""

    place: Served
    page: str
    answer: Answer

    @property
    def known(self) -> dict[str, Any]:
        """Return what its script is told."""
        found = re.search(r'<script type="application/json" id="frame">(.*?)</script>', self.page)
        assert found is not None
        return dict(json.loads(found[1]))

    @property
    def token(self) -> str:
        """Return what its script keeps in memory."""
        return str(self.known["token"])

    @property
    def hosts(self) -> list[str]:
        """Return the origins of the pages that it talks to."""
        return list(self.known["hosts"])

    @property
    def session(self) -> str:
        """Return the conversation that it goes on with; empty when there is none."""
        found = re.search(r'data-session="(\w*)"', self.page)
        assert found is not None
        return found[1]

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Ask as the script of the frame does."""
        own = {"authorization": f"Bearer {self.token}", "cookie": "", **headers}
        return Visitor(self.place).request(method, path, body, headers=own)

    def says_hello(self) -> str:
        """Begin a conversation, and return its id."""
        session = str(self.ask("POST", "/v1/tickets", {}).body["session_id"])
        message = {"type": "message", "id": "m1", "content": [{"type": "text", "text": "hello"}]}
        assert self.ask("POST", f"/v1/sessions/{session}/commands", message).status == 200
        return session

    def meet(self, path: str = "/embed/shop", **headers: str) -> Answer:
        """Ask whether the cookie names another visitor, as its script does before it first sends anything."""
        body = urlencode({"token": self.token, "visitor": "new"}).encode()
        return Visitor(self.place).request("POST", path, body, headers={**FORM, **headers})

    def draw_again(self, path: str = "/embed/shop", **given: str) -> Answer:
        """Draw the frame anew, as its form does."""
        body = urlencode({"token": self.token, **given}).encode()
        return Visitor(self.place).request("POST", path, body, headers=FORM)


def frame(place: Served, path: str = "/embed/shop", **headers: str) -> Frame:
    """Open a frame."""
    answer = Visitor(place).request("GET", path, headers=headers)
    assert answer.status == 200, answer.body
    return Frame(place, answer.body.decode(), answer)


def directive(answer: Answer, name: str) -> str:
    """Return one directive of the policy of an answer."""
    rules = [each.strip() for each in answer.headers[POLICY].split(";")]
    return next(each.removeprefix(name).strip() for each in rules if each.startswith(name))


def test_only_pages_of_the_apps_origins_may_show_its_frame(place: Served) -> None:
    shown = frame(place).answer
    assert directive(shown, "frame-ancestors") == f"'self' {SHOP} http://shop.example:8443"
    assert directive(shown, "require-trusted-types-for") == "'script'"
    assert directive(shown, "trusted-types") == "loopwire"
    assert directive(shown, "worker-src") == "'none'"
    assert shown.headers["cross-origin-resource-policy"] == "cross-origin"
    assert shown.headers["cross-origin-embedder-policy"] == "require-corp"
    other = place.url.replace("127.0.0.1", "localhost")
    demo = frame(place, "/embed/demo")
    assert directive(demo.answer, "frame-ancestors") == f"'self' {other}"
    assert demo.hosts == [other]
    assert frame(place).hosts == [SHOP, "http://shop.example:8443"]


OTHERS = """/ /s/ses_1 /services /docs /items/itm_1 /demo /embed /embed/none /embed/shop/ /embed/shop/x /embedded/shop
    /widget.js /static/js/page.js /v1/services""".split()


@pytest.mark.parametrize("path", OTHERS)
def test_no_other_page_may_be_shown_in_a_frame(place: Served, path: str) -> None:
    answer = Visitor(place).request("GET", path)
    assert directive(answer, "frame-ancestors") == "'none'"


def test_odd_characters_in_the_name_of_an_app_change_no_header(place: Served) -> None:
    odd = frame(place, "/embed/loja%20azul%3B%20script-src%20%2A").answer
    assert directive(odd, "frame-ancestors") == "'self' https://azul.example"
    assert directive(odd, "script-src") == "'self'"
    for path in (
        "/embed/%2e%2e",
        "/embed/shop%2f..",
        "/embed/SHOP",
        "/embed/shop%20",
        "/embed/" + "a" * 3000,
    ):
        assert Visitor(place).request("GET", path).status == 404, path
    assert Visitor(place).request("GET", "/embed/shop%00").status == 400


def test_an_app_shows_its_own_services_in_its_own_languages(place: Served) -> None:
    page = frame(place, "/embed/shop?language=pt&theme=dark&height=auto").page
    assert 'lang="en"' in page and 'data-theme="dark"' in page and 'class="framed grows"' in page
    assert "Vender no Desvão" in page
    assert 'class="framed grows"' in frame(place, "/embed/shop?height=auto+600").page
    for service in ("submission", "none", "translator"):
        assert Visitor(place).request("GET", f"/embed/shop?service={service}").status == 404
    here = frame(place)
    assert here.ask("GET", "/services/translator", None, accept="text/html").status == 404
    assert here.ask("POST", "/services/translator", b"text=hello", **FORM).status == 404
    plain = frame(place, "/embed/demo?language=%22%3E&theme=%22%3E&height=%22%3E&service=").page
    assert '">"' not in plain
    assert 'class="framed"' in plain


def test_a_frame_begins_a_conversation_of_its_app_without_a_cookie(place: Served) -> None:
    here = frame(place)
    ticket = here.ask("POST", "/v1/tickets", {"language": "pt"})
    assert (ticket.status, ticket.body["service"], ticket.body["language"]) == (200, "chat", "en")
    assert ticket.headers["set-cookie"] is None
    assert here.ask("POST", "/v1/tickets", {"service": "submission"}).status == 404
    session = ticket.body["session_id"]
    message = {"type": "message", "id": "m1", "content": [{"type": "text", "text": "hello"}]}
    assert here.ask("POST", f"/v1/sessions/{session}/commands", message).status == 200
    assert [each["id"] for each in here.ask("GET", "/v1/sessions").body["sessions"]] == [session]
    for path in (f"/v1/sessions/{session}/messages", f"/s/{session}/older", f"/v1/sessions/{session}"):
        assert here.ask("GET", path).status == 200, path
        assert frame(place).ask("GET", path).status == 404, path
        assert Visitor(place).request("GET", path).status in (401, 404), path


def test_a_frame_of_a_service_that_answers_requests_has_its_form(place: Served) -> None:
    here = frame(place, "/embed/values")
    assert 'data-address="/services/value_estimation"' in here.page
    form = here.ask("GET", "/services/value_estimation").body.decode()
    assert 'action="/services/value_estimation"' in form
    wrong = here.ask("POST", "/services/value_estimation", b"", **FORM)
    assert wrong.status == 422


def test_a_redrawn_frame_keeps_its_conversation(place: Served) -> None:
    here = frame(place)
    session = here.ask("POST", "/v1/tickets", {}).body["session_id"]
    again = here.draw_again(session=session)
    assert (again.status, Frame(place, again.body.decode(), again).session) == (200, session)
    assert again.headers["set-cookie"] is None
    fresh = here.draw_again()
    drawn = Frame(place, fresh.body.decode(), fresh)
    assert drawn.session == ""
    assert drawn.ask("GET", f"/v1/sessions/{session}").status == 200
    assert frame(place).draw_again(session=session).status == 404
    assert here.draw_again("/embed/demo", session=session).status == 404
    assert here.draw_again(session="../x").status == 404
    assert here.draw_again(token="lwf_x").status == 401
    more = dict.fromkeys("abc", "x")
    assert (here.draw_again(**more).status, here.draw_again(**more, d="x").status) == (200, 400)
    assert Visitor(place).request("POST", "/embed/shop", {"token": here.token}).status == 400
    crossing = {**FORM, "origin": SHOP}
    body = urlencode({"token": here.token}).encode()
    # A page of the shop may post there, as any page may: it has no token, and reads no answer.
    posted = Visitor(place).request("POST", "/embed/shop", body, headers=crossing)
    assert posted.headers["access-control-allow-origin"] is None


def test_the_next_frame_of_a_tab_goes_on_with_its_conversation_or_begins_as_without_it(place: Served) -> None:
    here = frame(place)
    session = here.ask("POST", "/v1/tickets", {}).body["session_id"]
    again = here.draw_again(session=session, kept="1")
    drawn = Frame(place, again.body.decode(), again)
    assert (drawn.session, drawn.known["isNew"], drawn.known["lost"]) == (session, True, False)
    assert drawn.ask("GET", f"/v1/sessions/{session}").status == 200
    other = frame(place)
    for lost in (other.draw_again(session=session, kept="1"), here.draw_again(token="lwf_x", kept="1")):
        fresh = Frame(place, lost.body.decode(), lost)
        assert (lost.status, fresh.session, fresh.known["lost"]) == (200, "", True)
        assert fresh.ask("GET", f"/v1/sessions/{session}").status == 404


@pytest.mark.parametrize("secure", [False, True])
def test_a_cookie_leads_a_reloaded_frame_back_and_opens_nothing_else(place: Served, *, secure: bool) -> None:
    headers = {**HTTPS, "origin": place.url.replace("http:", "https:")} if secure else {}
    here = frame(place, **headers)
    assert here.answer.headers["set-cookie"] is None
    told = here.meet(**headers).headers["set-cookie"]
    assert told.startswith("__Host-loopwire_frame=" if secure else "loopwire_frame=")
    assert ("SameSite=None; Secure; Partitioned" in told) == secure
    cookie = told.partition(";")[0]
    session = here.ask("POST", "/v1/tickets", {}, **headers).body["session_id"]
    message = {"type": "message", "id": "m1", "content": [{"type": "text", "text": "hello"}]}
    assert here.ask("POST", f"/v1/sessions/{session}/commands", message, **headers).status == 200
    back = frame(place, cookie=cookie, **headers)
    assert back.session == session
    assert back.answer.headers["set-cookie"] is None
    assert frame(place, "/embed/demo", cookie=cookie, **headers).session == ""
    opened = Visitor(place, cookie).request("GET", f"/v1/sessions/{session}", headers=headers)
    assert opened.status == 404
    page = Visitor(place).request("GET", "/", headers=headers).headers["set-cookie"].partition(";")[0]
    value = page.partition("=")[2]
    planted = f"{cookie.partition('=')[0]}={value}"
    assert frame(place, cookie=planted, **headers).meet(cookie=planted, **headers).body["token"] is None


def test_of_two_frames_that_are_drawn_before_there_is_a_cookie_the_second_becomes_the_visitor_of_the_first(
    place: Served,
) -> None:
    first, second = frame(place), frame(place)
    assert first.known["isNew"]
    assert second.known["isNew"]
    met = first.meet()
    assert met.body == {"token": None}
    assert "no-store" in met.headers["cache-control"]
    cookie = met.headers["set-cookie"].partition(";")[0]
    session = first.says_hello()
    answer = second.meet(cookie=cookie)
    assert answer.headers["set-cookie"] is None
    own = {"authorization": f"Bearer {answer.body['token']}"}
    assert second.ask("GET", f"/v1/sessions/{session}", **own).status == 200
    assert first.meet(cookie=cookie).body["token"]
    back = frame(place, cookie=cookie)
    assert (back.session, back.known["isNew"]) == (session, False)
    # It is for frames of the same app, with a token of theirs.
    assert frame(place, "/embed/demo").meet("/embed/shop", cookie=cookie).status == 404
    crossing = {"origin": SHOP, "cookie": cookie}
    assert second.meet(**crossing).headers["access-control-allow-origin"] is None


def test_a_frame_of_this_machine_is_led_back_on_another_site_of_it_by_a_partitioned_cookie(
    place: Served,
) -> None:
    here = frame(place, "/embed/demo")
    plain, secure = here.meet("/embed/demo").headers.get_all("set-cookie")
    assert plain.startswith("loopwire_frame=")
    assert secure.startswith("__Host-loopwire_frame=")
    assert "SameSite=None; Secure; Partitioned" in secure
    session = here.says_hello()
    for each in (plain, secure):
        back = frame(place, "/embed/demo", cookie=each.partition(";")[0])
        assert (back.session, back.answer.headers["set-cookie"]) == (session, None)


def test_a_visitor_who_left_is_refused_in_its_frame(place: Served) -> None:
    here = frame(place)
    cookie = here.meet().headers["set-cookie"].partition(";")[0]
    assert here.ask("POST", "/v1/tickets", {}).status == 200
    assert here.ask("DELETE", "/v1/visitor").status == 204
    assert here.ask("POST", "/v1/tickets", {}).status == 401
    assert here.draw_again().status == 404
    assert frame(place, cookie=cookie).answer.headers["set-cookie"] is not None


def test_thousands_of_frames_of_one_address_begin_no_more_conversations_than_it_may(backend: Backend) -> None:
    with apart(backend) as own, served({**own.environment, **STRICT}) as running:
        statuses = [frame(running, "/embed/demo").ask("POST", "/v1/tickets", {}).status for _ in range(24)]
    assert statuses == [200] * 20 + [429] * 4


def test_a_page_of_this_server_may_use_the_microphone_and_a_frame_may_not(place: Served) -> None:
    for path, allowed in (("/", "(self)"), ("/embed/shop", "()"), ("/widget.js", "()")):
        answer = Visitor(place).request("GET", path)
        assert f"microphone={allowed}," in answer.headers["permissions-policy"]
