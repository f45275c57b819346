"""The whole answer of a run as the text that a stream sends: pure, from the stored messages."""

from collections.abc import Iterator, Sequence
from typing import Any

from server.api.deep_chat.early_messages import rest_of
from server.html.deep_chat import block_text, with_person


def streamed_text(messages: Sequence[dict[str, Any]], kind: str, language: str) -> str:
    """Return the whole text that a stream sends for the messages of a run of this kind."""
    person = (each["text"] for each in with_person([], kind, language))
    return "".join((*unsaid(messages, {}, language), *person))


def unsaid(messages: Sequence[dict[str, Any]], said: dict[str, str], language: str) -> Iterator[str]:
    """Yield the texts of the stored messages that were not streamed; `said` has the streamed text by message id."""
    before = ""
    for each in messages:
        if each["role"] == "assistant":
            streamed = said.get(each["id"], "")
            rest = rest_of(each, streamed)
            before = str(each.get("content") or "") or before
            if rest:
                yield rest if streamed else f"\n\n{rest}"
        elif each["role"] == "activity" and each["activityType"] == "block":
            text = block_text(each["content"], language, before)
            before = f"{before}{text}"
            if text:
                yield f"\n\n{text}"
