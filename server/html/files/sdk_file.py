"""The SDK in one file: what a page without a build imports, put together and shortened.

Its modules import each other seven deep, so a browser would ask for thirty files in seven rounds. What a chat loads
later stays a file of its own, and each module can still be read under its own name.
"""

from functools import cached_property
from pathlib import Path

from server.html.files.bundles import script_bundle
from server.html.files.short_files import short_texts

ENTRY = "index.js"


class SdkFile:
    """What stands at the address of the SDK's entry."""

    def __init__(self, folder: Path) -> None:
        """Put the modules of the folder together. Raises `BundleError`."""
        self._text = script_bundle(ENTRY, lambda name: (folder / name).read_text())

    @cached_property
    def short(self) -> bytes:
        """Return the file, shortened, which takes some 200 ms once."""
        path = f"sdk/{ENTRY}"
        return short_texts({path: self._text})[path].encode()
