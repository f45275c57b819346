"""Words of things that may not be sold and of insults, in the five languages, and where a text has one of them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from server import patterns
from server.demo.requests.clauses import Word

_LISTS: Mapping[str, Mapping[str, list[str]]] = json.loads(
    Path(__file__).with_name("refused_words.json").read_bytes()
)
"""By kind: words that count in every text (`any`), and those that are others in another language."""
_TOOLS = patterns.compile(
    r"\b(?:pistola|arma)s? (?:de |a |para )?(?:\w+ )?(?:cola|silicone|pintura|pintar|agua|ar|agrafos|lavagem|massagem"
    r"|brincar|brinquedo|calor|etiquetas|nerf|lubrificacao|silicona|aire|grapas|clavos|masaje|juguete)\b"
    r"|\b(?:glue|heat|nerf|massage|spray|paint|water|toy|staple|nail|caulking|grease|label) (?:gun|pistol)s?\b"
    r"|\b(?:pistolet|arme)s? (?:a |de |en )?(?:colle|peinture|eau|air|massage|chaleur|lavage|billes|jouet|agrafes)\b"
    r"|\b(?:fake|imitation) (?:leather|fur|plants?|flowers?|grass)\b|\bmedicine ball\b|"
    r"\bweed (?:trimmer|killer|whacker|wacker|eater|remover|puller|control|barrier|membrane|burner)s?\b"
    r"|\bweeds\b|\bimitacao de (?:couro|pele)\b"
)
"""What is named like a weapon or a counterfeit, and is none."""
_FOR = frozenset(
    "para for nao not sem no nem never sobre anti porta sin contra pour pas sans contre fur gegen nicht kein keine ohne"
    " keinen".split()
)
"""Before a forbidden thing: the listing is of something for it, or denies it."""
_WORKS = frozenset(
    "livro livros book books dvd filme jogo game poster manual banda libro pelicula juego livre film jeu affiche buch"
    " spiel plakat".split()
)
"""A listing that begins so is of a work, whatever that is about."""
_NEAR = 3


def forbidden_word(words: Sequence[Word], language: str | None) -> Word | None:
    """Return the word of a thing that may not be sold; `language` is that of the text, if it is known."""
    if words and words[0].folded in _WORKS:
        return None
    plain = _TOOLS.sub(" ", " ".join(each.folded for each in words)).split()
    refused = _words("forbidden", language)
    for at, word in enumerate(plain):
        if {word, _singular(word)} & refused and not _FOR & set(plain[max(at - _NEAR, 0) : at]):
            return next(each for each in words if each.folded == word)
    return None


def insult_in(words: Sequence[Word], language: str | None) -> Word | None:
    """Return the first insulting word; `language` is that of the text, if it is known."""
    refused = _words("insults", language)
    return next((each for each in words if _singular(each.folded) in refused), None)


def _words(kind: str, language: str | None) -> frozenset[str]:
    return frozenset(_LISTS[kind]["any"]).union(_LISTS[kind].get(language or "", ()))


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > len("gas") else word
