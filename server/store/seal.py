"""The encryption at rest of documents: pictures, requests and responses of services with private fields.

AES-256-SIV (RFC 5297) with a key that is derived from LOOPWIRE_SECRET by HKDF-SHA256. It is deterministic: the same
text of the same session is sealed to the same bytes, by which a repeated request or picture is known without a hash of
its content. What a value is, and of which run or picture, is authenticated with it, so no row can take another one's
place. Earlier versions named the session alone; their values are still read, and new values are never written so.

There is one key. With another LOOPWIRE_SECRET what was sealed before cannot be opened: a picture counts as expired, a
request that had not ended ends as `instance_lost`, a stored response is not shown again, and a callback is not posted.
"""

import base64
import os
from contextlib import suppress
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from server.protocol.codec import decode_json, encode_json

_PURPOSE = b"loopwire documents at rest, 1"
_KEY_BYTES = 64
"""AES-SIV uses one half to authenticate, and one to encrypt."""

_MARK = "sealed:"
"""The beginning of a sealed text. No JSON text begins with it, and no media type."""


class Unreadable(Exception):
    """A sealed value cannot be opened: it was sealed with another secret, or for another place, or was changed."""


class Seal:
    """Seals and opens values; `about` names the kind of a value and its owner."""

    def __init__(self, secret: bytes | None) -> None:
        """Derive the key of `secret`; without one it is random, and nothing can be opened after this process."""
        derivation = HKDF(SHA256(), _KEY_BYTES, salt=None, info=_PURPOSE)
        self._cipher = AESSIV(derivation.derive(secret or os.urandom(_KEY_BYTES)))

    def close(self, data: bytes, about: str) -> bytes:
        """Return a value sealed, 16 bytes longer; it may not be empty."""
        return self._cipher.encrypt(data, [about.encode()])

    def open(self, sealed: bytes, about: str, *earlier: str) -> bytes:
        """Return what was sealed; `earlier` are names that the value may have had in older versions.

        Raises Unreadable.
        """
        for each in (about, *earlier):
            with suppress(InvalidTag, ValueError):
                return self._cipher.decrypt(sealed, [each.encode()])
        raise Unreadable

    def close_json(self, value: Any, about: str) -> str:
        """Return a JSON value sealed, as a text."""
        return self.close_text(encode_json(value), about)

    def open_json(self, value: Any, about: str, *earlier: str) -> Any:
        """Return the JSON value that was sealed; one that was not is itself. Raises Unreadable."""
        return decode_json(self.open_text(value, about, *earlier)) if is_sealed(value) else value

    def close_text(self, text: str, about: str) -> str:
        """Return a text sealed, as a text."""
        return _MARK + base64.b64encode(self.close(text.encode(), about)).decode()

    def open_text(self, text: str, about: str, *earlier: str) -> str:
        """Return the text that was sealed; one that was not is itself. Raises Unreadable."""
        if not is_sealed(text):
            return text
        try:
            sealed = base64.b64decode(text.removeprefix(_MARK), validate=True)
        except ValueError as error:
            raise Unreadable from error
        return self.open(sealed, about, *earlier).decode()


def is_sealed(value: object) -> bool:
    """Return whether a value is a sealed text."""
    return isinstance(value, str) and value.startswith(_MARK)


def sealed_type(media_type: str) -> str:
    """Return the media type under which sealed bytes are stored."""
    return _MARK + media_type


def plain_type(media_type: str) -> str:
    """Return the media type of the bytes that were sealed."""
    return media_type.removeprefix(_MARK)
