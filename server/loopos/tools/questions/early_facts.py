"""Facts that the seller gave before their question: the seller confirms them, and no tool stores them unconfirmed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    without_price,
)
from server.loopos.answers.amounts.purchase_dates import LIKELY, SURE, ToldPurchase, told_purchases
from server.loopos.answers.certainty import NEGATIONS, content, is_like
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.judges.figure_judge import OF_A_CHARGE
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.loop_turns import LoopTurns

_CLAUSES = patterns.compile(
    r"(?:(?<!\d)[,.](?!\d)|[,.](?=\s|$))(?!\s*(?:mas|but)\b)|[;!?\n]|\b(?:e|and|com|with)\b",
    patterns.IGNORECASE,
)
_PARTS = patterns.compile(
    r"[,;!\n]|\.(?=\s|$)|(?<=\?)|\b(?:com|with)\b|(?=\b(?:sem|without)\b)", patterns.IGNORECASE
)
"""The borders of what may list things: `com` opens a list, and `sem` belongs to one."""
_SENTENCES = patterns.compile(r"(?<=[.;!?])\s+|\n")
_LISTED = patterns.compile(
    r"\b(?:lev[ao]|v(?:ai|em|ão|êm) com|inclu[io]|traz|tr[aá]s|includes?|(?:comes?|goes|along|together) with|"
    r"junt[oa]s? com|it has|tem|tenho)\s++(?P<things>.+)",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""A verb of listing and all behind it, in words without a question mark."""
_AFTER_LIST = patterns.compile(
    r"[.;!].*|(?:,|(?<!\s))\s++(?:(?:e|and|mas|but)\s++)?(?:comprad\w+|comprei|bought|est[aá]o?|funciona|works?|"
    r"pe[cç]o|quero|queria|asking|i want|(?:por|for)\s+\d|em\s+(?:bom|muito|\d)|"
    r"in (?:good|great|very)|is\b|are\b|it'?s\b).*",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""What follows a list and belongs to it no more."""
_LEAD = patterns.compile(
    r"^(?:(?:e|and|mas|but|sim|yes|it|ele|ela|tb|tamb[eé]m|also|ainda|still|tem|tenho|has|have|i|com|with)\b\s*)+",
    patterns.IGNORECASE,
)
_WONDERS = patterns.compile(
    r"\s*(?:(?:mas|but|e|and)\s)?(?:(?:o )?que\s(?:é|e|quer|significa)|what(?:['’]?s|\s(?:is|does|do|are)))\b",
    patterns.IGNORECASE,
)
"""The start of a message that asks what words mean."""
_SELLING = patterns.compile(r"\b(?:vend[eo]r?|sell(?:ing)?)\b", patterns.IGNORECASE)
_STATE = patterns.compile(
    r"\b(?:turns? on|works?|working|funcionam?|ligam?|"
    r"(?:is|are|est(?:[aá]|[aã]o)|t(?:[aá]|[aã]o)) (?:all |tudo |muito |very )?"
    r"(?:fine|ok(?:ay)?|good|great|bem|bo[an]s?|bom))\b",
    patterns.IGNORECASE,
)
"""Words that say how something is, and list nothing."""
MOST_WORDS = 16
"""A longer clause talks of more than things."""
MOST_JUDGED = 20
"""So many clauses are judged as answers to a question: a sale has a few, of which one or two speak of it."""
_LONGEST_CLAUSE = 200
"""A longer clause talks of more than one question."""
_CORRECTS = patterns.compile(
    r"\b(?:afinal|ali[aá]s|engan\w+|desculp\w*|actually|sorry|(?:i|my) mistake|correction|wait|n[aã]o \d|not \d)",
    patterns.IGNORECASE,
)
"""Words by which a message corrects what an older one says."""
_CONTRAST = patterns.compile(r"\b(?:mas|but)\b", patterns.IGNORECASE)
_WORDS = {
    "number": "bateria battery",
    "date": "comprei comprado comprada compramos bought purchased",
    "select": "estado condition shape teclado keyboard vidro glass ecra screen agulha stylus taca bowl montado "
    "assembled drift fungo fungus tecidos fabrics bateria battery",
    "boolean": "ecra screen carregador charger base dock caixa box bolsa pouch fatura invoice cabos cables parafusos "
    "screws descalcificada descaled manual alcofa bassinet tampa grip punho",
    "text": "caixa box carregador charger cabo cable capa case jogos games acessorios accessories missing falta pneus "
    "tyres selim saddle pedais pedals",
}
"""Words that a clause needs beside the unit before it may answer a question of this kind."""
_MORE_THINGS = frozenset("brick joystick joysticks stick sticks transformador adapter adaptador".split())
"""Other things that a question for accessories asks for; beside a fault they are a part of the item."""
_TELLING = (
    frozenset("contas accounts bloqueado bloqueada locked icloud".split()),
    frozenset("funciona funcionam work works working liga ligam turn start dead".split()),
    frozenset("bateria battery".split()),
)
"""Words of which a question has one, and a clause that tells of it has one or another."""
_ACCESSORIES = frozenset("acessorios accessories caixa box".split())
_COUNTING = frozenset(
    "quantos quantas qual how many much what which about last dura mostra show done fez tirou".split()
)
"""Words of a question for a number that do not say of what."""
_BOUGHT = frozenset("comprou buy".split())


async def early_fact(
    draft: Draft, element: Element, after: str | None = None, whole: Element | None = None
) -> ToldFact:
    """Return what earlier messages, those behind the run `after`, tell of this question.

    `whole` is the question for the condition of the item. The loop has turns between the clauses.
    """
    told, turns = ToldFact(element, draft.language, whole=whole), LoopTurns()
    for message in draft.earlier_messages(after):
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
        told = ToldFact(element, language, most)
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
        self, element: Element, language: str, most: int = MOST_JUDGED, *, whole: Element | None = None
    ) -> None:
        self._element, self._language, self.left, self._whole = element, language, most, whole
        self._topic, self._today = _topic(element), datetime.now(UTC).date()
        self._seen, self._values = set[str](), dict[str, Valid]()
        self._things: list[str] = []
        self._is_corrected, self._rank = False, 0

    @property
    def is_settled(self) -> bool:
        """Return whether nothing that an older message says changes the value."""
        return not self._topic or not self.left or self.is_unclear

    @property
    def is_unclear(self) -> bool:
        """Return whether several values were told."""
        return len(self._values) > 1

    @property
    def value(self) -> Valid | None:
        """Return the one value that was told."""
        if self._things:
            return self._judge_things()
        return next(iter(self._values.values())) if len(self._values) == 1 else None

    def read(self, message: str) -> Iterator[None]:
        """Read the next older message; each clause of it is a step. One that asks what was meant tells nothing."""
        if _WONDERS.match(message):
            return
        if self._element.kind == "text" and not self.is_settled:
            named = _things(self._topic, message, self._language, self.left)
            self._things = [*dict.fromkeys([*named, *self._things])]
            self.left = max(0, self.left - len(named))
            yield
            return
        if asks_for_none(self._element):
            told = damage_of(self._element, self._whole, message, self._language, self._today)
            self._values |= {} if told is None else {str(told.guess.value): told.guess}
            yield
            return
        if self._element.kind == "date":
            self._read_dates(message)
            yield
            return
        if self._is_corrected:
            return
        for clause in _CLAUSES.split(message):
            if self.is_settled:
                return
            if len(clause) <= _LONGEST_CLAUSE:
                self._read_clause(clause)
                yield
        # What a newer message corrects is read no more.
        self._is_corrected = bool(self._values) and _CORRECTS.search(message) is not None

    def _read_clause(self, clause: str) -> None:
        if clause in self._seen:
            return
        self._seen.add(clause)
        # What a contrast divides is one answer (`it works, but ...`), unless only its end is.
        parts = dict.fromkeys(part for part in (clause, _CONTRAST.split(clause)[-1]))
        told = [part for part in parts if _tells_of(self._topic, part) and not self._is_of_a_charge(part)]
        self.left -= bool(told)
        found = (judge(self._element, part, self._language, self._today) for part in told)
        judged = next((each for each in found if not isinstance(each, Refused)), None)
        if judged is None or isinstance(judged, Refused):
            return
        guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
        if not guess.skipped:
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
        dates = _most_precise(found[rank])
        is_newer = rank > self._rank or not self._values
        if dates and (
            is_newer or (len(dates) == 1 and _is_within(next(iter(dates)), next(iter(self._values))))
        ):
            self._values, self._rank = dates, rank

    def _is_of_a_charge(self, clause: str) -> bool:
        """Return whether the clause gives the range of a battery, where a number of something else is asked."""
        label = f"{self._element.label.pt} {self._element.label.en}"
        others = OF_A_CHARGE.isdisjoint(tokens(label)) and self._element.kind == "number"
        return others and not OF_A_CHARGE.isdisjoint(tokens(clause))

    def _judge_things(self) -> Valid | None:
        """Return the clauses that name things which the question asks for, in the order in which they were written.

        A clause that only repeats what another one names is left out.
        """
        things = [each for at, each in enumerate(self._things) if not _is_repeated(each, at, self._things)]
        judged = judge(self._element, ", ".join(things), self._language, self._today)
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


def _things(topic: frozenset[str], message: str, language: str, most: int) -> list[str]:
    """Return the first parts of a message that name such things: all of a list (`it comes with ...`), or one clause."""
    found: list[str] = []
    for sentence in _SENTENCES.split(message):
        listed = _LISTED.search(sentence.rpartition("?")[2])
        if listed and _is_list(topic, listed) and not _DENIED.search(listed.string[: listed.start()]):
            parts = [_AFTER_LIST.sub("", listed["things"])]
        else:
            parts = [
                _LEAD.sub("", part.strip()) for part in _PARTS.split(sentence) if not _STATE.search(part)
            ]
        found += [_without_joint(part) for part in parts if _names_thing(topic, part) and not _is_talk(part)]
    named = list(dict.fromkeys(found))[:most]
    told = (_DENIED_BEHIND.sub(", ", part) if len(part) <= _LONGEST_CLAUSE else part for part in named)
    return [kept for part in told if (kept := without_price(part, language))]


_DENIED = patterns.compile(
    r"(?:\bn|\bn[aã]o|\bnot|n['’]?t|\bnunca|\bnever)\s+(?:me |lhe |se )?$", patterns.IGNORECASE
)
"""A denial right before a verb of listing: `não tem caixa` lists nothing."""
_DENIED_BEHIND = patterns.compile(
    r"(?<!\b(?:mas|but|e|and|ou|or|nem|que|it|i|eu|is|are|has|tem|está|do|does|did))(?<![,;:])\s+"
    r"(?=(?:(?:i|eu)\s+)?(?:n|n[aã]o|no|not|don['’]?t|do not|doesn['’]?t|haven['’]?t|hasn['’]?t)\s+"
    r"(?:(?:tenho|tem|have|has|got|traz|inclui|vem|come|include)\b\s+\S|(?:the|an?|any)?\s*(?!(?:tenho|tem|have|has|got)\b)\w+\s*$))",
    patterns.IGNORECASE,
)
"""The place before a denial that follows things without a mark: `o carregador n tenho caixa`."""


def _names_thing(topic: frozenset[str], part: str) -> bool:
    return _tells_of(topic - _MORE_THINGS if fault_clauses(part) else topic, part)


def _is_list(topic: frozenset[str], listed: patterns.Match[str]) -> bool:
    """Return whether what stands behind a verb of listing names such things, behind `tem` at once: `tem um risco` tells
    of something else.
    """
    first = _FIRST_THING.split(listed["things"], maxsplit=1)[0] if _HAS.match(listed[0]) else listed["things"]
    return _tells_of(topic, first)


def _without_joint(part: str) -> str:
    """Return a part of a list without the word at its end that joins the next one."""
    stripped = part.strip(" ,;")
    first, _, last = stripped.rpartition(" ")
    return first.strip(" ,;") if last.casefold() in ("mas", "but", "e", "and") else stripped


_FIRST_THING = patterns.compile(r"[,;.]")
_HAS = patterns.compile(r"(?:tem|tenho|it has)\b", patterns.IGNORECASE)


def _is_repeated(thing: str, at: int, things: Sequence[str]) -> bool:
    """Return whether another thing of the list, where it denies nothing, has all words of this one."""
    words = set(content(tokens(thing)))
    for place, other in enumerate(things):
        affirmed = [each for each in map(tokens, other.split(",")) if NEGATIONS.isdisjoint(each)]
        named = {word for each in affirmed for word in content(each)}
        if place != at and words <= named and (words != named or place < at):
            return True
    return False


def _is_talk(part: str) -> bool:
    return part.endswith("?") or _SELLING.search(part) is not None or len(part.split()) > MOST_WORDS


def _tells_of(topic: frozenset[str], clause: str) -> bool:
    return any(is_like(word, each) for word in tokens(clause) for each in topic)


def _topic(element: Element) -> frozenset[str]:
    """Return the words by which a clause says that it speaks of this question."""
    label = frozenset(tokens(f"{element.label.pt} {element.label.en}"))
    if element.kind == "date" and not label & _BOUGHT:
        return frozenset()
    words = frozenset(_WORDS.get(element.kind, "").split())
    if element.kind == "text":
        hint = frozenset(tokens(f"{element.hint.pt} {element.hint.en}")) if element.hint else frozenset[str]()
        named = words & (label | hint)
        return named | _MORE_THINGS if named & _ACCESSORIES else named
    if element.kind == "select" and (telling := [each for each in _TELLING if label & each]):
        return telling[0]
    if element.kind == "date":
        return words
    unit = tokens(f"{element.unit.pt} {element.unit.en}") if element.unit else []
    words |= frozenset(content(label)) - _COUNTING if element.kind == "number" else frozenset()
    return (words & label) | frozenset(each for each in unit if each.isalpha() and len(each) > 1)
