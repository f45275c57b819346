"""Passwords of operators: argon2id, which makes each guess cost time and memory.

The numbers are the first choice of OWASP's password storage sheet for little memory, and stand in each hash: a later
version may raise them, and older hashes are still verified. The hashing comes from `cryptography` (OpenSSL's argon2id),
which releases the interpreter's lock.
"""

import secrets
import unicodedata

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

SHORTEST_PASSWORD = 12
LONGEST_PASSWORD = 256
"""Characters. Hashing takes longer for a longer text."""

_ITERATIONS, _LANES, _MEMORY_KIB = 2, 1, 19 * 1024
_SALT_BYTES, _LENGTH = 16, 32

HASH_OF_NOTHING = (
    "$argon2id$v=19$m=19456,t=2,p=1$kL4HgWdP8tSu1r0yYQ2m9g$XxkPZBV4Y4nYnCjYV1WZ4vHn0sP3aL5G0tqg3m6uQ1E"
)
"""A hash that no password is known for: what is shown for an unknown name is verified too, and costs the same."""


def password_hash(password: str) -> str:
    """Return what is stored of a password, in the PHC format. It takes some 50 ms."""
    kdf = Argon2id(
        salt=secrets.token_bytes(_SALT_BYTES),
        length=_LENGTH,
        iterations=_ITERATIONS,
        lanes=_LANES,
        memory_cost=_MEMORY_KIB,
    )
    return kdf.derive_phc_encoded(_bytes(password))


def is_password(password: str, hashed: str) -> bool:
    """Return whether this is the password of a hash. The check takes as long for a wrong password."""
    try:
        Argon2id.verify_phc_encoded(_bytes(password), hashed)
    except InvalidKey:
        return False
    return True


def _bytes(password: str) -> bytes:
    """Return the bytes of a password, the same for each way of writing its accents."""
    return unicodedata.normalize("NFC", password).encode()
