"""The files of the page keep to the house: small, without inline code, with words for everything they say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from server.html.files.bundles import modules_of
from server.html.files.page_files import page_files
from server.html.script_words import DOCS_WORDS, FRAME_FIRST_WORDS, FRAME_WORDS, SCRIPT_WORDS

ROOT = Path(__file__).parents[3]
WEB = ROOT / "web"
TEMPLATES = sorted((WEB / "templates").rglob("*.html"))
SCRIPTS = sorted([*(WEB / "static/js").glob("*.js"), *(ROOT / "sdk/js").glob("*.js")])
SHEETS = sorted((WEB / "static/css").glob("*.css"))
TEXTS = {code: json.loads((WEB / f"words/{code}.json").read_text()) for code in ("pt", "en")}
PAGES = {"page.html", "embed.html", "item.html", "docs.html", "market.html", "service.html", "socket.html"}


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def test_files_stay_small():
    long = [path.name for path in SCRIPTS if lines(path) > 150]
    long += [path.name for path in SHEETS if lines(path) > 150]
    long += [path.name for path in TEMPLATES if lines(path) > (60 if path.name in PAGES else 40)]
    assert long == []


def test_no_style_of_what_is_around_the_rows_depends_on_the_rows():
    """A `:has()` of these restyles every row whenever one of them changes: scripts mark them with attributes."""
    around = re.compile(
        r"(?<![\w-])(?::root|html|body|\.(?:page|talk|scroll|column|log))(?![\w-])[^\s,>+~(]*:has\("
    )
    assert around.search("body[data-x]:has(.asks)")
    assert [path.name for path in SHEETS if around.search(path.read_text())] == []


def test_languages_have_the_same_sentences_with_the_same_values():
    assert list(TEXTS["pt"]) == sorted(TEXTS["pt"])
    assert list(TEXTS["en"]) == sorted(TEXTS["en"])
    assert set(TEXTS["pt"]) == set(TEXTS["en"])
    names = {
        code: {key: set(re.findall(r"{\w*}", text)) for key, text in TEXTS[code].items()} for code in TEXTS
    }
    assert names["pt"] == names["en"]


def test_sentences_do_not_shout_or_apologise():
    loud = re.compile(r"!|\b(desculp|lament|sorry|oops|apolog)", re.IGNORECASE)
    assert [key for texts in TEXTS.values() for key, text in texts.items() if loud.search(text)] == []


def test_portuguese_is_european():
    brazilian = re.compile(
        r"\b(você|vocês|tela|celular|cadastr\w+|deletar|usuário|arquivo|salvar|baixar)\b", re.IGNORECASE
    )
    assert [key for key, text in TEXTS["pt"].items() if brazilian.search(text)] == []


def test_scripts_and_templates_only_say_known_sentences():
    said = {
        key
        for path in SCRIPTS
        for key in re.findall(
            r'["`]((?:action|composer|connection|empty|form|log|queue|run)\.[a-z.]+)["`]', path.read_text()
        )
    }
    said |= {key for path in TEMPLATES for key in re.findall(r"say\('([a-z0-9._]+)'[),]", path.read_text())}
    assert sorted(said - set(TEXTS["pt"])) == []


def test_every_sentence_that_scripts_say_is_put_into_the_page():

    pattern = re.compile(r'words\["([a-z.]+)"\]|phrase\("([a-z.]+)"')
    said = {one or other for path in SCRIPTS for one, other in pattern.findall(path.read_text())}
    assert said
    assert [
        key for key in sorted(said) if not key.startswith((*SCRIPT_WORDS, *DOCS_WORDS, "inbox.script."))
    ] == []


def test_a_frame_has_the_sentences_that_its_first_script_says():
    """Those of approvals and of the time until a limit ends are said after its rows are loaded."""
    later = {"/static/js/approval.js", "/static/js/time_words.js"}
    pattern = re.compile(r'words\["([a-z.]+)"\]|phrase\("([a-z.]+)"')

    def read(address: str) -> str:
        folder = ROOT / "sdk/js" if address.startswith("/static/sdk/") else WEB / "static/js"
        return (folder / Path(address).name).read_text()

    modules = modules_of("/static/js/embed.js", read)
    said = {
        one or other
        for path, text in modules.items()
        if path not in later
        for one, other in pattern.findall(text)
    }
    assert "queue.next.several" in said
    assert [key for key in sorted(said) if not key.startswith(FRAME_FIRST_WORDS)] == []


def test_later_sentences_of_a_frame_are_in_its_words_file():
    files = page_files(WEB).files
    for language, words in TEXTS.items():
        later = json.loads(files[f"words/frame.{language}.json"])
        shown = {key: text for key, text in words.items() if key.startswith(FRAME_WORDS)}
        assert later == {key: text for key, text in shown.items() if not key.startswith(FRAME_FIRST_WORDS)}
        assert 60 < len(later) < len(shown)


def test_every_icon_that_is_named_exists():
    drawn = set(re.findall(r'<symbol id="([\w-]+)"', (WEB / "static/icons.svg").read_text()))
    named = {name for path in TEMPLATES for name in re.findall(r"icon\('([\w-]+)'", path.read_text())}
    named |= {name for path in SCRIPTS for name in re.findall(r"icons\.svg#([\w-]+)", path.read_text())}
    tools = (ROOT / "server").rglob("*.py")
    named |= {name for path in tools for name in re.findall(r'icon="([\w-]+)"', path.read_text())}
    assert sorted(named - drawn) == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_has_what_the_policy_forbids(path):
    text = path.read_text()
    assert not re.search(r"\sstyle=|\son\w+=|javascript:|<style", text)
    assert all(
        'src="' in tag or 'type="application/json"' in tag for tag in re.findall(r"<script[^>]*>", text)
    )


def test_markup_of_the_server_becomes_elements_in_one_place():
    """A frame takes no other (Trusted Types), and its pictures are held back there."""
    sinks = (
        r"(?:inner|outer)HTML = (?!markup\()|insertAdjacentHTML|parseFromString|setHTMLUnsafe|document\.write"
    )
    assert [path.name for path in SCRIPTS if re.search(sinks, path.read_text())] == []


def test_a_message_that_is_sent_before_the_script_is_there_is_not_in_an_address():
    """The browser itself submits the form then: `dialog` does nothing here, `get` would write the text."""
    [form] = re.findall(r"<form[^>]*>", (WEB / "templates/composer.html").read_text())
    assert 'method="dialog"' in form


def test_files_of_the_page_fetch_nothing_from_other_hosts():
    outside = re.compile(r"(?:src|href|import|url)\W{1,3}https?://")
    assert [path.name for path in [*TEMPLATES, *SCRIPTS, *SHEETS] if outside.search(path.read_text())] == []


def test_colours_stand_in_one_sheet():
    bare = re.compile(r"#[0-9a-f]{3,8}\b")
    assert [path.name for path in SHEETS if path.name != "tokens.css" and bare.search(path.read_text())] == []
