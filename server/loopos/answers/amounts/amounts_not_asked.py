"""Amounts that are no price in euro that is asked: other currencies, counts, sizes, weights, and what was paid."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from server import patterns
from server.loopos.answers.amounts.corrected_amounts import ANY_NUMBER_WORD
from server.loopos.answers.amounts.dates import ANY_MONTH

OTHER_CURRENCY = patterns.compile(
    r"r\$|[$£¥₹₽₩]|\b(?:dolar(?:es)?|dollars?|usd|bucks?|pounds?|quid|gbp|libras|libra(?! ?\d| h2o| colou?r)|reais|brl|"
    r"francos?|francs?|chf|yen|ienes?|jpy|escudos?|contos?|zlotys?|pln|kwanzas?|aoa|meticais|coroas?|rupees?|rupias?|bitcoins?|btc)\b"
)
OTHER_PRICE = patterns.compile(
    rf"[$£¥₹]\s?\d[\d.,]*+|(?:\d[\d.,]*+|\b{ANY_NUMBER_WORD})\s?(?:dolar(?:es)?|dollars?|usd|bucks?|pounds?|quid|gbp|libras?|reais|chf)\b"
    r"|(?P<bare>\d[\d.,]*+)"
)
"""An amount in another currency, or a `bare` number, which is read once; `pounds` alone may be a weight."""
COUNTED = (
    r"[gt]b|gigas?|%|anos?|years?|yrs?|mes(?:es)?|months?|semanas?|weeks?|dias?|days?|kms?|mp|horas?|hours?|h|"
    r"polegadas|inch(?:es)?|x|[cm]m|kgs?|quilos?|quilomet\w+|kilomet\w+|miles?|milhas?|ciclos?|cycles?|"
    r"min(?:uto|ute)?s?|disparos?|shots?|shutter|clicks?|cliques?|cafes?|coffees?|bicas?|comandos?|controllers?|"
    r"andar(?:es)?|floors?|volts?|watts?|w|litros?|lit(?:re|er)s?|[mg]?hz|mah|baterias?|batter(?:y|ies|ys)|pilhas?|"
    r"jogos?|games?|lentes?|lens(?:es)?|pecas?|parts?|pieces?|cabos?|cables?|capas?|cases?|cartoes|cards?|chaves?|"
    r"keys?|lugares|seats?|seaters?|rodas?|wheels?|pneus?|ty?res?|velocidades|mudancas|speeds?|gears?|vezes|times|"
    r"paginas|pages?|fotos?|photos?|riscos?|scratch(?:es)?|pessoas|people"
)
"""Units and things: a number before one of them is no price."""
_OF_LENSES = r"is|stm|usm|oss|vr|zoom|kit|lens(?:es)?|lentes?|objetivas?"
FOCAL_LENGTHS = patterns.compile(
    rf"\b\d{{1,3}}\s?-\s?\d{{1,3}}(?:\s?mm\b|(?=\s(?:{_OF_LENSES})\b))"
    r"|(?<=\blens |lente |\bzoom )\d{1,3}\s?-\s?\d{1,3}\b(?!\s?eur)"
    r"|(?<=\bobjetiva )\d{1,3}\s?-\s?\d{1,3}\b(?!\s?eur)|(?<=\bef-s )\d{1,3}\s?-\s?\d{1,3}\b(?!\s?eur)"
    r"|(?<![\w.,])\d{3,}-0\d*\b(?!\s?eur)"
)
"""The range of a zoom, in folded text: `18-55 IS STM lens`, `lente 16-50`; and a code with a tail: `268731-01`."""
_YEAR = patterns.compile(r"(?:19|20)\d\d")
_DAY = patterns.compile(r"[0-2]?\d|3[01]")
_BEHIND_MONTH = patterns.compile(rf"\b(?:{ANY_MONTH})\.?,?\s+(?:(?:de|of)\s+)?'?$")
_BEFORE_MONTH = patterns.compile(rf"(?:st|nd|rd|th)?\s(?:(?:de|of)\s)?(?:{ANY_MONTH})\b")
_SINCE = patterns.compile(r"\b(?:in|em|desde|since|from|ano|year)\s+(?:(?:de|of)\s+)?$")
_SLASHED = patterns.compile(r"\d\s?/\s?$")
_DENIED = patterns.compile(
    r"\d\D*\b(?:not|nao|instead of|em vez de|rather than)\s+(?:(?:os|as|the|sao|e|is|por|for)\s+)?$"
)
_MOST_BEFORE = 60


def is_dated(found: patterns.Match[str]) -> bool:
    """Return whether a `figure` is the year, the month or the day of a date: `march 2018`, `em 2020`, `10/21`."""
    figure, text, (start, end) = found["figure"], found.string, found.span("figure")
    begin = max(0, start - _MOST_BEFORE)
    is_year, is_day = _YEAR.fullmatch(figure) is not None, _DAY.fullmatch(figure) is not None
    beside_month = _BEHIND_MONTH.search(text, begin, start) or (is_day and _BEFORE_MONTH.match(text, end))
    if beside_month and (is_year or is_day):
        return True
    if is_year and _SINCE.search(text, begin, start):
        return True
    return text[end : end + 1] == "/" or _SLASHED.search(text, begin, start) is not None


def is_denied(found: patterns.Match[str]) -> bool:
    """Return whether an amount is the one that another before it replaces: `11k shots, not 12k`."""
    return _DENIED.search(found.string, max(0, found.start() - _MOST_BEFORE), found.start()) is not None


OF_ANOTHER = patterns.compile(
    r"(?:\b(?:ciclos?|cycles?|kms?|quilomet\w+|kilomet\w+|minut[eo]s|disparos?|shots|clicks|saude|health|bateria|battery|"
    r"andar|floor|comandos?|controllers?)"
    r"(?:\s+(?:da|de|do|of|the|its|bateria|battery|sao|e|is|are|was|esta|estao|em|at|a|com|tem|mostra|diz|shows?|says))*"
    r"[\s:=]*+|\dx\s?|\d\s?x\s*"
    r"|\b(?:mod|model|modelo|ref|referencia|reference|n\.o|s/?n|p/n|serial|serie|series|codigo|code|imei)"
    r"(?:\s(?:number|no|n\.?o?|numero|code|de serie))?\s?[.:#]{0,2}\s*)$"
)
"""The words before a number of something else: `os ciclos da bateria sao 310`, `80 x 28`, `ref. 268`."""
MEASURED = patterns.compile(
    r"\b(?:altura|alto|alta|largura|larg[oa]|comprimento|comprid[oa]|profundidade|fundo|height|high|tall|width|wide|"
    r"depth|deep|length|long|medidas?|dimens\w+)\b"
)
"""Words of a clause whose `por` and `for` stand between sizes."""
WEIGHED = patterns.compile(
    r"\b(?:pesa|pesam|pesava|peso|weigh|weighs|weighed|weighing|weight|heavy|kg|kilos?|quilos?)\b"
)
"""Words of a clause whose pounds are a weight."""
PAID = patterns.compile(
    r"\b(?:pagu?ei|pago|paid|comprei|comprado|comprada|custou|custaram|cost|bought|nov[oa]s? (?:custa|vale|esta)|new|"
    r"(?:got|gotten|picked|foi)\b[^,.;!?]*\b(?:19|20)\d\d|"
    r"dei|gastei|spent|(?:i|we) gave|back then|at the time|"
    r"(?:got|gotten) (?:it|them|this|mine) (?!up\b|on\b|listed\b|going\b)(?:\w+ ){0,3}?for|"
    r"na (?:altura|epoca)|originally|original(?:ly)? (?:price|cost)|preco (?:original|"
    r"de (?:loja|tabela))|pvp|m?rrp|msrp|"
    r"retail\w*|(?:at|in|from) (?:the |a )?(?:shops?|stores?)|(?:na|da|em|nas) lojas?|(?:em|quando|qd|era) nov[oa]|"
    r"(?:custa\w*|vendem)[^,.;!?]* (?<!como )nov[oa]s?|(?:they|those|these|new ones) (?:all )?(?:go|sell) for|"
    r"offered(?! (?:it|this|them|for|at)\b)|offers? me|oferec(?:eu|eram|em|iam|ia)|"
    r"d(?:a|ao|ava|avam|eu|eram)[ -]me|me (?:da|dao|dava|davam|deu|deram)|andam (?:a|por|nos|entre)|vendem[ -]se|"
    r"(?:sold|vendeu) (?:his|hers|theirs|one|um|uma|o d|a d)\w*|"
    r"vale|valem|worth|arranj\w+|repar\w+|repair\w*|desconto|discount|portes|envio|shipping)\b"
)
"""Words of a clause whose amount is not what is asked."""
_CLAUSES = patterns.compile(r"(?<!\d)[,.]|[,.](?!\d)|[;!?\n]|\b(?:mas|but)\b")


class Clauses:
    """The clauses of a text. Each is searched once for the same words, however many amounts it has."""

    def __init__(self, text: str) -> None:
        self.text = text
        borders = list(_CLAUSES.finditer(text))
        self._starts = [each.start() for each in borders]
        self._ends = [each.end() for each in borders]
        self._known: dict[tuple[patterns.Pattern, int, int], bool] = {}

    def have(self, words: patterns.Pattern, found: patterns.Match[str]) -> bool:
        """Return whether the clause in which an amount stands has such words."""
        before = bisect_right(self._ends, found.start())
        behind = bisect_left(self._starts, found.end())
        start = self._ends[before - 1] if before else 0
        end = self._starts[behind] if behind < len(self._starts) else len(self.text)
        key = (words, start, end)
        if key not in self._known:
            self._known[key] = words.search(self.text[start:end]) is not None
        return self._known[key]
