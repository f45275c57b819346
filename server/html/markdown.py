"""Model text as HTML: Markdown to markup, then an allow-list, so that no answer can act in the page."""

import re
from html import escape

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from server.html.bidi import strip_overrides

TAGS = {
    "p", "br", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "hr",
}  # fmt: skip
ATTRIBUTES: dict[str, set[str]] = {"*": set(), "a": {"href"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}

LEVELS_OF_A_LIST = 2
"""The list and its item. The parser goes 20 levels deep; a quote is one."""

MOST_WORK = 2_000
"""Marks, lines and table cells of a text that is parsed. The parser is Python and runs in the event loop: so many cost
it some ten milliseconds at worst, and everybody waits. An answer of 7,000 characters with much Markdown has fewer."""

MOST_LENGTH = 32_000

_MARKS = "[]!*_`<<&|~\\>#"
"""One that stands twice costs twice: `<` begins addresses, which are looked at by parts."""
_delimiter_row = re.compile(r"^[ \t>]*[|:-][|: \t-]*$", re.MULTILINE)


def work_of(text: str) -> int:
    """Estimate what it costs to parse a text, from its marks, lines and table cells; reading it once tells."""
    marks = sum(text.count(mark) for mark in _MARKS)
    lines = text.count("\n") + 1
    return marks + 2 * lines + _cells(text)


def _cells(text: str) -> int:
    """Count the cells of tables; a row has as many as its head, though few are written."""
    cells = 0
    for row in _delimiter_row.finditer(text):
        columns = row[0].count("|")
        if columns and cells <= MOST_WORK:
            end = text.find("\n\n", row.end())
            cells += columns * text.count("\n", row.end(), len(text) if end < 0 else end)
    return cells


def _deep_text(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take all text that is nested too deep as one paragraph: the parser itself would leave it out."""
    if silent or state.level < state.md.options.maxNesting - LEVELS_OF_A_LIST:
        return False
    line = start
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
    state.push("paragraph_open", "p", 1).map = [start, line]
    inline = state.push("inline", "", 0)
    inline.content = state.getLines(start, line, state.blkIndent, False).strip()
    inline.map, inline.children = [start, line], []
    state.push("paragraph_close", "p", -1)
    state.line = line
    return True


def _new_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.block.ruler.before("table", "deep_text", _deep_text)
    return parser


_parser = _new_parser()
_BARE_MARKER = re.compile(
    r"(?:\n[ \t]*[-*+]|(?P<item>(?:\A|\n)[ \t]*\d{1,9}[.)][ \t][^\n]*)\n[ \t]*\d{1,9}[.)])[ \t]*\Z"
)
"""The beginning of a list's next line, where an answer was stopped; a number counts only below a numbered line."""
_demoted = {"h1": "h2", "h2": "h3", "h3": "h4", "h4": "h5", "h5": "h6"}


def to_html(text: str) -> str:
    """Return sanitised markup of a closed message.

    Pictures are dropped (their address could carry data out), links keep only web and mail addresses and lose the
    referrer, and headings start below the page's own. What turns a text around is left out, and what is too much work
    to parse is shown as it was written.
    """
    text = strip_overrides(text)
    if len(text) > MOST_LENGTH or work_of(text) > MOST_WORK:
        return _plain(text)
    tokens = _parser.parse(_BARE_MARKER.sub(r"\g<item>", text))
    for token in tokens:
        token.tag = _demoted.get(token.tag, token.tag)
    rendered = _parser.renderer.render(tokens, _parser.options, {})
    return nh3.clean(
        rendered,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
        generic_attribute_prefixes=set(),
        url_relative="deny",
    )


def _plain(text: str) -> str:
    """Return paragraphs and line breaks, and nothing else."""
    paragraphs = [escape(each.strip(), quote=False) for each in text.split("\n\n") if each.strip()]
    return (
        "".join(f"<p>{each}</p>\n" for each in paragraphs).replace("\n", "<br>\n").replace("</p><br>", "</p>")
    )
