"""The golden cases of every service, through the real runner and a real store, with the demo model."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest
from starlette.responses import Response

from server.agents.contract import RequestContract
from server.demo.requests.parsed_request import SENTENCES
from server.languages import LANGUAGES, Language, fold, nearest_language
from server.services import services
from tests.parts.sampled import one_of
from tests.unit.demo.harness import RunnerHarness
from tests.unit.services.requests.golden import Case, answer, cases, faults, read

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONTRACTS: dict[str, RequestContract] = {
    name: each.contract for name, each in services().items() if each.contract is not None
}
LEAST = 20
"""Cases of each service."""
SHARE = 8
"""One case of so many is tried by `make test`."""

SAYS_DEMO = {
    "decision": "reasoning",
    "c2c_validation": "validation_notes",
    "value_estimation": "reasoning",
    "brands_generator": "reasoning",
    "id_validator": "reasoning",
}
"""Where an answer says that it is the demo's; the other services have no field for it."""

NO_WORDS = {"id_validator", "translator"}
"""Services whose example has no words of one language."""

NEVER_DEMO = (
    "marketplace_posting_title",
    "marketplace_posting_description",
    "message_to_user",
    "translations",
)


@pytest.mark.parametrize("case", one_of(SHARE, cases()), ids=str)
async def test_a_request_is_answered_as_its_customer_expects(harness: RunnerHarness, case: Case) -> None:
    contract = CONTRACTS[case.service]
    given = await read(contract, case.request)
    if case.refused is not None:
        assert isinstance(given, Response), f"not refused; {case.why}"
        _require_refusal(case, given)
        return
    assert not isinstance(given, Response), bytes(given.body)
    found = await answer(harness, case.service, given)
    contract.response.model_validate(found)
    assert not faults(case.expect, found), f"{faults(case.expect, found)}\n{case.why}\n{found}"
    _require_honest(case.service, found)


def _require_refusal(case: Case, given: Response) -> None:
    """Require a 422 that names the field and says what is wrong with it."""
    assert given.status_code == 422
    detail = json.loads(bytes(given.body))["detail"]
    assert all(each["loc"][0] == "body" and each["msg"] for each in detail)
    expected = case.refused or {}
    places = [".".join(map(str, each["loc"][1:])) for each in detail]
    assert any(each.startswith(expected["loc"]) for each in places), (places, case.why)
    assert expected.get("says", "") in " ".join(each["msg"] for each in detail), (detail, case.why)


def _require_honest(service: str, found: dict[str, Any]) -> None:
    """Require that an answer says that it is the demo's where it may, nowhere else, and names no sources."""
    says = SAYS_DEMO.get(service)
    if says in found:
        assert "demo" in fold(found[says])
    for name in NEVER_DEMO:
        assert "demo" not in json.dumps(found.get(name, "")).casefold()
    assert found.get("references", []) == []


async def test_every_service_has_enough_cases_with_names_of_their_own() -> None:
    known = cases()
    counts = Counter(each.service for each in known)
    assert set(counts) <= set(CONTRACTS)
    assert not {name: counts[name] for name in CONTRACTS if counts[name] < LEAST}
    assert len({str(each) for each in known}) == len(known)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "service", [name for name, each in CONTRACTS.items() if each.form and name not in NO_WORDS]
)
async def test_an_example_and_its_answer_are_in_the_language_of_the_form(
    harness: RunnerHarness, service: str, language: Language
) -> None:
    example = CONTRACTS[service].example_in(language)
    assert nearest_language(example["language"]) == language
    given = await read(CONTRACTS[service], example)
    assert not isinstance(given, Response), bytes(given.body)
    found = await answer(harness, service, given)
    if service in SAYS_DEMO:
        assert SENTENCES["label"][language] in found[SAYS_DEMO[service]]


async def test_each_sentence_of_the_demo_is_in_each_language_with_the_same_values() -> None:
    for key, texts in SENTENCES.items():
        assert set(texts) == set(LANGUAGES), key
        names = {tuple(sorted(set(re.findall(r"{(\w+)}", text)))) for text in texts.values()}
        assert len(names) == 1, texts
