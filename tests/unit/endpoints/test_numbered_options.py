"""A number that a person sends for a numbered option, and what it may mean besides."""

from __future__ import annotations

from typing import Any

import pytest

from server.endpoints.numbered_options import find_option, number_texts, options_of


def block(id: str, *labels: str, **more: Any) -> dict[str, Any]:
    """Return a question with choices."""
    choices = [{"value": f"v{place}", "label": label} for place, label in enumerate(labels)]
    content = {
        "kind": "choices",
        "status": "open",
        "legend": "Which?",
        "name": "q",
        "choices": choices,
        **more,
    }
    return {"id": id, "role": "activity", "activityType": "block", "content": content}


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("1", "64 GB"), ("2.", "128 GB"), (" 3) ", "I do not know"), ("128 gb", "128 GB"),
        ("0", None), ("4", None), ("128", None), ("the first", None), ("", None), ("1 1", None), ("٢", None),
    ],
)  # fmt: skip
def test_a_number_or_the_words_of_an_option_name_it(text: str, label: str | None) -> None:
    options = options_of(
        [block("b1", "64 GB", "128 GB", unsure={"value": "?", "label": "I do not know"})], "en"
    )
    found = find_option(text, options)
    assert (found.label if found else None) == label


def test_a_number_that_another_option_says_too_is_left_to_the_agents() -> None:
    options = options_of([block("b1", "4 owners", "3 owners", "1 owner")], "en")
    assert find_option("1", options) is None
    assert find_option("2", options) is not None


def test_options_are_numbered_through_all_open_blocks_as_they_are_found() -> None:
    messages = [block("b1", "A", "B"), block("b2", "C", status="answered"), block("b3", "D")]
    texts = "\n".join(text for _, text in number_texts(messages, "en"))
    numbered = [f"{place}. {each.label}" for place, each in enumerate(options_of(messages, "en"), 1)]
    assert [line for line in texts.splitlines() if line[:1].isdigit()] == numbered == ["1. A", "2. B", "3. D"]


def test_the_numbers_of_a_long_list_and_of_its_other_buttons_are_those_that_are_shown() -> None:
    more = {"value": "page:3", "label": "See more", "name": "page"}
    listed = block("b1", *("x" * n for n in range(1, 100)), unsure={"value": "?", "label": "None"}, more=more)
    ((_, text),) = number_texts([listed], "en")
    options = options_of([listed], "en")
    for number in (1, 61, 99, 100, 101):
        found = find_option(str(number), options)
        assert found is not None and f"{number}. {found.label}\n" in f"{text}\n"
