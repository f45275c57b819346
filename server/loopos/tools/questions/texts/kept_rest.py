"""Messages that put one part of a text right and keep all others: `a bateria dá 15 min, o resto está certo`."""

from server import patterns
from server.loopos.answers import Element, ProbableAnswer, Valid
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.clauses.cut_texts import asks_to_cut, without_thing
from server.loopos.answers.words import MOST_LETTERS, is_number, tokens
from server.loopos.tools.drafts.confirmation import ask_back, forget, is_asked_in_this_run, pending
from server.loopos.tools.questions.corrections import value_told
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.texts.typed_texts import standing_text
from server.loopos.tools.questions.unrecorded_faults import home_of, note_asked, take_as_asked

_REST = (
    r"(?:(?:tudo )?o resto|o restante|as outras coisas|(?:all )?the rest|everything else|all else)\s*"
    r"(?:(?:est[aá]|t[aá]|[eé]|fica|pode ficar|is|['’]?s|stays|looks|seems|can stay|was)\s+)?"
    r"(?:(?:tudo|all|muito|perfectly|just)\s+)?"
    r"(?:certo|certinho|bem|bom|correto|correcto|ok|okay|igual|assim|na mesma|como est[aá]|mant[eé]m-se|right|"
    r"fine|good|"
    r"correct|perfect|true|the same|as it is|as is|stays)"
)
_BEHIND = patterns.compile(rf"[\s,.;:–—-]+(?:(?:e|mas|and|but)\s+)?{_REST}[\s.!]*$", patterns.IGNORECASE)
_BEFORE = patterns.compile(
    rf"^\W*{_REST}\W+(?:(?:mas|but|só que|s[oó]|except(?: that)?|only)\b[\s,:]*)?(?=\w)", patterns.IGNORECASE
)
_LEAD = patterns.compile(
    r"^\W*(?:(?:n[aã]o|no|nope|nah|sim|yes|mas|but|oh|ah|sorry|desculp[ae]|afinal|actually|espere?|espera|wait|well)\b"
    r"[\s,.;:!–—-]*)+",
    patterns.IGNORECASE,
)
_BORDERS = patterns.compile(r"(\s*;\s*|,(?!\d)\s+|\.\s+)")

_JOINS = patterns.compile(r"\s(?:e|and|com|with)\s", patterns.IGNORECASE)


def changed_part(message: str) -> str:
    """Return what a message says of one part of a text, where it says that the rest is right; else nothing.

    A wish that a part goes says nothing of it.
    """
    if len(message) > MOST_LETTERS or "?" in message or asks_to_cut(message):
        return ""
    said = _BEFORE.sub("", _BEHIND.sub("", message))
    return "" if said == message else _LEAD.sub("", said).strip(" ,.;:!")


def ask_changed_part(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back a text with one part as the message puts it right, or without it where a number holds that.

    Returns the question that is asked first; None where no part, or more than one, is meant.
    """
    is_text = asked is not None and asked.kind == "text" and asked.pattern is None
    element, said = asked if is_text else home_of(questions), changed_part(message)
    text = standing_text(questions, element)
    if (
        element is None
        or not said
        or not text
        or (asked is not None and not is_text and asked.kind != "price")
    ):
        return None
    if pending(questions.draft, element.id) is not None and is_asked_in_this_run(questions.draft, element.id):
        return element
    number = _ask_number(questions, said)
    left = _with_part(text, said if number is None else "", said)
    if left is None and number is None:
        return None
    take_as_asked(questions)
    if left:
        ask_back(questions.draft, element.id, ProbableAnswer(Valid(left, left)))
        note_asked(questions, element, left)
    elif left == "":
        forget(questions.draft, element.id)
    return number or element


def _ask_number(questions: Questions, said: str) -> Element | None:
    """Ask back the number that words put right, where they name one answered question for it."""
    known = [each for each in questions.asked if each.id in questions.answers and each.kind == "number"]
    told = [(each, guess) for each in known if (guess := value_told(questions, each, said)) is not None]
    if len(told) != 1:
        return None
    element, guess = told[0]
    if guess.value == questions.answers[element.id][0]:
        return None
    ask_back(questions.draft, element.id, ProbableAnswer(guess))
    return element


def _with_part(text: str, new: str, said: str) -> str | None:
    """Return a text with new words in the place of its only part that what was `said` names, or without that part.

    With no such part the text stays where nothing is to be written; else None.
    """
    own = [each for each in content(tokens(said)) if not is_number(each)]
    parts = _BORDERS.split(text)
    scores = [sum(any(is_like(word, each) for each in tokens(part)) for word in own) for part in parts[::2]]
    best = max(scores, default=0)
    named = [at for at, score in enumerate(scores) if best and score == best]
    if len(named) != 1:
        return None if new else text
    if new:
        shared = [word for word in own if any(is_like(word, each) for each in tokens(parts[2 * named[0]]))]
        others = (
            without_thing(parts[2 * named[0]], " ".join(shared)) if _JOINS.search(parts[2 * named[0]]) else ""
        )
        put = "; ".join(filter(None, (others, new)))
        return "".join([*parts[: 2 * named[0]], put, *parts[2 * named[0] + 1 :]])
    kept = [at for at in range(len(scores)) if at != named[0]]
    return "".join((parts[2 * at - 1] if at != kept[0] else "") + parts[2 * at] for at in kept)
