"""An address that guesses ids is refused; a visitor with a valid id is not, though others at the address guess."""

from __future__ import annotations

import pytest

from server.errors import RateLimited
from server.http.guess_limit import GuessLimit
from server.limits import Limits

LIMITS = Limits()
((OF_VISITOR, SECONDS),) = LIMITS.guesses_per_visitor
((OF_ADDRESS, _),) = LIMITS.guesses_per_address


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/v1/sessions/ses_1", True), ("/v1/sessions/ses_1/messages", True), ("/v1/items/itm_1", True),
        ("/s/ses_1", True), ("/items/itm_1", True), ("/", False), ("/v1/sessions", False), ("/v1/sessions/", False),
        ("/agui/chat", False), ("/sessions", False), ("/static/s/x", False),
    ],
)  # fmt: skip
def test_only_paths_with_an_id_concern_it(path: str, names: bool) -> None:
    assert GuessLimit(LIMITS).concerns(path) is names


def test_a_visitor_who_guesses_is_told_when_to_come_back() -> None:
    guesses = GuessLimit(LIMITS)
    for _ in range(OF_VISITOR):
        guesses.check("a", "vis_1")
        guesses.note("a", "vis_1", 404)
    with pytest.raises(RateLimited) as refused:
        guesses.check("a", "vis_1")
    assert 0 < (refused.value.retry_after or 0) <= SECONDS
    guesses.check("a", "vis_2")


def test_an_address_whose_visitors_are_new_each_time_is_sent_away_but_not_who_has_an_id() -> None:
    guesses = GuessLimit(LIMITS)
    guesses.note("a", "vis_honest", 200)
    for number in range(OF_ADDRESS):
        guesses.note("a", f"vis_{number}", (404, 401)[number % 2])
    with pytest.raises(RateLimited):
        guesses.check("a", "vis_new")
    guesses.check("a", "vis_honest")
    guesses.check("b", "vis_new")


def test_a_visitor_with_an_id_who_guesses_others_is_refused_too() -> None:
    guesses = GuessLimit(LIMITS)
    guesses.note("a", "vis_1", 200)
    for _ in range(OF_VISITOR):
        guesses.note("a", "vis_1", 404)
    with pytest.raises(RateLimited):
        guesses.check("a", "vis_1")


def test_statuses_other_than_404_are_no_guesses() -> None:
    guesses = GuessLimit(LIMITS)
    for status in (400, 403, 409, 429, 500, 503):
        for _ in range(OF_ADDRESS):
            guesses.note("a", "vis_1", status)
    guesses.check("a", "vis_1")


def test_an_answer_that_leads_elsewhere_names_no_id_of_the_visitor() -> None:
    guesses = GuessLimit(LIMITS)
    guesses.note("a", "vis_led", 300)
    guesses.note("a", "vis_told", 299)
    for number in range(OF_ADDRESS):
        guesses.note("a", f"vis_{number}", 404)
    guesses.check("a", "vis_told")
    with pytest.raises(RateLimited):
        guesses.check("a", "vis_led")


def test_twenty_thousand_who_have_an_id_are_remembered_those_of_the_latest_requests() -> None:
    guesses = GuessLimit(LIMITS)
    for number in range(20_000):
        guesses.note("a", f"vis_{number}", 200)
    for who in ("vis_0", "vis_new"):
        guesses.note("a", who, 200)
    for number in range(OF_ADDRESS):
        guesses.note("a", f"guest_{number}", 404)
    for who in ("vis_0", "vis_2", "vis_new"):
        guesses.check("a", who)
    with pytest.raises(RateLimited):
        guesses.check("a", "vis_1")


def test_a_client_whose_credential_opened_nothing_has_named_no_id() -> None:
    guesses = GuessLimit(LIMITS)
    guesses.note("a", "Basic x", 200, verified=False)
    for number in range(OF_ADDRESS):
        guesses.note("a", f"vis_{number}", 404)
    with pytest.raises(RateLimited):
        guesses.check("a", "Basic x")
