"""The language that a message changes a conversation to: one that it asks for, or is clearly written in."""

from server import patterns
from server.languages import SMALL_WORDS, Language, detect_language, fold

_NAMED: dict[str, Language] = {
    "english": "en",
    "ingles": "en",
    "portuguese": "pt",
    "portugues": "pt",
    "spanish": "es",
    "espanhol": "es",
    "french": "fr",
    "frances": "fr",
    "german": "de",
    "alemao": "de",
}
_WISH = patterns.compile(
    r"(?P<mark>(?:^|[,.;:!?–-])?)\s*(?P<verb>\b(?:(?:can|could) (?:we|you|u) |pode(?:mos|s|m)? |vamos )?"
    r"(?:speak|talk|write|answer|reply|continue|switch|falar?|fale|escrev[ae]r?|respond[ae]r?|continuar?|mudar?)\s+)?"
    r"(?P<lead>\b(?:in|to|em|para)\s+)?\b(?P<name>english|ingl[eê]s|portuguese|portugu[eê]s|spanish|espanhol|"
    r"french|franc[eê]s|german|alem[aã]o)\b(?P<please>[\s,]*(?:please|pls|plz|por favor|se faz favor|sff))?[\s.!?]*$",
    patterns.IGNORECASE,
)
"""A wish for a language, at the end of a message: `yes, english please`."""
_AGREEING = frozenset("yes yep yeah ok okay sure right sim s claro certo isso exato no nope nao".split())
_SEVERAL = 2
"""Words of another language that tell it in the middle of a conversation: one alone may be mistyped or a name."""
_MARKED = patterns.compile(r"[ãõñ¿¡ßç]|\b(?:é|à|às|há|já|está)\b")
"""Letters that make one word of another language as clear as two."""


def _wish_in(text: str) -> tuple[Language, str] | None:
    """Return the language that the end of a message asks for, and the words before that."""
    found = _WISH.search(text[-_LONGEST:])
    if found is None:
        return None
    before = text[: len(text) - len(found[0])].strip()
    is_alone = _AGREEING.issuperset(fold(before).split())
    is_wish = bool(found["please"] or found["lead"] or found["verb"])
    is_apart = bool(found["mark"] and found["please"])
    return (_NAMED[fold(found["name"])], before) if is_wish and (is_alone or is_apart) else None


_LONGEST = 100


def without_language_wish(text: str) -> str:
    """Return a message without the wish for a language behind other words; one that is nothing else is left whole."""
    found = _wish_in(text)
    return found[1] if found is not None and found[1] else text


def spoken_language(text: str, usual: Language, *, begins: bool = False) -> Language | None:
    """Return the language that a message is in, beside the `usual` one of the conversation; None where it is unclear.

    Another language counts where the message asks for it, `begins` the conversation, or has several words of it.
    """
    if (wish := _wish_in(text)) is not None:
        return wish[0]
    found = detect_language(text, usual)
    if found is None or found == usual or begins:
        return found
    words = set(fold(text).split())
    own = words & (SMALL_WORDS[found] - SMALL_WORDS[usual])
    usual_words = words & (SMALL_WORDS[usual] - SMALL_WORDS[found])
    is_marked = _MARKED.search(text.casefold()) is not None and len(words) > 1 and not usual_words
    return found if len(own) >= _SEVERAL or is_marked else None
