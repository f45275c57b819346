"""The languages of the server: which one a text is written in, and how each writes a number."""

import unicodedata
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from server import patterns
from server.remembered_texts import remember_short

Language = Literal["pt", "en", "es", "fr", "de"]

LANGUAGES: tuple[Language, ...] = get_args(Language)
"""The first is spoken where nothing says which."""


READ: tuple[Language, ...] = ("pt", "en")
"""Languages whose free words are read by rules: by the judge of answers and by the demo model."""


@dataclass(frozen=True)
class Locale:
    """The written form of everything that is not a word, in one language."""

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
    tag: str
    """The language as BCP 47 names it."""
    name: str
    """The language's name in English, as models read it."""
    singular: tuple[int, ...] = (1,)
    """The counts that go with a singular."""


NBSP, THIN = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"

LOCALES: dict[Language, Locale] = {
    "pt": Locale(
        ",", NBSP, 10_000, "%d/%m/%Y", "«{}»", f"{{}}{NBSP}€", f"{{}}{NBSP}%", "pt-PT", "European Portuguese"
    ),
    "en": Locale(".", ",", 1000, "%Y-%m-%d", "“{}”", "€{}", "{}%", "en", "English"),
    "es": Locale(
        ",", ".", 10_000, "%d/%m/%Y", "«{}»", f"{{}}{NBSP}€", f"{{}}{NBSP}%", "es", "European Spanish"
    ),
    "fr": Locale(
        ",",
        THIN,
        1000,
        "%d/%m/%Y",
        f"«{NBSP}{{}}{NBSP}»",
        f"{{}}{NBSP}€",
        f"{{}}{NBSP}%",
        "fr",
        "French",
        singular=(0, 1),
    ),
    "de": Locale(",", ".", 1000, "%d.%m.%Y", "„{}“", f"{{}}{NBSP}€", f"{{}}{NBSP}%", "de", "German"),
}
"""The marks are those that browsers write for the same language."""

DIGITS_OF_GROUP = 3

_PT = frozenset(
    """a o os as um uma uns umas de da do das dos no na nos nas em para com sem por ao pelo pela e ou mas que qual quais
    quero queria vender tenho tinha meu minha meus minhas seu sua esse essa este esta isso isto aquele nao sim ola oi
    bom boa dia tarde noite obrigado obrigada afinal cor preto preta branco branca azul vermelho verde cinzento roxo
    prateado dourado telemovel portatil computador bicicleta maquina cafe carrinho bebe trotinete consola porque
    quanto vale voltar atras parar outro outra segundo segunda primeiro primeira terceiro ultimo ultima mais
    ver sei faco ideia como onde quando tudo bem esta estou sou foi era tem esta certo errado errada enganei comprei
    usado usada novo nova fica funciona claro pode ser ajuda preco tamanho armazenamento mudar corrigir nenhum
    e-o nao-sei tambem ja ainda agora ha acho talvez caixa carregador so mesmo
    nada vale algo mal tu vendo ta mes tes sais""".split()
)
_EN = frozenset(
    """the an of to in on with without for and or but what which who my your mine it its it's this that these those
    is are was were be been i i'm im you we they want wanna would like sell selling have has had not don't dont yes yeah
    yep hello hi hey thanks thank please actually colour color black white blue red green grey gray purple silver gold
    phone laptop bike coffee machine stroller scooter console why how much worth go back stop other another second first
    third last one more see know idea where when everything works good bad right wrong mistake bought used new sure help
    price size storage change correct none never mind does mean can fine still also box charger only never
    son hat den ten bin ta""".split()
)
_ES = frozenset(
    """el los las un una unos unas y con su sus mi mis tu lo del al son soy estoy esta este estos que no de vender
    quiero quieres tengo tienes tiene vendo venderlo hola gracias buenos buenas dias tardes muy pero cuanto cual cuales
    donde cuando hay ahora tambien sin ninguno ninguna otro otra caja cargador pantalla puedo puede ayuda gustaria
    compre nuevo nueva usado usada roto movil ordenador portatil bicicleta patinete cafetera carrito negro negra blanco
    blanca rojo roja gris plateado dorado funciona vale bien mal claro creo algo nada siete ocho cuesta hace""".split()
)
_FR = frozenset(
    """je j'ai j'aimerais le les un une des du mon ma mes ton ta tes veux voudrais vendre vends c'est n'est n'ai pas oui
    non bonjour salut merci avec sans dans qui quel quelle quels combien pourquoi quand est sont il elle et tres mais
    aussi encore noir noire blanc blanche rouge vert verte bleu bleue gris grise telephone velo ordinateur appareil
    boite chargeur ecran neuf neuve marche fonctionne rien autre aucun aucune achete d'occasion s'il plait sais
    qu'est peux puis""".split()
)
_DE = frozenset(
    """ich du der das ein eine einen einem einer mein meine meinen meinem dein und oder ist sind bin habe hab hat haben
    mochte mochten verkaufen verkaufe kaufen gekauft nicht kein keine keinen mit ohne fur von zu auf aus wie wer warum
    wann ja nein danke bitte hallo guten schwarz schwarzes schwarze weiss weisse weisses blau blaues rot rotes grun grau
    handy fahrrad rechner kaffeemaschine karton ladegerat neu neue neues gebraucht geht funktioniert gut sehr auch noch
    schon nur viel kostet bildschirm kratzer weiss andere anderes den dem""".split()
)
SMALL_WORDS: dict[Language, frozenset[str]] = {"pt": _PT, "en": _EN, "es": _ES, "fr": _FR, "de": _DE}
"""Words that a language uses often."""
_OWN_LETTERS: dict[Language, patterns.Pattern] = {
    "pt": patterns.compile("[ãõ]"),
    "es": patterns.compile("[ñ¿¡]"),
    "de": patterns.compile("ß"),
}
"""Letters that no other of the languages has."""
_PT_MARKS = patterns.compile(r"ç|\b(?:é|à|às|há|já|está|três|porquê|quê)\b")
"""Marks that English lacks; Spanish and French have some of them too."""
_OF_NAMES = patterns.compile(r"\b(?:De|Di|La|Le|El|Das|Der|Los|Les)\s+(?=[A-Z])")
"""Words that begin a name, such as `De Longhi`, and tell no language."""
_BORROWED = frozenset("black white blue red green grey gray purple silver gold".split())
"""English colours, which stand in the names that makers give, in every language: `space gray`."""
_HESITATION = patterns.compile(
    r"\b(?:u+m+|e+r+m*|u+h+|h+m+)(?=\s*[,.…–-]|\s*$|\s+(?:january|february|march|april|may|june|july|august|september|"
    r"october|november|december)\b)",
    patterns.IGNORECASE,
)
"""A sound that a person makes who thinks, and no word: `um, October`. The Portuguese `um` stands before its noun."""
_BOTH = frozenset({"no", "a", "as", "do", "me", "at", "so"})
_PLAIN = frozenset(
    "y s n si sim yes yep yup yeah ya yea nope nao ok okay claro sure right exato pois correct".split()
)
"""Yes and no in short: people who write one language borrow those of another."""


_FOLDED_WHOLE = 2_400
"""Characters of a message that one decision folds many times: its folded words are remembered."""


@remember_short(40, 4_096)
@remember_short(_FOLDED_WHOLE, 128)
def fold(text: str) -> str:
    """Return the words of a text in small letters, without accents and punctuation."""
    plain = text.casefold().replace("’", "'")
    if not plain.isascii():
        # Marks go before too: to put a long run of them in order takes the square of its length.
        plain = _without_marks(unicodedata.normalize("NFKD", _without_marks(plain)))
    return " ".join(patterns.findall(r"[\w']+", plain))


_OF_MARKS = frozenset("\u0f73\u0f75\u0f81")
"""Characters that are no marks and consist of marks alone."""


def _without_marks(text: str) -> str:
    marks = {ord(each): None for each in set(text) if unicodedata.combining(each) or each in _OF_MARKS}
    return text.translate(marks) if marks else text


_CLAUSE_END = patterns.compile(r"(?<=[,.;:!\n])\s+|(?<=\s[-–—])\s+|(?<!\s)\s++(?=(?:mas|but|e|and)\s)")
_MUCH = r"(?:a lot|much|many|too \w+|bad|old|low|high|enough|muit\w+|pouc\w+|mau|velho|grave|demais)"
_ASKING = patterns.compile(
    r"(?:(?:e|and|mas|but|so|entao|then|depois|ja agora|by the way|btw|olh[ea]?|tell me|diga me) )*"
    r"(?!(?:e|is|are) (?!(?:it|that|this|isso|isto) (?:ok|okay|fine|alright|allowed|safe|possible|necessary|normal|"
    rf"seguro|possivel|preciso|um problema|a problem|needed|{_MUCH})\b)"
    r"(?:o|a|os|as|it|that|this|these|those|the|one|esse|essa|este|esta|isso|isto)\b)"
    r"(?:(?:o que|(?:a|de|em|para|com) que|que|quant[oa]s?|quando|onde|como|porque|por que|quem|qual|quais|ha|tem|"
    r"tens|podem?|posso|e (?:preciso|necessario|possivel|normal|muito|seguro|obrigatorio|gratis|gratuito|perigoso)|"
    rf"precis(?:o|am)|aceitam?|fazem|(?:isso|isto)(?= (?:(?:e|sao) {_MUCH}|(?!(?:mesmo|sim|ai|e|sao|que)\b)\w+)\b)|"
    r"(?:that|this|it)(?= (?:matters?|counts?)\b)|(?:ainda|still) (?:consigo|da|vale|posso|worth)|consigo|"
    r"ach(?:a|as|am|ou)|da pa?ra|pag(?:o|amos|am)|cobram|querem|voces?|vcs|vem|vao|entregam|enviam|mandam|dao|compram|"
    r"how|what|whats|what's|when|where|why|who|which|do|does|did|is|are|can|could|will|would|should) \w|"
    rf"(?:(?:e|faltam?) {_MUCH}|(?:much|many) (?:more|left)|chega|basta|serve|ajuda|faz (?:mal|diferenca))(?=\W*$))"
)
_ALL_ASKED = patterns.compile(r"(?:who|what|where|when|why|quem|onde|quando|porque|quanto)\b(?!.*[,.;!])")
"""The beginning of a message that asks from its first word: `who sees this and can I delete it?`."""
_BEGINNING = 100
"""Characters of a clause that tell whether it asks: the words before those are short."""
_MOST_BORDERS = 20
"""Clauses at the end of a message that are looked at for the question that ends it."""


def split_question(text: str) -> tuple[str, str]:
    """Return what a message says, and the question about another thing that ends it; empty where there is none.

    `yes, but how do you pay?` says `yes`. A value with a question mark (`black?`), and one that asks for a choice or
    a figure (`is it 64 or 128?`), is no question about another thing. It begins in one of the last 20 clauses. One
    between two sentences is one too: `it is blue. do you need the box? I have it`.
    """
    ends = deque((each.end() for each in _CLAUSE_END.finditer(text)), maxlen=_MOST_BORDERS)
    if not text.rstrip().endswith("?"):
        return _split_inner(text) or _split_unmarked(text, ends)
    start = next((each for each in ends if _begins_question(text, each)), _last_sentence(text))
    asked = text[start:].strip()
    if not asked or "?" in text[:start] or _offers_values(asked) or _ALL_ASKED.match(fold(text[:start])):
        return text, ""
    return _without_lead(text[:start]), asked


def is_wish(asked: str) -> bool:
    """Return whether a question only asks to write something or to set a price: `can you put it at 120?`."""
    return _WISH.match(fold(asked[:_BEGINNING])) is not None


_WISH = patterns.compile(
    r"(?:(?:e|and|mas|but|so|entao|then|ja agora|by the way|btw|olh[ea]?|also|tambem|please|por favor) )*(?:"
    r"(?:can(?:'?t)?|could(?:n'?t)?|would|will) (?:you|u|we|i)|da(?:va)? (?:para|pra)|(?:nao )?pode[ms]?|podia[ms]?) "
    r"(?:(?:please|pls|just|also|me|so|tambem|la|ja) )*(?:put|add|write|note|mention|set|make it|take|por|meter|"
    r"escrever|juntar|acrescentar|anotar|colocar|dizer) "
    r"(?!(?:a |the |o |um |some )?(?:photos?|pictures?|videos?|fotos?|card|cash)\b)"
)


def _split_inner(text: str) -> tuple[str, str] | None:
    """Return what stands around the only question of a message, where it stands between two sentences, and that."""
    before, mark, after = text.partition("? ")
    begins = [each.end() - 1 for each in _SENTENCE_END.finditer(before)]
    if not (mark and after.strip() and begins) or "?" in after or not _begins_question(before, begins[-1]):
        return None
    asked = before[begins[-1] :] + "?"
    return None if _offers_values(asked) else (f"{before[: begins[-1]].strip()} {after.strip()}", asked)


def _split_unmarked(text: str, ends: Iterable[int]) -> tuple[str, str]:
    """Return what a message says, and the question without its mark that ends it: `yes, who pays the shipping`."""
    agreed = _AGREED.match(text)
    starts = [*([agreed.end()] if agreed else []), *ends]
    start = next((each for each in starts if _PLAINLY_ASKS.match(fold(text[each : each + _BEGINNING]))), None)
    if start is None or "?" in text or _offers_values(text[start:]):
        return text, ""
    return _without_lead(text[:start]), text[start:].strip()


def _without_lead(before: str) -> str:
    """Return what stands before a question, without the words that lead to it."""
    said = before.strip(" ,;-")
    return said[:-_ENDING] + _BEFORE_QUESTION.sub("", said[-_ENDING:])


def _offers_values(asked: str) -> bool:
    """Return whether a question asks for a figure or a choice; `need 2 pay` and `or must I do it` are neither."""
    return not is_wish(asked) and _FIGURE_OR_CHOICE.search(_FOR_A_WORD.sub(" ", fold(asked))) is not None


_FOR_A_WORD = patterns.compile(
    r"\b(?:get|ask|make|sell it for|consigo|pedir|vend\w+ por|receber) (?:\w+ )?\d+(?! ou\b| or\b)|"
    r"(?:need|have|want|able|going|got) 2\b|\b4 (?=(?:the|an?|my|me|it|u|you|them)\b)"
)
_FIGURE_OR_CHOICE = patterns.compile(
    r"\d|\b(?:or|ou) (?!(?:must|can|could|do|does|will|would|should|shall|is|are|i|you|u|someone|not|no|"
    r"e|eu|nao|n|tenho|posso|devo|faco|sou|vou|vem|vao|pode|podem|preciso|ponho|mando|voces?|vcs)\b)"
)
_AGREED = patterns.compile(
    r"\s*(?:(?:ok|oh|ah)\s+)?(?:yes|yeah|yep|yup|sure|ok|okay|sim|claro|isso|certo|exato)\s+",
    patterns.IGNORECASE,
)
_OF_SALES = r"(?:comissao|comissoes|taxas?|portes|envio|frete|custos?|fees?|commission|cut|charges?|postage|shipping)\b"
_PLAINLY_ASKS = patterns.compile(
    r"(?:(?:e|and|mas|but|so|entao|then|ja agora|by the way|btw|olh[ea]?|also|tambem) )*"
    r"(?:(?:how|when|where|what|why) (?:do|does|did|will|would|can|should|am) (?:i|you|u|we|they|it|the|this)\b|"
    r"how (?:much|long|soon|many) (?:do|does|is|are|will|would|can|until|before|to)\b|"
    r"who (?:pays|sends|ships|collects|buys)\b|what about (?:my|our) \w|e quanto (?:ao?s?|ao meu|a minha) \w|"
    rf"(?:what|whats|what's|what is|what are) (?:your|the) {_OF_SALES}|"
    r"(?:do|does|will|can|could|should|must) (?:i|we|they|the buyer) (?:\w+ ){0,2}(?:pay|get|send|ship|post|need)\b|"
    r"(?:do|does|will|would) (?:you|u|they) (?:\w+ )?(?:take|charge|pay|send|ship|keep)\b|"
    r"quem (?:e que )?(?:paga|envia|entrega|recolhe|compra)\b|(?:quando|como|onde) (?:e que )?(?:eu )?"
    r"(?:recebo|pago|envio|mando|entrego|funciona|cobram|pagam|vejo|posso|fica|e feito)\b|"
    r"quanto (?:e que )?(?:me )?(?:tempo|cobram|custa|recebo|pago|ficam|demora)\b|"
    rf"(?:qual e|que|ha|tem|cobram|levam|tiram) (?:\w+ )?{_OF_SALES}|"
    r"(?:is|are) (?:there|shipping|postage|delivery) \w|(?:tenho de|preciso de) (?:pagar|enviar|mandar)\b)"
)
"""The beginning of a question that is one without its mark too."""


def _begins_question(text: str, start: int) -> bool:
    """Return whether a question begins there; words that may state something too (`dá para usar`) end the message."""
    beginning = fold(text[start : start + _BEGINNING])
    if not (_ASKING.match(beginning) or _WISH.match(beginning)):
        return False
    return _MAY_STATE.match(beginning) is None or _SENTENCE_END.search(text, start) is None


def _last_sentence(text: str) -> int:
    """Return where the last of several sentences begins that has three words or more; else the end of the text."""
    *_, last = [0, *(each.end() - 1 for each in _SENTENCE_END.finditer(text))]
    return last if last and len(text[last:].split()) >= _FEWEST_WORDS else len(text)


_FEWEST_WORDS = 3
_MAY_STATE = patterns.compile(
    r"(?:(?:e|and|mas|but|so|entao|then|depois) )*"
    r"(?:da para|ha|tem|tens|e|preciso|posso|pode|vem|vao|do|does|did|is|are|can) "
)
_SENTENCE_END = patterns.compile(r"[.;!\n]\s{1,3}\w")
_ENDING = 40
"""Characters before a question that may lead to it."""
_BEFORE_QUESTION = patterns.compile(
    r"(?:(?:^|[\s,.;:!–-])+(?:ah|oh|hm+|ja agora|já agora|by the way|btw|olh[ae]|e|and|mas|but|"
    r"before (?:i|we) (?:go on|continue|start)|antes de (?:continuar|come[cç]ar)))+$",
    patterns.IGNORECASE,
)
"""Words that lead to a question behind a statement: `... ah e quanto me pagam?`"""


def known_language(code: str | None) -> Language | None:
    """Return the language for a code such as `pt-PT`, `en_US` or `fr`; None for any other."""
    short = (code or "").strip().replace("_", "-").split("-")[0].lower()
    return next((each for each in LANGUAGES if each == short), None)


def nearest_language(code: str | None) -> Language:
    """Return the language for a code; for one that is not known the first of all."""
    return known_language(code) or LANGUAGES[0]


def detect_language(text: str, usual: Language | None = None) -> Language | None:
    """Return the language of a text by its small words, or None when they do not tell.

    Where a text may be of several languages, `usual` is taken to be its language if it is among them.
    """
    cased = text.lower()
    text = _HESITATION.sub("", text)
    own = next((each for each, letters in _OWN_LETTERS.items() if letters.search(cased)), None)
    if own is not None:
        return own
    words = [word for word in fold(_without_names(_OF_NAMES.sub(" ", text))).split() if word not in _BOTH]
    if len(words) == 1 and usual is not None and words[0] in _PLAIN:
        return None
    counts = {each: sum(word in small for word in words) for each, small in SMALL_WORDS.items()}
    if usual not in (None, "en") and _BORROWED.issuperset(word for word in words if word in _EN):
        counts["en"] = 0
    if _PT_MARKS.search(cased):
        counts["en"], counts["pt"] = 0, max(counts["pt"], 1)
    most = max(counts.values())
    best = [each for each, count in counts.items() if count == most]
    if most == 0 or (len(best) > 1 and (usual in best or "en" in best)):
        return None
    return best[0]


def _without_names(text: str) -> str:
    """Return the text without capitalised words between others, such as `More` in `Mini 2 Fly More Combo`."""
    words = text.split()
    is_named = [word[0].isupper() or word[0].isdigit() for word in words]
    inside = {
        at for at in range(1, len(words) - 1) if words[at].istitle() and is_named[at - 1] and is_named[at + 1]
    }
    return " ".join(word for at, word in enumerate(words) if at not in inside)


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
    plain = patterns.sub(r"[\s€]|eur(?:os?)?\b", "", text, flags=patterns.IGNORECASE)
    if not patterns.fullmatch(r"[-+]?\d[\d.,]*", plain):
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
