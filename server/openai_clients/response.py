"""A response as OpenAI's clients read it: made of the stored run and its messages, the same for all callers."""

from typing import Any

from server.openai_clients.items import output_of
from server.store import Run, Session, Store
from server.words import failure_sentence

Json = dict[str, Any]

PREFIX = "resp_"

_INCOMPLETE = {"truncated": "max_output_tokens", "content_filter": "content_filter"}
"""The reasons that OpenAI knows of an answer that is not whole, by our codes of a failed run."""

_ERRORS = {"model_busy": "rate_limit_exceeded"}
"""OpenAI's codes of a failed response; all others are its `server_error`, and ours stand in the metadata."""


def response_id(run_id: str) -> str:
    """Return the id of the response that a run is."""
    return f"{PREFIX}{run_id}"


class ResponseReader:
    """Reads responses from the store."""

    def __init__(self, store: Store, *, demo: bool) -> None:
        self._store = store
        self._demo = demo

    async def read(self, run: Run, session: Session) -> Json:
        """Return the current state of a response; its output is there when it has ended."""
        told = self.outline(run, session)
        if run.status != "finished":
            return told
        messages = await self._store.messages.of_run(run.id)
        usage = await self._store.costs.detail_of_run(run.id)
        return {**told, "output": output_of(messages, session.language), "usage": usage_of(usage)}

    def outline(self, run: Run, session: Session) -> Json:
        """Return a response without its output and usage."""
        status = status_of(run)
        failed = status == "failed"
        return {
            "id": response_id(run.id),
            "object": "response",
            "created_at": run.created_at // 1000,
            "completed_at": run.ended_at // 1000 if run.ended_at and status == "completed" else None,
            "status": status,
            "error": _error_of(run) if failed else None,
            "incomplete_details": (
                {"reason": _INCOMPLETE[str(run.code)]} if status == "incomplete" else None
            ),
            "instructions": None,
            "metadata": self._metadata(run),
            "model": session.service,
            "conversation": {"id": session.id},
            "output": [],
            "parallel_tool_calls": True,
            "previous_response_id": None,
            "store": True,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "usage": None,
        }

    def _metadata(self, run: Run) -> dict[str, str]:
        """Return what OpenAI has no field for: how the run ended, our code, and whether the demo model answers."""
        told = {"outcome": run.outcome, "code": run.code, "demo": "true" if self._demo else None}
        return {f"loopwire_{name}": value for name, value in told.items() if value is not None}


def status_of(run: Run) -> str:
    """Return OpenAI's status of a run; one that waits for an answer of a person is completed."""
    if run.status != "finished":
        return "in_progress" if run.status == "running" else "queued"
    if run.outcome in ("success", "interrupt"):
        return "completed"
    if run.outcome == "cancelled":
        return "cancelled"
    return "incomplete" if run.code in _INCOMPLETE else "failed"


def end_type(status: str) -> str:
    """Return the type of the last event of a stream; OpenAI has none for a response that was cancelled."""
    return f"response.{status if status in ('completed', 'failed') else 'incomplete'}"


def usage_of(detail: Json) -> Json:
    """Return what the model's server counted; zeros where no model was asked."""
    read, written = int(detail.get("inputTokens", 0)), int(detail.get("outputTokens", 0))
    return {
        "input_tokens": read,
        "input_tokens_details": {
            "cached_tokens": int(detail.get("cachedInputTokens", 0)),
            "cache_write_tokens": 0,
        },
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": int(detail.get("reasoningTokens", 0))},
        "total_tokens": int(detail.get("totalTokens", read + written)),
    }


def _error_of(run: Run) -> Json:
    code = _ERRORS.get(str(run.code), "server_error")
    return {"code": code, "message": failure_sentence(run.code, run.language)}
