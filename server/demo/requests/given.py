"""A request as the demo model reads it, and the words that its answers share."""

import re
from dataclasses import dataclass
from typing import Any

from server.languages import Language, fold, nearest_language

GRADES: dict[str, tuple[str, ...]] = {
    "D": (
        "partido", "partida", "rachado", "rachada", "nao liga", "nao funciona", "avariado", "avariada", "para pecas",
        "defeito", "defeitos", "broken", "cracked", "does not work", "doesn't work", "not working", "faulty",
        "for parts", "dead", "poor", "mau", "muito gasto", "heavily worn",
    ),
    "C": (
        "razoavel", "marcas visiveis", "riscos visiveis", "muitos riscos", "mossas", "mossa", "desgaste", "usado",
        "gasto", "fair", "visible marks", "visible scratches", "dents", "dent", "worn", "stain", "mancha", "manchas",
    ),
    "A": (
        "como novo", "como nova", "novo", "nova", "selado", "selada", "excelente", "impecavel", "sem marcas",
        "sem riscos", "like new", "brand new", "sealed", "unused", "excellent", "mint", "flawless", "no scratches",
    ),
    "B": (
        "bom estado", "bom", "boa", "marcas leves", "pequenos riscos", "ligeiros riscos", "light scratches",
        "light marks", "good", "small scratches", "minor", "tudo funciona", "works well", "everything works",
    ),
}  # fmt: skip
"""Words that say a condition. The worse one wins: a seller who names a fault means it."""

_ORDER = ("D", "C", "B", "A")
_NEGATED = re.compile(r"\b(?:sem|nao tem|no|without|not|nunca|never)\s+(?:\w+\s+){0,2}$")


@dataclass(frozen=True)
class GivenRequest:
    """What was asked, what is known besides, and how many pictures came."""

    request: dict[str, Any]
    facts: dict[str, Any]
    pictures: int

    @property
    def language(self) -> Language:
        """The language of the answer."""
        return nearest_language(self.request.get("language"))

    @property
    def specific(self) -> dict[str, Any]:
        """The fields of the service."""
        found = self.request.get("agent_specific")
        return found if isinstance(found, dict) else {}

    def say(self, pt: str, en: str) -> str:
        """Choose the sentence of the language."""
        return pt if self.language == "pt" else en

    @property
    def label(self) -> str:
        """The sentence that says who answers."""
        return self.say(
            "Resposta do modelo de demonstração, por regras simples.",
            "Answer of the demo model, by simple rules.",
        )


def grade_of(text: str) -> str | None:
    """Return the condition that a text says, None where it says none."""
    words = f" {fold(text)} "
    for grade in _ORDER:
        for phrase in sorted(GRADES[grade], key=len, reverse=True):
            at = words.find(f" {phrase} ")
            if at >= 0 and not _NEGATED.search(words[: at + 1]):
                return grade
    return None
