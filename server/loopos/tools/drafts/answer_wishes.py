"""The answer that a seller wishes to be written instead of the one that waits for their yes."""

from datetime import date

from server import patterns
from server.loopos.answers import Element, ProbableAnswer, Refused, Valid, judge
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.words import tokens

WRITE = patterns.compile(
    r"^(?:(?:mas|but|e|and|s[oó]|just|please|por favor|tamb[eé]m|also)\b[\s,]*)*"
    r"(?:(?:eu )?(?:quero|queria|gostava|pretendo|i want|i'?d like|can you|could you|pode[sm]?|want)\b[\s,]*"
    r"(?:que|it|to|de|you to)?\s*)?(?:be\s+)?"
    r"(?:fique|fica[r]?|escrev\w+|anot\w+|regist\w+|ponha|p[oõô]e|p[oô]r|acrescent\w+|junt[ae]r?|mencion\w+|write|noted?|"
    r"mention|add|put|say|written(?: down)?)\b(?:\s+(?:escrito|anotado|registado|nas? (?:notas?|observa[cç][oõ]es)|"
    r"in the notes?|down|it|there|a[ií]|l[aá]))*(?:\s+(?:que|that)\b|\s*:)?\s+(?P<words>\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""A wish that words stand beside the answer."""


def find_wished(element: Element, kept: Valid, words: str, language: str, today: date) -> str:
    """Return the words that are to be written where they are another answer than the one that waits: `não, escreva
    que funciona com defeito`. Beside a grade, words that do not name another one are a note.
    """
    found = WRITE.match(words) if element.kind in ("select", "boolean") else None
    judged = judge(element, found["words"], language, today) if found else Refused("empty")
    if found is None or isinstance(judged, Refused):
        return ""
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    names = guess.skipped or _names_answer(element, found["words"], guess)
    return "" if guess.value == kept.value or not names else str(found["words"])


def _names_answer(element: Element, words: str, guess: Valid) -> bool:
    """Return whether words name this answer by a word of its own: what they tell besides is a note."""
    named = [each.label for each in element.options if each.value == guess.value]
    own = [word for label in named for word in content(tokens(f"{label.pt} {label.en}"))]
    return any(is_like(word, each) for word in own for each in tokens(words))
