"""The judge of an answer: a sure answer is stored, a probable one asked back, any other refused."""

from datetime import date

from server import patterns
from server.languages import READ, split_question
from server.loopos.answers.amounts.asking_price import judge_price, without_price
from server.loopos.answers.amounts.deal_words import spell_signs
from server.loopos.answers.amounts.price_questions import asks_worth
from server.loopos.answers.certainty import (
    NEGATIONS,
    asks,
    content,
    is_hedged_no,
    opening,
    spell_and,
    spell_short,
    without_doubt,
    without_lead,
    without_open_doubt,
    without_refusal,
)
from server.loopos.answers.clauses.absence_questions import says_without
from server.loopos.answers.clauses.asides import is_ignorant, speaks_of
from server.loopos.answers.clauses.change_requests import added_words, tells_several, told_addition
from server.loopos.answers.clauses.change_wishes import asks_for_a_change
from server.loopos.answers.clauses.contrasts import affirmed_words, without_retracted
from server.loopos.answers.clauses.cut_texts import without_no_thing
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.clauses.included_things import as_included
from server.loopos.answers.clauses.instructions import without_instruction, without_questions
from server.loopos.answers.clauses.item_words import tells_of_item
from server.loopos.answers.clauses.other_kinds import tells_of_others, without_other_goods
from server.loopos.answers.clauses.private_names import without_names
from server.loopos.answers.clauses.reminders import is_repeat, without_reminders, without_told_things
from server.loopos.answers.clauses.short_answers import leaves_blank, says_nothing, spell_hedged_yes
from server.loopos.answers.clauses.talk import asks_again, keeps, without_chat, without_talk
from server.loopos.answers.clauses.text_replies import without_asides
from server.loopos.answers.element import Element
from server.loopos.answers.judges.asked_beside import judge_before_question
from server.loopos.answers.judges.choice_judge import judge_choice
from server.loopos.answers.judges.damage_questions import judge_fault_words, say_what_is_there
from server.loopos.answers.judges.fault_notes import (
    GRADES,
    doubt_denied_fault,
    grade_light_marks,
    note_faults,
    without_cosmetic_faults,
)
from server.loopos.answers.judges.figure_judge import judge_figure, lacks_it, without_range
from server.loopos.answers.judges.guesses.denied_guesses import prefer_denied
from server.loopos.answers.judges.guesses.faulty_parts import prefer_faults_of_parts
from server.loopos.answers.judges.guesses.figure_sides import judge_two_figures
from server.loopos.answers.judges.guesses.likely_options import judge_likely
from server.loopos.answers.judges.guesses.named_halves import judge_halves
from server.loopos.answers.judges.guesses.named_things import prefer_named_thing
from server.loopos.answers.judges.guesses.opened_yes import prefer_opened_yes
from server.loopos.answers.judges.guesses.plain_sentences import prefer_plain_sentence
from server.loopos.answers.judges.option_remarks import agree, note_remark, without_talk_beside
from server.loopos.answers.judges.other_parts import judge_sound, without_other_parts
from server.loopos.answers.judges.polarity_judge import deny_half, tells_apart, text_of_side
from server.loopos.answers.judges.states import (
    asks_whether_it_works,
    judge_all_well,
    judge_state,
    prefer_working,
    without_other_states,
    without_past_faults,
)
from server.loopos.answers.judges.validation import read_label, too_long, validate, validate_click
from server.loopos.answers.options.examples import is_very_near
from server.loopos.answers.options.option_sides import leads, not_an_option
from server.loopos.answers.options.question_words import tell_asked_option
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import MOST_LETTERS, shorten_runs, tokens, without_debris
from server.text_reading.own_questions import without_own_question
from server.text_reading.wishes.ways_back import takes_back


def judge(element: Element, answer: str, language: str, today: date) -> Judgement:
    """Judge the words of a seller; `today` is their date, `language` that of what is shown.

    Valid is only returned for an answer whose every word is accounted for, and never for a value that refuses the item.
    Of a longer answer than MOST_LETTERS the beginning is read and asked back. A text is taken as it is; one that is
    longer by MOST_LETTERS than its question allows is refused; one about a price to set, or going back, is asked back.
    """
    if element.kind == "text" or asks_again(answer):
        return _judge_text(element, answer.strip(), language, today)
    answer = without_own_question(answer)
    heard = answer if element.is_figure else without_other_goods(element, answer) or (answer and "-")
    if heard != answer and tells_of_others(element, answer):
        told = judge(element, heard, language, today)
        return ProbableAnswer(told) if isinstance(told, Valid) and not told.skipped else told
    answer = spell_and(spell_short(heard), language)
    short = _judge_short(element, heard, language, today) or judge_state(element, answer, language)
    if short is not None:
        return short
    plain = without_price(answer, language) if element.kind in ("select", "boolean") else answer
    if element.kind == "boolean" and answer and not plain:
        return Refused("yes_or_no")  # `the price is 450, not 480` says no to nothing else.
    answer = plain or answer if element.kind == "select" else answer
    whole = shorten_runs(answer if is_repeat(answer) else without_reminders(answer))
    first, whole = whole, without_retracted(element, whole) if element.kind == "select" else whole
    read = without_instruction(element, _MAY_BE.sub("maybe", without_open_doubt(whole[:MOST_LETTERS])))
    answer = _GUESSING.sub(r"\1,", read)
    sure = without_cosmetic_faults(element, without_doubt(without_chat(without_doubt(answer))))
    own = without_other_parts(element, sure)
    said = without_range(element, without_other_states(element, own))
    if sure and not own:
        return Refused("yes_or_no") if element.kind == "boolean" else not_an_option(element, language)
    if sure and not said:
        return Refused("of_a_charge")
    judged = _judge(element, said, language, today)
    if isinstance(judged, Refused) and _is_unread(judged, said):
        judged = _judge_unread(element, said, judged, language, today)
    elif isinstance(judged, Refused) and judged.code == "ambiguous":
        graded = _judge_grade(element, said, language, today)
        judged = graded or judge_likely(element, said, language) or judged
    elif (
        isinstance(judged, ProbableAnswer)
        and judged.reason == "unsure"
        and element.kind in ("select", "boolean")
        and not tells_apart(element, said)
        and says_without(element, said) is None
    ):
        graded = _judge_grade(element, said, language, today)
        judged = graded or judge_likely(element, said, language, judged.guess) or judged
    judged = prefer_faults_of_parts(element, said, judged, language)
    judged = deny_half(element, said, prefer_working(element, said, judged, language), language)
    judged = _prefer_affirmed(element, said, judged, language, today)
    judged = _prefer_named(element, said, doubt_denied_fault(element, said, judged, language), language)
    is_part = said.strip(" .!").split() != answer.strip(" .!").split() or len(whole) > MOST_LETTERS
    is_part |= without_open_doubt(whole) != whole or whole != first or spell_short(heard) != heard
    return ProbableAnswer(judged) if isinstance(judged, Valid) and not judged.skipped and is_part else judged


def _is_unread(judged: Refused, said: str) -> bool:
    return judged.code in _NOT_READ or (
        judged.code in ("not_an_answer", "year_missing") and is_ignorant(said)
    )


def _judge_unread(element: Element, said: str, judged: Refused, language: str, today: date) -> Judgement:
    """Return what words likely say that are no answer as a whole; the refusal where they say nothing."""
    likely = (
        _judge_beginning(element, said, language, today)
        or grade_light_marks(element, said, language)
        or judge_sound(element, said, language)
        or judge_all_well(element, said, language)
        or judge_likely(element, said, language)
        or (validate(element, "não sei", language, today) if is_ignorant(said) else judged)
    )
    is_lacking = isinstance(likely, Refused) and lacks_it(element, said)
    return validate(element, "não sei", language, today) if is_lacking else likely


def _prefer_named(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return what an answer says by a clause that names what is asked for, whatever its other clauses tell."""
    judged = prefer_opened_yes(element, answer, judged, language)
    judged = judged if isinstance(judged, Valid) else judge_halves(element, answer, language) or judged
    return prefer_denied(element, answer, prefer_named_thing(element, answer, judged, language), language)


def _judge_short(element: Element, answer: str, language: str, today: date) -> Judgement | None:
    """Return what an answer says that takes back or leaves blank, or whose yes or option is not certain."""
    if (told := tell_asked_option(element, answer)) != answer:
        judged = judge(element, told, language, today)
        return ProbableAnswer(judged) if isinstance(judged, Valid) and not judged.skipped else judged
    if leaves_blank(element, answer):
        return validate(element, "não sei", language, today)
    if takes_back(answer) and not element.is_figure:
        return Refused("yes_or_no") if element.kind == "boolean" else not_an_option(element, language)
    spelled = spell_hedged_yes(answer) if element.kind == "boolean" else answer
    if spelled == answer:
        return None
    read = judge(element, spelled, language, today)
    return ProbableAnswer(Valid(True, text_of_side(True, language))) if isinstance(read, Refused) else read


def _prefer_affirmed(
    element: Element, answer: str, judged: Judgement, language: str, today: date
) -> Judgement:
    """Return the option that stands beside a denial, asked back, instead of one that the denied words hint at.

    `not peeling, just worn` is worn. Where what stands beside is a fault that no option is clearly, it is asked which.
    """
    is_state = element.kind == "select" and not asks_whether_it_works(element)
    is_open = is_state and not isinstance(judged, Valid) and [o.value for o in element.options] != GRADES
    kept = affirmed_words(answer) if is_open and not is_ignorant(answer) else ""
    if kept and isinstance(judged, ProbableAnswer) and is_very_near(element, answer, judged.guess.value):
        return judged
    if not kept:
        return judged if not is_open else _affirm_behind_no(element, answer, judged, language, today)
    has_sides = any(leads(each) is not None for each in element.options)
    affirmed = judge(element, kept if has_sides else _FIRST_NO.sub("", kept), language, today)
    if isinstance(affirmed, Refused):
        is_sound = isinstance(judged, ProbableAnswer) and judged.guess.value == element.options[0].value
        return not_an_option(element, language) if is_sound and tells_fault(kept) else judged
    guess = affirmed.guess if isinstance(affirmed, ProbableAnswer) else affirmed
    is_same = isinstance(judged, ProbableAnswer) and judged.guess.value == guess.value
    return judged if is_same or guess.skipped else ProbableAnswer(guess)


def _affirm_behind_no(
    element: Element, answer: str, judged: Judgement, language: str, today: date
) -> Judgement:
    """Return the yes of an answer that takes its own no back: `no, it's assembled`. It is asked back."""
    rest = _FIRST_NO.sub("", answer)
    if rest == answer or not _IT_IS.match(rest) or not NEGATIONS.isdisjoint(tokens(rest)):
        return judged
    affirmed = judge(element, rest, language, today)
    guess = affirmed.guess if isinstance(affirmed, ProbableAnswer) else affirmed
    is_yes = isinstance(guess, Valid) and any(leads(o) for o in element.options if o.value == guess.value)
    return ProbableAnswer(guess) if is_yes and isinstance(guess, Valid) else judged


_FIRST_NO = patterns.compile(r"^\s*(?:no\b(?: no\b)?|n[aã]o[,.;!]|nope|nah)[\s,.;!]*", patterns.IGNORECASE)
_IT_IS = patterns.compile(r"(?:it['’]?s|it is|they['’]?re|they are|est[aá]|[eé])\b", patterns.IGNORECASE)


def judge_with_remark(element: Element, answer: str, language: str, today: date) -> Judgement:
    """Judge an answer; beside an option that is asked back stand all other words that say something of the item."""
    judged = prefer_plain_sentence(element, answer, judge(element, answer, language, today), language)
    told = judge_two_figures(element, answer, judged, language)
    if told is not judged or not isinstance(told, ProbableAnswer) or element.kind not in _BESIDE_KINDS:
        return told
    answer = without_past_faults(element, without_other_goods(element, answer))
    answer = without_retracted(element, spell_and(spell_short(answer), language))
    said = without_instruction(element, without_reminders(shorten_runs(answer))[:MOST_LETTERS])
    own = without_other_parts(element, without_cosmetic_faults(element, without_chat(without_doubt(said))))
    return without_talk_beside(element, note_remark(element, own, told, language))


def _judge_text(element: Element, answer: str, language: str, today: date) -> Judgement:
    """Judge a text without its questions, its talk to who asks, and the words that only say to write it."""
    if len(answer) > element.max_length + MOST_LETTERS:
        return too_long(element)
    if asks_again(answer):
        return Refused("question_again", {"question": element.label.text_in(language)})
    if is_hedged_no(answer):
        answer = text_of_side(False, language)
    heard, written = answer, without_asides(_TOLD_ALL.sub(r"\g<no>", answer))
    answer = without_other_goods(element, written)
    if written and not answer:
        return Refused("question_again", {"question": element.label.text_in(language)})
    told = without_questions(answer)
    said = without_talk(told)
    if (answer and not said) or keeps(answer):
        return Refused("empty" if told else "not_an_answer")
    is_wish = asks_for_a_change(heard) or not said == answer == written or tells_several(answer)
    answer = without_no_thing(said) or said
    answer = without_instruction(element, without_told_things(without_refusal(answer)))
    answer = added_words(answer) if told_addition(answer) else answer
    said, asked = split_question(answer)
    answer = said if asked and content(tokens(said)) else answer
    if (
        element.pattern is None
        and answer
        and not _OF_PRICE.isdisjoint(words := tokens(answer))
        and len(words) == 1
    ):
        return Refused("not_an_answer")  # Its amount was told as the price.
    written, answer = answer, _public_text(element, answer, language)
    is_wish |= written != answer
    judged = _judge(element, answer if answer == told else without_debris(answer), language, today)
    is_wish |= element.pattern is None and language in READ and not tells_of_item(element, answer)
    return ProbableAnswer(judged) if is_wish and isinstance(judged, Valid) and not judged.skipped else judged


_OF_PRICE = frozenset("custa custam peco queria quero preco valor costs cost price asking want".split())
_TOLD_ALL = patterns.compile(
    r"^\s*(?P<no>no|nope|nah|n[aã]o)\b[\s,.;!]*(?:i think |i guess |i believe |acho que |que eu saiba )?"
    r"(?:(?:you|u)(?:'ve| have|ve)?(?: got)? (?:have |got |know )?(?:everything|it all|all of it)"
    r"|(?:i(?:'ve| have|ve)? )?(?:already )?(?:told|said|gave|given) (?:you |u )?(?:everything|it all|all)"
    r"|(?:j[aá] )?(?:disse|contei|dei)(?:-lhe)? tudo|"
    r"(?:j[aá] )?(?:tem|t[eê]m|est[aá]|sabe[m]?)(?: a[ií])? tudo(?: dito)?)"
    r"[\s.!]*$",
    patterns.IGNORECASE,
)
"""A no whose other words only say that everything was told."""
_GUESSING = patterns.compile(
    r"\b((?:i )?(?:guess|think|suppose|reckon)|maybe|acho(?: eu)?|suponho|talvez|sei l[aá]|"
    r"(?:uns|umas|about|around|like|roughly|cerca de|maybe|perhaps|h[aá]|tipo)\s[^?.,;!\n]{1,30}|"
    r"(?:years?|yrs?) ago|think so)\s*\?{1,3}",
    patterns.IGNORECASE,
)
"""A guess with a question mark is no question."""
_BESIDE_KINDS = ("select", "boolean")  # Beside an answer to these a remark stands.
_MAY_BE = patterns.compile(r"\bmay be\b", patterns.IGNORECASE)
"""A doubt that begins as a month does."""
_NAMED = patterns.compile(r"(?<![\w.,])(?!x\d)[a-z]{1,3}\d[\w-]*", patterns.IGNORECASE)
"""The name of a part or model, whose number counts nothing: `an i5`."""
_SAYING = patterns.compile(
    r"\b(?:i'?d say|i would say|id say|eu diria|diria|digo|acho|i guess|i think)\b", patterns.IGNORECASE
)
_CLAUSE = patterns.compile(r"[,.;:!\n]|\b(?:mas|but|so|therefore|por isso|portanto|porque|pq|because|cuz)\b")


def _judge_grade(element: Element, answer: str, language: str, today: date) -> ProbableAnswer | None:
    """Return the grade that a clause is, the first or the last before others, with the faults that they tell."""
    clauses = [each for each in _CLAUSE.split(answer) if each.strip()]
    if [each.value for each in element.options] != GRADES or len(clauses) == 1:
        return None
    for clause in (clauses[0], clauses[-1], *clauses[1:-1]):
        judged = _judge(element, _SAYING.sub(" ", clause), language, today)
        if isinstance(judged, Valid) and not judged.skipped:
            noted = note_faults(element, answer, ProbableAnswer(judged), language)
            return noted if isinstance(noted, ProbableAnswer) else None
    return None


_SENTENCE = patterns.compile(r"[.;!\n](?!\d)")
_COMMA = patterns.compile(r",(?!\d)|\b(?:mas|but)\b", patterns.IGNORECASE)
_NOT_READ = frozenset("not_an_option yes_or_no number_only not_a_date".split())


def _judge_beginning(element: Element, answer: str, language: str, today: date) -> ProbableAnswer | None:
    """Return what the first sentence or clause answers, to be asked back, where the whole cannot be read."""
    for border in (_SENTENCE, _COMMA) if element.kind != "price" else ():
        first, _, rest = border.sub("\n", answer.strip(), count=1).partition("\n")
        is_whole = border is _SENTENCE or (is_ignorant(rest) and len(tokens(first)) > 1)
        if not rest.strip() or not first.strip() or (border is _COMMA and opening(first)[0] is not None):
            continue
        judged = _judge(element, first, language, today)
        if isinstance(judged, Valid) and not judged.skipped:
            return ProbableAnswer(judged)
        if isinstance(judged, ProbableAnswer) and (is_whole or _says_rest(element, judged, rest)):
            return judged
    return None


def _says_rest(element: Element, judged: ProbableAnswer, rest: str) -> bool:
    """Return whether the option that was guessed has the words of the rest: `but works` of `Broken, but works`."""
    labels = [each.label for each in element.options if each.value == judged.guess.value]
    own = {word for label in labels for word in tokens(f"{label.pt} {label.en}")}
    return bool(content(tokens(rest))) and own.issuperset(content(tokens(rest)))


def _judge(element: Element, answer: str, language: str, today: date) -> Judgement:
    answer = answer if is_repeat(answer) else without_reminders(answer)
    said, asked = split_question(answer) if element.kind != "text" else (answer, "")
    if asked and (asks_worth(asked) or not speaks_of(element, asked)):
        judged = judge(element, said, language, today)
        return ProbableAnswer(judged) if isinstance(judged, Valid) and not judged.skipped else judged
    if element.kind == "price":
        return judge_price(answer, language)
    if (labelled := read_label(element, answer, language)) is not None:
        return confirm_refusal(labelled)
    if (nothing := says_nothing(element, answer)) is not None:
        return nothing
    answer = answer if element.kind == "text" else without_lead(answer) or answer
    if element.kind == "number":
        answer = spell_signs(_NAMED.sub(" ", answer))
    if element.kind == "select":
        return _judge_select(element, answer, language, today)
    reading = validate(element, answer, language, today)
    if element.kind == "text":
        valid = reading if isinstance(reading, Valid) and not reading.skipped and asks(answer) else None
        return reading if valid is None else ProbableAnswer(valid)
    if element.kind == "boolean":
        return judge_before_question(element, answer, language, today)
    return judge_figure(element, answer, reading, language, today)


def _judge_select(element: Element, answer: str, language: str, today: date) -> Judgement:
    if (said := judge_fault_words(element, answer, language)) is not None:
        return said
    judged = agree(element, answer, judge_choice(element, answer, language, today), language)
    judged = note_faults(element, answer, judged, language)
    return confirm_refusal(say_what_is_there(element, answer, judged, language, today))


def judge_click(element: Element, value: str, language: str, today: date) -> Judgement:
    """Judge the value of a choice or what was typed into a form; a price is judged by its words there too.

    What is longer than MOST_LETTERS and no option's value is judged as words: what a form asks for is shorter.
    """
    is_long = len(value) > MOST_LETTERS and value not in {each.value for each in element.options}
    if is_long and element.kind != "text":
        return judge(element, value, language, today)
    if element.kind == "price":
        return judge_price(value, language)
    judged = confirm_refusal(validate_click(element, value, language, today))
    if element.kind != "text" or not isinstance(judged, Valid) or judged.skipped:
        return judged
    public = _public_text(element, judged.shown, language)
    return judged if public == judged.shown else ProbableAnswer(Valid(public, public))


def _public_text(element: Element, text: str, language: str) -> str:
    """Return a free text without private names, and what it says is there as such where it is asked what is missing."""
    return text if element.pattern is not None else as_included(element, without_names(text), language)


def confirm_refusal(judgement: Judgement) -> Judgement:
    """Make an answer that refuses the item ProbableAnswer, whether it was typed or clicked."""
    if isinstance(judgement, Valid) and judgement.deal_breaker:
        return ProbableAnswer(judgement, "refuses")
    return judgement
