"""An open message as the page shows it: its whole blocks drawn, and the last one as text that grows.

A piece that only goes on with its line needs no fragment: the page appends it. A piece that ends a block brings what
was drawn of it, and the place where the text goes on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from server.bidi import strip_overrides
from server.html.markdown import (
    Labels,
    blocks_of,
    box_id,
    code_html,
    heading_tag,
    step_html,
)
from server.html.open_blocks import Box, Leaf, MarkdownStep
from server.protocol.envelope import Fragment
from server.protocol.events import Event, ours
from server.protocol.transcript import REASONING, Transcript

_PIECES = frozenset({"TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT"})
_DRAWN = frozenset({"assistant", REASONING})
"""The roles whose texts are Markdown."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """The change by a piece: blocks that are whole now, and the place and the beginning of the open text."""

    message_id: str
    steps: Sequence[MarkdownStep]
    leaf: Leaf | None
    box: Box
    text: str

    def fragment(self, labels: Labels) -> Fragment:
        """Draw it at the place of the open text, and what follows a box that has ended at the end of the one around."""
        places: list[tuple[str, list[str]]] = [(f"#open-{self.message_id}", [])]
        opened: list[MarkdownStep] = []
        for step in self.steps:
            if step.verb == "close" and not opened and isinstance(step.block, Box) and step.block.parent:
                places.append((f"#{box_id(self.message_id, step.block.parent)}", []))
                continue
            if step.verb == "open":
                opened.append(step)
            elif step.verb == "close":
                opened.pop()
            places[-1][1].append(step_html(step, labels, self.message_id))
        places[-1][1].append(open_html(self.message_id, self.leaf, self.box, self.text, labels))
        places[-1][1].extend(
            step_html(MarkdownStep("close", each.block), labels) for each in reversed(opened)
        )
        first, *others = [(target, "".join(drawn)) for target, drawn in places]
        more = "".join(
            f'<hx-partial hx-target="{target}" hx-swap="beforeend">{html}</hx-partial>'
            for target, html in others
            if html
        )
        return Fragment(first[1] + more, first[0], "outerHTML")


@dataclass(frozen=True, slots=True)
class TextAdded:
    """The text that a piece added to the open text, if it is not the piece itself."""

    message_id: str
    text: str

    def fragment(self, _labels: Labels) -> Fragment:
        """Return the text."""
        return Fragment(_escape(self.text), f"#text-{self.message_id}", "beforeend")


class LiveText:
    """Follows an open message from the text that it has."""

    __slots__ = ("_blocks", "_message_id")

    def __init__(self, message_id: str, text: str) -> None:
        self._message_id = message_id
        self._blocks = blocks_of(text)
        self._blocks.pop_changes()

    def add(self, piece: str) -> TextChange | TextAdded | None:
        """Read the next piece; None when the page appends it as it is."""
        blocks = self._blocks
        if blocks.append(piece):  # The path of nearly every token.
            return None
        blocks.feed(piece)
        steps, added, renewed = blocks.pop_changes()
        if renewed:
            return TextChange(self._message_id, steps, blocks.leaf, blocks.boxes[-1], added)
        return None if added == piece else TextAdded(self._message_id, added)


class LiveTexts:
    """The open texts of one transcript, each followed from its first piece on."""

    def __init__(self) -> None:
        self._texts: dict[str, LiveText] = {}

    def follow(self, transcript: Transcript, event: Event) -> TextChange | TextAdded | None:
        """Read what an event added to an agent's text or thought, after the transcript applied it.

        None where it is appended.
        """
        if event["type"] not in _PIECES:
            return None
        message_id, piece = event["messageId"], event["delta"]
        text = self._texts.get(message_id)
        if text is None:
            message = transcript.message(message_id)
            if message is None or message["role"] not in _DRAWN or not ours(message).get("open"):
                return None
            before = str(message["content"]).removesuffix(piece)
            text = self._texts[message_id] = LiveText(message_id, before)
        return text.add(piece)

    def forget(self, event: Event) -> None:
        """Forget the texts that an event of another kind closed, or may have replaced."""
        if event["type"].startswith(("RUN_", "MESSAGES_")):
            self._texts = {}
        elif self._texts:
            self._texts.pop(event.get("messageId", ""), None)


def live_html(message_id: str, text: str, labels: Labels) -> str:
    """Draw an open message with the text that it has; a LiveText of the same text goes on from there."""
    blocks = blocks_of(text)
    steps, added, _ = blocks.pop_changes()
    drawn = [step_html(each, labels, message_id) for each in steps]
    drawn.append(open_html(message_id, blocks.leaf, blocks.boxes[-1], added, labels))
    drawn.extend(step_html(MarkdownStep("close", each), labels) for each in reversed(blocks.boxes[1:]))
    return "".join(drawn)


def open_html(message_id: str, leaf: Leaf | None, box: Box, text: str, labels: Labels) -> str:
    """Draw the block that is open, with the element into which its text is written."""
    kind = leaf.kind if leaf is not None else ""
    plain = kind in ("code", "row", "rest")
    element = (
        f'<loopwire-text id="text-{message_id}"{" plain" if plain else ""}>{_escape(text)}</loopwire-text>'
    )
    mark = f' class="open" id="open-{message_id}"'
    if leaf is not None and kind == "code":
        return code_html(element, leaf, labels, f' id="open-{message_id}"')
    if leaf is not None and kind == "heading":
        tag = heading_tag(leaf)
        return f"<{tag}{mark}>{element}</{tag}>"
    if box.kind == "table":
        return f'<tr{mark}><td colspan="{len(box.alignments)}">{element}</td></tr>'
    return f"<p{mark}>{element}</p>"


def _escape(text: str) -> str:
    return escape(strip_overrides(text), quote=False)
