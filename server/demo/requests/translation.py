"""The demo model's translation: a text whose every part the glossary holds is translated, any other stays as it is."""

from server import patterns
from server.demo.requests.glossary import entries_from
from server.demo.requests.parsed_request import Answer, Answers, ParsedRequest
from server.languages import fold

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
_GENDERED = frozenset({"pt", "es"})
"""Languages whose adjectives stand in the glossary with `o`, and may come with `a`."""


def answer(given: ParsedRequest) -> Answer:
    """Translate each text into each language by the glossary."""
    source = _short(given.request["source_locale"])
    texts = [
        {"locale": locale, "key": key, "text": translate(text, source, _short(locale))}
        for locale in given.request["target_locales"]
        for key, text in given.request["data"].items()
    ]
    return {"texts": texts}


def _short(locale: str) -> str:
    return patterns.split("[-_]", locale.lower())[0]


def translate(text: str, source: str, target: str) -> str:
    """Return the text in the other language, or as it is where the glossary lacks a part of it."""
    if source == target:
        return text
    parts = _KEPT.split(text)
    for at in range(0, len(parts), 2):
        part = parts[at]
        told = _part(part.strip(), source, target)
        if told is None:
            return text
        before = len(part) - len(part.lstrip())
        parts[at] = part[:before] + told + part[before + len(part.strip()) :]
    return "".join(parts)


def _part(part: str, source: str, target: str) -> str | None:
    """Translate what stands between marks; None where the glossary lacks it."""
    if all(_NEUTRAL.fullmatch(each) for each in part.split()):
        return part
    if not _PHRASE.fullmatch(part):
        return None
    known, said = entries_from(source, target), fold(part)
    entry = known.get(said)
    if entry is None and source in _GENDERED and said.endswith("a"):
        entry = known.get(f"{said[:-1]}o")
    return None if entry is None else _match_case(entry, part)


def _match_case(entry: str, like: str) -> str:
    """Write an entry in capitals, or with one, where the text is so."""
    if len(like) > 1 and like.isupper():
        return entry.upper()
    return entry[:1].upper() + entry[1:] if like[:1].isupper() else entry


ANSWERS: Answers = {"TranslatorAnswer": answer}
