"""Kinds of things that the catalog does not have, and whose names are like those of what it has."""

import unicodedata

from server import patterns

_MOST_LETTERS = 400
_OTHER_KINDS = patterns.compile(
    r"\b(?:relogios? (?:\w+ )?(?:de )?(?:parede|sala|bolso|cuco|pe|corda|sol)|despertador|(?:wall|alarm|pocket|cuckoo|"
    r"mantel|grandfather|desk) (?:clock|watch)|clock|gaming pc|pc (?:de )?(?:gaming|jogos|secretaria)|desktop|"
    r"computador (?:fixo|de secretaria|de mesa|secretaria)|torre (?:gaming|pc)|mesa (?:de )?(?:jantar|cozinha)|"
    r"dining table|kitchen table|cadeira (?:de )?(?:escritorio|jantar|cozinha|secretaria)|(?:office|desk|dining) chair|"
    r"maquina (?:de )?(?:lavar|costura|secar)|washing machine|sewing machine|drones?|(?:paddle|surf|wake|snow)"
    r" ?boards?|pranchas?(?: de \w+)?|(?:cordless |hammer )?drills?|berbequi(?:m|ns)|aparafusador[ae]s?|taladro|"
    r"perceuse|bohrmaschine|lawn ?mowers?|corta ?relvas?|"
    r"(?:bicicletas?|bikes?|binas?) (?:de |para |for |p/ ?)?(?:criancas?|kids?|children|miudos?|menin[oa]s?|toddlers?)|"
    r"(?:kid'?s?|child(?:ren)?'?s?|toddler'?s?|balance) (?:\w+ )?bi(?:ke|cycle)s?|tricycles?|triciclos?|"
    r"(?:bicicletas?|bikes?) el[e]c?tricas?|e-?bikes?|electric (?:bi(?:ke|cycle)s?|mountain bikes?)|"
    r"telescop\w+|impressoras?|printers?|capacetes?|helmets?|torradeiras?|toasters?|slow cookers?)\b"
)
"""Kinds that the catalog does not have and whose names are like those of kinds that it has."""


_LENS = patterns.compile(
    r"^(?!.*\b(?:camera(?! lens)|maquina|corpo|body|kit|[a-z]{1,5}\d{2,}|\d{3,}d)\b)"
    r"(?=.*(?:\bf ?/ ?\d|(?<![\d-])\b\d{2,3} ?mm\b))"
    r".*\b(?P<lens>lens|lente|objetiva)\b"
)
"""A lens by itself, beside no model, with its one focal length or its aperture."""
_OTHER_PIECES = patterns.compile(
    r"^(?!.*\b(?:sofas?|couch|comoda|chest|dresser|armchair|poltrona)\b).*?\b(?P<piece>foot ?stool|ottoman|pouff?e?|"
    r"pufe?|puff|repousa ?pes|(?:bedside|night) ?(?:tables?|stand)|mes(?:a|inha) (?:de )?cabeceira)\b"
)
"""Things of the family of a product that are none themselves: `Ektorp footstool`."""


def other_piece(text: str) -> str:
    """Return the words for a thing that belongs to products of the catalog and is none of them, or nothing."""
    found = _OTHER_PIECES.match(_fold(text))
    return found["piece"] if found else ""


def other_kind(text: str) -> str:
    """Return the words of a text for a kind that no product of the catalog is of, such as a wall clock, or nothing."""
    folded = _fold(text)
    if lens := _LENS.match(folded):
        return str(lens["lens"])
    found = _OTHER_KINDS.search(folded)
    return found[0] if found else ""


def is_other_kind(text: str) -> bool:
    """Return whether a text names a kind that no product of the catalog is of."""
    return bool(other_kind(text))


def _fold(text: str) -> str:
    """Return the beginning of a text in one line of small letters without accents, and with its marks."""
    plain = unicodedata.normalize("NFKD", text[:_MOST_LETTERS].casefold())
    return "".join(each for each in plain if not unicodedata.combining(each)).replace("\n", " ")


def has_settings(category: str) -> bool:
    """Return whether things of a category, by its name, show their model in their settings: phones, not furniture."""
    return _WITH_SETTINGS.search(category) is not None


_WITH_SETTINGS = patterns.compile(
    r"\b(?:telem|smartphone|phone|tablet|leitor|e-reader|port[aá]te|laptop|consola|(?:game )?console|rel[oó]gio|watch)",
    patterns.IGNORECASE,
)
