"""A model's text is readable and inert: a corpus of attacks, and the Markdown that has to survive."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest

from server.html.markdown import to_html
from tests.unit.html.attacks import ATTACKS

ALLOWED = {
    "p", "br", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "div", "span", "button",
    "h2", "h3", "h4", "h5", "h6", "sup", "table", "thead", "tbody", "tr", "th", "td", "hr",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "rel", "target"},
    "ol": {"start", "dir"},
    "ul": {"dir"},
    "blockquote": {"dir"},
    "table": {"dir"},
    "p": {"class"},
    "span": {"class"},
    "th": {"class"},
    "td": {"class"},
    "div": {"class", "role", "tabindex", "aria-label"},
    "pre": {"role", "tabindex", "aria-label"},
    "button": {"type", "data-copy-code"},
}
CLASSES = {"c", "k", "n", "s", "code", "code-head", "table", "task", "done", "rest", "right", "center"}


class Reader(HTMLParser):
    """Reads markup as a browser does and keeps what it was made of."""

    def __init__(self) -> None:
        """Find nothing yet."""
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag, attrs):
        """Keep a tag."""
        self.found.append((tag, dict(attrs)))


def read(text: str) -> list[tuple[str, dict[str, str | None]]]:
    reader = Reader()
    reader.feed(to_html(text))
    return reader.found


def test_the_corpus_has_sixty_different_attacks():
    assert len(set(ATTACKS)) >= 60


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_leaves_nothing_that_acts(attack):
    for tag, attributes in read(attack):
        assert tag in ALLOWED
        assert set(attributes) <= ATTRIBUTES.get(tag, set())
        assert set((attributes.get("class") or "").split()) <= CLASSES
        assert (attributes.get("href") or "https:").partition(":")[0] in {"http", "https", "mailto"}


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("um **dois** _três_", "<p>um <strong>dois</strong> <em>três</em></p>\n"),
        ("uma\nduas", "<p>uma<br>\nduas</p>\n"),
        ("- a\n- b", '<ul dir="auto">\n<li><p>a</p>\n</li>\n<li><p>b</p>\n</li>\n</ul>\n'),
        ("3. a\n", '<ol dir="auto" start="3">\n<li><p>a</p>\n</li>\n</ol>\n'),
        ("# Título", "<h2>Título</h2>\n"),
        ("`<b>`", "<p><code>&lt;b&gt;</code></p>\n"),
        ("1 < 2 & 3 > 2", "<p>1 &lt; 2 &amp; 3 &gt; 2</p>\n"),
        ("~~velho~~", "<p><s>velho</s></p>\n"),
        ("um\n# dois ##\n---", "<p>um</p>\n<h2>dois</h2>\n<hr>\n"),
        ("um\n---", "<h3>um</h3>\n"),
        ("> um\ndois\n\ntrês", '<blockquote dir="auto">\n<p>um<br>\ndois</p>\n</blockquote>\n<p>três</p>\n'),
    ],
)
def test_markdown_is_read(text, html):
    assert to_html(text) == html


@pytest.mark.parametrize("torn", ["- one\n- ", "- one\n-", "- one\n*", "1. one\n2. ", "- one\n  - "])
def test_an_answer_that_was_stopped_in_a_list_leaves_no_empty_item(torn):
    assert to_html(torn).count("<li>") == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("42.", 'start="42"'),
        ("It was made in\n2021.", "2021."),
        ("Both:\n\n2021.", 'start="2021"'),
        ("-", "<li>"),
    ],
)
def test_an_answer_that_ends_with_a_number_keeps_it(text, shown):
    assert shown in to_html(text)


def test_a_link_opens_elsewhere_and_takes_no_referrer():
    ((_, _), (tag, attributes)) = read("[loja](https://example.pt/a?b=1)")
    assert tag == "a"
    assert attributes == {
        "href": "https://example.pt/a?b=1",
        "rel": "noopener noreferrer nofollow",
        "target": "_blank",
    }


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("veja https://a.pt/b?c=1.", ["https://a.pt/b?c=1"]),
        ("(https://a.pt/b_(c)), e http://d.pt!", ["https://a.pt/b_(c)", "http://d.pt"]),
        ("[x](https://a.pt) e `https://b.pt`", ["https://a.pt"]),
        ("**https://a.pt**", ["https://a.pt"]),
        ("javascript://a.pt%0aalert(1) ftp://b.pt", []),
    ],
)
def test_a_bare_address_is_a_link(text, addresses):
    assert [attributes["href"] for tag, attributes in read(text) if tag == "a"] == addresses


def test_a_table_is_a_table():
    text = "Isto:\n| a | b |\n|---|--:|\n| 1 | `2` |\n| 3 |\n\nfim"
    tags = [(tag, attributes.get("class")) for tag, attributes in read(text)]
    assert tags.count(("td", "right")) == tags.count(("td", None)) == 2
    assert [tag for tag, _ in tags][-1] == "p"


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("Stands[^1].", "<p>Stands<sup>1</sup>.</p>"),
        ("[^1]: A *source*.", "<p><sup>1</sup> A <em>source</em>.</p>"),
        ("[^ab]: One.\n[^note-2]: Two.", "<p><sup>ab</sup> One.<br>\n<sup>note-2</sup> Two.</p>"),
        ("A note.[^s1] [^12]", "<p>A note.<sup>s1</sup> <sup>12</sup></p>"),
        ("*um*[^né_1]", "<p><em>um</em><sup>né_1</sup></p>"),
        ("Both[^1][^2]: so", "<p>Both<sup>1</sup><sup>2</sup>: so</p>"),
        ("**a**[^1]: b", "<p><strong>a</strong><sup>1</sup>: b</p>"),
        ("- a[^see]", '<ul dir="auto">\n<li><p>a<sup>see</sup></p>\n</li>\n</ul>'),
        ("a\n  [^1]: b", "<p>a<br>\n<sup>1</sup> b</p>"),
        ("`a[^1]` [^1](https://b.c) ![^1](x)", None),
        ("\\[^1] [^<b>] [^] [^a b] [^" + "1" * 21 + "]", None),
    ],
)
def test_marks_of_footnotes_are_raised_and_notes_stay_where_they_stand(text, markup):
    drawn = to_html(text).strip()
    assert drawn == markup if markup else "<sup>" not in drawn


@pytest.mark.parametrize(
    "text",
    [
        "the class [^0-9] matches",
        "the class [^a-z] matches",
        "a[^A-Za-z0-9] q[^u] x[^1-9] x[^abc0-9] x[^abc-] x[^0] x[^1234] x[^.]",
        "[^abc] and ([^aeiou]), [^abc]+, x[^abc]+ x[^12]{3}",
    ],
)
def test_a_class_of_a_regular_expression_stays_as_it_was_written(text):
    assert to_html(text) == f"<p>{text}</p>\n"


def test_the_text_of_a_link_may_have_the_mark_of_a_footnote():
    for text, shown in (("a[^1]b", "a<sup>1</sup>b"), ("a[^see]", "a<sup>see</sup>"), ("[^a-z]", "[^a-z]")):
        drawn = to_html(f"[{text}](https://x.pt) c[^2]")
        assert drawn.startswith('<p><a href="https://x.pt"')
        assert drawn.endswith(f">{shown}</a> c<sup>2</sup></p>\n")


def test_items_of_a_task_list_have_a_box():
    marks = [
        attributes.get("class") for tag, attributes in read("- [ ] um\n- [x] dois\n\n[x] três") if tag == "p"
    ]
    assert marks == ["task", "task done", None]


def test_code_says_its_language_and_keeps_its_blanks():
    html = to_html("```\n  a  <b>\n\n*c*\n```")
    assert "<code>  a  &lt;b&gt;\n\n*c*\n</code>" in html
    assert "<span>py</span>" in to_html("```py\na\n```")
    assert "<span></span>" in to_html("```<script>\na\n```")


@pytest.mark.parametrize(
    ("language", "code", "colours"),
    [
        ("python", "def a(): # <b>\n    return 'x # y' + 12", "k:def c:# <b> k:return s:'x # y' n:12"),
        ("js", "const a = `x\n${b}`; // c", "k:const s:`x\n${b}` c:// c"),
        ("sql", "SELECT a -- b", "k:SELECT c:-- b"),
        ("html", '<a href="x"><!-- y -->', 'k:<a s:"x" k:> c:<!-- y -->'),
        ("css", "a { b: 1px /* c */ }", "n:1px c:/* c */"),
        ("python", '"""not closed', 's:"""not closed'),
        ("unheard-of", "def a", ""),
    ],
)
def test_code_has_colours_and_is_the_same_text(language, code, colours):
    html = to_html(f"```{language}\n{code}\n```").partition("<code>")[2].partition("\n</code>")[0]
    spans = re.findall(r'<span class="(.)">(.*?)</span>', html, re.DOTALL)
    assert " ".join(f"{kind}:{unescape(text)}" for kind, text in spans) == colours
    assert unescape(re.sub(r"</?span[^>]*>", "", html)) == code


class Words(HTMLParser):
    """Reads what a person sees."""

    def __init__(self) -> None:
        """See nothing yet."""
        super().__init__()
        self.seen: list[str] = []

    def handle_data(self, data):
        """Keep the words."""
        self.seen += re.findall(r"w\d+", data)


NESTED = {
    "list": lambda depth: "\n".join(f"{'  ' * n}- w{n}" for n in range(depth)),
    "numbered": lambda depth: "\n".join(f"{'   ' * n}1. w{n}" for n in range(depth)),
    "quote": lambda depth: "\n".join(f"{'> ' * (n + 1)}w{n}" for n in range(depth)),
    "quotes at once": lambda depth: "\n".join(f"{'> ' * depth}w{n}" for n in range(depth)),
    "quote in a list": lambda depth: "\n".join(f"{'  ' * n}- > w{n}" for n in range(depth)),
    "and back": lambda depth: (
        "\n".join(f"{'  ' * n}- w{n}" for n in range(depth - 2)) + f"\n- w{depth - 2}\n\nw{depth - 1}"
    ),
    "paragraphs": lambda depth: "\n\n".join(f"{'  ' * n}- w{n}" for n in range(depth)),
    "code": lambda depth: "> " * (depth - 2) + f"```\n{'> ' * (depth - 2)}w0\n\nw1",
}


@pytest.mark.parametrize("depth", [3, 8, 9, 10, 11, 12, 19, 20, 21, 22, 60])
@pytest.mark.parametrize("kind", NESTED)
def test_every_word_is_shown_however_deep_it_stands(kind, depth):
    text = NESTED[kind](depth)
    reader = Words()
    reader.feed(to_html(text))
    assert reader.seen == re.findall(r"w\d+", text)
    for tag, _ in read(text):
        assert tag in ALLOWED
