"""The clauses of a text that name something of an item: a thing that comes with it, a fault, a figure, a condition of
its sale. Everything else that a seller says is talk, and stands in no text that is proposed.
"""

from __future__ import annotations

from functools import lru_cache

from server import patterns
from server.loopos.answers.amounts.dates import ANY_MONTH
from server.loopos.answers.certainty import HEDGES, NEGATIONS, NODS, PRAISE, content, is_like
from server.loopos.answers.clauses.asides import is_ignorant
from server.loopos.answers.clauses.behind_faults import softening_behind
from server.loopos.answers.clauses.faults import denies_faults, is_place, tells_fault
from server.loopos.answers.clauses.included_things import excepts_things
from server.loopos.answers.words import MOST_LETTERS, fold, tokens

_NAMES = frozenset(
    # What is packed with an item.
    "caixa box embalagem packaging carregador charger transformador adaptador adaptadores adapter brick "
    "cabo cable "
    "hdmi usb ficha plug lead capa case bolsa pouch mala bag estojo sleeve correia strap bracelete "
    "pulseira tripe "
    "tripod cartao sd suporte stand dock telecomando remote pelicula protector caneta pen pencil rato "
    "mouse auriculares "
    "auscultadores earphones earbuds headphones manual manuais instrucoes instructions instruction "
    "booklet livro "
    "fatura recibo talao receipt invoice garantia warranty acessorios accessories extras "
    # Parts of an item that are sold with it, or that break.
    "bateria battery batteries pilhas lente lens lentes objetiva filtro filter tampa lid cover coberta "
    "comando comandos "
    "controller controllers pad pads joycon joycons joystick jogos game games disco discs "
    "selim saddle pedal pedais pedals pneu pneus tyre tyres tire tires cadeado lock bomba pump capacete helmet "
    "guarda-lamas mudguard mudguards luzes lights cesto basket grelha tabuleiro tray almofada cushion "
    "alcofa carrycot "
    "bassinet raincover redutor footmuff arnes harness jarro jarra jug portafilter portafiltro manipulo "
    "colher spoon heads cabecas "
    "scoop copo cup varoma espatula batedor whisk escova brush escovas brushes bocal nozzle nozzles "
    "acessorio accessory "
    "agulha needle stylus feltro mat tapete parafusos screws chave chaves keys ferragens fittings "
    "frother vaporizador wand rubber borracha grip punho teclado keyboard sensor motor ecra screen base "
    "roda rodas "
    "wheel wheels brake brakes travao travoes correntes corrente chain capota hood mic microphone "
    "microfone speaker "
    "speakers coluna colunas botao botoes button buttons port ports tecla teclas autonomia leitor aquecimento "
    "heating vapor mount mounts flash visor display mudancas velocidades gears guiador handlebar "
    "handlebars quadro frame "
    "garfo fork".split()
)
"""Things that come with an item, and parts of it."""
_ONLY_WITH = frozenset("sd keys base lock pen mouse livro acessorio accessory copo cup extras".split())
"""Words that name a thing where another word stands beside them."""
_MARKS = patterns.compile(
    r"\b(?:marks?|marcas?|marquinhas?|wear|desgaste|scr?a(?:t)?ch\w*|scuff\w*|cra?ck?e?d|chips?|chipped|"
    r"wobbl\w*|"
    r"smells?|cheira|rasg\w+|risqu\w+|(?:is|are|esta) (?:a bit )?(?:bad|rough|mau|ma)|fad(?:ed|ing)|"
    r"creas\w*|vincos?|pelos?|stick drift|spits|cospe|sticks|"
    r"(?:wants|needs|precisa de) (?:\w+ing|afina\w+|repara\w+|limpeza)|banged|bumps?|dust|p[oó]|specks?|"
    r"lost|perd\w+|"
    r"repaired|reparad[oa]s?|replaced|trocad[oa]s?|substitu[ií]d[oa]s?|repairs?|repara[cç](?:ao|oes)|"
    r"cut out|wonky|squeals?|torn|loose)\b"
)
"""Marks, and what was done to an item, beside the faults."""
_TIMES = (
    rf"(?:{ANY_MONTH}|verao|inverno|outono|primavera|natal|pascoa|christmas|easter|inicio|"
    r"fi(?:m|ns)|fina(?:l|is)|meados|ano|mes|dia)\b"
)
"""Words of when something was bought, and not of where."""
_TERMS = patterns.compile(
    r"\b(?:negociave(?:l|is)|negotiable|nearest offer|or near offer|ono|obo|(?:collection|pick ?up) only|"
    r"collect(?:ion|ed)? (?:from|in|only)|levantar em|so (?:para )?(?:levantar|levantamento|recolha)|"
    r"entrega em mao|"
    r"(?:levantamento|recolha) (?:em|no|na)|(?:smoke|pet)s?[ -]?(?:and[ -]?(?:smoke|pet)s?[ -]?)?free|"
    r"(?:non|no) ?smok(?:ing|ers?)|no pets|nao fumador(?:es)?|sem (?:fumo|animais|fumadores)|"
    r"(?:ninguem|no ?(?:body|one)) (?:fuma|smokes)|"
    r"(?:ha|tenho|temos|have|got|has|theres|there is) (?:um|uma|an?|one|two|dois|duas) "
    r"(?:gat[oa]s?|ca(?:o|es)|cats?|dogs?)|refurb\w*|"
    r"recondicionad[oa]s?|"
    r"second ?hand|em segunda mao|never (?:been )?(?:opened|repaired|dropped|used|worn)|unopened|unlocked|"
    r"desbloquead[oa]s?|"
    r"(?:nunca (?:foi |foram )?(?:abert|reparad|usad)[oa]s?)|sealed|selad[oa]|boxed|brand new|(?:fits|"
    r"serve) \w+|"
    r"(?:used|usad[oa]s?) (?:with|by|com|por) (?:an?|one|two|three|uma?|dois|duas|tr[eê]s|\d) \w+|"
    r"(?:(?:there(?: i)?s|has|have|got|with|but|and) )(?:an? |no )?(?:lift|elevator)\b|(?:tem|ha|com|sem) elevador|"
    r"windows \d+|"
    r"works? (?:on|with) any|qualquer rede|any network|one owner|unico dono|under warranty|na garantia|"
    r"(?:still )?in (?:its |the |original )+box|"
    r"(?:bought|comprad[oa]|comprei)(?:[- ][oa])? (?!em \d)(?:new |nov[oa] |refurbished )?(?:from|at|off|via|na|no|"
    rf"nas|nos|em) (?!before|last|the start|{_TIMES})\w)"
)
"""Conditions of a sale, and what an item went through."""
_FIGURE = patterns.compile(
    r"\b(?:dura|duram|aguenta|lasts?|runs?)\b.{0,20}\b(?:\d+|uma?|an?|two|three|duas|tr[eê]s) ?(?:h|"
    r"horas?|hours?|min\w*|"
    r"dias?|days?|semanas?|weeks?)\b|"
    r"\b(?:capacity|capacidade|health|saude|altura|largura|comprimento|profundidade|height|width|depth)\b.{0,15}\d|"
    r"(?<![\w.,])\d+(?:[.,]\d+)? ?(?:cm|mm|polegadas|inch(?:es)?|litros?|"
    r"liters?|litres?|kg|watts?|mah|wh|rpm)\b"
)
"""A measure; a storage is a value of an option."""
_ALLY = frozenset("all every everything todos todas no sem without original originais the os as".split())
_ORDERS = patterns.compile(
    r"^(?:(?:e|and|but|mas|ok|sim|yes|no|nao|please|pls|por favor|so|then|entao|ah|oh|also|btw)\b[\s,]*)*"
    r"(?:(?:please |por favor )?(?:do not|dont|nao) (?:put|add|write|say|mention|include|show|e para|"
    r"ponha|poe|ponham|por|"
    r"escrev\w+|diga|mete|meta)|leave (?:out|it out)|remove|take (?:out|that)|delete|drop|tir[ae]|"
    r"retir[ae]|apag[ae]|"
    r"(?:can|could|will|would|do|does|should|shall|must|may) (?:i|you|u|we|it|the)\b|i can\b|can remove|"
    r"posso|devo|pod(?:es?|em)\b|"
    r"change|mud[ae]|troc[ae]|alter[ae]|corri[gj]\w+|make it|set |esque[cç]\w*|forget|ponha|poe (?:isso|que)|"
    r"eu perguntei|perguntei|i asked|i was asking|i meant|i mean|quero dizer|qual|which (?:one|of)|"
    r"vamos|lets|agora (?:o|a|os|as)\b|now the|selling|vend(?:o|er|emos)|queria|quero|i (?:d|would|"
    r"should) like|i want)\b"
)
"""The start of a clause that says what to do, asks, or speaks of the sale itself."""
_JOINED = patterns.compile(
    r"^(?:which|that(?: (?:is|are|has|have|was))|who|though|although|embora|que|o qual|a qual|apesar|"
    r"but (?:it|they|that)|mas (?:[eé]|s[aã]o|est[aá]))(?![\w])",
    patterns.IGNORECASE,
)
"""The start of a clause that belongs to the one before it."""
_BORDERS = patterns.compile(
    r"(\s*(?:[.;!\n]+|\?+|,)(?=\s|$)\s*|\s+[-–—]\s+|\s*—\s*|\s+(?=(?:mas|but|except|exceto|apart from)\s))"
    r"(?![^()]{0,200}\))",
    patterns.IGNORECASE,
)
_WORDS_BEFORE = (
    r"also|tamb[eé]m|well|olhe|olha|oh|ooh|ah+|bem|btw|by the way|then|like|tipo|lol|pronto|hm+|"
    r"i(?:['’]d| would) say(?: that)?|eu diria(?: que)?|please note(?: that)?|note that|"
    r"(?:(?:can|could) (?:i|you|u) |please )*(?:add|mention|note|put)(?: (?:that|in that))?(?! (?:it|out|"
    r"the price)\b)|"
    r"(?:podes?|podem|posso) (?:acrescentar|juntar|p[oô]r)(?: que)?"
)
_TALK_BEFORE = patterns.compile(rf"^(?:(?:{_WORDS_BEFORE})(?![\w'’])[\s,:]*)+", patterns.IGNORECASE)
"""Words before a fact that belong to the talk."""
_LEADS = patterns.compile(
    rf"^(?:(?:{_WORDS_BEFORE}|e|and|but|mas|it(?:['’]s| is) (?:only|just)(?= the| an?\b)|"
    r"[eé] s[oó](?= [oa]s?\b| aquel[ea]s?\b)|except(?: (?:that|for))?|exce[p]?to(?: que)?|apart from|tirando|"
    r"comes? with|vem com)(?![\w'’])[\s,:]*)+",
    patterns.IGNORECASE,
)
"""These, and the joints to what stands before."""
_ASIDE = patterns.compile(
    r"[\s,]*\b(?:by the way|btw|lol|haha+|ffs|soz|tbf|tbh|mate|bro|mano|p[aá]|dear|like i (?:said|"
    r"told (?:you|u))|"
    r"como (?:j[aá] )?(?:disse|referi)|que (?:lhe|te|vos) (?:disse|falei)|(?:as )?i (?:said|told (?:you|"
    r"u))(?: already)?)"
    r"(?![\w'’])",
    patterns.IGNORECASE,
)
"""Talk in a fact."""
_PRONOUN = patterns.compile(r"\b(?:jogo|cover|lead|game|mat|case)\b")
_COUNTED = patterns.compile(
    r"\b(?:the|an?|my|its?|no|with|original|spare|extra|of|one|two|three|both|os?|as?|uma?|uns|umas|dois|"
    r"duas|tr[eê]s|"
    r"com|sem|de|d[oa]s?|rain|dust|power|carry(?:ing)?|hard|soft|\d+) (?:\w+ )?(?:jogo|cover|lead|game|"
    r"mat|case)\b"
    r"|^(?:jogo|cover|lead|game|mat|case)\b(?! (?:in|of|o|a|fortnite))"
)
"""A word that may be a verb or a case of something, as a thing."""


def names_thing(word: str) -> bool:
    """Return whether a word is a thing that comes with an item or a part of it, with a typing error in "
    "a long one."""
    return any(_is_same(word, each) for each in _NAMES)


@lru_cache(maxsize=1024)
def _is_same(word: str, thing: str) -> bool:
    if word == thing or word in (f"{thing}s", f"{thing}es") or f"{word}s" == thing:
        return True
    return min(len(word), len(thing)) >= _LONG and word != "remove" and is_like(word, thing)


_LONG = 7
"""A shorter word may be another one."""


def things_in(clause: str) -> set[str]:
    """Return the words of a clause that name things."""
    flat = " ".join(tokens(clause))
    found = {word for word in flat.split() if names_thing(word)}
    if _PRONOUN.search(flat) and not _COUNTED.search(flat):
        found -= set(_PRONOUN.findall(flat))
    weak = {each for each in found if each in _ONLY_WITH or each in _GENERAL}
    own = [each for each in content(flat.split()) if each not in found]
    return (
        found
        if found - weak or own or not _ALLY.isdisjoint(set(flat.split()) - {"the", "os", "as"})
        else set()
    )


_GENERAL = frozenset("acessorios accessories acessorio accessory".split())


def tells_mark(clause: str) -> bool:
    """Return whether a clause tells a fault or a mark of an item, and does not deny it."""
    return tells_fault(clause) or (
        _MARKS.search(fold(clause)) is not None
        and not denies_faults(clause)
        and NEGATIONS.isdisjoint(tokens(clause))
    )


def is_item_fact(clause: str) -> bool:
    """Return whether a clause names something of an item: a thing, a fault or mark, a measure, or a term of its sale.

    One that only says what is for sale (`got 2 things to sell: headphones`) does not.
    """
    flat = fold(clause).strip(" .,;:!").replace("'", "").replace("’", "")
    if not content(tokens(clause)) or "?" in clause or _ORDERS.match(flat) or len(clause) > MOST_LETTERS:
        return False
    if _FOR_SALE.search(flat):
        return False
    if tells_fault(clause) or _TERMS.search(flat):
        return True
    if is_ignorant(clause) and not things_in(clause):
        return False
    return tells_mark(clause) or _FIGURE.search(flat) is not None or _names_a_thing(clause)


def is_term(clause: str) -> bool:
    """Return whether a clause tells a condition of the sale, or what the item went through."""
    return _TERMS.search(fold(clause).replace("'", "")) is not None


def is_measure(clause: str) -> bool:
    """Return whether a clause tells a measure: how wide something is, what it holds, how long it lasts."""
    return _FIGURE.search(fold(clause)) is not None


def marks_in(text: str) -> str:
    """Return the clauses of a text that tell a fault or a mark."""
    return "; ".join(each for each in fact_runs(text, as_note=True) if tells_mark(each))


def _names_a_thing(clause: str) -> bool:
    """Return whether a clause names a thing, and does not only praise it or say that it works."""
    things = things_in(clause)
    if not things:
        return False
    own = set(content(tokens(clause))) - PRAISE - HEDGES - NODS - _WORKING
    said = tokens(_AS_WELL.sub(" ", clause))
    works = not (_WORKING.isdisjoint(said) and PRAISE.isdisjoint(said))
    return bool(own - things) if works else True


_AS_WELL = patterns.compile(r"\bas well\b", patterns.IGNORECASE)
_WORKING = frozenset(
    "works work working funciona funcionam fine ok bem responds responde liga ligam great ye yh".split()
)


def item_facts(text: str, *, as_note: bool = False) -> str:
    """Return the clauses of a text that name something of an item, whole and with their own marks between them.

    `as_note`: those that may stand beside an answer, the first with its own joint.
    """
    return "; ".join(fact_runs(text, as_note=as_note))


def fact_runs(text: str, *, as_note: bool = False) -> list[str]:
    """Return the clauses of a text that name something of an item; those that follow each other stand together.

    A clause that belongs to the one before it (`which is loose`, `one original`) stands with that one or not at all.
    """
    parts = _BORDERS.split(text) if len(text) <= MOST_LETTERS else []
    parts = _join_exceptions(parts)
    kept, is_kind = list[int](), _is_note if as_note else is_item_fact
    for at in range(0, len(parts), 2):
        clause = bare_fact(parts[at])
        is_asked = "?" in "".join(parts[at + 1 : at + 2])
        belongs = _JOINED.match(parts[at].strip()) is not None or _JOINED.match(clause) is not None
        belongs &= bool(at) or not as_note  # The first words beside an answer may belong to that.
        if at and (belongs or _GOES_ON.match(clause) or is_place(clause)):
            if at - 2 not in kept and tells_fault(clause) and things_in(parts[at - 2]):
                kept.append(at - 2)
            is_fact = at - 2 in kept or (not _JOINED.match(clause) and is_kind(clause))
        else:
            is_fact = not (is_asked or belongs) and is_kind(clause)
        if is_fact:
            kept.append(at)
    runs = list[str]()
    for at in kept:
        if at - 2 in kept and runs:
            runs[-1] += parts[at - 1] + _ASIDE.sub("", parts[at])
        else:
            is_note = as_note and not at
            runs.append(_ASIDE.sub("", _TALK_BEFORE.sub("", parts[at])) if is_note else bare_fact(parts[at]))
    return [each.strip(" .,;:!") for each in runs]


_GOES_ON = patterns.compile(
    r"^(?:and |e )?(?:[oa]s? (?:de|d[oa]|outr[oa])\b|the other\b|not (?:two|three|four|one|\d+)|"
    r"n[aã]o (?:dois|duas|tr[eê]s|uma?|\d+)|"
    r"(?:only |just |s[oó] )?(?:one|two|both|um|uma|dois|duas|ambas|ambos) (?:(?:of|d[eo]l[ea]s|"
    r"them) )*(?:is|are|has|have|with|"
    r"com|[eé]|tem|s[aã]o|original|originais|new|nov[oa]|spare|extra))\b",
    patterns.IGNORECASE,
)
"""The start of a clause that says more of what was counted before it."""


def whole_clause(text: str, words: str) -> str:
    """Return the clauses of a text around words that alone say nothing whole: `2 comandos, um com "
    "drift`; else them."""
    if len(content(tokens(words))) > 1 and not _JOINED.match(words):
        return _with_part(text, item_facts(words) or words) + (
            _contrast_behind(text, words) or softening_behind(text, words)
        )
    found = (each for each in fact_runs(text) if words in each)
    whole = next(found, words)
    parts = _BORDERS.split(whole)
    at = next((at for at in range(0, len(parts), 2) if words in parts[at]), 0)
    first = at - 2 if at and (_JOINED.match(parts[at]) or _GOES_ON.match(parts[at])) else at
    told = bare_fact("".join(parts[first : at + 1])) or words
    return _THOUGH.sub("", told)


def _contrast_behind(text: str, words: str) -> str:
    """Return what the text denies right behind these words: ` mas não verte` of a tank that has a crack."""
    found = _CONTRAST.match(text, text.find(words) + len(words)) if words in text else None
    return "" if found is None else found[0].rstrip()


_CONTRAST = patterns.compile(
    r",?\s+(?:mas|but|though)\s+(?:(?:it|que|isso|that|ele|ela|they)\s+)?"
    r"(?:n[aã]o|nunca|never|doesn['’]?t|does not|don['’]?t|isn['’]?t|is not|nothing|nada)\s+"
    r"[^\s,.;!?\d]+(?:\s[^\s,.;!?\d]+){0,3}(?=\s*(?:[.,;!]|$))",
    patterns.IGNORECASE,
)
"""A clause that denies what the fault before it may cause."""


def _with_part(text: str, words: str) -> str:
    """Return words with the part of the item that stands before them and `com`: `quadro com uma pancada`."""
    found = _PART_WITH.search(text[: text.find(words)]) if words in text and not things_in(words) else None
    return f"{found[0].lstrip()}{words}" if found and things_in(found["part"]) else words


_PART_WITH = patterns.compile(
    r"(?:^|(?<=[,.;!\n]))[ ]*(?P<part>(?:(?:the|my|o|a|os|as|e|and)[ ])?[^\W\d]{3,30}(?:[ ][^\W\d]{2,30})?)[ ]"
    r"(?:com|with|tem|has)[ ]$",
    patterns.IGNORECASE,
)
"""A part and the word that joins what it has, at the end of a text."""


_THOUGH = patterns.compile(r"^(?:though|although|embora)\s+", patterns.IGNORECASE)


def _is_note(clause: str) -> bool:
    return _OF_USE.search(fold(clause)) is not None or is_item_fact(clause) or _excepts(clause)


def _excepts(clause: str) -> bool:
    """Return whether a clause says that all is there but some things: `all except the spatula`."""
    is_of_state = tells_mark(clause) or not PRAISE.isdisjoint(tokens(clause))
    return excepts_things(clause) and not is_of_state and "?" not in clause


def _join_exceptions(parts: list[str]) -> list[str]:
    """Return clauses and the borders between them, an exception with the clause that says all of the rest."""
    joined = parts[:1]
    for at in range(2, len(parts), 2):
        whole = "".join([joined[-1], *parts[at - 1 : at + 1]])
        if _excepts(whole) and not _excepts(parts[at]):
            joined[-1] = whole
        else:
            joined += parts[at - 1 : at + 1]
    return joined


_OF_USE = patterns.compile(
    r"\b(?:(?:barely|hardly|little|never|pouco|quase nao|nunca) (?:been )?(?:used|worn|usad[oa]s?)|"
    r"em nome d|in .{1,30} name\b|"
    r"(?:nao|not|doesnt) (?:tem|work|heat|have)|(?:contas?|accounts?|icloud|google)\b)"
)
"""How an item was used, whose it is and what was done with its account: this stands beside an answer too."""


def bare_fact(clause: str) -> str:
    """Return a clause without the talk before and in it."""
    return _ASIDE.sub("", _LEADS.sub("", clause.strip())).strip()


def says_marks(text: str) -> str:
    """Return the clauses of words beside an answer that name something of the item; nothing where none does."""
    return item_facts(text, as_note=True)


_FOR_SALE = patterns.compile(
    r"\b(?:things?|items?|stuff|coisas?|artigos?) (?:to sell|for sale|p(?:a)?ra vend\w+|a vend\w+)\b|"
    r"^(?!.*\b(?:not|nao|n)\b).*\b(?:for sale|a venda|para venda)$|"
    r"\b(?:got|have|ive|tenho|temos) .*\b(?:to sell|for sale|p(?:a)?ra vender|a venda)$"
)
