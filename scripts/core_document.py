"""Write docs/core/openapi.json anew from the contract of a LoopOS Core over HTTP."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from server.loopos.remote.document import core_document  # noqa: E402


def text() -> str:
    """Return the file's text."""
    return json.dumps(core_document(), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "core" / "openapi.json").write_text(text(), encoding="utf-8")
