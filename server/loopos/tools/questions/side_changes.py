"""Changes beside an answer: words that put another answer, its note or the price right are kept and asked back."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from server import patterns
from server.languages import fold
from server.loopos.answers import PRICE, Element, ProbableAnswer, Refused, Valid, judge, told_price
from server.loopos.answers.amounts.corrected_amounts import without_corrected
from server.loopos.answers.amounts.dates import ANY_MONTH
from server.loopos.answers.amounts.price_words import price_terms
from server.loopos.answers.amounts.put_amounts import put_again, put_amount
from server.loopos.answers.certainty import HEDGES, PRAISE, content, is_like, opening
from server.loopos.answers.clauses.item_facts import things_in
from server.loopos.answers.judges.answer_judge import judge_with_remark
from server.loopos.answers.judges.fault_notes import GRADES, beside
from server.loopos.answers.options.option_sides import valid_option
from server.loopos.answers.options.question_words import asks_for_thing
from server.loopos.answers.words import is_number, tokens
from server.loopos.tools.drafts.confirmation import ask_back, pending
from server.loopos.tools.drafts.denied_answers import without_denied
from server.loopos.tools.drafts.words_behind_yes import BESIDE, as_written
from server.loopos.tools.questions.bare_figures import month_in_year
from server.loopos.tools.questions.early_facts import ToldFact
from server.loopos.tools.questions.early_price import early_price
from server.loopos.tools.questions.item_questions import Questions, current_item
from server.loopos.tools.questions.price import is_newer_price, known_price, prepare_price, put_instead
from server.loopos.tools.questions.texts.remarks import keep_remark, keep_terms
from server.loopos.tools.questions.texts.wishes.wished_edits import note_to_cut
from server.loopos.tools.questions.unrecorded_faults import condition_of, home_of
from server.text_reading.things.priced_things import without_priced_things

_LONGEST = 500
"""A longer message is no remark beside an answer."""
_SENTENCES = patterns.compile(r"(?<=[.!;])\s+|\n|[.!]?\s+(?=(?:oh|ah)\b)", patterns.IGNORECASE)
_CLAUSES = patterns.compile(
    r"(?<!\d)[,.;]|[,.;](?!\d)|[!\n]|\s(?:e|and|mas|but|oh|ah|also|tamb[eé]m)\s", patterns.IGNORECASE
)
_CORRECTS = patterns.compile(
    r"\b(?:afinal|ali[aá]s|engan\w+|desculp[ae]|corrij\w*|corrigir|na verdade|errad[oa]|mud(?:a|e|em)|alter[ae]|"
    r"p[oõ]e|ponha|ponham|mete|j[aá](?= \w+i\b)|actually|sorry|mistake\w*|correct(?:ion)?|wrong|change|put|make|"
    r"set|in fact|more like|not \d|n[aã]o \d)\b",
    patterns.IGNORECASE,
)
"""Words by which a sentence puts right what another answer says."""
_BEHIND_NAME = patterns.compile(r",\s*(?=(?:é|it['’]?s|is)\s+\d)", patterns.IGNORECASE)
"""A mark between what a sentence puts right and the figure for it: `I got the battery wrong, it's 82`."""
_PRICE = frozenset("price preco valor it isso".split())
_KINDS = frozenset(("select", "boolean", "number", "date"))
_SHARED = 2
"""A note is put right by words that share so many with it."""


async def note_price_beside(questions: Questions, element: Element) -> None:
    """Keep the price, and the terms of the sale, that a clause of the typed message puts beside something else.

    A price is asked back at its own question, instead of one that was told before. A bare `make it 280` may be the
    answer to a question for a figure, unless a price was told; the figure that the message answers is none.
    """
    draft = questions.draft
    message = _typed_message(questions)
    clauses = [each.strip() for each in _CLAUSES.split(message) if each and each.strip()]
    takes_terms = element.kind == "text" and element.id not in questions.answers
    told = [] if takes_terms or len(clauses) == 1 else clauses
    for terms in filter(None, (price_terms(each, draft.language) for each in told)):
        keep_terms(draft, home_of(questions), terms)
    if element.kind != "price" and message and _has_price(questions):
        await _ask_newer_price(questions, element, message, clauses)
    if element.kind == "price" or not message or element.id in questions.answers or _has_price(questions):
        return
    known = known_price(questions, await early_price(draft))
    found = put_instead(message, known)
    is_told = without_corrected(message) != message and told_price(message, draft.language) is not None
    for clause in clauses if not (found or is_told) and len(clauses) > 1 else ():
        amount, what = put_amount(clause) or (put_again(clause), frozenset[str]())
        is_price = bool(what) or "€" in clause or known is not None or not element.is_figure
        found = amount if amount and what <= _PRICE and is_price else found
    price = told_price(f"{found} €", draft.language) if found else None
    if price is not None and not _is_answer(element, message, found, draft.language):
        draft.run.private["put_price"] = [draft.run.run_id, found]


async def _ask_newer_price(
    questions: Questions, element: Element, message: str, clauses: Sequence[str]
) -> None:
    """Ask back the price that the typed message puts over the one that is kept, or that waits, beside other words."""
    draft, known = questions.draft, known_price(questions, None)
    found = put_instead(message, known)
    for clause in () if found or known is None or len(clauses) == 1 else clauses:
        own, again = without_priced_things(clause), put_again(clause)
        amount, what = put_amount(own) or ("", frozenset[str]())
        told = told_price(own, draft.language) if _ASKS_PRICE.search(fold(own)) else None
        said = amount if amount and what <= _PRICE else "" if told is None else f"{told.value}"
        found = said or (again if again and is_newer_price(questions, again, None) else "") or found
    price = told_price(f"{found} €", draft.language) if found else None
    if price is None or price.value == known or _is_answer(element, message, found, draft.language):
        return
    if await prepare_price(questions, await current_item(questions), is_wanted=True):
        draft.run.private["put_price"] = [draft.run.run_id, found]
        ask_back(draft, PRICE.id, ProbableAnswer(price))


_ASKS_PRICE = patterns.compile(
    r"\b(?:peco|quero|queria|aceito|vendo|levo|preco|price|want|asking|ask|take|afinal|alias|actually|instead)\b"
)
"""Words that ask a price: an amount without them may be what something costs."""


def _is_answer(element: Element, message: str, amount: str, language: str) -> bool:
    """Return whether a message answers an open question for a number with this amount: `90, actually make it 87`."""
    judged = judge(element, message, language, datetime.now(UTC).date()) if element.kind == "number" else None
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return isinstance(guess, Valid) and guess.value == float(amount)


def _has_price(questions: Questions) -> bool:
    return questions.answers.get(PRICE.id) is not None or pending(questions.draft, PRICE.id) is not None


def ask_changes_beside(questions: Questions, asked: Element) -> Element | None:
    """Ask back each other answer that the typed message puts right beside the open question; return the first.

    A sentence that says so gives it another value, denies its option for another one, or tells its note otherwise;
    beside the price each clause gives the value of a number or date that it names, and what it tells besides is kept.
    """
    draft, message, first = questions.draft, _typed_message(questions), None
    stated, rest = _stated_beside(questions, asked, message)
    for element in questions.asked if message else ():
        is_known = element.id in questions.answers and element.kind in _KINDS and element is not asked
        if not is_known or pending(draft, element.id) is not None:
            continue
        told = stated.get(element.id) or _replaced_option(questions, element, message)
        told = told or _told_value(questions, element, asked, message)
        told = told or note_to_cut(questions, element, message) or _told_note(questions, element, message)
        if told is None or isinstance(without_denied(draft, element, ProbableAnswer(told)), Refused):
            continue
        ask_back(draft, element.id, ProbableAnswer(told))
        first = first or element
    if first is not None and asked.kind == "price":
        _keep_others(questions, rest)
    return first


def _stated_beside(questions: Questions, asked: Element | None, message: str) -> tuple[dict[str, Valid], str]:
    """Return the other values that sentences, or their clauses, say of answered choices beside a price or an answer
    that is corrected, and the words that say none: `Price 180. Condition is only fair then, pad torn`.
    """
    found, rest = dict[str, Valid](), list[str]()
    is_open = asked is not None and asked.kind != "price" and asked.id not in questions.answers
    for sentence in () if is_open or "?" in message else _SENTENCES.split(message):
        whole = _stated_choice(questions, asked, sentence)
        for clause in [sentence] if whole else filter(None, _CLAUSES.split(sentence)):
            element, value = whole or _stated_choice(questions, asked, clause) or (None, None)
            if element is None or value is None:
                rest.append(clause)
            elif value.value != questions.answers[element.id][0]:
                found[element.id] = value
    return found, ". ".join(each.strip(" .") for each in rest) if found else message


def _keep_others(questions: Questions, message: str) -> None:
    """Keep for the last text the clauses that give no question a number or a date."""
    figures = [each for each in questions.asked if each.kind in ("number", "date")]
    for clause in filter(None, _CLAUSES.split(message)):
        if not any(_read(questions, each, [clause]).value for each in figures):
            keep_remark(questions.draft, home_of(questions), clause.strip())


def _typed_message(questions: Questions) -> str:
    """Return the newest message; nothing of a click or a long one."""
    message = next(iter(questions.draft.messages()), "")
    is_clicked = any(part.get("type") == "answer" for part in questions.draft.run.input)
    return "" if is_clicked or len(message) > _LONGEST else message


def _correcting_sentences(message: str) -> Iterator[str]:
    for sentence in _SENTENCES.split(message):
        if _CORRECTS.search(sentence) and "?" not in sentence:
            yield sentence


def ask_restated_choice(questions: Questions, asked: Element | None) -> Element | None:
    """Ask back the other value that the typed message says of an answered choice; return its question.

    Where nothing is open it is several choices, each named by its own sentence or clause. A month that puts the date
    right has the year of that.
    """
    if (put_right := _ask_month(questions, asked)) is not None:
        return put_right
    if asked is not None and asked.id not in questions.answers:
        element, value = restated_choice(questions, asked) or (None, None)
        found = {} if element is None or value is None else {element.id: value}
    else:
        found, _ = _stated_beside(questions, None, _typed_message(questions))
        found = found if len(found) > 1 else {}
    others = [each for each in questions.asked if each.id in found]
    others = [each for each in others if found[each.id].value != questions.answers[each.id][0]]
    for each in others:
        ask_back(questions.draft, each.id, ProbableAnswer(found[each.id]))
    return next(iter(others), None)


def _ask_month(questions: Questions, asked: Element | None) -> Element | None:
    """Ask back the date that was answered with the month which the typed message says instead: `no, december`."""
    message, draft = _typed_message(questions), questions.draft
    known = [
        each for each in questions.asked if each.kind == "date" and questions.answers.get(each.id, [None])[0]
    ]
    is_month = len(message) <= _LONGEST_MONTH and _MONTH_INSTEAD.match(" ".join(tokens(message))) is not None
    if not is_month or len(known) != 1 or known[0] is asked or pending(draft, known[0].id) is not None:
        return None
    kept = str(questions.answers[known[0].id][0])
    today = datetime.now(UTC).date()
    found = month_in_year(known[0], message, kept[:_YEAR], draft.language, today)
    if found is None or found.value == kept:
        return None
    ask_back(draft, known[0].id, ProbableAnswer(found))
    return known[0]


_LONGEST_MONTH, _YEAR = 60, 4
_MONTH_INSTEAD = patterns.compile(
    r"(?:(?:no|nao|wait|espere?|espera|hang on|hold on|oh|ah|ai|sorry|desculp[ae]|afinal|actually|alias|"
    r"i mean|quer dizer) )+"
    r"(?:(?:it|was|its|s|is|that|foi|era|e|in|em|no|pelo|bought|comprei|comprada?|sometime|more like|mais|"
    r"actually|afinal|"
    r"around|about|por volta de|ai por|o|a|na|de|at|for) )*"
    rf"(?:{ANY_MONTH}|natal|xmas|christmas)\b(?!.*\d)"
)
"""The start of a message that puts the month of a date right."""


def restated_choice(questions: Questions, asked: Element) -> tuple[Element, Valid] | None:
    """Return the answered choice that all of the typed message is about, with the value that it says of it.

    The message names that question by more words than any other, and nothing of the asked one, which it leaves open:
    `no, the sound is fine`. One that begins with a yes, asks or excepts something answers the asked one.
    """
    message = _typed_message(questions)
    says, rest = opening(message)
    said = as_written(message, rest) if says is False else message
    is_figure = asked.is_figure and any(map(str.isdigit, said))
    if says or asked.kind not in _KINDS or "?" in message or "€" in message or is_figure or not said:
        return None
    if (says is False and _EXCEPTS.search(said)) or (
        asked.kind == "select" and _says(questions, asked, message)
    ):
        return None
    element, value = _stated_choice(questions, asked, said) or (None, None)
    if (
        element is None
        or value is None
        or (says is False and asks_for_thing(asked) and asks_for_thing(element))
    ):
        return None
    return element, value


def _stated_choice(questions: Questions, asked: Element | None, said: str) -> tuple[Element, Valid] | None:
    """Return the answered choice that words name more than any other question, and the value that they say of it."""
    words = [each for each in content(tokens(said)) if not is_number(each)]
    scores = {each.id: _names_subject(each, words) for each in questions.asked if each.kind != "price"}
    best = max(scores.values(), default=0)
    named = [each for each in questions.asked if best and scores.get(each.id) == best]
    is_of_asked = asked is not None and scores.get(asked.id)
    if len(named) != 1 or is_of_asked or named[0].kind not in ("select", "boolean"):
        return None
    element = named[0]
    if element.id not in questions.answers or pending(questions.draft, element.id) is not None:
        return None
    guess = _says(questions, element, said)
    return None if guess is None else (element, guess)


def _says(questions: Questions, element: Element, said: str) -> Valid | None:
    """Return the value that words say of a question, also one that would be asked back."""
    judged = judge_with_remark(element, said, questions.draft.language, datetime.now(UTC).date())
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return None if isinstance(guess, Refused) or guess.skipped else guess


def _names_subject(element: Element, words: list[str]) -> int:
    """Return how many words name what a question is about; the item itself and what is said of any thing do not."""
    is_whole = [each.value for each in element.options] == GRADES
    label = tokens(f"{element.label.pt} {element.label.en}")
    own = _WHOLE.intersection(label) if is_whole else {*content(label)} - _OF_ANY - PRAISE - HEDGES
    return sum(any(is_like(word, each) for each in own) for word in words)


_WHOLE = frozenset("estado condicao condition shape".split())
_OF_ANY = frozenset(
    "item artigo produto product marca brand como how estao esta tem inclui incluem included include when quando buy "
    "comprou works working funciona funcionam everything tudo alguma coisa dizer anything else say mais there are "
    "what que qual well bem still ainda any algum".split()
)
"""Words of questions that name nothing which they are about."""
_EXCEPTS = patterns.compile(
    r"\b(?:s[oó]|apenas|only|just|mas|but|exceto|except|menos|tirando|apart)\b", patterns.IGNORECASE
)


def _replaced_option(questions: Questions, element: Element, message: str) -> Valid | None:
    """Return the option that a message names where it denies the chosen one: `poor, not fair`."""
    value = questions.answers[element.id][0]
    chosen = next((each for each in element.options if each.value == value), None)
    if chosen is None:
        return None
    said = f" {' '.join(tokens(message))} "
    named = [
        each
        for each in element.options
        if any(f" {name} " in said for name in _names(each.label.pt, each.label.en))
    ]
    others = [each for each in named if each is not chosen]
    is_denied = any(
        f" {denial} {name} " in said
        for name in _names(chosen.label.pt, chosen.label.en)
        for denial in _DENIALS
    )
    return valid_option(others[0], questions.draft.language) if is_denied and len(others) == 1 else None


_DENIALS = (
    "not",
    "not a",
    "nao",
    "isnt",
    "not just",
    "instead of",
    "em vez de",
    "nao e",
    "nao esta",
    "e nao",
)


def _names(*labels: str) -> list[str]:
    return [" ".join(tokens(each)) for each in labels]


def _told_value(questions: Questions, element: Element, asked: Element, message: str) -> Valid | None:
    """Return the other value that a correcting sentence, or a clause beside the price, tells of an answer.

    One that names an option of the asked question is about that alone: `the battery lasts less actually`.
    """
    is_beside_price = asked.kind == "price" and element.is_figure and "?" not in message
    sentences = _CLAUSES.split(message) if is_beside_price else _correcting_sentences(message)
    named = _names(*(text for each in asked.options for text in (each.label.pt, each.label.en)))
    sentences = [
        each for each in sentences if not any(f" {e} " in f" {' '.join(tokens(each))} " for e in named)
    ]
    value, kept = _read(questions, element, sentences).value, questions.answers[element.id][0]
    if value is None or value.skipped or value.value == kept:
        return None
    return (
        None
        if [each.value for each in element.options] == GRADES and not _names_it(element, message)
        else value
    )


def _read(questions: Questions, element: Element, sentences: Iterable[str]) -> ToldFact:
    """Return what sentences tell of a question; none about a thing that comes with the item tells its date."""
    told = ToldFact(element, questions.draft.language, whole=condition_of(questions), others=questions.asked)
    for sentence in sentences:
        for _ in (
            ()
            if element.kind == "date" and things_in(sentence)
            else told.read(_BEHIND_NAME.sub(" ", sentence))
        ):
            pass
    return told


def _names_it(element: Element, message: str) -> bool:
    label = content(tokens(f"{element.label.pt} {element.label.en}"))
    return any(is_like(word, each) for word in content(tokens(message)) for each in label)


def _told_note(questions: Questions, element: Element, message: str) -> Valid | None:
    """Return the chosen option with what a correcting sentence says of the note beside it, in place of that note."""
    value, shown = questions.answers[element.id]
    noted = BESIDE.search(str(shown))
    if noted is None:
        return None
    known = [word for word in content(tokens(noted[1])) if not is_number(word)]
    for sentence in _correcting_sentences(message):
        said = content(tokens(sentence))
        if sum(any(is_like(word, each) for each in said) for word in known) >= _SHARED:
            words = _LEAD.sub("", sentence).strip(" .,;!")
            plain = str(shown)[: noted.start()]
            return Valid(value, plain + beside(words)) if fold(words) != fold(noted[1]) else None
    return None


_LEAD = patterns.compile(
    r"^(?:(?:ah|oh|e|and|mas|but|afinal|ali[aá]s|actually|sorry|desculp[ae]|j[aá] agora|by the way|"
    r"(?:me )?enganei(?:-me)?|i was wrong|my mistake|i must correct myself)\b[\s,.:;]*)+",
    patterns.IGNORECASE,
)
