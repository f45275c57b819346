"""Texts of callers without markup: what people would read of them."""

import html
import re

_UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_SYMBOL = re.compile(r"[^\w\s.,;:!?%€$£'’\"“”«»()/|>»&+*°ºª#@\-\u2010-\u2015]")


def without_markup(text: str) -> str:
    """Return a text without tags, scripts and repeated blanks."""
    if "<" in text or "&" in text:
        text = html.unescape(_TAG.sub(" ", _UNSEEN.sub(" ", text)))
    return " ".join(text.split())


def without_symbols(text: str) -> str:
    """Return a text without markup, emoji and other signs that are not written in names."""
    return " ".join(_SYMBOL.sub(" ", without_markup(text)).split())
