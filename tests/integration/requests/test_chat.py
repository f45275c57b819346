"""POST /chat: a sale in Deep Chat's convention, whole answers and streams, and the refusals."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest

from server.words import chat_refusal
from tests.integration.requests.chat_client import BASE, body_of, buttons
from tests.integration.requests.conftest import RestCaller
from tests.integration.ws.visitor import Answer
from tests.parts.images import form, inline, png
from tests.parts.sampled import later
from tests.parts.server import Served, Servers

pytestmark = pytest.mark.once

HI = json.dumps({"role": "user", "text": "olá"})


def say(caller: RestCaller, text: str, name: str, **more: Any) -> list[dict[str, Any]]:
    """Send a message and give the answer's messages."""
    answer: Answer = caller.request("POST", "/chat", body_of(text, name, **more))
    assert answer.status == 200, answer.body
    told: list[dict[str, Any]] = answer.body
    assert told
    assert all(each["role"] == "assistant" and (each["text"] or each["html"]) for each in told)
    return told


@pytest.mark.parametrize(
    ("language", "first"),
    [("PT-PT", "quero vender um iPhone 12"), later("en-US", "I want to sell an iPhone 12")],
)
def test_a_sale_comes_to_its_end_by_clicks_on_suggestions(
    caller: RestCaller, language: str, first: str
) -> None:
    name = f"sale-{language}-{caller.address}"
    told = say(caller, first, name, language=language)
    while not (shown := [each for each in told if "LW-" in each.get("html", "")]):
        told = say(caller, buttons(told)[0], name, language=language)
    assert "iPhone 12" in shown[0]["html"]
    assert not buttons(told)


@pytest.mark.parametrize(
    ("language", "first", "product", "values"),
    [
        later("fr-FR", "iPhone 12 128 Go noir", "Oui, iPhone 12", {"128 GB", "Noir"}),
        ("de-DE", "iPhone 12 128 GB schwarz", "Ja, iPhone 12", {"128 GB", "Schwarz"}),
        later("es-ES", "iPhone 12 128 GB negro", "Sí, iPhone 12", {"128 GB", "Negro"}),
    ],
)
def test_the_label_of_a_choice_presses_it_in_a_language_that_the_model_does_not_read(
    caller: RestCaller, language: str, first: str, product: str, values: set[str]
) -> None:
    assert product in buttons(say(caller, first, f"label-{language}", language=language))
    told = say(caller, product, f"label-{language}", language=language)
    assert all(each in " ".join(message["text"] for message in told) for each in values)
    told = say(caller, buttons(told)[0], f"label-{language}", language=language)
    assert len(buttons(told)) == 4, told


def test_a_value_to_be_confirmed_is_named_where_it_is_asked(caller: RestCaller) -> None:
    for text in ("quero vender um iPhone 13", "sim"):
        say(caller, text, "guess")
    told = say(caller, "acho que 256", "guess")
    assert "256 GB" in " ".join(each["text"] for each in told), told
    assert buttons(told)[0].startswith("Sim")


def test_more_products_are_shown_with_their_buttons(caller: RestCaller) -> None:
    first = buttons(say(caller, "telemóvel", "more"))
    more = buttons(say(caller, first[-1], "more"))
    new = [each for each in more if each not in first]
    assert first[-1] == "Ver mais"
    assert len(new) > 10
    told = say(caller, new[0], "more")
    assert new[0] in " ".join(each["text"] + each.get("html", "") for each in told)


def test_the_last_message_counts_and_the_earlier_ones_are_known(caller: RestCaller) -> None:
    say(caller, "quero vender um iPhone 12", "whole")
    everything = [
        {"role": "user", "text": "quero vender um iPhone 12"},
        {"role": "assistant", "text": "É este?", "html": "<div>…</div>"},
        {"role": "user", "text": "Sim, iPhone 12"},
    ]
    answer = caller.request("POST", "/chat", {**body_of("", "whole"), "messages": everything})
    assert answer.status == 200
    job = f"/v1/jobs/{answer.headers['x-loopwire-run']}?session_id=whole"
    assert caller.request("GET", job).body["status"] == "done"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "text": "Olá"}]}, "messages"),
        ({"messages": [{"role": "user", "text": "a" * 8_001}]}, "messages"),
        ({"loopos_core_base_url": "file:///etc/passwd"}, "loopos_core_base_url"),
    ],
)
def test_a_wrong_body_is_refused_in_the_documented_shape(
    caller: RestCaller, change: dict[str, Any], where: str
) -> None:
    answer = caller.request("POST", "/chat", body_of("olá") | change)
    assert answer.status == 422
    assert answer.body["detail"][0]["loc"][:2] == ["body", where]


@pytest.mark.parametrize(
    ("images", "status", "sentence"),
    [
        (["http://127.0.0.1/a.png"], 422, "url_not_allowed"),
        (["https://shop.example/a.png"] * 9, 422, "too_many_photos"),
        (["data:image/png,abc"], 422, "url_not_allowed"),
    ],
)
def test_a_refused_photo_is_told_of_in_the_language_of_the_caller(
    caller: RestCaller, images: list[str], status: int, sentence: str
) -> None:
    for language, code in (("PT-PT", "pt"), ("de-DE", "de")):
        accepts = {"accept-language": language}
        given = body_of("olá", images=images, language=language)
        answer = caller.request("POST", "/chat", given, headers=accepts)
        assert (answer.status, answer.body["error"]) == (status, chat_refusal(sentence, code))
        body, headers = form({**BASE, "language": language, "message1": HI}, [png()] * 9)
        answer = caller.request("POST", "/chat", body, headers=headers | accepts)
        assert (answer.status, answer.body["error"]) == (413, chat_refusal("too_many_photos", code))


def test_the_base_addresses_are_required(caller: RestCaller) -> None:
    answer = caller.request("POST", "/chat", {"messages": [{"role": "user", "text": "olá"}]})
    assert {each["loc"][-1] for each in answer.body["detail"]} == set(BASE)


def test_words_of_a_stream_come_in_pieces_and_say_what_is_stored(serve_each: Servers) -> None:
    caller = RestCaller(serve_each({"LOOPWIRE_DEMO_DELAY_MS": "5"}))
    request = urllib.request.Request(
        f"{caller.served.url}/chat",
        data=json.dumps(body_of("quero vender um iPhone 12", "streamed")).encode(),
        headers={"content-type": "application/json", "accept": "text/event-stream"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        assert response.headers.get_content_type() == "text/event-stream"
        told = [json.loads(line[6:]) for line in response if line.startswith(b"data: ")]
    assert len(told) > 3
    assert all(set(each) == {"text"} for each in told)
    whole = "".join(each["text"] for each in told)
    assert "iPhone 12" in whole
    assert "- Sim, iPhone 12" in whole
    assert "quero vender" not in whole


def test_a_call_that_waits_for_a_yes_is_allowed_by_its_button(serve_each: Servers, tmp_path: Any) -> None:
    apps = tmp_path / "apps.toml"
    apps.write_text('[demo]\napprovals = ["create_item"]\n')
    caller = RestCaller(serve_each({"LOOPWIRE_APPS": str(apps), "LOOPWIRE_DEMO_DELAY_MS": "0"}))
    say(caller, "quero vender um iPhone 12 preto de 128 gb", "asked")
    say(caller, "sim", "asked")
    told = say(caller, "Sim, criar o artigo", "asked")
    assert "Confirmar" in buttons(told)
    after = say(caller, "Confirmar", "asked")
    assert any("criado" in str(each.get("text")) for each in after), after


def test_health_is_answered_without_credentials(loopwire: Served, caller: RestCaller) -> None:
    answer = caller.request("GET", "/health")
    assert answer.status == 200
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "text", ["quero vender\0 um iPhone 12", "\ud83d", "\u202equero\x1b[2J vender um iPhone 12"]
)
def test_odd_characters_cause_no_server_error(caller: RestCaller, text: str) -> None:
    answer = caller.request("POST", "/chat", body_of(text, f"odd-{caller.address}"))
    assert answer.status in (200, 400, 422), answer.body


def test_a_form_with_files_is_a_message_with_pictures(caller: RestCaller) -> None:
    """Deep Chat sends a form when a message has files, and no message at all for files alone."""
    fields = {**BASE, "session_id": f"form-{caller.address}", "language": "PT-PT"}
    said = {"role": "user", "text": "quero vender um iPhone 12"}
    body, headers = form({"message1": json.dumps(said), **fields}, [png(), png("blue")])
    answer = caller.request("POST", "/chat", body, headers=headers)
    assert answer.status == 200, answer.body
    assert "Sim, iPhone 12" in buttons(answer.body)
    body, headers = form(fields, [png("green")])
    answer = caller.request("POST", "/chat", body, headers=headers)
    assert answer.status == 200, answer.body
    assert "a fotografia fica guardada" in answer.body[0]["text"]


def test_callers_whose_form_has_no_name_share_no_conversation(caller: RestCaller, loopwire: Served) -> None:
    said = {"message1": json.dumps({"role": "user", "text": "olá"})}
    begun = set()
    for each in (caller, RestCaller(loopwire)):
        body, headers = form({**BASE, **said, "session_id": "null"}, [])
        answer = each.request("POST", "/chat", body, headers=headers)
        assert answer.status == 200, answer.body
        begun.add(answer.headers["x-loopwire-session"])
    assert len(begun) == 2


@pytest.mark.parametrize("kind", [later("audio"), "any"])
def test_files_that_are_no_pictures_are_not_read_and_lose_no_message(caller: RestCaller, kind: str) -> None:
    sound = {"type": kind, "name": "a.wav", "src": "data:audio/wav;base64,UklGRg=="}
    said = {"role": "user", "text": "quero vender um iPhone 12", "files": [sound]}
    answer = caller.request("POST", "/chat", {"messages": [said], **BASE})
    assert "Sim, iPhone 12" in buttons(answer.body), answer.body
    body, headers = form({"message1": json.dumps({**said, "files": []}), **BASE}, [b"RIFF"])
    body = body.replace(b"content-type: image/png", b"content-type: audio/wav")
    answer = caller.request("POST", "/chat", body, headers=headers)
    assert "Sim, iPhone 12" in buttons(answer.body), answer.body


def test_files_of_a_message_in_json_are_its_pictures(caller: RestCaller) -> None:
    file = {"name": "a.png", "type": "image", "src": inline(png())}
    body = {"messages": [{"role": "user", "files": [file]}], **BASE, "session_id": f"json-{caller.address}"}
    answer = caller.request("POST", "/chat", body)
    assert (answer.status, "imagens" in answer.body[0]["text"]) == (200, True)


@pytest.mark.parametrize(
    ("fields", "files", "status"),
    [
        ({**BASE, "message1": "{"}, [], 400),
        ({**BASE, "message1": json.dumps({"role": "user", "text": "olá"})}, [b"no picture"], 422),
        ({"message1": json.dumps({"role": "user", "text": "olá"})}, [], 422),
        ({**BASE}, [], 422),
        ({**BASE, "message1": "3"}, [], 422),
        ({**BASE}, [png()] * 9, 413),
        ({**BASE, "message1": "[" * 100_000}, [], 413),
    ],
)
def test_a_wrong_form_is_refused(
    caller: RestCaller, fields: dict[str, str], files: list[bytes], status: int
) -> None:
    body, headers = form(fields, files)
    answer = caller.request("POST", "/chat", body, headers=headers)
    assert answer.status == status, answer.body
