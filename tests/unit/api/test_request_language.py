"""The language of a request: one that its app has."""

from __future__ import annotations

import pytest

from server.agents.contract import ServiceRequest
from server.api.requests.body import in_language_of
from server.apps import App


@pytest.mark.parametrize(
    ("languages", "given", "taken"),
    [
        ((), "en-US", "en-US"),
        ((), "PT-PT", "PT-PT"),
        ((), "it-IT", "pt-PT"),
        ((), "", "pt-PT"),
        (("en",), "PT-PT", "en"),
        (("en", "de"), "de_AT", "de_AT"),
        (("en", "pt"), "it", "en"),
        (("fr", "en"), "es", "fr"),
    ],
)
def test_a_language_that_the_app_does_not_have_is_its_first(
    languages: tuple[str, ...], given: str, taken: str
) -> None:
    app = App(languages=languages)  # type: ignore[arg-type]
    assert in_language_of(app, ServiceRequest(language=given)).language == taken
