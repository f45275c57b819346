"""The loader of the widget: small, at two addresses, with the hash that its page of documentation tells."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from pathlib import Path

import brotli
import httpx2
import pytest
from starlette.applications import Starlette

from scripts.release_loader import release_loader
from server import __version__
from server.auth.frames import FRAME_PREFIX
from server.auth.keys import KEY_PREFIX
from server.html.files.bundles import script_bundle
from server.html.files.page_files import page_files
from server.html.files.sdk_file import SdkFile
from server.http.widget import Widget, short_script

ROOT = Path(__file__).parents[3]
FILE = ROOT / "web/static/widget/widget.js"
MOST = 3 * 1024
MOST_LATER = 3_350
"""Bytes of what is loaded with the first frame."""
MOST_MCP_APP = 2_000
"""Bytes of the View of an MCP Apps host."""
IMMUTABLE = "public, max-age=31536000, immutable"


@pytest.fixture
async def shop():
    """Yield a page of another site."""
    app = Starlette(routes=Widget(FILE, "1.2.3").routes())
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://here") as client:
        yield client


def test_the_loader_is_small():
    assert len(Widget(FILE, "1.2.3").packed["gzip"]) <= MOST


def test_the_documentation_has_the_hash_of_this_loader():
    digest = hashlib.sha384(Widget(FILE, __version__).script).digest()
    integrity = "sha384-" + base64.b64encode(digest).decode()
    page = (ROOT / "docs/embedding.md").read_text()
    assert set(re.findall(r"sha384-[A-Za-z0-9+/=]+", page)) == {integrity}, (
        f"widget@{__version__}.js is {integrity}"
    )
    assert set(re.findall(r"widget@([0-9.]+)\.js", page)) == {__version__}


def later_script() -> str:
    """Return what is loaded with the first frame."""
    return script_bundle("page.js", lambda name: FILE.with_name(name).read_text())


MCP_APP = FILE.with_name("mcp_app.js").read_text()


@pytest.mark.parametrize(
    "text", [FILE.read_text(), later_script(), MCP_APP], ids=["loader", "page", "mcp-app"]
)
def test_the_widget_makes_no_markup_of_text_and_asks_for_nothing(text: str) -> None:
    """It works where a page allows scripts and frames of our server alone, and under Trusted Types."""
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|cssText"
    assert re.findall(rf"{markup}|fetch\(|XMLHttp|\beval\b|Storage|cookie", text) == []


def built_scripts() -> dict[str, str]:
    """Return all that browsers get of us as scripts, by its name, as it is sent and as it was written."""
    written = [
        *FILE.parent.glob("*.js"),
        *(ROOT / "web/static/js").glob("*.js"),
        *(ROOT / "sdk/js").glob("*.js"),
    ]
    sent = {
        name: data.decode() for name, data in page_files(ROOT / "web").short.items() if name.endswith(".js")
    }
    widget = {"widget": Widget(FILE, "1.2.3").script.decode(), "later": short_script(later_script())}
    widget |= {"mcp-app": short_script(MCP_APP)}
    own = {"sdk": SdkFile(ROOT / "sdk/js").short.decode()}
    return {each.as_posix(): each.read_text() for each in written} | sent | widget | own


TO_ANYBODY = re.compile(r"postMessage\([^;]*[\"'`]\*[\"'`]|targetOrigin:\s*[\"'`]\*")


def test_no_script_posts_a_message_to_whoever_listens() -> None:
    for text in ("a.postMessage({ b: c(1) }, '*')", 'a.postMessage(b,"*",[c])', 'f({targetOrigin:"*"})'):
        assert TO_ANYBODY.search(text)
    scripts = built_scripts()
    assert {"widget", "later", "mcp-app", "sdk", "js/embed.js", "js/frame_rows.js"} <= scripts.keys()
    assert [name for name, text in scripts.items() if TO_ANYBODY.search(text)] == []


SECRETS = re.compile(
    r"(?<![\w-])(?:sk-[\w-]{16,}|AKIA[A-Z0-9]{16}|AIza[\w-]{30,}|gh[a-z]_\w{20,}|xox[a-z]-[\w-]{10,}"
    rf"|(?:{KEY_PREFIX}|{FRAME_PREFIX}|whsec_)[\w+/-]{{8,}}|eyJ[\w-]{{10,}}\.)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|(?i:bearer) +[\w.~+/-]{12,}"
)
"""Keys of model providers and clouds, of an app, of a frame and of callbacks; tokens, private keys and bearers."""

KNOWN = {
    "a key of OpenAI": "sk-proj-" + "a1B2" * 8,
    "a key of AWS": "AKIA" + "A1B2" * 4,
    "a key of Google": "AIza" + "a1_-" * 8 + "abc",
    "a token of GitHub": "ghp_" + "a1B2" * 9,
    "a key of an app": KEY_PREFIX + "2kq7_" + "a1B2" * 8,
    "a token of a frame": FRAME_PREFIX + "a1B2" * 8,
    "a secret of callbacks": "whsec_" + "a1B2" * 8,
    "a JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi",
    "a private key": "-----BEGIN EC PRIVATE KEY-----",
    "a bearer": "Authorization: Bearer 0123456789abcdef",
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_secret_is_found_in_a_script(name: str) -> None:
    assert SECRETS.search(f'const a="{KNOWN[name]}";')


def test_no_file_that_browsers_get_has_a_secret() -> None:
    files = built_scripts()
    sent = page_files(ROOT / "web").short.items()
    files |= {name: data.decode() for name, data in sent if name.endswith((".css", ".svg", ".json"))}
    assert any(name.endswith(".css") for name in files)
    assert {name: SECRETS.findall(text) for name, text in files.items() if SECRETS.search(text)} == {}


def test_the_short_script_leaves_out_comments_and_needless_spaces_alone():
    text = '// a\nconst a = {\n  b: "// c",\n};\n    // d\nif (a)\n  e();\nwhile (b) {\n  c();\n}\n'
    assert short_script(text) == 'const a={b:"// c",};if(a)\ne();while(b){c()}'


@pytest.mark.parametrize("text", [FILE.read_text(), MCP_APP], ids=["loader", "mcp-app"])
def test_no_comment_stands_behind_code(text):
    """`short_script` would leave it in the line that it joins with the next one."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
    assert [line for line in lines if re.search(r"(?<!:)//|/\*", line)] == []


@pytest.mark.parametrize(
    ("path", "caching"), [("/widget.js", "public, max-age=600"), ("/widget@1.2.3.js", IMMUTABLE)]
)
async def test_the_loader_is_cached_as_long_as_its_address_says(shop, path, caching):
    answer = await shop.get(path, headers={"accept-encoding": "gzip"})
    assert answer.headers["cache-control"] == caching
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.content == Widget(FILE, "1.2.3").script
    known = {"accept-encoding": "gzip", "if-none-match": answer.headers["etag"]}
    again = await shop.get(path, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert (answer.headers["vary"], answer.headers["content-encoding"]) == ("Accept-Encoding", "gzip")
    small = await shop.get(path, headers={"accept-encoding": "gzip, br"})
    assert (small.headers["content-encoding"], small.content) == ("br", answer.content)
    plain = await shop.get(path, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == answer.content
    assert len({each.headers["etag"] for each in (plain, answer, small)}) == 3


async def test_the_part_that_comes_with_a_frame_is_the_script_beside_the_loader(shop):
    answer = await shop.get("/widget-page.js")
    assert answer.headers["cache-control"] == "public, max-age=600"
    assert answer.text == short_script(later_script())
    assert len(gzip.compress(answer.content, 9)) <= MOST_LATER
    assert "import " not in answer.text


async def test_the_view_of_a_host_is_small_and_cached_as_the_loader_is(shop):
    answer = await shop.get("/widget-mcp-app.js")
    assert answer.headers["cache-control"] == "public, max-age=600"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.text == short_script(MCP_APP)
    assert len(gzip.compress(answer.content, 9)) <= MOST_MCP_APP


async def test_another_version_of_the_loader_is_not_found(shop):
    assert (await shop.get("/widget@1.2.4.js")).status_code == 404


async def test_a_later_version_serves_the_loader_that_was_released_byte_by_byte(tmp_path):
    for each in FILE.parent.glob("*.js"):
        (tmp_path / each.name).write_bytes(each.read_bytes())
    loader = tmp_path / FILE.name
    sent = Widget(loader, "1.2.3").script
    assert release_loader(loader, "1.2.3").read_bytes() == sent
    loader.write_text(
        loader.read_text() + "\nconst later = 1; // not shortened, were it of the former version\n"
    )
    app = Starlette(routes=Widget(loader, "1.3.0").routes())
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://here") as client:
        former, newest = [await client.get(f"/widget@{version}.js") for version in ("1.2.3", "1.3.0")]
    assert (former.content, former.headers["cache-control"]) == (sent, IMMUTABLE)
    assert newest.content == Widget(loader, "1.3.0").script != sent


def test_a_released_loader_is_never_changed(tmp_path):
    for each in FILE.parent.glob("*.js"):
        (tmp_path / each.name).write_bytes(each.read_bytes())
    loader = tmp_path / FILE.name
    kept = release_loader(loader, "1.2.3")
    sent = kept.read_bytes()
    assert release_loader(loader, "1.2.3") == kept
    loader.write_text(loader.read_text() + "\nconst later = 1;\n")
    with pytest.raises(FileExistsError, match="raise the version"):
        release_loader(loader, "1.2.3")
    assert kept.read_bytes() == sent


def test_each_compressed_form_is_the_same_script():
    widget = Widget(FILE, "1.2.3")
    unpacked = {"gzip": gzip.decompress, "br": brotli.decompress}
    assert {unpacked[coding](packed) for coding, packed in widget.packed.items()} == {widget.script}
    assert len(widget.packed) == 2
