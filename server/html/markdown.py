"""Model text as HTML: blocks of Markdown, and an allow-list for their content: no answer runs code in the page."""

from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape
from typing import NamedTuple

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from server import patterns
from server.bidi import strip_overrides
from server.html.code_colours import coloured_html, is_coloured
from server.html.markdown_blocks import MarkdownBlocks
from server.html.markdown_lines import cells_of, heading_text
from server.html.open_blocks import Box, Leaf, MarkdownStep

TAGS = {"br", "strong", "em", "s", "code", "a", "sup"}
"""The tags of the text of a block; the blocks themselves are written here."""

ATTRIBUTES: dict[str, set[str]] = {"*": set(), "a": {"href"}}
SCHEMES = {"http", "https", "mailto"}

MOST_WORK = 2_000
"""Marks and lines of one block that is parsed. The parser is Python and runs in the event loop: so many cost it some
ten milliseconds at worst, and blocks the event loop. A paragraph of 7,000 characters with much Markdown has fewer."""

MOST_LENGTH = 32_000

MOST_KEPT = 2_000
"""Characters of a block whose markup is kept for the next time."""

_MARKS = "[[]!*_`<<&~\\"
"""One that stands twice costs twice: `[` begins links and `<` addresses, which are looked at by parts."""
_MARKED = patterns.compile(r"[\[*_`<&~\\\n]|https?://")
_TARGETS = patterns.compile(r"\]\([^\x00- \x7f]*")
"""From the first target of a link to the next blank, where the parser ends its search for the ends of targets."""

_BRACKET = patterns.compile(r"\\.|\]\(|[()]")
_DEEPEST = 32
"""Brackets in one another within a target; the parser gives up one that has more."""

_LETTERS_A_MARK = 64
"""Letters of targets that cost as much as a mark."""

_ADDRESS = patterns.compile(r"https?://[^\s<>\"'`|*\\]+")
_TRAILING = ".,;:!?…"
_NOTE = patterns.compile(
    r"\[\^((?!0)\d{1,3}|(?P<word>(?![\w-]*\d-\d)[^\W\d_](?:\d{1,3}|[^\W\d_](?:[\w-]{0,17}[^\W_])?)))\](?![({+])"
)
"""The mark of a footnote: a number or a word, which may end with one. `[^a-z]` is of a regular expression."""

_BEFORE_NOTE = ".,;:!?)*_~”’»…"
"""What a mark with a word may stand behind besides a word: a free `[^abc]` is a regular expression."""

_TASK = patterns.compile(r"\[([ xX])\][ \t]+(?=\S)")
_LANGUAGE = patterns.compile(r"[\w+#.-]{1,20}")

_parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("strikethrough").disable("image")


def _read_note(state: StateInline, silent: bool) -> bool:
    """Raise the mark of a footnote. A note stays where it was written: nothing of a text that streams is moved."""
    if silent:  # The brackets of a mark in a link's text count as any do.
        return False
    found = _NOTE.match(state.src, state.pos)
    if found is None:
        return False
    begin = state.pos
    while begin and state.src[begin - 1] == " ":
        begin -= 1
    is_first = begin == 0 or state.src[begin - 1] == "\n"
    is_note = is_first and state.src.startswith(":", found.end())
    if found["word"] and not is_note and not _is_behind_word(state):
        return False
    state.push("sup_open", "sup", 1)
    state.push("text", "", 0).content = found[1]
    state.push("sup_close", "sup", -1)
    state.pos = found.end() + is_note
    return True


def _is_behind_word(state: StateInline) -> bool:
    before = state.src[state.pos - 1] if state.pos else " "
    return before.isalnum() or before in _BEFORE_NOTE


_parser.inline.ruler.before("link", "footnote", _read_note)


class Labels(NamedTuple):
    """The labels at blocks of code and at tables."""

    copy: str
    code: str
    table: str


NO_LABELS = Labels("", "", "")


def work_of(text: str) -> int:
    """Estimate what it costs to parse the text of a block, from its marks; reading it once tells."""
    marks = sum(text.count(mark) for mark in _MARKS) + text.count("\n")
    if marks > MOST_WORK or "](" not in text:
        return marks
    are_few = text.count("(") + text.count(")") <= MOST_WORK
    read = _letters_read if are_few else _letters_at_most
    return marks + sum(read(found[0]) for found in _TARGETS.finditer(text)) // _LETTERS_A_MARK


def _letters_read(run: str) -> int:
    """Count the letters that the parser reads in a text without blanks for the targets of links.

    A target ends at its bracket, at the end, or where too many brackets are open in it. What is in two is read twice.
    """
    count, opened = 0, deque[int | None]()
    for found in _BRACKET.finditer(run):
        if found[0][0] == "\\":
            continue
        began = None
        if found[0] == ")":
            began = opened.pop() if opened else None
        else:
            opened.append(found.end() if found[0] == "](" else None)
            if len(opened) > _DEEPEST + 1:
                began = opened.popleft()
        count += found.end() - began if began is not None else 0
    return count + sum(len(run) - each for each in opened if each is not None)


def _letters_at_most(run: str) -> int:
    """Return a number of letters that is never too small, where counting them is much work itself."""
    return len(run) * min(run.count("]("), _DEEPEST + 1)


def work_of_leaf(leaf: Leaf) -> int:
    """Estimate what it costs to draw a block: code is not parsed, and costs its length where it has colours."""
    if leaf.kind == "code":
        return len(leaf.text) // 8 if is_coloured(leaf.text, leaf.language) else 0
    return work_of(leaf.text)


def blocks_of(text: str) -> MarkdownBlocks:
    """Read a text, which may go on."""
    blocks = MarkdownBlocks(work_of_leaf)
    blocks.feed(text)
    return blocks


def to_html(text: str, labels: Labels = NO_LABELS) -> str:
    """Return sanitised markup of a closed message.

    There are no pictures (their address could carry data out), links keep only web and mail addresses and lose the
    referrer, and headings start below the page's own. What turns a text around is left out, and what is too much work
    to parse is shown as it was written.
    """
    return "".join(html_parts(text, labels))


def html_parts(text: str, labels: Labels = NO_LABELS) -> Iterator[str]:
    """Draw the same block by block."""
    blocks = blocks_of(text)
    blocks.finish()
    steps, _, _ = blocks.pop_changes()
    for each in steps:
        yield step_html(each, labels)


def step_html(step: MarkdownStep, labels: Labels, message_id: str = "") -> str:
    """Draw a step. With the id of an open message its boxes have ids, by which more is put into them."""
    block = step.block
    if isinstance(block, Leaf):
        return _leaf(block, labels)
    if step.verb == "close":
        return _closing(block)
    mark = f' id="{box_id(message_id, block)}"' if message_id else ""
    if block.kind == "table":
        head = "".join(_cells("th", block.head, block.alignments))
        group = f'<div class="table" role="group" tabindex="0" aria-label="{escape(labels.table)}">'
        return f'{group}<table dir="auto">\n<thead>\n<tr>{head}</tr>\n</thead>\n<tbody{mark}>\n'
    if block.kind == "list":
        if block.start is None:
            return f'<ul dir="auto"{mark}>\n'
        start = f' start="{block.start}"' if block.start != 1 else ""
        return f'<ol dir="auto"{start}{mark}>\n'
    return f"<li{mark}>" if block.kind == "item" else f'<blockquote dir="auto"{mark}>\n'


def _closing(box: Box) -> str:
    match box.kind:
        case "table":
            return "</tbody>\n</table></div>\n"
        case "list":
            return "</ul>\n" if box.start is None else "</ol>\n"
        case "item":
            return "</li>\n"
        case _:
            return "</blockquote>\n"


def box_id(message_id: str, box: Box) -> str:
    """Return the id of the element of a box in an open message."""
    return f"in-{message_id}-{box.number}"


def _leaf(leaf: Leaf, labels: Labels) -> str:
    """Draw a block of text."""
    match leaf.kind:
        case "paragraph":
            is_item = leaf.box is not None and leaf.box.kind == "item"
            task = _TASK.match(leaf.text) if is_item else None
            if task is None:
                return f"<p>{inline_html(leaf.text)}</p>\n"
            done = task[1] != " "
            sign = "\N{BALLOT BOX WITH CHECK}" if done else "\N{BALLOT BOX}"
            words = inline_html(leaf.text[task.end() :])
            return f'<p class="task{" done" if done else ""}"><span>{sign}</span> {words}</p>\n'
        case "heading":
            tag = heading_tag(leaf)
            return f"<{tag}>{inline_html(heading_text(leaf.text))}</{tag}>\n"
        case "code":
            return code_html(f"{coloured_html(strip_overrides(leaf.text), leaf.language)}\n", leaf, labels)
        case "row":
            return f"<tr>{''.join(_cells('td', leaf.text, leaf.box.alignments if leaf.box else ()))}</tr>\n"
        case "rule":
            return "<hr>\n"
        case _:
            return f'<p class="rest">{escape(strip_overrides(leaf.text))}</p>\n'


def _escape(text: str) -> str:
    """Return a text as it was written."""
    return escape(strip_overrides(text), quote=False)


def heading_tag(leaf: Leaf) -> str:
    """Return the tag of a heading, below the page's own."""
    return f"h{min(leaf.level + 1, 6)}"


def code_html(inner: str, leaf: Leaf, labels: Labels, mark: str = "") -> str:
    """Draw a block of code around its markup, with its language and a button that copies it."""
    language = escape(leaf.language) if _LANGUAGE.fullmatch(leaf.language) else ""
    button = f'<button type="button" data-copy-code>{escape(labels.copy)}</button>'
    head = f'<p class="code-head"><span>{language}</span>{button}</p>'
    area = f'<pre tabindex="0" role="group" aria-label="{escape(labels.code)}"><code>{inner}</code></pre>'
    return f'<div class="code"{mark}>{head}{area}</div>\n'


def _cells(tag: str, line: str, alignments: tuple[str, ...]) -> Iterator[str]:
    """Draw a row of a table: as many cells as its head has. A row is as much work as another block may be."""
    cells = cells_of(line)
    draw = inline_html if work_of(line) <= MOST_WORK else _escape
    for at, alignment in enumerate(alignments):
        side = f' class="{alignment}"' if alignment else ""
        yield f"<{tag}{side}>{draw(cells[at]) if at < len(cells) else ''}</{tag}>"


def inline_html(text: str) -> str:
    """Return sanitised markup of the text of one block; what is too much work to parse is shown as it was written."""
    text = strip_overrides(text).strip()
    if _MARKED.search(text) is None:
        return escape(text, quote=False)
    if len(text) > MOST_LENGTH or work_of(text) > MOST_WORK:
        return escape(text, quote=False).replace("\n", "<br>\n")
    return markup_of(text) if len(text) <= MOST_KEPT else markup_of.__wrapped__(text)


@lru_cache(maxsize=1024)
def markup_of(text: str) -> str:
    """Parse and sanitise; what was drawn while a message was written is not parsed again for the whole of it."""
    tokens = _parser.parseInline(text)
    for each in tokens:
        each.children = list(_with_links(each.children or ()))
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


def _with_links(tokens: Iterable[Token]) -> Iterator[Token]:
    """Make links of bare addresses that stand in no link."""
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type != "text" or depth or "://" not in token.content:
            yield token
            continue
        end = 0
        for found in _ADDRESS.finditer(token.content):
            address = _without_trailing(found[0])
            yield from _text(token.content[end : found.start()])
            yield Token("link_open", "a", 1, attrs={"href": address})
            yield from _text(address)
            yield Token("link_close", "a", -1)
            end = found.start() + len(address)
        yield from _text(token.content[end:])


def _text(content: str) -> Iterator[Token]:
    if content:
        yield Token("text", "", 0, content=content)


def _without_trailing(address: str) -> str:
    """Return an address without the marks of the sentence around it."""
    unopened = address.count(")") - address.count("(")
    end = len(address)
    while address[end - 1] in _TRAILING or (address[end - 1] == ")" and unopened > 0):
        unopened -= address[end - 1] == ")"
        end -= 1
    return address[:end]
