"""The loader of the chat widget: `/widget.js`, which is always the newest, and one address for each version of it.

A page that names the hash of what it loads (SRI) names a version: the file behind that address never changes, and
later versions of the server send it too, from the files that `scripts/release_loader.py` wrote. The loader is sent
without its lines of comment and its indentation, since every page of an embedding site loads it.
"""

import hashlib
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Self

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from server import patterns
from server.html.files.bundles import script_bundle
from server.http.compression import KEPT_CODINGS, compress_once, preferred_coding

STABLE = "public, max-age=600"
"""A browser asks for a newer loader every ten minutes at most."""

IMMUTABLE = "public, max-age=31536000, immutable"

RELEASED = "released"
"""The folder beside the loader with those of released versions, each as `{version}.js`, byte by byte as it was sent."""

_comment = patterns.compile(r"^[ \t]*//.*\n", patterns.MULTILINE)
_indentation = patterns.compile(r"^[ \t]+", patterns.MULTILINE)
_beside_sign = patterns.compile(r" ?(=>|===|!==|&&|\|\||[=,?:{}]) ?")
"""Signs beside which a space means nothing, in a script and in the styles that it holds."""

_before_bracket = patterns.compile(r" (?=\()|;(?=})")
"""What means nothing before a bracket: a space before a round one, the last semicolon of a block."""

_line_end = patterns.compile(r"(?<=[;{},`])\n")
"""After these a statement, a rule or a value goes on or has ended: no break is needed."""


def short_script(text: str) -> str:
    """Return a script without lines of comment, indentation, breaks and spaces that mean nothing.

    It is not a parser: no line of a text may begin with `//`, no comment may follow code, and no text may have a
    space beside one of the signs or before a bracket: nor may a selector (`div :has(a)`).
    """
    dense = _beside_sign.sub(r"\1", _line_end.sub("", _indentation.sub("", _comment.sub("", text))))
    return _before_bracket.sub("", dense)


class Widget:
    """Serves the loader to pages of every site: it holds no visitor's data."""

    def __init__(self, file: Path, version: str) -> None:
        """`version` is that of the loader in `file`.

        What it loads later is `page.js` beside it, with its modules; `mcp_app.js` loads it in a host of MCP Apps.
        Loaders of former versions are in the folder `RELEASED` beside it, if there is one.
        """
        self._loader = _Script.of(file.read_text())
        self._page = _Script.of(script_bundle("page.js", lambda name: file.with_name(name).read_text()))
        self._mcp_app = _Script.of(file.with_name("mcp_app.js").read_text())
        self.script, self.packed = self._loader.text, self._loader.packed
        released = file.with_name(RELEASED).glob("*.js")
        self._versions = {
            version: self._loader,
            **{each.stem: _Script.of_text(each.read_bytes()) for each in released},
        }

    def routes(self) -> list[BaseRoute]:
        """GET /widget.js and /widget@{version}.js, the loader.

        GET /widget-page.js, the part that is loaded with a frame; GET /widget-mcp-app.js, the View of an MCP Apps host.
        """
        return [
            Route("/widget-mcp-app.js", self._mcp_app_script),
            Route("/widget-page.js", self._page_script),
            Route("/widget.js", self._stable_script),
            Route("/widget@{version}.js", self._versioned_script),
        ]

    async def _stable_script(self, request: Request) -> Response:
        return _answer(request, self._loader, STABLE)

    async def _page_script(self, request: Request) -> Response:
        return _answer(request, self._page, STABLE)

    async def _mcp_app_script(self, request: Request) -> Response:
        return _answer(request, self._mcp_app, STABLE)

    async def _versioned_script(self, request: Request) -> Response:
        script = self._versions.get(request.path_params["version"])
        if script is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return _answer(request, script, IMMUTABLE)


@dataclass(frozen=True)
class _Script:
    """A script as it is sent, and compressed in each coding; `tag` changes with it."""

    text: bytes
    packed: dict[str, bytes]
    tag: str

    @classmethod
    def of(cls, script: str) -> Self:
        """Shorten and compress a script."""
        return cls.of_text(short_script(script).encode())

    @classmethod
    def of_text(cls, text: bytes) -> Self:
        """Compress a script that is sent as it is."""
        packed = {coding: compress_once(text, coding) for coding in KEPT_CODINGS}
        return cls(text, packed, hashlib.sha256(text).hexdigest())


def _answer(request: Request, script: _Script, caching: str) -> Response:
    coding = preferred_coding(",".join(request.headers.getlist("accept-encoding")), KEPT_CODINGS)
    tag = f'"{script.tag}-{coding}"' if coding else f'"{script.tag}"'
    headers = {
        "cache-control": caching,
        "etag": tag,
        "vary": "Accept-Encoding",
        # A browser compares the hash of a script of another site only where its server lets the page read it.
        "access-control-allow-origin": "*",
    }
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if coding:
        headers["content-encoding"] = coding
    return Response(
        script.packed[coding] if coding else script.text, headers=headers, media_type="text/javascript"
    )
