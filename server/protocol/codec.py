"""Events as bytes: compact UTF-8 JSON, the same bytes for the log, the wire and the database."""

from typing import Any

import msgspec

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])


def encode_event(event: dict[str, Any]) -> bytes:
    """Encode once; the order of keys is kept, so equal events give equal bytes."""
    return _encoder.encode(event)


def decode_event(data: bytes) -> dict[str, Any]:
    """Decode what `encode_event` made. Raises ValueError for anything but a JSON object."""
    return _decoder.decode(data)
