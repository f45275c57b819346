"""The languages of the server: which one a text is written in, and how each writes a number."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, get_args

Language = Literal["pt", "en"]

LANGUAGES: tuple[Language, ...] = get_args(Language)
"""The first is spoken where nothing says which."""


@dataclass(frozen=True)
class Locale:
    """How a language writes what is not a word."""

    decimal: str
    """The mark before the decimals."""
    group: str
    """The mark between groups of three digits."""
    grouped_from: int
    """Below it the digits of a number are not grouped."""
    day: str
    """A day, as `strftime` takes it."""
    quotes: str
    """Something quoted, as `str.format` takes it."""
    euro: str
    """An amount in euro, as `str.format` takes it."""
    percent: str
    """A percentage, as `str.format` takes it."""


LOCALES: dict[Language, Locale] = {
    "pt": Locale(
        ",",
        "\N{NO-BREAK SPACE}",
        10_000,
        "%d/%m/%Y",
        "«{}»",
        "{}\N{NO-BREAK SPACE}€",
        "{}\N{NO-BREAK SPACE}%",
    ),
    "en": Locale(".", ",", 1000, "%Y-%m-%d", "“{}”", "€{}", "{}%"),
}

DIGITS_OF_GROUP = 3

_PT = frozenset(
    """a o os as um uma uns umas de da do das dos no na nos nas em para com sem por ao pelo pela e ou mas que qual quais
    quero queria vender tenho tinha meu minha meus minhas seu sua esse essa este esta isso isto aquele nao sim ola oi
    bom boa dia tarde noite obrigado obrigada afinal cor preto preta branco branca azul vermelho verde cinzento roxo
    prateado dourado telemovel portatil computador bicicleta maquina cafe carrinho bebe trotinete consola porque
    quanto vale voltar atras parar outro outra segundo segunda primeiro primeira terceiro ultimo ultima mais
    ver sei faco ideia como onde quando tudo bem esta estou sou foi era tem esta certo errado errada enganei comprei
    usado usada novo nova fica funciona claro pode ser ajuda preco tamanho armazenamento mudar corrigir nenhum
    e-o nao-sei tambem ja ainda agora ha acho talvez caixa carregador so mesmo""".split()
)
_EN = frozenset(
    """the an of to in on with without for and or but what which who my your mine it its this that these those is are
    was were be been i i'm im you we they want wanna would like sell selling have has had not don't dont yes yeah yep
    hello hi hey thanks thank please actually colour color black white blue red green grey gray purple silver gold phone
    laptop bike coffee machine stroller scooter console why how much worth go back stop other another second first third
    last one more see know idea where when everything works good bad right wrong mistake bought used new sure help
    price size storage change correct none never mind does mean can fine still also box charger only never""".split()
)
_BOTH = frozenset({"no", "a", "as", "do", "me", "at", "so"})


def fold(text: str) -> str:
    """Return the words of a text in small letters, without accents and punctuation."""
    marks = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return " ".join(re.findall(r"[\w']+", "".join(each for each in marks if not unicodedata.combining(each))))


def nearest_language(code: str | None) -> Language:
    """Return the language for a code such as `pt-PT`, `en-US` or `fr`; for any other the first of all."""
    short = (code or "").replace("_", "-").split("-")[0].lower()
    return next((each for each in LANGUAGES if each == short), LANGUAGES[0])


def detect_language(text: str) -> Language | None:
    """Return the language of a text by its small words, or None when they do not tell."""
    if re.search(r"[ãõç]|\b(?:é|à|às|há|já|está|três|porquê|quê)\b", text.casefold()):
        return "pt"
    words = [word for word in fold(text).split() if word not in _BOTH]
    portuguese, english = (sum(word in known for word in words) for known in (_PT, _EN))
    if portuguese == english:
        return None
    return "pt" if portuguese > english else "en"


def format_number(value: float, language: Language) -> str:
    """Return the number as the language writes it, with at most six decimals: `12 000,5`, `12,000.5`."""
    return _with_marks(f"{value:.6f}".rstrip("0").rstrip("."), language)


def format_euro(value: float, language: Language) -> str:
    """Return an amount as the language writes it: whole, or with both digits of its cents: `640 €`, `187,70 €`."""
    plain = f"{value:.2f}".removesuffix(".00")
    return LOCALES[language].euro.format(_with_marks(plain, language))


def format_share(value: float, language: Language) -> str:
    """Return a part of one as a percentage: `90 %`."""
    return LOCALES[language].percent.format(format_number(round(value * 100, 1), language))


def read_number(text: str, language: Language) -> float:
    """Read a number as people write it: `187,70 €`, `1 200`, `1.200,50`. Raises ValueError for anything else.

    A mark before exactly three digits groups them where the language writes the other one before decimals.
    """
    plain = re.sub(r"[\s€]|eur(?:os?)?\b", "", text, flags=re.IGNORECASE)
    if not re.fullmatch(r"[-+]?\d[\d.,]*", plain):
        raise ValueError(text)
    last = max(plain.rfind("."), plain.rfind(","))
    mark = plain[last] if last >= 0 else ""
    other = {".": ",", ",": "."}.get(mark, "")
    groups = plain.count(mark) > 1 if mark else False
    if mark and other not in plain and mark != LOCALES[language].decimal:
        groups = groups or len(plain) - last - 1 == DIGITS_OF_GROUP
    if groups:
        return float(plain.replace(mark, ""))
    return float(plain.replace(other, "").replace(mark, ".") if mark else plain)


def _with_marks(plain: str, language: Language) -> str:
    """Write a number with the marks of the language; `plain` has a point and no groups."""
    locale = LOCALES[language]
    whole, _, rest = plain.removeprefix("-").partition(".")
    if int(whole) >= locale.grouped_from:
        whole = f"{int(whole):,}".replace(",", locale.group)
    return ("-" if plain.startswith("-") else "") + whole + (locale.decimal + rest if rest else "")
