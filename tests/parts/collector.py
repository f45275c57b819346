"""A collector of traces: real HTTP, real OTLP; it can fail and hang as such servers do."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

SCORES = "/api/public/scores"
"""Where Langfuse takes scores."""


@dataclass
class Seen:
    """A span as it arrived."""

    raw: Span
    attributes: dict[str, Any]

    @property
    def name(self) -> str:
        return self.raw.name

    @property
    def parent(self) -> str:
        return self.raw.parent_span_id.hex()

    @property
    def id(self) -> str:
        return self.raw.span_id.hex()

    @property
    def trace(self) -> str:
        return self.raw.trace_id.hex()


@dataclass
class Collector:
    """The spans that arrived, and the answer to give."""

    url: str
    status: int = 200
    answering: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def take(self, path: str, headers: dict[str, str], body: bytes) -> None:
        self.bodies.append(gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body)
        self.requests.append((path, headers))
        self.asked.set()

    def scores(self) -> list[dict[str, Any]]:
        """Return all scores that Langfuse's ingestion took, in order."""
        taken = [
            json.loads(body)
            for (path, _), body in zip(self.requests, self.bodies, strict=True)
            if path == SCORES
        ]
        return [score for scores in taken for score in scores]

    def spans(self) -> list[Seen]:
        """Return all spans that arrived."""
        parsed = [
            ExportTraceServiceRequest.FromString(body)
            for (path, _), body in zip(self.requests, self.bodies, strict=True)
            if path != SCORES
        ]
        return [
            Seen(span, {each.key: _value(each.value) for each in span.attributes})
            for request in parsed
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def one(self, name: str) -> Seen:
        """The only span of this name."""
        (found,) = [each for each in self.spans() if each.name == name]
        return found


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(each) for each in value.array_value.values]
    return getattr(value, kind)


@contextmanager
def collecting() -> Iterator[Collector]:
    """Serve a collector that answers at once; clear `answering` to let it hang."""

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            collector.take(self.path, {name.lower(): text for name, text in self.headers.items()}, body)
            collector.answering.wait()
            is_score = self.path == SCORES
            answer = b'{"message":"Accepted"}' if is_score else b""
            self.send_response(202 if is_score and collector.status == 200 else collector.status)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.daemon_threads = True
    collector = Collector(f"http://127.0.0.1:{server.server_port}")
    collector.answering.set()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield collector
    finally:
        collector.answering.set()
        server.shutdown()
        thread.join()
        server.server_close()
