"""The usage of a run and its limits, kept through a take-over and over a chain of resumed runs."""

from dataclasses import asdict, dataclass, field
from typing import Any

from agents import Usage
from openai.types.responses import ResponseUsage

from server.agents.service import RunLimits
from server.errors import Limit, ToolFailed
from server.prices import UNREPORTED
from server.protocol.events import ToolStatus

CHARACTERS_A_TOKEN = 4
"""The characters that count as one token where the model's server has not counted."""


@dataclass
class RunUsage:
    """Counts against the limits; going beyond raises what the run ends with."""

    limits: RunLimits
    model_calls: int = 0
    tool_calls: int = 0
    failures: int = 0
    """Answers of the model with a failed call since the last call that worked."""
    tokens: dict[str, int] = field(default_factory=dict)
    run_id: str = ""
    earlier: dict[str, int] = field(default_factory=dict)
    """Tokens of the runs that this one resumes: they count against the limit, and were accounted for by those."""
    failed_in: int = -1
    """The answer, by its number, whose failed call was counted last: calls side by side fail of one cause."""

    def count_model_call(self) -> None:
        """Count a call of the model, before it is made."""
        spent = self.tokens.get("totalTokens", 0)
        if self.model_calls >= self.limits.model_calls or spent >= self.limits.tokens:
            raise Limit
        self.model_calls += 1

    def require_tokens_for(self, characters: int) -> None:
        """Insist that an answer of so many characters, which its model has not counted yet, is within the tokens."""
        spent = self.tokens.get("totalTokens", 0)
        if spent + characters // CHARACTERS_A_TOKEN > self.limits.tokens:
            raise Limit

    def count_tool_call(self) -> None:
        """Count a call of a tool, before it is made."""
        if self.tool_calls >= self.limits.tool_calls:
            raise Limit
        self.tool_calls += 1

    def count_tool_end(self, status: ToolStatus) -> None:
        """Count how it ended: too many failures in a row end the run."""
        if status != "failed":
            self.failures, self.failed_in = 0, -1
        elif self.failed_in != self.model_calls:
            self.failures, self.failed_in = self.failures + 1, self.model_calls
        if self.failures >= self.limits.tool_failures:
            raise ToolFailed

    def add_call(self, usage: ResponseUsage | None) -> None:
        """Add the tokens of one model call."""
        if usage is None:
            self._add(UNREPORTED, 1)
            return
        read, written = usage.input_tokens_details, usage.output_tokens_details  # None from some servers
        self._add("inputTokens", usage.input_tokens)
        self._add("outputTokens", usage.output_tokens)
        self._add("totalTokens", usage.total_tokens)
        self._add("cachedInputTokens", getattr(read, "cached_tokens", 0))
        self._add("reasoningTokens", getattr(written, "reasoning_tokens", 0))

    def add_response(self, usage: Usage) -> None:
        """Add the tokens of a call that was not streamed."""
        self._add("inputTokens", usage.input_tokens)
        self._add("outputTokens", usage.output_tokens)
        self._add("totalTokens", usage.total_tokens)
        self._add("cachedInputTokens", getattr(usage.input_tokens_details, "cached_tokens", 0))
        self._add("reasoningTokens", getattr(usage.output_tokens_details, "reasoning_tokens", 0))
        if not usage.total_tokens:
            self._add(UNREPORTED, 1)

    def add_estimate(self, read: int, written: int) -> None:
        """Add what a call cost that broke off before its model sent usage: so many characters, named as an estimate."""
        inputs, outputs = (-(-each // CHARACTERS_A_TOKEN) for each in (read, written))
        self._add("inputTokens", inputs)
        self._add("outputTokens", outputs)
        self._add("totalTokens", inputs + outputs)
        self._add("estimatedTokens", inputs + outputs)

    def _add(self, name: str, count: int | None) -> None:
        if count:
            self.tokens[name] = self.tokens.get(name, 0) + count

    def usage(self, model: str) -> dict[str, Any]:
        """Return the sum of this run as AG-UI names it; empty when no model reported any."""
        own = {name: count - self.earlier.get(name, 0) for name, count in self.tokens.items()}
        return {"model": model, **own} if any(own.values()) else {}

    def to_checkpoint(self) -> dict[str, Any]:
        """Return the value that a checkpoint keeps."""
        kept = asdict(self)
        del kept["limits"]
        return kept

    @classmethod
    def of(cls, limits: RunLimits, stored: dict[str, Any] | None, run_id: str = "") -> "RunUsage":
        """Continue the count of a checkpoint, which may be that of the run that this one resumes; or start."""
        known = stored or {}
        same = known.get("run_id", "") == run_id
        return cls(
            limits,
            int(known.get("model_calls", 0)),
            int(known.get("tool_calls", 0)),
            int(known.get("failures", 0)),
            dict(known.get("tokens", {})),
            run_id,
            dict(known.get("earlier" if same else "tokens", {})),
        )
