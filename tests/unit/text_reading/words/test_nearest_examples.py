"""Nearest examples: the meaning of a text by texts with known meanings, and none where it is not clear."""

from __future__ import annotations

from server.text_reading.words.nearest_examples import NearestExamples

TEXTS = {
    "works": ["it works fine", "everything works", "runs without trouble"],
    "broken": ["it does not work", "it is broken", "stopped last week"],
    "said": ["good morning", "thank you"],
}
EXAMPLES = NearestExamples(TEXTS, str.split, frozenset({"not", "never"}))


def meaning(text: str) -> str | None:
    found = EXAMPLES.find(text)
    return found and found[0]


def test_a_text_has_the_meaning_of_the_example_that_it_is_near_to() -> None:
    assert meaning("everything works well") == "works"
    assert meaning("stopped a week ago") == "broken"
    assert meaning("thank you so much") == "said"


def test_an_example_itself_is_as_near_as_can_be_where_others_say_the_same() -> None:
    alone = NearestExamples({"one": ["red car", "red car", "red car"], "two": ["blue boat"]}, str.split)
    found = alone.find("red car")
    assert found is not None and found[0] == "one" and round(found[1], 9) == 1.0


def test_a_denial_is_not_near_to_what_it_denies() -> None:
    assert meaning("it never works") != "works"
    plain, denied = EXAMPLES.find("everything works"), EXAMPLES.find("not everything works")
    assert plain is not None and (denied is None or denied[0] != "works" or denied[1] < plain[1] / 2)


def test_unknown_and_empty_texts_have_no_meaning() -> None:
    assert meaning("seven blue elephants") is None
    assert meaning("") is None
    assert meaning("it is") is None


def test_words_that_two_meanings_share_say_nothing() -> None:
    shared = NearestExamples({"one": ["red car"], "two": ["red boat"]}, str.split)
    assert shared.find("red") is None
    assert shared.find("red boat") is not None


def test_without_examples_there_is_no_meaning() -> None:
    assert NearestExamples({}, str.split).find("red car") is None
    assert NearestExamples({"one": []}, str.split).find("red car") is None


def test_the_endings_of_long_words_do_not_count() -> None:
    assert meaning("stoppages last week") == meaning("stopped last week") == "broken"
