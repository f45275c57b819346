"""The theme of an app: its accent is judged when the file is read, as the script of a frame would correct it."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest

from server import apps
from server.app_theme import ENOUGH, PAPERS, SOFT, Colour, contrast, mix, readable
from tests.parts.agui_client import NODE

ACCENT = Path(__file__).parents[2] / "web/static/js/accent.js"
SCRIPT = f"""
  const {{ shades, PAPERS }} = await import({json.dumps(ACCENT.as_uri())});
  const colours = JSON.parse(process.argv[1]);
  const found = colours.map((each) => ["light", "dark"].map((scheme) => shades(each, PAPERS[scheme]).accent));
  console.log(JSON.stringify(found));
"""


def test_an_accent_is_judged_as_the_script_of_a_frame_corrects_it() -> None:
    source = random.Random(14)
    colours: list[Colour] = [
        (source.randrange(256), source.randrange(256), source.randrange(256)) for _ in range(200)
    ]
    argv = [str(NODE), "--input-type=module", "-e", SCRIPT, json.dumps(colours)]
    drawn = json.loads(subprocess.run(argv, capture_output=True, check=True, text=True).stdout)
    assert [[list(readable(each, scheme)) for scheme in PAPERS] for each in colours] == drawn


def test_the_nearest_accent_can_be_read_on_its_paper_and_behind_a_tag() -> None:
    for scheme, (paper, _) in PAPERS.items():
        for wished in ((255, 238, 0), (127, 178, 255), (20, 30, 40), (252, 252, 250)):
            found = readable(wished, scheme)
            assert min(contrast(found, paper), contrast(found, mix(paper, found, SOFT))) >= ENOUGH
            assert readable(found, scheme) == found


@pytest.mark.parametrize(
    "theme",
    [
        '{ accent = "#1f5f46" }',
        '{ accent = "#7FB2FF", scheme = "dark" }',
        '{ scheme = "auto" }',
        '{ accent = "#2343c3", scheme = "light" }',
        "{ radius = 0, font_size = 14 }",
        "{ radius = 24, font_size = 20 }",
    ],
)
def test_a_theme_that_can_be_read_is_taken(tmp_path: Path, theme: str) -> None:
    file = tmp_path / "apps.toml"
    file.write_text(f"[shop]\ntheme = {theme}\n")
    assert apps.load(file)["shop"].theme.model_fields_set


@pytest.mark.parametrize(
    ("theme", "sentence"),
    [
        (
            '{ accent = "#ffee00" }',
            r"#ffee00 cannot be read in a light chat: its contrast is 1\.1, and 4\.5 is needed, which #[0-9a-f]{6} has",
        ),
        (
            '{ accent = "#1f5f46", scheme = "dark" }',
            r"#1f5f46 cannot be read in a dark chat: .* #[0-9a-f]{6} has",
        ),
        ('{ accent = "green" }', r"'green' is not a colour such as #1f5f46"),
        ('{ scheme = "sepia" }', r"theme\.scheme: Input should be .*'light'"),
        (
            "{ border = 4 }",
            r"theme\.border: there is no such key; there are accent, scheme, radius, font_size",
        ),
        ("{ radius = 25 }", r"theme\.radius: Input should be less than or equal to 24"),
        ("{ radius = -1 }", r"theme\.radius: Input should be greater than or equal to 0"),
        ('{ radius = "4px" }', r"theme\.radius: Input should be a valid integer"),
        ("{ font_size = 13 }", r"theme\.font_size: Input should be greater than or equal to 14"),
        ("{ font_size = 21 }", r"theme\.font_size: Input should be less than or equal to 20"),
        ("{ font_size = 16.5 }", r"theme\.font_size: Input should be a valid integer"),
    ],
)
def test_a_theme_that_cannot_be_read_is_a_sentence(tmp_path: Path, theme: str, sentence: str) -> None:
    file = tmp_path / "apps.toml"
    file.write_text(f"[shop]\ntheme = {theme}\n")
    with pytest.raises(apps.AppsError, match=sentence):
        apps.load(file)
