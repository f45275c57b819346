"""The terminal: parts of an answer as lines, words as they come. Nothing of a model steers the terminal."""

from __future__ import annotations

import re
from typing import TextIO

from loopwire.parts import Ask, Block, Handoff, Part, Reasoning, Retracted, Text, Tool

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

DIM, BOLD, PLAIN = "2", "1", "0"


def plain(words: str) -> str:
    """Return words without the characters that would steer a terminal."""
    return _CONTROL.sub("", words)


class Terminal:
    """Draws parts below each other; a text goes on where it ended."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._styled = out.isatty()
        self._inside = False
        """A line is begun and not ended."""
        self._speaking: str | None = None

    def draw(self, part: Part) -> None:
        """Draw a part of an answer."""
        match part:
            case Text(delta=delta, message_id=message):
                self._say(delta, message)
            case Reasoning(delta=delta, message_id=message):
                self._say(delta, message, DIM)
            case Tool(name=name, status=status):
                self.note(f"⋅ {name} {_progress(part)}{status}")
            case Handoff(to=agent):
                self.note(f"→ {agent}")
            case Block():
                self._block(part)
            case Ask(message=message):
                self.line(message)
            case Retracted():
                self.note("(taken back, begun anew)")

    def line(self, words: str, style: str = PLAIN) -> None:
        """Write a line of its own."""
        self._end_line()
        self._write(self._style(plain(words), style) + "\n")

    def note(self, words: str) -> None:
        """Write a line of its own that is less than words."""
        self.line(words, DIM)

    def prompt(self, mark: str) -> None:
        """Ask for a line."""
        self._end_line()
        self._write(self._style(mark, BOLD) + " ")

    def _say(self, delta: str, message: str, style: str = PLAIN) -> None:
        if message != self._speaking:
            self._end_line()
            self._speaking = message
        self._write(self._style(plain(delta), style))
        self._inside = not delta.endswith("\n")

    def _block(self, block: Block) -> None:
        if block.kind == "operator":
            self.note(f"{block.content.get('name')} {block.status}")
            return
        if block.status not in {None, "open"}:
            return
        title = block.content.get("legend") or block.content.get("title") or block.kind
        self.line(str(title), BOLD)
        for pair in block.content.get("pairs") or ():
            self.line(f"  {pair.get('label')}: {pair.get('value')}")
        for number, choice in enumerate(block.choices, 1):
            self.line(f"  {number}. {choice.label}" + (f" ({choice.note})" if choice.note else ""))

    def _end_line(self) -> None:
        if self._inside:
            self._write("\n")
        self._inside, self._speaking = False, None

    def _style(self, words: str, style: str) -> str:
        return f"\x1b[{style}m{words}\x1b[0m" if self._styled and style != PLAIN else words

    def _write(self, words: str) -> None:
        self._out.write(words)
        self._out.flush()


def _progress(tool: Tool) -> str:
    return "" if tool.progress is None or tool.status != "running" else f"{tool.progress:.0%} "
