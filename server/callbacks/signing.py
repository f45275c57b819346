"""Signatures as Standard Webhooks describes them: HMAC-SHA256 over id, time and body, once per active secret."""

import base64
import hmac
from collections.abc import Mapping, Sequence

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from server.apps import PREFIX, App
from server.callbacks.push_encryption import sender_key


class Secrets:
    """The secrets that sign the callbacks of each app."""

    def __init__(self, apps: Mapping[str, App], master: bytes) -> None:
        """An app of `apps` that names no secret gets one that is derived from `secret`."""
        self._apps = apps
        self._master = master

    def of(self, app: str) -> list[bytes]:
        """Return the keys of an app, the newest first."""
        known = self._apps.get(app)
        if known is not None and known.callback_secret:
            return [base64.b64decode(each.removeprefix(PREFIX)) for each in known.callback_secret]
        return [hmac.digest(self._master, f"callback\0{app}".encode(), "sha256")]

    def push_key(self) -> EllipticCurvePrivateKey:
        """Return the key by which push services know this server: one for all its processes and apps."""
        return sender_key(self._master)

    def newest(self, app: str) -> str:
        """Return the newest secret of an app as its receiver is given it."""
        return PREFIX + base64.b64encode(self.of(app)[0]).decode()


def signature_headers(secrets: Sequence[bytes], id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers that prove the sender of a body, and the time; the time is in seconds."""
    content = f"{id}.{timestamp}.".encode() + body
    signatures = (base64.b64encode(hmac.digest(each, content, "sha256")).decode() for each in secrets)
    return {
        "webhook-id": id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{each}" for each in signatures),
    }
