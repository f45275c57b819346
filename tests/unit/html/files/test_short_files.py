"""Scripts and sheets are shortened where the library is, and stay as they are where it is not or where it fails."""

from __future__ import annotations

import gzip
import logging
import shutil
import subprocess
from pathlib import Path

import pytest

from server.html.files import short_files
from server.html.files.page_files import page_files
from server.html.files.short_files import minifier_version, short_texts
from tests.parts.missing import skip_missing

WEB = Path(__file__).parents[4] / "web"
SCRIPT = """/*! A licence. */
// Why.
export function sum(given) {
  const total = given.reduce((before, each) => before + each, 0);
  return total;
}
"""
SHEET = "/* Why. */\na {\n  color: red;\n}\n"
TEXTS = {"js/sum.js": SCRIPT, "css/a.css": SHEET}


@pytest.fixture(autouse=True)
def minifier() -> None:
    if not minifier_version():
        skip_missing("tdewolff-minify", "make parts")


def test_spaces_comments_and_local_names_go_and_licences_and_exports_stay() -> None:
    made = short_texts(TEXTS)
    script = made["js/sum.js"]
    assert made["css/a.css"] == "a{color:red}"
    assert script.startswith("/*! A licence. */")
    assert ("export function sum(" in script, "Why" in script, "total" in script) == (True, False, False)


@pytest.mark.skipif(shutil.which("node") is None, reason="runs the script in Node")
def test_a_shortened_script_does_the_same() -> None:
    run = short_texts(TEXTS)["js/sum.js"] + "\nconsole.log(sum([1, 2, 3]));"
    told = subprocess.run(
        ["node", "--input-type=module"], input=run, capture_output=True, text=True, check=True
    )
    assert told.stdout == "6\n"


def test_files_are_not_shortened_when_the_library_fails(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        assert short_texts(TEXTS | {"js/wrong.js": "const = ;"}) == TEXTS | {"js/wrong.js": "const = ;"}
    assert "could not be shortened" in caplog.text


def test_files_are_not_shortened_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_files, "minifier_version", str)
    assert short_texts(TEXTS) == TEXTS


def test_the_files_of_the_page_are_shorter_and_others_as_they_are() -> None:
    site = page_files(WEB)
    for path, most in {"js/page.js": 0.83, "js/embed.js": 0.83, "css/conversation.css": 1.0}.items():
        before, after = (len(gzip.compress(files[path], 9)) for files in (site.files, site.short))
        assert after < before * most, path
    assert site.short.keys() == site.files.keys()
    same = [path for path, data in site.files.items() if not path.startswith(("js/", "sdk/", "css/"))]
    assert "vendor/htmx.min.js" in same
    assert [path for path in same if site.short[path] != site.files[path]] == []
