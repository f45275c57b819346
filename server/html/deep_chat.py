"""The messages of a run as Deep Chat reads them: texts, and typed blocks as HTML of its own classes or as plain text.

Deep Chat draws `html` in a shadow root without our styles and scripts. A click on a `deep-chat-suggestion-button` sends
the button's text as the user's next message, so a choice is its label; a `deep-chat-temporary-message` goes away then.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from itertools import repeat
from typing import Any

from server import patterns
from server.words import say

Json = dict[str, Any]
Block = Mapping[str, Any]

ROLE = "assistant"
_ROW = "display: flex; flex-wrap: wrap; gap: 6px"
"""The style of the buttons, which have no space between them; the page's styles do not reach them."""

_MARKS = patterns.compile(r"[\\`*_\[\]<>#|~]")


def deep_chat_messages(
    messages: Iterable[Mapping[str, Any]], language: str, known: Mapping[str, str] | None = None
) -> list[Json]:
    """Return the assistant's texts and blocks as `{text, html?, role}`; a block joins the message before it.

    The element draws a text and HTML as two bubbles and nothing for an empty text, so `text` is empty where HTML says
    it all: the title of a card would be drawn twice. The buttons stand at the end, whatever text follows their block:
    Deep Chat removes them when another message comes. A text that is `known` by its message's id is left out.
    """
    told: list[Json] = []
    labels: list[str] = []
    before = ""
    for each in messages:
        if each["role"] == "assistant" and str(each.get("content") or "").strip():
            before = each["content"]
            if (known or {}).get(each["id"]) != before:
                told.append({"text": before, "role": ROLE})
        elif each["role"] == "activity" and each["activityType"] == "block":
            text, html, own = _parts(each["content"], language, before)
            labels += own
            before = f"{before}\n\n{text}"
            _add(told, text, html)
    _add(told, "", _buttons(labels))
    return [{"text": "", **{name: each[name] for name in each if each[name]}} for each in told]


def with_person(told: list[Json], kind: str, language: str) -> list[Json]:
    """Return the messages of a run of this kind; where an operator answers, say that a person has the message."""
    return told if told or kind == "agent" else [{"text": say("chat.person", language), "role": ROLE}]


def _add(told: list[Json], text: str, html: str) -> None:
    """Add the text and HTML of a block to the last message, or to a new one where the last has HTML."""
    if not text and not html:
        return
    if not told or told[-1].get("html"):
        told.append({"role": ROLE})
    told[-1]["text"] = "\n\n".join(filter(None, (told[-1].get("text"), text)))
    told[-1]["html"] = html


def _parts(block: Block, language: str, before: str) -> tuple[str, str, list[str]]:
    """Return text, lasting HTML and button labels of a block; `before` is the text of the messages before it."""
    drawn = _DRAWN.get(block["kind"])
    return _lead_of(block, before), drawn(block) if drawn else "", [] if drawn else _labels(block, language)


def block_text(block: Block, language: str, before: str, marks: Iterator[str] | None = None) -> str:
    """Return a block as Markdown with its choices as a list, for a stream that can hold no HTML.

    Each choice takes the next of the `marks`, which are dashes where there are none.
    """
    if block["kind"] in _WRITTEN:
        return _WRITTEN[block["kind"]](block)
    marks = repeat("-") if marks is None else marks
    choices = [f"{next(marks)} {each}" for each in _labels(block, language)]
    return "\n\n".join(filter(None, (_lead_of(block, before), "\n".join(choices))))


def _lead_of(block: Block, before: str = "") -> str:
    """Return the words of a question that is open, or of a notice; a card and a list are HTML alone.

    Text that is in `before` is not repeated: neither the error of the block, nor the legend of a choice that is no
    question of a protocol. A legend with a hint is
    repeated: it asks for a yes to what it names, which `before` does not ask.
    """
    kind = block["kind"]
    if kind == "notice":
        return " ".join(filter(None, (f"**{block['title']}**", block.get("text"))))
    if block.get("status") != "open":
        return ""
    if kind in ("choices", "form"):
        legend = (
            f"**{block['legend']}**"
            if not before or kind == "form" or block.get("position") or block.get("hint")
            else ""
        )
        said = (block.get("error"), _pairs_text(block.get("kept", ())), legend, block.get("hint"))
        return "\n\n".join(each for each in said if each and each not in before)
    if kind == "approval":
        pairs = _pairs_text(block.get("pairs", ()))
        return f"{block['message']}\n\n{pairs}" if pairs else str(block["message"])
    if kind == "ask":
        asked = [f"- {each['label']}" for each in block.get("fields", ())]
        return "\n".join((str(block["message"]), *asked))
    return ""


def _pairs_text(pairs: Iterable[Block]) -> str:
    return "\n".join(
        f"- {each['label']}{_colon(each['label'])} **{_plain(each['value'])}**" for each in pairs
    )


def _labels(block: Block, language: str) -> list[str]:
    """Return the labels of the buttons of a block that is open."""
    if block.get("status") != "open":
        return []
    if block["kind"] == "approval":
        return [say("approval.yes", language), say("approval.no", language)]
    return [each["label"] for each in shown_choices(block)]


def shown_choices(block: Block) -> list[Block]:
    """Return the choices of a block in the order in which they are shown, and numbered where the block is a text."""
    more = block.get("more") or {}
    others = (block.get("unsure"), more if more.get("value") else None)
    added = [{**each, "label": f"+ {each['label']}"} for each in block.get("unused", ())]
    return [*block.get("choices", ()), *(each for each in (block.get("confirm"), *others) if each), *added]


def _buttons(labels: list[str]) -> str:
    """Return the HTML of buttons that send their label; Deep Chat removes them after a click."""
    if not labels:
        return ""
    drawn = " ".join(
        f'<button class="deep-chat-button deep-chat-suggestion-button">{escape(each)}</button>'
        for each in labels
    )
    return f'<div class="deep-chat-temporary-message" style="{_ROW}">{drawn}</div>'


def _colon(label: str) -> str:
    """Return the mark between a label and its value; a question has its own."""
    return "" if label.endswith("?") else ":"


def _card(block: Block) -> str:
    pairs = "".join(
        f"<div><b>{escape(each['label'])}</b>{_colon(each['label'])} {escape(each['value'])}</div>"
        for each in block.get("pairs", ())
    )
    reference = f" <small>{escape(block['reference'])}</small>" if block.get("reference") else ""
    price = f"<div><strong>{escape(block['price'])}</strong></div>" if block.get("price") else ""
    return f"<div><strong>{escape(block['title'])}</strong>{reference}{pairs}{price}</div>"


def _list(block: Block) -> str:
    rows = "".join(
        f"<li>{escape(each['title'])}{' · ' + escape(each['note']) if each.get('note') else ''}</li>"
        for each in block["rows"]
    )
    return f"<div><strong>{escape(block['legend'])}</strong><ul>{rows}</ul></div>"


def _card_text(block: Block) -> str:
    title = " ".join(filter(None, (f"**{_plain(block['title'])}**", block.get("reference"))))
    price = f"**{_plain(block['price'])}**" if block.get("price") else ""
    return "\n\n".join(filter(None, (title, _pairs_text(block.get("pairs", ())), price)))


def _list_text(block: Block) -> str:
    rows = [
        f"- {_plain(each['title'])}{' · ' + _plain(each['note']) if each.get('note') else ''}"
        for each in block["rows"]
    ]
    return "\n".join((f"**{_plain(block['legend'])}**", "", *rows))


def _plain(text: str) -> str:
    """Return a value without the marks of Markdown, and in one line."""
    return _MARKS.sub(r"\\\g<0>", " ".join(text.split()))


def _image(block: Block) -> str:
    return f'<img src="{escape(block["source"])}" alt="{escape(block["alt"])}" style="max-width: 100%">'


def _image_text(block: Block) -> str:
    return _plain(block["alt"])


_DRAWN: Mapping[str, Callable[[Block], str]] = {"card": _card, "list": _list, "image": _image}
_WRITTEN: Mapping[str, Callable[[Block], str]] = {
    "card": _card_text, "list": _list_text, "image": _image_text
}  # fmt: skip
"""Return an image as Markdown, for a stream of text."""
