"""A model server in a thread: OpenAI's wire over HTTP, in both dialects, answered from a script."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from loopwire.testing.completions import CompletionsAnswer
from loopwire.testing.request import request_of
from loopwire.testing.responses import ResponsesAnswer
from loopwire.testing.script import Script
from loopwire.testing.steps import Fail, Json

POLL_S = 0.05
"""So long the end of the server may take."""

TOO_LATE_S = 60
"""The Retry-After of a failure that is not to be repeated: Loopwire waits no longer than 8 s."""

_ANSWERS: dict[str, type[ResponsesAnswer | CompletionsAnswer]] = {
    "/v1/responses": ResponsesAnswer,
    "/v1/chat/completions": CompletionsAnswer,
}


class ModelServer:
    """A model server, open within `with`, at a free port of 127.0.0.1."""

    def __init__(self, script: Script) -> None:
        """`script` answers each request in a thread of that request."""

        class Exchange(_Exchange):
            answers = script

        self._http = _Http(("127.0.0.1", 0), Exchange)
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(POLL_S,), name="loopwire-model", daemon=True
        )

    @property
    def base_url(self) -> str:
        """Return the address that OpenAI's clients take as `base_url`."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> Self:
        """Listen."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End; a callable that still answers is left behind."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    """The threads end with the process, and nothing waits for one that a callable holds."""

    daemon_threads = True
    block_on_close = False


class _Exchange(BaseHTTPRequestHandler):
    """The requests of one connection."""

    answers: Script
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle(self) -> None:
        """Answer until the client leaves, which it may do in the middle of an answer."""
        with suppress(ConnectionError):
            super().handle()

    def do_POST(self) -> None:
        """Answer one request to the model."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        answer_of = _ANSWERS.get(self.path.partition("?")[0])
        if answer_of is None:
            self._refuse(Fail(404, "not_found", f"The scripted model has no {self.path}."))
            return
        try:
            request = request_of(json.loads(body))
            answer = answer_of(self.answers.answer(request), request)
        except Fail as fail:
            self._refuse(fail)
            return
        if request.body.get("stream"):
            self._stream(answer)
        else:
            self._send(200, answer.whole())

    def _stream(self, answer: ResponsesAnswer | CompletionsAnswer) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for frame in answer.frames():
            self.wfile.write(b"%x\r\n%b\r\n" % (len(frame), frame))
        self.wfile.write(b"0\r\n\r\n")

    def _refuse(self, fail: Fail) -> None:
        kind = "invalid_request_error" if fail.status < 500 else "server_error"
        error = {"message": fail.message, "type": kind, "param": None, "code": fail.code}
        final = {} if fail.retry else {"retry-after": str(TOO_LATE_S), "x-should-retry": "false"}
        self._send(fail.status, {"error": error}, final)

    def _send(self, status: int, value: Json, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        for name, each in (headers or {}).items():
            self.send_header(name, each)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Write nothing to stderr."""
