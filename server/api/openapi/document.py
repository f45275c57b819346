"""The OpenAPI 3.1 document of the REST API, generated from the contracts of services and the bodies of endpoints."""

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from server import __version__
from server.agents.contract import RequestContract
from server.agents.service import Service
from server.api.deep_chat.body import ChatRequest
from server.api.openapi.agui_endpoints import AGUI_ENDPOINTS, AGUI_SCHEMAS
from server.api.openapi.endpoints import ENDPOINTS, MODELS, operation
from server.api.openapi.schemas import REF, SCHEMAS, content, ref

Json = dict[str, Any]

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
        "session_id": {"type": "string", "description": "The caller's own name of the session."},
        "loopwire_session": {"type": "string", "description": "The server's name of the session."},
        "url": {"type": "string", "description": "Where the job is asked about."},
    },
    "required": ["job_id", "status", "session_id", "loopwire_session", "url"],
}
_MESSAGES: Json = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "Markdown; empty where `html` says it all."},
            "html": {"type": "string", "description": "Buttons and cards of Deep Chat's own classes."},
            "role": {"const": "assistant"},
        },
        "required": ["text", "role"],
    },
}
_CHAT_ERROR: Json = {
    "type": "object",
    "properties": {
        "error": {"type": "string", "description": "A sentence, which the element shows."},
        "code": {"type": "string"},
        "retry_after": {"type": "number", "description": "Seconds."},
        "detail": {
            "type": "array",
            "items": {"type": "object"},
            "description": "The wrong fields, with 422.",
        },
    },
    "required": ["error"],
}
_FAILURES = {
    "400": "The body is not JSON, or a header is wrong.",
    "401": "There is no key where one is needed, or it is not valid.",
    "403": "The key was not made for this.",
    "409": "The Idempotency-Key was used for another request.",
    "413": "The body is over 10 MiB.",
    "415": "The body is not application/json.",
    "429": "Too many requests, or too many of the session wait; Retry-After says when to come back.",
    "502": "The model failed, or its answer did not have the right form.",
    "503": "The server is starting, leaving or full; Retry-After says when to come back.",
    "504": "The answer took too long.",
}


_ENDPOINTS = (*ENDPOINTS, *AGUI_ENDPOINTS)


def openapi_document(services: Mapping[str, Service]) -> Json:
    """Return the document."""
    contracts = {name: each.contract for name, each in sorted(services.items()) if each.contract is not None}
    bodies = [each.body for each in _ENDPOINTS if isinstance(each.body, type)]
    read = (*bodies, *MODELS, ChatRequest, *(each.request for each in contracts.values()))
    taken = [(each, "validation") for each in read]
    given = [(each.response, "serialization") for each in contracts.values()]
    models: Any = [*taken, *given]
    names, defined = models_json_schema(models, ref_template=REF)
    paths: Json = {each.path: {"post": _service(name, each, names)} for name, each in contracts.items()}
    paths["/chat"] = {"post": _chat(names[ChatRequest, "validation"])}
    bodies_by_model = {model: name for (model, _), name in names.items()}
    for each in _ENDPOINTS:
        paths.setdefault(each.path, {})[each.method] = operation(each, bodies_by_model, _USER)
    made = defined.get("$defs", {})
    shared = {
        "Error": _ERROR,
        "ErrorFrame": made["Error"],
        "InternalServerError": _INTERNAL,
        "ValidationError": _VALIDATION,
        "Job": _JOB,
    }
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
            "schemas": {**made, **SCHEMAS, **AGUI_SCHEMAS, **shared},
            "securitySchemes": {"appKey": _APP_KEY, "ticket": _TICKET},
        },
    }


def _service(name: str, contract: RequestContract, names: Mapping[Any, Json]) -> Json:
    """Return the operation of a service."""
    answered = content(names[contract.response, "serialization"])
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
        "description": "\n\n".join(_CHAT_NOTES),
        "parameters": [_KEY, _USER],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": body, "example": example},
                "multipart/form-data": {"schema": _FORM},
            },
        },
        "responses": {
            "200": {
                "description": "The assistant's messages; with `Accept: text/event-stream` a stream.",
                "headers": _HEADERS,
                "content": {**content(_MESSAGES), "text/event-stream": stream},
            },
            "202": _TAKEN,
            **{
                status: {"description": each["description"], "content": content(_CHAT_ERROR)}
                for status, each in _failures().items()
            },
        },
    }


_CHAT_NOTES = (
    "Of `messages` the last one counts; the session keeps the rest.",
    "The same `session_id` goes on with a conversation: choose one that nobody guesses. Without one the list of"
    " messages says which conversation it is: one message of the user begins it, and the whole list so far, with our"
    " answers, goes on with it. Deep Chat sends the last message only: without `session_id` it needs"
    " `requestBodyLimits = {maxMessages: -1}`.",
    'With `Accept: text/event-stream` the words come as events `data: {"text": "…"}`; a failure is'
    ' `data: {"error": "…"}`. Deep Chat sends this header where its `connect` has `stream: true`; a program sends the'
    " header itself, since a field `stream` of the body is ignored.",
    "A refusal is `error`, a sentence, beside its `code`.",
)


def _failures() -> Json:
    """Return what a service may answer besides."""
    told = {
        status: {"description": text, "content": content(ref("Error"))} for status, text in _FAILURES.items()
    }
    told["422"] = {
        "description": "Fields are wrong or missing.",
        "content": content({"anyOf": [ref("ValidationError"), ref("Error")]}),
    }
    told["500"] = {"description": "A bug.", "content": content(ref("InternalServerError"))}
    return dict(sorted(told.items()))


_TAKEN: Json = {
    "description": "The answer will be posted to `callback_url`.",
    "content": content(ref("Job")),
}
_KEY: Json = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": (
        "The caller's own id of the request; the same key again is the same request. Where that one failed and is"
        " worth repeating, it begins anew."
    ),
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
_TICKET: Json = {
    "type": "http",
    "scheme": "bearer",
    "description": "A ticket of `/v1/tickets`, or the resume token of a `welcome`.",
}
_FORM: Json = {
    "type": "object",
    "description": (
        "What Deep Chat sends for a message with files; the other fields of the JSON body are texts here, lists and"
        " objects as JSON. An empty text, `null`, `undefined` and `[object Object]` are read as a missing field."
    ),
    "properties": {
        "message1": {
            "type": "string",
            "description": "The first message as JSON; then `message2` and so on.",
        },
        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
        "loopos_core_base_url": {"type": "string", "pattern": "^https?://"},
        "loopos_submission_base_url": {"type": "string", "pattern": "^https?://"},
    },
    "required": ["loopos_core_base_url", "loopos_submission_base_url"],
}
_HEADERS: Json = {
    "x-loopwire-run": {"description": "The id of the run, which is the job's.", "schema": {"type": "string"}},
    "x-loopwire-session": {"description": "The id of the session.", "schema": {"type": "string"}},
    "ratelimit": {"description": "What is left of each limit of the key.", "schema": {"type": "string"}},
    "x-loopwire-demo": {"description": "`true` where the demo model answers.", "schema": {"type": "string"}},
}
