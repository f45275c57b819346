"""The encryption of a push message (RFC 8291, in the encoding aes128gcm of RFC 8188), and who sends it (RFC 8292).

A push service passes a message on without reading it: only the browser that subscribed has the private key. The keys of
the proof are derived from the secret of this server, so that all its processes have the same, and stay as long as it.
"""

import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

RECORD_BYTES = 4096
MOST_PLAIN = 3993
"""Bytes of a message: what fits into the 4,096 bytes that a push service has to take."""

PROOF_S = 12 * 3600
"""Seconds that a proof counts; RFC 8292 allows a day."""

_SALT_BYTES, _POINT_BYTES, _AUTH_BYTES = 16, 65, 16
_LAST_RECORD = b"\x02"
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The number of points of P-256."""


@dataclass(frozen=True, slots=True)
class BrowserKeys:
    """The keys of a browser that encrypt messages to it: its point on P-256 and its secret."""

    p256dh: bytes
    auth: bytes

    @classmethod
    def of(cls, p256dh: str, auth: str) -> "BrowserKeys":
        """Read the keys as a browser gives them. Raises ValueError for what is no point or no secret of 16 bytes."""
        point, secret = base64url_bytes(p256dh), base64url_bytes(auth)
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        if len(point) != _POINT_BYTES or len(secret) != _AUTH_BYTES:
            raise ValueError("A subscription has a point of 65 bytes and a secret of 16.")
        return cls(point, secret)


def encrypt(
    plain: bytes,
    to: BrowserKeys,
    *,
    salt: bytes | None = None,
    sender: ec.EllipticCurvePrivateKey | None = None,
) -> bytes:
    """Return the body of a push message. `salt` and `sender` are new for each one; a test names those of the RFC."""
    if len(plain) > MOST_PLAIN:
        raise ValueError("A push message is too long.")
    salt = os.urandom(_SALT_BYTES) if salt is None else salt
    sender = ec.generate_private_key(ec.SECP256R1()) if sender is None else sender
    receiver = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), to.p256dh)
    own = point_of(sender)
    shared = sender.exchange(ec.ECDH(), receiver)
    ikm = _derive(shared, to.auth, b"WebPush: info\0" + to.p256dh + own, 32)
    key = _derive(ikm, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(ikm, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD_BYTES.to_bytes(4) + bytes([len(own)]) + own
    return head + AESGCM(key).encrypt(nonce, plain + _LAST_RECORD, None)


def sender_key(secret: bytes) -> ec.EllipticCurvePrivateKey:
    """Return the key by which push services know this server."""
    number = int.from_bytes(_derive(secret, b"loopwire", b"web push sender", 48))
    return ec.derive_private_key(number % (_ORDER - 1) + 1, ec.SECP256R1())


def proof_headers(key: ec.EllipticCurvePrivateKey, endpoint: str, contact: str, now: int) -> dict[str, str]:
    """Return the header that names this server to the push service of an endpoint; `now` is in seconds."""
    split = urlsplit(endpoint)
    claims = {"aud": f"{split.scheme}://{split.netloc}", "exp": now + PROOF_S, "sub": contact}
    token = jwt.encode(claims, key, algorithm="ES256")
    return {"authorization": f"vapid t={token}, k={base64url_text(point_of(key))}"}


def point_of(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return the public point of a key, as 65 bytes."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def base64url_text(data: bytes) -> str:
    """Write bytes in base64url, without padding."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def base64url_bytes(text: str) -> bytes:
    """Read base64url with or without padding. Raises ValueError."""
    return urlsafe_b64decode(text + "==")  # Padding that is not needed is passed over.


def _derive(material: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(material)
