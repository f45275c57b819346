"""Faults of a request or an answer, each a class: HTTP errors, a hang, a wrong plan.

Every message of a fault carries `CANARY`, which no client, log or trace may ever show.
"""

import asyncio
from dataclasses import dataclass, replace

from tests.modelserver.plan import Call, Fault, Output, Plan
from tests.modelserver.request import ProviderError, bad_request

CANARY = "sk-CANARY-4f9d21c7"


@dataclass(frozen=True, slots=True)
class RateLimited(Fault):
    """429 that passes; `retry_after` is told in the header."""

    name = "rate_limited"
    retry_after: float = 0.01

    async def before(self) -> None:
        """Refuse with the limit of the key."""
        raise ProviderError(
            429,
            f"Rate limit reached for key {CANARY} on requests per min.",
            kind="requests",
            code="rate_limit_exceeded",
            retry_after=str(self.retry_after),
            retry_after_ms=str(self.retry_after * 1000),
        )


@dataclass(frozen=True, slots=True)
class QuotaExceeded(Fault):
    """429 that doesn't pass: the account has no money."""

    name = "insufficient_quota"

    async def before(self) -> None:
        """Refuse for good."""
        text = f"You exceeded your current quota ({CANARY}), please check your plan and billing."
        raise ProviderError(429, text, kind="insufficient_quota", code="insufficient_quota")


@dataclass(frozen=True, slots=True)
class ServerError(Fault):
    """500, or another status of theirs."""

    name = "server_error"
    status: int = 500

    async def before(self) -> None:
        """Fail as a provider does."""
        text = f"The server had an error. Traceback: db://{CANARY}@internal"
        raise ProviderError(self.status, text, kind="server_error", retry_after_ms="10")


@dataclass(frozen=True, slots=True)
class Unauthorized(Fault):
    """401: the key is wrong, and the provider says which."""

    name = "unauthorized"

    async def before(self) -> None:
        """Refuse the key."""
        text = f"Incorrect API key provided: {CANARY}."
        raise ProviderError(401, text, kind="invalid_request_error", code="invalid_api_key")


@dataclass(frozen=True, slots=True)
class ContextLength(Fault):
    """400: the input is too long."""

    name = "context_length"

    async def before(self) -> None:
        """Refuse the size."""
        text = f"Your input exceeds the context window of this model. ({CANARY})"
        raise bad_request(text, "context_length_exceeded")


@dataclass(frozen=True, slots=True)
class Hang(Fault):
    """The request is taken and nothing comes back, not even a status line."""

    name = "hang"
    seconds: float = 600.0

    async def before(self) -> None:
        """Wait; a client that goes away ends it."""
        await asyncio.sleep(self.seconds)


@dataclass(frozen=True, slots=True)
class ResetConnection(Fault):
    """The connection is reset before any answer."""

    name = "reset_first"

    async def before(self) -> None:
        """The connection knows this error and resets itself."""
        raise ConnectionResetError


@dataclass(frozen=True, slots=True)
class LengthReached(Fault):
    """`finish_reason: "length"` or `response.incomplete`, with what was said so far."""

    name = "length"

    def plan(self, plan: Plan) -> Plan:
        """End for want of tokens."""
        return replace(plan, ending="length")


@dataclass(frozen=True, slots=True)
class ContentFiltered(Fault):
    """`finish_reason: "content_filter"`, or `response.incomplete` for that reason, with what was said so far."""

    name = "content_filter"

    def plan(self, plan: Plan) -> Plan:
        """End because the provider's filter stopped it."""
        return replace(plan, ending="content_filter")


@dataclass(frozen=True, slots=True)
class ResponseFailed(Fault):
    """`response.failed` (an error chunk in Chat Completions) after the whole output."""

    name = "failed"

    def plan(self, plan: Plan) -> Plan:
        """End in failure."""
        return replace(plan, ending="failed", failure=f"Worker {CANARY} died.")


@dataclass(frozen=True, slots=True)
class BadArguments(Fault):
    """The arguments of every call are no JSON."""

    name = "bad_arguments"

    def plan(self, plan: Plan) -> Plan:
        """Break them."""
        return replace(plan, outputs=[self._break(output) for output in plan.outputs])

    @staticmethod
    def _break(output: Output) -> Output:
        if not isinstance(output, Call):
            return output
        return replace(output, arguments=f'{{"{CANARY}": ')


@dataclass(frozen=True, slots=True)
class UnknownTool(Fault):
    """The answer is a call of a tool that nobody offered."""

    name = "unknown_tool"
    tool: str = "no_such_tool"

    def plan(self, plan: Plan) -> Plan:
        """Rename the first call, or add one."""
        calls = [output for output in plan.outputs if isinstance(output, Call)]
        if not calls:
            return replace(plan, outputs=[*plan.outputs, Call(self.tool)])
        renamed = replace(calls[0], name=self.tool)
        outputs = [renamed if output is calls[0] else output for output in plan.outputs]
        return replace(plan, outputs=outputs)
