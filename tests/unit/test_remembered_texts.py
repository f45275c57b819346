"""What is remembered of texts is bounded by its size."""

import sys

from server.remembered_texts import RememberedTexts, remember_short


def test_a_short_text_is_remembered_and_a_long_one_is_not() -> None:
    asked: list[tuple[str, int]] = []

    @remember_short(3, 2)
    def ask(text: str, number: int) -> int:
        asked.append((text, number))
        return number

    assert [ask("abc", 1), ask("abc", 1), ask("abc", 2)] == [1, 1, 2]
    assert [ask("abcd", 1), ask("abcd", 1)] == [1, 1]
    assert asked == [("abc", 1), ("abc", 2), ("abcd", 1), ("abcd", 1)]
    ask("x", 1)
    ask("y", 1)
    ask("abc", 1)
    assert asked[-1] == ("abc", 1)


def test_the_newest_texts_are_kept_as_long_as_they_fit() -> None:
    size = 2 * sys.getsizeof("a" * 1_000)
    remembered = RememberedTexts(lambda text, *others: text.upper(), 3 * size)
    first, *others = [letter * 1_000 for letter in "abcde"]
    for each in (first, *others[:2], first):
        assert remembered(each, "pt") == each.upper()
    assert (remembered.made, remembered.bytes) == (3, 3 * size)
    for each in (*others[2:], first):
        remembered(each, "pt")
    assert (remembered.made, remembered.bytes) == (5, 3 * size)
    remembered(others[0], "pt")
    assert remembered.made == 6


def test_a_text_that_is_larger_than_all_is_made_and_not_kept() -> None:
    remembered = RememberedTexts(lambda text: text + "!", 100)
    assert remembered("a" * 200) == "a" * 200 + "!"
    assert remembered.bytes == 0


def test_a_text_that_was_made_elsewhere_is_found() -> None:
    remembered = RememberedTexts(lambda text, *others: text.upper(), 10_000)
    assert remembered.find("a", "pt") is None
    assert remembered.keep("A", "a", "pt") == remembered.find("a", "pt") == remembered("a", "pt") == "A"
    assert remembered.made == 1
