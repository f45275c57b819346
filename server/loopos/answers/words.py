"""The comparison of typed words: without case, accents and small typing errors, but numbers to the digit."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from server import patterns
from server.text_reading.words.sizes import join_letters

_NUMBER_SIGN = patterns.compile(r"\bn\.?\s?[º°]\s*(?=\d)|\bno\.?\s(?=\d)|#\s*(?=\d)", patterns.IGNORECASE)
_MARKED_ORDINAL = patterns.compile(r"(?<=\d)\.?[ºª°]")
_THOUSANDS = patterns.compile(r"(?<![\d.,])\d{1,3}(?:[.\u00a0\u202f]\d{3})+(?![\d.,]*\d)")
_TOKEN = patterns.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
SHORT = 80
"""Characters of a text whose folding is remembered for long: longer ones are what people write, which differs."""
LONG = 64
"""So many longer texts are remembered: a judgement reads its text dozens of times."""
_EDITS = ((8, 2), (5, 1))
"""From this length on so many typing errors are forgiven; shorter words must be right."""

YES = frozenset(
    "sim si s yes y yep yeah yup ok okay claro certo correto correta exato exatamente isso verdade pois "
    "tenho tem temos inclui incluo esta estao vem traz funciona have has does included includes correct "
    "right sure true absolutely definitely certamente obviamente positivo".split()
)
MOST_LETTERS = 1000
"""So much of an answer is read: some patterns take the square of its length."""
_LONGEST = 2 * MOST_LETTERS + SHORT
"""So long is an answer of MOST_LETTERS once it is folded."""
NO = frozenset(
    "nao n no nope nah not nunca never nenhum nenhuma none neither nem sem without falso false negativo "
    "dont doesnt isnt arent havent hasnt didnt wasnt wont cant cannot perdi falta faltam".split()
)
ANSWERS = frozenset(
    "sim si s yes y yep yeah yup ok okay claro certo exato exatamente sure nao n no nope nah".split()
)
"""Words that answer and say nothing else; other words of YES may also name a choice."""
UNKNOWN = frozenset(
    (
        "n sei|nsei|nem sei|n faco ideia|n me lembro|n tenho a certeza|i dunno|dont really know|"
        "nao sei mesmo|nao sei ao certo|nao sei agora|sinceramente nao sei|really dont know|have no idea|"
        "nao sei|sei la|nao faco ideia|nao tenho ideia|nao tenho a certeza|nao tenho certeza|nao me lembro|"
        "nao me recordo|nao lembro|nao sei dizer|nao sei bem|sem ideia|nem ideia|nao tenho nocao|sem nocao|"
        "desconheco|saltar|passar|passa|"
        "passar a frente|passar esta|avancar|ignorar|seguinte|prefiro nao dizer|prefiro nao responder|"
        "dont know|do not know|not sure|no idea|idk|dunno|cant remember|dont remember|do not remember|"
        "saltar por ahora|passer pour linstant|vorerst uberspringen|"
        "no lo se|no se|ni idea|no me acuerdo|no estoy seguro|no estoy segura|je ne sais pas|aucune idee|"
        "je ne me souviens pas|weiss ich nicht|ich weiss nicht|ich weiss es nicht|weiss nicht|keine ahnung|"
        "skip|skip for now|saltar por agora|skip it|skip this|skip this one|pass|next|na|n a|rather not "
        "say|no clue|havent a clue"
    ).split("|")
)
FILLERS = frozenset(
    "a o as os e um uma uns umas de do da dos das no na nos nas em com por para pelo pela ao que se eu "
    "ele ela "
    "este esta esse essa isto isso aquele aquela meu minha seu sua e ser quero queria prefiro escolho "
    "gostava "
    "gostaria pode acho penso talvez favor cor tamanho opcao versao modelo sao foi era fica mesmo mesma "
    "afinal "
    "the an of in on at with for to it is was i im its my id me want would like prefer choose take pick "
    "think "
    "guess maybe please one ones colour color size option version model that this these those and be go "
    "lets "
    "just so thats".split()
)
_SPELLINGS = {"gray": "grey", "cinza": "cinzento", "color": "colour", "aluminum": "aluminium"}


_BLANKS = patterns.compile(r"\s{2,}")
_MARKS = patterns.compile(r"([^\w\s])\1{3,}")


def shorten_runs(text: str) -> str:
    """Return a text as every judge reads it: no pattern behind this meets a long run of blanks or of one mark.

    Blanks around it go, several in a row become one (a new line where they have one), and a mark stands three times at
    most: `ok!!!!!` is `ok!!!`.
    """
    joined = _BLANKS.sub(lambda found: "\n" if "\n" in found[0] else " ", text.strip())
    return _MARKS.sub(r"\1\1\1", joined)


def fold(text: str) -> str:
    """Return small letters without accents and apostrophes; `n.º 3` and `#3` become `numero 3`, `2.ª` becomes `2a`.

    The Portuguese `no` before a noun becomes `na`, for it denies nothing.
    """
    if len(text) <= SHORT:
        return _fold_short(text)
    return _fold_long(text) if len(text) <= _LONGEST else _fold(text)


def _fold(text: str) -> str:
    text = _NUMBER_SIGN.sub("numero ", text)
    text = _MARKED_ORDINAL.sub("o", text)
    bare = text.casefold() if text.isascii() else _without_accents(text.replace("ª", "a").replace("º", "o"))
    return IN_THE.sub("na", patterns.sub(r"(?<=\w)['’`\u00b4](?=\w)", "", bare))


IN_THE = patterns.compile(
    r"\bn[ao](?= (?:(?:proprio|mesmo|meu|seu|teu|nosso|outro|proximo|ultimo|primeiro|segundo|passado) )?"
    r"(?:mes|ano|natal|inicio|comeco|fim|inverno|outono|sabado|domingo|dia|seculo|aniversario|entanto|vidro|ecra|canto|"
    r"lado|topo|meio|fundo|rebordo|interior|exterior|quarto|sotao|armario|escritorio|trabalho|carro|cabo|assento|braco|"
    r"pe|punho|guiador|quadro|visor|aro|fecho|tecido|couro|plastico|botao|teclado|ecran|carregador|deposito|proximo|"
    r"ultimo|primeiro|outro|passado|lixo|(?!entao\b)\w{2,}ao|\w{3,}inho)\b)"
)
"""The Portuguese `no` before its noun, which is `em o` and no denial: it is read as its other gender, `na`."""


def _without_accents(text: str) -> str:
    """Return the letters of a text that is not ASCII, of which some are more than one, without marks.

    Marks go before too: to put a long run of them in order takes the square of its length.
    """
    bare = "".join(each for each in text if each == _IOTA or not _is_mark(each))
    flat = unicodedata.normalize("NFKD", bare)[: _MOST_OF_ONE * len(text) + SHORT].casefold()
    return "".join(each for each in flat if not unicodedata.combining(each))


def _is_mark(letter: str) -> bool:
    return unicodedata.combining(letter) != 0 or letter in _OF_MARKS


_IOTA = "\u0345"
"""A mark that is a letter where case is folded."""
_OF_MARKS = frozenset("\u0f73\u0f75\u0f81")
"""Characters that are no marks and consist of marks alone."""
_MOST_OF_ONE = 2
"""So many letters of one are read on average: a fraction and an ellipsis are three, U+FDFA is a sentence of 18."""
_fold_short = lru_cache(maxsize=4_096)(_fold)
"""Names of the catalog and words of questions are folded at each message."""
_fold_long = lru_cache(maxsize=LONG)(_fold)


def tokens(text: str) -> list[str]:
    """Return the words and numbers of a text, folded; letters and digits are split (`128gb` is `128`, `gb`)."""
    if len(text) <= SHORT:
        return list(_split_short(text))
    return list(_split_long(text) if len(text) <= _LONGEST else _split(text))


def _split(text: str) -> tuple[str, ...]:
    folded = _THOUSANDS.sub(lambda found: patterns.sub(r"\D", "", found[0]), fold(join_letters(text)))
    return tuple(_SPELLINGS.get(each, each.replace(",", ".")) for each in _TOKEN.findall(folded))


_split_short = lru_cache(maxsize=4_096)(_split)
"""The options of a question are split once for each word that a person says."""
_split_long = lru_cache(maxsize=LONG)(_split)


def is_number(token: str) -> bool:
    """Return whether this token is a number: its digits are those that `int` and `float` read, in any script."""
    return token[0].isdecimal()


def edits(one: str, other: str, limit: int) -> int:
    """Return how many letters were missed, added, changed or swapped with their neighbour; above `limit` inexact."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before, above = above, row
    return above[-1]


NO_TYPOS = frozenset("looked looking".split())
"""Words that are one letter from another word, as `looked` is from `locked`."""


def likeness(one: str, other: str) -> float:
    """Return 1 for the same word, 0.9 for another ending (`preta`, `preto`), less for typing errors, 0 for others."""
    if one == other:
        return 1.0
    if is_number(one) or is_number(other) or not NO_TYPOS.isdisjoint((one, other)):
        return 0.0
    if len(one) >= 4 and one.rstrip("aeos") == other.rstrip("aeos") and len(one.rstrip("aeos")) > 1:  # noqa: PLR2004
        return 0.9
    limit = next((count for length, count in _EDITS if min(len(one), len(other)) >= length), 0)
    return 0.8 if limit and one[0] == other[0] and edits(one, other, limit) <= limit else 0.0


def without_fillers(words: Iterable[str]) -> list[str]:
    """Return the words that say something."""
    return [word for word in words if word not in FILLERS]


_ASIDE = frozenset("i im eu desculpe sorry pergunta question isso isto that this".split())


def is_unknown(text: str) -> bool:
    """Return whether the writer of the text does not know, or wants to go on without an answer."""
    words = tokens(text)
    joined = " ".join(words)
    bare = " ".join(word for word in words if word not in _ASIDE)
    return joined in UNKNOWN or bare in UNKNOWN or _UNKNOWING.fullmatch(bare) is not None


_MISSED = r"(?: (?!mas|but|talvez|acho|maybe|think)[a-z]\w*)"
_TELL = "diz(?:er|e)|por|responder|indicar|mencionar|revelar|partilhar|escrever|divulgar"
_WITHHOLDING = (
    rf"(?:prefiro|preferia|prefer[ie]ria) (?:nao|n) (?:o |a )?(?:{_TELL})|"
    rf"(?:nao|n) (?:quero|queria|desejo|pretendo|gostava de|gosto de) (?:{_TELL})|"
    r"(?:(?:would|id|d) )?(?:rather|prefer) not(?: to)?"
    r"(?: (?:say|state|tell|put|answer|share|mention|give|write))?|"
    r"(?:dont|do not) (?:want|wish|care) to (?:say|state|tell|answer|share|mention|give)"
)
"""The seller does not want to say it; a wish to write a text otherwise is no such."""
_LEAVING = (
    r"(?:(?:dunno|idk|no|nao|may|can|could|shall|just|please|then|ok|so|i|we|you|pode|podes|por|favor|entao) )*"
    r"(?:leave (?:(?:it|this|that|the \w+(?: of \w+)?) )?out|"
    r"deix[ae]r? (?:(?:isso|isto|esta|essa|o \w+|a \w+) )?(?:de )?fora)(?: (?:por|favor|pf|please|then|entao))*"
)
"""The seller asks to leave the question out."""
_COUNTING_NOT = (
    r"(?:(?:am |im )?afraid )?(?:(?:have |ive )?not|havent|never|didnt|dont|do not) (?:kept|keep) (?:a )?"
    r"(?:count|track)(?: of (?:it|them|that))?"
)
_UNKNOWING = patterns.compile(
    rf"(?:{_WITHHOLDING}){_MISSED}{{0,7}}|{_LEAVING}|{_COUNTING_NOT}|"
    rf"(?:nao|n|nem) (?:sei|me lembro|faco ideia|tenho ideia)(?: (?:ao certo|bem|mesmo|dizer))?(?: de)? "
    rf"(?:quant[oa]s?|quando|qual|quais|se|onde){_MISSED}{{1,6}}|"
    rf"(?:dont know|do not know|no idea|not sure|cant remember) "
    rf"(?:how (?:many|much|long|old)|when|which|what|if|whether){_MISSED}{{1,7}}|"
    r"(?:(?:entao|pode|podes|podemos|posso|quero|prefiro|then|so|ok|well|lets|let|us|just|can|could|we|you|please) )*"
    r"(?:salt[ae]r?|pass[ae]r?|avanc[ae]r?|skip|pass)(?: (?:esta|essa|isto|isso|a|it|this|that|one|ahead|por|favor|pf|"
    r"please|frente|agora|for|now))*|"
    r"(?:(?:entao|pode|podes|posso|quero|prefiro|then|can|could|just|please|ill|will|lets) )*"
    r"(?:(?:deix[ae]r?|ficar?|fique) (?:(?:isso|isto|assim|esta|essa) )?(?:em branco|vazi[oa]|por responder)|"
    r"leave (?:(?:it|this|that) )?(?:blank|empty|out))(?: (?:por|favor|pf|please))*|"
    r"(?:nao|n|nem) (?:lhe |te |vos )?(?:sei|me lembro|faco ideia)"
    r"(?: (?:como|onde|ver|vejo|ve|dizer|isso|isto|mesmo|muito|bem|disso|ao certo))+|"
    r"(?:nao|n) se aplica(?: aqui)?|not applicable|doesnt apply|does not apply|"
    r"nem me lembro|(?:nunca|nao) (?:contei|verifiquei|reparei)(?: (?:isso|os|as) ?\w*)?|"
    r"(?:nao (?:tenho (?:como|forma de)|da para)|impossivel) (?:saber|ver)|"
    r"(?:nao (?:sei|faco ideia|tenho ideia|tenho nocao)|sem ideia|desconheco)(?: ao certo)? "
    r"d?[oa]s? \w+(?: d[ao]s? \w+)?|"
    r"(?:(?:i )?(?:dont|do not) know|no (?:idea|clue)|not sure)(?: (?:about|of))? (?:the|its) \w+(?: \w+)?|"
    r"(?:couldnt|could not|cant|cannot|wouldnt|hard to) (?:say|tell|know)"
    r"(?: (?:really|you|for sure|exactly|how many))*|"
    r"(?:never|havent|have not|didnt) (?:counted|checked|count|check|looked)(?: (?:it|them|the \w+))?|"
    r"(?:no|not any) way (?:of knowing|to (?:know|tell))|"
    r"(?:e |and )?how (?:(?:should|shud|shld|would|could|the hell|on earth|am|i) )+(?:(?:supposed|meant) to )?know"
    r"(?: it)?|"
    r"(?:mas |e )?como (?:e que |eh que |q )?(?:(?:hei de|ia|haveria de) saber|(?:quer|queres) que saiba)(?: disso)?|"
    r"(?:dont|do not) know (?:(?:how|where|to|check|see|tell|that|it|this) ?)+"
)
"""Longer ways of not knowing: `não sei ver isso`, `I don't know how to check`."""


def clauses(text: str) -> list[list[str]]:
    """Return the text's parts between commas, full stops and `but`, as tokens."""
    parts = patterns.split(r"(?<!\d)[,.](?!\d)|(?<=\D)[,.]|[,.](?=\s|$)|[;:!?—–]|\bmas\b|\bbut\b", fold(text))
    return [words for words in (tokens(part) for part in parts) if words]


def polarity(words: Sequence[str]) -> bool | None:
    """Return whether the words of one clause say yes or no; None when neither."""
    if any(word in NO for word in words):
        return False
    return True if any(word in YES for word in words) else None


def without_debris(text: str) -> str:
    """Return a text that was cut without the brackets, marks and joints that stand alone now."""
    for _ in range(2):
        text = _EMPTY.sub(" ", text)
    text = patterns.sub(r"\s{2,}", " ", _REPEATED.sub(r"\1\2", _BEFORE_MARK.sub("", text)))
    text = _AROUND_ENDS.sub("", patterns.sub(r"([(\[])\s*[,;.]*\s*", r"\1", text))
    text = text.rstrip(" ,;([")
    opened, closed = text.count("("), text.count(")")
    if opened > closed:
        text = f"{text})" if text.rfind("(") > 0 else text.replace("(", "", 1)
    return text[:-1].rstrip() if closed > opened and text.endswith(")") else text


_EMPTY = patterns.compile(r"[(\[]\s*(?:(?:e|and|mas|but|ou|or)\b|[,.;:!?–-]|\s)*[)\]]")
_BEFORE_MARK = patterns.compile(r"\s+(?=[,.;!?)\]])|(?<=[(\[])\s+|[\s,;]+(?=[)\]])")
_REPEATED = patterns.compile(r"([,;.])(?:\s*[,;])+|(?<=[.!?])\s*,(?=\s)|(?<=\s)([–—-])(?:\s+[–—-])+(?=\s)")
_AROUND_ENDS = patterns.compile(
    r"^(?:[\s,.;:!+/&=–-]|(?:e|and|mas|but)\s)+|(?:[\s,;:+/&=–-]|(?<=[\s,;])(?:e|and|mas|but|so)(?=[\s,;]*$))+$",
    patterns.IGNORECASE,
)
