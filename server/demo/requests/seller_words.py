"""A seller's words as a listing may repeat them: without contact data, what leads to it, and insults."""

from dataclasses import dataclass

from server import patterns
from server.demo.requests.clauses import words_of
from server.demo.requests.contacts import contacts_in
from server.demo.requests.refused_words import insult_in
from server.languages import detect_language

_END = patterns.compile(r"[.!?;]+(?:\s+|$)|,\s+|\s*\n\s*")
_LEADING = frozenset(
    """call text mail email write whatsapp phone contact message sms ring reach ligue ligar liga contacte
    contactar contacto contato telefone telemovel tel telef envie mande mandar mensagem escreva llame llamar
    llama escribe escribir correo contacta telefono movil mensaje appelez appeler appelle ecrivez ecrire
    contactez contacter joindre joignable telephone anrufen ruf rufen schreib schreiben kontakt kontaktieren
    melden melde telefon handy erreichbar nachricht at on to by via me my us in or and for if interested
    please pls under the em no na para o a os as e ou se por favor meu minha pelo al en mi el la y si au sur
    par le moi mon ma et svp an unter auf per mich mir oder und bitte bei meine ao sie ihr dich usted vous
    insta ig whatsapp""".split()
)
"""Words before an address or a number that say nothing without it."""
_FEWEST = 2
"""Words that are left before a contact, at least."""


@dataclass(frozen=True, slots=True)
class SellerWords:
    """What is left of a seller's words, and what was taken out."""

    text: str
    had_contacts: bool
    had_insults: bool


def publishable(text: str) -> SellerWords:
    """Return a text without the parts of its sentences that lead away or insult: no holes are left in a sentence."""
    language = detect_language(text)
    spans = [(each.start, each.end) for each in contacts_in(text)]
    kept = ""
    had_insults = False
    for start, end, mark in _parts(text, spans):
        part = text[start:end]
        if insult_in(words_of(part), language):
            had_insults = True
            continue
        first = min((begin for begin, until in spans if begin < end and until > start), default=None)
        if first is not None:
            part = _without_lead(text[start : max(first, start)])
        if part.strip():
            kept += part + (mark if first is None or "," not in mark else ", ")
    return SellerWords(" ".join(kept.rstrip(" ,;").split()), bool(spans), had_insults)


def _parts(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """Return where the parts of a text begin and end, and the mark behind each; one within a contact parts nothing."""
    parts, start = [], 0
    for mark in _END.finditer(text):
        if any(begin <= mark.start() < until - 1 for begin, until in spans):
            continue
        parts.append((start, mark.start(), mark[0]))
        start = mark.end()
    return [*parts, (start, len(text), "")]


def _without_lead(part: str) -> str:
    """Return what stands before a contact without the words that lead to it; nothing where too little is left."""
    words = words_of(part)
    while words and words[-1].folded in _LEADING:
        words.pop()
    return part[: words[-1].end] if len(words) >= _FEWEST else ""
