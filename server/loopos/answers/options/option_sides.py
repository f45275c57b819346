"""The options that a plain yes or no means: those whose labels begin with it."""

from __future__ import annotations

from collections.abc import Sequence

from server.languages import LOCALES
from server.loopos.answers.certainty import NEGATIONS, PRAISE
from server.loopos.answers.clauses.faults import only_turns, takes_back
from server.loopos.answers.element import Element, ElementOption, language_of
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import is_unknown, tokens


def valid_option(option: ElementOption, language: str) -> Valid:
    return Valid(option.value, option.label.text_in(language), option.deal_breaker)


def leads(option: ElementOption) -> bool | None:
    """Return whether the label says yes or no, or begins with it."""
    first = tokens(option.label.pt)[:1]
    return True if first == ["sim"] else False if first == ["nao"] else None


def plain_side(element: Element, yes: bool, language: str) -> Judgement:
    """Return a plain yes or no: the option that begins with it, or a question which of them."""
    fitting = [each for each in element.options if leads(each) is yes and not is_unknown(each.label.pt)]
    if not fitting and any(leads(each) is (not yes) for each in element.options):
        fitting = [each for each in element.options if leads(each) is None]
    if len(fitting) == 1:
        return valid_option(fitting[0], language)
    return among(fitting, language) if fitting else not_an_option(element, language)


def unsure_side(element: Element, language: str) -> Judgement:
    """Return a yes that is not certain: the option that begins with it is asked back."""
    side = plain_side(element, True, language)
    return ProbableAnswer(side) if isinstance(side, Valid) else side


def among(options: list[ElementOption], language: str) -> Refused:
    quoted = LOCALES[language_of(language)].quotes
    return Refused(
        "ambiguous", {"options": "; ".join(quoted.format(each.label.text_in(language)) for each in options)}
    )


def not_an_option(element: Element, language: str) -> Refused:
    options = among(list(element.options), language).params
    return Refused("not_an_option", options)


def opened_side(element: Element, says: bool, rest: Sequence[str], language: str) -> Judgement:
    """Return what a yes or no means whose other words no rule knows; it is only asked back.

    A yes that they take back is none of the other options yet: those are listed, as are several that begin with no.
    Beside a single other option, one that a contrast follows without a denial or trouble (`sim, mas a conta fica
    comigo`) stays a yes.
    """
    if not says:
        judged = _asked_back(element, False, language)
        # `no, it's fine` says both, and `no, it does not leak` denies what the option says.
        is_doubtful = PRAISE & set(rest) or (isinstance(judged, ProbableAnswer) and NEGATIONS & set(rest))
        return not_an_option(element, language) if is_doubtful else judged
    if not takes_back(rest):
        return _asked_back(element, True, language)
    if not any(leads(each) for each in element.options):
        return not_an_option(element, language)
    others = [each for each in element.options if not leads(each) and not is_unknown(each.label.pt)]
    if len(others) != 1:
        return among(others, language)
    turned = only_turns(rest)
    return (
        _asked_back(element, True, language) if turned else ProbableAnswer(valid_option(others[0], language))
    )


def _asked_back(element: Element, says: bool, language: str) -> Judgement:
    meant = plain_side(element, says, language)
    return ProbableAnswer(meant) if isinstance(meant, Valid) else meant
