"""The search query of a message: its words that identify a product."""

from server import patterns
from server.demo.reading import MOST_LETTERS, PHRASES, intents
from server.demo.reading.matching import CANON, COLOURS, content
from server.languages import READ, SMALL_WORDS, detect_language, fold
from server.remembered_texts import remember_short
from server.text_reading.things.things_kept_back import without_things_along

_BESIDE = [patterns.compile(each, patterns.IGNORECASE) for each in PHRASES["beside"]]
SECOND, _COUNTED, _BARE, _IS_A, _SE, _ALONG, _PRICED, _RETRACTED, _FACTS = (
    patterns.compile(PHRASES[name], patterns.IGNORECASE)
    for name in ("second", "counted", "bare", "is_a", "se", "along", "priced", "retracted", "told_facts")
)
_REPLACED = patterns.compile(PHRASES["patterns"]["replaced"], patterns.IGNORECASE)
"""A figure that is taken back for another: `asking 1k just kidding 150`."""
_MODEL = patterns.compile(r"\b[A-Za-z]+(?:-[A-Za-z]*)?\d+\w*")
_OF_IT = patterns.compile(r"\W*(?:(?:é|e|são|it'?s|it is)\W+)?(?:de|from|com|with)\b", patterns.IGNORECASE)
"""The start of a sentence that tells something of what was named before it."""
_SMALL = frozenset(["", *PHRASES["small"], *(word for word, first in CANON.items() if first in COLOURS)])


def query_of(text: str) -> str:
    """Return the identifying words, as typed, without colour, size, price, condition and politeness."""
    return queries_of(text)[0]


@remember_short(MOST_LETTERS, 64)
def queries_of(text: str) -> tuple[str, ...]:
    """Return the identifying words of each sentence, those first that most likely name the item."""
    told = patterns.split(r"(?<=[,.!?;])\s+", halves(without_things_along(text) or text)[0])
    rest = " ".join(e for e in told if not intents.whole(e, "slip", "no"))  # `I tapped the wrong one`
    rest = _SE.sub(lambda found: f"{found[1]} {found[2].upper()}", rest)
    bare = _FACTS.sub(" ", rest)  # `the steam wand clogs sometimes`
    for each in _BESIDE:
        bare, rest = each.sub(" ", bare), each.sub(" ", rest)
    rest = bare if any(map(str.isalpha, _kept_words(bare, _SMALL))) else rest
    language = detect_language(text)
    small = _SMALL if language is None or language in READ else _SMALL | SMALL_WORDS[language]
    sentences = patterns.split(r"(?<=[.!?;…\n])\s+", rest.strip())
    plain = not any(map(str.isdigit, sentences[0]))
    sentences.sort(key=lambda each: plain and (not _MODEL.search(each) or bool(_OF_IT.match(each))))
    sentences.sort(key=lambda each: not intents.inside(each, "sell", "proposes"))
    sentences.sort(key=lambda each: intents.asks(each) and not intents.inside(each, "proposes", "figure"))
    first, *others = [kept for each in sentences if content(kept := _kept_words(each, small))] or [""]
    named = [_kept_words(each, small) for each in sentences[1:] if _IS_A.match(each)]
    models = [] if any(map(str.isdigit, first)) else (named or _MODEL.findall(" ".join(others)))[:1]
    return tuple(each[:120] for each in (" ".join([first, *models]), *others))


def halves(text: str) -> tuple[str, str]:
    """Return the words about the message's item, and those about another one behind `e também` or `e uma`."""
    text = _PRICED.sub(r"\g<price> and also ", _REPLACED.sub("", text))  # Each price has its item.
    said = _ALONG.sub(" ", _RETRACTED.split(text)[-1] or text)
    counted = _COUNTED.search(said)  # Of `two iphones, a 12 and an 11` both halves have the kind.
    if counted and not _kept_words(said[: counted.start()], _SMALL):
        said = _BARE.sub(rf"\g<0>{counted['kind']} ", said[counted.end() :])
    found = SECOND.search(said)
    first = said[: found.start()] if found and _kept_words(said[: found.start()], _SMALL) else ""
    names = intents.inside(said, "sell", "owns") or any(map(str.isdigit, first)) or len(content(first)) > 1
    return (first, said[found.end() :]) if found and first and (found.lastindex or names) else (said, "")


def _kept_words(sentence: str, small: frozenset[str]) -> str:
    """Return the words that are neither small nor a colour; "preto" alone never names a product."""
    words = patterns.findall(r"[^\s,:!?«»\"“”]+", sentence)
    kept = [each.strip(".'") for each in words if fold(each) not in small or each in ("SE", "ONE")]
    return " ".join(kept).strip()
