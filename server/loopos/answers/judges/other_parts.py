"""Clauses of an answer about another part of the item than the one that its question asks for."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import NEGATIONS, content, doubts, opening
from server.loopos.answers.clauses.faults import denies_faults, tells_fault
from server.loopos.answers.clauses.included_things import without_missing_things
from server.loopos.answers.element import Element
from server.loopos.answers.judges.fault_notes import affirms_work
from server.loopos.answers.options.option_sides import valid_option
from server.loopos.answers.options.synonyms import label_key
from server.loopos.answers.refusals import ProbableAnswer
from server.loopos.answers.words import fold, tokens

_ELSEWHERE = patterns.compile(
    r"\b(?:(?:on|in|at|near|around|to|of) (?:the |its |one )?(?:back|rear|frame|case|body|lid|"
    r"bottom|base|chassis|box|strap)|(?:na|no|nas|nos|da|do|das|dos) (?:parte de tras|traseira|verso|costas|moldura|"
    r"later(?:al|ais)|tampa|base|caixa|carcaca|corpo|fundo|aro)|atras|de tras|traseir[oa]s?|"
    r"backs? (?:glass|cover|panel|plate|cracked|scratched)|camera|camara|pelicula|protect(?:or|ion)|"
    r"(?:the|its) (?:back|rear|frame|lid)|[ao] (?:traseira|parte traseira|tampa(?: traseira)?|moldura|carcaca))\b"
)
"""Words that say where a fault is."""
_BESIDE_IT = patterns.compile(
    r"(?P<near>\b(?:near|around|by|next to|close to|junto|perto|ao pe)(?: (?:the|its|a|ao|da|do|de))? )?"
    r"\b(?:bezel|strap|band|bracelet|clasp|buckle|moldura|bracelete|correia|pulseira|fivela|luneta|bisel|aro)\b"
)
"""A part beside a glass or screen; a mark near it is on the glass."""
_PROTECTOR = patterns.compile(r"\b(?:screen|glass) protector\b", patterns.IGNORECASE)
_BETWEEN = patterns.compile(r"[,.;!?\n]+\s+|\b(?:but|mas)\b", patterns.IGNORECASE)
_NOT_THE_SCREEN = patterns.compile(
    r"[\s,;.]*\b(?:(?:but|and|mas|e)\s+)?(?:not|never|n[aã]o|nem)\s+(?:[eé]\s+|is\s+|it['’]?s\s+)?"
    r"(?:(?:on|in|at|of)\s+)?(?:the|o|no|do)\s+(?:screen|ecr[aã]|display)[\s.!]*$",
    patterns.IGNORECASE,
)
"""The end of an answer that says of a fault that the screen does not have it."""
_IS_AT = patterns.compile(
    r"\b(?:the|o|os|a|as) (?:[\w']+ ){1,3}?(?:is|are|e|sao|esta|estao|fica) (?:so |only |just )?"
    r"(?:on|in|at|near|around|no|na|nos|nas|num|numa|em|ao|atras)\b"
)
"""Words that say where a fault is that both sides know: `the scratch is on the side`."""
_CHOSEN = frozenset(("select", "boolean"))
_SCREEN, _LENS = frozenset("ecra screen vidro glass".split()), frozenset("lente lens".split())
_OF_LENS = frozenset(
    "lente lentes lens lenses sensor vidro glass elemento element optica optics inside dentro interior".split()
)
_AT_A_PLACE = patterns.compile(
    r"\b(?:(?:on|in|at|near|around|to|of) (?:the|its|one|a)|no|na|nos|nas|num|numa|do|da|atras|de tras) (?!bit\b)\w"
)
"""Words that say where a fault is, whatever part has it."""
_COMES_WITH = frozenset("carregador charger caixa box fatura invoice".split())
"""Things that come with an item and are no part of it."""


def without_other_parts(element: Element, answer: str, own: set[str] | None = None) -> str:
    """Return the answer to a question about one part without what it says of others: of a screen without the faults
    elsewhere, of a charger without the clauses about the screen too, of whether something works without what is not
    there.

    `own` are the words of the question. Nothing is left of an answer about other parts alone; the answer to any other
    question is returned as it is.
    """
    words = own or set(content(tokens(f"{element.label.pt} {element.label.en}")))
    if any(label_key(each.label.en) == _WITH_FAULTS for each in element.options):
        return _of_working(answer, words)
    if element.kind == "select" and not _LENS.isdisjoint(words):
        return _of_lens(answer)
    if element.kind == "select" and _ASKS_HOW_IT_IS.match(fold(element.label.en)):
        answer = _without_other_things(answer, words)
        if not answer:
            return ""
    is_thing = element.kind == "boolean" and not _COMES_WITH.isdisjoint(words)
    if own is None and not (is_thing or (element.kind in _CHOSEN and not _SCREEN.isdisjoint(words))):
        return answer
    answer = _with_what_is_there(element, answer, words) if is_thing else _PROTECTOR.sub("protector", answer)
    named = "" if is_thing else _NOT_THE_SCREEN.sub("", answer)
    parts = [part for part in _BETWEEN.split(named or answer) if part.strip()]
    faulty = [at for at, part in enumerate(parts) if tells_fault(part) and not words & set(tokens(part))]
    if named and named != answer and len(faulty) == len(parts):
        return ""  # `a scratch on the back, not the screen` says nothing of the screen but that.
    others = [] if is_thing else _faults_of_others(parts, faulty)
    kept = [
        part
        for at, part in enumerate(parts)
        if at not in others and (words & set(tokens(part)) or not _is_elsewhere(part, is_thing))
    ]
    is_turned = not {"mas", "but"}.isdisjoint(tokens(answer))
    if is_thing and len(kept) < len(parts) and not is_turned and _NO.issuperset(tokens(" ".join(kept))):
        return ""  # `no, the screen is fine` denies what was said of the screen.
    rest = ", ".join(map(str.strip, kept))
    if len(kept) < len(parts) and not is_thing and _only_denies(words, tokens(rest)):
        return ""  # `the film is cracked, the screen isn't` denies what was said of the film.
    return answer if len(kept) == len(parts) else rest


def _with_what_is_there(element: Element, answer: str, own: set[str]) -> str:
    """Return an answer that names the thing which is asked for without its clauses of what is missing beside it, or of
    the other one where either counts: `falta a base, tenho o carregador`.
    """
    either = not {"ou", "or"}.isdisjoint(tokens(f"{element.label.pt} {element.label.en}"))
    rest = without_missing_things(answer, set() if either else own)
    named = own.intersection(tokens(rest)) and {"yes", "sim"}.isdisjoint(tokens(answer))
    return rest if named and NEGATIONS.isdisjoint(tokens(rest)) else answer


def _only_denies(own: set[str], said: list[str]) -> bool:
    """Return whether words name what is asked about, and say no more than a denial."""
    is_bare = NEGATIONS.issuperset(content(said, own))
    return is_bare and not own.isdisjoint(said) and not NEGATIONS.isdisjoint(said)


def _without_other_things(answer: str, own: set[str]) -> str:
    """Return an answer to how a part is without the clauses which tell the fault of a thing of another name."""
    names = own.union(*(each for each in SAME_PARTS if not own.isdisjoint(each)))
    parts = [part for part in _BETWEEN.split(answer) if part.strip()]
    kept = [part for part in parts if not _is_worn_elsewhere(part, names)]
    return answer if len(kept) == len(parts) else ", ".join(map(str.strip, kept))


def _is_worn_elsewhere(part: str, names: set[str]) -> bool:
    flat = fold(part)
    worn = _WEARS.match(flat)
    is_worn = worn is not None and names.isdisjoint(tokens(flat)) and worn["thing"].split()[0] not in _PLACES
    return is_worn or (tells_fault(part) and _names_another(flat, names))


def _names_another(part: str, names: set[str]) -> bool:
    """Return whether a clause names a thing that has a fault or is where a fault is, and none of the names."""
    if not names.isdisjoint(tokens(_NOT_THE_BOWL.sub(" ", part))):
        return False
    found = (_HAS_FAULT.match(part), _BROKE.match(part), _IN_A_THING.search(part))
    named = [each["thing"] for each in found if each]
    return any(not (each.split()[0] in _PLACES or tells_fault(each)) for each in named)


_ASKS_HOW_IT_IS = patterns.compile(r"how (?:is|are) the (?!screen)\w+\W*$|is the frame of the seat\b")
"""A question about one part, whose faults those of other things are not; that for a screen has its own rules."""
SAME_PARTS = (
    frozenset("taca bowl copo pot panela".split()),
    frozenset("agulha stylus needle tip ponta pontinha diamante".split()),
    frozenset("vidro glass screen ecra visor crystal safira sapphire mostrador face".split()),
    frozenset("bateria battery autonomia range carga charge".split()),
    frozenset(
        "tecido tecidos fabric fabrics hood capota canopy lining forro cover capa material cloth "
        "almofada cushion".split()
    ),
)
"""Other names of the parts."""
_NOT_THE_BOWL = patterns.compile(r"\bcopo (?:medidor|(?:de )?medidas?|doseador)\b")
_DAMAGED = (
    r"(?:crack\w*|chip\w*|broken?|scratch\w*|dent\w*|smashed|torn|missing|damaged|worn|gast[oa]|danificad\w*|"
    r"racha\w*|partid\w*|riscad\w*|estalad\w*|rasgad\w*|ripped)"
)
_NO_THING = (
    r"(?!(?:there|its?|they|that|this|tem|esta|ha|has|is|not?|nao|nem|sem|never|nunca|very|quite|muito|ja|ainda|still|"
    r"already)\b)"
)
_HAS_FAULT = patterns.compile(
    r"(?:(?:and|only|just|e|so|apenas|nao|no|yes|sim|its|it is) )*(?:(?:the|its|my|os?|as?) )?"
    rf"(?P<thing>{_NO_THING}\w{{3,}}(?: \w+)?) (?:(?:is|has|got|esta|tem|ta|e que|um|uma|an?|the) )*{_DAMAGED}"
)
"""A thing before its fault, at the start of a clause."""
_WEARS = patterns.compile(
    r"(?:(?:and|only|just|e|so|apenas|yes|sim|but|mas) )*(?:(?:the|its|my|os?|as?) )?"
    rf"(?P<thing>{_NO_THING}(?!(?:these|those|everything|mine|most|looks?|parece\w*)\b)\w{{3,}}(?: \w+)?) "
    r"(?:is|are|has|have|got|esta|estao|ta|tao|tem) (?:(?:an?|um|uma|bit|little|bocado|pouco|slightly|quite|very|muito|"
    rf"meio|also|already|ja) )*{_DAMAGED}"
)
"""A thing that is worn, little or much."""
_BROKE = patterns.compile(
    r"(?:partiu(?: |-)se|rachou(?:(?: |-)se)?|i broke) (?:the|os?|as?) (?P<thing>\w{3,})"
)
_IN_A_THING = patterns.compile(
    rf"\b{_DAMAGED} (?:\w+ )?(?:on|in|at|no|na|nos|nas|do|da) (?:the |its )?(?P<thing>\w{{3,}}(?: \w+)?)"
)
_PLACES = frozenset(
    "corner corners canto cantos edge edges borda rim side sides lado lados top bottom middle meio centro center "
    "inside outside interior exterior fundo base cima baixo surface parte ponta both um uma small little tiny just "
    "only so some few slightly badly one all tudo todo toda bit seat assento".split()
)
"""Words of where a fault is in the part itself, and of how large it is."""


def _of_working(answer: str, own: set[str]) -> str:
    """Return an answer to whether something works without what is missing beside it and the faults of a thing that
    comes with it; nothing where the rest says of other things than the item how they are: `the bin is fine, all heads
    there except one`.
    """
    rest = without_missing_things(answer, own)
    parts = [part for part in _BETWEEN.split(rest) if part.strip()]
    kept = [part for part in parts if not _OF_ACCOUNT.fullmatch(" ".join(tokens(part)))]
    if len(kept) < len(parts):
        rest, parts = ", ".join(map(str.strip, kept)), kept
        if opening(rest) in ((True, ""), (False, "")) or not kept:
            return ""  # `yes, it's free of accounts` affirms what it says of the accounts.
    found = [_OF_EXTRA, _ONLY_EXTRA] if opening(rest)[0] is False else [_OF_EXTRA]
    kept = [
        part for part in parts if not (_tells_only_fault(part) and any(e.search(fold(part)) for e in found))
    ]
    if len(kept) < len(parts) and _NO.issuperset(tokens(" ".join(kept))):
        return ""  # `no, only the controller drifts` denies what was said of the item.
    rest = rest if len(kept) == len(parts) else ", ".join(map(str.strip, kept))
    parts = [part for part in _BETWEEN.split(rest) if part.strip()]
    is_of_others = all(_THING_IS_FINE.match(fold(part)) and own.isdisjoint(tokens(part)) for part in parts)
    return "" if rest != answer and is_of_others else rest


_OF_ACCOUNT = patterns.compile(
    r"(?:(?:e|and|it|its|it s|they re|is|are|ele|ela|esta|ta|ja|all|completely|totalmente|tudo) )*"
    r"(?:livre|free|desbloquead[oa]|unlocked|signed out|logged out)"
    r"(?: (?:of|from|de|das?|dos?|any|all|todas?|as|my|contas?|accounts?|icloud|google|passwords?|palavras? passe|"
    r"e|and|locks?|bloqueios?))*"
)
"""A clause that only says that a device is free of accounts."""


def _tells_only_fault(part: str) -> bool:
    return tells_fault(part) and not affirms_work(part)


_EXTRA = (
    r"(?:controllers?|gamepads?|remote|chargers?|cables?|box|comandos?|telecomando|carregador|cabos?|caixa)\b"
)
_OF_EXTRA = patterns.compile(
    r"\b(?:so|apenas|somente|only|just) (?:mesmo |really )?"
    rf"(?:(?:on|in|with|em) (?:the |one |my |um )?|n[oa]s? |d[oa]s? |nu?ma? )(?:\w+ )?{_EXTRA}|"
    rf"\b{_EXTRA} (?:e|sao) que\b|\bits (?:only |just )?the (?:\w+ )?{_EXTRA} (?:that|which)\b"
)
_ONLY_EXTRA = patterns.compile(rf"\b(?:so|apenas|only|just) (?:the |my |one |o |um )?(?:\w+ )?{_EXTRA}")
"""A thing that comes with an item as the only one that has a fault: `o drift é só no comando`."""
_WITH_FAULTS = "it works with faults"
_THING_IS_FINE = patterns.compile(
    r"(?:yes )?(?:the|my|os?|as?) (?!rest\b|resto\b)(?:\w+ ){1,2}?(?:(?:is|are|esta|estao|ta) )?"
    r"(?:all |muito |very )?(?:fine|good|great|ok|bem|bom|boa|perfect)\W*$"
)
"""A clause that says of a thing that it is well, and nothing of whether it works."""


def _of_lens(answer: str) -> str:
    """Return an answer about a lens without its clauses of a fault at another place: `a scratch on the back screen`."""
    parts = [part for part in _BETWEEN.split(answer) if part.strip()]
    kept = [
        part
        for part in parts
        if not (_at_another(fold(part)) and tells_fault(part) and _OF_LENS.isdisjoint(tokens(part)))
    ]
    is_bare = len(kept) < len(parts) and not content(tokens(" ".join(kept)), _NO)
    return "" if is_bare else answer if len(kept) == len(parts) else ", ".join(map(str.strip, kept))


def _at_another(part: str) -> bool:
    return _AT_A_PLACE.search(part) is not None or _OF_CAMERA.search(part) is not None


_OF_CAMERA = patterns.compile(
    r"\b(?:(?:the|its|my|just|only|o|a|os|as|so) )(?:body|screen|display|lcd|grip|hood|back|case|strap|rear|corpo|ecra|"
    r"visor|punho|parassol|tampa|capa|bolsa|traseira)\b"
)
"""Another part of a camera as what a clause speaks of."""


def _faults_of_others(parts: list[str], faulty: list[int]) -> list[int]:
    """Return the places of the faulty clauses that are not about the screen, where another clause says that it has
    none: those before it, and those that say where the fault is.
    """
    clean = [at for at, part in enumerate(parts) if _says_clean(part)]
    return [at for at in faulty if clean and (at < clean[-1] or _IS_AT.search(fold(parts[at])))]


def _says_clean(part: str) -> bool:
    """Return whether a clause says of the screen that it has no fault."""
    is_own = not _SCREEN.isdisjoint(tokens(part))
    return is_own and not tells_fault(part) and (denies_faults(part) or bool(_IS_FINE.search(fold(part))))


def judge_sound(element: Element, answer: str, language: str) -> ProbableAnswer | None:
    """Return that a screen has no marks, asked back, where an answer only says that it is fine."""
    says, after = opening(answer)
    said = fold(answer) if says is None else after
    clean = [each for each in element.options if label_key(each.label.en) == _NO_MARKS]
    if element.kind != "select" or len(clean) != 1 or not _IS_FINE.search(said) or tells_fault(answer):
        return None
    is_turned = doubts(tokens(said)) or "?" in answer
    return None if is_turned else ProbableAnswer(valid_option(clean[0], language))


_NO_MARKS = "no marks"
_IS_FINE = patterns.compile(
    r"(?:\b(?:screens?|ecra|glass|vidro)\b(?: [\w']+){0,3} |"
    r"^(?:(?:its|it is|they are|theyre|esta|ta|tudo|all|still|ainda) )*)"
    r"(?:fine|good|great|ok|okay|perfect|bem|bom|otimo|optimo|impecavel|perfeito)\b"
)
_NO = frozenset("no nao n nope nah".split())


def _is_elsewhere(part: str, is_thing: bool) -> bool:
    words = tokens(part)
    on_screen = is_thing and not _SCREEN.isdisjoint(words)
    beside = _BESIDE_IT.search(fold(part)) if tells_fault(part) and _SCREEN.isdisjoint(words) else None
    if beside is not None:
        return beside["near"] is None
    where = _ELSEWHERE.search(fold(part)) if tells_fault(part) else None
    is_of_glass = where is not None and where[0].endswith(_ENDS) and not _CRACKS.isdisjoint(words)
    return on_screen or (where is not None and not is_of_glass)


_ENDS = ("bottom", "fundo")
_CRACKS = frozenset(
    "cracked crack cracks smashed shattered rachado rachada rachadela estalado estalada".split()
)
"""What breaks at one of these ends of a device is its screen, unless another part is named."""
