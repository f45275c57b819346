"""Model text as HTML: Markdown to markup, then an allow-list, so that no answer can act in the page."""

import re

import nh3
from markdown_it import MarkdownIt

TAGS = {
    "p", "br", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "hr",
}  # fmt: skip
ATTRIBUTES: dict[str, set[str]] = {"*": set(), "a": {"href"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}

_parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
_BARE_MARKER = re.compile(
    r"(?:\n[ \t]*[-*+]|(?P<item>(?:\A|\n)[ \t]*\d{1,9}[.)][ \t][^\n]*)\n[ \t]*\d{1,9}[.)])[ \t]*\Z"
)
"""The beginning of a list's next line, where an answer was stopped; a number counts only below a numbered line."""
_demoted = {"h1": "h2", "h2": "h3", "h3": "h4", "h4": "h5", "h5": "h6"}


def to_html(text: str) -> str:
    """Return sanitised markup of a closed message.

    Pictures are dropped (their address could carry data out), links keep only web and mail addresses and lose the
    referrer, and headings start below the page's own.
    """
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
