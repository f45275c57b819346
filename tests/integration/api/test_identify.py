"""Identities: an anonymous visitor becomes a user in the middle of a run, on any instance, and ends being one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
import pytest

from tests.integration.api.test_app_keys import Program
from tests.integration.ws.visitor import Answer, Talk, Visitor
from tests.parts.app_keys import new_key
from tests.parts.command import command
from tests.parts.server import Backend, Served, Servers, apart
from tests.parts.wait import until

SECRETS = {each: f"the secret of {each}, of 32 bytes and more" for each in ("shop", "other")}
APPS = "".join(
    f"""
[{name}]
origins = ["https://{name}.example"]
service = "chat"
identities = {{ algorithm = "HS256", secret = "{secret}" }}
"""
    for name, secret in SECRETS.items()
)
SHOP = "https://shop.example"


def token_of(user: str = "ana", app: str = "shop", **claims: Any) -> str:
    """Return what the server of an app signs."""
    now = int(time.time())
    whole = {"aud": app, "sub": user, "exp": now + 600, "iat": now, **claims}
    return jwt.encode(whole, SECRETS[app], algorithm="HS256")


@dataclass
class Place:
    """Two instances over the same parts; where nothing is configured the two are one."""

    here: Served
    there: Served
    environment: dict[str, str]


@pytest.fixture(scope="module")
def place(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Servers with two apps that have identities, whose answers take a while."""
    path: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    path.write_text(APPS)
    with apart(backend) as own:
        environment = {**own.environment, "LOOPWIRE_APPS": str(path), "LOOPWIRE_DEMO_DELAY_MS": "60"}
        environment["LOOPWIRE_SECRET"] = "one secret for both of the instances"
        servers = Servers(environment)
        try:
            here = servers()
            there = servers() if "DATABASE_URL" in own.environment else here
            yield Place(here, there, environment)
            assert not [each for each in (here, there) if "Traceback" in each.log_text()]
        finally:
            servers.close()


@dataclass
class Page:
    """A page of the shop, in a browser that keeps no cookies: it has the token of its frame in memory."""

    browser: Visitor
    bearer: str = ""

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Ask as the script of the frame does."""
        bearer = {"authorization": f"Bearer {self.bearer}"} if self.bearer else {}
        return self.browser.request(
            method, path, body, headers={"origin": SHOP, "cookie": "", **bearer, **headers}
        )

    def identify(self, token: str | None, **more: Any) -> Answer:
        """Say who talks; the bearer is kept."""
        answer = self.ask("POST", "/v1/identify", {"token": token, **more})
        if answer.status == 200:
            self.bearer = answer.body["token"]
        return answer

    def waits_for_the_end(self) -> None:
        """Wait until the bearer has ended, by its own claim: requests of a user are counted."""
        claims = jwt.decode(self.bearer.removeprefix("lwf_"), options={"verify_signature": False})
        until(lambda: time.time() >= claims["exp"], what="the end of the bearer")

    def ticket(self, **wanted: Any) -> Answer:
        """Ask for a ticket."""
        return self.ask("POST", "/v1/tickets", wanted)

    async def talk(self, session: str | None = None, *, after: Talk | None = None) -> Talk:
        """Open a socket, where another one ended if that is given, and go on with what it had."""
        answer = self.ticket(**({"session_id": session} if session else {}))
        assert answer.status == 200, answer.body
        socket = await self.browser.socket(origin=SHOP)
        talk, position = Talk(socket), {}
        if after is not None:
            talk.seq, talk.epoch, talk.transcript = after.seq, after.epoch, after.transcript
            position = {"last_seq": after.seq, "epoch": after.epoch}
        await talk.send({"type": "hello", "ticket": answer.body["ticket"], **position})
        await talk.until(lambda frame: frame.get("type") == "queue")
        return talk


@pytest.fixture
async def pages(place: Place) -> AsyncIterator[Any]:
    """Makes pages of anonymous visitors."""
    made = []

    def page(served: Served | None = None) -> Page:
        browser = Visitor(served or place.here)
        made.append(browser)
        own = Page(browser)
        assert own.identify(None).body["user"] is None
        return own

    yield page
    for each in made:
        await each.aclose()


def code_of(answer: Answer) -> tuple[int, str]:
    """Return the status and the code of a refusal."""
    return answer.status, (answer.body.get("error") or answer.body)["code"]


@pytest.mark.once
async def test_a_visitor_becomes_a_user_while_a_run_streams_and_no_event_is_lost(
    place: Place, pages: Any
) -> None:
    page = pages()
    first = await page.talk()
    tab = Page(Visitor(place.there, sockets=page.browser.sockets), page.bearer)
    watching = await tab.talk(first.session)
    run = (await first.say("hello there, who are you?", "m1"))["run_id"]
    await first.event("TEXT_MESSAGE_CONTENT")
    answer = page.identify(token_of(), session_id=first.session)
    assert (answer.status, answer.body["session_id"], answer.body["claimed"]) == (200, first.session, 1)
    assert await first.closed() == 4401
    assert await watching.closed() == 4401
    assert first.transcript.run is not None and first.transcript.run.status == "running"
    # On the other instance, from where the first socket was: `Talk` refuses a hole.
    elsewhere = Page(Visitor(place.there, sockets=page.browser.sockets), page.bearer)
    again = await elsewhere.talk(first.session, after=first)
    assert again.session == first.session
    assert again.welcome["resumed"]
    await again.finished(run)
    late = await page.talk(first.session)
    assert late.transcript.messages == again.transcript.messages
    assert (await late.say("and again", "m2"))["type"] == "ack"


async def test_credentials_of_the_visitor_are_refused_after_the_identification(pages: Any) -> None:
    page = pages()
    talk = await page.talk()
    visitor, resume = page.bearer, talk.welcome["resume_token"]
    unused = page.ticket(session_id=talk.session).body["ticket"]
    page.identify(token_of("bia"))
    old = Page(page.browser, visitor)
    assert code_of(old.ticket(session_id=talk.session)) == (401, "unauthorized")
    for hello in ({"ticket": unused}, {"resume_token": resume}):
        socket = await page.browser.socket(origin=SHOP)
        stale = Talk(socket)
        await stale.send({"type": "hello", **hello})
        assert await stale.closed() == 4401
    path = f"/v1/sessions/{talk.session}/messages"
    assert old.ask("GET", path).status in (401, 404)
    assert page.ask("GET", path).status == 200


async def test_one_of_two_racing_users_gets_the_conversation(pages: Any) -> None:
    page = pages()
    talk = await page.talk()
    both = [Page(Visitor(page.browser.served), page.bearer) for _ in range(2)]
    answers = await asyncio.gather(
        *(
            asyncio.to_thread(each.identify, token_of(user))
            for each, user in zip(both, ("ana-r", "eva-r"), strict=True)
        )
    )
    assert [each.status for each in answers] == [200, 200]
    assert sorted(each.body["claimed"] for each in answers) == [0, 1]
    opened = sorted(each.ticket(session_id=talk.session).status for each in both)
    assert opened[0] == 200
    assert opened[1] in (401, 404)


async def test_a_users_conversation_is_nobody_elses_and_switching_signs_the_former_out(pages: Any) -> None:
    page = pages()
    mine = await page.talk()
    page.identify(token_of("carla"), session_id=mine.session)
    as_carla = page.bearer
    open_talk = await page.talk(mine.session)
    answer = page.identify(token_of("dora"), session_id=mine.session)
    assert (answer.body["claimed"], answer.body["session_id"], answer.body["user"]) == (0, None, "dora")
    assert await open_talk.closed() == 4401
    assert page.ticket(session_id=mine.session).status == 404
    assert Page(page.browser, as_carla).ticket(session_id=mine.session).status == 401
    back = pages()
    assert back.identify(token_of("carla", jti="anew")).status == 200
    assert back.ticket(session_id=mine.session).status == 200


async def test_a_user_who_deleted_a_conversation_identifies_anew_without_it(pages: Any) -> None:
    page = pages()
    talk = await page.talk()
    page.identify(token_of("elsa"), session_id=talk.session)
    assert code_of(page.ask("DELETE", "/v1/visitor")) == (403, "forbidden")
    assert page.ask("DELETE", f"/v1/sessions/{talk.session}").status == 204
    assert pages().identify(token_of("elsa")).body["session_id"] is None


@pytest.mark.once
async def test_a_user_who_returns_gets_the_newest_conversation(pages: Any) -> None:
    page = pages()
    talk = await page.talk()
    page.identify(token_of("filipa"), session_id=talk.session)
    again = await page.talk(talk.session)
    await again.finished((await again.say("hello", "m1"))["run_id"])
    assert pages().identify(token_of("filipa")).body["session_id"] == talk.session


@pytest.mark.once
async def test_signing_out_leaves_a_new_visitor(pages: Any) -> None:
    page, signed = pages(), token_of("gil")
    page.identify(signed)
    as_gil, talk = page.bearer, await page.talk()
    assert page.identify(None).body["session_id"] is None
    assert await talk.closed() == 4401
    assert page.ticket(session_id=talk.session).status == 404
    assert Page(page.browser, as_gil).ticket().status == 401
    assert code_of(page.identify(signed)) == (401, "identity_revoked")
    assert (
        page.identify(token_of("gil", jti="anew"), session_id=talk.session).body["session_id"] == talk.session
    )


@pytest.mark.once
async def test_a_refreshed_token_keeps_the_conversation(pages: Any) -> None:
    page = pages()
    page.identify(token_of("hugo", jti="h1"))
    talk = await page.talk()
    old = page.bearer
    answer = page.identify(token_of("hugo", jti="h2"), session_id=talk.session)
    assert (answer.body["session_id"], answer.body["claimed"]) == (talk.session, 0)
    assert page.bearer != old
    assert (await talk.say("still here", "m1"))["type"] == "ack"


@pytest.mark.once
async def test_a_cookie_and_a_resume_token_show_the_visitor_too(pages: Any, place: Place) -> None:
    browser = Visitor(place.here)
    ticket = browser.ticket(service="chat")
    talk = await browser.open(session=ticket["session_id"])
    body = {"token": token_of("ines"), "app": "demo"}
    assert code_of(browser.request("POST", "/v1/identify", body)) == (404, "identity_unknown_app")
    page = pages()
    talk = await page.talk()
    stranger = Page(Visitor(place.there))
    answer = stranger.identify(token_of("ines"), resume_token=talk.welcome["resume_token"])
    assert answer.body["claimed"] == 1
    assert stranger.ticket(session_id=talk.session).status == 200
    await browser.aclose()


@pytest.mark.once
async def test_a_bearer_that_has_ended_is_replaced_and_the_conversation_stays(pages: Any) -> None:
    page = pages()
    page.identify(token_of("nuno", jti="first", exp=int(time.time()) - 27))
    talk = await page.talk()
    page.waits_for_the_end()
    assert page.ticket(session_id=talk.session).status == 401
    answer = page.identify(token_of("nuno", jti="second"), session_id=talk.session)
    assert (answer.status, answer.body["user"], answer.body["claimed"]) == (200, "nuno", 0)
    # Nothing was said in it: who is known keeps what is open.
    assert answer.body["session_id"] == talk.session
    assert page.ticket(session_id=talk.session).status == 200


@pytest.mark.conformance
@pytest.mark.once
async def test_who_signs_out_with_a_bearer_that_has_ended_is_a_new_visitor_of_the_same_app(
    pages: Any,
) -> None:
    page = pages()
    page.identify(token_of("olga", exp=int(time.time()) - 27))
    page.waits_for_the_end()
    assert page.ticket().status == 401
    assert code_of(page.identify(token_of("olga", app="other"), app="other")) == (401, "identity_audience")
    answer = page.identify(None)
    assert (answer.status, answer.body["user"], answer.body["app"]) == (200, None, "shop")
    assert page.ticket().status == 200


@pytest.mark.once
async def test_a_revoked_bearer_is_replaced_and_opens_nothing_else(place: Place, pages: Any) -> None:
    key = new_key(place.here, place.environment, "shop")
    page = pages()
    page.identify(token_of("paula", iat=int(time.time()) - 5))
    talk, revoked = await page.talk(), page.bearer
    Program(place.here, key=key).request("POST", "/v1/identities/revoke", {"user": "paula"})
    assert page.ticket().status == 401
    assert code_of(page.identify(token_of("paula", iat=int(time.time()) - 5))) == (401, "identity_revoked")
    until(lambda: page.identify(token_of("paula", jti=str(time.time()))).status == 200)
    assert page.ticket(session_id=talk.session).status == 200
    stranger = Page(page.browser, revoked)
    assert stranger.identify(None).status == 200
    assert stranger.ticket(session_id=talk.session).status == 404
    for unknown in ("lwf_a", f"{revoked[:-4]}AAAA"):
        forged = Page(page.browser, unknown)
        assert forged.identify(token_of("quim", jti=unknown[-20:])).body["claimed"] == 0
        assert forged.ticket(session_id=talk.session).status == 404


@pytest.mark.once
@pytest.mark.parametrize(
    ("token", "expected"),
    [
        (lambda: "no token", (400, "identity_malformed")),
        (lambda: "a" * 8193, (413, "identity_too_large")),
        (lambda: jwt.encode({"aud": "shop"}, "", algorithm="none"), (401, "identity_algorithm")),
        (lambda: token_of(app="other"), (401, "identity_signature")),
        (lambda: token_of(aud="other"), (401, "identity_audience")),
        (lambda: token_of(exp=int(time.time()) - 60), (401, "identity_expired")),
        (lambda: token_of(exp=int(time.time()) + 7200), (401, "identity_too_long")),
        (lambda: token_of(sub="a" * 129), (401, "identity_subject")),
    ],
)
async def test_a_bad_token_is_refused_with_its_code_and_changes_nothing(
    pages: Any, token: Any, expected: Any
) -> None:
    page = pages()
    talk = await page.talk()
    assert code_of(page.identify(token())) == expected
    assert page.ticket(session_id=talk.session).status == 200


@pytest.mark.once
async def test_a_frame_of_one_app_takes_no_token_for_another(pages: Any) -> None:
    page = pages()
    assert code_of(page.identify(token_of(app="other"), app="other")) == (401, "identity_audience")
    assert code_of(page.identify(7)) == (400, "bad_frame")  # type: ignore[arg-type]


@pytest.mark.once
async def test_the_apps_key_revokes_all_identities_of_a_user_within_a_minute(
    place: Place, pages: Any
) -> None:
    key = new_key(place.here, place.environment, "shop")
    page, elsewhere, signed = pages(), pages(place.there), token_of("joana", iat=int(time.time()) - 5)
    page.identify(signed)
    elsewhere.identify(token_of("joana", iat=int(time.time()) - 5, jti="other"))
    talks = [await page.talk(), await elsewhere.talk()]
    spared = pages()
    spared.identify(token_of("kika"))
    theirs = await spared.talk()
    answer = Program(place.here, key=key).request("POST", "/v1/identities/revoke", {"user": "joana"})
    assert answer.status == 204
    assert [await each.closed() for each in talks] == [4401, 4401]
    assert page.ticket().status == elsewhere.ticket().status == 401
    anew = pages()
    assert code_of(anew.identify(signed)) == (401, "identity_revoked")
    until(lambda: anew.identify(token_of("joana", jti=str(time.time()))).status == 200)
    assert anew.ticket(session_id=talks[0].session).status == 200
    assert (await theirs.say("still here", "m1"))["type"] == "ack"


@pytest.mark.once
async def test_a_command_beside_the_server_revokes_one_token(place: Place, pages: Any) -> None:
    page, other = pages(), pages(place.there)
    page.identify(token_of("luis", jti="lost phone"))
    other.identify(token_of("luis", jti="desk"))
    talk, stays = await page.talk(), await other.talk()
    code, _ = command(
        place.here.data_dir, place.environment, "identities", "revoke", "shop", "--jti", "lost phone"
    )
    assert code == 0
    assert page.ticket().status == 401
    assert await talk.closed() == 4401
    assert (await stays.say("still here", "m1"))["type"] == "ack"
    code, _ = command(
        place.here.data_dir, place.environment, "identities", "revoke", "nobody", "--user", "luis"
    )
    assert code == 1


@pytest.mark.once
async def test_revoking_needs_a_key_and_one_name(place: Place, pages: Any) -> None:
    assert code_of(pages().ask("POST", "/v1/identities/revoke", {"user": "ana"})) == (401, "unauthorized")
    program = Program(place.here, key=new_key(place.here, place.environment, "shop"))
    for body in ({}, {"user": "a", "jti": "b"}, {"user": ""}, {"jti": "a\nb"}):
        assert program.request("POST", "/v1/identities/revoke", body).status == 400
    assert code_of(program.request("POST", "/v1/identify", {"token": None})) == (403, "forbidden")
