"""The pieces in which an answer is streamed, and the tokens that it counts as."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from loopwire.testing.request import Request
from loopwire.testing.steps import Call, Outputs

_PIECES = re.compile(r"\S*\s+|\S+")
_CHARACTERS_A_TOKEN = 4


def deltas_of(text: str) -> Iterator[str]:
    """Yield a text in pieces, cut after each blank, as a tokeniser roughly does."""
    return (each.group() for each in _PIECES.finditer(text))


def arguments_of(call: Call) -> str:
    """Return the arguments of a call as they are sent."""
    return json.dumps(call.arguments, ensure_ascii=False)


def tokens_of(request: Request, outputs: Outputs) -> tuple[int, int]:
    """Return how many tokens were read and written: four characters count as one, and both are at least 1."""
    read = sum(len(str(each["content"])) for each in request.messages)
    written = sum(len(arguments_of(each)) if isinstance(each, Call) else len(each) for each in outputs)
    return max(1, read // _CHARACTERS_A_TOKEN), max(1, written // _CHARACTERS_A_TOKEN)
