"""The remark beside a chosen option: what the answer says more, in the words of the seller, once it is confirmed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from server import patterns
from server.languages import LANGUAGES, split_question
from server.loopos.answers.amounts.asking_price import without_price
from server.loopos.answers.certainty import HEDGES, NEGATIONS, PRAISE, content, is_like, opening, plain_words
from server.loopos.answers.clauses.asides import own_words
from server.loopos.answers.clauses.behind_faults import begin_small, softens, with_turn, with_what_follows
from server.loopos.answers.clauses.change_requests import without_addition
from server.loopos.answers.clauses.faults import fault_clauses, is_place, says_fault, takes_back, tells_fault
from server.loopos.answers.clauses.item_facts import says_marks
from server.loopos.answers.clauses.remark_parts import (
    denies,
    join_remark,
    remark_parts,
    says_something,
    without_lead,
)
from server.loopos.answers.clauses.reminders import without_told_relatives
from server.loopos.answers.element import Element, ElementOption
from server.loopos.answers.judges.choice_judge import judge_choice
from server.loopos.answers.judges.fault_notes import EMPTY, GRADES, asks_for_state, beside
from server.loopos.answers.judges.states import asks_whether_it_works
from server.loopos.answers.options.freed_accounts import tells_freed
from server.loopos.answers.options.hints import hints
from server.loopos.answers.options.option_sides import leads, valid_option
from server.loopos.answers.options.synonyms import label_key, phrases
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Valid
from server.loopos.answers.words import tokens


def note_remark(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return the option with all clauses of the answer that stand around the words that choose it and say something
    more, in the seller's own words and order. Clauses that choose another option, and denials, are none.
    """
    if isinstance(judged, ProbableAnswer) and judged.guess.value is True:
        return _note_behind_yes(element, answer, judged, language)
    if not isinstance(judged, ProbableAnswer) or element.kind != "select" or judged.guess.skipped:
        return judged
    option = next((each for each in element.options if each.value == judged.guess.value), None)
    said = split_question(without_price(without_addition(answer), language))[0]
    if option is None or not said.strip():
        return judged
    remark = _remark_of(element, option, remark_parts(said), language)
    label, noted = option.label.text_in(language), judged.guess.shown
    if not remark and noted == label and label_key(option.label.en) == "it works with faults":
        remark = "" if set(content(tokens(said))) <= set(tokens(label)) else said
    if not remark or not noted.startswith(label):
        return judged
    told = map(without_lead, fault_clauses(without_told_relatives(noted[len(label) :])))
    more = [each for each in told if not says_fault(tokens(remark), each)]
    remark = "" if any(set(tokens(remark)) <= set(tokens(each)) for each in more) else remark
    return replace(judged, guess=replace(judged.guess, shown=label + beside(remark, *more)))


def without_talk_beside(element: Element, judged: Judgement) -> Judgement:
    """Return a guess with only the clauses in its brackets that name something of the item.

    Brackets in the label of an option are no such clauses.
    """
    found = _BESIDE.search(judged.guess.shown) if isinstance(judged, ProbableAnswer) else None
    if found is None or not isinstance(judged, ProbableAnswer):
        return judged
    labels = [each.label for each in element.options if each.value == judged.guess.value]
    if any(judged.guess.shown == each.text_in(language) for each in labels for language in LANGUAGES):
        return judged
    is_side = not {"so", "only", "just", "apenas", "no", "nao"}.isdisjoint(tokens(found[1])[:1])
    faulty = not is_side and any(label_key(each.en) == "it works with faults" for each in labels)
    told = with_what_follows(
        found[1], [says_marks(found[1]) or found[1] * (faulty or bool(_EXCEPTS.match(found[1])))]
    )
    told = [with_turn(found[1], each) for each in told]
    if [each.value for each in element.options] == GRADES:
        told = [begin_small(each) for each in told]
    shown = judged.guess.shown[: found.start()] + beside(*told)
    return replace(judged, guess=replace(judged.guess, shown=shown))


_EXCEPTS = patterns.compile(r"(?:menos|tirando|exce[p]?to|except|apart from|salvo)\s", patterns.IGNORECASE)
_BESIDE = patterns.compile(r" \(([^()]*)\)$")


def _note_behind_yes(element: Element, answer: str, judged: ProbableAnswer, language: str) -> ProbableAnswer:
    """Return a yes with the clauses behind it that say something more: `yes, the box has my name on it`."""
    said = split_question(without_price(without_addition(answer), language))[0]
    parts = remark_parts(said)
    says, parts[0] = _lead_of(parts[0])
    if not says or judged.guess.shown.endswith(")"):
        return judged
    own = sorted(own_words(element))
    kept = list[int]()
    for at in range(0, len(parts), 2):
        goes_on = kept[-1:] == [at - 2] and (_TURN.match(parts[at]) or softens(parts[at]))
        if goes_on or _is_more(element, own, parts[at], language):
            kept.append(at)
    if not kept:
        return judged
    return replace(
        judged, guess=replace(judged.guess, shown=judged.guess.shown + beside(join_remark(parts, kept)))
    )


_TURN = patterns.compile(r"(?:mas|but|por[eé]m|however|though|although|embora)\s", patterns.IGNORECASE)
"""The start of a clause that takes back some of the one before it, and stays with it."""


def _is_more(element: Element, own: list[str], part: str, language: str) -> bool:
    known = [*own, *tokens(f"{element.label.pt} {element.label.en}")]
    said = [each for each in content(tokens(part)) if each not in PRAISE | HEDGES | EMPTY]
    new = [word for word in said if not any(is_like(word, each) for each in known)]
    is_denial = not NEGATIONS.isdisjoint(tokens(part)) and (len(new) == len(said) or denies(part))
    return len(new) >= _FEWEST and not is_denial and says_something(part, own, language, of_grade=False)


_FEWEST = 2
"""So many words that the question does not have are a fact of their own."""


def remark_behind_yes(element: Element, value: object, words: str, language: str) -> str:
    """Return what words behind a yes to the option with this value say more; nothing of a fault beside an option that
    says that there is none.
    """
    option = next((each for each in element.options if each.value == value), None)
    if option is None or element.kind != "select" or (leads(option) and fault_clauses(words)):
        return ""
    said = remark_parts(split_question(without_price(words, language))[0])
    return _remark_of(element, option, said, language, chooses=True)


def _remark_of(
    element: Element, option: ElementOption, parts: list[str], language: str, *, chooses: bool = False
) -> str:
    """Return the remark; nothing where no clause chooses this option."""
    grades = [each.value for each in element.options] == GRADES
    kept, own, takes_faults = list[int](), sorted(own_words(element)), asks_for_state(element)
    for at in range(0, len(parts), 2):
        says, part = _lead_of(parts[at])
        value, rest = _value_in(element, part, language) if tokens(part) else ("", "")
        value = value or (option.value if _may_choose(element, option, part, language) else "")
        is_first = value == option.value and not chooses and not _is_whole(option, part, rest)
        chooses |= value == option.value or (says is not None and leads(option) is says)
        parts[at] = part = rest if is_first else "" if value not in ("", option.value) else part
        is_more = says_something(part, own, language, of_grade=grades)
        is_more |= kept[-1:] == [at - 2] and (is_place(part) or softens(part))
        plain = without_lead(part)
        is_label = is_more and says_fault(tokens(f"{option.label.pt} {option.label.en}"), plain)
        praises_yes = leads(option) and not PRAISE.isdisjoint(tokens(plain)) and not tells_fault(plain)
        is_label |= is_more and (praises_yes or (not takes_faults and tells_fault(plain)))
        if is_more and not is_label and not _only_names(element, option, plain, language):
            kept.append(at)
    return join_remark(parts, kept) if chooses and kept else ""


def _is_whole(option: ElementOption, part: str, rest: str) -> bool:
    """Return whether a clause stands as a whole beside the option that it names: by other words than its label, or with
    a verb behind it. `light scratches on the body` says nothing without its first words.
    """
    words, behind = tokens(part), tokens(rest)
    if behind[:1] in _OTHERWISE or (
        behind[:1] in _PLACES and PRAISE.issuperset(words[: len(words) - len(behind)])
    ):
        return True
    named, label = content(words[: len(words) - len(behind)]), tokens(f"{option.label.pt} {option.label.en}")
    is_label = all(any(is_like(word, each) for each in label) for word in named)
    return bool(behind) and (not is_label or not _VERBS.isdisjoint(behind[:1]))


_OTHERWISE = (["ou"], ["or"])
_PLACES = (["on"], ["in"], ["at"], ["no"], ["na"], ["nos"], ["nas"], ["em"])
"""Words behind an option that leave only half of a clause: `um risco ou outro`, `good on the body`."""
_VERBS = frozenset("is are was e sao esta estao fica ficam".split())


def _may_choose(element: Element, option: ElementOption, part: str, language: str) -> bool:
    judged = judge_choice(element, part, language, date.min) if tokens(part) else None
    return isinstance(judged, ProbableAnswer) and judged.guess.value == option.value


def _value_in(element: Element, part: str, language: str) -> tuple[str, str]:
    """Return the value of the option that a clause names first, if any, and the words behind it."""
    words, found = part.split(), ""
    first = next((at for at, word in enumerate(words) if set(content(tokens(word))) - _NO), len(words))
    for count in range(first + 1, min(len(words), _HEAD) + 1):
        judged = judge_choice(element, " ".join(words[:count]), language, date.min)
        if isinstance(judged, Valid) and not judged.skipped:
            found = str(judged.value)
            break
    return found, " ".join(words[count:]) if found else part


_NO = frozenset("no nao n".split())
_HEAD = 8
"""So many words may name the option before a remark."""


def _only_names(element: Element, option: ElementOption, part: str, language: str) -> bool:
    """Return whether a clause has no more words than those of the option and the question, and tells of no act."""
    if tells_freed(part) and len(tokens(part)) > _BARE_ACT:
        return False
    own = {word for phrase in phrases(element, option) for word in tokens(phrase)}
    own |= {word for hint in hints(option.label.en) for word in hint.split()}
    own |= set(tokens(f"{element.label.pt} {element.label.en} {option.label.text_in(language)}"))
    own |= PRAISE | HEDGES | EMPTY
    return all(any(is_like(word, each) for each in own) for word in content(tokens(part)))


_BARE_ACT = 4
"""`já tirei a conta` says no more than the option."""


def _lead_of(part: str) -> tuple[bool | None, str]:
    """Return the yes or no that a clause opens with, and the words behind it as they are written."""
    says, rest = opening(part)
    words, count = part.split(), len(rest.split())
    return says, part if says is None else " ".join(words[len(words) - count :])


def agree(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return the only option that says yes where the answer opens with a yes, takes nothing of it back, and a word of
    it is in an option that says no.
    """
    says, after = opening(answer)
    if says and not isinstance(judged, Valid) and (first := _agreed_first(element, after, language)):
        return ProbableAnswer(first)
    if not says or not isinstance(judged, ProbableAnswer) or takes_back(plain_words(after, language)):
        return judged
    guessed = [each for each in element.options if each.value == judged.guess.value]
    agreeing = [each for each in element.options if leads(each)]
    if len(agreeing) != 1 or not guessed or leads(guessed[0]) is not False:
        return judged
    return ProbableAnswer(valid_option(agreeing[0], language))


def _agreed_first(element: Element, after: str, language: str) -> Valid | None:
    """Return the option that says yes, where words behind a yes repeat it and a remark follows: `sim, está montada, e
    acho que não vale a pena desmontar`. A remark that turns, tells a fault or says no is none.
    """
    head, *rest = _BEHIND.split(after, maxsplit=1)
    remark = "".join(rest)
    if not content(tokens(remark)) or asks_whether_it_works(element) or tells_fault(remark):
        return None
    words = tokens(remark)
    if _TURNING.intersection(words) or words[0] in _BARELY or opening(remark)[0] is not None:
        return None
    said = judge_choice(element, f"sim, {head}", language, date.min) if content(tokens(head)) else None
    agrees = isinstance(said, Valid) and not said.skipped and not said.deal_breaker
    leading = [each.value for each in element.options if leads(each)]
    return said if isinstance(said, Valid) and agrees and leading == [said.value] else None


_BEHIND = patterns.compile(r"(?<!\d)[,.;!](?!\d)(?:\s*(?:e|and)\b)?|\s(?:e|and)\s")
_TURNING = frozenset("mas but porem however though although embora except exceto menos unless".split())
_BARELY = frozenset("so apenas only just".split())
