"""The history that a client sends in `messages`, and by which the server finds its conversation: pure."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from server import patterns
from server.api.deep_chat.body import ChatMessage, ChatRequest
from server.protocol.commands import MAX_TEXT

MOST_TAILS = 8
"""Messages of the assistant at the end of which it is not known whether a picture was between them."""

_MARK = patterns.compile(r' data-session="([A-Za-z0-9_.:-]{1,64})"')
"""The name of the conversation in the first element of HTML of ours, which no two customers share."""

_FLEETING, _END = '<div class="deep-chat-temporary-message"', "</div>"
"""Buttons, which the element forgets when the next message comes."""


@dataclass(frozen=True)
class AssistantText:
    """The words of the assistant by the history of a client, without white space and buttons."""

    text: str
    html: str

    def is_of(self, answer: "AssistantText") -> bool:
        """Return whether this is the text of `answer`, an answer of ours; a client may keep texts without HTML."""
        return self.text == answer.text and self.html in ("", answer.html)


NOTHING = AssistantText("", "")


@dataclass(frozen=True)
class ClientHistory:
    """The facts of a request's messages by which its conversation is found."""

    place: str
    """The digest of all messages: the place of the conversation after this request."""
    before: Mapping[str, tuple[AssistantText, ...]]
    """The places at which the conversation may have stood, and the texts that may have been the last answer there."""
    earlier: tuple[str, ...]
    """The earlier texts of the user, as many of the newest as one message may have."""
    name: str | None
    """The name of the conversation by the newest HTML of ours that the client has kept as it was."""


def assistant_text(messages: Iterable[Mapping[str, Any]]) -> AssistantText:
    """Return the words of messages of the assistant."""
    own = list(messages)
    text = "".join(str(each.get("text") or "") for each in own)
    return AssistantText(_without_space(text), "".join(_lasting(str(each.get("html") or "")) for each in own))


def read_history(given: ChatRequest) -> ClientHistory:
    """Read what the messages of a request say of its conversation."""
    *before, last = given.messages
    digest = hashlib.sha256(f"{given.loopos_core_base_url}\0{given.loopos_submission_base_url}".encode())
    kept = [each for each in before if _text_of(each)]
    prefixes = [digest.hexdigest()[:40]]
    for is_user, group in groupby([*kept, *([last] if _text_of(last) else [])], key=_is_user):
        digest.update(b"\0U" if is_user else b"\0A")
        for each in group:
            digest.update(_text_of(each).encode("utf-8", "replace"))
            prefixes.append(digest.hexdigest()[:40])
    tails = _tails(kept, prefixes) if any(map(_is_user, before)) else {}
    earlier = _newest([each.text.strip() for each in kept if _is_user(each)], last)
    marks = (_MARK.search(each.html or "", 0, 200) for each in reversed(kept) if not _is_user(each))
    name = next((each[1] for each in marks if each), None)
    return ClientHistory(prefixes[-1], tails, earlier, name)


def mark_messages(messages: Iterable[Mapping[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return messages whose HTML bears the name of their conversation."""
    return [
        {**each, "html": f'<div data-session="{name}"{each["html"].removeprefix("<div")}'}
        if str(each.get("html", "")).startswith("<div")
        else dict(each)
        for each in messages
    ]


def _tails(kept: list[ChatMessage], prefixes: list[str]) -> dict[str, tuple[AssistantText, ...]]:
    """Return the places after the user's last message, and the texts of the assistant after each.

    A turn of pictures alone may be no message of the list: then the last answers are two. Messages without an answer
    were refused or have failed: the conversation stands after one of them, or before them where the server took none.
    """
    answered = len(kept)
    while answered and _is_user(kept[answered - 1]) and len(kept) - answered < MOST_TAILS:
        answered -= 1
    found: dict[str, tuple[AssistantText, ...]] = {}
    for place in range(answered, max(-1, answered - MOST_TAILS), -1):
        if place == 0 and answered < len(kept):
            break
        found[prefixes[place]] = (assistant_text(each.model_dump() for each in kept[place:answered]),)
        if place and _is_user(kept[place - 1]):
            break
    known = tuple(each for texts in found.values() for each in texts)
    later = {prefixes[place]: (NOTHING, *known) for place in range(answered + 1, len(kept) + 1)}
    return found | later


def _newest(texts: list[str], last: ChatMessage) -> tuple[str, ...]:
    """Return the newest of the texts that are one message together with the last one."""
    left, taken = MAX_TEXT - len(last.text), list[str]()
    for each in reversed(texts):
        left -= len(each) + 1
        if left < 0:
            break
        taken.append(each)
    return tuple(reversed(taken))


def _is_user(message: ChatMessage) -> bool:
    return message.role == "user"


def _text_of(message: ChatMessage) -> str:
    """Return the text by which a message is recognised: clients part texts, join them, and trim them."""
    return _without_space(message.text) + ("" if _is_user(message) else _lasting(message.html or ""))


def _lasting(html: str) -> str:
    """Return HTML without the buttons. Their element has no element of its kind inside."""
    first, *others = _MARK.sub("", html).split(_FLEETING)
    return _without_space("".join((first, *(each.partition(_END)[2] for each in others))))


def _without_space(text: str) -> str:
    return "".join(text.split())
