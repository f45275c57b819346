"""The published contract, generated from the models: JSON Schema of every frame, AsyncAPI 3.0, TypeScript's types."""

import json
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from server import __version__
from server.protocol import commands, envelope
from server.protocol.event_shapes import event_definitions
from server.protocol.examples import EXAMPLES
from server.protocol.typescript import declarations

_ROOT = Path(__file__).parents[2]
FOLDER = _ROOT / "docs" / "protocol"
KIT = _ROOT / "sdk" / "python" / "src" / "loopwire" / "conformance"
"""The conformance kit, which has a copy of the schema: it runs without a server."""
TYPES = _ROOT / "sdk" / "js" / "protocol.d.ts"
"""The types of the JavaScript client."""
TYPE_NAMES = {"Error": "ErrorFrame", "Event": "LogEvent", "Message": "MessageFrame"}
"""The types whose names in the schema have another meaning in a page or in the client."""

_REF = "#/$defs/{model}"
_DURABLE: dict[str, Any] = {
    "type": "object",
    "title": "Durable",
    "description": "An event of the log. Applied if from (or seq) <= last + 1, dropped if seq <= last.",
    "required": ["seq", "event"],
    "additionalProperties": False,
    "properties": {
        "seq": {"type": "integer", "minimum": 1},
        "from": {"type": "integer", "description": "First seq, when the frame stands for several events."},
        "epoch": {"type": "string", "description": "Told with the first frame after it changed."},
        "event": {"$ref": "#/$defs/Event"},
        "content": {"type": "string", "description": "HTML, for loopwire.v1.html."},
        "target": {"type": "string"},
        "swap": {"type": "string"},
    },
}
_BATCH: dict[str, Any] = {
    "type": "object",
    "title": "Batch",
    "description": "A replay, to be applied in one go.",
    "required": ["batch"],
    "additionalProperties": False,
    "properties": {"batch": {"type": "array", "items": {"$ref": "#/$defs/Durable"}}},
}


def client_frames() -> tuple[type[BaseModel], ...]:
    """List what a client may send."""
    return get_args(get_args(commands.ClientCommand)[0])


def server_frames() -> tuple[type[BaseModel], ...]:
    """List the control frames that a server sends."""
    return tuple(envelope.ControlFrame.__subclasses__())


def json_schema() -> dict[str, Any]:
    """Describe every frame in one JSON Schema document."""
    models = (*client_frames(), *server_frames())
    _, made = models_json_schema([(each, "validation") for each in models])
    frames = [each.__name__ for each in server_frames()]
    defined = made["$defs"] | {name: _as_sent(made["$defs"][name]) for name in frames}
    defined["Snapshot"]["properties"]["events"]["items"] = {"$ref": _REF.format(model="Event")}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Loopwire wire protocol 1",
        "$defs": {
            **defined,
            **event_definitions(),
            "Durable": _DURABLE,
            "Batch": _BATCH,
            "ClientFrame": {
                "oneOf": [{"$ref": _REF.format(model=each.__name__)} for each in client_frames()]
            },
            "ServerFrame": {
                "oneOf": [{"$ref": _REF.format(model=each)} for each in [*frames, "Durable", "Batch"]]
            },
        },
    }


def _as_sent(frame: dict[str, Any]) -> dict[str, Any]:
    """Describe a frame of the server as `ControlFrame.encode` writes it: it has its type, and nothing that is null."""
    fields = {name: _without_null(field) for name, field in frame["properties"].items()}
    required = ["type", *frame.get("required", ())]
    return {**frame, "properties": fields, "required": required}


def _without_null(field: dict[str, Any]) -> dict[str, Any]:
    options = [each for each in field.get("anyOf", ()) if each != {"type": "null"}]
    kept = {name: value for name, value in field.items() if name not in ("anyOf", "default")}
    return {**kept, **options[0]} if len(options) == 1 else field


def asyncapi() -> dict[str, Any]:
    """Describe the socket: its channel, and what travels in which direction."""
    up = [each.__name__ for each in client_frames()]
    down = [each.__name__ for each in server_frames()] + ["Durable", "Batch"]
    channel = {"$ref": "#/channels/socket"}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Loopwire",
            "version": __version__,
            "description": "One WebSocket per session: loopwire.v1, or loopwire.v1.html with fragments.",
        },
        "channels": {
            "socket": {"address": "/ws", "messages": {each: _message(each) for each in (*up, *down)}}
        },
        "operations": {
            "receive": {"action": "receive", "channel": channel, "messages": _messages(up)},
            "send": {"action": "send", "channel": channel, "messages": _messages(down)},
        },
    }


def _message(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "contentType": "application/json",
        "payload": {"$ref": f"schema.json#/$defs/{name}"},
        "examples": [{"payload": EXAMPLES[name]}],
    }


def _messages(names: list[str]) -> list[dict[str, str]]:
    return [{"$ref": f"#/channels/socket/messages/{each}"} for each in names]


def documents() -> dict[str, str]:
    """Return the text of each generated file by its name."""
    made = {"schema.json": json_schema(), "asyncapi.json": asyncapi()}
    return {name: json.dumps(value, indent=2, ensure_ascii=False) + "\n" for name, value in made.items()}


def types() -> str:
    """Return the types of TypeScript that the schema says."""
    text = json.dumps(json_schema(), ensure_ascii=False)
    for name, told in TYPE_NAMES.items():
        text = text.replace(f'"{_REF.format(model=name)}"', f'"{_REF.format(model=told)}"')
    document = json.loads(text)
    named = {TYPE_NAMES.get(name, name): each for name, each in document["$defs"].items()}
    return declarations({**document, "$defs": named})


def write(folder: Path = FOLDER, kit: Path = KIT, sdk_types: Path = TYPES) -> None:
    """Write the generated files, the copy of the schema in the kit, and the types of the JavaScript client."""
    made = documents()
    files = {folder / name: text for name, text in made.items()} | {kit / "schema.json": made["schema.json"]}
    files[sdk_types] = types()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


if __name__ == "__main__":  # pragma: no cover - the test of `write` covers what it does.
    write()
