"""The files of the page: revalidated at each use, and compressed once for all who accept that."""

import asyncio
import os
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import NotModifiedResponse, StaticFiles

from server.http.compression import SMALLEST, TYPES, accepts_gzip, compress

LEVEL = 9
"""A file is compressed once, so this costs nothing."""


class Assets(StaticFiles):
    """Files that a browser keeps, but asks for at each use whether they changed, so that no module is of two versions.

    The compressed form of a file is kept in memory, about 70 KiB for all of them. It has an ETag of its own.
    """

    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory)
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
        response.headers.setdefault("cache-control", "no-cache")
        media_type = response.headers["content-type"].partition(";")[0]
        if media_type in TYPES and stat_result.st_size >= SMALLEST:
            response.headers["vary"] = "Accept-Encoding"
            # A range counts the bytes of the plain file.
            if "range" not in asked and accepts_gzip(",".join(asked.getlist("accept-encoding"))):
                del response.headers["accept-ranges"]
                response.headers["content-encoding"] = "gzip"
                response.headers["etag"] = response.headers["etag"][:-1] + '-gzip"'
        if self.is_not_modified(response.headers, asked):
            return NotModifiedResponse(response.headers)
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


def assets(root: Path) -> list[BaseRoute]:
    """Return the routes of files: the page's own, and the client that others may use too."""
    return [
        Mount("/static/sdk", Assets(root / "sdk" / "js")),
        Mount("/static", Assets(root / "web" / "static")),
    ]
