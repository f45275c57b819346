"""The steps of a script: what a scripted model answers to one request."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

Json = dict[str, Any]


class Call:
    """A call of a tool: `Call("search_catalog", query="iPhone 12")`. A handoff is one too."""

    __slots__ = ("arguments", "name")

    def __init__(self, name: str, /, **arguments: Any) -> None:
        """`arguments` are sent as one JSON object. Raises TypeError where one of them is no JSON."""
        json.dumps(arguments)
        self.name = name
        self.arguments = arguments

    def __eq__(self, other: object) -> bool:
        """Compare name and arguments."""
        return isinstance(other, Call) and (self.name, self.arguments) == (other.name, other.arguments)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        given = (f"{name}={value!r}" for name, value in self.arguments.items())
        return f"Call({', '.join([repr(self.name), *given])})"


class Fail(Exception):
    """A refusal of the model's server: a step, or what a callable raises.

    `status` is that of HTTP, 400 to 599; `code` and `message` are those of OpenAI's error. The server does not ask
    again, so the run ends with an error: `model_busy` for 429 and 503, `model_error` for another status from 500,
    else `model_rejected`. With `retry` the server asks again after about half a second, where it repeats the status
    (429, 500, 502, 503, 504), at most twice; each repetition takes the next step.
    """

    def __init__(
        self,
        status: int = 500,
        code: str | None = "server_error",
        message: str = "The script fails here.",
        *,
        retry: bool = False,
    ) -> None:
        """Raises ValueError for a `status` that is no error of HTTP."""
        if not 400 <= status <= 599:
            raise ValueError(f"{status} is no error of HTTP: 400 to 599")
        super().__init__(status, code, message)
        self.status = status
        self.code = code
        self.message = message
        self.retry = retry

    def __repr__(self) -> str:
        return f"Fail({self.status}, {self.code!r})"


Reply = str | Call | Fail | Sequence["str | Call"]
"""One answer: words, a call, a failure, or several words and calls that belong to one answer."""

Act = Callable[[list[Json]], Reply]
"""Gets the messages that the model was sent, and returns one answer."""

Step = Reply | Act

Outputs = Sequence["str | Call"]


def outputs_of(reply: object) -> Outputs:
    """Return what an answer consists of. Raises Fail where it is one, and TypeError for what is no answer."""
    if isinstance(reply, Fail):
        raise reply
    if isinstance(reply, str | Call):
        return [reply]
    if isinstance(reply, list | tuple) and reply and all(isinstance(each, str | Call) for each in reply):
        return reply
    raise TypeError(
        f"{reply!r} is no step: it is a str, a Call, a Fail, a list of str and Call, or a callable"
    )


def require_step(step: object) -> None:
    """Raise TypeError for what is no step."""
    if not callable(step) and not isinstance(step, Fail):
        outputs_of(step)
