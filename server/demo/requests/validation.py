"""The demo model's judgement of a listing: contact data and forbidden things by rules, names by likeness."""

import re
from typing import Any

from rapidfuzz import fuzz, process, utils

from server.demo.requests.given import GivenRequest
from server.languages import fold

_CONTACT = (
    (re.compile(r"[\w.+-]+@[\w-]+\.\w{2,}"), ("um endereço de e-mail", "an e-mail address")),
    (
        re.compile(r"(?:https?://|www\.)\S+|\b\w+\.(?:com|pt|net|org)\b", re.IGNORECASE),
        ("uma ligação", "a link"),
    ),
    (
        re.compile(r"(?<!\d)(?:\+\d{1,3}[ .-]?)?(?:\d[ .-]?){8}\d(?!\d)"),
        ("um número de telefone", "a telephone number"),
    ),
    (re.compile(r"\bwhats?app\b|\btelegram\b|\binstagram\b", re.IGNORECASE), ("um contacto", "a contact")),
)
_FORBIDDEN = {
    "arma", "armas", "pistola", "municoes", "gun", "pistol", "weapon", "weapons", "ammunition", "droga",
    "drogas", "drugs", "cannabis", "cocaina", "medicamento", "medicamentos", "medicine", "tabaco", "tobacco",
    "replica", "contrafeito", "contrafeita", "counterfeit", "fake", "cachorro", "gatinho", "puppy", "kitten",
    "roubado", "roubada", "stolen",
}  # fmt: skip
_INSULTS = {"idiota", "idiot", "estupido", "stupid", "burro", "merda", "shit", "fuck", "caralho"}
_SHORTEST = 12
"""Characters of a description that says something."""

_ALIKE = 88
"""Of 100: from here on two names are one, misspelled."""


def judge_text(given: GivenRequest) -> dict[str, Any]:
    """Refuse what the rules name, and approve the rest."""
    known = given.specific
    title = str(known.get("marketplace_posting_title") or "")
    description = str(known.get("marketplace_posting_description") or "")
    faults = list(_faults(given, title, description))
    if not faults:
        return {
            "approved": True,
            "rejection_reason": None,
            "confidence_score": 0.9,
            "validation_notes": given.say(
                "Sem dados de contacto, linguagem imprópria nem artigos proibidos.",
                "No contact data, insults or forbidden things.",
            )
            + f" {given.label}",
            "required_modifications": [],
            "message_to_user": "O anúncio pode ser publicado.",
        }
    reason, edits, message = faults[0][0], [each[1] for each in faults], " ".join(each[2] for each in faults)
    return {
        "approved": False,
        "rejection_reason": reason,
        "confidence_score": 0.85,
        "validation_notes": f"{'; '.join(each[0] for each in faults)}. {given.label}",
        "required_modifications": edits,
        "message_to_user": message[:200],
    }


def _faults(given: GivenRequest, title: str, description: str) -> list[tuple[str, str, str]]:
    """Return reason, edit and message (in Portuguese) of each fault."""
    found: list[tuple[str, str, str]] = []
    whole, words = f"{title}\n{description}", set(fold(f"{title} {description}").split())
    for pattern, (pt, en) in _CONTACT:
        match = pattern.search(whole)
        if match:
            found.append((
                given.say("dados de contacto", "contact data"),
                given.say(f"Retire {pt}: «{match[0][:60]}»", f"Remove {en}: “{match[0][:60]}”"),
                f"Retire {pt} do anúncio.",
            ))  # fmt: skip
            break
    if forbidden := sorted(words & _FORBIDDEN):
        found.append((
            given.say("artigo proibido", "forbidden thing"),
            given.say(f"«{forbidden[0]}» não pode ser vendido aqui", f"“{forbidden[0]}” may not be sold here"),
            "Este artigo não pode ser vendido aqui.",
        ))  # fmt: skip
    if insults := sorted(words & _INSULTS):
        found.append((
            given.say("linguagem imprópria", "insult"),
            given.say(f"Retire «{insults[0]}»", f"Remove “{insults[0]}”"),
            "Retire a linguagem imprópria.",
        ))  # fmt: skip
    if (
        given.specific.get("marketplace_posting_description") is not None
        and len(description.strip()) < _SHORTEST
    ):
        found.append((
            given.say("descrição demasiado curta", "description too short"),
            given.say("Descreva o artigo e o seu estado", "Describe the item and its condition"),
            "Descreva o artigo e o seu estado em pelo menos uma frase.",
        ))  # fmt: skip
    if given.specific.get("marketplace_posting_title") is not None and not title.strip():
        found.append((
            given.say("título vazio", "empty title"),
            given.say("Escreva um título", "Write a title"),
            "Escreva um título para o anúncio.",
        ))  # fmt: skip
    return found


def judge_brand(given: GivenRequest) -> dict[str, Any]:
    """Find the brand in the list."""
    return _find(given, "brand")


def judge_product(given: GivenRequest) -> dict[str, Any]:
    """Find the product in the list."""
    return _find(given, "product")


def _find(given: GivenRequest, kind: str) -> dict[str, Any]:
    asked, listed = str(given.specific.get(f"{kind}_name", "")), given.facts.get(f"{kind}s") or []
    names = [str(each["name"]) for each in listed]
    ranked = process.extract(asked, names, scorer=fuzz.ratio, processor=utils.default_process, limit=1)
    same = [at for name, score, at in ranked if score >= _ALIKE and _digits(asked) == _digits(name)]
    found = listed[same[0]] if same else None
    return {
        f"new_{kind}": found is None,
        f"new_{kind}_name": None if found else " ".join(asked.split()),
        f"existing_{kind}_name": found["name"] if found else None,
        f"existing_{kind}_id": found["id"] if found else None,
    }


def _digits(name: str) -> list[str]:
    """Return the numbers of a name: an iPhone 12 is no iPhone 13."""
    return re.findall(r"\d+", name)
