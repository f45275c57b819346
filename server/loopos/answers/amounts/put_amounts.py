"""Amounts that are put as a price, whatever was asked: `make it 140 instead`, `I want 30 for the coffee machine`."""

from server import patterns
from server.loopos.answers.words import MOST_LETTERS, tokens

_LEAD = (
    r"(?:(?:yes|yeah|yep|ok|okay|no|nah|well|so|and|but|oh|ah|actually|sorry|wait|please|also|hm+|i mean|"
    r"(?:can|could) (?:you|we|u)|sim|nao|e|mas|afinal|alias|desculpa|desculpe|espera|olha|pode|podes|ja agora|btw) )*"
)
_AMOUNT = r"(?P<amount>\d{2,5})(?: ?(?:euros?|eur|paus|bucks))?"
_TAIL = (
    r"(?: (?:instead|actually|then|please|pls|sorry|ok|thanks|afinal|antes|entao|sff|por favor|obrigad[oa]|"
    r"negotiable|negociavel))*"
)
_VERBS = (
    r"(?:make|put|set|change|drop|lower|raise|bring|faz|faca|mete|meta|poe|ponha|muda|mude|altera|baixa|"
    r"baixe|sobe|suba|fica|fique)"
)
_FORMS = (
    patterns.compile(
        rf"{_LEAD}{_VERBS} (?P<what>(?:[a-z]\w* ){{0,6}}?)"
        rf"(?:(?:to|at|for|por|para|pra|em|nos|os|down to|up to) )?{_AMOUNT}"
        rf"(?: (?:on|for) (?:it|this|that))?{_TAIL}"
    ),
    patterns.compile(
        rf"{_LEAD}(?:i want|i d like|id like|quero|peco|queria|asking|i m asking|im asking) {_AMOUNT}"
        rf"(?: (?:for|por|pelo|pela) (?P<what>(?:[a-z]\w* ?){{1,6}}?))?{_TAIL}"
    ),
    patterns.compile(
        rf"{_LEAD}(?P<what>(?:[a-z]\w* ){{1,6}}?)"
        r"(?:should be|has to be|is now|goes for|fica|devia ser|deve ser|passa a ser) "
        rf"(?:(?:for|por|a|em) )?{_AMOUNT}{_TAIL}"
    ),
)
_ARTICLES = frozenset("it that isso isto o a os as the my meu minha this este esta do da de of".split())


def put_amount(text: str) -> tuple[str, frozenset[str]] | None:
    """Return the amount that a whole text puts as a price, and the words that name what for; None where it puts none.

    A text of more than MOST_LETTERS puts none.
    """
    if len(text) > MOST_LETTERS:
        return None
    said = " ".join(tokens(text.replace("€", " euros ").replace("'", " ")))
    found = next((found for each in _FORMS if (found := each.fullmatch(said))), None)
    return None if found is None else (found["amount"], frozenset((found["what"] or "").split()) - _ARTICLES)
