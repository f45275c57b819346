"""The state of a thing, in an answer that also says how it will be, that it has no faults, or that nobody tried it."""

from __future__ import annotations

from dataclasses import replace

from server import patterns
from server.loopos.answers.certainty import NEGATIONS, content, doubts, opening
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.element import Element
from server.loopos.answers.judges.fault_notes import affirms_work, beside, says_fine, tells_only_looks
from server.loopos.answers.options.freed_accounts import has_freed_option, tells_network
from server.loopos.answers.options.hints import hints, is_hinted
from server.loopos.answers.options.option_sides import leads, not_an_option, valid_option
from server.loopos.answers.options.synonyms import label_key
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import clauses, fold, tokens

_WITH_FAULTS, _NOT_WORKING = "it works with faults", "it does not work"
_BORDERS = patterns.compile(r"([,.;!\n]+\s+|\s+(?=(?:but|mas|e|and)\s))", patterns.IGNORECASE)
_LATER = patterns.compile(
    r"\b(?:will (?:need|have|be|take)|ill \w+|(?:needs?|has|have|must) (?:to )?be \w+|"
    r"(?:i )?(?:can|could) (?:easily )?(?:take it apart|dismantle|disassemble)|"
    r"take it apart (?:before|when|on the day)|(?:will|ll) take it apart|"
    r"desmont\w+(?:-o|-a)? (?:antes|no dia|na altura|quando)|"
    r"(?:posso|podemos|consigo) desmont\w+|"
    r"(?:vai|vou) (?:ter|ser|precisar|ficar|desmontar|montar)|"
    r"(?:tem|tera) (?:de|que) (?:se )?(?:ser|desmontar|montar))\b"
)
_FEATURES = patterns.compile(
    r"\b(?:noise[ -]cancel\w*|(?:cancelamento|cancelador|reducao|anulacao)(?: \w+)? d[eo] ruidos?)\b"
)
_NO_FAULTS = patterns.compile(
    r"(?<!\b(?:not|n[aã]o) )\b(?:sem|without(?: any)?|no|zero)\s+(?:(?:qualquer|quaisquer|nenhu\w+|any)\s+)?"
    r"(?:defeitos?|problemas?|falhas?|avarias?|faults?|problems?|probs|issues?|trouble|bother|hassle|defects?)\b"
    r"(?:\s+(?:nenhu\w+|at all|whatsoever))?",
    patterns.IGNORECASE,
)
_EXCEPTS = patterns.compile(
    r"\b(?:except\w*|exceto|menos|tirando|salvo|apart|besides|mas|but|only|just|so|apenas)\b"
)
_UNTRIED = patterns.compile(
    r"\b(?:(?:nunca|jamais|nao|n) (?:a |o |os |as |se |foi |fui |cheguei a |foram )*"
    r"(?:liguei|ligad[oa]s?|ligar|usei|usad[oa]s?|usar|experiment\w+|test\w+|abri|abert[oa]s?)|"
    r"(?:never|not|havent|have not|hasnt|has not|didnt|did not)(?: (?:been|even|yet|actually|ever))* "
    r"(?:turn(?:ed)?|used?|tried|try|test(?:ed)?|opened|open|switch(?:ed)?|plugged|plug|powered)|"
    r"untested|unopened|sealed|selad[oa]s?|por abrir)\b"
)
_SHOULD = patterns.compile(
    r"\b(?:dev\w+ (?:funcionar|estar (?:bem|boa?|a funcionar)|trabalhar)|should (?:work|be (?:fine|good|ok|working))|"
    r"(?:tem|tenho) (?:a )?certeza que funciona|must work)\b"
)
_DEAD = patterns.compile(
    r"\b(?:(?:doesnt|does not|wont|will not|nao|n) (?:even )?(?:work|start|turn on|power on|funciona|arranca|liga)\b|"
    r"avariad|dead)"
)


_WORKS = patterns.compile(r"\b(?:works?|worked|working|funciona\w*|trabalha\w*|faz cafe)\b")


def without_other_states(element: Element, answer: str) -> str:
    """Return an answer without the clauses of how it will be, and of a question whether something works without the
    faults that it denies and the parts that it only names; the answer itself where nothing would be left.
    """
    if element.kind not in ("select", "boolean") or "?" in answer:
        return answer
    works = asks_whether_it_works(element)
    said = _NO_FAULTS.sub(" ", answer) if works and not _EXCEPTS.search(fold(answer)) else answer
    said = said if tokens(said) else answer
    parts = _BORDERS.split(said)
    spare = {at for at in range(0, len(parts), 2) if _is_spare(parts[at], works)}
    spare -= {at for at in spare if any(is_hinted([tokens(parts[at])], each) for each in _hints_of(element))}
    kept = [at for at in range(0, len(parts), 2) if parts[at].strip() and at not in spare]
    if len(kept) == sum(bool(each.strip()) for each in parts[::2]):
        return said
    left = "".join(parts[at] + "".join(parts[at + 1 : at + 2]) * (at != kept[-1]) for at in kept)
    return _JOINT.sub("", left.strip(" ,;.")) or said


def _hints_of(element: Element) -> list[str]:
    return [hint for option in element.options for hint in hints(option.label.en)]


_JOINT = patterns.compile(r"^(?:but|mas|e|and)\s+", patterns.IGNORECASE)


def asks_whether_it_works(element: Element) -> bool:
    """Return whether an option of the question says that it works with faults."""
    return any(label_key(each.label.en) == _WITH_FAULTS for each in element.options)


def _is_spare(part: str, works: bool) -> bool:
    flat = fold(part)
    if tells_fault(part):
        return False
    is_named = works and _FEATURES.search(flat) and NEGATIONS.isdisjoint(tokens(part))
    return bool(is_named or _LATER.search(flat))


def prefer_working(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return that it works, asked back, where a clause says so and no clause says that it does not, nor tells a fault:
    `no! it works well`.
    """
    if isinstance(judged, Valid) or not asks_whether_it_works(element):
        return judged
    if _denies_a_half(element, answer):
        lacks = _HAS_NONE.search(fold(_as_clauses(answer))) and not tells_fault(answer)
        faulty = [
            o for o in element.options if (leads(o) if lacks else label_key(o.label.en) == _WITH_FAULTS)
        ]
        guess = valid_option(faulty[0], language) if faulty else None
        return (
            judged
            if guess is None
            else ProbableAnswer(replace(guess, shown=guess.shown + beside(_as_clauses(answer))))
        )
    working = next((each for each in element.options if leads(each)), None)
    if working is None or tells_fault(answer) or _DEAD.search(fold(answer)):
        return judged
    if isinstance(judged, Refused):
        is_fine = says_fine(answer) and NEGATIONS.isdisjoint(tokens(answer))
        is_open = judged.code == "ambiguous" and opening(answer)[0] is False
        is_open |= judged.code == "not_an_option" and is_fine
    else:
        guessed = next((each for each in element.options if each.value == judged.guess.value), None)
        key = "" if guessed is None else label_key(guessed.label.en)
        is_open = key == _NOT_WORKING or (key == _WITH_FAULTS and not _says_partly(answer))
    is_working = is_open and (affirms_work(answer) or says_fine(answer))
    return ProbableAnswer(valid_option(working, language)) if is_working else judged


def _denies_a_half(element: Element, answer: str) -> bool:
    """Return whether a clause denies of another thing what one before it says: `funciona, o aquecimento não`; of a
    thing that the question names it may deny more than that: `o motor sim (aquecimento não tem)`.
    """
    said = clauses(_as_clauses(answer))
    own = set(content(tokens(f"{element.label.pt} {element.label.en}")))
    agrees = (affirms_work(" ".join(each)) or each[-1] in ("sim", "yes") for each in said)
    return any(agrees) and any(
        words[-1] in _DENIALS and ((at and words[0] in _ARTICLES) or not own.isdisjoint(words))
        for at, words in enumerate(_LASTLY.sub("", " ".join(each)).split() for each in said)
        if len(words) > 1
    )


_HAS_NONE = patterns.compile(r"\b(?:nao|n|doesnt|does not) (?:tem|ha|have)\b")
"""What a thing does not have is no fault of it: `o motor trabalha, aquecimento não tem`."""
_ARTICLES = frozenset("o a os as the".split())


def _as_clauses(answer: str) -> str:
    """Return an answer with commas for its brackets and dashes."""
    return _MARKS.sub(", ", answer).strip(" ,.")


_MARKS = patterns.compile(r"\s*[()–—]\s*|\s-\s")
_LASTLY = patterns.compile(r"(?<=\b(?:nao|not)) (?:tem|ha|da|faz|funciona|trabalha|liga|aquece|works?|heat)$")


_DENIALS = frozenset("nao not doesnt isnt dont arent no".split())


def _says_partly(answer: str) -> bool:
    """Return whether an answer that tells no fault still says that not all of it works, or not always."""
    words = tokens(answer)
    return "?" in answer or doubts(words) or not _PARTLY.isdisjoint(words)


_PARTLY = frozenset(
    "sometimes vezes partly partially half parte metade so apenas only just meio mal barely one um uma left right side "
    "lado esquerdo esquerda direito direita rarely raramente intermittent intermittently some alguns algumas with com "
    "issues batteries bateria battery apart tirando excepting besides aside fora".split()
)


def judge_state(element: Element, answer: str, language: str) -> Judgement | None:
    """Return what an answer to whether something works says of a thing that nobody tried, or whose battery is all that
    is worn; None where it says neither. Marks that are only seen say nothing of that.
    A yes that speaks of the network of a phone says nothing of accounts.
    """
    if has_freed_option(element) and opening(answer)[0] and "?" not in answer and tells_network(answer):
        return Refused("of_accounts")
    if not asks_whether_it_works(element):
        return None
    if tells_only_looks(answer):
        return not_an_option(element, language)
    told = (
        _judge_without_half(element, answer, language)
        or _judge_untried(element, answer, language)
        or _judge_mended(element, answer, language)
    )
    return told or _judge_worn(element, answer, language) or _judge_excepted(element, answer, language)


def _judge_without_half(element: Element, answer: str, language: str) -> ProbableAnswer | None:
    """Return that it works, with the clause that one of two things which are asked for is not there, where the others
    say that it works: `motor is fine, there's no heating on this one`.
    """
    label, parts = fold(element.label.en), [each.strip(" .!") for each in _HALVES.split(answer)]
    working = next((each for each in element.options if leads(each)), None)
    own = set(content(tokens(f"{element.label.pt} {label}")))
    lacking = [
        each for each in parts if (found := _LACKS.fullmatch(fold(each).strip())) and found["thing"] in own
    ]
    rest = ", ".join(each for each in parts if each and each not in lacking)
    is_fine = (affirms_work(rest) or says_fine(rest) or _IS_FINE.search(fold(rest))) and not tells_fault(rest)
    if working is None or len(lacking) != 1 or " and " not in label or "?" in answer or not is_fine:
        return None
    if doubts(tokens(rest)) or opening(rest)[0] is False:
        return None
    option = valid_option(working, language)
    return ProbableAnswer(replace(option, shown=option.shown + beside(*lacking)))


_HALVES = patterns.compile(r"[,.;]\s+|\s+(?:but|mas)\s+", patterns.IGNORECASE)
_IS_FINE = patterns.compile(r"\b(?:is|esta|ta) (?:fine|good|ok|bom|boa|bem|impecavel)\b")
_LACKS = patterns.compile(
    r"(?:(?:it|this|this one|mine|(?:a )?est[ae]|ess[ae]|o meu|a minha) )?(?:(?:but|mas) )?"
    r"(?:(?:theres|there is|its got|has|it has) no|(?:doesnt|does not|didnt) (?:have|come with)(?: any)?|hasnt got|"
    r"no|without|(?:nao|n) (?:tem|ha|traz)|sem) (?P<thing>[a-z]+)(?: function| system)?"
    r"(?: (?:on|in|at) (?:this|it|mine)(?: (?:one|model|mixer))?| (?:neste|nesta|n?este|n?esta)(?: modelo)?|"
    r" on this (?:one|model))?"
)
"""A clause that says that a thing is not there."""


def _judge_excepted(element: Element, answer: str, language: str) -> ProbableAnswer | None:
    """Return that it works with faults, asked back, where an answer says that it works but for one part, which is no
    accessory: `works, it's only that left joycon`, `funciona, só aquele comando é que não`.
    """
    found = _ALL_BUT.fullmatch(fold(answer).strip(" .!"))
    named = content(tokens(found["part"])) if found else []
    own = content(tokens(f"{element.label.pt} {element.label.en}"))
    if found is None or not named or not _BESIDE_IT.isdisjoint(named) or (set(named) <= set(own)):
        return None
    faulty = next(each for each in element.options if label_key(each.label.en) == _WITH_FAULTS)
    option = valid_option(faulty, language)
    words = answer[only.start() :] if (only := _ONLY.search(answer)) else found["except"]
    return ProbableAnswer(replace(option, shown=option.shown + beside(words.strip(" .!"))))


_ONLY = patterns.compile(r"\b(?:s[oó]|only|just|apenas)\b", patterns.IGNORECASE)


_ALL_BUT = patterns.compile(
    r"(?:(?:sim|yes|yeah|yep)(?=.{4,80}\b(?:que (?:nao|n)|doesn['’]?t|isn['’]?t)\b)|(?:(?:sim|yes|yeah|"
    r"yep|ok)[\s,.;]+)?(?:(?:it|everything|tudo|all|el[ea]|o resto|the rest)\s)?(?:(?:ainda|still)\s)?"
    r"(?:works?|working|funcionam?|trabalham?|ligam?)(?:\s(?:tudo|everything|all|fine|well|bem|ok|great|"
    r"good|perfectly|na boa))*)"
    r"(?:\s*[,.;–-]+\s*|\s)(?:(?:but|mas|e|and)\s)?"
    r"(?P<except>(?:(?:(?:its|it['’]?s|it is|e|o (?:unico )?(?:problema|defeito|mal) e|"
    r"the (?:only )?(?:problem|issue|thing)(?: is|['’]?s))\s)?"
    r"(?:so|only|just|apenas))\s(?:(?:that|this|the|one|my|aquel[ea]|ess[ea]|est[ea]|um|uma|o|a|os|as)\s)+"
    r"(?P<part>[^\W\d]+(?:\s[^\W\d]+){0,3}?)"
    r"(?:\s(?:(?:e )?que (?:nao|n)(?: (?:funcionam?|da|ligam?|trabalham?|vai|esta (?:bem|boa|bom)))?|"
    r"(?:nao|n)(?: (?:funcionam?|da|ligam?|trabalham?|vai))?|(?:doesnt|doesn['’]?t|does not|isnt|"
    r"isn['’]?t)(?: work\w*)?|"
    r"(?:is|are|esta|ta|anda) (?:bad|dodgy|off|iffy|mal|a falhar|playing up|acting up)))?)"
)
"""All of an answer that says that something works, and the one part that does not."""
_BESIDE_IT = frozenset(
    "box caixa cabo cabos cable cables carregador charger fatura factura recibo invoice receipt manual bag saco "
    "bolsa case capa jogo jogos game games pilhas batteries bateria battery lead unit thing itself device aparelho "
    "maquina machine missing falta".split()
)
"""What comes with a thing, and words for the thing as a whole."""


def _judge_mended(element: Element, answer: str, language: str) -> ProbableAnswer | None:
    """Return that it works, asked back, where an answer only tells of a fault of before that was repaired since."""
    found = _SINCE_MENDED.match(fold(answer))
    working = next((each for each in element.options if leads(each)), None)
    if found is None or working is None or "?" in answer or tells_fault(found["rest"]):
        return None
    if not NEGATIONS.isdisjoint(tokens(found["rest"])) or _EXCEPTS.search(found["rest"]):
        return None
    return ProbableAnswer(valid_option(working, language))


def without_past_faults(element: Element, answer: str) -> str:
    """Return what an answer to whether something works says behind a fault of before that was repaired since."""
    found = _SINCE_MENDED.match(fold(answer)) if asks_whether_it_works(element) else None
    return found["rest"] if found else answer


_SINCE_MENDED = patterns.compile(
    r"\s*(?:(?:it|its|yes|yeah|no|nao|sim|well|bem|ja|(?:the|my|o|a) [\w-]+)[\s,]+)*"
    r"(?:was|were|had|used to|stopped|broke|estava|era|tinha|avariou|partiu|deixou|vertia|falhava)\b"
    r"(?:(?!\b(?:not|never|nao|nunca|if|se)\b)[^,.;!?])*?(?:[,.;]|\b(?:but|and|so|then|mas|e|entao)\b)[\s,]*"
    r"(?:(?:but|and|so|then|now|mas|e|i|we|eu|ja|entretanto|since|apple|they|it|its|it['’]s|is|has|been|"
    r"was|got|had|have|all|"
    r"foi|esta|(?:o|my|a) \w+) )*"
    r"(?:fixed|repaired|replaced|mended|sorted|arranjei|mandei arranjar|arranjad[oa]|reparei|reparad[oa]|"
    r"troquei|trocad[oa]|"
    r"consertei|consertad[oa]|substitui(?:d[oa])?)\b(?P<rest>.*)",
    patterns.DOTALL,
)


def _judge_worn(element: Element, answer: str, language: str) -> ProbableAnswer | None:
    """Return that it works, with the clauses that say that its battery lasts less than it did, where the others only
    say that it works: `sim, tudo. só a autonomia já não é a mesma`.

    A plain yes before a worn battery does not say that all works. Where that is all that is said, it works with faults.
    """
    parts = [each.strip(" ,.;!") for each in _WORN_BORDERS.split(answer) if each and each.strip(" ,.;!")]
    worn = worn_clauses(answer)
    rest = ", ".join(each for each in parts if each not in worn)
    working = next((each for each in element.options if leads(each)), None)
    if worn and not rest and "?" not in answer:
        faulty = next(each for each in element.options if label_key(each.label.en) == _WITH_FAULTS)
        option = valid_option(faulty, language)
        return ProbableAnswer(replace(option, shown=option.shown + beside(*worn)))
    if not worn or not rest or working is None or "?" in answer:
        return None
    flat = fold(rest)
    is_denied = opening(rest)[0] is False or not NEGATIONS.isdisjoint(tokens(rest)) or _EXCEPTS.search(flat)
    is_plain = not any(map(tells_fault, worn)) and (says_fine(rest) or affirms_work(rest))
    works_whole = _ALL.search(flat) or is_plain
    if is_denied or tells_fault(rest) or not works_whole:
        return None
    option = valid_option(working, language)
    return ProbableAnswer(replace(option, shown=option.shown + beside(*worn)))


def worn_clauses(message: str) -> list[str]:
    """Return the clauses that say only that the battery lasts less than it did: `battery not great`."""
    parts = (each.strip(" ,.;!") for each in _WORN_BORDERS.split(message) if each)
    return [each for each in parts if _is_worn(fold(each))]


def _is_worn(flat: str) -> bool:
    others = (each for each in _AND.split(flat) if not _BATTERY.search(each))
    is_less = _BATTERY.search(flat) and _LESS.search(flat) and not _USELESS.search(flat)
    return bool(is_less) and not any(map(tells_fault, others))


_AND = patterns.compile(r"\s(?:e|and)\s")
_WORN_BORDERS = patterns.compile(
    r"[,.;!\n]+(?:\s+|$)|\s+(?:but|mas|except|exceto|tirando)\s+|"
    r"\s+(?=(?:s[oó]|just|only|e|and) (?:que )?(?:a |the )?(?:bateria|autonomia|battery))",
    patterns.IGNORECASE,
)
_BATTERY = patterns.compile(r"\b(?:bateria|autonomia|battery|carga)\b")
_LESS = patterns.compile(
    r"\b(?:ja nao (?:e|dura|aguenta|esta)|nao (?:e|esta|dura|aguenta) (?:o |a )?(?:mesm[oa]|que era|tanto|como|muito)|"
    r"(?:isnt|is not|not) (?:quite |really )?(?:what|as|the same|great|the best|like)|"
    r"(?:doesnt|does not) (?:last|hold)|"
    r"used to|anymore|any more|less|menos|pouco|shorter|weak\w*|frac[oa]|worn|gasta|mais curta|cansada|tired)\b"
)
_USELESS = patterns.compile(
    r"\b(?:dead|die[sd]|morr\w+|mort[oa]|shot|gone|swollen|inchad\w+|nothing|nada|zero|useless|estragad\w+|avariad\w+|"
    r"partid\w+|broken|cracked|viciad\w+|(?:not|nao|doesnt|wont) (?:even )?"
    r"(?:charg\w+|carreg\w+|lig\w+|turn\w*))\b"
)
_ALL = patterns.compile(
    r"\b(?:tudo|everything|all of it|it all|all (?:good|works|working|fine)|works perfectly|perfeitamente|a 100)\b"
)


def _judge_untried(element: Element, answer: str, language: str) -> Judgement | None:
    """Return what it says of a thing that nobody tried: that it works is asked back where it should, else nothing.

    None where the answer does not say so, or tells a fault.
    """
    flat = fold(answer)
    if not _UNTRIED.search(flat):
        return None
    if tells_fault(answer) or _DEAD.search(flat) or _WORKS.search(_SHOULD.sub(" ", flat)):
        return None
    working = next((each for each in element.options if leads(each)), None)
    if working is None or not _SHOULD.search(flat):
        return not_an_option(element, language)
    return ProbableAnswer(valid_option(working, language))


def judge_all_well(element: Element, answer: str, language: str) -> ProbableAnswer | None:
    """Return the only option that says yes, asked back, where an answer only says that all is well: `ok liga, tudo
    fixe`.
    """
    if element.kind != "select" or "?" in answer:
        return None
    agreeing = [each for each in element.options if leads(each)]
    words = tokens(answer)
    is_well = _ALL_WELL.search(" ".join(words)) is not None and _OF_WELL.issuperset(content(words))
    if len(agreeing) != 1 or not is_well or doubts(words) or opening(answer)[0] is False:
        return None
    return ProbableAnswer(valid_option(agreeing[0], language))


_ALL_WELL = patterns.compile(
    r"\b(?:tudo|td|all|everything|its|works?|working|funciona|liga|esta|ta) (?:\w+ ){0,2}?"
    r"(?:fixe|bem|bom|boa|ok|okay|good|fine|great|perfect|perfeito|impecavel|porreiro|certo|top|no problem)\b"
)
_OF_WELL = frozenset(
    "fixe bem bom boa ok okay good fine great perfect perfeito perfeita impecavel porreiro certo top tudo td all "
    "everything works work working funciona funcionam liga ligam connects online sempre always still there na "
    "net".split()
)
