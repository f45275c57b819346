"""The files of the page and of the SDK, compressed once for all clients that accept it.

Pages name their files below the hash of all of them (`server.html.files`): a browser asks for none of these twice.
Below `/static/` the same files are as they were written, and revalidated at each use. The entry of the SDK, which pages
of other sites import, is one file there too.
"""

import asyncio
import hashlib
import mimetypes
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import NotModifiedResponse, StaticFiles

from server import __version__
from server.errors import NotFound
from server.html.files.page_files import PREFIX, PageFiles, page_files
from server.html.files.sdk_file import ENTRY, SdkFile
from server.http.compression import KEPT_CODINGS, SMALLEST, TYPES, compress_once, preferred_coding

REVALIDATED = {"cache-control": "no-cache"}
FOR_ALL_SITES = {"access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin"}
"""The SDK holds nothing secret: a page of any origin may import it."""
IMMUTABLE = {"cache-control": "public, max-age=31536000, immutable"}


class FileForms:
    """The forms of files, as they are and compressed, each form with an ETag of its own.

    The compressed forms are kept in memory, about 100 KiB for all files of a folder and each coding.
    """

    def __init__(self) -> None:
        self._packed: dict[tuple[str, str], tuple[str, bytes]] = {}
        self._turn = asyncio.Lock()

    def choose(self, headers: MutableHeaders, asked: Headers, size: int) -> bool:
        """Choose the form of a file of this many bytes, write it into its headers, and return whether it is compressed.

        The headers have the content type and the ETag of the plain file.
        """
        media_type = headers["content-type"].partition(";")[0]
        if media_type not in TYPES or size < SMALLEST:
            return False
        headers["vary"] = "Accept-Encoding"
        # A range counts the bytes of the plain file.
        accepted = "" if "range" in asked else ",".join(asked.getlist("accept-encoding"))
        coding = preferred_coding(accepted, KEPT_CODINGS)
        if coding is None:
            return False
        headers["content-encoding"] = coding
        headers["etag"] = f'{headers["etag"][:-1]}-{coding}"'
        return True

    async def pack(self, path: str, headers: Headers, read: Callable[[], bytes]) -> bytes:
        """Return the compressed form of a file that the headers name, made again when its ETag is another."""
        coding, etag = headers["content-encoding"], headers["etag"]
        async with self._turn:  # Concurrent requests for a file compress it once.
            known = self._packed.get((path, coding))
            if known is None or known[0] != etag:
                known = etag, await asyncio.to_thread(lambda: compress_once(read(), coding))
                self._packed[path, coding] = known
        return known[1]


class Assets(StaticFiles):
    """Files that a browser keeps, but asks for at each use whether they changed, so that no module is of two versions.

    Other `headers` may say otherwise.
    """

    def __init__(self, directory: Path, headers: Mapping[str, str] = REVALIDATED) -> None:
        super().__init__(directory=directory)
        self._headers = headers
        self._forms = FileForms()

    async def get_response(self, path: str, scope: Any) -> Response:
        """Answer with a file, or with 304 when the browser has it."""
        response = await super().get_response(path, scope)
        if isinstance(response, FileResponse) and "content-encoding" in response.headers:
            stored = Path(response.path)
            packed = await self._forms.pack(str(stored), response.headers, stored.read_bytes)
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
        if self._forms.choose(response.headers, asked, stat_result.st_size):
            del response.headers["accept-ranges"]
        if self.is_not_modified(response.headers, asked):
            unchanged = NotModifiedResponse(response.headers)
            unchanged.headers.update(self._headers)
            return unchanged
        return response


class SdkFiles(Assets):
    """The modules of the SDK. Its entry is one file, in memory, with all that it imports at once."""

    def __init__(self, directory: Path, file: SdkFile, headers: Mapping[str, str]) -> None:
        super().__init__(directory, headers)
        self._file = file

    async def get_response(self, path: str, scope: Any) -> Response:
        """Answer with a file, or with 304 when the browser has it."""
        if path != ENTRY:
            return await super().get_response(path, scope)
        data = await asyncio.to_thread(lambda: self._file.short)
        tag = f'"{hashlib.sha256(data).hexdigest()}"'
        asked = Headers(scope=scope)
        headers = MutableHeaders({**self._headers, "content-type": "text/javascript", "etag": tag})
        return await _answer(path, data, asked, headers, self._forms)


class PinnedFiles:
    """Answers below the address that pages name: from memory, shortened and compressed when first asked for.

    A page of another version of this server names another hash. It gets the file of this version, to be revalidated:
    while instances are exchanged one by one, both versions are asked.
    """

    def __init__(self, site: PageFiles) -> None:
        self._site = site
        self._etag = f'"{site.address.removeprefix(PREFIX)}"'
        self._forms = FileForms()
        self._short: Mapping[str, bytes] | None = None
        self._turn = asyncio.Lock()

    def route(self) -> Route:
        """Return the route of all of them."""
        return Route(PREFIX + "{hash}/{path:path}", self._file)

    async def _files(self) -> Mapping[str, bytes]:
        async with self._turn:  # Concurrent requests shorten the files once.
            if self._short is None:
                self._short = await asyncio.to_thread(lambda: self._site.short)
        return self._short

    async def _file(self, request: Request) -> Response:
        path = request.path_params["path"]
        if path not in self._site.files:
            raise NotFound
        files = await self._files()
        data = files[path]
        own = f"{PREFIX}{request.path_params['hash']}" == self._site.address
        media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
        headers = MutableHeaders(
            {**(IMMUTABLE if own else REVALIDATED), "content-type": media_type, "etag": self._etag}
        )
        return await _answer(path, data, request.headers, headers, self._forms)


async def _answer(
    path: str, data: bytes, asked: Headers, headers: MutableHeaders, forms: FileForms
) -> Response:
    """Answer with a file in memory, or with 304 when the browser has its form."""
    whole, media_type = data, headers["content-type"]
    if forms.choose(headers, asked, len(whole)):
        data = await forms.pack(path, headers, lambda: whole)
    known = asked.get("if-none-match", "").split(",")
    if headers["etag"] in [each.strip(" W/") for each in known]:
        unchanged = NotModifiedResponse(headers)
        unchanged.headers.update({name: headers[name] for name in FOR_ALL_SITES if name in headers})
        return unchanged
    del headers["content-type"]  # The response adds the charset.
    return Response(data, headers=headers, media_type=media_type)


def assets(root: Path) -> list[BaseRoute]:
    """Return the routes of files: the page's own, and the SDK, which a page may pin to this server's version."""
    sdk = root / "sdk" / "js"
    entry = SdkFile(sdk)
    return [
        Mount(f"/static/sdk@{__version__}", SdkFiles(sdk, entry, IMMUTABLE | FOR_ALL_SITES)),
        Mount("/static/sdk", SdkFiles(sdk, entry, REVALIDATED | FOR_ALL_SITES)),
        PinnedFiles(page_files(root / "web")).route(),
        Mount("/static", Assets(root / "web" / "static")),
    ]
