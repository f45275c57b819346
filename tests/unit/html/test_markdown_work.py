"""No text of a model is much work: what would be is shown as it was written, and a usual answer is drawn."""

from __future__ import annotations

import re
import time
from functools import cache

import pytest

from server.html.markdown import MOST_LENGTH, MOST_WORK, markup_of, to_html, work_of
from server.html.markdown_lines import heading_text
from tests.parts.sampled import one_of

HONEST = (
    "## Heading of it\n\nThis is a paragraph with **bold** and *emphasis* and `code` and "
    "[a link](https://example.com/x), which goes on for a while.\n\n"
    "- one item\n- two items with **bold**\n- three\n\n1. first\n2. second\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint(1)\n```\n\n"
)


def filled(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def numbered(number: int) -> str:
    """Return a part of an answer whose blocks differ from those of other parts: a repeated block is parsed once."""
    return re.sub(r"(Heading|This|one|two|three|first|second|print|[ab12] \|)", rf"{number} \1", HONEST)


def wide_table(size: int) -> str:
    columns = size // 6
    return "a|" * columns + "\n" + "-|" * columns + "\n" + "|\n" * columns


def quoted_table(size: int) -> str:
    columns = size // 8
    return "> " + "a|" * columns + "\n> " + "-|" * columns + "\n" + "> |\n" * columns


def references(size: int) -> str:
    return "".join(f"[r{each}]: http://x/{each}\n" for each in range(size // 32)) + filled("[r1] ", size // 2)


UNITS = [
    "[", "![", "[![", "[*", "**[", "[a][", "[a](", "[a]((", "](", "[x", "[^1]", "x[^ab]", "*a ", "*a **b ", "a***b_",
    "_a ", "*_~~", "`", "``a", "> ", ">", "- ", "* - ", "1. a\n", "- a\n", "- a\n\n", "> a\n", "|",
    "a|b\n-|-\n", "<", "<a", "<http://a>", "&", "&amp;", "\\", "~~a ", "# a\n", "a\n-\n", "a\n\n", "a\n",
    "\n", " \n", "\t", "[a]: b\n", "```\n", "    a\n", "---\n", "word ", "x", "\0", '"',
]  # fmt: skip
CODE = [
    "(",
    '"',
    "'",
    "/*",
    "//",
    "<",
    "a ",
    "\\\\",
    "`",
    "0x",
    "#",
    '\\"',
    "\n",
    "--",
    '"""',
    "<a ",
    "1.",
    "é",
]
TEXTS = {repr(unit): (lambda size, unit=unit: filled(unit, size)) for unit in UNITS}
TEXTS |= {
    f"{language} of {unit!r}": lambda size, unit=unit, language=language: (
        f"```{language}\n{filled(unit, size)}"
    )
    for language in ("python", "js", "html")
    for unit in CODE
}
TEXTS |= {
    f"targets in one another before {unit!r}": lambda size, unit=unit: "\n\n".join(
        "[a](" * 32 + filled(unit, min(size, 31_800)) for _ in range(max(1, size // 31_800))
    )
    for unit in ("x", "()", "\\x", "é", "x ")
}
TEXTS |= {"a wide table": wide_table, "a quoted table": quoted_table, "references": references}


def seconds(text: str) -> float:
    times = []
    for _ in range(2):
        markup_of.cache_clear()
        began = time.process_time()
        to_html(text)
        times.append(time.process_time() - began)
    return min(times)


@cache
def usual_seconds() -> float:
    """Measure an answer of 6,000 characters once."""
    return seconds("".join(numbered(each) for each in range(30))[:6_000])


@pytest.mark.parametrize("name", one_of(6, TEXTS))
def test_no_text_is_much_more_work_than_an_answer(name: str) -> None:
    usual = usual_seconds()
    for size in (500, 1_000, 2_000, 4_000, 8_000, 30_000, 256 * 1024):
        assert seconds(TEXTS[name](size)) < 10 * usual, size


def test_an_answer_with_much_markdown_is_drawn() -> None:
    html = to_html(filled(HONEST, 15_000))
    assert 'class="rest"' not in html
    assert html.count("<h3>") == html.count("<tbody>") + 1 > 40
    prose = filled("Isto é uma frase comum, com **uma** ênfase. " + "E outra sem. " * 12 + "\n\n", 20_000)
    assert "<strong>" in to_html(prose)


@pytest.mark.parametrize(
    "text",
    [
        wide_table(2_000),
        filled("<b>1 & 2</b>\n", 20_000),
        filled("palavra ", MOST_LENGTH + 1),
        "a <script>alert(1)</script>\n\n" + "*" * 5_000 + "\n\nfim",
    ],
)
def test_a_text_that_is_too_much_work_is_shown_as_it_was_written(text: str) -> None:
    html = to_html(text)
    shown = html.replace("<p>", "").replace("</p>\n", "\n\n").replace("<br>\n", "\n")
    assert "<" not in shown
    for mark, name in (("<", "&lt;"), (">", "&gt;"), ("&", "&amp;")):
        shown = shown.replace(name, mark)
    assert shown.split() == text.split()
    assert html.startswith("<p>")
    assert html.count("<p>") == html.count("</p>")


def test_a_row_is_as_much_work_as_another_block_and_beyond_that_as_it_was_written() -> None:
    cells = "|".join(f"**b** {'[' * 60}" for _ in range(20))
    for text in (f"{cells}\n{'|-' * 20}|", f"{'|a' * 20}|\n{'|-' * 20}|\n{cells}"):
        html = to_html(text)
        assert html.count("**b** [") == 20
        assert "<strong>" not in html
    assert to_html(f"{'|a' * 20}|\n{'|-' * 20}|\n{cells.replace('[', '')}").count("<strong>b</strong>") == 20


def test_the_heads_of_tables_count_as_work_of_their_text() -> None:
    html = to_html("".join(f"|{each}{'[' * 900}|\n|-|\n\n" for each in range(20)))
    assert 2 < html.count("<table") < 6
    assert html.endswith("</p>\n")
    assert 'class="rest"' in html


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("a # b ##  \t", "a # b"),
        ("a \t#", "a"),
        ("## \t", ""),
        (" #", ""),
        ("a#", "a#"),
        ("a \\#", "a \\#"),
        ("a # b ", "a # b "),
        ("# #", "#"),
        ("", ""),
    ],
)
def test_a_heading_is_closed_by_marks_that_stand_apart(line: str, text: str) -> None:
    assert heading_text(line) == text


@pytest.mark.parametrize("end", ["b", "b#", "#b"])
def test_blanks_in_a_heading_cost_no_more_than_other_text(end: str) -> None:
    """A search that tries each of them anew would take hours for so many."""
    blanks = " \t" * 500_000
    assert heading_text(f"a{blanks}{end}") == f"a{blanks}{end}"
    assert heading_text(f"a{blanks}#{blanks}") == "a"
    assert to_html(f"# a{blanks}{end}\n\nb").endswith("<p>b</p>\n")


@pytest.mark.parametrize("marks", [")", ").", "?)"])
def test_marks_behind_an_address_cost_no_more_than_other_text(marks: str) -> None:
    """A count of the brackets at each of them would take half an hour for so many."""
    after = marks * (1_000_000 // len(marks))
    drawn = markup_of(f"https://a/(b){after}")
    assert drawn.endswith(f">https://a/(b)</a>{after}")


@pytest.mark.parametrize(
    "text",
    [
        "这是一个链接[名字](https://example.com/x)后面没有空格。" * 40,
        "[a](https://e.x/a_(b)) und [b](https://e.x/" + "c" * 1_500 + ") hier. " * 10,
        "[a](unclosed and more words (in brackets) of it; " * 30,
    ],
)
def test_links_without_blanks_and_with_long_targets_are_drawn(text: str) -> None:
    assert to_html(text + "[z](https://e.x/z)").count("<a href") == text.count("](https") + 1


def test_targets_in_one_another_are_shown_as_they_were_written() -> None:
    text = "[a](" * 32 + "x" * 31_800
    assert to_html(text) == f"<p>{text}</p>\n"
    assert work_of(text) > MOST_WORK > work_of("[a](" * 32 + "x" * 2_000)
    assert work_of("[a](" * 32 + "()" * 15_000) > MOST_WORK
    row = "|" + text[:6_000] + "|**b**|"
    assert to_html(f"|a|b|\n|-|-|\n{row}").count("**b**") == 1
