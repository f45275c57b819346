"""The words of a message that no answer has used, as every model is told of them beside the answer."""

from datetime import UTC, datetime

from server import patterns
from server.languages import fold, split_question
from server.loopos.answers import (
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    adds_nothing,
    confirms,
    judge,
    told_price,
)
from server.loopos.answers.amounts.asking_price import without_price
from server.loopos.answers.amounts.numbers import read_number
from server.loopos.answers.amounts.price_words import price_terms, terms_beside_price
from server.loopos.answers.amounts.purchase_dates import purchase_words
from server.loopos.answers.amounts.put_amounts import denied_price, put_amount
from server.loopos.answers.amounts.side_amounts import speaks_of_deal
from server.loopos.answers.amounts.times.other_events import asks_purchase
from server.loopos.answers.certainty import HEDGES, PRAISE, content, is_like, opening
from server.loopos.answers.clauses.asides import THINGS, own_words
from server.loopos.answers.clauses.change_requests import added_words, told_addition
from server.loopos.answers.clauses.excuses import is_excuse
from server.loopos.answers.clauses.faults import (
    SLIGHT,
    fault_clauses,
    says_fault,
    tells_fault,
    tells_mending,
)
from server.loopos.answers.clauses.included_things import without_missing_things
from server.loopos.answers.clauses.remark_parts import STATES, says_clean
from server.loopos.answers.clauses.reminders import without_reminders
from server.loopos.answers.clauses.talk import keeps
from server.loopos.answers.clauses.unmeant_figures import tells_unknown, without_replaced_figures
from server.loopos.answers.judges.figure_judge import lacks_it
from server.loopos.answers.judges.other_parts import without_other_parts
from server.loopos.answers.options.freed_accounts import has_freed_option, tells_network
from server.loopos.answers.words import is_number, is_unknown, tokens
from server.loopos.tools.drafts.confirmation import is_asked_in_this_run, is_shown, pending
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.earlier_items import of_earlier
from server.loopos.tools.drafts.words_behind_yes import ASIDE
from server.loopos.tools.questions.early_facts import told_questions
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.price import (
    note_put_price,
    words_behind_priced_yes,
    words_behind_yes,
    words_beside_price,
)
from server.loopos.tools.questions.texts.remarks import (
    is_noise,
    keep_remark,
    keep_share,
    keep_terms,
    keep_traits,
    keep_wished,
    without_courtesy,
    words_on_each,
)
from server.loopos.tools.questions.unrecorded_faults import home_of, unrecorded_faults


def waiting_guess(draft: Draft, element: Element) -> Valid | None:
    """Return the answer that the seller was asked to confirm when they typed the newest message."""
    clicked = any(part.get("type") == "answer" for part in draft.run.input)
    shown = is_shown(draft, element.id) and not is_asked_in_this_run(draft, element.id)
    return pending(draft, element.id) if shown and not clicked else None


async def unused_words(
    questions: Questions, element: Element, judged: Judgement, waited: Valid | None
) -> dict[str, str | list[str]]:
    """Return the words of the newest message that stand beside its answer and change nothing, as `not_taken`.

    These are the words beside a price that ends the questions, those behind a yes to `waited`, and the whole message
    where that still waits: then `kept_for` names the questions of which it tells instead, faults among it. `in_euro`
    says what prices are in where the message names another currency beside its amount. Courtesy,
    questions and noise are none, and behind a yes faults; a fact that no field takes is kept for the last text.
    """
    if (earlier := of_earlier(questions.draft.run)) is not None:
        return {"not_taken": earlier["said"]}
    newest = next(iter(questions.draft.messages()), "")
    if element.kind == "price" and waited and denied_price(newest, questions.draft.language):
        return {"in_euro": Refused("other_currency").text_in(questions.draft.language)}
    if element.kind == "date":
        keep_traits(questions.draft, purchase_words(newest, is_asked=asks_purchase(questions.asked)))
    _keep_wish(questions, element, judged, newest)
    beside_price, waits = left_beside_price(questions, element), isinstance(judged, ProbableAnswer)
    if beside_price or (beside_price is not None and not (waits and waited)):
        return beside_price
    if element.is_figure and isinstance(judged, Valid) and judged.skipped and waited is None:
        home = home_of(questions)
        is_kept = await _keep_beside_unknown(questions, element, newest)
        return (
            {"kept_for": [home.id]}
            if is_kept and home is not None and home.id not in questions.answers
            else {}
        )
    if element.kind == "number" and waited is None and not isinstance(judged, Refused):
        await _keep_other_figures(questions, element, _guess_of(judged), newest)
    added = told_addition(newest) if element.kind in ("select", "boolean") else ""
    if isinstance(judged, Refused):
        return {}
    is_same = waited is not None and _guess_of(judged) == waited
    if added:
        return _keep_or_tell(questions, added, waits=waits and is_same)
    if waited is None or not is_same:
        return {}
    return await _unused_beside(questions, element, waited, newest, waits=waits)


def _keep_wish(questions: Questions, element: Element, judged: Judgement, message: str) -> None:
    """Keep what a message asks to write beside its answer."""
    if element.kind != "text" and not isinstance(judged, Refused):
        keep_wished(questions.draft, home_of(questions), message)


async def _unused_beside(
    questions: Questions, element: Element, waited: Valid, newest: str, *, waits: bool
) -> dict[str, str | list[str]]:
    """Return what `unused_words` does of a message beside the answer `waited`, which it confirms or leaves waiting."""
    language = questions.draft.language
    agrees = confirms(split_question(newest)[0], language)[0]
    still_waits = waits and agrees is None
    beside = words_behind_yes(newest, language) if agrees else newest if still_waits else ""
    beside = (await note_put_price(questions, without_reminders(beside))).strip(" .!")
    if still_waits and (fault := split_question(beside)[0]) and fault_clauses(fault):
        return await _place_of_fault(questions, element, fault, waited)
    is_used = (
        not beside
        or "?" in beside
        or _is_repeated(beside, waited.shown)
        or _is_idle(beside, language)
        or fault_clauses(beside)
    )
    is_aside = ASIDE.search(beside) is not None or tells_mending(beside)
    if is_used or (agrees and not is_aside and not _says_nothing_of(element, beside, language)):
        return {}
    beside = ASIDE.sub("", beside).replace(" ,", ",").strip(" ,")
    others = [each for each in questions.open() if each is not element and each.kind != "price"]
    kept = await told_questions(others, beside, language)
    home = home_of(questions)
    if home is not None and kept == [home.id] and not still_waits:
        keep_remark(
            questions.draft, home, beside
        )  # It may be the next question, that reads no message of this run.
    if kept or is_noise(beside):
        return {"kept_for": kept} if kept and still_waits else {}
    if still_waits and _is_about(element, waited, beside):
        return {}  # It is asked back once more.
    skipped = [each for each in questions.asked if questions.answers.get(each.id, [""])[0] is None]
    is_other = not still_waits and bool(await told_questions(skipped, beside, language))
    return {"not_taken": beside} if is_other else _keep_or_tell(questions, beside, waits=still_waits)


async def _place_of_fault(
    questions: Questions, element: Element, words: str, waited: Valid
) -> dict[str, str | list[str]]:
    """Return where a fault is kept that was typed while an answer waits: in other questions that ask it, else in the
    last text; nothing where an answer says it already.
    """
    if _is_repeated(words, waited.shown):
        return {}
    others = [each for each in questions.open() if each is not element and each.kind != "price"]
    home, kept = home_of(questions), await told_questions(others, words, questions.draft.language)
    if kept or home is None:
        return {"kept_for": kept} if kept else {}
    new = [tokens(each) for each in unrecorded_faults(questions, early="")]
    is_new = any(says_fault(each, fault) for each in new for fault in fault_clauses(words))
    return {"kept_for": [home.id]} if is_new else {}


async def _keep_beside_unknown(questions: Questions, element: Element, message: str) -> bool:
    """Keep what a typed message tells beside a figure that its seller does not know: `no idea, but it lasts 3 hours`.

    What another open question asks is asked there. Returns whether anything was kept.
    """
    if any(part.get("type") == "answer" for part in questions.draft.run.input):
        return False
    parts = [each.strip() for each in _CLAUSES.split(without_reminders(message)) if each.strip()]
    told = [
        each
        for each in parts
        if not (is_unknown(each) or lacks_it(element, each) or tells_unknown(element, each))
    ]
    words = ", ".join(told) if len(told) < len(parts) else ""
    others = [each for each in questions.open() if each is not element and each.kind != "price"]
    is_new = bool(words) and not await told_questions(others, words, questions.draft.language)
    return is_new and keep_remark(questions.draft, home_of(questions), words)


async def _keep_other_figures(questions: Questions, element: Element, guess: Valid, message: str) -> None:
    """Keep the clauses that give another figure than the one that was asked: `187 cycles, maximum capacity 89%`.

    What a question asks, or what is a price, is not kept.
    """
    language, asked = questions.draft.language, [each for each in questions.asked if each is not element]
    keep_traits(questions.draft, words_on_each(message))
    for clause in map(str.strip, _CLAUSES.split(without_replaced_figures(message))):
        figures = [read_number(each) for each in _FIGURES.findall(clause)]
        is_other = bool(figures) and guess.value not in figures and not speaks_of_deal(clause)
        is_price = told_price(clause, language) is not None or put_amount(clause) is not None
        if is_other and not is_price and not await told_questions(asked, clause, language):
            keep_remark(questions.draft, home_of(questions), clause)
    keep_share(questions.draft, message)


_FIGURES = patterns.compile(r"\d+(?:[.,]\d+)*")
_CLAUSES = patterns.compile(r"(?<!\d)[,.;]|[,.;](?!\d)|[!\n]|\b(?:mas|but)\b", patterns.IGNORECASE)


async def kept_of_refused(questions: Questions, element: Element, *, is_unread: bool) -> list[str]:
    """Return the later questions of which a message tells that was refused as an answer; one that was not read at all
    is kept for the last text, where it says how the item is.
    """
    draft = questions.draft
    if element.is_figure and not is_unread:
        await _keep_beside_unknown(questions, element, next(iter(draft.messages()), ""))
    later = [each for each in questions.open() if each is not element and each.kind != "price"]
    message = next(iter(draft.messages()), "")
    if has_freed_option(element) and tells_network(message):
        keep_traits(draft, [opening(message)[1] or message])
    found = await told_questions(later, message, draft.language)
    return found or (
        _keep_of_others(questions, element) or _keep_unread(questions, element) if is_unread else []
    )


def _keep_of_others(questions: Questions, element: Element) -> list[str]:
    """Keep a typed message that only speaks of other parts than its question; return the last text where it is open.

    A fault that it tells is asked there anyhow.
    """
    home, said = home_of(questions), split_question(next(iter(questions.draft.messages()), ""))[0]
    is_clicked = any(part.get("type") == "answer" for part in questions.draft.run.input)
    if (
        home is None
        or home.id in questions.answers
        or is_clicked
        or not said
        or without_other_parts(element, said)
    ):
        return []
    if not fault_clauses(said) and not keep_remark(questions.draft, home, said):
        if without_missing_things(said, set()) == said:
            return []
        keep_traits(questions.draft, [said])  # `tem tudo menos a escova` is no talk of the price.
    return [home.id]


def _keep_unread(questions: Questions, element: Element) -> list[str]:
    """Keep a typed message that says how the item is; return the last text where it is kept and not answered yet.

    Words of the question or of its options are tries to answer it, but for a fault of what is counted.
    """
    language = questions.draft.language
    home, said = home_of(questions), split_question(next(iter(questions.draft.messages()), ""))[0]
    is_clicked = any(part.get("type") == "answer" for part in questions.draft.run.input)
    if home is None or home is element or is_clicked or "?" in said:
        return []
    added = told_addition(said)
    words, said = tokens(said), without_price(added or said, language)
    named = _remark_on(element, said, language)
    is_fault = element.kind == "number" and not any(map(str.isdigit, said)) and tells_fault(named)
    is_of_item = (
        bool(added)
        or says_clean(said)
        or any(is_like(word, each) for word in content(words) for each in THINGS)
        or not (STATES | _OF_COLLECTION).isdisjoint(words)
    )
    tries = any(is_like(word, each) for word in content(words) for each in own_words(element))
    is_kept = (is_fault or (is_of_item and not tries)) and keep_remark(
        questions.draft, home, named if is_fault else said
    )
    return [home.id] if is_kept and home.id not in questions.answers else []


def _remark_on(element: Element, said: str, language: str) -> str:
    """Return a remark on what a question counts, behind the heading of the question where it does not name it: `it's
    dead`.
    """
    names = {*THINGS, *content(tokens(f"{element.label.pt} {element.label.en}"))}
    is_named = any(is_like(word, each) for word in content(tokens(said)) for each in names)
    return said if is_named else f"{element.heading.text_in(language)}: {said}"


_OF_COLLECTION = frozenset(
    "levantar levantamento recolha collection collect pickup pick vem vai traz inclui incluido incluida comes includes "
    "included novo nova nunca never".split()
)
"""Words of how an item is handed over, and of what comes with it."""


def keep_message(questions: Questions) -> None:
    """Keep what the typed message tells of the finished item, where it tells no fault, which is asked anyhow."""
    is_clicked = any(part.get("type") == "answer" for part in questions.draft.run.input)
    said = split_question(next(iter(questions.draft.messages()), ""))[0]
    said = without_courtesy(said, questions.draft.language)
    if not (is_clicked or keeps(said, said) or fault_clauses(said) or _COMPLAINT.search(fold(said))):
        told = added_words(said)
        if not keep_remark(questions.draft, home_of(questions), told) and told != said:
            keep_traits(questions.draft, [told])  # `its in york, can you put that`: the seller asks for it.


_COMPLAINT = patterns.compile(
    r"\b(?:wrong|errad[oa]s?|mal|corrig\w*|correct\w*|chang\w*|mud\w+|alter\w*|engan\w*|mistakes?|edit\w*|fix|undo|"
    r"cancel(?:led|ed|a|ar|e)?)\b"
)
"""Words of a wish to correct something, which names no value."""


def _keep_or_tell(questions: Questions, words: str, *, waits: bool = False) -> dict[str, str | list[str]]:
    """Keep words for the last text; `kept_for` names it while an answer waits.

    What says nothing of the item is ignored while an answer waits, else returned as not taken.
    """
    home = home_of(questions)
    if home is None or not (
        keep_terms(questions.draft, home, words) or keep_remark(questions.draft, home, words)
    ):
        return {} if waits else {"not_taken": words}
    return {"kept_for": [home.id]} if waits else {}


def _is_about(element: Element, waited: Valid, words: str) -> bool:
    """Return whether words may correct the answer that waits: they have a number, or a word of it or its question."""
    own = content(tokens(f"{element.label.pt} {element.label.en} {waited.shown}"))
    said = content(tokens(words))
    return element.kind == "price" or any(
        is_number(each) or any(is_like(each, one) for one in own) for each in said
    )


def left_beside_price(questions: Questions, element: Element) -> dict[str, str | list[str]] | None:
    """Return the words of the newest message beside a price that ends the questions; None for any other answer."""
    if element.kind != "price" or any(each.kind != "price" for each in questions.open()):
        return None
    newest, language = next(iter(questions.draft.messages()), ""), questions.draft.language
    beside = words_beside_price(newest, language) or words_behind_priced_yes(newest, language)
    # `yes, drop it to 380`: these words are the price that is asked back.
    is_left = speaks_of_deal(beside) or (not is_noise(beside) and _says_nothing_of(element, beside, language))
    home, terms = home_of(questions), terms_beside_price(newest, language)
    keep_terms(questions.draft, home, terms)
    is_kept = bool(terms) and _is_repeated(beside, terms)
    if (
        not (beside and is_left)
        or is_kept
        or keep_terms(questions.draft, home, price_terms(beside, language) or beside)
    ):
        return {}
    if pending(questions.draft, element.id) is not None:
        return {}
    return {"not_taken": beside} if speaks_of_deal(beside) else _keep_or_tell(questions, beside)


def _guess_of(judged: Valid | ProbableAnswer) -> Valid:
    return judged.guess if isinstance(judged, ProbableAnswer) else judged


def _is_repeated(words: str, shown: str) -> bool:
    """Return whether words stand in the answer that was confirmed, as `only the left` in `the left one drifts`."""
    said, known = set(content(tokens(words))) - _ONLY, tokens(shown)
    return bool(said) and all(any(is_like(word, each) for each in known) for word in said)


_ONLY = frozenset("only just so apenas".split())


def _is_idle(words: str, language: str) -> bool:
    """Return whether words are courtesy or praise, as `it works fine` is, or only say `just a small one`."""
    praise = PRAISE | HEDGES | _WORKING
    said = content(tokens(words))
    is_heard = _HEARD.fullmatch(fold(words).strip(" .,;!")) is not None or is_excuse(words)
    return is_heard or adds_nothing(words, language) or praise.issuperset(said) or SLIGHT.issuperset(said)


_WORKING = frozenset(
    "works work working funciona funcionam trabalha liga runs still ainda tudo everything".split()
)
"""Words of what is in order."""


_HEARD = patterns.compile(
    r"(?:(?:oh|ah|ok|okay|hm+|mm+|right|pois|ja|bem|well|alright|fair enough)[\s,.!]*)*"
    r"(?:i see|i get it|got it|gotcha|understood|makes sense|percebi|percebo|entendi|entendo|estou a ver|"
    r"faz sentido|oh|ah|hm+|mm+)"
)
"""Words that only say that something was heard, and are neither a yes nor a fact."""


def _says_nothing_of(element: Element, words: str, language: str) -> bool:
    """Return whether words are no answer to the question: those that are one repeat what was confirmed."""
    return isinstance(judge(element, words, language, datetime.now(UTC).date()), Refused)
