"""Bundles of scripts and sheets: what they hold, what they refuse, and that the page's own run as their modules do."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from server.html.files.bundles import BundleError, compact_sheet, imports_of, script_bundle, sheet_bundle
from server.html.files.page_files import PREFIX, page_files

WEB = Path(__file__).parents[4] / "web"
MODULES = {
    "/static/js/page.js": """import { add, Sum as Total } from "./sum.js";
import "./seen.js";
import { LIMIT } from "/static/sdk/limit.js";

/** A comment of
 *  several lines. */
const own = 1;
seen.push(`page ${add(own, LIMIT)} ${new Total().value} ${typeof hidden}`);
""",
    "/static/js/sum.js": """import { LIMIT } from "/static/sdk/limit.js";
const hidden = LIMIT;
const own = 5;
export function add(a, b) {
  // A comment.
  return a + b;
}
export class Sum {
  value = own + hidden;
}
seen.push("sum");
""",
    "/static/js/seen.js": 'seen.push("seen");\n',
    "/static/sdk/limit.js": 'seen.push("limit");\nexport const LIMIT = 10;\nexport async function later() {}\n',
}


def reading(**changed: str) -> Callable[[str], str]:
    return (MODULES | {f"/static/js/{name}.js": text for name, text in changed.items()}).__getitem__


def seen_by(bundle: str) -> list[str]:
    """Run a bundle in Node, and return what its modules push."""
    run = f"const seen = [];\n{bundle}\nconsole.log(JSON.stringify(seen));"
    told = subprocess.run(
        ["node", "--input-type=module"], input=run, capture_output=True, text=True, check=True
    ).stdout
    seen: list[str] = json.loads(told)
    return seen


@pytest.mark.skipif(shutil.which("node") is None, reason="runs the bundle in Node")
def test_modules_run_once_each_in_their_order_with_scopes_of_their_own():
    bundle = script_bundle("/static/js/page.js", reading())
    assert seen_by(bundle) == ["limit", "sum", "seen", "page 11 15 undefined"]
    assert "omment" not in bundle


@pytest.mark.skipif(shutil.which("node") is None, reason="runs the bundle in Node")
def test_a_later_bundle_takes_the_modules_of_the_one_that_imports_it():
    read = reading(later='import { add } from "./sum.js";\nseen.push(`later ${add(1, 1)}`);\n')
    shared = {"/static/js/sum.js"}
    first = script_bundle("/static/js/page.js", read, offered=shared)
    later = script_bundle("/static/js/later.js", read, taken=shared)
    assert seen_by(f"{first}{{\n{later}}}") == ["limit", "sum", "seen", "page 11 15 undefined", "later 2"]
    rows = page_files(WEB).files["js/frame_rows.js"]
    assert b"class Versions" in rows
    assert b"class LoopwireClient" not in rows


def test_a_bundle_exports_what_its_entry_exports():
    assert script_bundle("/static/js/sum.js", reading()).endswith("export const { add, Sum } = $m1;\n")
    later = page_files(WEB).files["js/keys_list.js"].decode()
    assert (imports_of(later), "export const { show } = " in later) == ([], True)


@pytest.mark.skipif(shutil.which("node") is None, reason="runs the bundle in Node")
def test_a_bundle_passes_on_what_its_entry_passes_on():
    read = reading(all='export { add, Sum } from "./sum.js";\nexport const own = 1;\n')
    bundle = script_bundle("/static/js/all.js", read)
    assert bundle.endswith("export const { own, add, Sum } = $m2;\n")
    assert seen_by(f"{bundle}seen.push(add(1, own), new Sum().value);") == ["limit", "sum", 2, 15]


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"sum": 'import { LIMIT } from "./page.js";\nexport function add() {}\n'}, "imports itself"),
        ({"sum": "export function add() {}\n"}, "Sum as Total, which nothing exports"),
        ({"seen": "export default 1;\n"}, "export default 1"),
        ({"seen": "export let count = 0;\n"}, "export let count"),
        ({"seen": 'import all from "./sum.js";\n'}, "import all from"),
        ({"seen": 'export { add as plus } from "./sum.js";\n'}, "export { add as plus }"),
        ({"seen": 'export { minus } from "./sum.js";\n'}, "minus, which nothing exports"),
    ],
)
def test_an_import_or_export_that_a_bundle_cannot_hold_is_an_error(changed: dict[str, str], complaint: str):
    with pytest.raises(BundleError, match=complaint):
        script_bundle("/static/js/page.js", reading(**changed))


def test_a_sheet_has_the_sheets_that_it_imports_in_their_places():
    sheets = {
        "/static/css/all.css": '/* All. */\n@import "a.css";\n@import "b.css";\n',
        "/static/css/a.css": 'a { background: url("../a.png"); } /* Why. */\n',
        "/static/css/b.css": '@import "a.css";\nb { color: red; }\n',
    }
    a = 'a { background: url("../a.png"); } '
    assert sheet_bundle("/static/css/all.css", sheets.__getitem__) == f"{a}{a}b {{ color: red; }}\n"
    sheets["/static/css/a.css"] = '@import "b.css";\n'
    with pytest.raises(BundleError, match="imports itself"):
        sheet_bundle("/static/css/all.css", sheets.__getitem__)
    sheets["/static/css/a.css"] = '@import "../other/c.css";\n'
    with pytest.raises(BundleError, match="another folder"):
        sheet_bundle("/static/css/all.css", sheets.__getitem__)


def test_a_bundle_keeps_texts_that_look_like_comments():
    script = "// A comment.\nexport const text = `\n// a text\n/** one more */\n`;\n// Another.\n"
    bundle = script_bundle("/static/js/page.js", {"/static/js/page.js": script}.__getitem__)
    assert "`\n// a text\n/** one more */\n`" in bundle
    assert "comment" not in bundle and "Another" not in bundle
    sheet = '/* All. */\na::after { content: "/* a text */"; } /* Why. */\n'
    assert sheet_bundle("/a.css", {"/a.css": sheet}.__getitem__) == 'a::after { content: "/* a text */"; } '


def test_a_compact_sheet_keeps_its_texts():
    sheet = 'a::after { content: "{ x ; }"; color: red; }\n@media (hover: none) {\n  b > i { top: 1px; }\n}\n'
    compact = 'a::after{content:"{ x ; }";color:red;}@media (hover:none){b > i{top:1px;}}'
    assert compact_sheet(sheet) == compact


def test_no_file_of_the_page_names_another_by_an_address_without_the_hash():
    files = page_files(WEB).files
    assert imports_of(files["js/page.js"].decode()) == imports_of(files["js/embed.js"].decode()) == []
    assert b"LoopwireClient" in files["js/page.js"]
    assert b"font-face" in files["css/conversation.css"]
    found = {path: data for path, data in files.items() if path.startswith(("css/", "js/page", "js/embed"))}
    assert [path for path, data in found.items() if b'"/static/' in data or b"@import" in data] == []
    templates = {path.name: path.read_text() for path in (WEB / "templates").rglob("*.html")}
    assert [name for name, text in templates.items() if '"/static/' in text] == []


def test_the_address_changes_with_any_file(tmp_path: Path):
    for name in ("web", "again", "changed"):
        folder = tmp_path / name / "web"
        shutil.copytree(WEB / "static", folder / "static")
        shutil.copytree(
            WEB.parent / "sdk" / "js", tmp_path / name / "sdk" / "js", ignore=lambda *_: ["node_modules"]
        )
    (tmp_path / "changed/sdk/js/ids.js").write_text('export function newId() {\n  return "";\n}\n')
    addresses = [page_files(tmp_path / name / "web").address for name in ("web", "again", "changed")]
    assert addresses[0].startswith(PREFIX)
    assert addresses[0] == addresses[1] != addresses[2]
