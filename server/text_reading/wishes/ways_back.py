"""The words by which a message goes back to an item of before, or changes it."""

from server import patterns
from server.languages import fold

_MOST_LETTERS = 400
_REFERENCE = patterns.compile(r"\blw[\s-]{0,2}(\d{1,9})\b", patterns.IGNORECASE)
_BACK = patterns.compile(
    r"\b(?:volt(?:ar|a|e|amos|emos|o)|regress(?:ar|a|e|o|amos)|reabr\w+|retom\w+|reopen|resume|(?:back|return) to)\b"
)
_CHANGE = patterns.compile(
    r"\b(?:mud(?:ar|a|e|em|o)|alter(?:ar|a|e|em|o)|corrig\w+|corrij\w+|edit(?:ar|a|e)?|atualiz(?:ar|a|e)|tir(?:ar|a|e)|"
    r"retir(?:ar|a|e)|apag(?:ar|a|ue)|acrescent(?:ar|a|e)|junt(?:ar|a|e)|baix(?:ar|a|e)|sub(?:ir|a|e)|poe|ponha|"
    r"change|fix|correct|update|remove|delete|take|add|lower|raise|reduce|drop|put|set|make|"
    r"(?:should|must) (?:be|say|cost)|dev(?:e|ia|eria) ser)\b|"
    r"\b(?:preco|price) (?:d[oa]|of)\b|\d (?:(?:eur|euros?|paus) )?(?:pel[oa]|for (?:the|my))\b|"
    r"\b(?:the|my) [a-z' ]{2,30}? (?:for|at) \d"
)
_HALT = patterns.compile(
    r"^\W*(?:(?:espere?|espera ai|esperem|wait|hold on|hang on|olh[ae]|look|ah|oh|ai|e|and|mas|but|so|ok|ups|oops|"
    r"ja agora|btw|by the way|desculp[ae]|sorry|a proposito|antes disso|before that|um momento|one sec)\b[\s,.!:]*)+"
)
"""Words before a wish that only make the other wait, in folded text."""
_CLAUSE = patterns.compile(r"[,.;!?]\s|\s(?:and|e|but|mas)\s", patterns.IGNORECASE)
_NEW = patterns.compile(
    r"\b(?:vend(?:er|o|a|emos)|sell(?:ing)?|another|outr[oa]s?|mais uma?|instead|em vez|(?:nova?|new) (?:venda|sale))\b"
)


def goes_back(text: str) -> bool:
    """Return whether a message wants to go back to something."""
    return _BACK.search(fold(text[:_MOST_LETTERS])) is not None


def wants_earlier(text: str) -> bool:
    """Return whether a message may want an item of before: it goes back, changes something, or has a reference."""
    folded = fold(text[:_MOST_LETTERS])
    if _BACK.search(folded):
        return True
    said = _HALT.sub("", folded)
    first = _CLAUSE.split(said)[0]  # Behind an answer it is told beside that.
    return (_CHANGE.search(first) is not None or bool(reference_in(text))) and not _NEW.search(folded)


def takes_back(text: str) -> bool:
    """Return whether a message takes something back and says nothing else: `hmm no wait`, `espera, não`, `wait that's
    wrong`. It answers no question.
    """
    if len(text) > _LONGEST_HALT or "?" in text:
        return False
    said = " ".join(_SIGNS.sub(" ", fold(text.replace("'", "").replace("’", ""))).split())
    return _TAKES_BACK.fullmatch(said) is not None


_LONGEST_HALT = 60
_SIGNS = patterns.compile(r"[^\w\s]+")
_STOP = (
    r"(?:wait|hang on|hold on|esper[ae](?: (?:ai|la|so))?|para(?: ai)?)"
    r"(?: (?:a (?:sec|second|minute|moment)|um (?:momento|bocado)))?"
)
_NO = r"(?:no|nope|nao|n)"
_TAKES_BACK = patterns.compile(
    rf"(?:(?:h+m+|u+h+m*|oh|ah|ai|ups|oops|sorry|desculp[ae]) )*(?:{_NO}(?: {_NO})* {_STOP}|{_STOP}(?: {_NO})+|"
    rf"{_STOP}(?: {_NO})? (?:thats|that is|its|it is|isso|isto|this is)(?: (?:e|esta|ta|foi|was))?(?: all| tudo)? "
    rf"(?:wrong|not (?:right|it|correct)|incorrect|mal|errad[oa]|um erro|a mistake|um engano|nao (?:esta|"
    rf"e) (?:certo|bem|isso))|"
    rf"{_STOP} (?:esta|ta) (?:mal|errad[oa]))(?: (?:sorry|desculp[ae]))*"
)


def reference_in(text: str) -> str:
    """Return the number of the reference that a message names, or nothing."""
    found = _REFERENCE.search(text[:_MOST_LETTERS])
    return found[1] if found else ""


def names_own(text: str, reference: str) -> bool:
    """Return whether a message asks for this item, by its reference or not, and changes nothing: `back to LW-12345`."""
    if _SHOWS.fullmatch(fold(text[:_MOST_LETTERS])):
        return True
    named = reference_in(text)
    return (
        bool(named) and reference.endswith(f"-{named}") and _CHANGE.search(fold(text[:_MOST_LETTERS])) is None
    )


def is_same_price(text: str, kept: str) -> bool:
    """Return whether the only figure of a message is that of the price that is kept: `I want 180 euros for it`."""
    figures, own = (_FIGURE.findall(each[:_MOST_LETTERS]) for each in (text, kept))
    return len(figures) == 1 and figures == own


_SHOWS = patterns.compile(
    r"\W*(?:(?:ok|please|por favor|can you|could you|can i|i want to|let me|podes?|pode|posso|quero|queria|e|and)\W+)*+"
    r"(?:show|see|view|look at|display|mostr(?:ar?|e|em)|ver|veja|abr(?:ir|e|a)|what(?:'?s| is)|qual e)\W+(?:me\W+)?"
    r"(?:(?:the|my|this|o|a|meu|minha|este|esta)\W+)*(?:item|ad|advert|listing|card|summary|artigo|anuncio|cartao|"
    r"resumo|ficha|reference|referencia)(?:\W+(?:again|please|now|outra vez|de novo|por favor|agora))*\W*"
)
_FIGURE = patterns.compile(r"\d+(?:[.,]\d+)*")
