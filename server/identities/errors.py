"""The refusals of identity tokens, each with a code from which the signer of the token finds the fault."""

from server.errors import LoopwireError


class IdentityRefused(LoopwireError):
    """A token of an app does not name a user: the parent of the errors of `POST /v1/identify`."""

    code, status, text = "identity_refused", 401, "This token is not valid."


class NoIdentities(IdentityRefused):
    """The app has no `identities` in its file: nothing could verify a token."""

    code, status, text = "identity_unknown_app", 404, "This app has no identities configured."


class IdentityTooLarge(IdentityRefused):
    """A token of more than 8 kB."""

    code, status, text = "identity_too_large", 413, "An identity token has at most 8192 bytes."


class IdentityMalformed(IdentityRefused):
    """Three parts in base64url of JSON objects, with the claims that are needed, of the right types."""

    code, status, text = "identity_malformed", 400, "This is no JWT."


class IdentityAlgorithm(IdentityRefused):
    """Signed with another algorithm than the one that is configured, `none` too."""

    code, text = (
        "identity_algorithm",
        "The token is not signed with the algorithm that the app is configured for.",
    )


class IdentityKey(IdentityRefused):
    """No key of the app fits: an unknown `kid`, or none where the app has several."""

    code, text = "identity_key", "The app has no key of this kid."


class IdentitySignature(IdentityRefused):
    """The signature is wrong."""

    code, text = "identity_signature", "The signature of the token is wrong."


class IdentityExpired(IdentityRefused):
    """`exp` is over."""

    code, text = "identity_expired", "The token has expired. Sign a new one."


class IdentityTooLong(IdentityRefused):
    """`exp` is further ahead than an hour."""

    code, text = "identity_too_long", "A token ends at most an hour from now."


class IdentityNotYet(IdentityRefused):
    """`nbf` or `iat` is ahead of our clock by more than 30 s."""

    code, text = "identity_not_yet", "The token is not valid yet. Compare the clocks."


class IdentityAudience(IdentityRefused):
    """`aud` names another app."""

    code, text = "identity_audience", "The token is for another app."


class IdentitySubject(IdentityRefused):
    """`sub` is no text of 1 to 128 characters without control characters."""

    code, text = "identity_subject", "sub is a text of 1 to 128 characters."


class IdentityRevoked(IdentityRefused):
    """The token or its user was revoked, or the user signed out with it."""

    code, text = "identity_revoked", "This token was revoked. Sign a new one."


class IdentityKeysUnavailable(LoopwireError):
    """The address of an app's keys does not answer with a key set."""

    code, status, retry = "identity_keys_unavailable", 503, True
    text = "The keys of this app cannot be read at the moment."
