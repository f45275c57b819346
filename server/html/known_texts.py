"""Texts that blocks show, each in all its languages: a reader sees a stored block in the language of the page."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from server import patterns
from server.languages import LOCALES, Language

Known = Mapping[Language, str]
"""One text in each language that has it; `{name}` in it stands for a value."""

Group = tuple[Sequence[str], Sequence[Known]]
"""Texts that appear together, as the values of one option type; before them the names of the blocks they appear in."""

_ASKING = """
call_person change_item confirm_product create_item get_business_context get_catalog get_my_item get_product_options
get_product_protocol list_my_conversations list_my_items reopen_item search_catalog select_option
validate_protocol_answer web_search
"""
"""The tools with a question of their own before a call."""

BLOCK_WORDS = (
    *("approval.ask", "approval.page", *(f"approval.tool.{each}" for each in _ASKING.split())),
    *(
        "block.change.missed",
        "block.change.what",
        "block.confirm",
        "block.confirm.refuses",
        "block.conversations",
    ),
    *(
        "block.items",
        "block.later",
        "block.later.missed",
        "block.options",
        "block.options.needed",
        "block.product",
        "block.switch",
    ),
    *(
        "card.add",
        "card.also",
        "card.another",
        "card.back_to",
        "card.brand",
        "card.complete",
        "card.correct.label",
        "card.price",
    ),
    *("card.refused", "card.say_price"),
    *("choice.change.label", "choice.change.product", "choice.confirm.no", "choice.confirm.yes"),
    *("choice.confirm.missed", "choice.confirm.only", "choice.confirm.other"),
    *(
        "choice.later",
        "choice.leave_empty",
        "choice.more",
        "choice.more.product",
        "choice.more.products",
        "choice.product.missed",
        "choice.no",
        "choice.options.missed",
        "choice.options.no",
    ),
    *("choice.none", "choice.none.note"),
    *("choice.options.yes", "choice.present", "choice.product.no", "choice.product.yes"),
    *("choice.suggested", "choice.switch.begin", "choice.switch.stay", "choice.unsure", "choice.yes"),
    *("price.no_range", "price.range", "price.range.unknown", "price.told", "price.yours"),
    "version.kept",
)
"""The keys of the words that blocks are stored with. A word that only templates say may mean something else there."""

_HEADINGS = ("legend", "tag", "message", "title")
"""The members that say what a block is about; the first that a block has decides whether the block is known."""
_SHOWN = frozenset({*_HEADINGS, "hint", "error", "label", "note", "text", "next_steps", "suggestions"})
"""The members that people read."""
_SHARED = "share"
"""The member that people pass on: lines, of which some are a name and a value."""
_NAMED = ": "
"""Stands between a name and its value."""
_VALUE = patterns.compile(r"\{\w+\}")
_LISTED = "; "
"""Stands between the quoted texts that a value lists."""
_QUOTES = sorted(
    {tuple(each.quotes.split("{}")) for each in LOCALES.values()}, key=lambda pair: -len(pair[0])
)
"""What stands before and after a quoted text: those of French, which have a space within, before others."""
MOST_CACHED = 4096
_SHORTEST_FRAME = 4
"""A text with values is recognised by at least so many characters beside them."""

MOST_FRAMED = 4_000
"""Characters of a text in which several values are looked for: with two the time is the square of its length."""


class KnownTexts:
    """Finds a stored text in any language and returns it in the language of the reader.

    One text of a language may stand for two of another one, as White for Branco and Branca: the group that has the most
    of a block's texts decides. Where several groups have as many, the text stays as it is stored.
    """

    def __init__(self, groups: Iterable[Group] = ()) -> None:
        self._whole: dict[str, list[tuple[Known, frozenset[str]]]] = {}
        self._framed: list[tuple[Known, dict[Language, patterns.Pattern]]] = []
        for names, texts in groups:
            beside = frozenset([*names, *(text for known in texts for text in known.values())])
            for known in texts:
                if any("{" in text and _VALUE.search(text) for text in known.values()):
                    self._add_frame(known)
                    continue
                for text in set(known.values()):
                    self._whole.setdefault(text, []).append((known, beside))
        self._frame_of = lru_cache(maxsize=MOST_CACHED)(self._find_frame)

    def _add_frame(self, known: Known) -> None:
        if all(len(_VALUE.sub("", text)) >= _SHORTEST_FRAME for text in known.values()):
            self._framed.append((known, {language: _pattern(text) for language, text in known.items()}))

    def translate(self, text: str, language: Language, around: Collection[str] = ()) -> str:
        """Return a known text in this language; any other text as it is. `around` are the texts of its block."""
        if text in self._whole:
            return self._choose(text, language, around)
        found = self._frame_of(text)
        if found is None or language not in found[0]:
            return text
        known, values = found
        said = {name: self._value_in(value, language, around) for name, value in values.items()}
        return known[language].format(**said)

    def _value_in(self, value: str, language: Language, around: Collection[str]) -> str:
        """Return the value of a text in this language; one that lists quoted texts has each of them translated."""
        listed = _quoted_texts(value)
        if listed is None:
            return self.translate(value, language, around)
        quotes = LOCALES[language].quotes
        return _LISTED.join(quotes.format(self.translate(each, language, around)) for each in listed)

    def block_in(self, block: Mapping[str, Any], language: Language) -> Mapping[str, Any]:
        """Return the content of a block with its known texts in this language; values of buttons stay as they are.

        A block whose heading is not known stays as it is, and so does what a person typed into a form.
        """
        heading = next((str(block[name]) for name in _HEADINGS if block.get(name)), "")
        if heading not in self._whole and self._frame_of(heading) is None:
            return block
        around = frozenset([*_texts_in(block), *_shared_texts(block.get(_SHARED))])
        typed = {"answer": block["answer"]} if block.get("kind") == "form" and "answer" in block else {}
        return {**_part_in(block, lambda text: self.translate(text, language, around), _SHOWN), **typed}

    def _choose(self, text: str, language: Language, around: Collection[str]) -> str:
        """Return what a text is called in this language, by the groups that have the most of what is around it."""
        candidates = self._whole[text]
        names = {known.get(language, text) for known, _ in candidates}
        if text in names:
            return text
        if len(names) > 1:
            shared = [len(beside.intersection(around)) for _, beside in candidates]
            most = max(shared)
            nearest = (known for (known, _), count in zip(candidates, shared, strict=True) if count == most)
            names = {known.get(language, text) for known in nearest}
        return names.pop() if len(names) == 1 else text

    def _find_frame(self, text: str) -> tuple[Known, dict[str, str]] | None:
        """Return the text with values that this one is, in any language, and the values."""
        for known, framed in self._framed:
            for pattern in framed.values():
                if pattern.groups > 1 and len(text) > MOST_FRAMED:
                    continue
                values = pattern.fullmatch(text)
                if values is not None:
                    return known, values.groupdict()
        return None


def _quoted_texts(value: str) -> list[str] | None:
    """Return the texts that a value lists in the quotes of a language; None where it is no such list."""
    for before, after in _QUOTES:
        if len(value) >= len(before + after) and value.startswith(before) and value.endswith(after):
            return value[len(before) : len(value) - len(after)].split(f"{after}{_LISTED}{before}")
    return None


def _part_in(part: Mapping[str, Any], say: Callable[[str], str], shown: frozenset[str]) -> dict[str, Any]:
    """Return a part of a block with what people read in it as `say` returns it."""
    return {name: _member_in(name, value, say, shown) for name, value in part.items()}


def _member_in(name: str, value: Any, say: Callable[[str], str], shown: frozenset[str]) -> Any:
    if isinstance(value, str):
        if name == _SHARED:
            return "\n".join(_NAMED.join(map(say, line)) for line in _shared_lines(value))
        return say(value) if name in shown else value
    if isinstance(value, Mapping):
        return _part_in(value, say, shown)
    if isinstance(value, list | tuple):
        within = shown | {"value"} if name == "pairs" else shown
        return [_member_in(name, each, say, within) for each in value]
    return value


def _shared_lines(text: str) -> list[list[str]]:
    """Return the lines of a text that people pass on; one with a name and a value is both."""
    return [line.split(_NAMED, 1) for line in text.split("\n")]


def _shared_texts(text: object) -> list[str]:
    """Return the names, the values and the other lines of a text that people pass on."""
    return [each for line in _shared_lines(text) for each in line] if isinstance(text, str) else []


def _texts_in(value: Any) -> Iterator[str]:
    """Yield all texts of a block."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_in(each)


def _pattern(text: str) -> patterns.Pattern:
    """Return the expression that finds the values in a text that has them."""
    parts = patterns.split(r"\{(\w+)\}", text)
    groups = (
        patterns.escape(part) if place % 2 == 0 else f"(?P<{part}>.+?)" for place, part in enumerate(parts)
    )
    return patterns.compile("".join(groups), patterns.DOTALL)
