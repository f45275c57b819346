"""Things that a message names and does not sell: a present, what is new, what is kept, and what goes with the item."""

from collections.abc import Callable, Iterable
from functools import partial

from server import patterns
from server.languages import fold

_CLAUSES = patterns.compile(
    r"(?<![.!?;\n])[.!?;\n]+(?=\s|$)|,\s+|(?<!\s)\s+(?=(?:mas|but|porque|because|since|por isso|so|ja que|que ja)\s)|"
    r"(?<!\s)\s+(?:e|and)\s+"
    r"(?=(?:a|o|as|os|the|it|i|my|fico|ficamos|vou|keep\w*|tir\w+|esque\w+|remov\w+|nao|not|don)\b)",
    patterns.IGNORECASE,
)
"""The borders of what is said of one thing."""
_NOT_SOLD = patterns.compile(
    r"\b(?:nao|nem|nunca|not|never|isn t|aren t|don t|dont|won t|wouldn t|without) (?:\w+ ){0,3}?"
    r"(?:vend\w+|venda|sale|sell\w*|offer\w*)\b"
)
"""Words that a thing is not for sale."""
_SOLD = patterns.compile(r"\b(?:vend\w+|venda|sale|sell\w*|list(?:ing)?|anuncia\w*)\b")
_TAKEN_OFF = patterns.compile(
    r"(?<!\bnao )(?<!\bt )(?<!\bdont )\b(?:tir[ae]\w*|retir[ae]\w*|remov\w+|apag\w+|esque[cç]\w+|"
    r"forget|never ?mind|delete|scrap|drop|leave out|"
    r"(?:(?:deix[ae]|deixem) (?:estar )?|leave )(?:o|a|os|as|the|my)\b"
    r"(?!.*\b(?:depois|seguir|tarde|later|after\w*|next|last|now|agora|amanha|tomorrow|for|para)\b)|"
    r"(?:take|leave|get) (?:\w+ ){0,4}(?:off|out|away))\b"
)
_KEPT = patterns.compile(
    r"\b(?:fico com|ficamos com|ficar com|fica (?:para|pra) (?:mim|nos)|e (?:para|pra) (?:mim|nos|ficar)|guardo|"
    r"^keeping|(?:i|we) (?:\w+ ){0,2}keep\w*|(?:i m|we re|i ll|am|will|be) (?:be )?keep\w*|"
    r"stays? (?:here|with (?:me|us)))\b"
)
_PRESENT = patterns.compile(
    r"\b(?:(?:deu|deram|ofereceu|ofereceram)(?: ?[mn](?:e|os))?|(?:me|nos) (?:deu|deram|ofereceu|ofereceram)|"
    r"prenda|presente|"
    r"gave (?:me|us)|(?:was|were|been) given|gift|present|christmas|natal|got (?:me|us) an?|bought (?:me|us) an?|"
    r"recebi|upgraded?|upgrading|troquei|mudei para|passei para|mudamos para|replac\w+|instead|em vez)\b"
)
"""Words of a thing in the place of another one."""
_NEW = patterns.compile(
    r"\b(?:bought|got|getting|have|comprei|comprou|compramos|comprar|arranjei|tenho) (?:myself )?"
    r"(?:(?:an?|the|uma?|o|a) (?:brand )?(?:new|nov[oa])\b|(?:an?|uma?) (?:\S+ ){1,3}(?:nov[oa]|brand new)\b)"
)
_KIND = (
    r"(?:carrinho|carro|bicicleta|bina|portatil|computador|maquina|telemovel|relogio|camara|aspirador|robot|consola|sofa|mesa|"
    r"cama|conjunto|pram|stroller|pushchair|buggy|bike|laptop|computer|machine|phone|watch|camera|hoover|vacuum|console|"
    r"table|bed|set|same)"
)
_GOES_ALONG = patterns.compile(
    r"\b(?:faz(?:em)? parte|part of|belong\w*|pertenc\w+|inclui\w*|inclus[oa]s?|includ\w+|vai tudo|vao tudo|tudo junto|"
    r"vai com|vao com|goes? with|come?s? (?:together|with|along)|vem com|all together|is just|are just|e so|sao so|"
    r"e apenas|not an? (?:second|separate|other)|nao e (?:outr[oa]|um segundo|uma segunda)|"
    rf"(?:e|sao) (?:mesmo )?d[oa]s? {_KIND}|is (?:the )?(?:processor|cpu|chip|part)|e o processador|"
    rf"(?:is|are) (?:part )?(?:of|for|from) the {_KIND}|(?:is|are) the {_KIND}s)\b"
)
"""Words of a thing that is a part of the item or goes with it."""
_OTHER_ARTICLE = r"(?:um|uma|an|i|tenho|vendo|sell|also|tambem|my|meu|minha|another|outr[oa])"
_ALONG = [
    (r"(?:com|inclui|traz)\s+(?:[oa]s?|todos|todas)", r"[oa]s?", _OTHER_ARTICLE),
    (r"(?:with|including|includes)\s+(?:the|its|both|all)", r"(?:the|its|both)", rf"(?:{_OTHER_ARTICLE}|a)"),
]
"""The words before a thing that goes along, the article that one more of them has, and words that end their list."""
_LISTED = patterns.compile(
    r"(?:\b(?:e|and|com|with|plus|mais|inclu\w+)|[,+&])\s+(?:[^\s,.;:!?]+\s){0,2}?(?:jogos?|games?|acess[oó]rios?|"
    r"accessories|extras?|lentes?|lens(?:es)?)(?:\s*[:(]\s*|\s(?:como|such as|like)\s|\s(?!(?:e|and|com|with)\b))"
    r"(?P<list>(?:(?!\b(?:uma?|an?|also|tamb[eé]m|my|meu|minha|another|outr[oa])\b)[^.!?;\n)]){1,200})",
    patterns.IGNORECASE,
)
"""The things of a kind that goes with the item, up to one with an article of its own: `e 3 jogos: gta v e fifa 21`."""
_LONG = 4  # Letters of a word that alone stands for a name.
_SENTENCES = r"[.!?;\n]+(?=\s|$)"
_HARDWARE = patterns.compile(
    r"i[3579](?:-?\w+)?|m[1-5]|core|intel|amd|ryzen|ram|ssd|hdd|rom|gb|tb|mb|cpu|gpu|processador|processor|chip|"
    r"\d+(?:gb|tb|mb|ghz|w|v|mm|cm|kg|l|a)?"
)
"""A word of what is in a computer, or a measure."""


def is_no_item(text: str, name: str) -> bool:
    """Return whether a text names a thing that is not sold beside another one, or a part of that.

    It is a present, it is new, it is kept, or it goes with the item: `com a alcofa e a cadeira`, `e 3 jogos: fifa 21`.
    """
    words = _words(name)
    is_part = all(map(_HARDWARE.fullmatch, words)) and not all(map(str.isdigit, words))
    listed = (_flat(each["list"]).split() for each in _LISTED.finditer(text))
    along = _goes_with_it(text, words) or any(set(words) <= set(each) for each in listed)
    return is_part or is_taken_back(text, name) or along or is_present(text, name)


def is_present(text: str, name: str) -> bool:
    """Return whether a text names a thing that was given or bought in the place of the one that is sold."""
    clauses = _clauses_of(text, _words(name))
    sold = any(_SOLD.search(each) for each in clauses)
    return not sold and any(_PRESENT.search(each) or _NEW.search(each) for each in clauses)


def is_taken_back(text: str, name: str) -> bool:
    """Return whether a text says of a thing that it is not for sale after all, is kept, or belongs to the item.

    A number of its name stands for all of it, as `a tm6` does; in a name without one any longer word.
    """
    said, words = (_NOT_SOLD, _KEPT, _TAKEN_OFF, _GOES_ALONG), _words(name)
    marks = [each for each in words if any(map(str.isdigit, each))]
    named = marks or [each for each in words if len(each) >= _LONG] or words
    clauses = [each for each in map(_flat, _CLAUSES.split(text)) if not set(named).isdisjoint(each.split())]
    return any(each.search(clause) for clause in clauses for each in said)


def without_things_along(text: str) -> str:
    """Return a text without the clauses that say only that something goes along: `vai tudo junto`."""
    return _without(text, _tells_along)


def _tells_along(clause: str) -> bool:
    flat = _flat(clause)
    named = _SOLD.search(flat) or any(map(str.isdigit, flat))
    return _GOES_ALONG.search(flat) is not None and not named


def without_taken_back(text: str, names: Iterable[str]) -> str:
    """Return a text without the clauses that say so of these things, and without what only takes them off a list."""
    for name in names:
        text = _without(text, partial(_takes_off, name))
    return " ".join(text.split()).strip(" ,;")


def without_not_sold(text: str) -> str:
    """Return a text without the clauses that say of something that it is not for sale."""
    return _without(text, lambda clause: _NOT_SOLD.search(_flat(clause)) is not None)


def _without(text: str, is_left_out: Callable[[str], bool]) -> str:
    """Return a text without some of its clauses."""
    parts, begin = list[str](), 0
    for end, after in _borders_of(text):
        if not is_left_out(text[begin:end]):
            parts.append(text[begin:after])
        begin = after
    return "".join(parts)


def without_separate_sales(text: str) -> str:
    """Return a text without what it says of things that are sold apart from the item; the text where it says no more.

    Of `two batteries and separately an RF 50mm` the batteries are left.
    """
    if not _APART.search(fold(text)):
        return text
    parts = _PHRASE_BORDERS.split(text)
    kept = [each for at, each in enumerate(parts) if at % 2 == 0 and not sells_apart(each)]
    return ", ".join(filter(None, (each.strip() for each in kept))) or text


def sells_apart(text: str) -> bool:
    """Return whether a text says that something is sold apart: `the lens is a separate sale`, `vendo à parte`."""
    return _APART.search(fold(text)) is not None


_APART = patterns.compile(
    r"\b(?:sep[ea]r[ea]t(?:e|ed)? (?:sale|listing|ad|advert|item|purchase)|sep[ea]r[ea]t(?:e)?ly|separadamente|"
    r"em separado|(?:vend\w+|venda|anuncio|artigo) (?:a parte|separad[oa]s?)|a parte (?:vendo|tenho|tambem))\b"
)
"""Words of a sale apart from this one, in folded text."""
_PHRASE_BORDERS = patterns.compile(
    r"(,\s+|[.;!?\n]+(?=\s|$)|\b(?:and|plus|e|mais|mas|but)\s+"
    r"(?=(?:also\s+|tamb[eé]m\s+)?(?:sep|em sep|[aà] parte|vend|sell)))",
    patterns.IGNORECASE,
)


def _takes_off(name: str, clause: str) -> bool:
    flat = _flat(clause)
    return is_taken_back(clause, name) or bool(_ONLY_OFF.fullmatch(flat) or _ONLY_THIS.fullmatch(flat))


_ONLY_OFF = patterns.compile(
    r"(?:(?:e|and|mas|but|so|please|por favor|pf|entao|then) )*"
    r"(?:tir[ae]|retir[ae]|remov[ae]|remove|apag(?:a|ue)|delete|take|esque[cç]a?)"
    r"(?: (?:isso|ess[ea]|that|it|one|off|out|la|dai|daqui|please|por favor))*"
)


_ONLY_THIS = patterns.compile(
    r"(?:(?:e|and|mas|but|i m|im|i am|vou|quero) )*(?:so|apenas|somente|just|only)"
    r"(?: (?:vendo|vender|quero vender|fica|sell|selling|i m selling|want to sell|i want to sell))?"
    rf" (?:o|a|the|my|este|esta|esse|essa|this)(?: (?:{_KIND}|one))?"
)
"""A clause that says that the present item alone is sold: `só vendo o telemóvel`."""


def _goes_with_it(text: str, words: list[str]) -> bool:
    """Return whether a text names a thing behind `with the` or `com a`, and no other article stands before it."""
    name, sentences = r"[\s,-]+".join(map(patterns.escape, words)), patterns.split(_SENTENCES, fold(text))
    found = (
        rf"\b{along}\s+(?:(?:(?!{end}\b)[\w-]+[\s,]+){{0,8}}?(?:(?:e|and)\s+)?(?:{article}\s+)?)?{name}\b"
        for along, article, end in _ALONG
    )
    return any(patterns.search(each, sentence) for each in found for sentence in sentences)


def _borders_of(text: str) -> list[tuple[int, int]]:
    """Return where each clause of a text ends, and where the next one begins."""
    return [*((each.start(), each.end()) for each in _CLAUSES.finditer(text)), (len(text), len(text))]


def _clauses_of(text: str, words: list[str]) -> list[str]:
    """Return the clauses of a text, folded, that have all words of a name."""
    clauses = map(_flat, _CLAUSES.split(text))
    return [each for each in clauses if words and set(words) <= set(each.split())]


def _words(text: str) -> list[str]:
    return _flat(text).split()


def _flat(text: str) -> str:
    """Return a text folded, with a blank for each mark."""
    return " ".join(patterns.findall(r"[a-z0-9]+", fold(text)))


def keeps_named(clauses: list[str]) -> bool:
    """Return whether the last clause keeps what the one before leaves out: `o jogo não vai, fico com ele`."""
    flat = [fold(each) for each in clauses[-2:]]
    return len(flat) > 1 and bool(_KEEPS_IT.match(flat[1]) and _LEFT_OUT.search(flat[0]))


_KEEPS_IT = patterns.compile(
    r"(?:(?:e|and|so|por isso|i think) )*(?:fico|ficar|ficamos|(?:(?:i'?ll|i will|i am|i'?m|im|we'?re"
    r"|we'?ll) )?(?:be )?keep(?:ing)?)(?: eu)? (?:com )?(?:ele|ela|eles|elas|isso|it|that|them)\b"
)
_LEFT_OUT = patterns.compile(
    r"\b(?:(?:nao|ja nao) (?:vai|vao|vem|esta inclu\w+|estao inclu\w+|incluo)|(?:is|are|isn'?t|aren'?"
    r"t|not) (?:not )?(?:included|coming|going|part)|(?:won'?t|will not|does not|doesn'?t|do not|don'"
    r"?t) (?:be )?(?:included|come|go)|stays? here)\b"
)
