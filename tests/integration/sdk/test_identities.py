"""Users that an app's tokens name, in both SDKs, and the functions of the guide that sign them."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import time
import uuid
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx2
import jwt
import pytest

from loopwire import Chat, Closed, Identified, Refused, Text, connect
from server.identities.token_claims import read_header, verify
from tests.parts.agui_client import NODE
from tests.parts.command import command
from tests.parts.server import ROOT, Served, served
from tests.parts.wait import PATIENCE_S, until_async

pytestmark = pytest.mark.once

SECRET = "the secret of the demo, of 32 bytes and more"
GUIDE = (ROOT / "docs/identity.md").read_text()
ENDINGS = {
    "python": "import sys; print(token_of(*sys.argv[1:]))",
    "js": "console.log(tokenOf(...process.argv.slice(2)));",
    "php": "echo token_of($argv[1], $argv[2]);",
    "ruby": "puts token_of(*ARGV)",
}
"""What calls the function of each language with the program's arguments."""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the settings of a server whose demo app has identities, and whose answers take a while."""
    file: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    identities = f'identities = {{ secret = "{SECRET}" }}'
    file.write_text(f"[demo]\n{identities}\n[shop]\n{identities}\n")
    return {"LOOPWIRE_APPS": str(file), "LOOPWIRE_DEMO_DELAY_MS": "40"}


@pytest.fixture(scope="module")
def place(environment: dict[str, str]) -> Iterator[Served]:
    """Yield the server."""
    with served(environment) as running:
        yield running
        assert "Traceback" not in running.log_text()


def signed(user: str = "ana", seconds: int = 600, jti: str = "", app: str = "demo") -> str:
    """Return what the server of the app signs."""
    now = int(time.time())
    claims = {"aud": app, "sub": user, "iat": now - 60, "exp": now + seconds}
    return jwt.encode(claims | {"jti": jti or str(uuid.uuid4())}, SECRET, algorithm="HS256")


async def bearer_ends(place: Served, chat: Chat) -> None:
    """Wait until the bearer of a client has ended, by its own claim, and see that the server refuses it."""
    bearer = str(chat._session.access.identified)
    claims = jwt.decode(bearer.removeprefix("lwf_"), options={"verify_signature": False})
    await until_async(lambda: time.time() >= claims["exp"], what="the end of the bearer")
    headers = {"authorization": f"Bearer {bearer}"}
    async with httpx2.AsyncClient(base_url=place.url, headers=headers) as client:
        assert (await client.post("/v1/tickets", json={})).status_code == 401


async def test_the_python_client_says_who_talks_while_an_answer_is_read(place: Served) -> None:
    async with connect(place.url, service="chat") as chat:
        run = await chat.send("hello there, who are you?")
        heard = ""
        async for part in run:
            heard += part.delta if isinstance(part, Text) else ""
            if len(heard) > 10:
                break
        session = chat.session
        identified, following = await asyncio.gather(
            chat.identify(signed()), chat.send("and what can you do?")
        )
        assert (identified.user, identified.session) == ("ana", session)
        assert (await run).outcome == (await following).outcome == "success"
        assert (await run).text.startswith(heard)
        assert chat.session == session
        with pytest.raises(Refused) as refused:
            await chat.identify("no token")
        assert refused.value.code == "identity_malformed"
    async with connect(place.url, service="chat") as elsewhere:
        assert (await elsewhere.identify(signed())).session == session
        await until_async(lambda: len(elsewhere.messages) >= 4)
        assert (await elsewhere.identify(None)).session is None
        await until_async(lambda: elsewhere.is_connected and not elsewhere.messages)
        assert elsewhere.session != session


async def test_the_python_client_is_opened_for_the_tokens_of_an_app(place: Served) -> None:
    async with connect(place.url, app="shop", service="chat") as chat:
        with pytest.raises(Refused) as refused:
            await chat.identify(signed())
        assert refused.value.code == "identity_audience"
        assert (await chat.identify(signed(app="shop"))).user == "ana"
        assert (await (await chat.send("hello"))).outcome == "success"


async def test_the_python_client_asks_for_the_next_token_in_time(place: Served) -> None:
    asked = []

    async def mint() -> str:
        asked.append(time.time())
        return signed("bia", -27 if len(asked) == 1 else 600)

    async with connect(place.url, service="chat") as chat:
        await chat.identify(mint)
        session = chat.session
        await until_async(lambda: len(asked) > 1)
        assert (await (await chat.send("still here?"))).outcome == "success"
        assert session in (None, chat.session)


@pytest.mark.conformance
async def test_the_python_client_replaces_a_bearer_that_has_ended(place: Served) -> None:
    async with connect(place.url, service="chat") as chat:
        await chat.identify(signed("nuno", -27))
        session = chat.session
        await bearer_ends(place, chat)
        assert await chat.identify(signed("nuno")) == Identified("nuno", session)
        assert (await (await chat.send("still here?"))).outcome == "success"
        await chat.identify(signed("nuno", -27))
        await bearer_ends(place, chat)
        assert await chat.identify(None) == Identified(None, None)
        assert (await (await chat.send("and I?"))).outcome == "success"
        assert chat.session not in (None, session)


async def test_a_chat_of_the_python_client_whose_user_is_revoked_opens_again_as_the_next_user(
    place: Served, environment: dict[str, str]
) -> None:
    async with connect(place.url, service="chat") as chat:
        await chat.identify(signed("rita", jti="lost"))
        await (await chat.send("hello"))
        session = chat.session
        revoke = partial(command, place.data_dir, environment, "identities", "revoke", "demo")
        assert (await asyncio.to_thread(revoke, "--jti", "lost"))[0] == 0
        await until_async(lambda: chat._session.conversation.failure is not None, what="the refusal")
        with pytest.raises(Closed):
            await chat.send("are you there?")
        assert await chat.identify(signed("rita")) == Identified("rita", session)
        assert (await (await chat.send("are you there?"))).outcome == "success"


@pytest.mark.conformance
async def test_a_function_of_the_python_client_replaces_a_token_that_is_revoked(
    place: Served, environment: dict[str, str]
) -> None:
    names = ["stolen", "new"]
    async with connect(place.url, service="chat") as chat:
        await chat.identify(lambda: signed("saul", jti=names.pop(0)))
        await (await chat.send("hello"))
        session = chat.session
        revoke = partial(command, place.data_dir, environment, "identities", "revoke", "demo")
        assert (await asyncio.to_thread(revoke, "--jti", "stolen"))[0] == 0
        await until_async(lambda: not names, what="the next token")
        assert (await (await chat.send("are you there?"))).outcome == "success"
        assert chat.session == session


@pytest.mark.conformance
async def test_the_javascript_client_replaces_a_bearer_that_has_ended(place: Served) -> None:
    script = ROOT / "sdk/js/tests/replace_bearer.mjs"
    process = await asyncio.create_subprocess_exec(NODE, script, place.url, SECRET, stdout=PIPE)
    out, _ = await asyncio.wait_for(process.communicate(), 4 * PATIENCE_S)
    assert process.returncode == 0
    told = json.loads(out)
    assert told["again"] == {"user": "sofia", "session_id": told["session"]}
    assert told["end"] == "finished"
    assert told["out"] == {"user": None, "session_id": None}
    assert told["nobody"] not in (None, told["session"])
    assert (told["asked"], told["woken"], told["same"]) == (2, "finished", True)


async def test_a_visitor_who_was_never_known_has_nothing_to_sign_out_of(place: Served) -> None:
    async with connect(place.url, service="chat") as chat:
        await (await chat.send("hello"))
        assert (await chat.identify(None)).session == chat.session
        assert len(chat.messages) == 2


async def test_the_javascript_client_does_the_same(place: Served) -> None:
    script = ROOT / "sdk/js/tests/identify_user.mjs"
    process = await asyncio.create_subprocess_exec(NODE, script, place.url, SECRET, stdout=PIPE)
    out, _ = await asyncio.wait_for(process.communicate(), 4 * PATIENCE_S)
    assert process.returncode == 0
    told = json.loads(out)
    assert told["identified"] == {"user": "ana", "session_id": told["session"]}
    assert (told["end"], told["same"], told["refreshed"]) == ("finished", True, True)
    assert len(told["texts"]) == 2
    assert told["wrong"] == "identity_malformed"
    assert told["switched"] == {"user": "eva", "session_id": None}
    assert told["eva"]["session"] != told["session"]
    assert told["eva"]["mine"] == ["hello from eva"]
    assert told["back"] == {"user": "ana", "session_id": told["session"]}
    assert told["restored"] == told["texts"][:1]
    assert told["out"] == {"user": None, "session_id": None}
    assert told["left"] == 0
    assert told["nobody"] not in (told["session"], told["eva"]["session"])


def commands(folder: Path) -> dict[str, list[str]]:
    """Return how a program of each language is run that is installed here."""
    made = {"python": ["python3", "sign.py"], "js": [NODE, "sign.mjs"], "php": ["php", "sign.php"]}
    made["ruby"] = ["ruby", "sign.rb"]
    made["python"][0] = str(ROOT / ".venv/bin/python")
    found = {name: argv for name, argv in made.items() if shutil.which(argv[0])}
    return {name: [argv[0], str(folder / argv[1])] for name, argv in found.items()}


def test_the_functions_of_the_guide_sign_what_is_taken(tmp_path: Path) -> None:
    runnable = commands(tmp_path)
    assert runnable.keys() >= {"python", "js"}
    for language, argv in runnable.items():
        blocks = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
        assert len(blocks) == 1, language
        Path(argv[1]).write_text(f"{blocks[0]}\n{ENDINGS[language]}\n")
        for user in ("42", "ana é/+"):
            made = subprocess.run([*argv, user, SECRET], capture_output=True, check=True, text=True)
            token = read_header(made.stdout.strip(), "HS256")
            now = int(time.time())
            named, identity = verify(token, [SECRET.encode()], algorithm="HS256", app="shop", now=now)
            assert named == user
            assert identity.id.startswith("jti_")
