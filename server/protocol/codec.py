"""Events as bytes: compact UTF-8 JSON, the same bytes for the log, the wire and the database."""

import json
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])
_anything: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


def encode_event(event: dict[str, Any]) -> bytes:
    """Encode once; the order of keys is kept, so equal events give equal bytes.

    A text with half a surrogate pair, which is no UTF-8 and comes from models and tools all the same, is mended in
    the event itself: what is folded here and what others read of the bytes stay the same.
    """
    try:
        return _encoder.encode(event)
    except UnicodeEncodeError:
        event.update(mend_value(event))
        return _encoder.encode(event)


def mend_text(text: str) -> str:
    """Return the text with the halves of surrogate pairs joined; one whose other half is missing becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def mend_value(value: Any) -> Any:
    """Return the same plain value with all texts mended."""
    return json.loads(mend_text(json.dumps(value, ensure_ascii=False, default=_plain)))


def _plain(raw: msgspec.Raw) -> Any:
    """Return a part of an event that is JSON already."""
    return decode_json(bytes(raw))


def decode_event(data: bytes) -> dict[str, Any]:
    """Decode what `encode_event` made. Raises ValueError for anything but a JSON object."""
    return _decoder.decode(data)


def read_json(text: str | bytes) -> Any:
    """Return the value of JSON of others. Raises ValueError for what is none, and for one too deep to be read."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("The JSON is too deep.") from error


def mend_json(text: str) -> str:
    """Return JSON whose texts are mended, also those that have half a surrogate pair as an escape; else the same."""
    if text.isascii() and "\\u" not in text:
        return text
    try:
        plain = json.dumps(read_json(text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return mend_text(text)
    whole = mend_text(plain)
    return mend_text(text) if whole == plain else whole


def encode_json(value: Any) -> str:
    """Return any plain value as JSON for a column; half a surrogate pair, no UTF-8, is written as an escape."""
    try:
        return _encoder.encode(value).decode()
    except UnicodeEncodeError:
        return json.dumps(value)


def decode_json(text: str | bytes) -> Any:
    """Return the value of a JSON column."""
    try:
        return _anything.decode(text)
    except msgspec.DecodeError:
        return json.loads(text)
