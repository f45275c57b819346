"""Every error a client can see: its code, HTTP status, close code and whether to try again."""

from __future__ import annotations

from typing import ClassVar


class LoopwireError(Exception):
    """An error with a public face.

    The message is safe to show: it never carries upstream text, user text or a secret.
    `close_code` is set when the error ends a socket; `retry` says whether the same request
    may succeed later. `id` is the client frame the error answers, when it answers one; `field` is the field
    of a request's body that is wrong, when it is one.
    """

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    close_code: ClassVar[int | None] = None
    retry: ClassVar[bool] = False
    text: ClassVar[str] = "Something went wrong on our side."
    sentence: ClassVar[str] = ""
    """The name of the sentence by which a chat tells of it, where its code has more than one."""

    def __init__(
        self,
        message: str | None = None,
        *,
        retry_after: float | None = None,
        id: str | None = None,
        field: str | None = None,
    ) -> None:
        self.message = self.text if message is None else message
        self.retry_after = retry_after
        self.id = id
        self.field = field
        super().__init__(self.message)


LOOPOS_INTERNAL = {"error": "Internal Server Error"}
"""The body of 500 that LoopOS documents; paths of its services have it."""


class CannotStart(Exception):
    """A process cannot start; the message is one sentence for the operator that says what to do."""


class Fenced(Exception):
    """A younger holder has the session: the caller stops and writes nothing more."""


# Frames and requests that cannot be understood.


class BadJson(LoopwireError):
    """The text is not one JSON value."""

    code, status, text = "bad_json", 400, "This is not valid JSON."


class BadFrame(LoopwireError):
    """The JSON does not have the shape of its type."""

    code, status, text = "bad_frame", 400, "This frame does not have the right fields."


class UnsupportedMediaType(BadFrame):
    """The body is not plain JSON."""

    code, status = "unsupported_media_type", 415
    text = "Send JSON with `Content-Type: application/json` and without `Content-Encoding`."


class UnknownType(LoopwireError):
    """The type is none that a client may send."""

    code, status, text = "unknown_type", 400, "This type of frame is not known."


class TooLong(LoopwireError):
    """A text or a frame is over its limit."""

    code, status, text = "too_long", 413, "This message is too long."


class Empty(LoopwireError):
    """A message without anything to read."""

    code, status, text = "empty", 422, "This message is empty."


class NothingNew(LoopwireError):
    """A request for a run brings no new message, and nothing that waits for an answer gets one."""

    code, status, text = "nothing_new", 422, "There is no new message to answer."


class UnknownThread(LoopwireError):
    """A caller of AG-UI continues a conversation without a proof that it is theirs."""

    code, status = "unknown_thread", 404
    text = (
        "No conversation of this caller has this threadId. Send the cookie of the first answer again, or the "
        "resume_token of its RUN_STARTED (metadata.loopwire) as Authorization: Bearer."
    )


class Malformed(LoopwireError):
    """Five bad frames within a minute."""

    code, status, close_code = "malformed", 400, 4400
    text = "Too many frames could not be understood."


class Version(LoopwireError):
    """The client speaks another version of the protocol."""

    code, status, close_code = "version", 426, 4410
    text = "This version of the protocol is not supported. Reload the page."


# Permissions.


class Unauthorized(LoopwireError):
    """A ticket or token is missing, wrong, used or expired: one text for all of them."""

    code, status, close_code = "unauthorized", 401, 4401
    text = "The ticket or token is not valid."


class UnknownKey(Unauthorized):
    """The key of an app is wrong, was revoked, or is of an app that is gone."""

    text = "This key is not valid, or not any more."


class NoKey(Unauthorized):
    """A request without a key or a cookie reaches an installation that requires one."""

    text = (
        "Send a key of an app: Authorization: Bearer lwk_…. The operator makes it: python -m server keys add."
    )


class Forbidden(LoopwireError):
    """The origin or the app may not do this."""

    code, status, close_code, text = "forbidden", 403, 4403, "This is not allowed here."


class KeyNotAllowed(Forbidden):
    """A key of an app was not made for this; the message names the scope that it lacks."""


class ForeignOrigin(Forbidden):
    """A page of an origin that is neither ours nor allowed."""

    text = "This origin is neither in the `origins` of an app of this server nor in LOOPWIRE_ALLOWED_ORIGINS."


class TwoVisitors(LoopwireError):
    """A request has the cookies of two visitors: another site has set one of them, and the server cannot know which."""

    code, status = "two_visitors", 409
    text = (
        "The request has cookies of two visitors, and one may be another site's. Delete the cookies of this site, "
        "then reload."
    )


class NotFound(LoopwireError):
    """The thing does not exist, or belongs to another principal."""

    code, status, close_code, text = "not_found", 404, 4404, "This does not exist."


class HelloTimeout(LoopwireError):
    """No hello within five seconds."""

    code, status, close_code, text = "hello_timeout", 408, 4408, "No hello arrived in time."


class Replaced(LoopwireError):
    """A newer socket of the same session took the place."""

    code, status, close_code = "replaced", 409, 4409
    text = "This conversation is open in too many places."


class UrlNotAllowed(LoopwireError):
    """An address that we would have to call is not on the public internet, or not an https one."""

    code, status = "url_not_allowed", 422
    text = "This address may not be called. It needs https, port 443 and a name that leads to public addresses alone."


class CoreNotAllowed(LoopwireError):
    """A caller names a LoopOS Core that its app does not have, or not the one of its conversation."""

    code, status, text = "core_not_allowed", 422, "This loopos_core_base_url is none of this app's."


class ImageUnreadable(LoopwireError):
    """The bytes that were sent as a picture are none that can be read."""

    code, status, text = (
        "image_unreadable",
        422,
        "This is no picture that can be read: JPEG, PNG, WebP or GIF.",
    )


class ImageUnavailable(LoopwireError):
    """An address gave no picture."""

    code, status, text = "image_unavailable", 422, "This address gave no picture."


# Limits and conflicts.


class Busy(LoopwireError):
    """The queue of the session is full."""

    code, status, retry = "busy", 409, True
    text = "Too many messages are waiting. Try again after the answer."


class QueueFull(Busy):
    """As many requests of a session wait as may. LoopOS's clients repeat a 429, and nothing else of this kind."""

    status = 429
    text = "Too many requests of this session wait. Send it again later."


class IdReused(LoopwireError):
    """A request repeats an id with another body."""

    code, status, text = "id_reused", 409, "This id was used for something else."


class NotEditable(LoopwireError):
    """A message is none that the visitor wrote, so there is no other version of it, and none of its answer."""

    code, status, text = "not_editable", 409, "Only messages that you wrote have other versions."


class TooManyVersions(LoopwireError):
    """A message has as many versions as it may have."""

    code, status, text = "too_many_versions", 409, "This message has as many versions as it may have."


class Answered(LoopwireError):
    """Another tab has answered first, or a message was sent instead."""

    code, status, text = "answered", 409, "This was answered or closed already."


class Expired(LoopwireError):
    """The time to answer is over."""

    code, status, text = "expired", 410, "The time to answer this is over."


class BadAnswer(LoopwireError):
    """An answer does not fit what was asked; the message says which field and why."""

    code, status, text = "bad_answer", 422, "This answer does not fit the question."


class RateLimited(LoopwireError):
    """Messages, requests or frames come too fast, or too many of them are open at once."""

    code, status, close_code, retry = "rate_limited", 429, 4429, True
    text = "This was sent too often in a short time. Wait a moment."


class OverBudget(LoopwireError):
    """The day's tokens are spent; `retry_after` says when the next day begins. Nothing was stored."""

    code, status, text = "budget", 429, "Today's limit is reached. Come back tomorrow."


# Faults of the server.


class Unavailable(LoopwireError):
    """A part that is needed cannot be reached, or the server is full or leaving."""

    code, status, close_code, retry = "unavailable", 503, 1013, True
    text = "The service is not available at the moment."


class Internal(LoopwireError):
    """A bug: its details are in the log only."""

    code, status, close_code = "internal", 500, 1011


# Failures of a run.


class RunFailed(LoopwireError):
    """A run ended as an error; people read the sentence of its code in `web/words` (`run.failed.…`)."""


class ModelBusy(RunFailed):
    """The model's provider refuses for now."""

    code, status, retry, text = "model_busy", 503, True, "The model is busy at the moment."


class ModelError(RunFailed):
    """The model's provider failed."""

    code, status, retry, text = "model_error", 502, True, "The model could not answer."


class ModelTimeout(RunFailed):
    """The model went silent."""

    code, status, retry, text = "model_timeout", 504, True, "The model took too long to answer."


class ModelRejected(RunFailed):
    """The provider refuses the key or the request."""

    code, status, text = "model_rejected", 502, "The model refused the request."


class ContentFiltered(RunFailed):
    """The provider's content filter stopped the answer, or refused the request."""

    code, status, text = "content_filter", 502, "The model's content filter stopped the answer."


class BadOutput(RunFailed):
    """The model's answer to a request did not have the right form, twice."""

    code, status, retry, text = "bad_output", 502, True, "The model's answer did not have the right form."


class EmptyAnswer(RunFailed):
    """The model ended its answer without a word, and nothing else of the run can be read."""

    code, status, retry, text = "empty_answer", 502, True, "The model gave no answer."


class Truncated(RunFailed):
    """The answer reached its length limit."""

    code, status, retry, text = "truncated", 502, True, "The answer was cut at its length limit."


class Cut(RunFailed):
    """The model's stream ended without saying that it had finished."""

    code, status, retry, text = "cut", 502, True, "The answer broke off."


class ToolFailed(RunFailed):
    """A tool could not do its work."""

    code, status, retry, text = "tool_failed", 502, True, "A step of the answer failed."


class CoreUnavailable(RunFailed):
    """LoopOS Core gave no usable answer. A tool that meets it ends with the same sentence, and its run goes on."""

    code, status, retry = "core_unavailable", 503, True
    text = "LoopOS Core does not answer at the moment."


class Limit(RunFailed):
    """The run reached the limit of time, calls or tokens."""

    code, status, text = "limit", 429, "The answer reached its limit of steps or time."


class ServiceGone(RunFailed):
    """This version of the server has no service of the session's name."""

    code, status, text = "service_gone", 410, "This kind of conversation is no longer offered here."


class InstanceLost(RunFailed):
    """The instance that worked on the run is gone and the run cannot be continued."""

    code, status, retry, text = "instance_lost", 503, True, "The answer was interrupted."


def is_worth_repeating(code: str | None) -> bool:
    """Return whether a request is worth repeating whose run failed with this code.

    So are an error of ours and a run that took too long: LoopOS tells its clients to repeat 500 and timeouts.
    """
    error = next((each for each in RunFailed.__subclasses__() if each.code == code), None)
    return error is None or error.retry or error is Limit
