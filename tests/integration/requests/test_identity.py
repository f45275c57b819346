"""Identity documents: rules judge the fields that a model read, and no conversation, log or trace has them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.test_images import inline, png
from tests.integration.requests.test_models import behind
from tests.modelserver import ModelServer, Scripted
from tests.parts.collector import Collector, collecting
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.server import Servers

PATH = "/loopos_ai_id_validator"
ZONE = ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"]
READ: dict[str, Any] = {
    "legible": True, "authentic": True, "doc_type": "cc-pt", "country": "PT", "number": "00000000 0 ZZ4",
    "name": "João da Silva", "birth": None, "expiry": "2099-01-01", "mrz": [], "ocr_confidence": 0.9,
}  # fmt: skip
PASSPORT = {
    "doc_type": "passport",
    "country": "UT",
    "mrz": ZONE,
    "number": None,
    "name": None,
    "expiry": None,
}


def identity_request(**wanted: Any) -> dict[str, Any]:
    """Return a request that wants this of the document."""
    about = {"doc_type": "passport,id-card", **wanted}
    return {"images": [inline(png())], "agent_specific": about, "language": "en-US"}


CASES: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "a card": ({}, {}, "OK", "hold"),
    "the expected holder": (
        {},
        {"name": "SILVA JOAO", "number": "000000000ZZ4", "validity": True},
        "OK",
        "hold",
    ),
    "another holder": ({}, {"name": "Ana Costa"}, "ERROR_VALIDATION", "name"),
    "another number": ({}, {"number": "12345678Z"}, "ERROR_VALIDATION", "number"),
    "an old card that may be old": ({"expiry": "2001-01-01"}, {}, "OK", "hold"),
    "an old card": ({"expiry": "2001-01-01"}, {"validity": True}, "ERROR_VALIDATION", "not valid"),
    "no day": ({"expiry": None}, {"validity": True}, "ERROR_VALIDATION", "cannot be read"),
    "a day that is none": (
        {"expiry": "2024-13-99"},
        {"validity": True},
        "ERROR_VALIDATION",
        "cannot be read",
    ),
    "a wrong digit": ({"number": "00000001 0 ZZ4"}, {}, "ERROR_VALIDATION", "check digit"),
    "a type that is not taken": ({}, {"doc_type": "passport"}, "ERROR_VALIDATION", "not accepted"),
    "the very type": ({}, {"doc_type": "CC-PT"}, "OK", "hold"),
    "a copy": ({"authentic": False}, {}, "ERROR_VALIDATION", "original"),
    "a blur": ({"legible": False}, {}, "ERROR_IMAGE_QUALITY", "sharp"),
    "no confidence": ({"ocr_confidence": 0}, {}, "ERROR_IMAGE_QUALITY", "sharp"),
    "no number": ({"number": None}, {}, "ERROR_IMAGE_QUALITY", "sharp"),
    "no type": ({"doc_type": None}, {}, "ERROR_IMAGE_QUALITY", "sharp"),
    "a zone": (PASSPORT, {"name": "Anna Eriksson", "number": "L898902C3"}, "OK", "hold"),
    "a zone that is over": (PASSPORT, {"validity": True}, "ERROR_VALIDATION", "not valid"),
    "a zone with a wrong digit": (
        {**PASSPORT, "number": "L998902C3", "mrz": [ZONE[0], ZONE[1].replace("L8", "L9")]},
        {},
        "ERROR_VALIDATION",
        "machine-readable",
    ),
    "a zone that cannot be read": (
        {**PASSPORT, "number": "X998902C3", "mrz": [ZONE[0][:-1], ZONE[1]]},
        {"validity": True},
        "ERROR_IMAGE_QUALITY",
        "machine-readable",
    ),
    "a passport without a zone": (
        {"doc_type": "passport", "number": "X998902C3"},
        {},
        "ERROR_IMAGE_QUALITY",
        "machine-readable",
    ),
    "a zone of another birth": ({**PASSPORT, "birth": "1975-08-12"}, {}, "ERROR_VALIDATION", "date of birth"),
    "a Spanish card": ({"doc_type": "dni-es", "country": "ES", "number": "12345678-Z"}, {}, "OK", "hold"),
    "a wrong letter": ({"doc_type": "dni-es", "number": "12345678A"}, {}, "ERROR_VALIDATION", "check digit"),
}


@pytest.mark.once
async def test_rules_judge_the_fields_that_a_model_read(serve_each: Servers) -> None:
    async with ModelServer(Scripted(), port=free_port(), api_key=KEY) as model:
        caller = behind(
            serve_each, model, "responses", more={"LOOPWIRE_LIMIT_REQUESTS_PER_ADDRESS": "1000/1m"}
        )
        for name, (read, wanted, status, words) in CASES.items():
            model.brain = Scripted([json.dumps(READ | read)])
            answer = await asyncio.to_thread(caller.request, "POST", PATH, identity_request(**wanted))
            assert answer.status == 200, (name, answer.body)
            assert answer.body["status"] == status, (name, answer.body)
            assert words in answer.body["message"], (name, answer.body)
            if status == "OK":
                body = answer.body
                kind = (READ | read)["doc_type"]
                assert body["item_id"] == f"{kind}_{(READ | read)['country'].lower()}_{body['number']}"


@pytest.mark.once
def test_the_demo_model_reads_nothing_without_words_that_say_what_is_printed(caller: RestCaller) -> None:
    for wanted in ({}, {"number": "12345678Z"}):
        answer = caller.request("POST", PATH, identity_request(**wanted))
        assert (answer.status, answer.body["status"]) == (200, "ERROR_IMAGE_QUALITY")
        assert "was not read" in answer.body["message"]
        assert (answer.body["number"], answer.body["ocr_confidence"]) == (None, 0)


SECRETS = ("00000000", "Silva", "SILVA")


@pytest.mark.once
async def test_no_conversation_log_or_trace_has_the_number_or_the_name(serve_each: Servers) -> None:
    model_server = ModelServer(Scripted([json.dumps(READ)]), port=free_port(), api_key=KEY)
    async with model_server as model:
        with collecting() as traces:
            await keeps_silent(serve_each, model, traces)


async def keeps_silent(serve_each: Servers, model: ModelServer, traces: Collector) -> None:
    """Ask for a document, and look for what is on it in everything that is told."""
    more = {"OTEL_EXPORTER_OTLP_ENDPOINT": traces.url, "LOOPWIRE_LOG_LEVEL": "DEBUG"}
    caller = behind(serve_each, model, "responses", more=more)
    visitor = caller.stranger()
    await asyncio.to_thread(visitor.ticket)
    wanted = identity_request(name="João da Silva", number="000000000ZZ4")
    wanted["messages"] = [{"role": "user", "text": "número: 00000000 0 ZZ4\nnome: João da Silva"}]
    answer = await asyncio.to_thread(visitor.request, "POST", PATH, wanted)
    assert answer.body["status"] == "OK"
    session = answer.headers["x-loopwire-session"]
    shown = await asyncio.to_thread(visitor.request, "GET", f"/v1/sessions/{session}/messages")
    caller.served.stop()
    told = (
        json.dumps(shown.body, ensure_ascii=False)
        + caller.served.log_text()
        + repr([each.attributes for each in traces.spans()])
    )
    assert "cc-pt" in told
    for each in SECRETS:
        assert each not in told, each
