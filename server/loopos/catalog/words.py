"""The words of a search: words that say nothing are left out, and numbers are marked."""

from __future__ import annotations

from dataclasses import dataclass

from server import patterns
from server.loopos.answers.words import fold
from server.remembered_texts import remember_short

MOST_TOKENS = 40
_MOST_LETTERS = 400

_STOP = frozenset(
    "a o as os e ou um uma uns umas de do da dos das no na nos nas em com por para pelo pela pra ao aos que eu me "
    "meu minha meus minhas seu sua este esta esse essa isto isso aqui ali la ja ainda muito muita pouco pouca mais "
    "menos so tambem quero queria gostava gostaria vender vendo venda vende vende vendemos despachar desfazer livrar "
    "trocar tenho temos tinha ha e foi ser sao somos esta estao estou estava ola bom boa dia tarde noite obrigado "
    "obrigada favor acho penso artigo produto coisa marca modelo cor usado usada usados usadas novo nova antigo "
    "antiga velho velha estado excelente otimo optimo razoavel mau avariado avariada partido partida funciona "
    "funcionar bem caixa fatura garantia original comprei comprado comprada parado parada gaveta casa filho filha "
    "procuro preciso podem pode posso ajudar mim nao sim era sem desde quanto vale anos meses capacidade polegadas "
    "the an and or of in on at with for from to by is are was am be it its i im my your this that these those have "
    "has had got want wanted would like love sell selling sale please hi hello hey good condition used old new brand "
    "box boxed working works mint great little bit need some any as but not no yes there here about id ive can you "
    "help me get rid his her our we us they do does second hand secondhand looking inch inches euros euro eur gb tb"
    .split()
)  # fmt: skip
_NOT_MODEL_NUMBERS = patterns.compile(
    r"(?:€\s*\d[\d.,]*|\b\d[\d.,]*\s*(?:€|eur\b|euros?\b|%|anos?\b|mes(?:es)?\b|semanas?\b|dias?\b|years?\b|"
    r"months?\b|weeks?\b|days?\b|por cento\b|percent\b|ciclos\b|cycles\b|disparos\b|shots\b))"
)
_MEASURE = patterns.compile(
    r"\b(\d+(?:[.,]\d+)?)\s*(?:gb|tb|go|mm|cm|kg|km|mp|hz|mah|pol|polegadas|inch(?:es)?|litros?|l)\b|"
    r"(?<![\w-])(\d{1,2})v\b|\b([2-5])g\b"
)
"""A number with its unit: one of a size, of volts (`12V`) or of a mobile network (`4G`)."""
_COMPUTER = patterns.compile(
    r"\b(?:ssd|hdd|ram|intel|core|thinkpad|ideapad|macbook|imac|xps|latitude|inspiron|elitebook|pavilion|zenbook|"
    r"vivobook|surface|laptop|portatil|notebook|computador|lenovo|dell|asus|acer|hp)\b"
)
_PROCESSOR = patterns.compile(r"\b(?:intel\s+)?(?:core\s+)?i[3579](?:[\s-]\d{4,5}[a-z]{0,2})?\b")
"""The processor of a computer, which is no model: `i5-8350U`."""
_APART = patterns.compile(r"\b([ix])[\s-](?=(?:(?<=i.)(?:phone|pad|mac|robot|spin|size|pod)|(?<=x.)box)\b)")
_GENERATION = patterns.compile(r"\b(\d{1,2})\.?\s?(?:a|o|st|nd|rd|th)?\s+(?:geracao|generation|gen)\b")
"""A number of a generation names the model as the bare number does: `airpods 2`."""
_PLACES = {
    word: str(number)
    for number, words in enumerate(
        ("segunda second", "terceira third", "quarta fourth", "quinta fifth", "sexta sixth",
         "setima seventh", "oitava eighth", "nona ninth", "decima tenth"),
        start=2,
    )
    for word in words.split()
}  # fmt: skip
_COUNTED = patterns.compile(rf"\b({'|'.join(_PLACES)})\s+(geracao|generation|gen)\b")
_RUN = patterns.compile(r"\d+|[^\W\d_]+")
_MISTYPED = patterns.compile(r"\b(?:maks|maxx|macks)\b|(?<=pro)max\b")
"""A variant as it sounds, or without the blank before it."""
_FOR_THE = patterns.compile(r"\bpro (?=(?:carro|automovel|bebe|menin[oa]|miud[oa]|filh[oa]|quarto|sofa)\b)")
"""The short form of `para o`, which is no variant of a model."""
_HARD_C = patterns.compile(r"c(?![eih])")
_DOUBLED = patterns.compile(r"(.)\1")
_SIZES = patterns.compile(r"\d+(?:x\d+)+")
_DECADES = frozenset(("198", "199", "200", "201", "202", "203"))
"""The years that a product may have, without their last digit."""
_JOINING = frozenset("with and including includes com e mais inclui incluindo".split())
_BEHIND_PLUS = frozenset(
    "a an the two three some my extra all its um uma dois duas tres charger chargers case cases cable cables cover "
    "game games box controller controllers carregador capa cabo jogo jogos comando comandos acessorios "
    "accessories".split()
)
"""Words in front of which `plus` joins; elsewhere it is a variant, as in `iphone 8 plus`."""
_ROMAN = frozenset("ii iii iv vi vii viii ix".split())
_SPELT = {
    word: str(number)
    for number, words in {
        2: "dois two", 3: "tres three", 4: "quatro four", 5: "cinco five", 6: "seis six", 7: "sete seven",
        8: "oito eight", 9: "nove nine", 10: "dez ten", 11: "onze eleven", 12: "doze twelve", 13: "treze thirteen",
        14: "catorze quatorze fourteen", 15: "quinze fifteen", 16: "dezasseis dezesseis sixteen",
    }.items()
    for word in words.split()
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A run of letters or of digits, and the place of its word in the text."""

    text: str
    place: int
    measure: bool = False
    """A number that has a unit: it may name a variant, but contradicts no model."""
    beside: bool = False
    """A word such as `with` stands between this token and the one before it."""

    @property
    def counts(self) -> bool:
        """Return whether the token numbers a model: digits or a Roman numeral."""
        return self.text.isdigit() or self.text in _ROMAN

    @property
    def is_year(self) -> bool:
        """Return whether four digits may be a year. They contradict only a product that is named by its year."""
        return len(self.text) == 4 and self.text.isdecimal() and self.text[:3] in _DECADES  # noqa: PLR2004

    @property
    def weight(self) -> float:
        """Return how much the token says: short pieces and years say little."""
        if self.is_year:
            return 0.5
        if self.text.isdigit():
            return 0.8
        return 0.5 if len(self.text) < 3 or self.text in VARIANTS else 1.0  # noqa: PLR2004 - `x`, `se`, `fc`


NO_ERRORS = frozenset(
    "canyon bosch braun brother motorola nokia oppo realme honor toshiba comida carta porco oculos leite stage store "
    "stove stock stream stroke serves services value apply change charged blank block hover mixed mixer model moved "
    "moves render composer compute stronger shift serialized watched watchers tables".split()
)
"""Common words and brands that the catalog does not have: they are no typing errors of what it has."""
VARIANTS = frozenset(
    "pro max mini plus lite air ultra slim classic series mark black xl xxl go fe now wireless digital express true "
    "standard one studio charge fix size edition nfc gen electric smart alpha seat geracao generation quarta "
    "sexta oitava segunda fourth eighth second mesa table comoda chest dresser estante shelf bookcase poltrona "
    "armchair note cloud escape absolute companion quiet tab".split()
)
"""Words that many models share: alone they name none."""


def read(text: str) -> list[Token]:
    """Return the tokens of a query or of a product's name, in order, without what says nothing."""
    flat = _FOR_THE.sub("", _APART.sub(r"\1", fold(text[:_MOST_LETTERS])))
    flat = _MISTYPED.sub(" max", flat)
    flat = _COUNTED.sub(lambda found: f"{_PLACES[found[1]]} {found[2]}", flat)
    flat = _GENERATION.sub(r"\1", _NOT_MODEL_NUMBERS.sub(" ", flat))
    flat = _PROCESSOR.sub(" ", flat) if _COMPUTER.search(flat) else flat
    measured = {number for found in _MEASURE.findall(flat) for number in found}
    found: list[Token] = []
    beside = False
    words = patterns.findall(r"[^\W_]+", flat)
    for place, word in enumerate(words):
        joins = word in _JOINING or (
            word == "plus" and not _BEHIND_PLUS.isdisjoint(words[place + 1 : place + 2])
        )
        beside = beside or joins
        if word in _STOP or joins:
            continue
        if word in _SPELT and found and found[-1].place == place - 1:
            word = _SPELT[word]  # noqa: PLW2901 - `iphone doze` is read as `iphone 12`
        runs = (
            [run for run in _RUN.findall(word) if run != "x"]
            if _SIZES.fullmatch(word)
            else _RUN.findall(word)
        )
        is_measured = runs[-1] == "v" and runs[0] in measured
        if len(runs) > 1 and (is_measured or runs[-1] in ("gb", "tb", "mm", "cm", "kg")):
            runs.pop()
        found += [Token(run, place, measure=run in measured, beside=beside) for run in runs]
        beside = False
    return found[:MOST_TOKENS]


@remember_short(24, 8_192)
def sound(word: str) -> str:
    """Return how a word sounds, roughly: `makina` and `máquina`, `bimbi` and `bimby`, `ifone` and `iphone` are one."""
    word = word.removeprefix("a") if word.startswith("ai") else word
    for written, heard in (("qu", "k"), ("ck", "k"), ("ph", "f"), ("y", "i"), ("z", "s"), ("w", "v")):
        word = word.replace(written, heard)
    return _DOUBLED.sub(r"\1", _HARD_C.sub("k", word))
