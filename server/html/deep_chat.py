"""The messages of a run as Deep Chat reads them: texts, and typed blocks as HTML of its own classes or as plain text.

Deep Chat draws `html` in a shadow root without our styles and scripts. A click on a `deep-chat-suggestion-button` sends
the button's text as the user's next message, so a choice is its label; a `deep-chat-temporary-message` goes away then.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from html import escape, unescape
from typing import Any

from server.html.words import say

Json = dict[str, Any]
Block = Mapping[str, Any]

ROLE = "assistant"
MOST_CHOICES = 40
_TAGS = re.compile(r"<[^>]*>")


def deep_chat_messages(messages: Iterable[Mapping[str, Any]], language: str) -> list[Json]:
    """Return what the assistant said and showed: `{text?, html?, role}`; a block belongs to the words before it."""
    told: list[Json] = []
    for each in messages:
        if each["role"] == "assistant" and str(each.get("content") or "").strip():
            told.append({"text": each["content"], "role": ROLE})
        elif each["role"] == "activity" and each["activityType"] == "block":
            before = str(told[-1].get("text", "")) if told else ""
            html, text = _html_of(each["content"], language), _lead_of(each["content"], before)
            if not html and not text:
                continue
            if not told or "html" in told[-1]:
                told.append({"role": ROLE})
            told[-1]["text"] = "\n\n".join(filter(None, (told[-1].get("text"), text)))
            if html:
                told[-1]["html"] = html
    return [{name: each[name] for name in each if each[name]} for each in told]


def block_text(block: Block, language: str) -> str:
    """Return a block as plain text with its choices as a list, for a stream that can hold no HTML."""
    if block["kind"] in _DRAWN:
        return unescape(_TAGS.sub(" ", _DRAWN[block["kind"]](block))).strip()
    choices = [f"- {each}" for each in _labels(block, language)]
    return "\n".join(filter(None, (_lead_of(block), *choices)))


def _lead_of(block: Block, before: str = "") -> str:
    """Return the words of a question that is open, or of a notice; a card and a list are HTML alone.

    The words `before` it are not said again: neither its error, nor the legend of a choice that is no question of a
    protocol.
    """
    kind = block["kind"]
    if kind == "notice":
        return " ".join(filter(None, (f"**{block['title']}**", block.get("text"))))
    if block.get("status") != "open":
        return ""
    if kind in ("choices", "form"):
        legend = f"**{block['legend']}**" if not before or kind == "form" or block.get("position") else ""
        said = (block.get("error"), legend, block.get("hint"))
        return "\n\n".join(each for each in said if each and each not in before)
    if kind in ("approval", "ask"):
        asked = [f"- {each['label']}" for each in block.get("fields", ())]
        return "\n".join((str(block["message"]), *asked))
    return ""


def _html_of(block: Block, language: str) -> str:
    drawn = _DRAWN.get(block["kind"])
    if drawn is not None:
        return drawn(block)
    return _buttons(_labels(block, language))


def _labels(block: Block, language: str) -> list[str]:
    """Return the words of the buttons of a block that waits."""
    if block.get("status") != "open":
        return []
    if block["kind"] == "approval":
        return [say("approval.yes", language), say("approval.no", language)]
    listed = [each["label"] for each in block.get("choices", ())][:MOST_CHOICES]
    others = (block.get("unsure"), block.get("more") if (block.get("more") or {}).get("value") else None)
    return [*listed, *(each["label"] for each in others if each)]


def _buttons(labels: list[str]) -> str:
    if not labels:
        return ""
    buttons = "".join(
        f'<button class="deep-chat-button deep-chat-suggestion-button">{escape(each)}</button>'
        for each in labels
    )
    return f'<div class="deep-chat-temporary-message">{buttons}</div>'


def _card(block: Block) -> str:
    pairs = "".join(
        f"<div><b>{escape(each['label'])}</b>: {escape(each['value'])}</div>"
        for each in block.get("pairs", ())
    )
    reference = f" <small>{escape(block['reference'])}</small>" if block.get("reference") else ""
    return f"<div><strong>{escape(block['title'])}</strong>{reference}{pairs}</div>"


def _list(block: Block) -> str:
    rows = "".join(
        f"<li>{escape(each['title'])}{' · ' + escape(each['note']) if each.get('note') else ''}</li>"
        for each in block["rows"]
    )
    return f"<div><strong>{escape(block['legend'])}</strong><ul>{rows}</ul></div>"


def _image(block: Block) -> str:
    return f'<img src="{escape(block["source"])}" alt="{escape(block["alt"])}" style="max-width: 100%">'


_DRAWN: Mapping[str, Callable[[Block], str]] = {"card": _card, "list": _list, "image": _image}
