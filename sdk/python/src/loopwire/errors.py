"""The exceptions of this package: one tree, each with a code, which is the wire's where the server named it."""

from __future__ import annotations

from typing import Any


class LoopwireError(Exception):
    """Something did not happen; `code` says what for programs, the message for people.

    `retry` says whether the same may succeed later, and `retry_after` after how many seconds.
    """

    def __init__(
        self, code: str, message: str = "", *, retry: bool = False, retry_after: float | None = None
    ) -> None:
        self.code = code
        self.message = message or code
        self.retry = retry
        self.retry_after = retry_after
        super().__init__(f"{self.message} ({code})" if message else code)


class Refused(LoopwireError):
    """The server refused a frame or a request. `status` is that of HTTP where it was a request."""

    def __init__(
        self,
        code: str,
        message: str = "",
        *,
        retry: bool = False,
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(code, message, retry=retry, retry_after=retry_after)
        self.status = status


class Unreachable(LoopwireError):
    """No server answered in time, or what answered is none."""


class Closed(LoopwireError):
    """The conversation is closed, and does not come back by itself; `close_code` is that of the wire."""

    def __init__(self, code: str, message: str = "", *, close_code: int | None = None) -> None:
        super().__init__(code, message)
        self.close_code = close_code


class Garbled(LoopwireError):
    """The server sent a frame that is not Loopwire's protocol."""

    def __init__(self, message: str) -> None:
        super().__init__("garbled", message, retry=True)


class BadSignature(LoopwireError):
    """A callback was not signed with this secret, or is too old."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_signature", message)


def refusal_of(status: int, body: Any, retry_after: str | None = None) -> Refused:
    """Return the error of a response over HTTP; a body may be an error frame, or have one under `error`."""
    told = body if isinstance(body, dict) else {}
    told = told["error"] if isinstance(told.get("error"), dict) else told
    code, message = told.get("code"), told.get("message", _first_fault(told.get("detail")))
    retry = told.get("retry")
    return Refused(
        code if isinstance(code, str) else f"http_{status}",
        message if isinstance(message, str) else "",
        retry=retry if isinstance(retry, bool) else status in {408, 429} or status >= 500,
        retry_after=_seconds(retry_after),
        status=status,
    )


def refusal_in(frame: dict[str, Any]) -> Refused:
    """Return the error of an error frame."""
    after = frame.get("retry_after")
    return Refused(
        str(frame.get("code", "internal")),
        str(frame.get("message", "")),
        retry=bool(frame.get("retry")),
        retry_after=float(after) if isinstance(after, int | float) else None,
    )


def _first_fault(detail: Any) -> Any:
    """Return what is wrong with the first of the fields that a service names, as FastAPI does."""
    if not (isinstance(detail, list) and detail and isinstance(detail[0], dict)):
        return None
    field = ".".join(str(each) for each in detail[0].get("loc", ()))
    return f"{field}: {detail[0].get('msg')}"


def _seconds(header: str | None) -> float | None:
    return float(header) if header is not None and header.isdigit() else None
