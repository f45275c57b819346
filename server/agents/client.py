"""OpenAI's client, which sends what is long as it is.

`responses.create` walks through every value of a request to rename what is written otherwise in Python. The SDK's
input items and tools are written as the wire has them, and walking through a conversation took more time than all
that Loopwire does for a run.
"""

from functools import cached_property
from typing import Any

from openai import AsyncOpenAI, Omit
from openai.resources.responses import AsyncResponses

AS_THEY_ARE = ("input", "tools")


class Responses(AsyncResponses):
    """The Responses dialect."""

    async def create(self, **given: Any) -> Any:
        """Send a request."""
        body = dict(given.pop("extra_body", None) or {})
        for name in AS_THEY_ARE:
            if not isinstance(given.get(name, Omit()), Omit):
                body[name] = given.pop(name)
        return await super().create(**given, extra_body=body)


class Client(AsyncOpenAI):
    """As any other, but for the Responses dialect."""

    @cached_property
    def responses(self) -> Responses:
        """The Responses dialect."""
        return Responses(self)
