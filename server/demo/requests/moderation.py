"""The demo model's judgement of a listing's words: contacts, insults, forbidden things, and texts without content."""

from collections.abc import Iterator
from dataclasses import dataclass

from server import patterns
from server.demo.requests.clauses import plain_beginning, words_of
from server.demo.requests.contacts import contacts_in
from server.demo.requests.parsed_request import SENTENCES, Answer, Answers, ParsedRequest
from server.demo.requests.payments import payment_in
from server.demo.requests.refused_words import forbidden_word, insult_in
from server.languages import LANGUAGES, Language, detect_language, fold
from server.text_reading.words.markup_removal import without_markup

_MOST_LETTERS = 8_000
"""Letters that are judged: a whole description."""
_SHORTEST, _SHORTEST_TITLE = 12, 3
"""Letters of a description and of a title that say something."""
MOST_MESSAGE = 200
_SURE, _LIKELY, _UNSURE = 0.85, 0.6, 0.3
"""How sure a refusal is, an approval by lists of words, and one of words that may be of no language listed."""
_FEWEST_WORDS = 6
"""Words from which on a text has small ones that tell its language."""
_LETTER = patterns.compile(r"[^\W\d_]")
_LATIN = patterns.compile(r"[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\ufb00-\ufb06]")


@dataclass(frozen=True, slots=True)
class Objection:
    """A reason against a listing, the edit that mends it, and the sentence for the seller, in Portuguese."""

    reason: str
    edit: str
    message: str


def judge_text(given: ParsedRequest) -> Answer:
    """Refuse what the rules name, approve the rest, and say what they cannot know."""
    faults = list(faults_of(given))
    if not faults:
        is_known = _language_of(listing_of(given)) is not None
        notes = given.say("moderation.fine")
        if not is_known:
            notes = f"{notes} {given.say('moderation.unknown_language')}"
        return {
            "approved": True,
            "rejection_reason": None,
            "confidence_score": _LIKELY if is_known else _UNSURE,
            "validation_notes": f"{notes} {given.label}",
            "required_modifications": [],
            "message_to_user": "O anúncio pode ser publicado.",
        }
    reasons = dict.fromkeys(each.reason for each in faults)
    noted = "; ".join(reasons)
    return {
        "approved": False,
        "rejection_reason": faults[0].reason,
        "confidence_score": _SURE,
        "validation_notes": f"{noted[:1].upper()}{noted[1:]}. {given.label}",
        "required_modifications": [each.edit for each in faults],
        "message_to_user": _message(faults),
    }


def _message(faults: list[Objection]) -> str:
    """Join as many whole sentences as fit."""
    told = ""
    for each in dict.fromkeys(fault.message for fault in faults):
        longer = f"{told} {each}".strip()
        told = longer if len(longer) <= MOST_MESSAGE else told
    return told


def faults_of(given: ParsedRequest) -> Iterator[Objection]:
    """Give every fault of a listing, the gravest kind first."""
    title, description = _texts_of(given)
    whole = listing_of(given)
    words, language = words_of(whole), _language_of(whole)
    if word := forbidden_word(words, language):
        yield Objection(
            given.say("moderation.forbidden"),
            given.say("moderation.forbidden.edit", word=whole[word.start : word.end]),
            "Este artigo não pode ser vendido aqui.",
        )
    yield from _contacts(given, whole)
    if payment := payment_in(whole):
        yield Objection(
            given.say("moderation.payment"),
            given.say("moderation.payment.edit", words=payment[:60]),
            "Retire o pagamento fora do site do anúncio.",
        )
    if insult := insult_in(words, language):
        yield Objection(
            given.say("moderation.insult"),
            given.say("moderation.insult.edit", word=whole[insult.start : insult.end]),
            "Retire a linguagem imprópria.",
        )
    yield from _category_objections(given)
    if _is_foreign(whole):
        yield Objection(
            given.say("moderation.unread"),
            given.say("moderation.unread.edit"),
            "Escreva o anúncio em português, inglês, espanhol, francês ou alemão.",
        )
    yield from _empty(given, title, description)


def _texts_of(given: ParsedRequest) -> tuple[str | None, str | None]:
    """Return what is read of title and description."""
    title, description = (
        None if given.specific.get(name) is None else plain_beginning(given.specific[name], _MOST_LETTERS)
        for name in ("marketplace_posting_title", "marketplace_posting_description")
    )
    return title, description


def listing_of(given: ParsedRequest) -> str:
    """Return title and description as one text."""
    return "\n".join(each or "" for each in _texts_of(given))


def _language_of(text: str) -> Language | None:
    """Return the language of a text; of one with few words, which may have no small ones, that of the marketplace."""
    found = detect_language(text)
    return found or (LANGUAGES[0] if len(text.split()) < _FEWEST_WORDS else None)


def _is_foreign(text: str) -> bool:
    """Return whether most letters are none of those that the five languages write."""
    return 2 * len(_LATIN.findall(text)) < len(_LETTER.findall(text))


def _contacts(given: ParsedRequest, text: str) -> Iterator[Objection]:
    first: dict[str, str] = {}
    for each in contacts_in(text):
        first.setdefault(each.kind, text[each.start : each.end])
    for name, words in first.items():
        kind = given.say(f"contact.{name}")
        edit = given.say("moderation.contacts.edit", kind=kind, words=words[:60])
        message = f"Retire {SENTENCES[f'contact.{name}']['pt']} do anúncio."
        yield Objection(given.say("moderation.contacts"), edit, message)


def _category_objections(given: ParsedRequest) -> Iterator[Objection]:
    found = given.facts.get("text_category")
    if not found or given.facts.get("category_fits", True):
        return
    asked = without_markup(str(given.specific.get("category_name") or ""))
    yield Objection(
        given.say("moderation.category"),
        given.say("moderation.category.edit", asked=asked, found=found),
        "Escolha a categoria certa para o artigo.",
    )


def _empty(given: ParsedRequest, title: str | None, description: str | None) -> Iterator[Objection]:
    if description is not None and len(fold(description)) < _SHORTEST:
        yield Objection(
            given.say("moderation.short"),
            given.say("moderation.short.edit"),
            "Descreva o artigo e o seu estado em pelo menos uma frase.",
        )
    if title is not None and len(fold(title)) < _SHORTEST_TITLE:
        yield Objection(
            given.say("moderation.title"),
            given.say("moderation.title.edit"),
            "Escreva o nome do artigo no título.",
        )


ANSWERS: Answers = {"TextJudgement": judge_text}
