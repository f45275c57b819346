"""A conversation as a Markdown file: author, time (UTC) and text of each message. Model text is unchanged."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from server.html.rows import PageRow, rows
from server.html.work_summary import work_sentence
from server.protocol.content_parts import IMAGE
from server.protocol.events import ours
from server.protocol.transcript import Transcript
from server.words import Words

_SAID = ("user", "text", "person")

Messages = Sequence[Mapping[str, Any]]


def export_title(title: str, words: Words, language: str) -> str:
    """Return the line that a file begins with."""
    return f"# {title or words.say(language, 'page.new')}\n"


def export_turns(messages: Messages, words: Words, language: str) -> str:
    """Return the texts of whole turns in order, each under its speaker; what was done for them is a line.

    So is an answered question with its answer. A summary of reasoning is a quotation. Other cards are left out. Each
    text follows an empty line.
    """
    drawn = (
        _section(row, words, language) for turn in _turns(messages) for row in rows(Transcript.of(turn, {}))
    )
    return "".join(f"\n{each}\n" for each in drawn if each)


def place_of_turn(messages: Messages) -> int:
    """Return the place of the first message that begins a turn; that of the end where none does."""
    begins = (place for place, message in enumerate(messages) if message["role"] == "user")
    return next(begins, len(messages))


def _turns(messages: Messages) -> Iterator[list[dict[str, Any]]]:
    """Split a conversation before each message of its user: what was done folds within a turn."""
    turn: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "user" and turn:
            yield turn
            turn = []
        turn.append(dict(message))
    yield turn


def _section(row: PageRow, words: Words, language: str) -> str:
    """Return the text of a row; empty for rows that are not exported."""
    if row.kind in _SAID:
        return _text_section(row.message, words, language)
    if row.kind == "handoff":
        old, new = (words.agent(language, str(row.message["content"][each])) for each in ("from", "to"))
        return f"*{words.say(language, 'handoff.spoken', old=old, new=new)}*"
    if row.kind == "block":
        return _answered_question(row.message["content"])
    work = [each for each in row.inner or (row,) if each.parts.get("status") == "done"]
    calls = [each.parts for each in work if each.kind == "tool"]
    told = [f"*{_escape(work_sentence(calls, words, language))}*"] if calls else []
    told += [_thought_section(each.message, words, language) for each in work if each.kind == "thought"]
    return "\n\n".join(told)


def _thought_section(message: Mapping[str, Any], words: Words, language: str) -> str:
    quoted = "\n".join(f"> {line}".rstrip() for line in str(message["content"]).split("\n"))
    return f"*{words.say(language, 'thought.done')}*\n\n{quoted}"


def _answered_question(block: Mapping[str, Any]) -> str:
    """Return a question and its answer; nothing for a block that asks nothing, or has no answer."""
    answer = block.get("answer")
    given = answer.get("label") or answer.get("value") if isinstance(answer, Mapping) else None
    if not given or not block.get("legend"):
        return ""
    return f"*{_escape(str(block['legend']))}* {_escape(str(given))}"


def _text_section(message: Mapping[str, Any], words: Words, language: str) -> str:
    own = ours(dict(message))
    text = message.get("content")
    pictures = sum(each.get("type") == IMAGE for each in own.get("content") or ())
    if not isinstance(text, str) or not (text or pictures):
        return ""
    name = str(message.get("name") or "")
    agent = name if own.get("operator") else words.agent(language, name) if name else "Loopwire"
    speaker = words.say(language, "export.you") if message["role"] == "user" else agent
    at = own.get("at")
    when = f" · {dt.datetime.fromtimestamp(at / 1000, dt.UTC):%Y-%m-%d %H:%M} UTC" if at else ""
    shown = [text] if text else []
    shown += [f"[{words.say(language, 'export.picture')}]"] * pictures
    return f"**{speaker}**{when}\n\n" + "\n\n".join(shown)


def _escape(sentence: str) -> str:
    """Return a sentence whose names of tools end no emphasis."""
    return sentence.replace("*", r"\*").replace("_", r"\_")
