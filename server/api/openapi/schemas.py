"""The schemas of answers beside the services, for the OpenAPI document."""

from typing import Any, get_args

from server.api.requests.job_steps import StepStatus

Json = dict[str, Any]

REF = "#/components/schemas/{model}"


def ref(name: str) -> Json:
    """Return a reference to a schema of the document."""
    return {"$ref": REF.format(model=name)}


def content(schema: Json) -> Json:
    """Return a body of JSON."""
    return {"application/json": {"schema": schema}}


def object_of(properties: Json, *optional: str) -> Json:
    """Return the schema of an object that has these properties and no others."""
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _list_of(items: Json) -> Json:
    return {"type": "array", "items": items}


def _or_null(kind: str) -> Json:
    return {"type": [kind, "null"]}


TEXT: Json = {"type": "string"}
COUNT: Json = {"type": "integer", "minimum": 0}
MOMENT: Json = {"type": "integer", "description": "Milliseconds since the epoch."}
_OPEN: Json = {"type": "object"}
_CURSOR: Json = {"type": ["string", "null"], "description": "`before` of the next page; null at the end."}
_COST = object_of(
    {
        "amounts": {"type": "object", "additionalProperties": {"type": "number"}},
        "unpriced_runs": COUNT,
    }
)

_OPERATOR: Json = {
    "anyOf": [object_of({"name": _or_null("string"), "since": MOMENT}), {"type": "null"}],
    "description": "The operator who has joined; null where the agents answer.",
}
_JOB_STEP = object_of(
    {
        "type": {"enum": ["agent", "tool"]},
        "name": TEXT,
        "status": {
            "enum": list(get_args(StepStatus)),
            "description": "`stopped` by a person or with its run; `unknown` where the server cannot know its outcome.",
        },
        "agent": {"type": "string", "description": "The agent that made this call of a tool."},
        "started_at": MOMENT,
        "duration_ms": COUNT,
        "progress": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "What the tool has told of its own work.",
        },
        "label": {"type": "string", "description": "What the tool says that it is doing."},
    },
    *("agent", "started_at", "duration_ms", "progress", "label"),
)

SCHEMAS: dict[str, Json] = {
    "Alive": object_of({"alive": {"const": True}}),
    "PushKey": object_of(
        {
            "key": {
                "type": ["string", "null"],
                "description": "A point of P-256 in base64url; null: none is pushed.",
            }
        }
    ),
    "Readiness": {
        "type": "object",
        "properties": {"ready": {"type": "boolean"}, "database": {"type": "boolean"}},
        "required": ["ready"],
    },
    "Services": object_of(
        {
            "services": _list_of(
                object_of(
                    {
                        "name": TEXT,
                        "start": TEXT,
                        "agents": _list_of(TEXT),
                        "steps": _list_of(TEXT),
                        "tools": _list_of(
                            object_of(
                                {
                                    "name": TEXT,
                                    "description": TEXT,
                                    "effect": {"enum": ["read", "idempotent", "once"]},
                                    "scopes": _list_of(
                                        {
                                            "type": "string",
                                            "description": "What the tool reaches, as `catalog:read`.",
                                        }
                                    ),
                                    "agents": _list_of(TEXT),
                                    "server": {
                                        "type": "string",
                                        "description": "The MCP server that has it.",
                                    },
                                },
                                "server",
                            )
                        ),
                    }
                )
            ),
            "demo": {"type": "boolean"},
        }
    ),
    "Ticket": object_of(
        {
            "ticket": TEXT,
            "expires_in": {"type": "integer", "description": "Seconds."},
            "session_id": TEXT,
            "service": TEXT,
            "language": TEXT,
            "demo": {"type": "boolean"},
        }
    ),
    "Session": object_of(
        {
            "id": TEXT,
            "service": TEXT,
            "language": TEXT,
            "title": _or_null("string"),
            "status": TEXT,
            "agent": _or_null("string"),
            "state": _OPEN,
            "created_at": MOMENT,
            "updated_at": MOMENT,
            "operator": _OPERATOR,
            "cost": _COST,
        },
        "cost",
    ),
    "Sessions": object_of(
        {
            "sessions": _list_of(
                object_of(
                    {
                        "id": TEXT,
                        "title": _or_null("string"),
                        "service": TEXT,
                        "status_line": TEXT,
                        "item": _or_null("object"),
                        "updated_at": MOMENT,
                        "cost": _COST,
                    },
                    "cost",
                )
            ),
            "before": _CURSOR,
        }
    ),
    "OperatedSessions": object_of(
        {
            "sessions": _list_of(
                object_of(
                    {
                        "id": TEXT,
                        "title": _or_null("string"),
                        "service": TEXT,
                        "language": TEXT,
                        "status": {"enum": ["running", "waits", "idle"]},
                        "operator": _OPERATOR,
                        "created_at": MOMENT,
                        "updated_at": MOMENT,
                    }
                )
            ),
            "before": _CURSOR,
        }
    ),
    "Messages": object_of(
        {
            "messages": _list_of(
                {
                    "type": "object",
                    "properties": {
                        "id": TEXT,
                        "role": {"enum": ["user", "assistant", "tool", "activity", "reasoning", "system"]},
                    },
                    "required": ["id", "role"],
                }
            ),
            "before": _CURSOR,
        }
    ),
    "JobState": object_of(
        {
            "job_id": TEXT,
            "session_id": {
                "type": "string",
                "description": "The caller's own name of the session, as in the 202.",
            },
            "loopwire_session": {"type": "string", "description": "The server's name of the session."},
            "status": {"enum": ["queued", "running", "done", "failed"]},
            "created_at": MOMENT,
            "started_at": _or_null("integer"),
            "ended_at": _or_null("integer"),
            "progress": {
                "type": ["number", "null"],
                "minimum": 0,
                "maximum": 1,
                "description": "The part of the agents of a request that has answered; null for a conversation.",
            },
            "steps": _list_of(_JOB_STEP),
            "result": {
                "type": ["object", "array", "null"],
                "description": "What the request would have been answered.",
            },
            "error": {"anyOf": [object_of({"code": _or_null("string")}), {"type": "null"}]},
        }
    ),
    "Picture": object_of(
        {
            "blob_id": TEXT,
            "url": TEXT,
            "media_type": TEXT,
            "width": COUNT,
            "height": COUNT,
            "bytes": COUNT,
        }
    ),
    "Item": {
        "type": "object",
        "properties": {
            "id": TEXT,
            "reference": TEXT,
            "product": TEXT,
            "brand": TEXT,
            "options": {"type": "object", "additionalProperties": TEXT},
            "answers": _list_of(_OPEN),
            "status": {"enum": ["draft", "complete", "refused", "withdrawn"]},
            "pictures": {
                "anyOf": [
                    _list_of(object_of({"id": TEXT, "width": COUNT, "height": COUNT})),
                    {"type": "null"},
                ],
                "description": "Read at /v1/sessions/{session_id}/blobs/{id}; null where the Core keeps none.",
            },
            "asking_price": {
                "anyOf": [
                    object_of({"cents": _or_null("integer"), "currency": TEXT}),
                    {"type": "null"},
                ],
                "description": "What the seller asks; `cents` is null while they have not said it. "
                "Null where the Core keeps none.",
            },
        },
        "required": ["id", "reference", "product", "brand", "options", "answers", "status"],
    },
    "OpenAiModels": object_of({"object": {"const": "list"}, "data": _list_of(ref("OpenAiModel"))}),
    "OpenAiModel": object_of(
        {"id": TEXT, "object": {"const": "model"}, "created": COUNT, "owned_by": {"const": "loopwire"}}
    ),
    "OpenAiRequest": {
        "type": "object",
        "description": "What of OpenAI's request is read; docs/openai-clients.md says what is ignored or refused.",
        "properties": {
            "model": {"type": "string", "description": "The name of a service."},
            "input": {"type": ["string", "array"], "description": "The words of the user, or messages."},
            "previous_response_id": _or_null("string"),
            "conversation": {"type": ["string", "object", "null"]},
            "user": _or_null("string"),
            "safety_identifier": _or_null("string"),
            "stream": _or_null("boolean"),
            "background": _or_null("boolean"),
        },
        "required": ["model", "input"],
    },
    "OpenAiResponse": {
        "type": "object",
        "properties": {
            "id": TEXT,
            "object": {"const": "response"},
            "status": {"enum": ["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]},
            "model": TEXT,
            "output": _list_of(_OPEN),
        },
        "required": ["id", "object", "status", "model", "output"],
    },
}
