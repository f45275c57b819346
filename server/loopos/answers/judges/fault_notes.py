"""The faults that a seller tells beside an option: they stay there in the seller's own words, asked back."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from server import patterns
from server.loopos.answers.amounts.asking_price import without_price
from server.loopos.answers.certainty import HEDGES, NEGATIONS, PRAISE, content, opening
from server.loopos.answers.clauses.behind_faults import with_what_follows
from server.loopos.answers.clauses.change_requests import without_addition
from server.loopos.answers.clauses.faults import (
    calls_no_fault,
    denies_faults,
    fault_clauses,
    says_fault,
    tells_fault,
)
from server.loopos.answers.clauses.item_facts import things_in
from server.loopos.answers.clauses.joined_parts import join_parts
from server.loopos.answers.clauses.remark_parts import MOST
from server.loopos.answers.clauses.reminders import without_reminders
from server.loopos.answers.element import Element, ElementOption
from server.loopos.answers.options.option_sides import leads, not_an_option, valid_option
from server.loopos.answers.options.synonyms import label_key
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import clauses, fold, tokens

_WORKING = frozenset(
    "funciona funcionam works working work liga ligam trabalha turns powers starts boots".split()
)
_DEAD = patterns.compile(
    r"\b(?:doesnt|does not|wont|will not|nao|n) (?:even )?(?:work|start|turn on|power on|funciona|liga|arranca)\b"
)
_BORDERS = patterns.compile(
    r"(?<![,.;!\n])[,.;!\n]+(?=\s|$)|\b(?:mas|but)\b|"
    r"(?<!\b(?:has|got))(?<!\b(?:have|with))(?<!\band)"
    r"\s(?=(?:os?|as?|the) (?:risc|arranh|racha|marca|amolga|scratch|scuff|crack|mark|dent)\w*\b)|"
    r"\s(?=(?:otherwise|de resto|it['’]?s (?:only|just) the|[eé] s[oó] [oa])\b)",
    patterns.IGNORECASE,
)
_COSMETIC = patterns.compile(r"\b(?:estetic\w*|cosmetic\w*|aesthetic\w*)\b")
"""Words of a fault that leaves an item working."""
_LOOKS = patterns.compile(
    r"\b(?:por fora|risc(?:o|os|ad[oa]s?)|risquinhos?|arranh\w+|amolga\w+|desbotad\w+|pelad[oa]s?|descascad[oa]s?|"
    r"(?:on|from) the outside|scratch\w*|scuff\w*|dent|dents|dented|peel\w*|faded|"
    r"marks?|marcas?|marquinhas?|manch(?:as?|inhas?)|nodoas?|stains?|queimad(?:el|ur)as?|"
    r"(?:racha\w*|partid[oa]s?|cracks?|cracked|chipped) (?:[\w']+ ){0,4}?"
    r"(?:plastico|deposito|capa|tampa|caixa|plastic|bin|case|casing|lid|shell|cover)|"
    r"(?:deposito|capa|tampa|caixa|bin|case|casing|lid|shell|cover) (?:is |esta )?"
    r"(?:racha\w*|partid\w*|cracked|chipped))\b"
)
"""Words of a fault that is seen and not felt: it says nothing of whether an item works."""
_USED = patterns.compile(
    r"\b(?:botao|botoes|analogico|comando|bateria|som|falha\w*|foge|barulho|ruido|ecra|leitor|discos?|"
    r"buttons?|sticks?|drift\w*|battery|sound|fails?|noise|screen|lens|reads?|skips?)\b"
)
"""Words of what an item does: a mark there may be a fault of it."""
_OUTSIDE = patterns.compile(
    r"\b(?:ear ?pads?|ear ?cushions?|cushions?|headband|almofad\w+|espumas?|bandolete|straps?|bracelete|correia|"
    r"pulseira|lid|tampa|case|casing|estojo|bolsa|pouch|box|caixa|cover|capa|bezel|moldura|hood|capota|grip|borracha)\b"
)
"""Parts on the outside of an item."""
_WORN = patterns.compile(
    r"\b(?:torn|ripped|rasgad\w+|rasgao|rach\w+|crack\w*|peel\w*|worn|gast[oa]s?|descol\w+|descos\w+|pelad[oa]s?|stain\w*|"
    r"manchad\w+|yellow\w*|amarelad\w+|holes?|furad\w+|furos?|rot[oa]s?)\b"
)
"""What happens to such a part while the item works as before."""
_OF_ONE_PART = frozenset("sound som motor".split())
"""Words of a question whether one part works: a fault of the outside says nothing of that."""
_IS_FINE = patterns.compile(
    r"\b(?:sound|som|motor|everything|tudo|all)\b(?: [\w']+){0,2} "
    r"(?:fine|good|great|ok|perfect|bem|bom|impecavel|perfeito)\b"
)
_WITH_FAULTS = "it works with faults"
_EXCEPTS = r"(?:exce[p]?to|except|tirando|apart from|aside from|other than|a n[aã]o ser|salvo)"
_EXCEPTED = patterns.compile(rf"(?:{_EXCEPTS}|menos|but)\s", patterns.IGNORECASE)
"""The start of what is not as the rest: `tudo menos o aquecimento`."""
_ALL_ELSE = patterns.compile(
    r"\b(?:works?|working|funciona\w*|fine|bem|everything|all|tudo|nothing (?:is )?wrong|nada de mal)\b"
)
_TURN = patterns.compile(
    r"(?:^|(?<=[\s,.;]))(?:mas|but|s[oó] que|por[eé]m|embora|although|though)\b[\s,]*+(?=\w)|"
    r"(?<=[,;.]\s)(?=(?:s[oó]|apenas|only|just|exce[p]?to|except|menos|tirando|apart from)\s)|"
    rf"(?<=\s)(?={_EXCEPTS}\s)|(?<=\btudo\s)(?=menos\s)|(?<=\ba funcionar\s)(?=menos\s)|(?<=\beverything\s)(?=but\s)",
    patterns.IGNORECASE,
)
GRADES = ["A", "B", "C", "D"]
"""The values of the options of a grade."""
EMPTY = frozenset("agora now sim yes funciona works sempre always id would say diria digo".split())
"""Words that say nothing more behind a `mas` or `but`."""


def note_faults(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return the option with the faults that the answer tells beside it; a sure answer has no other words.

    Where an option says `with faults`, it is the one of an answer that tells one and agrees, or names no option.
    """
    if (
        isinstance(judged, Valid)
        and _is_yes(element, judged)
        and asks_for_state(element)
        and fault_clauses(answer)
    ):
        judged = ProbableAnswer(judged)  # `yes, just the battery lasts less`
    if not isinstance(judged, ProbableAnswer | Refused):
        return judged
    answer = without_addition(answer)
    told = with_what_follows(answer, fault_clauses(answer)) if asks_for_state(element) else []
    turned = words_behind_turn(answer, language)
    faulty = next((each for each in element.options if label_key(each.label.en) == _WITH_FAULTS), None)
    is_excepted = bool(_EXCEPTED.match(turned)) and _ALL_ELSE.search(fold(answer)) is not None
    if turned and _ONLY_THAT.search(answer):
        is_excepted |= affirms_work(answer.partition(turned)[0])
    takes_back = told or (turned and (opening(answer)[0] or is_excepted))
    if takes_back and faulty is not None and _may_be_faulty(element, judged, answer):
        judged = ProbableAnswer(valid_option(faulty, language))
    if isinstance(judged, Refused):
        return judged
    option = next(each for each in element.options if each.value == judged.guess.value)
    told = [each for each in told if not says_fault(_label_words(option), each)]
    if turned and not fault_clauses(answer) and (option is faulty or (leads(option) and opening(answer)[0])):
        # A contrast without a yes is kept whole.
        told = [turned if opening(answer)[0] or _ONLY_THAT.search(answer) else answer]
    return replace(judged, guess=replace(judged.guess, shown=judged.guess.shown + beside(*told)))


_ONLY_THAT = patterns.compile(
    r"\b(?:s[oó] que|only that|just that|except that|tirando que)\b", patterns.IGNORECASE
)
"""Words between that something works and what is wrong with it."""


def doubt_denied_fault(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return no worst option where the answer only denies a fault, or says that it is mended, and nothing is dead:
    `not broken but the button sticks` is what sticks, asked back, and `it isn't cracked anymore` is asked openly.
    The best option is none of what has a fault behind a denial: `no damage other than a crack`.
    """
    last = element.options[-1] if element.kind == "select" and asks_for_state(element) else None
    if last is None or not isinstance(judged, ProbableAnswer):
        return judged
    if judged.guess.value == last.value and _MARK.search(fold(answer)) and tells_only_looks(answer):
        return not_an_option(element, language)  # A mark leaves a thing whole.
    is_best = judged.guess.value == element.options[0].value
    if is_best and _CONTRASTS.search(fold(answer)) and tells_fault(answer):
        return not_an_option(element, language)
    is_worst = judged.guess.value == last.value
    if not is_worst or _DEAD.search(fold(answer)) or not _denies_some(answer):
        return judged
    faulty = next((each for each in element.options if label_key(each.label.en) == _WITH_FAULTS), None)
    told = fault_clauses(answer)
    if faulty is None or not told:
        return judged if told else not_an_option(element, language)
    option = valid_option(faulty, language)
    return ProbableAnswer(replace(option, shown=option.shown + beside(*told)))


_MARK = patterns.compile(
    r"\b(?:marks?|marcas?|marquinhas?|manch(?:as?|inhas?)|nodoas?|stains?|queimad(?:el|ur)as?)\b"
)


def _denies_some(answer: str) -> bool:
    parts = [each for each in _MARK_BORDERS.split(answer) if each.strip()]
    return any(map(denies_faults, parts)) or _IS_MENDED.search(fold(answer)) is not None


_CONTRASTS = patterns.compile(
    r"^(?:no|not|nothing|sem|nao|nada|nenhum\w*)\b.*\b(?:only|just|apart from|except|other than|so|apenas|tirando|"
    r"exce[p]?to|a nao ser|menos|salvo)\b"
)
"""A denial of some faults, and one that is there."""
_IS_MENDED = patterns.compile(
    r"\b(?:nothing (?:is )?wrong|nada de mal|(?:i )?(?:fixed|replaced|repaired|mended) (?:it|them)|arranjei|reparei|"
    r"mandei arranjar|troquei)\b"
)


def grade_light_marks(element: Element, answer: str, language: str) -> ProbableAnswer | None:
    """Return the second grade with its marks, asked back, where an answer to the grade tells light marks and nothing
    heavy: `a few scuffs on the dock`.
    """
    flat = fold(answer)
    if [each.value for each in element.options] != GRADES or "?" in answer or _HEAVY.search(flat):
        return None
    parts = [each.strip() for each in _MARK_BORDERS.split(without_reminders(answer)) if each.strip()]
    light = [each for each in parts if _LIGHT_MARK.search(fold(each))]
    if not light or any(not NEGATIONS.isdisjoint(tokens(each)) for each in light):
        return None
    told = [without_reminders(each) for each in parts if each in light or tells_fault(each)]
    guess = valid_option(element.options[1], language)
    return ProbableAnswer(replace(guess, shown=guess.shown + beside(*told)))


def marks_behind_grade(message: str) -> str:
    """Return the light marks that a message tells right behind the condition: `bom estado só com uma marca na base`."""
    parts = [each.strip() for each in _GRADE_BORDERS.split(message) if each.strip()]
    at = next((at for at, each in enumerate(parts) if _GRADED.search(fold(each))), len(parts))
    told = list(takewhile(lambda each: _LIGHT_MARK.search(fold(each)), parts[at + 1 :]))
    is_plain = not _HEAVY.search(fold(" ".join(told))) and not any(map(str.isdigit, "".join(told)))
    return beside(*told) if is_plain and NEGATIONS.isdisjoint(tokens(" ".join(told))) else ""


def stated_grade(element: Element, clause: str) -> str:
    """Return the words of a clause that grade the item as a whole: `id call it good`, `o tablet está como novo`.

    Nothing where they speak of a part of it, deny, or only agree: `that's fine`.
    """
    found = _GRADES_IT.search(clause)
    if found is None or things_in(clause) or not NEGATIONS.isdisjoint(tokens(found["grade"])):
        return ""
    named = {*tokens(f"{element.label.pt} {element.label.en}"), *_SELVES}
    before = clause[: found.start()]
    is_said_of_it = found["verb"] and (found["judged"] or named.issuperset(tokens(before)))
    is_said_of_it = is_said_of_it or _AS_NEW.search(found["grade"])
    denies = tells_fault(clause) or not NEGATIONS.isdisjoint(tokens(before)[-1:])
    return "" if denies or not is_said_of_it else found["grade"]


_NEW = (
    r"(?:(?:como|quase|praticamente|parece) )+nov[oa]s?|(?:bem|muito) estimad[oa]s?|"
    r"(?:(?:like|as|brand|almost|practically|nearly|virtually) )+new"
)
_GRADES_IT = patterns.compile(
    r"(?:(?:^\s*|(?<=\s))(?P<verb>(?P<judged>(?:(?:i['’]?d|i would) )?(?:call|rate|grade) (?:it|them|this)|"
    r"(?:i['’]?d|i would) say(?: (?:it['’]?s|it is))?|(?:eu )?(?:diria|digo)(?: que)?(?: (?:[ée]|est[áa]))?)|"
    r"it['’]?s|it is|they['’]?re|they are|is|are|looks?|[ée]|est[áa]o?|t[áa])\s+)?"
    rf"(?P<grade>{_NEW}|(?<=\s)(?:(?:in )?(?:very|really|pretty|quite|fairly|muito|bastante|still|ainda) )*"
    r"(?:good|great|excellent|mint|immaculate|pristine|fair|poor|bom|boa|bons|boas|[oó]tim[oa]s?|excelentes?|"
    r"impec[áa]ve(?:l|is)|razo[áa]ve(?:l|is)|estimad[oa]s?))(?:[\s.!]|\s(?:tbh|honestly|overall|no geral))*$",
    patterns.IGNORECASE,
)
"""A verb that grades and the grade at the end of a clause."""
_AS_NEW = patterns.compile(rf"^(?:{_NEW})$", patterns.IGNORECASE)
_SELVES = frozenset(
    "so e and it they he she ele ela eles elas isto this yes sim mas but well bem also".split()
)
"""Words before a grade that name no other thing."""
_GRADE_BORDERS = patterns.compile(
    r"[,.;!\n]+(?=\s|$)|\b(?:s[oó]|apenas|only|just|but|mas|apart from|except(?: for)?|tirando|exce[p]?to|com|with)\b",
    patterns.IGNORECASE,
)
_GRADED = patterns.compile(r"\b(?:estado|condition|shape|nick)\b")
_MARK_BORDERS = patterns.compile(r"[,.;!\n]+(?=\s|$)|\b(?:mas|but)\b", patterns.IGNORECASE)
_LIGHT_MARK = patterns.compile(
    r"\b(?:light|lite|small|tiny|minor|few|couple(?: of)?|slight|little|faint|wee|some|sum|an?|one|umas?|uns|"
    r"algu(?:ns|mas)|pequen[oa]s?|leves?|ligeir[oa]s?) (?:[\w']+ )?"
    r"(?:scr?a(?:t)?ch(?:es|s)?|scuffs?|marks?|nicks?|dings?|risc(?:os?|ad[oa]s?)|risquinhos?|risquitos?|arranh\w+|marcas?|"
    r"marquinhas?)\b|"
    r"\b(?:bit of(?: a)?|light|slight|minor|little|normal) wear\b(?! and)|\b(?:ligeiro|pouco|algum) desgaste\b"
)
"""A mark that a word beside it makes light."""
_HEAVY = patterns.compile(
    r"\b(?:crack\w*|broken?|smashed|shattered|deep|big|huge|bad(?:ly)?|heav(?:y|ily)|lots|loads|many|everywhere|"
    r"all over|dead|partid[oa]s?|rachad[oa]s?|estalad[oa]s?|fund[oa]s?|muit[oa]s?|grandes?|por todo|avariad[oa]|"
    r"(?:doesnt|does not|wont|nao|n) (?:work|funciona|liga|start|turn))\b"
)


def hides_fault(element: Element, value: str, guess: Valid, answer: str) -> bool:
    """Return whether a value is the best option of a choice where the answer tells a fault, and says no more than the
    guess; one that ends the sale is doubted.
    """
    is_best = element.kind == "select" and value == element.options[0].value
    return is_best and not guess.deal_breaker and tells_fault(answer)


def asks_for_state(element: Element) -> bool:
    """Return whether a question is about what state a thing is in: its grade, or a fault that an option names."""
    names = (f"{each.label.pt}; {each.label.en}" for each in element.options)
    return (
        [each.value for each in element.options] == GRADES
        or any(label_key(each.label.en) == _WITH_FAULTS for each in element.options)
        or any(map(tells_fault, names))
    )


def _is_yes(element: Element, guess: Valid) -> bool:
    return any(leads(each) for each in element.options if each.value == guess.value)


def words_behind_turn(answer: str, language: str) -> str:
    """Return what an answer says behind its first `mas` or `but`, in the seller's own words, without a price.

    Nothing where that is a question, a denial of faults, or praise.
    """
    found = _TURN.search(answer)
    words = without_price(answer[found.end() :], language).strip(" .!,;") if found else ""
    if not words or "?" in words or denies_faults(words):
        return ""
    return words if set(content(tokens(words))) - PRAISE - EMPTY else ""


def without_cosmetic_faults(element: Element, answer: str) -> str:
    """Return the answer to whether something works, without the faults that it calls cosmetic.

    Marks on the outside are left out too where the rest says that it works.
    """
    if not any(label_key(each.label.en) == _WITH_FAULTS for each in element.options):
        return answer
    parts = [part for part in _BORDERS.split(answer) if part.strip()]
    kept = [part for part in parts if not (_COSMETIC.search(fold(part)) or calls_no_fault(part))]
    asks_part = not _OF_ONE_PART.isdisjoint(tokens(f"{element.label.pt} {element.label.en}"))
    felt = [part for part in kept if not _is_of_looks(fold(part), asks_part=asks_part)]
    felt = felt[1:] if len(felt) < len(kept) and opening(felt[0] if felt else "") == (False, "") else felt
    rest = ", ".join(felt)
    agrees = asks_part and opening(rest) == (True, "")
    if len(felt) < len(kept) and (affirms_work(rest) or says_fine(rest) or agrees):
        kept = felt
    return ", ".join(map(str.strip, kept)) if kept and len(kept) < len(parts) else answer


def tells_only_looks(answer: str) -> bool:
    """Return whether an answer tells nothing but marks that are seen and not felt: `the lid has a scratch`."""
    parts = [fold(part) for part in _MARK_BORDERS.split(answer) if part.strip()]
    is_plain = (
        opening(answer)[0] is None and "?" not in answer and (NEGATIONS | _WORKING).isdisjoint(tokens(answer))
    )
    return bool(parts) and is_plain and all(_is_of_looks(each, asks_part=False) for each in parts)


def _is_of_looks(part: str, *, asks_part: bool) -> bool:
    is_outside = _OUTSIDE.search(part) is not None and (asks_part or _WORN.search(part) is not None)
    return (is_outside or _LOOKS.search(part) is not None) and _USED.search(part) is None


def beside(*parts: str) -> str:
    """Return what stands behind an answer in the seller's own words; nothing where there is nothing."""
    bare = (each[1:-1] if each[:1] == "(" and each.find(")") == len(each) - 1 else each for each in parts)
    told = _NAMED.sub("", join_parts(list(bare), MOST)[0]).strip(" .!;")
    return f" ({told})" if told else ""


_NAMED = patterns.compile(
    r"^\s*(?:(?:com|with|some|alguns)\s)*(?:defeitos?|faults?|issues?|problems?|problemas?)\s*:\s*|"
    r"^(?:s[oó] que|only that|just that|except that|porque|pq|pois|because(?! of)|cos|cuz|bc)\s",
    patterns.IGNORECASE,
)
"""Words that only say that faults follow."""


def _may_be_faulty(element: Element, judged: ProbableAnswer | Refused, answer: str) -> bool:
    if _SOMETIMES.search(fold(answer)):
        return True
    if isinstance(judged, Refused):
        return judged.code in ("not_an_option", "ambiguous") and not _DEAD.search(fold(answer))
    side = next((leads(each) for each in element.options if each.value == judged.guess.value), None)
    return bool(side) or (side is False and affirms_work(answer))


_SOMETIMES = patterns.compile(
    r"\b(?:sometimes|(?:as|por) vezes|de vez em quando|now and (?:then|again)|occasionally)\b"
)


def affirms_work(answer: str) -> bool:
    """Return whether a clause says that it works, and none denies that."""
    said = [clause for clause in clauses(answer) if _WORKING & set(clause)]
    return bool(said) and all(NEGATIONS.isdisjoint(clause) for clause in said)


def says_fine(answer: str) -> bool:
    """Return whether an answer says that the sound, or all of it, is fine."""
    return _IS_FINE.search(fold(answer)) is not None


def only_works(element: Element, words: str) -> bool:
    """Return whether words only say that the thing works, where no option of the question says whether it does."""
    labels = {word for each in element.options for word in _label_words(each)}
    said = (
        set(content(tokens(words)))
        - PRAISE
        - HEDGES
        - EMPTY
        - _WORKING
        - {"mas", "but", "tudo", "still", "ainda"}
    )
    return not said and _WORKING.isdisjoint(labels) and affirms_work(words)


def _label_words(option: ElementOption) -> list[str]:
    return tokens(f"{option.label.pt} {option.label.en}")
