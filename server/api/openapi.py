"""The OpenAPI 3.1 document of the REST API, generated from the contracts of services and the bodies of endpoints."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from server import __version__
from server.agents.contract import RequestContract
from server.agents.service import Service
from server.api.chat_body import ChatRequest
from server.api.sessions import NewSession, SessionChange
from server.api.tickets import TicketBody

Json = dict[str, Any]

_REF = "#/components/schemas/{model}"
_ENDPOINTS: tuple[tuple[str, str, str, type[BaseModel] | None, str], ...] = (
    ("get", "/health", "Is the process alive?", None, "200"),
    ("get", "/healthz", "Is the process alive?", None, "200"),
    ("get", "/readyz", "Can it store and answer? 503 while it cannot.", None, "200"),
    ("get", "/v1/services", "The services with their agents and tools.", None, "200"),
    ("post", "/v1/tickets", "A ticket for one socket or stream, valid for 30 s.", TicketBody, "200"),
    ("post", "/v1/sessions", "Begin a conversation.", NewSession, "201"),
    ("get", "/v1/sessions", "The caller's conversations, newest first.", None, "200"),
    ("get", "/v1/sessions/{id}", "One conversation.", None, "200"),
    ("patch", "/v1/sessions/{id}", "Change title or language.", SessionChange, "200"),
    ("delete", "/v1/sessions/{id}", "Delete a conversation with all that was said.", None, "204"),
    ("get", "/v1/sessions/{id}/messages", "Its messages, oldest first, by pages.", None, "200"),
    ("get", "/v1/sessions/{id}/events", "Its events as a stream (SSE).", None, "200"),
    ("post", "/v1/sessions/{id}/files", "Upload a picture for a message: its blob_id and size.", None, "201"),
    ("get", "/v1/jobs/{id}", "How far a request is, and its answer.", None, "200"),
)
"""Method, path, summary, body and status of the endpoints beside the services."""

_ERROR: Json = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "retry_after": {"type": "number", "description": "Seconds."},
            },
            "required": ["code", "message"],
        }
    },
    "required": ["error"],
}
_INTERNAL: Json = {
    "type": "object",
    "properties": {"error": {"const": "Internal Server Error"}},
    "required": ["error"],
}
_VALIDATION: Json = {
    "type": "object",
    "properties": {
        "detail": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "loc": {"type": "array", "items": {"type": ["string", "integer"]}},
                    "msg": {"type": "string"},
                    "type": {"type": "string"},
                },
                "required": ["loc", "msg", "type"],
            },
        }
    },
    "required": ["detail"],
}
_JOB: Json = {
    "type": "object",
    "properties": {
        "job_id": {"type": "string"},
        "status": {"const": "queued"},
        "session_id": {"type": "string"},
        "url": {"type": "string", "description": "Where the job is asked about."},
    },
    "required": ["job_id", "status", "session_id", "url"],
}
_MESSAGES: Json = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "Markdown."},
            "html": {"type": "string", "description": "Buttons and cards of Deep Chat's own classes."},
            "role": {"const": "assistant"},
        },
        "required": ["role"],
    },
}
_FAILURES = {
    "400": "The body is not JSON, or a header is wrong.",
    "401": "There is no key where one is needed, or it is not valid.",
    "403": "The key was not made for this.",
    "409": "The Idempotency-Key was used for another request, or too many requests of the session wait.",
    "413": "The body is over 10 MiB.",
    "415": "The body is not application/json.",
    "429": "Too many requests; Retry-After says when to come back.",
    "502": "The model failed, or its answer did not have the right form.",
    "503": "The server is starting, leaving or full; Retry-After says when to come back.",
    "504": "The answer took too long.",
}


def openapi_document(services: Mapping[str, Service]) -> Json:
    """Return the document."""
    contracts = {name: each.contract for name, each in sorted(services.items()) if each.contract is not None}
    bodies = [each[3] for each in _ENDPOINTS if each[3] is not None]
    taken = [
        (each, "validation")
        for each in (*bodies, ChatRequest, *(each.request for each in contracts.values()))
    ]
    given = [(each.response, "serialization") for each in contracts.values()]
    models: Any = [*taken, *given]
    names, defined = models_json_schema(models, ref_template=_REF)
    paths: Json = {each.path: {"post": _service(name, each, names)} for name, each in contracts.items()}
    paths["/chat"] = {"post": _chat(names[ChatRequest, "validation"])}
    for method, path, summary, body, status in _ENDPOINTS:
        ref = names[body, "validation"] if body is not None else None
        paths.setdefault(path, {})[method] = _endpoint(path, summary, ref, status)
    shared = {"Error": _ERROR, "InternalServerError": _INTERNAL, "ValidationError": _VALIDATION, "Job": _JOB}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Loopwire",
            "version": __version__,
            "description": "A realtime conversation server for agents, with LoopOS-compatible services.",
        },
        "paths": paths,
        "security": [{}, {"appKey": []}],
        "components": {
            "schemas": {**defined.get("$defs", {}), **shared},
            "securitySchemes": {"appKey": _APP_KEY},
        },
    }


def _service(name: str, contract: RequestContract, names: Mapping[Any, Json]) -> Json:
    """Return the operation of a service."""
    answered = _content(names[contract.response, "serialization"])
    return {
        "operationId": name,
        "tags": ["services"],
        "summary": contract.summary,
        "description": "\n\n".join(contract.notes),
        "parameters": [_KEY, _USER],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": names[contract.request, "validation"],
                    "example": contract.example,
                }
            },
        },
        "responses": {
            "200": {"description": "The answer.", "headers": _HEADERS, "content": answered},
            "202": _TAKEN,
            **_failures(),
        },
    }


def _chat(body: Json) -> Json:
    example = {
        "messages": [{"role": "user", "text": "Quero vender um iPhone 12"}],
        "session_id": "chat-1",
        "language": "PT-PT",
        "loopos_core_base_url": "https://core.example/",
        "loopos_submission_base_url": "https://submission.example/",
    }
    stream = {"schema": {"type": "string", "description": 'Events `data: {"text": "…"}`.'}}
    return {
        "operationId": "chat_message",
        "tags": ["services"],
        "summary": "The submission of a used item, in the message convention of Deep Chat.",
        "description": "Of `messages` the last one counts; the session keeps the rest.",
        "parameters": [_USER],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": body, "example": example}},
        },
        "responses": {
            "200": {
                "description": "The assistant's messages; with `Accept: text/event-stream` a stream.",
                "headers": _HEADERS,
                "content": {**_content(_MESSAGES), "text/event-stream": stream},
            },
            "202": _TAKEN,
            **_failures(),
        },
    }


def _endpoint(path: str, summary: str, body: Json | None, status: str) -> Json:
    found: Json = {"tags": ["api"], "summary": summary, "responses": {status: {"description": "Done."}}}
    found["responses"]["default"] = {"description": "Refused.", "content": _content(_ref("Error"))}
    if "{id}" in path:
        found["parameters"] = [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
    if body is not None:
        found["requestBody"] = {"required": True, "content": _content(body)}
    return found


def _failures() -> Json:
    """Return what a service may answer besides."""
    told = {
        status: {"description": text, "content": _content(_ref("Error"))}
        for status, text in _FAILURES.items()
    }
    told["422"] = {
        "description": "Fields are wrong or missing.",
        "content": _content({"anyOf": [_ref("ValidationError"), _ref("Error")]}),
    }
    told["500"] = {"description": "A bug.", "content": _content(_ref("InternalServerError"))}
    return dict(sorted(told.items()))


def _ref(name: str) -> Json:
    return {"$ref": _REF.format(model=name)}


def _content(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


_TAKEN: Json = {
    "description": "The answer will be posted to `callback_url`.",
    "content": _content(_ref("Job")),
}
_KEY: Json = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The caller's own id of the request; the same key again is the same request.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9_.:-]{1,64}$"},
}
_USER: Json = {
    "name": "Loopwire-User",
    "in": "header",
    "required": False,
    "description": "With the key of an app: its own name of the user that it asks for, percent-encoded.",
    "schema": {"type": "string", "minLength": 1},
}
_APP_KEY: Json = {
    "type": "http",
    "scheme": "bearer",
    "description": "The key of an app, `lwk_…`. Where the demo model answers, requests need none.",
}
_HEADERS: Json = {
    "x-loopwire-run": {"description": "The id of the run, which is the job's.", "schema": {"type": "string"}},
    "x-loopwire-session": {"description": "The id of the session.", "schema": {"type": "string"}},
    "ratelimit": {"description": "What is left of each limit of the key.", "schema": {"type": "string"}},
    "x-loopwire-demo": {"description": "`true` where the demo model answers.", "schema": {"type": "string"}},
}
