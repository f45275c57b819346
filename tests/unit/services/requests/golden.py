"""Golden cases: requests as customers write them, with what they expect, kept as data in `cases/<service>.toml`.

A case has a name, a sentence of why, its `request` and either `expect` or `refused`. `repeat` makes long texts: a
dotted path of the request, a text in which `{n}` is the count, and how often it stands there. `each_language` makes one
case for each language of the answers; `expect_in` has what is expected in one language beside `expect`. In `expect` a
table whose keys are all matchers is judged by them; any other table is walked; anything else has to be equal.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from server.agents.contract import RequestContract, ServiceRequest
from server.api.requests.body import read_body
from server.languages import LANGUAGES, nearest_language
from tests.unit.demo.harness import RunnerHarness

CASES = Path(__file__).with_name("cases")
MATCHERS = frozenset({"has", "has_any", "lacks", "from", "to", "one_of", "count", "longest", "shortest"})


@dataclass(frozen=True)
class Case:
    """One request with its expectations."""

    service: str
    name: str
    request: Any
    expect: dict[str, Any]
    refused: dict[str, Any] | None
    why: str

    def __str__(self) -> str:
        return f"{self.service}: {self.name}"


def cases() -> list[Case]:
    """Return every case of every service, in the order of the files."""
    return [
        Case(
            service=path.stem,
            name=each["name"],
            request=_long(each["request"], each.get("repeat", {})),
            expect=each.get("expect", {}),
            refused=each.get("refused"),
            why=each["why"],
        )
        for path in sorted(CASES.glob("*.toml"))
        for written in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
        for each in _in_languages(written)
    ]


def _in_languages(written: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a case as it is written, or once in each language that it is for."""
    own = written.get("expect_in", {})
    if not own and not written.get("each_language"):
        yield written
        return
    for language in LANGUAGES if written.get("each_language") else own:
        yield {
            **written,
            "name": f"{written['name']} ({language})",
            "request": {**written["request"], "language": language},
            "expect": {**written.get("expect", {}), **own.get(language, {})},
        }


def _long(request: dict[str, Any], repeats: dict[str, Any]) -> dict[str, Any]:
    """Write long texts into a request."""
    for path, each in repeats.items():
        *way, last = path.split(".")
        place = request
        for step in way:
            place = place[step]
        text = "".join(each["text"].replace("{n}", str(n)) for n in range(1, each["times"] + 1))
        place[last] = place.get(last, "") + text
    return request


async def read(contract: RequestContract, body: Any) -> ServiceRequest | Response:
    """Read a body as the endpoint does."""
    raw = json.dumps(body).encode()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": raw, "more_body": False}

    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}
    return await read_body(Request(scope, receive), contract.request)


async def answer(harness: RunnerHarness, service: str, given: ServiceRequest) -> dict[str, Any]:
    """Answer a request with a run of a session of its own."""
    visitor = await harness.visitor(nearest_language(given.language), service)
    data = given.model_dump(mode="json", exclude={"callback_url"})
    reply = await visitor.send([{"type": "input", "text": "a request", "data": data}])
    assert reply.result.outcome == "success", reply.result.code
    assert reply.result.response is not None
    return reply.result.response


def faults(expected: Any, found: Any, at: str = "") -> list[str]:
    """Return what is otherwise than expected, a sentence each."""
    if not isinstance(expected, dict):
        return [] if _same(expected, found) else [f"{at} is {found!r}, not {expected!r}"]
    if not expected or not set(expected) <= MATCHERS:
        if not isinstance(found, dict):
            return [f"{at} is {found!r}, and no object"]
        told = []
        for name, each in expected.items():
            if name in found:
                told += faults(each, found[name], f"{at}.{name}")
            elif each != "absent":
                told.append(f"{at}.{name} is missing")
        return told
    return [f"{at} is {found!r}: {fault}" for fault in _mismatches(expected, found)]


def _same(expected: Any, found: Any) -> bool:
    if expected == "null":
        return found is None
    return bool(expected == found and isinstance(expected, bool) == isinstance(found, bool))


def _mismatches(matchers: dict[str, Any], found: Any) -> list[str]:
    text = (found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)).casefold()
    told = [f"lacks {each!r}" for each in matchers.get("has", ()) if each.casefold() not in text]
    told += [f"has {each!r}" for each in matchers.get("lacks", ()) if each.casefold() in text]
    some = matchers.get("has_any")
    if some and not any(each.casefold() in text for each in some):
        told.append(f"has none of {some}")
    if "one_of" in matchers and found not in matchers["one_of"]:
        told.append(f"is none of {matchers['one_of']}")
    if "from" in matchers and found < matchers["from"]:
        told.append(f"is under {matchers['from']}")
    if "to" in matchers and found > matchers["to"]:
        told.append(f"is over {matchers['to']}")
    if "count" in matchers and len(found) != matchers["count"]:
        told.append(f"has {len(found)} of them")
    if "longest" in matchers and len(found) > matchers["longest"]:
        told.append(f"is {len(found)} long")
    if "shortest" in matchers and len(found) < matchers["shortest"]:
        told.append(f"is only {len(found)} long")
    return told
