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
_HASTE = (
    r"(?: (?:(?:just )?(?:for|as) an? (?:quick|fast) (?:sale|deal)|for quick sale|(?:just |and )?(?:to|"
    r"so (?:i|we) can) "
    r"(?:sell|shift|move|get rid of|be done with|get shot of)(?: (?:it|this|them))?(?: (?:fast|quick(?:ly)?|soon|today|"
    r"this week|asap|now))?|i (?:want|need) (?:it|this|them) (?:gone|sold|out)(?: (?:fast|quick(?:ly)?|"
    r"soon|today|asap))?|"
    r"(?:i )?(?:just )?(?:want|need)(?: to)? (?:a quick sale|sell(?: it| them)? (?:fast|quick(?:ly)?|soon|today))|"
    r"(?:que |porque |pq |ja que )?(?:eu )?(?:so )?(?:quero|preciso(?: de)?|queria) (?:mesmo |e )?"
    r"(?:vende(?:r|lo|la)|vender (?:isto|isso)|despach(?:ar|alo|ala)|despachar (?:isto|isso))"
    r"(?: (?:depressa|rapid[oa]|rapidamente|ja|hoje|logo|esta semana))?|"
    r"(?:para|pra|p|a ver se) (?:(?:se )?(?:vend[ae]r?|despach\w+|sair|ir|livrar me)|(?:uma )?venda)(?: (?:isto|isso|"
    r"dele|dela|disto|depressa|rapid[oa]|rapidamente|ja|hoje|logo|mais))*))"
)
_TERMS = rf"{_TAIL}{_HASTE}?{_TAIL}"
"""The words behind an amount, a reason to sell soon among them: `for a quick sale`."""
_VERBS = (
    r"(?:make|put|set|change|drop|lower|raise|bring|faz|faca|mete|meta|poe|ponha|muda|mude|altera|baixa|"
    r"baixe|sobe|suba|fica|fique|"
    r"meter|baixar|mudar|alterar|subir|colocar|(?:(?<=para )|(?<=pra ))por)"
)
_FORMS = (
    patterns.compile(
        rf"{_LEAD}{_VERBS} (?P<what>(?:[a-z]\w* ){{0,6}}?)"
        rf"(?:(?:to|at|for|por|para|pra|em|nos|os|down to|up to) )?{_AMOUNT}"
        rf"(?: (?:on|for) (?:it|this|that))?{_TERMS}"
    ),
    patterns.compile(
        rf"{_LEAD}(?:i want|i d like|id like|quero|peco|queria|asking|i m asking|im asking) {_AMOUNT}"
        rf"(?: (?:for|por|pelo|pela) (?P<what>(?:[a-z]\w* ?){{1,6}}?))?{_TERMS}"
    ),
    patterns.compile(
        rf"{_LEAD}(?P<what>(?:[a-z]\w* ){{1,6}}?)"
        r"(?:should be|has to be|is now|goes for|fica|devia ser|deve ser|passa a ser) "
        rf"(?:(?:for|por|a|em) )?{_AMOUNT}{_TERMS}"
    ),
    patterns.compile(
        rf"{_LEAD}(?:it |this |isso |ele |ela )?(?:(?:can|could) (?:be|go for)|i d (?:take|accept|be happy with)|i ll "
        r"(?:take|accept|do)|i can do|(?:im |i m |i am )?happy with|call it|let s say|lets say|"
        r"(?:pode[ms]?|podia) (?:ser|ir por|ficar (?:por|a|em))|aceito|contento me com|faco por|faco a|deixo por|"
        rf"vendo (?:por|a)) {_AMOUNT}{_TAIL}{_HASTE}{_TAIL}"
    ),
    patterns.compile(rf"{_LEAD}(?:(?:for|at|por|a) )?{_AMOUNT}{_TAIL}{_HASTE}{_TAIL}"),
    patterns.compile(
        rf"{_LEAD}{_AMOUNT} (?:(?:is|s|are|would be|e|ta|esta|estava|ja (?:e|esta))(?: (?:bom|bem|ok|okay|"
        rf"otimo|fine|good|"
        r"enough|alright|all right|great|perfect|justo))|works|will do|would do|d do|chega(?: me)?|serve(?: me)?) "
        rf"(?:for|by|with|para|pra|por) (?:me|mim){_TERMS}"
    ),
    patterns.compile(
        rf"{_LEAD}(?:por|para|pra) mim {_AMOUNT} (?:(?:e|ta|esta|estava)(?: (?:bom|bem|ok|otimo|justo))|"
        rf"chega(?: me)?|serve)"
        rf"{_TERMS}"
    ),
)
_ARTICLES = frozenset("it that isso isto o a os as the my meu minha this este esta do da de of".split())


def put_amount(text: str) -> tuple[str, frozenset[str]] | None:
    """Return the amount that a whole text puts as a price, and the words that name what for; None where it puts none.

    A text of more than MOST_LETTERS puts none, nor does one that names another currency.
    """
    if len(text) > MOST_LETTERS or tells_other_currency(text):
        return None
    said = " ".join(tokens(text.replace("€", " euros ").replace("'", " ")))
    found = next((found for each in _FORMS if (found := each.fullmatch(said))), None)
    what = (found.groupdict().get("what") or "").split() if found else []
    return None if found is None else (found["amount"], frozenset(what) - _ARTICLES)


def put_again(text: str) -> str:
    """Return the amount that all of a text puts in place of the price that was told: `afinal 130`, `quero antes 130`.

    It is none where no price is known, and a year is none.
    """
    if len(text) > MOST_LETTERS or tells_other_currency(text):
        return ""
    said = " ".join(tokens(text.replace("€", " euros ").replace("'", " ").replace("’", " ")))
    found = _AGAIN.fullmatch(said) if _TURNS.search(said) else None
    return "" if found is None or _YEAR.fullmatch(found["amount"]) else found["amount"]


_TURNS = patterns.compile(r"\b(?:afinal|alias|actually|instead|rather|antes|sorry|desculp[ae]|i mean)\b")
_YEAR = patterns.compile(r"(?:19|20)\d\d")
_AGAIN = patterns.compile(
    rf"{_LEAD}(?:(?:make it|i want|i d|id|i ll|i would|rather|prefer|have|ask|get|say|go for|it s|its|is|peco|quero|"
    rf"queria|prefiro|sao|e|fica|ficam|antes|afinal|alias|so|just|por|os|for|entao) )*{_AMOUNT}{_TERMS}"
)


def put_behind(text: str) -> tuple[str, str] | None:
    """Return a text without its last sentence or clause, and the amount that this one puts as the price; else None:
    `all good. lower it to 120`, `caixa e carregador, por mim 140 está bom`.
    """
    ends = list(_ENDS.finditer(text)) if len(text) <= MOST_LETTERS else []
    for border in ends:
        put = put_amount(text[border.end() :])
        if put is not None and put[1] <= _OF_PRICE and text[: border.start()].strip():
            return text[: border.start()].strip(), put[0]
    return None


_ENDS = patterns.compile(r"[.;!\n,]\s+")


def sells_soon(text: str) -> bool:
    """Return whether a text gives a reason to sell soon, or what suits its seller: its amount is a price then."""
    said = " ".join(tokens(text[:MOST_LETTERS].replace("'", " ")))
    return _REASON.search(said) is not None


_REASON = patterns.compile(
    rf"(?<=\d){_HASTE}|\d (?:euros? )?(?:[a-z]+ ){{1,3}}(?:for|by|with|para|pra|por) (?:me|mim)\b|\bpor mim\b"
)


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
