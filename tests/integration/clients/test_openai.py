"""OpenAI's published client on `/v1/responses`: a sale to its end, streams that are cut, and what is refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.parts.app_keys import new_key
from tests.parts.images import inline, png
from tests.parts.server import Served, Servers, served

pytestmark = pytest.mark.once

APPS = """
[shop]
requests = "100000/1m"
requests_per_user = "100000/1m"

[small]
requests = "2/1h"
"""
FIRST = "I want to sell an iPhone 12"
MODEL = "submission"


class Shop:
    """A server, the key of its app, and clients of it."""

    def __init__(self, running: Served, environment: dict[str, str]) -> None:
        self.served = running
        self.environment = environment
        self.key = new_key(running, environment, "shop")
        self._clients = ExitStack()

    def client(self, key: str | None = None, *, user: str | None = None) -> OpenAI:
        """Return a client of a process of its own, which repeats nothing."""
        headers = {"accept-language": "en", **({"loopwire-user": user} if user else {})}
        url = f"{self.served.url}/v1"
        made = OpenAI(base_url=url, api_key=key or self.key, default_headers=headers, max_retries=0)
        return self._clients.enter_context(made)

    def close(self) -> None:
        """Close the connections of all clients."""
        self._clients.close()


@contextmanager
def opened_shop(folder: Path, delay_ms: int) -> Iterator[Shop]:
    """Serve a demo model that waits so long before each word."""
    apps = folder / "apps.toml"
    apps.write_text(APPS)
    environment = {"LOOPWIRE_APPS": os.fspath(apps), "LOOPWIRE_DEMO_DELAY_MS": str(delay_ms)}
    with served(environment) as running, closing(Shop(running, environment)) as opened:
        yield opened


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Yield a server whose demo model takes its time, so that an answer can be cut."""
    with opened_shop(tmp_path_factory.mktemp("apps"), 20) as opened:
        yield opened


@pytest.fixture
def slow_shop(tmp_path: Path) -> Iterator[Shop]:
    """Yield a server whose answers do not end before they are stopped, however busy the machine is."""
    with opened_shop(tmp_path, 1000) as opened:
        yield opened


def text_of(events: list[Any]) -> str:
    """Return the words that a stream brought."""
    return "".join(each.delta for each in events if each.type == "response.output_text.delta")


def test_a_sale_comes_to_its_end_and_each_turn_knows_the_one_before(shop: Shop) -> None:
    client = shop.client()
    assert MODEL in [each.id for each in client.models.list()]
    answer = client.responses.create(model=MODEL, input=FIRST, user="ana")
    assert "1. Yes, iPhone 12" in answer.output_text
    for _ in range(20):
        if "LW-" in answer.output_text:
            break
        with client.responses.stream(model=MODEL, input="1", previous_response_id=answer.id) as stream:
            answer = stream.get_final_response()
    assert "LW-" in answer.output_text
    assert answer.usage is not None
    assert answer.usage.total_tokens > 0
    assert client.responses.retrieve(answer.id).output_text == answer.output_text


def test_a_stream_that_was_cut_is_resumed_without_loss_or_double(shop: Shop) -> None:
    client = shop.client()
    before: list[Any] = []
    with client.responses.create(model=MODEL, input=FIRST, stream=True, background=True) as stream:
        for event in stream:
            before.append(event)
            if text_of(before):
                break
    id, last = before[0].response.id, before[-1].sequence_number
    with client.responses.retrieve(id, stream=True, starting_after=last) as stream:
        after = list(stream)
    whole = [*before, *after]
    assert [each.sequence_number for each in whole] == list(range(len(whole)))
    assert text_of(whole) == after[-1].response.output_text
    with client.responses.retrieve(id, stream=True) as stream:
        again = list(stream)
    assert [each.to_dict() for each in again[1:]] == [each.to_dict() for each in whole[1:]]
    with client.responses.retrieve(id, stream=True, starting_after=again[-1].sequence_number) as stream:
        assert list(stream) == []


def test_a_response_in_the_background_is_stopped_from_elsewhere(slow_shop: Shop) -> None:
    begun = slow_shop.client().responses.create(model=MODEL, input=FIRST, background=True)
    assert begun.status in ("queued", "in_progress")
    assert slow_shop.client().responses.cancel(begun.id).status == "cancelled"
    assert slow_shop.client().responses.retrieve(begun.id).status == "cancelled"
    with slow_shop.client().responses.retrieve(begun.id, stream=True) as stream:
        last = list(stream)[-1]
    assert (last.type, last.response.status) == ("response.incomplete", "cancelled")


def test_a_response_of_another_key_or_user_is_not_found(shop: Shop) -> None:
    made = shop.client().responses.create(model=MODEL, input=FIRST, user="ana")
    assert shop.client(user="ana").responses.retrieve(made.id).id == made.id
    strangers = [shop.client(user="bob"), shop.client(new_key(shop.served, shop.environment, "demo"))]
    for stranger in strangers:
        with pytest.raises(openai.NotFoundError, match="no response of this id"):
            stranger.responses.retrieve(made.id)
        with pytest.raises(openai.NotFoundError):
            stranger.responses.cancel(made.id)
        with pytest.raises(openai.NotFoundError):
            stranger.responses.create(model=MODEL, input="1", previous_response_id=made.id)
    with pytest.raises(openai.AuthenticationError) as refused:
        shop.client("lwk_wrong").responses.retrieve(made.id)
    assert refused.value.code == "invalid_api_key"
    with pytest.raises(openai.AuthenticationError):
        shop.client("sk-other").models.list()


def test_a_spent_rate_of_the_app_is_reported_as_openai_reports_it(shop: Shop) -> None:
    client = shop.client(new_key(shop.served, shop.environment, "small"))
    client.models.list()
    client.models.list()
    with pytest.raises(openai.RateLimitError) as refused:
        client.responses.create(model=MODEL, input=FIRST)
    assert refused.value.code == "rate_limit_exceeded"
    assert int(refused.value.response.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("given", "code", "param"),
    [
        ({"instructions": "Be brief."}, "unsupported_parameter", "instructions"),
        ({"tools": [{"type": "web_search"}]}, "unsupported_parameter", "tools"),
        ({"store": False}, "unsupported_parameter", "store"),
        ({"text": {"format": {"type": "json_object"}}}, "unsupported_parameter", "text.format"),
        ({"extra_body": {"bogus": 1}}, "unknown_parameter", "bogus"),
        ({"model": "translator"}, "model_not_found", "model"),
        ({"input": [{"role": "assistant", "content": "Hi"}]}, "invalid_value", "input[0].role"),
        ({"input": [{"type": "function_call_output"}]}, "invalid_value", "input[0].type"),
        ({"input": " "}, "empty", "input"),
        ({"input": "a" * 8_001}, "too_long", "input"),
        ({"previous_response_id": "resp_x", "conversation": "ses_x"}, "invalid_value", "conversation"),
        ({"user": "a", "safety_identifier": "b"}, "invalid_value", "safety_identifier"),
        (
            {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "data:,x"}]}]},
            "url_not_allowed",
            "input",
        ),
    ],
)
def test_an_unsupported_parameter_is_refused_by_its_name(
    shop: Shop, given: dict[str, Any], code: str, param: str
) -> None:
    with pytest.raises(openai.APIStatusError) as refused:
        shop.client().responses.create(**{"model": MODEL, "input": FIRST, **given})
    assert (refused.value.code, refused.value.param) == (code, param)


def test_a_picture_and_wishes_about_the_model_are_taken(shop: Shop) -> None:
    content = [{"type": "input_text", "text": FIRST}, {"type": "input_image", "image_url": inline(png())}]
    said: Any = [{"role": "user", "content": content}]
    answer = shop.client().responses.create(model=MODEL, input=said, temperature=0.1, metadata={}, store=True)
    assert "iPhone 12" in answer.output_text
    session = shop.client().get(f"/sessions/{answer.conversation.id}/messages", cast_to=object)  # type: ignore[union-attr]
    assert "/blobs/" in str(session)


@pytest.mark.conformance
@pytest.mark.timeout(180)
def test_a_response_outlives_the_death_of_its_process(serve_each: Servers) -> None:
    environment = {"LOOPWIRE_DEMO_DELAY_MS": "150"}
    running = serve_each(environment)
    key = new_key(running, environment, "demo")
    before: list[Any] = []
    with OpenAI(
        base_url=f"{running.url}/v1", api_key=key, default_headers={"accept-language": "en"}
    ) as client:
        try:
            with client.responses.create(model=MODEL, input=FIRST, stream=True) as stream:
                for event in stream:
                    before.append(event)
                    if text_of(before):
                        running.kill()
        except openai.APIConnectionError:
            pass
        except Exception as cut:  # The published client lets errors of the transport through as they are.
            assert "RemoteProtocolError" in type(cut).__name__ or "ReadError" in type(cut).__name__
        assert before[-1].type != "response.completed"
        port = int(running.url.rsplit(":", 1)[1])
        serve_each(environment, data_dir=running.data_dir, port=port)
        id, last = before[0].response.id, before[-1].sequence_number
        with client.responses.retrieve(id, stream=True, starting_after=last) as stream:
            after = list(stream)
        numbers = [each.sequence_number for each in (*before, *after)]
        assert numbers == sorted(set(numbers))
        assert after[-1].type == "response.completed"
        assert after[-1].response.output_text == client.responses.retrieve(id).output_text
        assert "1. Yes, iPhone 12" in after[-1].response.output_text
