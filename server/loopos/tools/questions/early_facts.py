"""Facts that the seller gave before their question: the seller confirms them, and no tool stores them unconfirmed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from server import patterns
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
from server.loopos.answers.certainty import content
from server.loopos.answers.clauses.absence_questions import tells_of_lack
from server.loopos.answers.clauses.change_requests import told_addition
from server.loopos.answers.clauses.other_kinds import without_other_goods
from server.loopos.answers.clauses.remark_parts import says_clean
from server.loopos.answers.judges.damage_questions import own_faults
from server.loopos.answers.judges.fault_notes import GRADES, marks_behind_grade
from server.loopos.answers.judges.figure_judge import OF_A_CHARGE
from server.loopos.answers.judges.option_remarks import without_talk_beside
from server.loopos.answers.judges.states import asks_whether_it_works
from server.loopos.answers.options.option_sides import leads, valid_option
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.loop_turns import LoopTurns
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
_WORDS = {
    "number": "bateria battery",
    "date": "comprei comprado comprada compramos bought purchased",
    "select": "estado condition shape teclado keyboard vidro glass ecra screen agulha stylus taca bowl montado "
    "assembled drift fungo fungus lente lens tecidos fabrics bateria battery quadro frame garfo fork online linha",
    "boolean": "ecra screen carregador charger base dock caixa box bolsa pouch fatura invoice cabos cables parafusos "
    "screws descalcificada descaled manual alcofa bassinet tampa grip punho cook acessorios accessories pecas parts",
}
"""Words that a clause needs beside the unit before it may answer a question of this kind."""
_TELLING = (
    frozenset("contas accounts bloqueado bloqueada locked icloud".split()),
    frozenset("funciona funcionam funcionar work works working liga ligam turn start dead".split()),
    frozenset("bateria battery".split()),
    frozenset("taca bowl copo".split()),
    frozenset(
        "tecido tecidos fabric fabrics forro assento seat capota hood mancha manchinha stain stained".split()
    ),
    frozenset("andar ride travao travoes brake brakes mudancas gears afinar afinacao tune".split()),
)
"""Words of which a question has one, and a clause that tells of it has one or another."""
_ALSO = (
    (
        frozenset(("descalcificada", "descaled")),
        frozenset("descalcifiquei descalcificar descale descaling".split()),
    ),
    (frozenset(("cinto", "belt")), frozenset("arnes harness".split())),
    (frozenset(("bolsa", "pouch")), frozenset(("estojo",))),
)
"""Words of which a yes-or-no question has one, and those that a clause may have in their place."""
_OF_WORKING = 1
"""The place of those for whether the item works."""
_SIDES = (
    frozenset("fumo fuma fumadores fumador smoke smoking smokers smoker smokes".split()),
    frozenset(
        "descalcificada descalcifiquei descalcifico descalcificar descalcificacao descaled descale descaling".split()
    ),
)
"""Words of which a yes-or-no question has one, and a clause that tells of it has one or another."""
_ONLINE = frozenset("online linha".split())
_RUNS = patterns.compile(
    r"\b(?:works?|working|fine|ok(?:ay)?|funcionam?|bem|perfect\w*|goes|connects?|liga-se|entra|joga(?:va)?|vai|"
    r"no (?:prob\w*|issues?)|sem problemas?|na boa)\b",
    patterns.IGNORECASE,
)
_IN_NICK = patterns.compile(
    r"\b(?:good|great|nice|decent|fair|poor|bad|lovely|perfect|excellent|mint|ok) (?:nick|shape)\b",
    patterns.IGNORECASE,
)
"""Words for the condition that no question has."""
_COUNTING = frozenset(
    "quantos quantas qual how many much what which about last dura mostra show done fez tirou".split()
)
"""Words of a question for a number that do not say of what."""
_BOUGHT = frozenset("comprou buy".split())


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
        self._topic, self._today = self._listed.words or _topic(element), datetime.now(UTC).date()
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
            for clause in (
                _CLAUSES.split(message) if told is None and not own_faults(self._element, message) else ()
            ):
                self._read_praise(clause)
            yield
            return
        if self._element.kind == "date":
            self._read_dates(message)
            yield
            return
        for clause in (
            _CLAUSES.split(message) if not (self._is_corrected or self._is_bare_grade(message)) else ()
        ):
            if self.is_settled:
                return
            if len(clause) <= LONGEST_CLAUSE:
                self._read_clause(_MODEL.sub(" ", clause) if self._element.kind == "number" else clause)
                yield
        if self._is_grade and (marks := marks_behind_grade(message)):
            self._values = {
                value: each if "(" in each.shown else replace(each, shown=each.shown + marks)
                for value, each in self._values.items()
            }
        # What a newer message corrects is read no more.
        self._is_corrected |= bool(self._values) and _CORRECTS.search(message) is not None

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
        told = [part for part in parts if self._is_told_of(part) and not self._is_of_a_charge(part)]
        self.left -= bool(told)
        found = (judge(self._element, part, self._language, self._today) for part in told)
        judged = next((each for each in found if not isinstance(each, Refused)), None)
        if judged is None or isinstance(judged, Refused):
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
            if isinstance(guess, Valid) and any(
                leads(o) for o in self._element.options if o.value == guess.value
            ):
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
            if (
                isinstance(guess, Valid)
                and not guess.skipped
                and (not told.is_bare or _has_month(guess, told))
            ):
                found[told.rank].setdefault(str(guess.value), guess)
        rank = SURE if found[SURE] else LIKELY
        sure = found[SURE] or found[LIKELY]
        more = {
            said: guess for said, guess in found[LIKELY].items() if any(_is_within(said, e) for e in sure)
        }
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
        return tells_of(self._topic, clause) and (
            not self._topic <= _ONLINE or _RUNS.search(clause) is not None
        )

    @property
    def _is_grade(self) -> bool:
        return [each.value for each in self._element.options] == GRADES

    def _is_of_a_charge(self, clause: str) -> bool:
        """Return whether the clause gives the range of a battery, where a number of something else is asked."""
        label = f"{self._element.label.pt} {self._element.label.en}"
        others = OF_A_CHARGE.isdisjoint(tokens(label)) and self._element.kind == "number"
        return others and not OF_A_CHARGE.isdisjoint(tokens(clause))

    def _judge_things(self) -> Valid | None:
        """Return the clauses that name things which the question asks for, in the order in which they were written.

        A clause that only repeats what another one names is left out.
        """
        things = join_things(without_repeated(self._things.named))
        judged = judge(self._element, things, self._language, self._today)
        return judged if isinstance(judged, Valid) and not judged.skipped else None


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


def _topic(element: Element) -> frozenset[str]:
    """Return the words by which a clause says that it speaks of this question."""
    label = frozenset(tokens(f"{element.label.pt} {element.label.en}"))
    if element.kind == "date" and not label & _BOUGHT:
        return frozenset()
    words = frozenset(_WORDS.get(element.kind, "").split())
    if asks_whether_it_works(element):
        return _TELLING[_OF_WORKING]
    if element.kind == "select" and (telling := [each for each in _TELLING if label & each]):
        return telling[0]
    if element.kind == "boolean" and (sides := [each for each in _SIDES if label & each]):
        return sides[0]
    if element.kind == "date":
        return words
    for named, also in _ALSO if element.kind == "boolean" else ():
        words |= named | also if named & label else frozenset()
    label |= frozenset().union(*(also for named, also in _ALSO if named & label))
    unit = tokens(f"{element.unit.pt} {element.unit.en}") if element.unit else []
    words |= frozenset(content(label)) - _COUNTING if element.kind == "number" else frozenset()
    return (words & label) | frozenset(each for each in unit if each.isalpha() and len(each) > 1)
