"""The loader of the widget: small, at two addresses, with the hash that its page of documentation tells."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette

from server import __version__
from server.html.files.bundles import script_bundle
from server.http.widget import Widget, short_script

ROOT = Path(__file__).parents[3]
FILE = ROOT / "web/static/widget/widget.js"
MOST = 3 * 1024
MOST_LATER = 3_000
"""Bytes of what is loaded with the first frame."""
IMMUTABLE = "public, max-age=31536000, immutable"


@pytest.fixture
async def shop():
    """Yield a page of another site."""
    app = Starlette(routes=Widget(FILE, "1.2.3").routes())
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://here") as client:
        yield client


def test_the_loader_is_small():
    assert len(Widget(FILE, "1.2.3").packed) <= MOST


def test_the_documentation_has_the_hash_of_this_loader():
    digest = hashlib.sha384(Widget(FILE, __version__).script).digest()
    integrity = "sha384-" + base64.b64encode(digest).decode()
    page = (ROOT / "docs/embedding.md").read_text()
    assert set(re.findall(r"sha384-[A-Za-z0-9+/=]+", page)) == {integrity}, (
        f"widget@{__version__}.js is {integrity}"
    )
    assert set(re.findall(r"widget@([0-9.]+)\.js", page)) == {__version__}


def test_the_loader_makes_no_markup_of_text_and_asks_for_nothing():
    """It works where a page allows scripts and frames of our server alone, and under Trusted Types."""
    text = FILE.read_text()
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|cssText"
    assert re.findall(rf"{markup}|fetch\(|XMLHttp|\beval\b|Storage|cookie", text) == []
    assert re.findall(r"postMessage\([^)]*[\"']\*[\"']", text) == []


def test_only_what_means_nothing_is_left_out():
    text = '// a\nconst a = {\n  b: "// c",\n};\n    // d\nif (a)\n  e();\nwhile (b) {\n  c();\n}\n'
    assert short_script(text) == 'const a={b:"// c",};if(a)\ne();while(b){c()}'


def test_no_comment_of_the_loader_stands_behind_code():
    """`short_script` would leave it in the line that it joins with the next one."""
    lines = [line for line in FILE.read_text().splitlines() if not line.lstrip().startswith("//")]
    assert [line for line in lines if re.search(r"(?<!:)//|/\*", line)] == []


@pytest.mark.parametrize(
    ("path", "caching"), [("/widget.js", "public, max-age=600"), ("/widget@1.2.3.js", IMMUTABLE)]
)
async def test_it_is_kept_as_long_as_its_address_says(shop, path, caching):
    answer = await shop.get(path)
    assert answer.headers["cache-control"] == caching
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.content == Widget(FILE, "1.2.3").script
    again = await shop.get(path, headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert (answer.headers["vary"], answer.headers["content-encoding"]) == ("Accept-Encoding", "gzip")
    plain = await shop.get(path, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == answer.content
    assert plain.headers["etag"] != answer.headers["etag"]


async def test_the_part_that_comes_with_a_frame_is_the_script_beside_the_loader(shop):
    answer = await shop.get("/widget-page.js")
    assert answer.headers["cache-control"] == "public, max-age=600"
    whole = script_bundle("page.js", lambda name: FILE.with_name(name).read_text())
    assert answer.text == short_script(whole)
    assert len(gzip.compress(answer.content, 9)) <= MOST_LATER
    assert "import " not in answer.text


async def test_there_is_no_other_version(shop):
    assert (await shop.get("/widget@1.2.4.js")).status_code == 404


def test_the_compressed_form_is_the_same_script():
    widget = Widget(FILE, "1.2.3")
    assert gzip.decompress(widget.packed) == widget.script
