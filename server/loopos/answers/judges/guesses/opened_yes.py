"""Answers one of whose clauses says yes: the others are harmless, tell of another thing, or take the yes back."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from server import patterns
from server.languages import split_question
from server.loopos.answers.amounts.deal_words import is_wish
from server.loopos.answers.amounts.side_amounts import speaks_of_deal
from server.loopos.answers.certainty import (
    BARE_YES,
    CONTRASTS,
    HEDGES,
    NEGATIONS,
    PRAISE,
    asks,
    content,
    doubts,
    is_bare,
    is_hedged_yes,
    is_like,
    opening,
    plain_words,
)
from server.loopos.answers.clauses.asides import is_ignorant, speaks_of
from server.loopos.answers.clauses.faults import denies_faults, denies_trouble, takes_back, tells_fault
from server.loopos.answers.clauses.instructions import without_questions
from server.loopos.answers.element import Element
from server.loopos.answers.judges.choice_judge import judge_choice
from server.loopos.answers.judges.fault_notes import beside
from server.loopos.answers.judges.light_marks import WHOLE
from server.loopos.answers.judges.other_parts import SAME_PARTS
from server.loopos.answers.judges.polarity_judge import text_of_side
from server.loopos.answers.judges.states import asks_whether_it_works
from server.loopos.answers.options.freed_accounts import has_freed_option, names_account, tells_freed
from server.loopos.answers.options.option_sides import leads, valid_option
from server.loopos.answers.options.question_words import VERBS, own_words_of
from server.loopos.answers.options.synonyms import label_key, phrases
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import fold, is_number, tokens

_BORDERS = patterns.compile(
    r"(?<!\d)[,.;:!\n()]+|[,.;:](?!\d)|\s[–—-]+\s|\s(?=(?:mas|but|only|just|so|except|exceto|menos|apart|tirando)\b)",
    patterns.IGNORECASE,
)
_INSTRUCTS = patterns.compile(
    r"^(?:(?:but|mas|and|e|so|please|por favor|pf|sff) )*(?:do not|dont|don t|nao|n) (?:please |por favor )?"
    r"(?:put|write|mention|say|include|tell|add|ponha|ponham|escreva|mencione|diga|inclua|meta)\b"
)
"""What is not to be written says nothing of the item."""
_THING = patterns.compile(
    r"\b(?:the|my|its|our|an?|that|this|one|o|a|os|as|meu|minha|uma?|uns|umas|tem|tenho|perdi|lost|have|has) "
    r"(?:(?:the|o|a|my|only|so) )?(?=(?P<thing>\w{3,}))"
)
"""A thing that a clause speaks of."""
_PLACES = frozenset(
    "corner corners canto cantos edge edges borda side sides lado lados top bottom middle meio centro center left "
    "right one esquerdo direito esquerda direita inside outside dentro fora line lines linha linhas dot dots pixel "
    "pixels bit little small tiny bocado problema problem issue "
    "other outro outra rest resto only just part parte thing coisa "
    "pequena pequeno uma um few pouco vez vezes some".split()
)
"""Words of where a fault is in the thing itself, and how large it is: they name no other thing."""
_BREAKS = frozenset(
    "crack cracks cracked broken broke smashed shattered snapped bent partido partida partiu rachado rachada racha "
    "fissura quebrado quebrada estalado estalada torto torta empenado".split()
)
_SETS = frozenset("all todos todas tudo everything".split())
_WORKS = frozenset("works work working funciona funcionam trabalha liga".split())
_TURNS = frozenset("mas but only just".split())
_EXCEPTS = frozenset("except exceto excepto menos apart tirando salvo".split())
_LACKS = frozenset("falta faltam faltava perdi perdido perdida lost missing gone".split())
_ABILITIES = frozenset("can could pode poderia".split())
"""Hedges that say what may be done with a thing, where they say nothing of what is asked."""
_ONCE = (CONTRASTS | {"once"}) - frozenset("still ainda agora now ate yet since desde ja".split())
_DOUBTS = frozenset(
    "until till unless embora although though however porem contudo if se unsure depends depende".split()
)
"""Words that soften whatever they stand beside."""
_BOUGHT = frozenset("bought comprei compramos comprado comprada".split())
_STRESSING = frozenset(
    "muito muita muitissimo bem bastante super very really all totally fully completely quite rock so yes sim "
    "todo toda tudo como as is its isnt".split()
)
"""Words that may stand beside those of a question that is repeated."""
_AT_HOME = frozenset(
    "sala quarto cozinha garagem casa corredor escritorio sotao aqui living room bedroom kitchen hall garage home "
    "house here loft attic".split()
)
"""Words of where a thing stands, which say nothing of how it is."""
_IS_HANDED_OVER = patterns.compile(
    r"\b(?:deliver\w*|entreg\w+|envi(?:o|ar|amos)|post(?:ing)? it|ship\w*|collect\w*|pick(?:ed)? (?:it )?up|"
    r"levant(?:ar|amento|a)|(?:vir )?busca\w*|fetch)\b"
)
"""Words of how a thing is handed over, which say nothing of how it is."""
_ASKS_HOW = patterns.compile(
    r"[\s,.;]+(?:(?:mas|but|e|and) )?(?:como|onde|how|where)\b[^?.!\n]{3,60}\?(?=\s+\w)", patterns.IGNORECASE
)
"""A question how or where to look, between two clauses of an answer."""
_IS_ITSELF = patterns.compile(
    r"(?:(?:yes|sim|and|e|mas|but) )*(?:it|its|they|tem|esta|ta|e|ha|is|has|was|doesnt|nao) "
)
"""The start of a clause about the thing itself."""
_THOUGH = patterns.compile(r"\s(?:though|tho)\s*$", patterns.IGNORECASE)
_JOINT = patterns.compile(r"^(?:mas|but|e|and)\s+", patterns.IGNORECASE)
_HAS = frozenset("tem has have are ha".split())
_VERBS_ALONE = VERBS | frozenset("there theres are is ha e sao".split())
"""`yes there are` may say either of `is it undamaged?`."""
_FEWEST_BESIDE_FIGURE = 4


def prefer_opened_yes(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return the yes of an answer one of whose clauses says yes, instead of a refusal or of another value, where no
    clause opposes it. It is asked back, with the clauses that tell a fault or a lack of another thing; it is sure where
    the others only say when the thing was bought.
    """
    guess = _yes_of(element, language)
    read = judged.guess if isinstance(judged, ProbableAnswer) else judged
    said, asked = split_question(_ASKS_HOW.sub(".", answer))
    said = without_questions(said).strip()
    is_open = not (asked and speaks_of(element, asked)) and not (
        asks(said) or is_ignorant(said) or is_wish(said) or speaks_of_deal(said)
    )
    if guess is None or isinstance(judged, Valid) or not is_open:
        return judged
    parts = [each.strip(" -–—") for each in _BORDERS.split(said) if each.strip(" -–—")]
    if any(_denies_another(element, guess, plain_words(each, language)) for each in parts):
        parts = [each for each in parts if opening(each) != (False, "")]
    yes = next((each for each in parts if _says_yes(element, guess, each, language)), None)
    kinds = {each: _kind_of(element, guess, each, language) for each in parts if each != yes}
    if yes is None or "opposed" in kinds.values():
        return judged
    is_turned = any(tokens(each)[:1] in (["mas"], ["but"]) for each in kinds)
    if opening(yes)[0] is None and is_turned:
        return judged
    told = beside(*(_JOINT.sub("", each) for each, kind in kinds.items() if kind == "other"))
    if not isinstance(read, Valid) or read.value != guess.value:
        return ProbableAnswer(replace(guess, shown=guess.shown + told))
    if read.shown != guess.shown:
        return judged
    is_told = bool(opening(parts[0])[0]) and not guess.deal_breaker and not any(map(is_hedged_yes, parts))
    is_sure = is_told and _names_asked(element, said) and all(_repeats(element, each) for each in parts)
    is_sure |= is_told and "?" not in answer and all(_only_denies(element, guess, e, language) for e in parts)
    dated = bool(kinds) and _asks_whether_genuine(element) and all(map(_tells_year_of_purchase, kinds))
    return guess if is_sure or (dated and _repeats(element, yes)) else judged


def _asks_whether_genuine(element: Element) -> bool:
    """Return whether a question asks whether a thing is genuine: a year of purchase goes with a yes to that."""
    return any(label_key(each.label.en) == "yes it is genuine" for each in element.options)


def _says_yes(element: Element, guess: Valid, part: str, language: str) -> bool:
    """Return whether a clause alone says yes: it opens with it, or only repeats the question."""
    if {each.value for each in element.options} >= {"both", "neither"}:
        return False
    says, after = opening(part)
    if is_hedged_yes(part):
        return True
    if says:
        rest = plain_words(after, language)
        return not rest or _kind_of(element, guess, after, language) == "plain"
    words = plain_words(part, language)
    if says is False or takes_back(words) or tells_fault(part) or _is_doubtful(element, words, repeats=True):
        return False
    is_whole = not WHOLE.isdisjoint(own_words_of(element))
    return (is_whole or not _asks_for_absence(element)) and _repeats(element, part)


def _repeats(element: Element, part: str) -> bool:
    """Return whether a clause has no more than words of the question and of a yes."""
    words, own = content(tokens(part)), own_words_of(element)
    named = [word for word in words if any(is_like(word, each) for each in own)]
    also = {*_STRESSING, *PRAISE, *BARE_YES, *_AT_HOME}
    return (bool(named) or bool(opening(part)[0])) and set(words) <= {*named, *also}


def _names_asked(element: Element, said: str) -> bool:
    """Return whether words have one of those that the question is made of, beside its verbs."""
    own = own_words_of(element) - _VERBS_ALONE
    return any(is_like(word, each) for word in content(tokens(said)) for each in own)


def _asks_for_absence(element: Element) -> bool:
    """Return whether a question asks whether a thing is free of something, so that the name of that says no yes."""
    return not {"sem", "livre", "without", "free"}.isdisjoint(
        tokens(f"{element.label.pt} {element.label.en}")
    )


def _yes_of(element: Element, language: str) -> Valid | None:
    """Return the yes of a question that has a single one."""
    if element.kind == "boolean":
        return Valid(True, text_of_side(True, language))
    agreeing = [each for each in element.options if leads(each)]
    is_open = element.kind == "select" and len(agreeing) == 1 and not agreeing[0].deal_breaker
    return valid_option(agreeing[0], language) if is_open else None


def _kind_of(element: Element, guess: Valid, part: str, language: str) -> str:
    """Return whether a clause behind a yes is `plain`, about an `other` thing, or `opposed` to it."""
    words, turns = (
        plain_words(_THOUGH.sub("", part), language),
        _TURNS | ({"so"} if language == "pt" else set()),
    )
    if element.kind == "select" and {*words} & _HAS and _VERBS_ALONE.issuperset(words):
        return "opposed"
    if _INSTRUCTS.match(fold(part)) or is_bare(True, words) or _IS_HANDED_OVER.search(fold(part)):
        return "plain"
    if _denies_another(element, guess, words) or _denies_trouble(words) or _tells_purchase(part, words):
        return "plain"
    if _is_doubtful(element, words):
        return "opposed"
    if not _EXCEPTS.isdisjoint(words) or (names_account(part) and has_freed_option(element)):
        return "plain" if tells_freed(part) and _EXCEPTS.isdisjoint(words) else "opposed"
    is_bad = tells_fault(part) or (takes_back(words) and not denies_faults(part))
    is_bad |= not _LACKS.isdisjoint(words) and not denies_faults(part)
    if is_bad or not turns.isdisjoint(words):
        return "other" if _is_other(element, part, words) else "opposed"
    return "opposed" if _says_otherwise(element, guess, part, words, language) else "plain"


def _is_doubtful(element: Element, words: list[str], *, repeats: bool = False) -> bool:
    """Return whether words soften a yes, or say how it was once; of a clause that `repeats` the question, too."""
    is_own = repeats or not own_words_of(element).union(PRAISE, _WORKS).isdisjoint(words)
    hedges = HEDGES if is_own else HEDGES - _ABILITIES
    return not (hedges | _DOUBTS).isdisjoint(words) or (is_own and not _ONCE.isdisjoint(words))


def _denies_another(element: Element, guess: Valid, words: list[str]) -> bool:
    """Return whether a clause only denies another option: `não precisa de afinação nenhuma`."""
    said = [word for word in content(words) if word not in NEGATIONS]
    for option in element.options if len(said) < len(content(words)) else ():
        labels = (tokens(each.rpartition(",")[2]) for each in phrases(element, option))
        named = {word for label in labels if NEGATIONS.isdisjoint(label) for word in label}
        if option.value != guess.value and said and all(any(is_like(w, n) for n in named) for w in said):
            return True
    return False


def _only_denies(element: Element, guess: Valid, part: str, language: str) -> bool:
    """Return whether a clause is a yes, or only denies another option: `yeah not banned`."""
    says, after = opening(part)
    words = plain_words(after if says else part, language)
    return says is not False and (not words or _denies_another(element, guess, words))


def _denies_trouble(words: list[str]) -> bool:
    """Return whether a clause has one denial, which denies trouble: `never been in a crash`."""
    denials = [at for at, word in enumerate(words) if word in NEGATIONS]
    return len(denials) == 1 and denies_trouble(words[denials[0] + 1 :]) and _TURNS.isdisjoint(words)


def _tells_purchase(part: str, words: list[str]) -> bool:
    """Return whether a clause tells when or where the thing was bought."""
    return not _BOUGHT.isdisjoint(words) and not tells_fault(part)


def _tells_year_of_purchase(part: str) -> bool:
    """Return whether a clause says in which year the thing was bought, and no price or fault."""
    words = tokens(part)
    figures = [word for word in words if is_number(word)]
    is_year = len(figures) == 1 and _YEAR.fullmatch(figures[0]) is not None
    return is_year and _tells_purchase(part, words) and not doubts(words)


_YEAR = patterns.compile(r"(?:19|20)\d\d")


def _is_other(element: Element, part: str, words: list[str]) -> bool:
    """Return whether a clause that tells a fault or a lack names another thing, of which the question asks nothing."""
    own = own_words_of(element)
    names = own.union(*(each for each in SAME_PARTS if not own.isdisjoint(each)))
    is_own = any(is_like(word, each) for word in words for each in names)
    is_own |= _IS_ITSELF.match(fold(part)) is not None
    lacks = not (NEGATIONS | _LACKS).isdisjoint(words)
    if is_own or (lacks and (own & _SETS or not _WORKS.isdisjoint(words))):
        return False
    if tells_fault(part) and asks_whether_it_works(element):
        return False
    if not WHOLE.isdisjoint(own) and not _BREAKS.isdisjoint(words):
        return False
    things = [found["thing"] for found in _THING.finditer(" ".join(words))]
    return any(each not in _PLACES and not tells_fault(each) for each in things)


def _says_otherwise(element: Element, guess: Valid, part: str, words: list[str], language: str) -> bool:
    """Return whether a clause without a denial names another option, a figure or an account that is still there."""
    if any(map(is_number, words)) and (element.kind == "boolean" or len(words) < _FEWEST_BESIDE_FIGURE):
        return True
    if element.kind == "boolean" or denies_faults(part):
        return False
    judged = judge_choice(element, part, language, date.min) if tokens(part) else None
    if isinstance(judged, Refused) or judged is None:
        return judged is not None and judged.code == "ambiguous"
    read = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return not read.skipped and read.value != guess.value
