"""The parts of a text that is put together: each fact once, and none of them cut in its middle."""

from __future__ import annotations

from collections.abc import Sequence

from server import patterns
from server.loopos.answers.certainty import NEGATIONS, content, is_like
from server.loopos.answers.clauses.asides import THINGS
from server.loopos.answers.clauses.faults import SLIGHT, tells_fault
from server.loopos.answers.words import fold, tokens, without_debris

_WITHIN = patterns.compile(r"(\s*(?:;|,(?!\d)|\s(?:e|and))\s+)", patterns.IGNORECASE)
_ENDS = patterns.compile(r"\s*(?:[;,](?!\d)|\s(?:mas|but|e|and|com|with)\s|\.\s)\s*", patterns.IGNORECASE)
_BEFORE_NO = frozenset("has have had is are was were there theres with and but got comes".split())
_FEWEST = 2
"""A part of fewer words of its own is in another one only where it is all of that: a box is in no box of cables."""


def join_parts(parts: Sequence[str], most: int, *, first: str = "") -> tuple[str, list[str]]:
    """Return different parts as one text of at most so many characters, and the parts that do not fit in it.

    `first` stands before them as it is written.
    """
    new = _different([bare for each in parts if (bare := each.strip(" .;,")) and not _is_within(each, first)])
    text, left = first.strip(" .;"), list[str]()
    for part in new:
        joined = f"{text}; {_begin_small(part)}" if text else cut_part(part, most)
        if len(joined) <= most:
            text = joined
        else:
            left.append(part)
    return text[:most], left


def _begin_small(part: str) -> str:
    """Return a part that stands behind another with a small letter first, unless its first word may be a name."""
    first = "".join(patterns.findall(r"^[^\W\d_]+", part))
    is_plain = first.istitle() and first != "I" and (fold(first) in _FIRST_WORDS or fold(first) in THINGS)
    return part[:1].lower() + part[1:] if is_plain else part


_FIRST_WORDS = frozenset(
    "the a an my our it its this that these those there they one two three some all both only just no not with without "
    "also left right front back rear top bottom small light has have comes includes works missing slight some any "
    "used new original bought got needs still mostly never always in on at from for and but "
    "o os as um uma uns umas dois duas meu minha este esta isto tem tenho traz inclui leva vem falta faltam sem com "
    "so apenas nao nunca sempre ainda tudo todos todas pequeno pequena pequenos pequenas alguns algumas marcas riscos "
    "risco comprei comprado comprada funciona precisa esta estao foi veio no na nos nas de da do e mas novo nova usado "
    "usada ligeiro ligeira scratches scratch wear marks mark dent dents cushion battery bateria".split()
)
"""Words that begin a clause and are no names, folded."""


def add_parts(text: str, words: str, most: int, *, whole: bool = False) -> tuple[str, list[str]]:
    """Return a text with the words behind it that it does not say yet, and those that do not fit in it.

    Words that say all of the text as well take its place; `whole`: so do those that tell it anew (`tells_anew`), and
    what they say again stands once.
    What is taken out of a sentence would leave half of it: a thing that stands there is left out of lists alone.
    """
    old = _things_of(text)
    if len(words) <= most and (not drops_part(text, words) or (whole and tells_anew(words, text))):
        return words.strip(" .;"), []
    new = _unsaid_parts(words, text, old)
    text = (without_noted(text, new, facts=True) or text) if whole else text
    return join_parts(new, most, first=text)


def drops_part(text: str, words: str) -> bool:
    """Return whether words do not tell everything that a text says."""
    new = _things_of(words)
    return not all(any(_is_told(each, one) for one in new) for each in _things_of(text))


def without_shorter_parts(text: str) -> str:
    """Return a text without the parts all of whose words stand in another part: `left pad; left pad drifts`."""
    parts = [_with_whole_brackets(each) for each in text.split("; ")]
    words = [[word for word in content(tokens(each)) if len(word) > 1] for each in parts]
    said = [(set(own), NEGATIONS.isdisjoint(tokens(each))) for each, own in zip(parts, words, strict=True)]
    kept = [
        part
        for at, (part, (own, affirms)) in enumerate(zip(parts, said, strict=True))
        if not own
        or not any(
            own < other or (own == other and before < at)
            for before, (other, same) in enumerate(said)
            if before != at and same is affirms
        )
    ]
    return "; ".join(kept)


def without_answer_words(text: str) -> str:
    """Return a text that is put together of answers without the yes before them, the brackets around one and what is
    said twice.
    """
    bare = [_FILLED.sub(r"\g<said>", each) for each in _BARE_BORDERS.split(_YES.sub("", text))]
    said = [_marked_words(each) for each in bare[::2]]
    kept = [
        2 * at
        for at, own in enumerate(said)
        if own - {_ABSENT}
        and not any(
            (_ABSENT in own) is (_ABSENT in other) and (own < other or (own == other and before < at))
            for before, other in enumerate(said)
            if before != at
        )
    ]
    return _kept_of(bare, kept) or text


_BARE_BORDERS = patterns.compile(r"(\s*[;,]\s+)(?![^()]*\))")
_YES = patterns.compile(
    r"(?:^|(?<=; ))(?:(?:(?:yes|yeah|yea|yep|yup|sim)(?=\W+\w)|(?:certo|exat[oa](?:mente)?|right|est[aá] certo|"
    r"that['’]?s (?:it|the one|right)|(?:é|e) (?:ess[ea]|isso|est[ea]))(?=\s*[(,.!:]))[\s,.!:]*)+",
    patterns.IGNORECASE,
)
"""A yes before a fact."""
_FILLED = patterns.compile(r"^\s*\((?:(?:e|and|mas|but)\s+)?(?P<said>[^()]+)\)\s*$", patterns.IGNORECASE)
"""Brackets around all of a part."""
_ABSENT = "no"
_ABSENCE = frozenset("no not nao sem without falta faltam missing nem nor".split())
_SPARE = frozenset("mas but so only just apenas tambem too also is are".split())


def _marked_words(part: str) -> set[str]:
    """Return the words of a part, all that say that something is not there as one."""
    words = [each for each in tokens(part) if each not in _SPARE]
    is_absent = not _ABSENCE.isdisjoint(words) and (words[0] != "no" or not _is_place(part))
    own = {each for each in content(words) if each not in _ABSENCE}
    return own | ({_ABSENT} if is_absent else set())


def _is_place(part: str) -> bool:
    """Return whether `no` is Portuguese for where something is: an article or a thing with one stands there too."""
    return (
        patterns.search(r"\b(?:de|d[oa]s?|um|uma|est[aá]|tem|o|a|os|as)\b", part, patterns.IGNORECASE)
        is not None
    )


def _kept_of(parts: Sequence[str], kept: Sequence[int]) -> str:
    """Return the kept ones of parts, between which their borders stand; a `but` goes with what stood before it."""
    left = ""
    for before, at in zip([None, *kept], kept, strict=False):
        borders = parts[(before or 0) + 1 : at : 2]
        border = next((each for each in borders if ";" in each), borders[0]) if before is not None else ""
        left += border + (_BUT.sub("", parts[at]) if at and at - 2 != before else parts[at])
    return without_debris(left)


_BUT = patterns.compile(r"^\s*(?:mas|but)\s+", patterns.IGNORECASE)


def _with_whole_brackets(part: str) -> str:
    """Return a part without its brackets where one of a pair is missing: the border of two parts stood between them."""
    return part if part.count("(") == part.count(")") else _BRACKETS.sub("", part)


_BRACKETS = patterns.compile(r"[()]")


def without_told_parts(text: str, words: str) -> str:
    """Return a text without the parts all of whose words stand in new words, which tell more: `blue; black` beside
    `dark blue and black`.
    """
    parts, said = text.split("; "), content(tokens(words))
    kept = [
        each
        for each in parts
        if not set(content(tokens(each))) < set(said)
        or NEGATIONS.isdisjoint(tokens(each)) is not NEGATIONS.isdisjoint(tokens(words))
    ]
    return "; ".join(kept)


def adds_to_text(words: str) -> bool:
    """Return whether words begin as an addition to a text does: `also ...`, `falta ...`."""
    return _ADDS.match(words) is not None


def tells_anew(words: str, text: str) -> bool:
    """Return whether words are a text typed once more: most of theirs stand in it and they say half of it, or they
    begin like it. Words that add to it (`also ...`) are not.
    """
    own, old = content(tokens(words)), content(tokens(text))
    if len(own) < _FEWEST_ANEW or adds_to_text(words):
        return False
    shared = sum(any(is_like(each, one) for one in old) for each in own)
    said = sum(any(is_like(each, one) for one in own) for each in old)
    things = [content(tokens(each)) for each in _things_of(text)]
    touched = sum(any(is_like(each, one) for each in own for one in thing) for thing in things)
    if touched < min(len(things), _FEWEST):
        return False  # It says more of one thing.
    begins = len(own) > _FEWEST_ANEW and all(map(is_like, own[:_FEWEST_ANEW], old[:_FEWEST_ANEW]))
    begins &= len(old) >= _FEWEST_ANEW
    return (shared >= _MOSTLY * len(own) and 2 * said >= len(old)) or (begins and 3 * said >= len(old))


_FEWEST_ANEW, _MOSTLY = 3, 0.6
"""A text typed once more has so many words of its own, and so many of them stand in the old one."""
_ADDS = patterns.compile(
    r"^\s*(?:(?:yes|sim|no|n[aã]o|ok|oh|ah|well)\b[\s,.;!]*)*"
    r"(?:and|also|plus|e|mais|tamb[eé]m|tb|ainda|falt\w*|add|acrescent\w*|junt[ae])\b",
    patterns.IGNORECASE,
)
"""The start of words that add to a text."""


def _unsaid_parts(words: str, text: str, old: Sequence[str]) -> list[str]:
    """Return the sentences of words, and of those that list things the things, that a text does not say."""
    found = list[str]()
    for sentence in _SENTENCES.split(words):
        things = _WITHIN.split(sentence)
        said = [any(_is_within(each, one) for one in old) for each in things[::2]]
        is_list = all(len(tokens(each)) <= _MOST_LISTED for each in things[::2])
        is_list &= _STATES.isdisjoint(tokens(sentence))
        kept = [at for at, each in enumerate(said) if not (each and is_list)]
        joined = _kept_of(things, [2 * at for at in kept])
        found += [joined] if kept and not _is_within(joined, text) else []
    return [without_debris(each) for each in found]


def _is_told(thing: str, other: str) -> bool:
    return _is_within(thing, other) and tells_fault(thing) == tells_fault(other)


def _things_of(text: str) -> list[str]:
    return [each for part in _SENTENCES.split(text) for each in _WITHIN.split(part)[::2] if tokens(each)]


_STATES = frozenset("is are was were esta estao sao foi foram".split())
"""Verbs of a sentence that says something of all things in it, and lists none."""
_SENTENCES = patterns.compile(r"[.;!\n]+(?=\s|$)")
_MOST_LISTED = 6
"""A thing of a list has so many words."""


def without_noted(text: str, notes: Sequence[str], *, facts: bool = False) -> str:
    """Return a text without the faults in it, or all `facts`, that one of these notes says too; empty where they say
    all of it.
    """
    if _is_noted(text, notes, facts=facts):
        return ""
    parts = (_CLAUSES if facts else _PARTS).split(text)
    said = [at for at in range(0, len(parts), 2) if parts[at].strip()]
    kept = [at for at in said if not _is_noted(parts[at], notes, facts=facts)]
    if kept == said:
        return text
    return _kept_of(parts, kept)


def _is_noted(part: str, notes: Sequence[str], *, facts: bool) -> bool:
    if not tells_fault(part):
        denies = not NEGATIONS.isdisjoint(tokens(part))
        notes = [each for each in notes if facts and denies is not NEGATIONS.isdisjoint(tokens(each))]
    return any(_is_within(part, note) for note in notes)


_PARTS = patterns.compile(r"(\s*[;,.](?!\d)\s*)")
_CLAUSES = patterns.compile(
    r"(\s*[;,.](?!\d)\s*|\s(?:and|e)\s(?=(?:its?|they|is|has|there|tem|t[eê]m|est[aá]|leva|traz|[eé])(?:['’]s)?\s))",
    patterns.IGNORECASE,
)
"""Marks, and a joint before a verb: `it's on windows 11 and it's a UK keyboard`."""


def cut_part(part: str, most: int) -> str:
    """Return the beginning of a part in so many characters: to the end of a clause, else to that of a word."""
    if len(part) <= most:
        return part
    ends = [each.start() for each in _ENDS.finditer(part) if each.start() <= most]
    end = ends[-1] if ends and 2 * ends[-1] > most else max(part.rfind(" ", 0, most + 1), 0) or most
    return without_debris(part[:end])


def _different(parts: list[str]) -> list[str]:
    """Return the parts without those, and without the faults in them, that another one has too."""
    found = [each for at, each in enumerate(parts) if not _is_in_another(each, at, parts)]
    for at in reversed(range(len(found))):
        found[at] = _without_repeated(found[at], found[:at] + found[at + 1 :])
    return [each for each in found if each]


def _is_in_another(part: str, at: int, parts: Sequence[str]) -> bool:
    """Return whether another part, a later one where both say the same, has all that this one says."""
    return any(
        place != at and _is_within(part, other) and (place < at or not _is_within(other, part))
        for place, other in enumerate(parts)
    )


def _without_repeated(part: str, others: Sequence[str]) -> str:
    """Return a part without the faults in it that the others, or another clause of it, tell too."""
    units = _WITHIN.split(part)
    said = units[::2]
    kept = [at for at, each in enumerate(said) if not _repeats(each, at, said, others)]
    if len(kept) == len(said) or not all(tells_fault(each) for each in said):
        return part
    return _kept_of(units, [2 * at for at in kept])


def _repeats(unit: str, at: int, said: Sequence[str], others: Sequence[str]) -> bool:
    if not tells_fault(unit):
        return False
    return any(_is_within(unit, each) for each in others) or _is_in_another(unit, at, said)


def _is_within(part: str, other: str) -> bool:
    """Return whether another part says all that this one says."""
    own, theirs = _words_of_fact(part), _words_of_fact(other)
    denies = [not NEGATIONS.isdisjoint(each) for each in (own, theirs)]
    if not own or (denies[0] and not denies[1]) or (len(own) < _FEWEST and len(theirs) != len(own)):
        return False
    return all(any(is_like(word, each) for each in theirs) for word in own)


_TOO = patterns.compile(r"\s(?:as well|also|still|tamb[eé]m|ainda)\b", patterns.IGNORECASE)


def _words_of_fact(part: str) -> list[str]:
    """Return the words that tell a fact; `no` behind another word of Portuguese is where something is."""
    words = [each for each in tokens(_TOO.sub("", part)) if each != "too"]
    denied = [at for at, word in enumerate(words) if word == "no" and (not at or words[at - 1] in _BEFORE_NO)]
    said = content(word for at, word in enumerate(words) if word != "no" or at in denied)
    return [each for each in said if each not in SLIGHT] or said
