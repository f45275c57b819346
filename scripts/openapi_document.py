"""Write docs/protocol/openapi.json anew from the contracts of the services."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from server.api.openapi.document import openapi_document  # noqa: E402
from server.services import services  # noqa: E402


def text() -> str:
    """Return the file's text."""
    return json.dumps(openapi_document(services()), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "protocol" / "openapi.json").write_text(text(), encoding="utf-8")
