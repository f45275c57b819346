"""Code in colours: comments, strings, numbers and keywords of the languages that answers are usually written in.

One expression reads a block from its beginning to its end and never goes back, so its cost grows with the length alone.
"""

from collections.abc import Iterator
from functools import lru_cache
from html import escape

from server import patterns

MOST_LENGTH = 8_000
"""Characters of code that are coloured."""

_LINE = {"#": r"\#[^\n]*", "//": r"//[^\n]*", "--": r"--[^\n]*"}
_BLOCK = r"/\*[\s\S]*?(?:\*/|\Z)"
_TEXTS = r'"""[\s\S]*?(?:"""|\Z)|' + r"'''[\s\S]*?(?:'''|\Z)|"
_TEXT = r'"(?:[^"\\\n]|\\.)*"?|' + r"'(?:[^'\\\n]|\\.)*'?"
_TEMPLATE = r"|`(?:[^`\\]|\\.)*`?"
_REST = r"(?P<n>\b\d[\w.]*)|(?P<w>[^\W\d]\w*)"


def _of(comments: str, texts: str) -> patterns.Pattern:
    return patterns.compile(rf"(?P<c>{comments})|(?P<s>{texts})|{_REST}", patterns.DOTALL)


_HASH = _of(_LINE["#"], _TEXTS + _TEXT)
_SLASH = _of(f"{_LINE['//']}|{_BLOCK}", _TEXT + _TEMPLATE)
_DASH = _of(f"{_LINE['--']}|{_BLOCK}", _TEXT)
_STYLE = _of(_BLOCK, _TEXT)
_MARKUP = patterns.compile(
    r"(?P<c><!--[\s\S]*?(?:-->|\Z))|(?P<k></?[A-Za-z][\w:-]*|/?>)|(?P<s>" + _TEXT + ")"
)

_EVERYWHERE = (
    "if else for while return break continue true false null None True False in not and or is new this self"
)
_KEYWORDS = {
    "python": "def class import from as with try except finally raise lambda yield async await pass global elif del "
    "assert match case",
    "javascript": "function const let var class extends import export from default async await try catch finally throw "
    "typeof instanceof of undefined switch case interface type enum implements public private readonly",
    "shell": "then fi do done case esac function export local echo exit set cd elif",
    "sql": "select from where insert into update delete create table join left right inner on as group by order limit "
    "values set alter drop index primary key having distinct union count",
    "c": "int char float double void long short unsigned struct enum class public private protected static const final "
    "import package func fn let mut pub use impl trait var val fun switch case default throw throws try catch using "
    "namespace include define bool string type interface extends implements match go defer chan map range",
    "data": "",
}
_LANGUAGES = {
    "python": (_HASH, "python"),
    "py": (_HASH, "python"),
    "ruby": (_HASH, "python"),
    "rb": (_HASH, "python"),
    **dict.fromkeys(("javascript", "js", "jsx", "typescript", "ts", "tsx"), (_SLASH, "javascript")),
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "dockerfile"), (_HASH, "shell")),
    **dict.fromkeys(("yaml", "yml", "toml", "ini"), (_HASH, "data")),
    **dict.fromkeys(("json", "jsonc"), (_SLASH, "data")),
    **dict.fromkeys(("sql", "sqlite", "postgresql"), (_DASH, "sql")),
    **dict.fromkeys(
        ("c", "cpp", "c++", "csharp", "c#", "cs", "java", "go", "rust", "rs", "php"), (_SLASH, "c")
    ),
    **dict.fromkeys(("kotlin", "swift", "dart", "scala"), (_SLASH, "c")),
    "css": (_STYLE, "data"),
    "html": (_MARKUP, "data"),
    "xml": (_MARKUP, "data"),
    "svg": (_MARKUP, "data"),
}
_WORDS = {name: frozenset(f"{_EVERYWHERE} {words}".split()) for name, words in _KEYWORDS.items()}


def is_coloured(code: str, language: str) -> bool:
    """Return whether code of this language is drawn in colours."""
    return language.lower() in _LANGUAGES and len(code) <= MOST_LENGTH


def coloured_html(code: str, language: str) -> str:
    """Return code as markup: escaped, with `span` around what has a colour; plain where the language is not known."""
    return _markup_of(code, language.lower()) if is_coloured(code, language) else escape(code)


@lru_cache(maxsize=128)
def _markup_of(code: str, language: str) -> str:
    return "".join(_pieces(code, language))


def _pieces(code: str, language: str) -> Iterator[str]:
    pattern, family = _LANGUAGES[language]
    words, end = _WORDS[family], 0
    for found in pattern.finditer(code):
        kind, text = found.lastgroup, found[0]
        if kind == "w":
            if (text.lower() if family == "sql" else text) not in words:
                continue
            kind = "k"
        yield escape(code[end : found.start()])
        yield f'<span class="{kind}">{escape(text)}</span>'
        end = found.end()
    yield escape(code[end:])
