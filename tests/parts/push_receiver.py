"""The side of a browser in a push: its keys, and how it decrypts what came (RFC 8291, section 3)."""

from __future__ import annotations

import os
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from server.callbacks.push_encryption import BrowserKeys


def private_key(number: bytes) -> ec.EllipticCurvePrivateKey:
    """Return the key of P-256 with this number."""
    return ec.derive_private_key(int.from_bytes(number), ec.SECP256R1())


@dataclass(frozen=True)
class Browser:
    """A browser that has subscribed."""

    key: ec.EllipticCurvePrivateKey
    auth: bytes

    @classmethod
    def new(cls) -> Browser:
        """Return one with keys of its own."""
        return cls(ec.generate_private_key(ec.SECP256R1()), os.urandom(16))

    @property
    def point(self) -> bytes:
        """Its public key."""
        return self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def keys(self) -> BrowserKeys:
        """Return what it tells the server."""
        return BrowserKeys(self.point, self.auth)

    def read(self, body: bytes) -> bytes:
        """Decrypt a message. Raises InvalidTag."""
        salt, size, named = body[:16], int.from_bytes(body[16:20]), body[20]
        sender, sealed = body[21 : 21 + named], body[21 + named :]
        assert len(sealed) <= size
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.key.exchange(ec.ECDH(), public)
        ikm = HKDF(SHA256(), 32, self.auth, b"WebPush: info\0" + self.point + sender).derive(shared)
        key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(ikm)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(ikm)
        padded = AESGCM(key).decrypt(nonce, sealed, None)
        return padded.rstrip(b"\0").removesuffix(b"\x02")
