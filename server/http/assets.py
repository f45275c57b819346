"""The files of the page and of the SDK, compressed once for all who accept that.

Pages name their files below the hash of all of them (`server.html.page_files`): a browser asks for none of these twice.
Below `/static/` the same files are as they were written, and revalidated at each use.
"""

import asyncio
import mimetypes
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import NotModifiedResponse, StaticFiles

from server import __version__
from server.errors import NotFound
from server.html.page_files import PREFIX, PageFiles, page_files
from server.http.compression import SMALLEST, TYPES, accepts_gzip, compress

LEVEL = 9
"""A file is compressed once, so this costs nothing."""

REVALIDATED = {"cache-control": "no-cache"}
FOR_ALL_SITES = {"access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin"}
"""The SDK holds nothing secret: a page of any origin may import it."""
IMMUTABLE = {"cache-control": "public, max-age=31536000, immutable"}


class Assets(StaticFiles):
    """Files that a browser keeps, but asks for at each use whether they changed, so that no module is of two versions.

    Other `headers` may say otherwise. The compressed form of a file is kept in memory, about 100 KiB for all of them.
    It has an ETag of its own.
    """

    def __init__(self, directory: Path, headers: Mapping[str, str] = REVALIDATED) -> None:
        super().__init__(directory=directory)
        self._headers = headers
        self._packed: dict[str, tuple[str, bytes]] = {}
        self._turn = asyncio.Lock()

    async def get_response(self, path: str, scope: Any) -> Response:
        """Answer with a file, or with 304 when the browser has it."""
        response = await super().get_response(path, scope)
        if isinstance(response, FileResponse) and "content-encoding" in response.headers:
            packed = await self._packed_of(response)
            response.headers["content-length"] = str(len(packed))
            return Response(packed, response.status_code, response.headers)
        return response

    def file_response(
        self, full_path: Any, stat_result: os.stat_result, scope: Any, status_code: int = 200
    ) -> Response:
        """Choose the form of a file by the request, then whether the browser has this form."""
        asked = Headers(scope=scope)
        response = FileResponse(full_path, status_code=status_code, stat_result=stat_result)
        response.headers.update(self._headers)
        media_type = response.headers["content-type"].partition(";")[0]
        if media_type in TYPES and stat_result.st_size >= SMALLEST:
            response.headers["vary"] = "Accept-Encoding"
            # A range counts the bytes of the plain file.
            if "range" not in asked and accepts_gzip(",".join(asked.getlist("accept-encoding"))):
                del response.headers["accept-ranges"]
                response.headers["content-encoding"] = "gzip"
                response.headers["etag"] = response.headers["etag"][:-1] + '-gzip"'
        if self.is_not_modified(response.headers, asked):
            unchanged = NotModifiedResponse(response.headers)
            unchanged.headers.update(self._headers)
            return unchanged
        return response

    async def _packed_of(self, response: FileResponse) -> bytes:
        """Return the compressed form of a file, which is made again when its ETag is another."""
        path, etag = str(response.path), response.headers["etag"]
        async with self._turn:  # Concurrent requests for a file compress it once.
            known = self._packed.get(path)
            if known is None or known[0] != etag:
                known = etag, await asyncio.to_thread(_read_packed, path)
                self._packed[path] = known
        return known[1]


def _read_packed(path: str) -> bytes:
    return compress(Path(path).read_bytes(), LEVEL)


class PinnedFiles:
    """Answers below the address that pages name: from memory, each file compressed when it is first asked for.

    A page of another version of this server names another hash. It gets the file of this version, to be revalidated:
    while instances are exchanged one by one, both versions are asked.
    """

    def __init__(self, site: PageFiles) -> None:
        self._site = site
        self._packed: dict[str, bytes] = {}

    def route(self) -> Route:
        """Return the route of all of them."""
        return Route(PREFIX + "{hash}/{path:path}", self._file, methods=["GET"])

    async def _file(self, request: Request) -> Response:
        path = request.path_params["path"]
        data = self._site.files.get(path)
        if data is None:
            raise NotFound
        own = f"{PREFIX}{request.path_params['hash']}" == self._site.address
        media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
        headers = dict(IMMUTABLE if own else REVALIDATED)
        etag = self._site.address.removeprefix(PREFIX)
        if media_type in TYPES and len(data) >= SMALLEST:
            headers["vary"] = "Accept-Encoding"
            if accepts_gzip(",".join(request.headers.getlist("accept-encoding"))):
                data = await self._packed_of(path, data)
                headers["content-encoding"] = "gzip"
                etag += "-gzip"
        headers["etag"] = f'"{etag}"'
        if headers["etag"] in [
            each.strip(" W/") for each in request.headers.get("if-none-match", "").split(",")
        ]:
            return NotModifiedResponse(Headers(headers))
        return Response(data, headers=headers, media_type=media_type)

    async def _packed_of(self, path: str, data: bytes) -> bytes:
        if path not in self._packed:
            self._packed[path] = await asyncio.to_thread(compress, data, LEVEL)
        return self._packed[path]


def assets(root: Path) -> list[BaseRoute]:
    """Return the routes of files: the page's own, and the SDK, which a page may pin to this server's version."""
    sdk = root / "sdk" / "js"
    return [
        Mount(f"/static/sdk@{__version__}", Assets(sdk, IMMUTABLE | FOR_ALL_SITES)),
        Mount("/static/sdk", Assets(sdk, REVALIDATED | FOR_ALL_SITES)),
        PinnedFiles(page_files(root / "web")).route(),
        Mount("/static", Assets(root / "web" / "static")),
    ]
