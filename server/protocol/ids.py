"""Identifiers: a prefix that names the kind, and 100 random bits that cannot be guessed."""

import secrets

_LENGTH = 20
_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567" * 8
"""A letter for each byte: 32 letters, so that every byte gives five random bits."""


def new_id(prefix: str) -> str:
    """Make an id such as `ses_k3v…`: the prefix and 20 characters of lowercase base32."""
    return f"{prefix}_{secrets.token_bytes(_LENGTH).translate(_LETTERS).decode()}"


def result_id(call_id: str) -> str:
    """Return the id of the message that is a call's result."""
    return f"res_{call_id}"
