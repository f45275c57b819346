"""Write docs/settings.md from the fields of server/settings.py and server/limits.py and the texts below them.

Run it as `python scripts/settings_page.py`; a test compares the page with what it writes.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from server.limits import Limits, limit_texts  # noqa: E402
from server.settings import Settings  # noqa: E402

HEAD = """# Settings

A server reads its settings from the environment. `doctor` says what is wrong with them, and which limits were changed.
This page is written by `scripts/settings_page.py` from [server/settings.py](../server/settings.py) and
[server/limits.py](../server/limits.py).

| name | default | meaning |
|---|---|---|
"""
LIMITS = """
## Limits

What these limits mean together: [operations](operations.md#limits). A rate is `20/10s,100/1m`: at most 20 within
10 seconds and at most 100 within a minute (`s`, `m`, `h` or `d`).

| name | default | what it limits |
|---|---|---|
"""


def texts(file: str, name: str) -> dict[str, str]:
    """Read the text below each field of a class, by the field's name."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    (found,) = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name)
    pairs = zip(found.body, found.body[1:], strict=False)
    return {
        field.target.id: " ".join(below.value.value.split())
        for field, below in pairs
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    }


def default(value: Any) -> str:
    """Show a default as it would be set."""
    if value is None or value in ("", frozenset()):
        return "none"
    return f"`{int(value) if isinstance(value, bool) else value}`"


def page() -> str:
    """Return the text of docs/settings.md. Raises KeyError for a field without a text."""
    told, limits = texts("server/settings.py", "Settings"), texts("server/limits.py", "Limits")
    own = [(name, field) for name, field in Settings.model_fields.items() if name not in Limits.model_fields]
    rows = [f"| {_names(field)} | {default(field.default)} | {told[name]} |\n" for name, field in own]
    shown = limit_texts(Limits())
    more = [
        f"| `{field.alias}` | `{shown[str(field.alias)]}` | {limits[name]} |\n"
        for name, field in Limits.model_fields.items()
    ]
    return HEAD + "".join(rows) + LIMITS + "".join(more)


def _names(field: Any) -> str:
    choices = getattr(field.validation_alias, "choices", None)
    return f"`{choices[0] if choices else field.alias}`"


if __name__ == "__main__":
    (ROOT / "docs/settings.md").write_text(page(), encoding="utf-8")
