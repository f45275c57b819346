"""Words behind a yes to a chosen option that say more of it: they stand beside it."""

from datetime import date

from server import patterns
from server.loopos.answers import Element, ProbableAnswer, Valid, asks, judge
from server.loopos.answers.clauses.remarks import STATES
from server.loopos.answers.clauses.reminders import without_reminders
from server.loopos.answers.judges.fault_notes import GRADES
from server.loopos.answers.judges.remarks import remark_behind_yes
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.remarks import with_words
from server.loopos.tools.drafts.wished_answer import WRITE

_CORRECTS = patterns.compile(r"\b(?:afinal|actually|enganei|wrong|antes|instead)\b", patterns.IGNORECASE)


def add_remark(
    element: Element, kept: Valid, words: str, language: str, today: date
) -> Valid | ProbableAnswer | None:
    """Return the option that waits with what words behind the yes to it add; None where they add nothing.

    Beside the grade of an item, which the yes has confirmed, they only say why; beside any other option they are asked
    back.
    """
    more = remark_to_add(element, kept, words, language, today)
    noted = with_words(kept, more) if more else None
    if noted is None or noted.guess.shown == kept.shown:
        return None
    return noted.guess if [each.value for each in element.options] == GRADES else noted


def remark_to_add(element: Element, kept: Valid, words: str, language: str, today: date) -> str:
    """Return what words behind the yes to the option that waits say more: `yes, and the grip comes off`.

    Nothing where they ask, correct or name another option, and beside one of a product or one that ends the sale.
    """
    if element.kind != "select" or element.id.startswith("option:") or kept.deal_breaker:
        return ""
    if asks(words) or _CORRECTS.search(words) or WRITE.match(words) or STATES.isdisjoint(tokens(words)):
        return ""
    remark = remark_behind_yes(element, kept.value, without_reminders(words), language)
    judged = judge(element, words, language, today) if remark else None
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return "" if isinstance(guess, Valid) and guess.value != kept.value else remark
