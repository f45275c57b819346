"""Keep the loader of the widget as this version sends it, so that later versions serve `/widget@{version}.js` too.

Run it as `python scripts/release_loader.py` before the version in `server/__init__.py` is raised, and commit its file.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from server import __version__  # noqa: E402
from server.http.widget import RELEASED, Widget  # noqa: E402


def release_loader(file: Path, version: str) -> Path:
    """Write what a server of this version sends of the loader in `file`, and return where; it is never changed.

    Raises:
        FileExistsError: The version was released with another loader.
    """
    kept = file.with_name(RELEASED) / f"{version}.js"
    sent = Widget(file, version).script
    if kept.exists() and kept.read_bytes() != sent:
        message = f"{kept} is of this version and differs from its loader: raise the version"
        raise FileExistsError(message)
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(sent)
    return kept


if __name__ == "__main__":
    print(release_loader(ROOT / "web/static/widget/widget.js", __version__))
