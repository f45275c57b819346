"""Identifiers: a prefix that names the kind, and 100 random bits that cannot be guessed."""

import secrets

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_LENGTH = 20


def new_id(prefix: str) -> str:
    """Make an id such as `ses_k3v…`: the prefix and 20 characters of lowercase base32."""
    bits = secrets.randbits(5 * _LENGTH)
    return f"{prefix}_" + "".join(_ALPHABET[bits >> 5 * each & 31] for each in range(_LENGTH))
