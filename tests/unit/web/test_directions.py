"""The sheets lay a page out by the direction of its text: nothing in them says left or right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SHEETS = sorted((Path(__file__).parents[3] / "web" / "static" / "css").glob("*.css"))
DRAWN = re.compile(r"border: solid [^;]+; border-width: 0 2px 2px 0;")
"""The stroke of a check mark, which is turned: a picture, and no layout."""
PHYSICAL = re.compile(
    r"(?<![\w-])(?:(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right)\b[\w-]*"
    r"|border-(?:top|bottom)-(?:left|right)-radius|left|right)\s*:"
    r"|(?:text-align|float|clear):\s*(?:left|right)\b"
)
SIDES = re.compile(
    r"(?<![\w-])(?:margin|padding|inset|border-width|scroll-margin|scroll-padding):\s*([^;{}]+)"
)
PART = re.compile(r"(?:\w*\([^()]*(?:\([^()]*\)[^()]*)*\)|[^\s()])+")
FOUR = 4


def physical(sheet: str) -> list[str]:
    """Return the declarations of a sheet that name a side, or give left and right different values."""
    bare = DRAWN.sub("", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL))
    named = [each[0] for each in PHYSICAL.finditer(bare)]
    sides = [(each[0], PART.findall(each[1])) for each in SIDES.finditer(bare)]
    return named + [text for text, parts in sides if len(parts) == FOUR and parts[1] != parts[3]]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda each: each.stem)
def test_no_declaration_names_a_side(sheet: Path) -> None:
    assert physical(sheet.read_text()) == []


@pytest.mark.parametrize(
    ("rule", "is_physical"),
    [
        (".a { margin-left: 4px; }", True),
        (".a { padding: 1px 2px 1px calc(1px + (2px * 3)); }", True),
        (".a { padding: 1px calc(1px + 2px) 3px calc(1px + 2px); }", False),
        (".a { inset-inline-start: 0; margin-inline: 1px 2px; }", False),
        (".a { position: absolute; left: 50%; }", True),
        (".a { text-align: right; }", True),
        (".a { border-top-left-radius: 4px; }", True),
    ],
)
def test_the_rule_finds_declarations_that_name_a_side(rule: str, is_physical: bool) -> None:
    assert bool(physical(rule)) is is_physical
