"""The demo model's reading of a message: its intent, the offered name that it means, the words to search for."""

import json
from pathlib import Path
from typing import Any

PHRASES: dict[str, Any] = json.loads(Path(__file__).with_name("phrases.json").read_bytes())
"""Ways of saying things, as regular expressions over folded text; `{yes}` is replaced by all ways of saying yes."""
MOST_LETTERS = 2_400
"""Characters of a message that are read: more than any answer may have, and each decision reads them many times."""
