"""The phrases that people use, in both languages: word lists that are kept as data."""

import json
from pathlib import Path
from typing import Any

PHRASES: dict[str, Any] = json.loads((Path(__file__).parent / "phrases.json").read_text(encoding="utf-8"))
"""Ways of saying things, as regular expressions over folded text; `{yes}` is replaced by all ways of saying yes."""
