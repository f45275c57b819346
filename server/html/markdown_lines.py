"""Lines of Markdown: which block the beginning of one opens, or that more of it has to come first."""

from dataclasses import dataclass
from typing import Final

from server import patterns

MOST_COLUMNS = 40
MOST_MARKS = 400
"""Characters of marks at the beginning of a line, and of the first line of a block of code; with more of them it is
text. So what is not decided yet is short, and is read again at each piece."""

MOST_UNDERLINE = 2_000
"""Characters of the line below a heading or below the head of a table; a longer one is text."""

_FENCE = patterns.compile(r"(`{3,}|~{3,})[ \t]*([^`\n]*)")
_HEADING = patterns.compile(r"(#{1,6})(?:[ \t]+(.*)|$)")
_ITEM = patterns.compile(r"([-*+]|(\d{1,9})([.)]))(?:([ \t]+)(?=[^ \t])|[ \t]*$)")
_OPEN_MARKER = patterns.compile(
    r"#{0,6}[ \t]*|[-*_][-*_ \t]*|\+[ \t]*|\d{1,9}(?:[.)][ \t]*)?|`{1,2}|~{1,2}|`{3,}[^`]*|~{3,}.*"
)
"""A beginning that does not decide yet what the line is."""

_MARK_CHARACTERS = "#-*_+`~> \t0123456789.)"
_RULES = frozenset("*-_")
_FENCES = ("```", "~~~")
_PIPE = patterns.compile(r"(?<!\\)\|")
_ALIGNED = patterns.compile(r":?-+:?")


@dataclass(frozen=True, slots=True)
class Fence:
    """The first line of a block of code."""

    marks: str
    indent: int
    language: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in one line."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across."""


@dataclass(frozen=True, slots=True)
class QuoteMark:
    """The mark of a quote; `rest` is the line after it."""

    rest: str


@dataclass(frozen=True, slots=True)
class ItemMark:
    """The mark of a list's item: `kind` is that of its list, `width` the columns before its content."""

    kind: str
    start: int | None
    width: int
    rest: str


class Undecided:
    """More of the line has to come."""


UNDECIDED: Final = Undecided()

Opening = Fence | Heading | Rule | QuoteMark | ItemMark | Undecided | None
"""None is a line of text."""


def indent_of(line: str) -> int:
    """Count the columns of blanks at the beginning of a line."""
    return len(line) - len(line.lstrip(" \t"))


def opening_of(line: str, *, complete: bool, interrupts: bool) -> Opening:
    """Return what a line opens; one that `interrupts` a paragraph is no empty item, and no number but one."""
    indent = indent_of(line)
    text = line[indent:]
    if indent > 3 or len(text) - len(text.lstrip(_MARK_CHARACTERS)) > MOST_MARKS:  # noqa: PLR2004  # columns
        return None
    if len(text) > MOST_MARKS and text.startswith(_FENCES):
        return None
    if not complete and _OPEN_MARKER.fullmatch(text):
        return UNDECIDED
    if text[:1] == ">":
        return QuoteMark(text[2:] if text[1:2] == " " else text[1:])
    if (fence := _FENCE.fullmatch(text)) is not None:
        return Fence(fence[1], indent, fence[2].split(maxsplit=1)[0] if fence[2].strip() else "")
    if (heading := _HEADING.fullmatch(text)) is not None:
        return Heading(len(heading[1]), (heading[2] or "").lstrip(" \t"))
    return _rule_of(text) or _item_of(text, indent, interrupts)


def _rule_of(text: str) -> Rule | None:
    marks = text.replace(" ", "").replace("\t", "")
    return Rule() if len(marks) > 2 and marks[0] in _RULES and not marks.strip(marks[0]) else None  # noqa: PLR2004


def _item_of(text: str, indent: int, interrupts: bool) -> ItemMark | None:
    found = _ITEM.match(text)
    if found is None:
        return None
    blanks = len(found[4] or "")
    start = int(found[2]) if found[2] else None
    if interrupts and (not blanks or start not in (None, 1)):
        return None
    marker = len(found[1])
    width = marker + (blanks if 0 < blanks < 5 else 1)  # noqa: PLR2004  # more blanks belong to the content
    return ItemMark(found[3] or found[1], start, indent + width, text[width:] if blanks else "")


def heading_text(line: str) -> str:
    """Return the text of a heading without the marks that close it: they stand alone, or behind a blank."""
    marked = line.rstrip(" \t")
    text = marked.rstrip("#")
    before = text.rstrip(" \t")
    is_closed = text != marked and (not text or text != before)
    return before if is_closed else line


def cells_of(line: str) -> list[str]:
    """Return the cells of a row of a table."""
    cells = _PIPE.split(line.strip())
    if not cells[0].strip():
        del cells[0]
    if cells and not cells[-1].strip():
        del cells[-1]
    return [each.strip().replace("\\|", "|") for each in cells]


def alignments_of(line: str, head: str) -> tuple[str, ...] | None:
    """Return how the columns of a table are aligned, when this line below its head says so."""
    text = line.strip()
    if "|" not in head or not text or text.strip("|:- \t"):
        return None
    cells = cells_of(text)
    if not 0 < len(cells) <= MOST_COLUMNS or len(cells) != len(cells_of(head)):
        return None
    if not all(_ALIGNED.fullmatch(each) for each in cells):
        return None
    return tuple(_alignment(each) for each in cells)


def _alignment(cell: str) -> str:
    if cell.endswith(":"):
        return "center" if cell.startswith(":") and len(cell) > 1 else "right"
    return ""


def may_underline(line: str) -> bool:
    """Return whether this beginning could become the line below a heading, or below the head of a table."""
    return len(line) <= MOST_UNDERLINE and not line.strip(" \t|:=-")


def is_underline(line: str) -> int:
    """Return the level of the heading that this line makes of the paragraph above it; 0 for none."""
    text = line.strip()
    if not text or indent_of(line) > 3:  # noqa: PLR2004
        return 0
    return 1 if not text.strip("=") else 2 if not text.strip("-") else 0
