"""The files of the page as a browser gets them: in few pieces, below an address that changes when any of them does.

The address names a hash of all files, so a browser may keep them for ever and asks for none of them twice. They are
read once, when the process starts: what is behind an address stays the same while a file is edited. They are shortened
when a browser first asks for one.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from server.html.files.bundles import (
    BundleError,
    Read,
    compact_sheet,
    imported_later,
    imports_of,
    modules_of,
    script_bundle,
    sheet_bundle,
)
from server.html.files.short_files import minifier_version, short_texts
from server.html.script_words import later_frame_words

PREFIX = "/static/page@"
AS_WRITTEN = "/static"
"""The address of the same files as they were written, each by itself: a developer finds an error there."""
_SHORT = re.compile(r"(?:js|sdk|css)/.*\.(?:js|css)")
_DIGITS = 12
_BACKGROUND = re.compile(r"--bg: light-dark\((#\w+), (#\w+)\)")


@dataclass(frozen=True)
class PageFiles:
    """The files below an address, by their paths, `js/page.js` for instance."""

    address: str
    files: dict[str, bytes]

    @cached_property
    def short(self) -> dict[str, bytes]:
        """Return the same files, the scripts and sheets among them shortened, which takes some 200 ms once."""
        texts = {path: data.decode() for path, data in self.files.items() if _SHORT.fullmatch(path)}
        return self.files | {path: text.encode() for path, text in short_texts(texts).items()}


@cache
def page_files(web: Path) -> PageFiles:
    """Read the files below `web/static`, and the words that a frame loads later.

    A script that no other imports brings its modules, a sheet its sheets. What the SDK imports later is a file too.
    Raises `BundleError` for a script or a sheet that cannot be put together.
    """
    static = web / "static"
    files = {
        path.relative_to(static).as_posix(): path.read_bytes() for path in static.rglob("*") if path.is_file()
    }
    scripts = {path: data.decode() for path, data in files.items() if _is_in(path, "js")}
    imported = {name.rpartition("/")[2] for text in scripts.values() for name in imports_of(text)}

    def read(address: str) -> str:
        path = address.removeprefix("/static/")
        if path.startswith("sdk/"):
            return (web.parent / "sdk" / "js" / path.removeprefix("sdk/")).read_text()
        return files_before[path].decode()

    files_before = dict(files)
    bundled = [
        path for path, text in scripts.items() if imports_of(text) and path.rpartition("/")[2] not in imported
    ]
    entries = [f"/static/{path}" for path in bundled]
    later = imported_later(
        {address: text for each in entries for address, text in modules_of(each, read).items()}
    )
    entries += sorted(address for address in later if address.startswith("/static/sdk/"))
    for path, bundle in _bundles(entries, read).items():
        files[path.removeprefix("/static/")] = bundle.encode()
    for path in files_before:
        if _is_in(path, "css"):
            files[path] = compact_sheet(sheet_bundle(f"/static/{path}", read)).encode()
    for words in (web / "words").glob("*.json"):
        kept = later_frame_words(json.loads(words.read_text()))
        files[f"words/frame.{words.name}"] = json.dumps(
            kept, ensure_ascii=False, separators=(",", ":")
        ).encode()
    return PageFiles(PREFIX + _hash_of(files), files)


@cache
def background_colours(web: Path) -> Mapping[str, str]:
    """Return the colours of the page's background, by theme. Raises `BundleError` where the sheet has none."""
    found = _BACKGROUND.search((web / "static" / "css" / "tokens.css").read_text())
    if found is None:
        raise BundleError("tokens.css has no --bg of two colours.")
    return {"light": found[1], "dark": found[2]}


def _bundles(entries: Sequence[str], read: Read) -> dict[str, str]:
    """Return the bundles of these scripts. One that is imported later takes what all its importers have."""
    modules = {entry: modules_of(entry, read) for entry in entries}
    importers = {
        later: [each for each in entries if later in imported_later(modules[each])] for later in entries
    }
    taken: dict[str, set[str]] = {}
    for later, many in importers.items():
        shared = set(modules[later]).intersection(*(modules[each] for each in many))
        taken[later] = shared if many else set()
    return {
        entry: script_bundle(
            entry,
            read,
            taken=taken[entry],
            offered=set[str]().union(*(taken[later] for later, many in importers.items() if entry in many)),
        )
        for entry in entries
    }


def _is_in(path: str, folder: str) -> bool:
    """Return whether this is a file of the page's own scripts (`js`) or sheets (`css`)."""
    return path.startswith(f"{folder}/") and path.endswith(f".{folder}")


def _hash_of(files: dict[str, bytes]) -> str:
    whole = hashlib.sha256(minifier_version().encode())
    for path, data in sorted(files.items()):
        whole.update(f"{path} {len(data)} ".encode() + data)
    return whole.hexdigest()[:_DIGITS]
