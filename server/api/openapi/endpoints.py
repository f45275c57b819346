"""The operations of the endpoints beside the services, for the OpenAPI document: parameters, bodies and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from server.api.durable_streams.endpoint import POLL_S
from server.api.durable_streams.offsets import BEGINNING
from server.api.openapi.schemas import content, ref
from server.api.operators import MOST_Q, OperatorEntry, OperatorMessage
from server.api.push import EndedSubscription, PushSubscription
from server.api.sessions import MOST, SOME, NewSession, SessionChange
from server.api.tickets import TicketBody
from server.protocol.envelope import Ack, Error
from server.protocol.schema import client_frames

Json = dict[str, Any]


@dataclass(frozen=True)
class ApiOperation:
    """One operation; `status` is that of success, and `answer` names its schema or is a whole `content`."""

    method: str
    path: str
    name: str
    summary: str
    status: str = "200"
    answer: str | Json | None = None
    body: type[BaseModel] | Json | None = None
    query: Sequence[Json] = ()
    bearer: bool = False
    """Whether a ticket or a resume token opens it, and errors come as frames."""
    operator: bool = False
    """Whether only a key of scope `operator` opens it."""
    keyed: bool = False
    """Whether only a key of the app opens it."""
    links: Mapping[str, str] = field(default_factory=dict)
    empty: Mapping[str, str] = field(default_factory=dict)
    """Other answers that are no refusals, by their status, and what each means; they have no content."""


def _query(name: str, schema: Json, description: str) -> Json:
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": description,
        "schema": schema,
    }


_PAGE = (
    _query("limit", {"type": "integer", "minimum": 1, "maximum": MOST, "default": SOME}, "How many."),
    _query("before", {"type": "string", "maxLength": 64}, "The `before` of the previous page."),
)
_PICTURE_BODY: Json = {
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "properties": {"file": {"type": "string", "format": "binary"}},
            "required": ["file"],
        }
    },
    "image/*": {"schema": {"type": "string", "format": "binary"}},
}
_RESPONSE_OR_STREAM: Json = {
    **content(ref("OpenAiResponse")),
    "text/event-stream": {"schema": {"type": "string", "description": "Events of OpenAI's stream."}},
}
_OF_NEW = "$response.body#/id"
_OF_TICKET = "$response.body#/session_id"
_SESSION_LINKS = ("read_session", "change_session", "read_messages", "delete_session")

ENDPOINTS: tuple[ApiOperation, ...] = (
    ApiOperation("get", "/health", "health", "Is the process alive?", answer="Alive"),
    ApiOperation("get", "/healthz", "healthz", "Is the process alive?", answer="Alive"),
    ApiOperation(
        "get", "/readyz", "readyz", "Can it store and answer? 503 while it cannot.", answer="Readiness"
    ),
    ApiOperation(
        "get", "/v1/services", "list_services", "The services with their agents and tools.", answer="Services"
    ),
    ApiOperation(
        "post",
        "/v1/tickets",
        "issue_ticket",
        "A ticket for one socket or stream, valid for 30 s.",
        answer="Ticket",
        body=TicketBody,
        links=dict.fromkeys(_SESSION_LINKS, _OF_TICKET),
    ),
    ApiOperation(
        "post",
        "/v1/sessions",
        "begin_session",
        "Begin a conversation.",
        "201",
        "Session",
        NewSession,
        links=dict.fromkeys(_SESSION_LINKS, _OF_NEW),
    ),
    ApiOperation(
        "get",
        "/v1/sessions",
        "list_sessions",
        "The caller's conversations, newest first.",
        answer="Sessions",
        query=(
            *_PAGE,
            _query("q", {"type": "string"}, "Words that the title or a message has; eight are looked at."),
        ),
    ),
    ApiOperation("get", "/v1/sessions/{id}", "read_session", "One conversation.", answer="Session"),
    ApiOperation(
        "patch",
        "/v1/sessions/{id}",
        "change_session",
        "Change title or language.",
        answer="Session",
        body=SessionChange,
    ),
    ApiOperation(
        "delete",
        "/v1/sessions/{id}",
        "delete_session",
        "Delete a conversation with all that was said.",
        "204",
    ),
    ApiOperation(
        "get",
        "/v1/sessions/{id}/messages",
        "read_messages",
        "Its messages, oldest first, by pages.",
        answer="Messages",
        query=_PAGE,
    ),
    ApiOperation(
        "get",
        "/v1/operator/sessions",
        "list_operated_sessions",
        "The conversations of the key's app, newest first, with a key of scope `operator`.",
        answer="OperatedSessions",
        query=(
            *_PAGE,
            _query("q", {"type": "string", "maxLength": MOST_Q}, "Words that the title has."),
        ),
        operator=True,
    ),
    ApiOperation(
        "post",
        "/v1/sessions/{id}/messages",
        "send_operator_message",
        "Say something to the visitor as a person, with a key of scope `operator`; the answer is an ack.",
        answer="Ack",
        body=OperatorMessage,
        operator=True,
    ),
    ApiOperation(
        "put",
        "/v1/sessions/{id}/operator",
        "join_as_operator",
        "Answer in place of the agents, which are silent from now on.",
        answer="Session",
        body=OperatorEntry,
        operator=True,
    ),
    ApiOperation(
        "delete",
        "/v1/sessions/{id}/operator",
        "leave_as_operator",
        "Let the agents answer again.",
        "204",
        operator=True,
    ),
    ApiOperation(
        "get",
        "/v1/sessions/{id}/events",
        "stream_events",
        "Its events as a stream (SSE).",
        answer={"text/event-stream": {"schema": {"type": "string"}}},
        query=(_query("format", {"enum": ["json", "html"], "default": "json"}, "`html` adds fragments."),),
        bearer=True,
    ),
    ApiOperation(
        "get",
        "/v1/sessions/{id}/log",
        "read_log",
        "Its events by Durable Streams, from an offset on; HEAD gives the last offset.",
        answer={
            "application/json": {"schema": {"type": "array", "items": {"type": "object"}}},
            "text/event-stream": {"schema": {"type": "string"}},
        },
        query=(
            _query(
                "offset",
                {"type": "string", "maxLength": 64, "default": BEGINNING},
                "`-1`, `now`, or the `Stream-Next-Offset` of an answer; a live read needs one.",
            ),
            _query("live", {"enum": ["long-poll", "sse"]}, "Wait for what comes."),
            _query("cursor", {"type": "string", "maxLength": 32}, "The `Stream-Cursor` of the last answer."),
            _query(
                "timeout",
                {"type": "integer", "minimum": 0, "maximum": 99, "default": POLL_S},
                f"Seconds that a long poll waits, {POLL_S} at most.",
            ),
        ),
        bearer=True,
        empty={"204": "Nothing arrived in time.", "304": "Nothing has changed since the `ETag`."},
    ),
    ApiOperation(
        "post",
        "/v1/sessions/{id}/commands",
        "send_command",
        "Send one frame of the socket; the answer is its ack.",
        answer="Ack",
        body=content({"oneOf": [ref(each.__name__) for each in client_frames()]}),
        bearer=True,
    ),
    ApiOperation(
        "post",
        "/v1/sessions/{id}/files",
        "upload_picture",
        "Upload a picture for a message: its blob_id and size.",
        "201",
        "Picture",
        _PICTURE_BODY,
        bearer=True,
    ),
    ApiOperation(
        "get",
        "/v1/sessions/{id}/blobs/{blob}",
        "read_blob",
        "The bytes of a picture, or of what was too large for a conversation.",
        answer={"*/*": {"schema": {"type": "string", "format": "binary"}}},
    ),
    ApiOperation("get", "/v1/items/{id}", "read_item", "One of the caller's items.", answer="Item"),
    ApiOperation(
        "get",
        "/v1/jobs/{id}",
        "read_job",
        "How far a request is, and its answer.",
        answer="JobState",
        query=(_query("session_id", {"type": "string"}, "The `session_id` that the request had."),),
    ),
    ApiOperation(
        "get",
        "/v1/models",
        "list_models",
        "The services that hold conversations, as OpenAI's models.",
        answer="OpenAiModels",
    ),
    ApiOperation(
        "get",
        "/v1/models/{model}",
        "read_model",
        "A service as one of OpenAI's models.",
        answer="OpenAiModel",
    ),
    ApiOperation(
        "post",
        "/v1/responses",
        "create_response",
        "Say something to a service, as OpenAI's clients do; with `stream` the answer is its events.",
        answer=_RESPONSE_OR_STREAM,
        body=content(ref("OpenAiRequest")),
    ),
    ApiOperation(
        "get",
        "/v1/responses/{id}",
        "read_response",
        "A response as it stands, or its events after a number.",
        answer=_RESPONSE_OR_STREAM,
        query=(
            _query("stream", {"type": "boolean"}, "Whether its events are wanted."),
            _query(
                "starting_after",
                {"type": "integer", "minimum": 0},
                "The `sequence_number` of the last event.",
            ),
        ),
    ),
    ApiOperation(
        "post", "/v1/responses/{id}/cancel", "cancel_response", "Stop a response.", answer="OpenAiResponse"
    ),
    ApiOperation(
        "get",
        "/v1/push",
        "read_push_key",
        "The key by which push services know this server.",
        answer="PushKey",
    ),
    ApiOperation(
        "put",
        "/v1/push",
        "subscribe_to_push",
        "A browser takes messages of operators while no page is open.",
        "204",
        body=PushSubscription,
    ),
    ApiOperation(
        "delete",
        "/v1/push",
        "unsubscribe_from_push",
        "A browser takes no more messages.",
        "204",
        body=EndedSubscription,
    ),
    ApiOperation(
        "delete", "/v1/visitor", "leave", "The visitor leaves: its cookie opens nothing more.", "204"
    ),
)
"""The endpoints in the order of the document."""

MODELS: tuple[type[BaseModel], ...] = (Ack, Error, *client_frames())
"""Models whose schemas the endpoints name."""


def operation(endpoint: ApiOperation, names: Mapping[Any, Json], user: Json) -> Json:
    """Return the operation of an endpoint; `names` are the references to the schemas of bodies."""
    failed: Json = ref("Error")
    if endpoint.bearer:
        failed = {"anyOf": [failed, ref("ErrorFrame")]}
    answer: Json = {"description": "Done."}
    if endpoint.answer is not None:
        is_name = isinstance(endpoint.answer, str)
        answer["content"] = content(ref(str(endpoint.answer))) if is_name else endpoint.answer
    if endpoint.links:
        answer["links"] = {
            name: {"operationId": name, "parameters": {"path.id": value}}
            for name, value in endpoint.links.items()
        }
    found: Json = {
        "operationId": endpoint.name,
        "tags": ["api"],
        "summary": endpoint.summary,
        "parameters": [*_path_parameters(endpoint.path), *endpoint.query],
        "responses": {
            endpoint.status: answer,
            "default": {"description": "Refused.", "content": content(failed)},
        },
    }
    for status, meaning in endpoint.empty.items():
        found["responses"][status] = {"description": meaning}
    if endpoint.operator or endpoint.keyed:
        found["security"] = [{"appKey": []}]
    elif endpoint.path.startswith(("/v1/", "/agui/")):
        found["parameters"].append(user)
    if endpoint.path == "/readyz":
        found["responses"]["503"] = {"description": "Not yet.", "content": content(ref("Readiness"))}
    if endpoint.bearer:
        found["security"] = [{"ticket": []}, {"appKey": []}, {}]
    if endpoint.body is not None:
        body = endpoint.body if isinstance(endpoint.body, dict) else content(names[endpoint.body])
        found["requestBody"] = {"required": True, "content": body}
    return found


def _path_parameters(path: str) -> list[Json]:
    names = [each[1:-1] for each in path.split("/") if each.startswith("{")]
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "minLength": 1},
        }
        for name in names
    ]
