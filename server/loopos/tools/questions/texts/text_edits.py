"""Words about another answer than the open one: what a text is to have, or is to have no longer."""

from datetime import UTC, datetime

from server import patterns
from server.languages import split_question
from server.loopos.answers import (
    Element,
    ProbableAnswer,
    Refused,
    Valid,
    asks_to_cut,
    confirms,
    judge,
    with_replaced,
    withdrawn_things,
    without_no_thing,
    without_price,
    without_thing,
)
from server.loopos.answers.amounts.price_words import price_terms, removes_price
from server.loopos.answers.certainty import NEGATIONS, content, without_lead
from server.loopos.answers.clauses.change_requests import (
    added_words,
    only_drops,
    says_it_lacks,
    without_name,
)
from server.loopos.answers.clauses.instructions import without_instruction
from server.loopos.answers.clauses.item_facts import is_item_fact
from server.loopos.answers.clauses.joined_parts import join_parts
from server.loopos.answers.clauses.stated_texts import stated_text
from server.loopos.answers.clauses.talk import keeps, without_talk
from server.loopos.answers.clauses.text_replies import spell_agreed
from server.loopos.answers.clauses.whole_text_wishes import starts_again
from server.loopos.answers.judges.fault_notes import beside
from server.loopos.answers.wishes.things_taken_back import tells_why_gone
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.confirmation import ask_back, is_asked_in_this_run, pending
from server.loopos.tools.drafts.words_behind_yes import BESIDE, repeats_price
from server.loopos.tools.questions.contradictions import ask_without
from server.loopos.tools.questions.corrections import ask_told_corrections
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.late_corrections import repeats_last_answer
from server.loopos.tools.questions.named_answers import ask_named
from server.loopos.tools.questions.named_rows import ask_named_row
from server.loopos.tools.questions.price import (
    says_price,
    words_beside_price,
)
from server.loopos.tools.questions.side_changes import ask_restated_choice, restated_choice
from server.loopos.tools.questions.texts.kept_rest import ask_changed_part
from server.loopos.tools.questions.texts.objections import ask_denied, objects_to
from server.loopos.tools.questions.texts.offered_texts import offered_text
from server.loopos.tools.questions.texts.remarks import (
    drop_remarks,
    is_remark,
    without_courtesy,
)
from server.loopos.tools.questions.texts.several_values import ask_several_values, calls_no_note
from server.loopos.tools.questions.texts.typed_texts import ask_whole_text
from server.loopos.tools.questions.texts.wishes.cut_answers import ask_cut
from server.loopos.tools.questions.texts.wishes.mixed_wishes import ask_mixed_wishes
from server.loopos.tools.questions.texts.wishes.wished_additions import add_wished, wishes_at_card
from server.loopos.tools.questions.texts.wishes.wished_edits import (
    answers_beside_wishes,
    ask_wished_additions,
    ask_wished_edits,
    has_all_to_cut,
)
from server.loopos.tools.questions.unrecorded_faults import (
    ask_to_add,
    faults_in,
    home_of,
    settle_faults,
    take_as_asked,
)
from server.loopos.tools.tool_words import say
from server.text_reading.wishes.small_talk import small_talk_of

_SET_OFF = patterns.compile(r"[:\"«“]")
"""A mark by which a message sets off the words that are to be written."""
_QUOTE = patterns.compile(r"[\"«“]")
_AND_WRITES = patterns.compile(
    r"\b(?:e|and)\s+(?:p[oõ]e|ponha|met[ae]|escrev[ae]|acrescent[ae]|junt[ae]|put|add|write)\b",
    patterns.IGNORECASE,
)
"""A second wish of a message that takes something out: the text is edited in its field then."""
_PLACE = patterns.compile(
    r"(?:(?:e|and|also|tamb[eé]m)\s)?(?:n[oa]s?|in|to)\s(?:(?:the|my)\s)?\w+\s*", patterns.IGNORECASE
)
"""What names a text before a mark and does not say that anything is to go from it."""
_NO = patterns.compile(r"^(?:n[aã]o|no|nope)[.,;!]\s*", patterns.IGNORECASE)
_INSTRUCTS = patterns.compile(
    r"\b(?:put|add|write|says?|p[oõ]e|ponha|met[ae]|escrev[ae]|s[oó]|just|only|apenas)\b|[\"«“:]",
    patterns.IGNORECASE,
)
"""A mark or a word by which a message says what is to be written."""


_REQUEST = patterns.compile(
    r"[.;!]\s+(?:podia[sm]?|pode[sm]?|(?:can|could) (?:yo)?u)\s+"
    r"(?:tir|retir|remov|apag|take|delete|leave)[^.;!?]{1,60}\?\s*$",
    patterns.IGNORECASE,
)
"""A request behind what it is about: `the bag stays with me. Could you take it out?`."""


def ask_about_another(questions: Questions, asked: Element | None) -> Element | None:
    """Ask back what the typed message says of a text to cut down, or of another answer than the one `asked`.

    Returns its question, whose new answer waits for a yes then; None where the message says nothing of the kind.
    """
    draft = questions.draft
    if any(part.get("type") == "answer" for part in draft.run.input):
        return None
    message = spell_agreed(asked, without_name(next(iter(draft.messages()), "")))
    if removes_price(message) or small_talk_of(message) == "talk":
        return None
    waits = pending(draft, asked.id) if asked is not None and asked.kind == "price" else None
    agrees, rest = confirms(message, draft.language) if waits else (None, "")
    if waits is not None and agrees and repeats_price(rest, waits, draft.language):
        return None  # What stands behind the price is asked back once that is kept.
    home = home_of(questions)
    if starts_again(message) and home is not None and is_asked_in_this_run(draft, home.id):
        return home  # Another call of this run has asked it back.
    if starts_again(message) and (whole := ask_whole_text(questions, asked, message)):
        return whole
    wishes = wishes_at_card(questions, message)
    said = wishes.rest
    is_both = bool(wishes.facts) and has_all_to_cut(questions, said)
    if is_both and (both := ask_wished_edits(questions, asked, message, several=True)):
        return both
    found = _ask_edits(questions, asked, said) if said and not (wishes.facts and only_drops(said)) else None
    if found is not None and not wishes.rest:
        return found
    return add_wished(questions, wishes, asked, found)


def _ask_edits(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back what words say of a text to cut down, or of another answer than the one `asked`."""
    message = _REQUEST.sub("", message) or message
    if answers_beside_wishes(questions, asked, message):
        return None  # What is to go is asked back beside the answer.
    element = asked or home_of(questions)
    found = ask_several_values(questions, message) or ask_named_row(questions, asked, message)
    found = found or ask_changed_part(questions, asked, message) or _ask_terms(questions, asked, message)
    found = found or ask_wished_edits(questions, asked, message, several=True)
    found = found or ask_whole_text(questions, asked, message) or ask_mixed_wishes(questions, asked, message)
    found = found or ask_denied(questions, element, message)
    is_unclear = element is not None and objects_to(questions, element, message)
    if found is None and (is_unclear or (asks_to_cut(message) and _AND_WRITES.search(message))):
        return None  # The text stands in its field then.
    found = found or _ask_stated(questions, asked, message) or _ask_withdrawn(questions, message)
    found = found or ask_cut(questions, asked, message) or _ask_replaced(questions, message)
    found = found or ask_wished_edits(questions, asked, message, several=False)
    found = found or ask_wished_additions(questions, asked, message)
    found = found or ask_named(questions, asked, message) or ask_restated_choice(questions, asked)
    found = found or ask_told_corrections(questions, asked, message)
    found = found or _ask_restated(questions, asked, message) or _ask_lacking(questions, message)
    return found or _ask_beside_card(questions, asked, message)


def ask_beside_card(questions: Questions, element: Element) -> Element | None:
    """Ask back the last text with a message that does not answer the question that it was taken for, and puts nothing
    right: `also a screen protector on it`. At the price it names something of the item.
    """
    message = next(iter(questions.draft.messages()), "")
    is_answer = questions.draft.waiting_block() == element.id or without_lead(message) != message
    is_answer = not is_item_fact(without_lead(message)) if element.kind == "price" else is_answer
    if is_answer or not NEGATIONS.isdisjoint(tokens(message)):
        return None
    return _ask_beside_card(questions, home_of(questions), message)


def _ask_lacking(questions: Questions, message: str) -> Element | None:
    """Ask back the last text of a finished item with what a message says that is missing there."""
    home, words = home_of(questions), added_words(message) if says_it_lacks(message) else ""
    is_done = home is not None and _is_written(questions, home) and pending(questions.draft, home.id) is None
    if home is None or not is_done or not content(tokens(words)) or says_price(questions, message):
        return None
    settle_faults(questions, faults_in(message))
    return home if ask_to_add(questions, home, words) else None


def _ask_beside_card(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back the last text with what a message adds to it, where nothing else is open and it was not asked again.

    Only the answer to its question replaces a text that is written.
    """
    home = home_of(questions)
    is_written = asked is not None and asked is home and asked.id in questions.answers
    is_done = all(each.kind == "price" for each in questions.open())
    if home is None or not (is_written and is_done) or questions.draft.waiting_block() == home.id:
        return None
    if _INSTRUCTS.search(message) or asks_to_cut(message) or without_instruction(home, message) != message:
        return None
    if keeps(message, str(questions.answers[home.id][1])) or says_price(questions, message):
        return None
    language = questions.draft.language
    words = without_courtesy(without_talk(split_question(message)[0]), language)
    words = words_beside_price(words, language) or words
    words = without_lead(words) or words
    return home if is_remark(words) and ask_to_add(questions, home, words) else None


def _ask_terms(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back the last text with a note to the buyer: the price of a finished item is negotiable or firm."""
    home, terms = home_of(questions), price_terms(message, questions.draft.language)
    is_priced = asked is None or asked is home or asked.id in questions.answers
    if home is None or not terms or not is_priced or not _is_written(questions, home):
        return None
    kept = pending(questions.draft, home.id)
    if kept is not None and is_asked_in_this_run(questions.draft, home.id):
        return home
    value, shown = (kept.value, kept.shown) if kept is not None else questions.answers[home.id]
    left = [each for each in str(shown).split("; ") if not price_terms(each, questions.draft.language)]
    if kept is None and (value is None or "; ".join(left) == shown):
        return home if ask_to_add(questions, home, terms) else None
    text, _ = join_parts([terms], home.max_length, first="; ".join(left))  # Newer terms replace older ones.
    ask_back(questions.draft, home.id, ProbableAnswer(Valid(text, text)))
    take_as_asked(questions)
    return home


def refusal_beside(questions: Questions, element: Element) -> Refused | None:
    """Return why a message answers nothing: it says an answer that is kept, or takes out what no text has."""
    restated = restated_choice(questions, element)
    is_same = restated is not None and questions.answers[restated[0].id][0] == restated[1].value
    if is_same or repeats_last_answer(questions, element):
        return Refused("question_again", {"question": element.label.text_in(questions.draft.language)})
    return Refused("not_in_text") if _cuts_what_is_not_there(questions, element) else None


def _cuts_what_is_not_there(questions: Questions, element: Element) -> bool:
    """Return whether the typed message says to take a part out of this text, which has an answer without that part.

    What is no accessory says nothing of the answer to another question that names it, as that of the screen. What is
    sent from a field is no wish, however it reads.
    """
    if any(part.get("type") == "answer" for part in questions.draft.run.input):
        return False
    message = next(iter(questions.draft.messages()), "")
    if objects_to(questions, element, message):
        return True
    says_no_thing = without_no_thing(message) != message
    if element.kind != "text":
        return says_no_thing and element.id in questions.answers
    is_written = element.id in questions.answers or pending(questions.draft, element.id) is not None
    is_written |= offered_text(questions, element) != ""
    return asks_to_cut(message) and (is_written or (says_no_thing and not without_no_thing(message)))


def text_to_keep(questions: Questions, element: Element) -> Valid | None:
    """Return the text that is written as the answer, where the typed message says to leave it as it is."""
    message = next(iter(questions.draft.messages()), "")
    is_clicked = any(part.get("type") == "answer" for part in questions.draft.run.input)
    value, shown = questions.answers.get(element.id, (None, ""))
    is_about = element.kind == "text" or pending(questions.draft, element.id) is not None
    is_about = is_about and not calls_no_note(message)
    if not is_about or is_clicked or value is None or not keeps(message, str(shown)):
        return None
    take_as_asked(questions)
    return Valid(value, str(shown))


def _ask_restated(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back what the last text is to be, by `escreva só: ...` where no text is open; `nas notas: ...` adds to it."""
    home, mark = home_of(questions), _SET_OFF.search(message)
    if home is None or home.id not in questions.answers or mark is None:
        return None
    language, said = questions.draft.language, _NO.sub("", message)
    written = without_instruction(home, said)
    if written == said or (asked is not None and asked.kind == "text"):
        return None
    if asked is not None and asked.kind == "price" and confirms(message, language)[0]:
        return None  # The yes comes first, and what stands behind it is asked then.
    today = datetime.now(UTC).date()
    if asked is not None and not isinstance(judge(asked, written, language, today), Refused):
        return None
    judged = judge(home, written, language, today)
    if not isinstance(judged, Valid):
        return None
    if _PLACE.fullmatch(message[: mark.start()]):
        return home if ask_to_add(questions, home, written) else None
    ask_back(questions.draft, home.id, ProbableAnswer(judged))
    take_as_asked(questions)
    return home


def _ask_stated(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back all that a text is to have: the open one or the last one, which is written or waits for a yes."""
    element = (
        asked if asked is not None and asked.kind == "text" and asked.pattern is None else home_of(questions)
    )
    if element is None:
        return None
    kept, language = pending(questions.draft, element.id), questions.draft.language
    is_written = without_instruction(element, message) != message
    if is_written or (kept is None and element.id not in questions.answers):
        return None
    if kept is not None and is_asked_in_this_run(questions.draft, element.id):
        return None
    is_open = element is asked and kept is not None
    said = without_price(split_question(message)[0], language)
    written = stated_text(said, tokens(f"{element.label.pt} {element.label.en}"), is_open=is_open)
    judged = judge(element, written, language, datetime.now(UTC).date()) if written else Refused("empty")
    if isinstance(judged, Refused):
        return None
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if guess.skipped:
        return None
    ask_back(questions.draft, element.id, ProbableAnswer(guess))
    take_as_asked(questions)
    drop_remarks(questions.draft)
    return element


def _ask_withdrawn(questions: Questions, message: str) -> Element | None:
    """Ask back the last text without what a message says is not there any more, with the facts that it tells beside
    that; else a no to whether this is included.
    """
    home, draft = home_of(questions), questions.draft
    things, others = withdrawn_things(message)
    if home is None or not things or _QUOTE.search(message) or not _is_written(questions, home):
        return None
    kept, language = pending(draft, home.id), draft.language
    if kept is not None and is_asked_in_this_run(draft, home.id):
        return home
    if without_instruction(home, message) != message or (
        kept is not None
        and any(content(tokens(each), _REFUSING) for each in others if not tells_why_gone(each))
    ):
        return None  # The message may say what the text is to be.
    written = kept.shown if kept is not None else str(questions.answers[home.id][1])
    left, gone = written, list[str]()
    for thing in things:
        if (rest := without_thing(left, thing)) is not None:
            left, gone = rest or say("text.without", language, thing=thing), [*gone, thing]
    if not gone and any(is_remark(each) for each in others):
        return None
    if not gone:
        return _ask_unnoted(questions, things) or ask_without(questions, things)
    said = {word for thing in gone for word in content(tokens(thing))}
    told = [each for each in others if is_remark(each) and not (_GOES_ON.match(each) or tells_why_gone(each))]
    told = [each for each in told if not says_price(questions, each) and said.isdisjoint(tokens(each))]
    text, _ = join_parts(told, home.max_length, first=left)
    ask_back(draft, home.id, ProbableAnswer(Valid(text, text)))
    take_as_asked(questions)
    return home


def _ask_unnoted(questions: Questions, things: list[str]) -> Element | None:
    """Ask back an answer without what stands beside it of a thing that is not there: `Good (a scratch on the back)`."""
    for element in questions.asked:
        value, shown = questions.answers.get(element.id, (None, ""))
        noted = BESIDE.search(str(shown)) if element.kind in ("select", "boolean") else None
        left = next(
            (each for thing in things if noted and (each := without_thing(noted[1], thing)) is not None), None
        )
        if noted and left is not None:
            plain = str(shown)[: noted.start()]
            ask_back(
                questions.draft,
                element.id,
                ProbableAnswer(Valid(value, plain + beside(left) if left else plain)),
            )
            take_as_asked(questions)
            return element
    return None


def _ask_replaced(questions: Questions, message: str) -> Element | None:
    """Ask back the last text with other words in the place of those that a message denies: `3 heads, not 4`."""
    home, draft = home_of(questions), questions.draft
    if home is None or not _is_written(questions, home):
        return None
    is_asked = is_asked_in_this_run(draft, home.id)
    kept = None if is_asked else pending(draft, home.id)
    written = kept.shown if kept is not None else str(questions.answers.get(home.id, (None, ""))[1])
    text = with_replaced(written, message)
    if text is None or len(text) > home.max_length or says_price(questions, message):
        return None
    ask_back(draft, home.id, ProbableAnswer(Valid(text, text)))
    take_as_asked(questions)
    return home


_REFUSING = frozenset("nao no nope nah sim yes ok".split())
_GOES_ON = patterns.compile(r"(?:it|they|i|he|she|j[aá]|el[ae]s?)\b", patterns.IGNORECASE)
"""The start of a clause that says why a thing is not there."""


def _is_written(questions: Questions, home: Element) -> bool:
    """Return whether the last text is written or waits for a yes, and no other question waited for this message."""
    waits = questions.draft.waiting_block()
    if pending(questions.draft, home.id) is not None:
        return waits == home.id or is_asked_in_this_run(questions.draft, home.id)
    is_done = home.id in questions.answers and all(each.kind == "price" for each in questions.open())
    return is_done and all(each.kind == "price" or each.id != waits for each in questions.asked)
