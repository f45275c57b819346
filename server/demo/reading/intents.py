"""The intent of a message besides naming something: agree, refuse, ask why, go back, stop, chat."""

from pathlib import Path

from server import patterns
from server.demo.reading import MOST_LETTERS, PHRASES
from server.languages import fold
from server.remembered_texts import remember_short
from server.text_reading.things.things_kept_back import keeps_named
from server.text_reading.wishes.agreements import agrees_to_nothing
from server.text_reading.wishes.joined_questions import joined_questions
from server.text_reading.wishes.small_talk import small_talk_of
from server.text_reading.words.nearest_examples import read_examples


def _one_of(phrases: list[str]) -> str:
    return f"(?:{'|'.join(phrases)})"


def _sentence(before: str, phrases: list[str], after: str) -> patterns.Pattern:
    """Compile the pattern of a whole message: something before, one of the phrases, something after."""
    agreeing = sorted(PHRASES["whole"]["yes"][1], key=len, reverse=True)
    return patterns.compile(before + _one_of(phrases) + after.replace("{yes}", "|".join(agreeing)))


_WHOLE = {kind: _sentence(*parts) for kind, parts in PHRASES["whole"].items()}
_INSIDE = {kind: patterns.compile(rf"\b{_one_of(phrases)}\b") for kind, phrases in PHRASES["inside"].items()}
_TOPICS: dict[str, patterns.Pattern] = {
    name: _sentence(PHRASES["topic_before"], phrases, PHRASES["topic_after"])
    for name, phrases in PHRASES["topics"].items()
}
_AND_THING = patterns.compile(PHRASES["patterns"]["and_thing"])
_MEANT = patterns.compile(PHRASES["patterns"]["meant"], patterns.IGNORECASE)
_WONDERING = patterns.compile(rf"\?|\b{_one_of(PHRASES['wondering'])}\b")
_SIGNS = str.maketrans({"€": " euros ", "£": " pounds ", "$": " dollars "})
_HESITATION = patterns.compile(rf"^(?:{_one_of(PHRASES['hesitation'])}\s+)+")
ASSISTANT = ("mine", "made", "conversations", "business", "pick_up", "contact")
"""What another agent answers: the person's items and conversations, the shop, and appointments."""
_LEAD = patterns.compile(rf"^(?:{_one_of(PHRASES['lead'])}\b[\s,.;:!-]*)+", patterns.IGNORECASE)


@remember_short(MOST_LETTERS, 512)
def whole(text: str, *kinds: str) -> bool:
    """Return whether the whole message is one of these."""
    forms = _forms(fold(text))
    read = [kind for kind in kinds if kind != "yes" or not agrees_to_nothing(text)]
    return any(_WHOLE[kind].fullmatch(each) for kind in read for each in forms)


def _forms(folded: str) -> set[str]:
    """Return a folded text, and what it is without the hesitation before it."""
    return {folded, _HESITATION.sub("", folded) or folded}


@remember_short(MOST_LETTERS, 512)
def inside(text: str, *kinds: str) -> bool:
    """Return whether the message contains one of these."""
    folded = fold(text)
    return any(_INSIDE[kind].search(folded) for kind in kinds)


@remember_short(MOST_LETTERS, 64)
def topic(text: str) -> str | None:
    """Return the topic of `Common answers` that a whole sentence of the message is about."""
    if of_talk := {"wait": "wait", "long": "time"}.get(small_talk_of(text)):
        return of_talk
    if any(inside(each, "price") and topic(each) is None for each in joined_questions(text)):
        return None  # The tools tell the worth.
    for sentence in dict.fromkeys(patterns.split(r"(?<=[.!?;])\s+", text)):
        forms = _forms(fold(sentence[:300]).replace(" e que ", " "))
        ends = text.endswith(sentence) or whole(text.rpartition(". ")[2], "thanks")
        for name, pattern in _TOPICS.items():
            if any(map(pattern.fullmatch, forms)) and (ends or name != "wait"):  # `Let me see... May 2019`
                return name
    return None


def nearest_topic(sentence: str) -> str | None:
    """Return the topic that a question is likely to be about, by examples of what people ask beside a sale."""
    examples = read_examples(Path(__file__).with_name("topics.json"), frozenset(PHRASES["denials"]))
    sentence = _MEANT.sub("", sentence)
    found = examples.find(sentence[:300]) if _WONDERING.search(f"{fold(sentence)} {sentence}") else None
    kinds = {"buy": ["sell"], "allowed": ["price"]}  # `aceitam 140?` asks what is paid.
    wrong = found is None or found[0] == "none" or inside(sentence, "noted", *kinds.get(found[0], ()))
    thing = _AND_THING.fullmatch(fold(sentence))  # `and the charger?` is about none of the topics.
    is_other = found is not None and thing is not None and not examples.know(found[0], thing["thing"])
    return None if wrong or is_other or found is None else found[0]


def of_a_thing(text: str) -> bool:
    """Return whether the message asks what is with a thing, and nothing else: `and the charger?`."""
    return _AND_THING.fullmatch(fold(text)) is not None


def settles(text: str) -> bool:
    """Return whether the message is a yes or a no, or opens with a yes: the tool judges what follows."""
    opens = whole(patterns.split(r"[.,;!]", text)[0], "yes") or starts(text.strip(), "yes")
    return whole(text, "yes", "no", "continue") or opens


def asks_what_was_meant(text: str) -> bool:
    """Return whether the message asks what was meant."""
    return inside(text, "meaning") or whole(text, "puzzled") or (empty(text) and "?" in text)


def leaves(text: str, *kinds: str) -> bool:
    """Return whether the message ends the talk, as `no mini? ok, bye` does, or with one of these kinds."""
    clauses = patterns.split(r"(?<=[,.!?;])\s+", text)
    while len(clauses) > 1 and whole(clauses[-1], "thanks"):
        clauses.pop()
    return whole(text, "stop") or (whole(clauses[-1], "stop", *kinds) and not keeps_named(clauses))


def tells_price(text: str, *more: str) -> bool:
    """Return whether the whole message is a price that the person asks, or one of these kinds."""
    return whole(after_lead(text.translate(_SIGNS)), "my_price", *more)


def empty(text: str) -> bool:
    """Return whether the message is nothing but blanks, dots, emoji or question marks."""
    return not fold(text)


def asks(text: str) -> bool:
    """Return whether the message ends as a question."""
    return text.rstrip().endswith("?")


def starts(text: str, *kinds: str) -> bool:
    """Return whether the message begins with a yes or a no."""
    begins = tuple(f"{each} " for kind in kinds for each in PHRASES[kind])
    return f"{fold(text)} ".startswith(begins) and not agrees_to_nothing(text)


def after_lead(text: str) -> str:
    """Return the message without its opening yes, no or well; "não é" stays, it denies what follows."""
    return _LEAD.sub("", text.strip()).strip()


def without_price(text: str) -> str:
    """Return the words of the message that are not of a question about a price: perhaps a product."""
    others = " ".join(e for e in patterns.split(r"(?<=[.!?])\s+", text) if not inside(e, "price"))
    is_told = others and any(map(str.isdigit, others)) == any(map(str.isdigit, text))
    return others if is_told else _INSIDE["price"].sub(" ", fold(text))


def without(text: str, kind: str) -> str:
    """Return the words of the message beside one of this kind, as a wish to begin again: perhaps another product."""
    return _INSIDE[kind].sub(" ", fold(text)) if inside(text, kind) else text
