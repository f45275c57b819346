"""The demo model's translation: a text whose every part the glossary holds is translated, any other stays as it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Self

from server import patterns
from server.demo.reading import MOST_LETTERS
from server.demo.requests.glossary import entries_from
from server.demo.requests.parsed_request import Answer, Answers, ParsedRequest
from server.languages import NBSP, fold
from server.text_reading.words.beginnings import beginning_of

_KEPT = patterns.compile(
    r"""(
    </?[A-Za-z!][^<>]*>                        # a tag
    | \$?\{[^{}]*\}                            # {name}, ${name}, {{name}} by its inner part
    | %(?:\([^()]*\))?[-+0-9.]*[sdifu@%]\b      # %s, %(name)d
    | &\w+;                                    # an entity
    | (?<!\s)[^\S\n]*+\n\s*+                    # a new line and the blanks around it
    | (?<!\w)[.]|[.](?!\w)                     # a full stop, but none within a number or a name
    | [^\w\s&'’.+-]+                           # other marks, emoji among them
    )""",
    patterns.VERBOSE,
)
_NEUTRAL = patterns.compile(
    r"[\d.,x+-]*(?:gb|tb|mb|mah|ghz|hz|kg|g|mg|cm|mm|m|km|w|kw|v|l|ml|cl|mp|k|bar|rpm)?", patterns.IGNORECASE
)
"""A number, a unit or both: the same in every language."""
_PHRASE = patterns.compile(r"[^\W\d_]+(?:['’ -][^\W\d_]+)*")
_NAME = patterns.compile(r"(?:product|brand)(?:_\w+)?_name$")
"""Keys of names, which stay as they are in every language."""
_MOST_MARKS = 200
"""Marks of a text that is translated, at most."""
_FRENCH_MARKS = frozenset(":;!?")
"""Marks before which French has a blank."""
_GENDERED = frozenset({"pt", "es"})
"""Languages whose adjectives stand in the glossary with `o`, and may come with `a`."""


def answer(given: ParsedRequest) -> Answer:
    """Translate each text into each language by the glossary."""
    source = _short(given.request["source_locale"])
    targets = {each: _short(each) for each in given.request["target_locales"]}
    read = cache(GlossaryPart.of)
    texts = {key: Translatable(text, read) for key, text in given.request["data"].items()}
    told = []
    for locale, target in targets.items():
        for key, text in texts.items():
            translated = text.translation_in(source, target)
            is_left = translated is None and not _NAME.search(key)
            told.append(
                {
                    "locale": locale,
                    "key": key,
                    "text": text.text if translated is None else translated,
                    "untranslated": is_left,
                }
            )
    return {"texts": told}


def _short(locale: str) -> str:
    return patterns.split("[-_]", locale.lower())[0]


@dataclass(frozen=True)
class GlossaryPart:
    """What stands between marks, and how it is looked up."""

    text: str
    is_neutral: bool
    folded: str | None
    """None where no glossary can hold it."""

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a part without the blanks around it."""
        is_neutral = all(_NEUTRAL.fullmatch(each) for each in text.split())
        is_phrase = not is_neutral and _PHRASE.fullmatch(text)
        return cls(text, is_neutral, fold(text) if is_phrase else None)

    def translation_in(self, source: str, known: Mapping[str, str]) -> str | None:
        """Return the part in the language of the glossary; None where that lacks it."""
        if self.is_neutral or self.folded is None:
            return self.text if self.is_neutral else None
        entry = known.get(self.folded)
        if entry is None and source in _GENDERED and self.folded.endswith("a"):
            entry = known.get(f"{self.folded[:-1]}o")
        return None if entry is None else _match_case(entry, self.text)


@dataclass(frozen=True)
class Translatable:
    """A text of a request, which is parted once for all languages."""

    text: str
    read_part: Callable[[str], GlossaryPart]

    @cached_property
    def pieces(self) -> list[str]:
        """Return parts and marks in turn, a part first; none of a text that no glossary can be made of."""
        if beginning_of(self.text, MOST_LETTERS) != self.text:
            return []
        pieces = _KEPT.split(self.text, _MOST_MARKS + 1)
        return pieces if len(pieces) <= 2 * _MOST_MARKS + 1 else []

    def translation_in(self, source: str, target: str) -> str | None:
        """Return the text in the other language; None where the glossary lacks a part of it."""
        if source == target:
            return self.text
        if not self.pieces:
            return None
        known, pieces = entries_from(source, target), list(self.pieces)
        for at in range(0, len(pieces), 2):
            piece = pieces[at]
            if not (stripped := piece.strip()):
                continue
            told = self.read_part(stripped).translation_in(source, known)
            if told is None:
                return None
            before = len(piece) - len(piece.lstrip())
            pieces[at] = piece[:before] + told + piece[before + len(stripped) :]
        return "".join(_space_marks(pieces, source, target))


def _space_marks(pieces: list[str], source: str, target: str) -> list[str]:
    """Return the pieces with a blank before a French colon and its like, and without one in another language."""
    spaced = list(pieces)
    for at in range(1, len(pieces), 2):
        before, after = pieces[at - 1], pieces[at + 1]
        if pieces[at] not in _FRENCH_MARKS or not before.strip() or (after and not after[0].isspace()):
            continue
        if "fr" in (source, target):
            spaced[at - 1] = before.rstrip() + (NBSP if target == "fr" else "")
    return spaced


def _match_case(entry: str, like: str) -> str:
    """Write an entry in capitals, or with one, where the text is so."""
    if len(like) > 1 and like.isupper():
        return entry.upper()
    return entry[:1].upper() + entry[1:] if like[:1].isupper() else entry


ANSWERS: Answers = {"TranslatorAnswer": answer}
