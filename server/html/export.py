"""A conversation as a Markdown file: who said what, and when (UTC). Model text stands in it as it came."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from server.html.words import Words
from server.protocol.events import ours

_SHOWN = ("user", "assistant")


def export_markdown(messages: Sequence[Mapping[str, Any]], title: str, words: Words, language: str) -> str:
    """Return the texts of a conversation in order, each under its speaker; calls, cards and handoffs are left out."""
    parts = [f"# {title or words.say(language, 'page.new')}"]
    parts += _sections(messages, words, language)
    return "\n\n".join(parts) + "\n"


def _sections(messages: Sequence[Mapping[str, Any]], words: Words, language: str) -> Iterator[str]:
    for message in messages:
        own = ours(dict(message))
        text = message.get("content")
        pictures = sum(each.get("type") == "image" for each in own.get("content") or ())
        if message["role"] not in _SHOWN or not isinstance(text, str) or not (text or pictures):
            continue
        name = str(message.get("name") or "")
        agent = name if own.get("operator") else words.agent(language, name) if name else "Loopwire"
        speaker = words.say(language, "export.you") if message["role"] == "user" else agent
        at = own.get("at")
        when = f" · {dt.datetime.fromtimestamp(at / 1000, dt.UTC):%Y-%m-%d %H:%M} UTC" if at else ""
        shown = [text] if text else []
        shown += [f"[{words.say(language, 'export.picture')}]"] * pictures
        yield f"**{speaker}**{when}\n\n" + "\n\n".join(shown)
