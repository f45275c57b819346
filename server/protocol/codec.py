"""Events as bytes: compact UTF-8 JSON, the same bytes for the log, the wire and the database."""

import json
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])
_anything: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


def encode_event(event: dict[str, Any]) -> bytes:
    """Encode once; the order of keys is kept, so equal events give equal bytes."""
    return _encoder.encode(event)


def decode_event(data: bytes) -> dict[str, Any]:
    """Decode what `encode_event` made. Raises ValueError for anything but a JSON object."""
    return _decoder.decode(data)


def encode_json(value: Any) -> str:
    """Any plain value as JSON for a column; half a surrogate pair, which is no UTF-8, is written as an escape."""
    try:
        return _encoder.encode(value).decode()
    except UnicodeEncodeError:
        return json.dumps(value)


def decode_json(text: str | bytes) -> Any:
    """The value of a JSON column."""
    try:
        return _anything.decode(text)
    except msgspec.DecodeError:
        return json.loads(text)
