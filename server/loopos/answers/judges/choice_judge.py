"""The options of a question as answers: the one that the whole answer names, or one to ask back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from server import patterns
from server.loopos.answers.amounts.deal_words import is_dealing, is_wish, lacks_unit, picks, spell_signs
from server.loopos.answers.certainty import (
    BARE_NO,
    BARE_YES,
    CONTRASTS,
    HEDGES,
    MARKERS,
    NEGATIONS,
    POLITE,
    PRAISE,
    asks,
    content,
    doubts,
    drop_stressing,
    is_bare,
    is_hedged_yes,
    is_like,
    opening,
    plain_words,
    same_words,
)
from server.loopos.answers.clauses.asides import is_ignorant, own_parts
from server.loopos.answers.clauses.faults import denies_faults
from server.loopos.answers.element import Element, ElementOption
from server.loopos.answers.judges.validation import validate
from server.loopos.answers.options.freed_accounts import freed_option
from server.loopos.answers.options.hints import hint_clauses, hints, is_hinted
from server.loopos.answers.options.option_choice import pick_place
from server.loopos.answers.options.option_sides import (
    among,
    leads,
    not_an_option,
    opened_side,
    plain_side,
    unsure_side,
    valid_option,
)
from server.loopos.answers.options.synonyms import phrases
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import fold, is_number, is_unknown, tokens

WONDERS = patterns.compile(r"\b(?:sei|certeza|sure|know|idk|dunno|idea|ideia) (?:se|if|whether)\b")
"""The seller does not know what follows: `não sei se`, `not sure if`."""
_ASKS_MEANING = patterns.compile(
    r"\s*(?:whats?(?: is| does| do)?|o que (?:e|quer|significa)|que quer dizer) \w"
)
_TRAY = patterns.compile(r"(?i)\bdrip (?=trays?\b)|(?<=\btabuleiro) d[eo]s? (?:pingos|gotas)\b")


def judge_choice(element: Element, answer: str, language: str, today: date) -> Judgement:
    if is_hedged_yes(answer):
        return unsure_side(element, language)
    if _ASKS_MEANING.match(fold(answer)):
        return not_an_option(element, language)
    answer = _TRAY.sub("", answer)
    judged = _judge_words(element, answer, language, today)
    words = plain_words(spell_signs(answer), language)
    wishes = is_wish(answer) and not picks(answer) and freed_option(element, answer) is None
    if isinstance(judged, Refused) or not (
        wishes or is_dealing(words, lacks_unit=lacks_unit(element, words))
    ):
        return judged
    # A wish for a value may be a pick of it; one in other words, such as `quero um novo`, is a purchase.
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return ProbableAnswer(guess) if _says_label(element, guess, words) else not_an_option(element, language)


def _says_label(element: Element, guess: Valid, words: list[str]) -> bool:
    labels = [each.label for each in element.options if each.value == guess.value]
    said = [word for each in labels for word in content(tokens(f"{each.pt} {each.en}"))]
    is_hint = any(is_hinted([words], hint) for each in labels for hint in hints(each.en))
    return is_hint or any(is_like(word, each) for word in said for each in words)


def _judge_words(element: Element, answer: str, language: str, today: date) -> Judgement:
    exact = _exact_option(element, answer)
    if exact is not None:
        chosen = valid_option(exact, language)
        return ProbableAnswer(chosen) if "?" in answer else chosen
    words = plain_words(spell_signs(answer), language)
    if is_unknown(answer):
        return validate(element, answer, language, today)
    names = [(each.label.pt, each.label.en) for each in element.options]
    place = None if asks(answer) or doubts(words) else pick_place(answer, names)
    if place is not None:
        return valid_option(element.options[place], language)
    if asks(answer) or not words:
        return not_an_option(element, language)
    says, after = opening(answer)
    rest = plain_words(spell_signs(after), language) if says is not None else words
    if says is None and len(words) > 1 and words[-1] in ("sim", "yes"):
        says, words = True, words[:-1]
        rest = words
    if is_bare(says, rest):
        return plain_side(element, bool(says), language)
    named = _find_whole_name(element, words, says, rest)
    if (freed := freed_option(element, answer)) is not None:
        named = freed
    if named is not None:
        judged = valid_option(named, language)
        return judged if freed is None else ProbableAnswer(judged)
    if is_ignorant(answer) or WONDERS.search(fold(answer)):
        return not_an_option(element, language)
    may_repeat = says is None and not doubts(words)
    parts = own_parts(element, after if says is not None else answer)
    return _guess_of_parts(element, says, parts, language, may_repeat=may_repeat)


def _guess_of_parts(
    element: Element, says: bool | None, parts: list[str], language: str, *, may_repeat: bool
) -> Judgement:
    """Return the option that the answer hints at or may name; it is only asked back."""
    if NEGATIONS.isdisjoint(word for each in element.options for word in tokens(each.label.en)):
        parts = [each for each in parts if not denies_faults(each)] or parts  # `good, no scratches`
    clauses = hint_clauses(parts, language)
    hinted = [
        each for each in element.options if any(is_hinted(clauses, hint) for hint in hints(each.label.en))
    ]
    if len(hinted) == 1:
        return ProbableAnswer(valid_option(hinted[0], language))
    about = plain_words(" ".join(parts), language)
    judged = _guess_or_repeat(element, says, about, language, may_repeat=may_repeat and bool(about))
    return not_an_option(element, language) if _is_denied_hint(element, judged, about) else judged


def _exact_option(element: Element, answer: str) -> ElementOption | None:
    """Return the label itself, in one of the languages."""
    said = tokens(answer)
    found = [
        each for each in element.options if said and said in (tokens(each.label.pt), tokens(each.label.en))
    ]
    if len(found) != 1:
        return None
    # Without the comma `não está bloqueado` denies what the label `Não, está bloqueado` says.
    is_plain = (
        len(said) == 1 or bool(_DESPITE & set(said[1:2])) or "," not in found[0].label.pt or "," in answer
    )
    return found[0] if is_plain else None


_GENERAL = frozenset(
    "estado condition cond condicao shape item artigo teclado keyboard layout versao version unidade".split()
)


@lru_cache(maxsize=512)
def _beside(element: Element) -> frozenset[str]:
    """Return the words of the question that no option has, so that they say nothing about which it is."""
    said = {word for each in element.options for phrase in phrases(element, each) for word in tokens(phrase)}
    own = set(tokens(element.label.pt)) | set(tokens(element.label.en))
    return _GENERAL | {word for word in own - said - MARKERS if not is_number(word)}


def _of_question(element: Element) -> set[str]:
    return {*tokens(f"{element.label.pt} {element.label.en}")} - _GENERAL


def _find_whole_name(
    element: Element, words: list[str], says: bool | None, rest: list[str]
) -> ElementOption | None:
    """Return the one option that the whole answer names: its label, a part that no other has, or a known synonym."""
    beside = _beside(element)
    for said in (words, rest):
        part = _bare(said, beside)
        whole = [each for each in element.options if _is_said_whole(element, each, said, part, beside)]
        has = bool({"com", "with"} & set(said))
        some = [
            each
            for each in element.options
            if any(
                _is_within(part, label) and not (has and NEGATIONS & set(label))
                for label in _labels(each, beside)
            )
        ]
        # `the frame is whole` is no half of `the frame is broken`: it repeats the question.
        repeats = any(word in _of_question(element) for word in content(said) if word not in part)
        found = whole or [
            each
            for each in some
            if not repeats and any(_is_half(part, label) for label in _labels(each, beside))
        ]
        if len(found) == 1 and (whole or len(some) == 1):
            return found[0] if _agrees(element, found[0], says, words) else None
    return None


def _agrees(element: Element, option: ElementOption, says: bool | None, words: list[str]) -> bool:
    """Return whether a yes or no before the phrase does not contradict the label.

    `não, azul` corrects where no label says yes or no.
    """
    if says is None or leads(option) is says:
        return True
    if any(same_words(words, tokens(phrase)) for phrase in phrases(element, option)):
        return True
    return all(leads(each) is None for each in element.options) or (says and leads(option) is None)


def _bare(words: list[str], beside: frozenset[str]) -> list[str]:
    return content(drop_stressing(words), beside)


def _labels(option: ElementOption, beside: frozenset[str]) -> list[tuple[str, ...]]:
    return [_phrase(label, beside) for label in (option.label.pt, option.label.en)]


@lru_cache(maxsize=4_096)
def _phrase(phrase: str, beside: frozenset[str]) -> tuple[str, ...]:
    """Return the words of a phrase that carry its meaning, without a yes or no before a comma."""
    _, comma, after = phrase.partition(",")
    leads = comma and tokens(phrase)[0] in BARE_YES | BARE_NO
    return tuple(_bare(tokens(after if leads else phrase), beside))


def _is_said_whole(
    element: Element, option: ElementOption, said: list[str], part: list[str], beside: frozenset[str]
) -> bool:
    """Return whether the answer is a whole phrase of the option, and not only a part of its label."""
    for phrase in phrases(element, option):
        wanted = _phrase(phrase, beside)
        # Without the comma `não está bloqueado` denies what the label `Não, está bloqueado` says.
        if ("," not in phrase and same_words(said, tokens(phrase))) or (
            part and wanted and same_words(part, wanted)
        ):
            return True
    return False


def _is_within(part: list[str], label: Sequence[str]) -> bool:
    """Return whether the label says every word of the answer."""
    return bool(part) and all(any(is_like(word, each) for each in label) for word in part)


def _is_half(part: list[str], label: Sequence[str]) -> bool:
    """Return whether the answer says half of the label or more, and everything that the label denies."""
    covered = [word for word in label if any(is_like(word, each) for each in part)]
    denied = [word for word in label if word in NEGATIONS and word not in part]
    return (
        _is_within(part, label)
        and not denied
        and len(part) <= len(covered)
        and len(covered) * 2 >= len(label)
    )


def _guess_option(element: Element, says: bool | None, words: list[str], language: str) -> Judgement:
    """Return the option that the answer may mean.

    It is only asked back, and only where the answer names something of an option.
    """
    last = _after_contrast(words)
    option = _despite(element, words) if says is False and _DESPITE & set(words[:1]) else None
    option = option or (_find_whole_name(element, last, None, last) if last else None)
    if option is not None and not _is_denied(element, option, words):
        return ProbableAnswer(valid_option(option, language))
    named = [each for each in element.options if _is_mentioned(element, each, words)]
    likely = [each for each in named if not _is_denied(element, each, words)]
    if len(likely) == 1:
        return ProbableAnswer(valid_option(likely[0], language))
    if len(likely) > 1:
        return among(likely, language)
    if says is not None and doubts(words) and not set(content(words)) - MARKERS:
        side = plain_side(element, says, language)
        return ProbableAnswer(side) if isinstance(side, Valid) else side
    if not named:
        return _guess_unnamed(element, says, words, language)
    others = [each for each in element.options if each not in named and not is_unknown(each.label.pt)]
    if len(others) == 1:
        return ProbableAnswer(valid_option(others[0], language))
    return among(others, language) if others else not_an_option(element, language)


def _guess_unnamed(element: Element, says: bool | None, words: list[str], language: str) -> Judgement:
    """Return what an answer may mean that names no option: at most the side of the yes or no that it opens with."""
    if says and not doubts(words) and _only_agrees(element, words):
        return plain_side(element, True, language)  # `yes, it works well` says no more than `yes`.
    if says and (_only_agrees(element, words) or _only_repeats(element, words)):
        return unsure_side(element, language)
    if says is None or not content(words):
        return not_an_option(element, language)
    return opened_side(element, says, words, language)


def _guess_or_repeat(
    element: Element, says: bool | None, words: list[str], language: str, *, may_repeat: bool
) -> Judgement:
    """Return what the answer may mean; where it names no option and only repeats the question (`works`), a yes."""
    guess = _guess_option(element, says, words, language)
    names_none = isinstance(guess, Refused) and guess.code == "not_an_option"
    if names_none and may_repeat and _only_repeats(element, words):
        return unsure_side(element, language)
    return guess


def _only_repeats(element: Element, words: list[str]) -> bool:
    """Return whether the words behind a yes only repeat the question, as `sem danos` and `it works` do."""
    own = set(tokens(f"{element.label.pt} {element.label.en}"))
    return all(
        any(is_like(word, each) for each in own) for word in words if word in MARKERS or content([word])
    )


def _only_agrees(element: Element, words: list[str]) -> bool:
    """Return whether the words behind a yes praise, are polite, or repeat the question or its yes: `faz bom café`."""
    labels = [element.label, *(each.label for each in element.options if leads(each))]
    own = {word for each in labels for word in tokens(f"{each.pt} {each.en}")} - MARKERS
    known = PRAISE | HEDGES | POLITE
    return all(word in known or any(is_like(word, each) for each in own) for word in content(words))


def _despite(element: Element, words: list[str]) -> ElementOption | None:
    """Return the one option that begins as `não, mas …` does, and says something of the same."""
    found = [each for each in element.options if _is_despite(each, words[1:])]
    return found[0] if len(found) == 1 else None


def _is_despite(option: ElementOption, words: list[str]) -> bool:
    """Return whether the label says `Não, mas …`, and the answer something of the same behind its own `mas`."""
    lead, *after = tokens(option.label.pt)
    own = content(after) + content(tokens(option.label.en))
    return (
        lead == "nao"
        and bool(_DESPITE & set(after[:1]))
        and any(is_like(word, each) for word in content(words) for each in own)
    )


def _is_denied_hint(element: Element, judged: Judgement, words: list[str]) -> bool:
    """Return whether the guess is an option whose hint the answer has, though not as a hint."""
    if not isinstance(judged, ProbableAnswer):
        return False
    labels = [each.label.en for each in element.options if each.value == judged.guess.value]
    return any(f" {hint} " in f" {' '.join(words)} " for label in labels for hint in hints(label))


def _after_contrast(words: list[str]) -> list[str]:
    """Return the last part of the answer, where a contrast divides it."""
    places = [place for place, word in enumerate(words) if word in CONTRASTS]
    return words[places[-1] + 1 :] if places else []


def _is_mentioned(element: Element, option: ElementOption, words: list[str]) -> bool:
    """Return whether the answer has a whole phrase of the option."""
    beside = _beside(element)
    said = _bare(words, beside)
    begun: dict[str, set[str]] = {}
    for word in said:  # Words that are alike begin with the same letter.
        begun.setdefault(word[0], set()).add(word)
    for phrase in phrases(element, option):
        phrase_words = _phrase(phrase, beside)
        if NEGATIONS & set(phrase_words) and not NEGATIONS & set(words):
            continue
        wanted = [word for word in phrase_words if word not in NEGATIONS or word in said]
        if all(word in _PRONOUNS for word in wanted):
            continue
        if wanted and all(map(is_number, wanted)) and not _is_run(wanted, words):
            continue  # `menos de 10` is no `10/10`.
        if wanted and all(any(is_like(word, each) for each in begun.get(word[0], ())) for word in wanted):
            return True
    return False


def _is_run(wanted: list[str], words: list[str]) -> bool:
    """Return whether the words contain these, one after the other."""
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words) - len(wanted) + 1))


def _is_denied(element: Element, option: ElementOption, words: list[str]) -> bool:
    """Return whether a denial that is not the option's own stands shortly before the words that name the option."""
    own = {word for phrase in phrases(element, option) for word in _phrase(phrase, frozenset())}
    denials = [place for place, word in enumerate(words) if word in (NEGATIONS | {"nothing"}) - own]
    names = [
        place
        for place, word in enumerate(words)
        if word not in _TURNS and any(is_like(word, each) for each in own - NEGATIONS)
    ]
    return any(
        0 < name - denial <= _REACH and _TURNS.isdisjoint(words[denial:name])
        for denial in denials
        for name in names
    )


_DESPITE = frozenset("mas but".split())
_PRONOUNS = frozenset("us".split())
"""Beside other words they name no option: `contact us`."""
_REACH = 3
"""So many words after a denial are denied by it."""

_TURNS = frozenset("mas porem but however agora now".split())
"""A denial ends there."""
