"""The demo model's judgement of a listing's words: contacts, insults, forbidden things, and texts without content."""

from collections.abc import Iterator
from dataclasses import dataclass

from server import patterns
from server.demo.requests.clauses import Word, plain_beginning, words_of
from server.demo.requests.parsed_request import Answer, Answers, ParsedRequest
from server.languages import fold
from server.markup_removal import without_markup

_CONTACTS = (
    (
        patterns.compile(r"[\w.+-]{1,64}\s?@\s?[\w-]{1,64}(?:\.[\w-]{2,64})+"),
        ("um endereço de e-mail", "an e-mail address"),
    ),
    (
        patterns.compile(
            r"(?:https?://|www\.)\S+"
            r"|\b[\w-]{2,64}\.(?:pt|net|org|eu|io|es|br|com\.br)(?:/\S*|\b(?![\w.]))"
            r"|\b[\w-]{2,64}\.com(?:/\S*|(?=\s*(?:$|[,;:!?)\n.])))",
            patterns.IGNORECASE,
        ),
        ("uma ligação", "a link"),
    ),
    (patterns.compile(r"(?<!\d)\d{14,17}(?!\d)"), ("um número de série", "a serial number")),
    (
        patterns.compile(
            r"(?<![\d.,])(?:\+\d{1,3}|00\d{2,3})[ .-]?(?:\d[ .-]?){7,11}\d(?!\d)"
            r"|(?<![\d.,])[2369](?:[ .-]?\d){8}(?!\d|,\d)"
        ),
        ("um número de telefone", "a telephone number"),
    ),
    (
        patterns.compile(r"\b(?:whats?app|telegram|instagram|messenger|facebook)\b", patterns.IGNORECASE),
        ("um contacto fora do site", "a contact outside this site"),
    ),
)
"""A full stop without a blank before `com`, the Portuguese word for with, makes no link."""

_FORBIDDEN = frozenset(
    """arma pistola revolver espingarda municao municoes gun pistol rifle shotgun weapon firearm ammunition explosivo
    droga drug cannabis cocaina cocaine haxixe marijuana medicamento antibiotico medicine medication antibiotic
    tabaco cigarro tobacco cigarette replica contrafeito contrafeita contrafaccao contrafacao falsificado falsificada
    counterfeit fake imitacao cachorro cachorrinho gatinho ninhada puppy puppie kitten roubado roubada stolen""".split()
)
_TOOLS = patterns.compile(
    r"\b(?:pistola|arma)s? (?:de |a |para )?(?:\w+ )?(?:cola|silicone|pintura|pintar|agua|ar|agrafos|lavagem|massagem"
    r"|brincar|brinquedo|calor|etiquetas|nerf|lubrificacao)\b"
    r"|\b(?:glue|heat|nerf|massage|spray|paint|water|toy|staple|nail|caulking|grease|label) (?:gun|pistol)s?\b"
    r"|\b(?:fake|imitation) (?:leather|fur|plants?|flowers?|grass)\b|\bmedicine ball\b|\bimitacao de (?:couro|pele)\b"
)
"""What is named like a weapon or a counterfeit, and is none."""
_FOR = frozenset("para for nao not sem no nem never sobre anti porta".split())
"""Before a forbidden thing: the listing is of something for it, or denies it."""
_WORKS = frozenset("livro livros book books dvd filme jogo game poster manual banda".split())
"""A listing that begins so is of a work, whatever that is about."""
_NEAR = 3
_INSULTS = frozenset(
    """idiota idiot estupido estupida stupid imbecil imbeci otario otaria cabrao cabroe merda shit fuck fucking caralho
    asshole bastard puta palhaco palhaca""".split()
)
_MOST_LETTERS = 8_000
"""Letters that are judged: a whole description."""
_SHORTEST, _SHORTEST_TITLE = 12, 3
"""Letters of a description and of a title that say something."""
MOST_MESSAGE = 200


@dataclass(frozen=True, slots=True)
class Objection:
    """A reason against a listing, the edit that mends it, and the sentence for the seller, in Portuguese."""

    reason: str
    edit: str
    message: str


def judge_text(given: ParsedRequest) -> Answer:
    """Refuse what the rules name, and approve the rest."""
    faults = list(faults_of(given))
    if not faults:
        notes = given.say(
            "Sem dados de contacto, linguagem imprópria nem artigos proibidos.",
            "No contact data, insults or forbidden things.",
        )
        return {
            "approved": True,
            "rejection_reason": None,
            "confidence_score": 0.9,
            "validation_notes": f"{notes} {given.label}",
            "required_modifications": [],
            "message_to_user": "O anúncio pode ser publicado.",
        }
    reasons = dict.fromkeys(each.reason for each in faults)
    return {
        "approved": False,
        "rejection_reason": faults[0].reason,
        "confidence_score": 0.85,
        "validation_notes": f"{'; '.join(reasons)}. {given.label}",
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
    known = given.specific
    title, description = (
        None if known.get(name) is None else plain_beginning(known[name], _MOST_LETTERS)
        for name in ("marketplace_posting_title", "marketplace_posting_description")
    )
    whole = f"{title or ''}\n{description or ''}"
    words = words_of(whole)
    yield from _forbidden(given, words)
    yield from _contacts(given, whole)
    yield from _insults(given, whole, words)
    yield from _category_objections(given)
    yield from _empty(given, title, description)


def _contacts(given: ParsedRequest, text: str) -> Iterator[Objection]:
    for pattern, (pt, en) in _CONTACTS:
        if match := pattern.search(text):
            edit = given.say(f"Retire {pt}: «{match[0][:60]}»", f"Remove {en}: “{match[0][:60]}”")
            yield Objection(given.say("dados de contacto", "contact data"), edit, f"Retire {pt} do anúncio.")
            text = pattern.sub(" ", text)


def without_contacts(text: str) -> str:
    """Return a text without the addresses and numbers that lead away."""
    for pattern, _ in _CONTACTS:
        text = pattern.sub("", text)
    return " ".join(text.split())


def _forbidden(given: ParsedRequest, named: list[Word]) -> Iterator[Objection]:
    if named and named[0].folded in _WORKS:
        return
    words = _TOOLS.sub(" ", " ".join(each.folded for each in named)).split()
    for at, word in enumerate(words):
        if _singular(word) in _FORBIDDEN and not _FOR & set(words[max(at - _NEAR, 0) : at]):
            yield Objection(
                given.say("artigo proibido", "forbidden thing"),
                given.say(f"«{word}» não pode ser vendido aqui", f"“{word}” may not be sold here"),
                "Este artigo não pode ser vendido aqui.",
            )
            return


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > len("gas") else word


def _insults(given: ParsedRequest, text: str, words: list[Word]) -> Iterator[Objection]:
    found = next((each for each in words if _singular(each.folded) in _INSULTS), None)
    if found:
        word = text[found.start : found.end]
        yield Objection(
            given.say("linguagem imprópria", "insult"),
            given.say(f"Retire «{word}»", f"Remove “{word}”"),
            "Retire a linguagem imprópria.",
        )


def _category_objections(given: ParsedRequest) -> Iterator[Objection]:
    found = given.facts.get("text_category")
    if not found or given.facts.get("category_fits", True):
        return
    asked = without_markup(str(given.specific.get("category_name") or ""))
    yield Objection(
        given.say("categoria errada", "wrong category"),
        given.say(
            f"Mude a categoria de «{asked}» para «{found}»", f"Change the category “{asked}” to “{found}”"
        ),
        "Escolha a categoria certa para o artigo.",
    )


def _empty(given: ParsedRequest, title: str | None, description: str | None) -> Iterator[Objection]:
    if description is not None and len(fold(description)) < _SHORTEST:
        yield Objection(
            given.say("descrição demasiado curta", "description too short"),
            given.say("Descreva o artigo e o seu estado", "Describe the item and its condition"),
            "Descreva o artigo e o seu estado em pelo menos uma frase.",
        )
    if title is not None and len(fold(title)) < _SHORTEST_TITLE:
        yield Objection(
            given.say("título demasiado curto", "title too short"),
            given.say("Escreva o nome do artigo no título", "Write the item's name as the title"),
            "Escreva o nome do artigo no título.",
        )


ANSWERS: Answers = {"TextJudgement": judge_text}
