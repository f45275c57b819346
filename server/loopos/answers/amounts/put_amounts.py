"""Amounts that are put as a price, whatever was asked: `make it 140 instead`, `I want 30 for the coffee machine`."""

from server import patterns
from server.languages import fold, is_wish, split_question
from server.loopos.answers.amounts.amounts_not_asked import OTHER_CURRENCY
from server.loopos.answers.amounts.asking_price import bare_price, tells_other_currency
from server.loopos.answers.refusals import Valid
from server.loopos.answers.words import MOST_LETTERS, tokens

_LEAD = (
    r"(?:(?:yes|yeah|yep|ok|okay|no|nah|well|so|and|but|oh|ah|actually|sorry|wait|please|also|hm+|i mean|"
    r"(?:can|could) (?:you|we|u)|sim|nao|e|mas|afinal|alias|desculpa|desculpe|espera|olha|pode|podes|ja agora|btw|"
    r"by the way|da(?:va)? (?:para|pra)) )*"
)
_AMOUNT = r"(?P<amount>\d{2,5})(?: ?(?:euros?|eur|paus|bucks))?"
_TAIL = (
    r"(?: (?:instead|actually|then|please|pls|sorry|ok|thanks|afinal|antes|entao|sff|por favor|obrigad[oa]|"
    r"negotiable|negociavel))*"
)
_VERBS = (
    r"(?:make|put|set|change|drop|lower|raise|bring|faz|faca|mete|meta|poe|ponha|muda|mude|altera|baixa|"
    r"baixe|sobe|suba|fica|fique|"
    r"meter|baixar|mudar|alterar|subir|colocar|(?:(?<=para )|(?<=pra ))por)"
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


def wished_amount(text: str) -> str:
    """Return the amount that a question at the end of a text asks to put as the price: `can you put it at 120?`."""
    asked = split_question(text)[1] if len(text) <= MOST_LETTERS else ""
    for part in (asked, *_JOINED.split(asked)) if is_wish(asked) else ():
        if (taken := _TAKEN.fullmatch(fold(part))) is not None:
            return taken["amount"]
        if (put := put_amount(_PUT.sub("meter", part))) is not None and put[1] <= _OF_PRICE:
            return put[0]
    return ""


_JOINED = patterns.compile(r"\s(?:e|and)\s", patterns.IGNORECASE)
_PUT = patterns.compile(
    r"(?<=\spodes )p[oô]r\b|(?<=\spode )p[oô]r\b|(?<=^podes )p[oô]r\b|(?<=^pode )p[oô]r\b",
    patterns.IGNORECASE,
)
_TAKEN = patterns.compile(
    rf"\s*{_LEAD}(?:take|ask(?: for)?|sell (?:it )?for|pedir|vender por) {_AMOUNT}(?: for it)?{_TAIL}[\s?.!]*"
)
_OF_PRICE = frozenset(("price", "preco", "valor"))


def changed_amount(text: str) -> str:
    """Return the amount that the last part of a text puts in place of a price: `both, actually make it 220`.

    A year is none.
    """
    found = _CHANGED.search(text[-MOST_LETTERS:])
    return "" if found is None else found["amount"]


_CHANGED = patterns.compile(
    r"(?:^|[,.;!?…\n]\s*|(?<=\s))(?:(?:and|but|e|mas|no|nah|ah|oh)\s)?(?:actually|afinal|ali[aá]s|on second thoughts?|"
    r"pensando melhor)[\s,]+(?:(?:just|let'?s|can you|could you|s[oó])\s)?"
    r"(?:make (?:it|that)|put(?: it)?(?: at)?|p[oõ]e|ponha|fa[zç]a?|mete|fica)\s(?:(?:a|em|os|por|at|for)\s)?€?"
    r"(?P<amount>(?!(?:19|20)\d\d\b)\d{2,5})(?:\s?(?:€|euros?|eur))?"
    r"(?:\s(?:then|instead|please|pls|ent[aã]o|antes|ono|obo))*[\s.!]*$",
    patterns.IGNORECASE,
)


def denied_price(text: str, language: str) -> Valid | None:
    """Return the amount that a text sets behind a no, as euro, where it names another currency apart from it.

    It is to be asked back, with what prices are in. None for any other text, and for an amount in that currency.
    """
    plain = fold(text) if len(text) <= MOST_LETTERS else ""
    if OTHER_CURRENCY.search(plain) is None or tells_other_currency(plain):
        return None
    found = _NO.match(_CURRENCY.sub(" ", plain))
    return None if found is None else bare_price(found["rest"], language)


_NO = patterns.compile(r"\s*(?:no|nope|nah|nao)\b[\s,.;:!]*(?P<rest>.*)", patterns.DOTALL)
_CURRENCY = patterns.compile(rf"(?:\b(?:in|em)\s)?(?:{OTHER_CURRENCY.pattern})")
