"""Identities of users: tokens that an app signs, verified by its secret or by the keys that it publishes."""

from server.identities.verifier import VerifiedUser, Verifier

__all__ = ["VerifiedUser", "Verifier"]
