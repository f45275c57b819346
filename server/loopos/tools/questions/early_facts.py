"""Facts that the seller gave before their question: the seller confirms them, and no tool stores them unconfirmed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from server import patterns
from server.languages import fold
from server.loopos.answers import (
    Element,
    ProbableAnswer,
    Refused,
    Valid,
    asks_for_none,
    damage_of,
    judge,
)
from server.loopos.answers.amounts.purchase_dates import (
    LIKELY,
    SURE,
    ToldPurchase,
    told_purchases,
    year_put_right,
)
from server.loopos.answers.clauses.absence_questions import tells_of_lack
from server.loopos.answers.clauses.change_requests import told_addition
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.clauses.item_facts import things_in
from server.loopos.answers.clauses.other_kinds import without_other_goods
from server.loopos.answers.clauses.remark_parts import says_clean
from server.loopos.answers.clauses.unmeant_figures import without_replaced_figures
from server.loopos.answers.judges.damage_questions import is_sound, own_faults
from server.loopos.answers.judges.fault_notes import (
    GRADES,
    beside,
    grade_light_marks,
    marks_behind_grade,
    stated_grade,
)
from server.loopos.answers.judges.figure_judge import OF_A_CHARGE
from server.loopos.answers.judges.guesses.doubted_years import doubted_purchase
from server.loopos.answers.judges.option_remarks import without_talk_beside
from server.loopos.answers.judges.states import asks_whether_it_works, worn_clauses
from server.loopos.answers.options.option_sides import leads, valid_option
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.loop_turns import LoopTurns
from server.loopos.tools.questions.question_topics import speaks_of, topic_of
from server.loopos.tools.questions.texts.listed_things import (
    LONGEST_CLAUSE,
    ThingTopic,
    join_things,
    tells_of,
    without_repeated,
)
from server.loopos.tools.questions.texts.told_things import ToldThings

_CLAUSES = patterns.compile(
    r"(?:(?<!\d)[,.](?!\d)|[,.](?=\s|$))(?!\s*(?:mas|but)\b)|[;!?\n]|"
    r"\b(?:(?-i:e)|and(?! (?:then|again)\b)|(?:com|with)(?!(?<=\b(?:goes?|comes?) with) (?:it|them)\b))\b",
    patterns.IGNORECASE,
)
_WONDERS = patterns.compile(
    r"\s*(?:(?:mas|but|e|and)\s)?(?:(?:o )?que\s(?:é|e|quer|significa)|what(?:['’]?s|\s(?:is|does|do|are)))\b",
    patterns.IGNORECASE,
)
"""The start of a message that asks what words mean."""
MOST_JUDGED = 20
"""So many clauses are judged as answers to a question: a sale has a few, of which one or two speak of it."""
_CORRECTS = patterns.compile(
    r"\b(?:afinal|ali[aá]s|engan\w+|desculp\w*|actually|sorry|(?:i|my) mistake|correction|wait|n[aã]o \d|not \d)",
    patterns.IGNORECASE,
)
"""Words by which a message corrects what an older one says."""
_MODEL = patterns.compile(
    r"\b[A-Z]{2,}[ -]?\d[\d.]*(?:[.-]?[A-Z]\b)?|\b\d[\d.]*\.[a-zA-Z]\b|\b\d+ ?(?:[gt]b|GB|TB)\b"
)
"""A code of a model or a storage, whose figures count nothing: `ECAM 22.110.B`, `64 GB`."""
_CONTRAST = patterns.compile(r"\b(?:mas|but)\b", patterns.IGNORECASE)
_IN_NICK = patterns.compile(
    r"\b(?:good|great|nice|decent|fair|poor|bad|lovely|perfect|excellent|mint|ok) (?:nick|shape)\b",
    patterns.IGNORECASE,
)
"""Words for the condition that no question has."""


async def early_fact(
    draft: Draft,
    element: Element,
    after: str | None = None,
    whole: Element | None = None,
    others: Sequence[Element] = (),
) -> ToldFact:
    """Return what earlier messages, those behind the run `after`, tell of this question.

    `whole` is the question for the condition of the item, `others` are all its questions. The newest message tells a
    number too, which it may correct beside the answer to another question: `yes, and the battery is actually 82`. The
    loop has turns between the clauses.
    """
    told, turns = ToldFact(element, draft.language, whole=whole, others=others), LoopTurns()
    newest = [draft.typed_text()] if element.kind == "number" else []
    for message in [*newest, *draft.earlier_messages(after)]:
        for _ in told.read(message):
            await turns.give()
    return told


async def told_questions(
    elements: Sequence[Element], message: str, language: str, most: int = MOST_JUDGED
) -> list[str]:
    """Return the questions of which a message tells a value; at most so many of its clauses are judged for them all.

    The loop has turns between the clauses.
    """
    found, turns = list[str](), LoopTurns()
    for element in elements:
        told = ToldFact(element, language, most, others=elements)
        for _ in told.read(message):
            await turns.give()
        most = told.left
        found += [element.id] if told.value is not None else []
    return found


class ToldFact:
    """What messages tell of a question, read one by one, the newest first.

    Only a clause that says what it is about counts: a bare number or a bare word answers what was asked then. Each
    different clause is judged once, and none after the second value, nor after `most` clauses.
    """

    def __init__(
        self,
        element: Element,
        language: str,
        most: int = MOST_JUDGED,
        *,
        whole: Element | None = None,
        others: Sequence[Element] = (),
    ) -> None:
        self._element, self._language, self.left, self._whole = element, language, most, whole
        self._listed = ThingTopic.of(element, others) if element.kind == "text" else ThingTopic(frozenset())
        self._topic, self._today = self._listed.words or topic_of(element), datetime.now(UTC).date()
        self._seen, self._values = set[str](), dict[str, Valid]()
        self._things = ToldThings(self._listed, language)
        self._is_corrected, self._rank = False, 0
        self._put_right: tuple[str, str] | None = None

    @property
    def is_settled(self) -> bool:
        """Return whether nothing that an older message says changes the value."""
        return not (self._topic or self._listed) or not self.left or self.is_unclear

    @property
    def is_unclear(self) -> bool:
        """Return whether several values were told."""
        return len(self._values) > 1

    @property
    def value(self) -> Valid | None:
        """Return the one value that was told."""
        if self._things.named:
            return self._judge_things()
        return next(iter(self._values.values())) if len(self._values) == 1 else None

    def read(self, message: str) -> Iterator[None]:
        """Read the next older message; each clause of it is a step. One that asks what was meant tells nothing."""
        # `you've lost the charger` tells of a charger that is there.
        message = without_other_goods(self._element, told_addition(message) or message)
        if _WONDERS.match(message):
            return
        if self._element.kind == "text" and not self.is_settled:
            self.left = max(0, self.left - self._things.read(message, self.left))
            yield
            return
        if asks_for_none(self._element):
            told = damage_of(self._element, self._whole, message, self._language, self._today)
            self._values |= {} if told is None else {str(told.guess.value): told.guess}
            is_praise = told is None and not own_faults(self._element, message)
            for clause in _CLAUSES.split(message) if is_praise else ():
                self._read_praise(clause)
            yield
            return
        if self._element.kind == "date":
            self._read_dates(message)
            yield
            return
        is_read = not (self._is_corrected or self._is_bare_grade(message))
        for clause in _CLAUSES.split(without_replaced_figures(message)) if is_read else ():
            if self.is_settled:
                return
            if len(clause) <= LONGEST_CLAUSE:
                self._read_clause(_MODEL.sub(" ", clause) if self._element.kind == "number" else clause)
                yield
        self._read_beside(message)
        # What a newer message corrects is read no more.
        self._is_corrected |= bool(self._values) and _CORRECTS.search(message) is not None

    def _read_beside(self, message: str) -> None:
        """Read the marks of an item, and that its battery is worn: both stand beside the answer, or are it alone."""
        worn = worn_clauses(message) if asks_whether_it_works(self._element) else []
        if marks := marks_behind_grade(message) if self._is_grade else beside(*worn):
            self._values = {value: _with_marks(each, marks) for value, each in self._values.items()}
        if self._values or not self.left or not (worn or self._is_grade):
            return
        judged = judge(self._element, ", ".join(worn), self._language, self._today) if worn else None
        judged = judged or _judge_light_marks(self._element, message, self._language)
        if isinstance(judged, ProbableAnswer):
            self.left -= 1
            self._values[str(judged.guess.value)] = judged.guess

    def _is_bare_grade(self, message: str) -> bool:
        """Take a message that is the name of a grade and nothing else; return whether it is one.

        No other question takes it for an answer.
        """
        if not self._is_grade or self._values:
            return False
        said = tokens(message)
        named = [o for o in self._element.options if said in (tokens(o.label.pt), tokens(o.label.en))]
        if named and self.left:
            self.left -= 1
            self._values[named[0].value] = valid_option(named[0], self._language)
        return bool(named)

    def _read_clause(self, clause: str) -> None:
        if clause in self._seen:
            return
        self._seen.add(clause)
        if says_clean(clause):
            clean = [o for o in self._element.options if says_clean(o.label.en)]
            self._values |= {each.value: valid_option(each, self._language) for each in clean}
            return
        # What a contrast divides is one answer (`it works, but ...`), unless only its end is.
        parts = dict.fromkeys(part for part in (clause, _CONTRAST.split(clause)[-1]))
        told = [part for part in parts if self._is_told_of(part) and not _is_of_a_charge(self._element, part)]
        if not told and self._is_grade and (grade := stated_grade(self._element, clause)):
            told = [grade]
        self.left -= bool(told)
        judged = _judge_told(self._element, told, self._language, self._today)
        if judged is None:
            return
        told_plainly = without_talk_beside(self._element, judged)
        guess = told_plainly.guess if isinstance(told_plainly, ProbableAnswer) else told_plainly
        if isinstance(guess, Valid) and not guess.skipped:
            self._values.setdefault(str(guess.value), guess)

    def _read_praise(self, clause: str) -> None:
        """Take a clause that says of the parts which are asked about that they have no damage: `the lens is clean`."""
        if self.left and len(clause) <= LONGEST_CLAUSE and tells_of(self._topic, clause):
            self.left -= 1
            judged = judge(self._element, clause, self._language, self._today)
            guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
            leading = [each.value for each in self._element.options if leads(each)]
            if isinstance(guess, Valid) and guess.value in leading:
                self._values.setdefault(str(guess.value), guess)

    def _read_dates(self, message: str) -> None:
        """Read when the item was bought: a sure clause counts before a likely one, and a newer message before."""
        found: dict[int, dict[str, Valid]] = {SURE: {}, LIKELY: {}}
        for told in told_purchases(message) if self._topic else ():
            if not self.left or not any(map(str.isalnum, told.clause)) or told.rank < self._rank:
                continue
            self.left -= 1
            judged = judge(self._element, told.clause, self._language, self._today)
            guess = judged.guess if isinstance(judged, ProbableAnswer) and not told.is_bare else judged
            if not isinstance(guess, Valid) or guess.skipped:
                continue
            if not told.is_bare or _has_month(guess, told):
                found[told.rank].setdefault(str(guess.value), guess)
        rank = SURE if found[SURE] else LIKELY
        sure = found[SURE] or found[LIKELY]
        more = {
            said: guess for said, guess in found[LIKELY].items() if any(_is_within(said, e) for e in sure)
        }
        if not (found[SURE] or found[LIKELY] or self._values) and self._topic:
            doubted = doubted_purchase(self._element, message, self._language, self._today)
            self._values |= {} if doubted is None else {str(doubted.value): doubted}
        dates = self._put_date_right(_most_precise(sure | more), rank)
        self._put_right = self._put_right or (None if dates else year_put_right(message))
        is_newer = rank > self._rank or not self._values
        if dates and (
            is_newer or (len(dates) == 1 and _is_within(next(iter(dates)), next(iter(self._values))))
        ):
            self._values, self._rank = dates, rank

    def _put_date_right(self, dates: dict[str, Valid], rank: int) -> dict[str, Valid]:
        """Return the year by which a newer message, that names no purchase, puts the one date of this message right."""
        if self._put_right is None or self._values or rank != SURE or len(dates) != 1:
            return dates
        year, old = self._put_right
        judged = judge(self._element, year, self._language, self._today)
        is_of_it = next(iter(dates)).startswith(old) and not next(iter(dates)).startswith(year)
        return {str(judged.value): judged} if is_of_it and isinstance(judged, Valid) else dates

    def _is_told_of(self, clause: str) -> bool:
        """Return whether a clause speaks of the question; of services on line only one that says how they work."""
        if self._is_grade and _IN_NICK.search(clause):
            return True
        if tells_of_lack(self._element, clause):
            return True
        return speaks_of(self._topic, clause)

    @property
    def _is_grade(self) -> bool:
        return [each.value for each in self._element.options] == GRADES

    def _judge_things(self) -> Valid | None:
        """Return the clauses that name things which the question asks for, in the order in which they were written.

        A clause that only repeats what another one names is left out.
        """
        things = join_things(without_repeated(self._things.named))
        judged = judge(self._element, things, self._language, self._today)
        return judged if isinstance(judged, Valid) and not judged.skipped else None


def _with_marks(guess: Valid, marks: str) -> Valid:
    return guess if "(" in guess.shown else replace(guess, shown=guess.shown + marks)


def _is_of_a_charge(element: Element, clause: str) -> bool:
    """Return whether the clause gives the range of a battery, where a number of something else is asked."""
    label = f"{element.label.pt} {element.label.en}"
    others = OF_A_CHARGE.isdisjoint(tokens(label)) and element.kind == "number"
    return others and not OF_A_CHARGE.isdisjoint(tokens(clause))


def _judge_told(
    element: Element, told: Sequence[str], language: str, today: date
) -> Valid | ProbableAnswer | None:
    """Return the first answer among clauses that tell of a question, or else the first praise of a part of it."""
    for part in told:
        judged = judge(element, part, language, today)
        if not isinstance(judged, Refused):
            return judged
    return next((sound for part in told if (sound := _judge_sound(element, part, language))), None)


def _judge_light_marks(element: Element, message: str, language: str) -> ProbableAnswer | None:
    """Return the grade of a message whose faults are all light marks: `small scratch on the lid`.

    A message of more than MOST_JUDGED different clauses is not read.
    """
    clauses = dict.fromkeys(map(str.strip, _CLAUSES.split(message)))
    parts = [each for each in clauses if tells_fault(each)] if len(clauses) <= MOST_JUDGED else []
    is_short = all(len(each) <= LONGEST_CLAUSE for each in parts)
    is_light = bool(parts) and is_short and all(grade_light_marks(element, each, language) for each in parts)
    return grade_light_marks(element, "; ".join(parts), language) if is_light else None


def _judge_sound(element: Element, clause: str, language: str) -> Valid | None:
    """Return the option that says yes, with a clause that praises a part of what is asked: `brakes fine`."""
    leading = next((each for each in element.options if leads(each)), None)
    if element.kind != "select" or leading is None or not (things_in(clause) and is_sound(fold(clause))):
        return None
    option = valid_option(leading, language)
    return replace(option, shown=option.shown + beside(clause.strip()))


def _has_month(guess: Valid, told: ToldPurchase) -> bool:
    """Return whether a bare date has a month, or is what an older one is corrected to: a year alone may be a name."""
    return "-" in str(guess.value) or told.rank == SURE


def _most_precise(dates: Mapping[str, Valid]) -> dict[str, Valid]:
    """Return the dates without those that another one says with its month or day."""
    return {
        said: guess
        for said, guess in dates.items()
        if not any(_is_within(other, said) and other != said for other in dates)
    }


def _is_within(date_said: str, period: str) -> bool:
    return date_said.startswith(period)
