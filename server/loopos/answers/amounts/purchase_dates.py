"""The clauses of a message that tell when its item was bought, before that is asked."""

from __future__ import annotations

from dataclasses import dataclass

from server import patterns
from server.loopos.answers.amounts.corrected_amounts import NOT_IN_NUMBER
from server.loopos.answers.amounts.dates import ANY_MONTH
from server.loopos.answers.words import MOST_LETTERS, fold

_BORDERS = patterns.compile(r"(?<!\d)[,.]|[,.](?!\d)|[;:!?\n()]|\b(?:e|and|mas|but|que)\b")
_YEAR = r"(?:19|20)\d\d"
_BUYS = patterns.compile(
    r"\b(?:comprei|comprad[oa]s?|compr[aá]mo(?:s|-?l[oa]s?)|comprou|adquiri\w*|custou|custaram|"
    r"paguei|(?:dei|gave|spent|gastei)(?= €?\d)|bought|purchased|paid|"
    r"b(?:r?ou(?:g?h?t|gh|gth|gt)|aught)(?= (?:it|them|this|these)\b)|co[nm]pr(?:ei|ie)|"
    r"cost(?: me| us)?|(?:got|had|owned) (?:it|them|this|these|mine|ours|one|her|him)|"
    r"(?:tenho|temos)(?:-?[oa]s?| comigo)? (?:desde|ha)|(?:had|have|owned|used) (?:(?:it|this|them) )?(?:since|from))\b"
)
_GIFT = patterns.compile(r"\b(?:ofereceram\w*|oferecid[oa]s?|ganhei|prenda|presente|gift|present|given to)\b")
_IT_WAS = patterns.compile(r"\b(?:foi|it was|was)\s")
_OF_YEAR = patterns.compile(
    rf"\b(?:de|do ano|from|dates? (?:from|of))\s(?:(?:{ANY_MONTH})\s(?:de\s)?)?{_YEAR}\b"
)
_AGE = patterns.compile(
    r"\b(?:\d{1,2}|one|two|three|four|five|six) (?:years?|yrs?|months?|mths?) old\b|"
    r"tem (?:(?:uns|cerca de|quase|so) )*(?:\d{1,2}|um|dois|tres|quatro|cinco|seis) (?:anos?|mes(?:es)?)\b"
)
_USED = patterns.compile(rf"\b(?:uso|usad[oa]|usamos|used)\b(?:\s\w+)?\s(?:desde|since)\s.*{_YEAR}\b")
_OTHER_EVENTS = patterns.compile(
    r"\b(?:garantia|warrant\w+|guarantee\w*|trocad\w+|troquei|troca(?:ram|mos)?|pintad\w+|pintei|substitu\w+|repar\w+|"
    r"arranj\w+|replac\w+|repaint\w*|paint\w+|repair\w*|fix\w+|chang\w+|servic\w+|clean\w+|limp\w+|descal\w+|parad\w+|"
    r"revis\w+|revisao|upgrad\w+|updat\w+|atualiz\w+)\b"
    r"|\bcompr\w+\s(?:um|uma|uns|umas|outr[oa]s?)\s(?!ano)|\b(?:bought|purchased|got)\s(?:an?|another)\s(?!year)"
    r"|\b(?:compr\w+|bought|purchased|got)\s(?:"
    rf"(?:new|nov[oa]s?)\s(?!\d|(?:{ANY_MONTH})\b|in\b|from\b|at\b|on\b|for\b|em\b|n[ao]\b|ha\b|por\b)|"
    r"(?:[oa]s?\s)?(?!isto\b|est[ae]\b|el[ae]\b|tudo\b)\w+\snov[oa]s?\b)"
)
"""Words of a clause whose time is that of another event, or of a part that was bought later."""
_NO_PURCHASE = patterns.compile(
    r"\b(?:model\w*|vers\w+|edic\w+|edition|gera\w+|gen|nasc\w+|born|filh\w+|son|daughter|kids?|jogos?|games?|fatura|"
    r"ate|until|till|usei|last used)\b"
)
"""Words of a clause without a verb of buying whose year is none of a purchase."""
_TIME = patterns.compile(
    rf"\d|\b(?:{ANY_MONTH}|an(?:o|os|itos?|inhos?)|years?|yrs?|mes|meses|months?|weeks?|semanas?|natal|christmas|xmas|"
    r"pascoa|easter|ontem|yesterday|hoje|today|verao|summer|inverno|winter|primavera|spring|outono|autumn|fall)\b"
)
"""Words of a time, of which a clause has one that tells when something was."""
_MONTH_BEHIND = patterns.compile(
    rf"(?:(?:in|em|around|about|por volta de|mais ou menos em)\s)?(?P<month>{ANY_MONTH})"
)
_OWN_YEAR = patterns.compile(rf"\b{_YEAR}\b")
_CORRECTION = (
    r"nao|no|sorry|desculp[ae]|i mean[t]?|afinal|actually|alias|correction|enganei me(?: no ano)?|my mistake"
)
_PUT_RIGHT = patterns.compile(
    rf"(?=.*\b(?:{_CORRECTION})\b)"
    rf"(?:(?:oh|ah|ok|wait|espera|it was|its|is|was|foi|era|e|em|in|que|quero dizer|{_CORRECTION})[\s,.:;!-]++)++"
    rf"(?P<year>{_YEAR})(?:[\s,.!]++(?:actually|afinal|sorry|desculp[ae]|instead))?[\s.!]*+"
    rf"|.*\b(?:not|nao|isnt|wasnt)\s(?:(?:em|in|foi|e|de|from)\s)*+(?P<old>{_YEAR})[\s,.;]++"
    rf"(?:(?:but|mas|e|foi|it was|its|em|in|sim)\s)*+(?P<year>{_YEAR})\b.*"
    rf"|.*?\b(?P<year>{_YEAR})[\s,.;]++(?:(?:e|and)\s)?(?:not|nao)\s(?:(?:em|in|foi|de|from)\s)*+(?P<old>{_YEAR})\b.*"
)
SURE, LIKELY = 2, 1
_MOST_CLAUSES = 30


@dataclass(frozen=True)
class ToldPurchase:
    """A clause that tells when the item was bought: a SURE one says so, a LIKELY one has a year of the item."""

    clause: str
    rank: int
    is_bare: bool = False
    """Whether the clause counts only where it is a date and nothing else."""


def year_put_right(message: str) -> tuple[str, str] | None:
    """Return the year that a message says in place of another one, and that one, empty where it names none."""
    found = _PUT_RIGHT.fullmatch(" ".join(fold(message)[:MOST_LETTERS].split()))
    return None if found is None else (found["year"], found["old"] or "")


def told_purchases(message: str) -> list[ToldPurchase]:
    """Return the clauses of a message that may tell when its item was bought, in their order."""
    found, leads = list[ToldPurchase](), False
    parts = _BORDERS.split(fold(message)[:MOST_LETTERS])[:_MOST_CLAUSES]
    for part in filter(None, (" ".join(each.split()) for each in parts)):
        buys = _BUYS.search(part) is not None
        dated = next((each for each in reversed(found) if any(map(str.isdigit, each.clause))), None)
        month, year = _MONTH_BEHIND.fullmatch(part), _OWN_YEAR.search(dated.clause if dated else "")
        if dated and month and year and dated.rank == SURE:  # `it was 2020 that we bought it, in June`
            found.append(ToldPurchase(f"{month['month']} {year[0]}", SURE, is_bare=True))
        if _OTHER_EVENTS.search(part):
            leads = False
        elif not _TIME.search(part):
            pass  # It dates nothing, and must not use up what may be judged.
        elif buys or (_IT_WAS.search(part) and not _NO_PURCHASE.search(part)):
            found.append(ToldPurchase(part, SURE, is_bare=not (buys or _GIFT.search(part))))
        elif not _NO_PURCHASE.search(part):
            is_of_item = any(each.search(part) for each in (_GIFT, _OF_YEAR, _AGE, _USED))
            found.append(ToldPurchase(part, SURE if leads else LIKELY, is_bare=not is_of_item))
        # `bought at Argos, in March 2022`: the date stands behind its verb.
        leads = buys and not any(map(str.isdigit, part))
    return found


def told_shop(message: str) -> str:
    """Return where a message says that the item was bought, beside when: `bought from argos in leeds`, in its words.

    Empty where it says nothing of the kind. Portuguese `no` is told from the English one by the words around it.
    """
    before_it = ""
    for clause in _OF_SHOPS.split(message[:MOST_LETTERS]):
        words = [each.strip("()\"'“”«»") for each in clause.split()]
        plain, dated = [fold(each) for each in words], _dates_purchase(before_it)
        is_pt, before_it = not _PORTUGUESE.isdisjoint([*plain, *dated.split()]), " ".join(plain)
        places = [at for at, each in enumerate(plain) if each in _AT_PT | _AT_EN and (is_pt or each != "no")]
        places = [] if _OF_A_PART.match(" ".join(plain)) else places
        for at in places:
            before, name = " ".join(plain[:at]), _name_of_shop(words[at + 1 :], plain[at + 1 :])
            is_bought = _BUYS.search(before) or _TIME.search(before) or _NEW.search(before)
            is_first = _FIRST.issuperset(plain[:at]) and _TIME.search(" ".join(plain[at:]))
            is_behind = (
                dated and not at and name == " ".join(words[1:])
            )  # `it was in 2016, at the shop in Leeds`
            if name and (is_bought or is_first or is_behind) and not _OTHER_EVENTS.search(" ".join(plain)):
                verb = next((words[each] for each in range(at) if _VERB.fullmatch(plain[each])), "")
                state = _state_before(words[:at], plain[:at]) if verb else []
                verb = verb or ("comprei" if plain[at] in _AT_PT else "bought")
                return " ".join([verb, *state, words[at], name])
    return ""


def _dates_purchase(clause: str) -> str:
    """Return a folded clause where it tells when the item was bought: `foi em março de 2016`."""
    told = told_purchases(clause)
    return clause if any(each.rank == SURE for each in told) or _ONLY_TIME.fullmatch(clause) else ""


def _state_before(words: list[str], plain: list[str]) -> list[str]:
    """Return the words at the end that say in which state an item was bought: `bought it new from Argos`."""
    start = len(plain)
    while start and plain[start - 1] in _STATES:
        start -= 1
    return words[start:] if not _STATES_ALONE.isdisjoint(plain[start:]) else []


def told_payment(message: str) -> str:
    """Return the clause of a message that tells only what was paid for the item, in its words; empty where none does:
    `custou mais de mil euros na altura`.
    """
    parts = (each.strip() for each in _OF_PAYMENTS.split(message[:MOST_LETTERS]))
    return next((each for each in parts if _PAYMENT.fullmatch(fold(each))), "")


def purchase_words(message: str, *, is_asked: bool) -> list[str]:
    """Return what a message tells of the purchase of its item that no question holds, in its words: the shop, what was
    paid, and where no question asks it (`is_asked`), when that was.
    """
    parts = map(str.strip, _OF_PAYMENTS.split(message[:MOST_LETTERS]))
    dated = [each for each in parts if not is_asked and _DATES_BUYING.search(fold(each))]
    return [each for each in (*dated, "" if dated else told_shop(message), told_payment(message)) if each]


def _name_of_shop(words: list[str], plain: list[str]) -> str:
    """Return the words behind `from` or `at` that may name a shop: up to a time, a figure or another preposition."""
    end = 0
    while end < min(len(words), _MOST_OF_NAME) and not (
        _TIME.search(plain[end]) or plain[end] in _NO_SHOPS or (end and plain[end] in _ENDS_NAME)
    ):
        end += 1
    if end and end < len(words) and plain[end] in _NO_SHOPS and plain[end - 1] in _ARTICLES:
        return ""
    while end and plain[end - 1] in _ARTICLES | _IN:
        end -= 1
    return " ".join(words[:end])


_DATES_BUYING = patterns.compile(
    rf"\b(?:compr\w+|bought|purchased|adquiri\w*)\b.*\b{_YEAR}\b|\b{_YEAR}\b.*\b(?:compr\w+|bought|purchased)\b"
)
_ONLY_TIME = patterns.compile(rf"(?:(?:em|in|foi|it was|was)\s)*(?:(?:{ANY_MONTH})\s(?:de\s|of\s)?)?{_YEAR}")
_STATES_ALONE = frozenset(
    "new novo nova novos novas used second usado usada usados usadas segunda refurbished".split()
)
_STATES = _STATES_ALONE | frozenset("brand hand em mao recondicionado recondicionada".split())
_OF_PAYMENTS = patterns.compile(
    rf"(?<!\d)[,.]|[,.](?!\d)|[;:!?\n]|{NOT_IN_NUMBER}\s(?:and|but|e|mas)\s", patterns.IGNORECASE
)
_PAYMENT = patterns.compile(
    r"(?:(?:it|i|we|eu|ela?|na altura|back then)\s)*(?:custou|custaram|paguei|pagamos|cost|paid)\b(?:-me\b)?"
    r"(?=.*(?:\d|\b(?:mil|cem|centos|thousand|grand|hundred)\b))(?:\s(?!(?:for|por|pel[oa]|d[eao]|com|with|em|in|to)\b"
    r"(?! (?:it|el[ea]|mil|(?:19|20)\d\d|nov[oa])\b))\S+){1,9}"
)
"""A clause that tells only what was paid."""
_OF_SHOPS = patterns.compile(r"[,;:!?\n]|\.(?=\s|$)|\s(?:and|but|e|mas|with|com)\s", patterns.IGNORECASE)
_VERB = patterns.compile(r"got|bought|purchased|compr(?:ei|ad[oa]s?|amos)|adquirid[oa]s?")
_OF_A_PART = patterns.compile(
    r"(?:the|my|o|a|os|as)(?: \w+){1,2} (?:is|are|e|sao) (?:an?|um|uma|new|nov[oa])\b"
)
"""The start of a clause about one part: `the cable is a new one from Anker`."""
_NEW = patterns.compile(r"\b(?:new|nov[oa])\b")
_AT_PT, _AT_EN = frozenset("na no nas nos pela pelo".split()), frozenset("from at via off".split())
_PORTUGUESE = frozenset(
    "em de comprei comprado comprada comprados compradas ha foi novo nova janeiro fevereiro marco abril maio junho "
    "julho agosto setembro outubro novembro dezembro".split()
)
_ARTICLES = frozenset("the a an my o a os as um uma".split())
_FIRST = frozenset("foi it was i eu yes sim acho think".split())
_IN = frozenset("in em de do da of".split())
_ENDS_NAME = frozenset(
    "for por with com without sem no at from via so tho though when quando as como works funciona is it i new novo "
    "nova na nas nos last ha in".split()
) - frozenset(("in",))
_NO_SHOPS = frozenset(
    "new novo nova start beginning inicio comeco fim final time altura least first all home night launch release day "
    "dia scratch before then total stock full about around caixa verao ano anos mesmo meio principio box etiqueta "
    "autocolante placa label sticker traseira tampa menu definicoes settings boa realidade pratica verdade "
    "brincadeira desportiva moment risk ease".split()
)
"""Words behind `from` and `at` that name no shop."""
_MOST_OF_NAME = 6
