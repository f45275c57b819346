"""The contents of a trace, and a server without a collector, which imports no tracing."""

import json
import re
import time

import pytest
from pydantic import ValidationError

from server.settings import Settings
from server.tracing import OFF, SILENT, About, Usage, tracer
from server.tracing.masking import LIMIT, cut, mask, mask_attributes

NAMES = (
    "LANGFUSE_PUBLIC_KEY LANGFUSE_SECRET_KEY LANGFUSE_BASE_URL LANGFUSE_HOST OTEL_EXPORTER_OTLP_ENDPOINT"
    " LOOPWIRE_TRACE_CONTENT"
).split()
SECRETS = [
    "ana.silva+olx@mail.example.pt",
    "+351 912 345 678",
    "00351912345678",
    "912 345 678",
    "PT50 0002 0123 1234 5678 9015 4",
    "pt50000201231234567890154",
    "DE89370400440532013000",
    "4111 1111 1111 1111",
    "5500-0055-5555-5559",
    "123456789",
    "PT 501964843",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ2aXNfMSJ9.c2lnbmF0dXJlLXNpZ25hdHVyZQ",
    "sk-proj-AbC123_def456ghi",
    "Bearer abcdef123456",
    "vis_abcdefghij0123456789",
    "mF_9.B5f-4.1JqM" + "x" * 30 + "@host.example",
    "7Kq3Zr0VnXw5uT8sYb1Jd4LhPf6Mg2Ae9Ci_Ro-StUv",
    "data:image/png;base64,iVBORw0KGgo9123456789==",
]


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("wrap", ["{}", "Olá {}, obrigado", "({})", "'{}'", "{}.", "a\n{}\nb", "é\t{}"])
def test_no_secret_is_left_in_a_text_or_in_json_of_json(secret: str, wrap: str) -> None:
    text = wrap.format(secret)
    for deep in (
        text,
        json.dumps({"text": text}),
        json.dumps([json.dumps({"text": text}, ensure_ascii=False)]),
    ):
        left = mask(deep)
        assert secret not in left
        assert not re.search(re.escape(max(re.split(r"[ @]", secret), key=len)), left)


@pytest.mark.parametrize("name", ["item_token", "ticket", "resume_token", "api_key", "password"])
def test_a_value_named_as_a_secret_is_masked_however_short(name: str) -> None:
    for text in (
        json.dumps({name: "abc1", "ok": 1}),
        json.dumps(json.dumps({name: "abc1"})),
        json.dumps(json.dumps(json.dumps({name: "abc1"}))),
        f"{name}=abc1",
        f"{name}: abc1",
    ):
        assert "abc1" not in mask(text)
    assert '"ok": 1' in mask(json.dumps({name: "abc1", "ok": 1}))


@pytest.mark.parametrize(
    "text",
    [
        "Quero vender um iPhone 12 Pro de 256 GB por 450 €",
        "itm_abcdefghij0123456789 LW-48213",
        "run_q7w2e3r4t5y6u7i8o9p0",
        '{"product_id": 1042, "option_value_ids": [1, 22, 333]}',
        "loop_os_ai_submission_product_identification_agent",
        "transfer_to_loop_os_ai_submission_product_options_agent",
        "2026-10-17T13:25:16.123456+00:00",
        "0123456789abcdef0123456789abcdef",
        "gpt-5.6-luna gpt-4o-2024-08-06",
        "1234567890123",
        "Comprei em 2019, talvez 2020; 12 de 15 funcionam",
        "ab12 para este novo modelo",
    ],
)
def test_texts_without_a_secret_are_not_masked(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize(
    "unit", ["a", "1", "a1-", "eyJ", "ab@", "+1 ", "\\n1", "PT50", "token:", "vis_", "A1a-"]
)
def test_masking_takes_as_long_as_the_text_is_long(unit: str) -> None:
    def duration_of(size: int) -> float:
        text = (unit * size)[:size]
        times = []
        for _ in range(3):
            begin = time.process_time()
            mask(text)
            times.append(time.process_time() - begin)
        return min(times)

    assert duration_of(32_000) < 40 * max(duration_of(4_000), 0.002)


def test_a_secret_that_the_cut_tears_apart_does_not_leave_in_part() -> None:
    card = "4111 1111 1111 1111"
    for place in range(LIMIT, LIMIT + 300, 7):
        text = cut("x " * ((place - len(card)) // 2) + card + " y" * 400)
        left = mask(text)
        assert len(left) <= LIMIT + 300
        assert "4111" not in left
    assert cut("short") == "short"


def test_only_attributes_that_change_are_replaced_also_in_lists() -> None:
    attributes = {"a": "fine", "b": "to ana@mail.pt", "c": ["x", "sk-abcdefgh"], "d": 912345678, "e": True}
    assert mask_attributes(attributes) == {"b": "to [email]", "c": ["x", "[key]"]}


async def test_without_a_collector_nothing_is_traced() -> None:
    off = tracer(Settings())
    assert off is OFF
    assert not off.on
    run = off.run(About("run_1", "ses_1", "vis_1", "demo", "chat", "pt", 1))
    assert run is SILENT
    child = run.child("tool", "x")
    assert child is SILENT
    child.note({"a": 1})
    child.note_content(input="text")
    child.note_answer(Usage(), began_ns=None)
    child.judge("error", "code")
    child.end()
    await off.aclose()


def test_half_of_langfuses_keys_is_refused_and_both_addresses_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk-lf-1")
    with pytest.raises(ValidationError, match="together"):
        Settings()
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-lf-private")
    assert Settings().langfuse_url == "https://cloud.langfuse.com"
    monkeypatch.setenv("LANGFUSE_HOST", "https://langfuse.example")
    assert Settings().langfuse_url == "https://langfuse.example"
    monkeypatch.setenv("LANGFUSE_BASE_URL", "https://base.example")
    assert Settings().langfuse_url == "https://base.example"
    assert Settings().traces
    assert "sk-lf-private" not in repr(Settings())
