"""Texts of callers without markup: what people would read of them.

Each function reads a text in time that grows with its length, whatever the text is made of.
"""

import html

from server import patterns

_UNSEEN = patterns.compile(r"<(?:(script)|(style))\b", patterns.IGNORECASE)
_ENDS = [patterns.compile(rf"</{name}\s*>", patterns.IGNORECASE) for name in ("script", "style")]
"""What ends an element, in the order of the groups of `_UNSEEN`."""
_TAG = patterns.compile(r"</?[A-Za-z][^<>]*>")
_LONG_NUMBER = patterns.compile(r"&#([0-9]{9,});?")
_SYMBOL = patterns.compile(r"[^\w\s.,;:!?%€$£'’\"“”«»()/|>»&+*°ºª#@\-\u2010-\u2015]")
_MARGIN = 16
"""Characters that are read for each one of a beginning: markup, signs and blanks stand between words."""


def without_markup(text: str) -> str:
    """Return a text without tags, scripts and repeated blanks."""
    if "<" in text or "&" in text:
        text = html.unescape(_LONG_NUMBER.sub(_shorten, _TAG.sub(" ", _without_scripts(text))))
    return " ".join(text.split())


def without_symbols(text: str) -> str:
    """Return a text without markup, emoji and other signs that are not written in names."""
    return " ".join(_SYMBOL.sub(" ", without_markup(text)).split())


def beginning(text: str, most: int) -> str:
    """Return the beginning of a text of which at most so many characters are wanted, with room for its markup."""
    return text[: most * _MARGIN]


def _without_scripts(text: str) -> str:
    """Return a text without scripts and style sheets; one that nothing ends stays."""
    kept: list[str] = []
    unended: set[int] = set()
    read = 0
    for opened in _UNSEEN.finditer(text):
        kind = 0 if opened[1] else 1
        if opened.start() < read or kind in unended:
            continue
        ended = _ENDS[kind].search(text, opened.end())
        if ended is None:
            unended.add(kind)
            continue
        kept.append(text[read : opened.start()])
        read = ended.end()
    return " ".join([*kept, text[read:]])


def _shorten(number: patterns.Match[str]) -> str:
    """Return a character's number with so few digits that it is read as one: beyond eight it names no character."""
    return f"&#{number[1].lstrip('0')[:8] or 0};"
