"""Words behind a yes to `… Certo?` that name, or may name, another value than the one that was asked back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from server import patterns
from server.loopos.answers.amounts.dates import lacks_year
from server.loopos.answers.amounts.deal_words import SIZE_UNITS, is_dealing, lacks_unit, spell_signs
from server.loopos.answers.amounts.number_words import split_number
from server.loopos.answers.certainty import POLITE, adds_nothing, asks, content, denies, doubts, plain_words
from server.loopos.answers.element import Element, ElementOption
from server.loopos.answers.judges.answer_judge import judge
from server.loopos.answers.options.named_options import NamedOptions, SideRemark
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import fold, is_number, tokens
from server.text_reading.words.sizes import extreme_quantity

_DENIED = Refused("not_confirmed")
_FEWEST = 10
"""A smaller number in words may count something or be an article: `the smaller one`."""
_KEEPS = (
    r"(?:deix[ae]r?|deixem|fi(?:ca|que|car)|poe|ponha|met[ae]|coloca|coloque|escrev[ae]|"
    r"make|put|set|leave|keep|write)"
)
_CHANGES = r"(?:mud[ae]r?|troc[ae]r?|troque|alter[ae]r?|corrij[ae]|corrig[ei]|change|switch|correct)"
_BEHIND_VERB = (
    r"(?:\s+(?:it|that|this|isso|isto|la|ai|down|entao|so|just|para|por|pra|to|at|as|como|em|o|a|antes|rather|"
    r"instead|be|ser|only|apenas|estar|ficar|ir)\b)*"
)
_LEAD = patterns.compile(
    rf"(?:(?P<changes>{_CHANGES}\b{_BEHIND_VERB})|(?P<keeps>{_KEEPS}\b{_BEHIND_VERB})"
    r"|(?P<hedges>dev(?:e|em|ia|iam) ser|should be|must be|acho que(?: e)?|i think|talvez|maybe|perhaps|probably|"
    r"provavelmente)\b"
    r"|(?P<turns>antes|rather|or rather|better|ou melhor|mais (?:precisamente|exatamente|concretamente)|"
    r"more (?:precisely|exactly)|to be (?:exact|precise)|na (?:verdade|realidade)|quer dizer|i mean|podem? ser|"
    r"(?:it )?c(?:an|ould) be|instead)\b"
    r"|(?P<joins>mas|but|e|and|entao|then|so|ok|okay|its|it is|it s|is|sao|aquele|aquela|o|a|the|please|por favor)\b"
    r")[\s,.:;!–—-]*"
)
_INTO = patterns.compile(r"\b(?:para|pra|por|to|it|that|this|isso|isto)\b")
_OTHER = patterns.compile(
    r"(?:(?:um pouco|bem|muito|a bit|a little|much) )?(?:(?:que |which )?(?:e |is )?)?(?:"
    r"(?P<less>menor|mais pequen[oa]|mais baix[oa]|menos|smaller|smallest|lower|lowest|less|lesser|minimo)"
    r"|(?P<more>maior|mais alt[oa]|mais|bigger|biggest|larger|largest|higher|highest|more|maximo)"
    r"|(?P<other>outr[oa]|other|another|different|diferente)"
    r"|(?P<grade>melhor|pior|better|worse|best|worst))"
    r"(?: (?:one|valor|value|dos (?:dois|tres|outros)|das (?:duas|tres)|de tod[oa]s|of (?:them|the (?:two|three))|"
    r"opcao|option|de|size|tamanho|armazenamento|storage|d[oa]s? \w+))*"
)
"""Words that mean another value by comparing it, alone."""

_BESIDE = patterns.compile(r"(?:que|that|tambem|also|too|com|with|nas?|in|um|uma|an?)\b")
"""The start of words that stand beside an answer: `põe também a caixa`."""


@dataclass(frozen=True)
class _Said:
    """The words behind a yes, without those that lead to a value, and what these were."""

    words: str
    changes: bool
    keeps: bool
    turns: bool
    is_hedged: bool
    names_no_field: bool
    """A verb of changing stands before a value, as in `muda para branco`, and not before the name of a field."""

    @property
    def is_led(self) -> bool:
        return self.changes or self.keeps or self.turns or self.is_hedged


def judge_other(
    element: Element, rest: str, kept: Valid, language: str, today: date, *, agrees: bool
) -> Judgement | None:
    """Judge the words behind a yes where they speak of another value than the one that waits; None where they do not.

    Valid: they name one surely, or that one again. ProbableAnswer: they may name one, or nothing that is understood.
    Refused as `not_confirmed`: they mean another one and do not say which. Of a message without a yes (`agrees`) only
    another value of an option counts, or one behind a verb of changing.
    """
    said = _read(rest)
    judged = _judge(element, rest, said, kept, language, today)
    if agrees or judged is None:
        return judged
    is_led = said.changes or said.keeps or element.id.startswith("option:")
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return judged if is_led and isinstance(guess, Valid) and guess.value != kept.value else None


def means_other(rest: str, language: str) -> bool:
    """Return whether words behind a yes to several values at once mean another value of one, whatever it is."""
    said = _read(rest)
    plain = " ".join(word for word in tokens(said.words) if word not in POLITE)
    unread = bool(content(tokens(said.words))) and not adds_nothing(said.words, language)
    keeps = said.keeps and unread and not _BESIDE.match(said.words)
    turns = _TURNS.match(fold(rest)) is not None
    return said.changes or keeps or turns or _OTHER.fullmatch(plain) is not None


_TURNS = patterns.compile(r"(?:mas|but) (?:e|sao|is|its|it is|it s|theyre)\b")


def _judge(
    element: Element, rest: str, said: _Said, kept: Valid, language: str, today: date
) -> Judgement | None:
    if element.kind in ("text", "price") or asks(rest):
        return None
    if not said.words:
        return _DENIED if said.changes else None
    if (compared := _judge_compared(element, said.words, kept, language)) is not None:
        return compared
    if element.id.startswith("option:"):
        named = _judge_named(element, said, kept, language)
    else:
        named = _judge_answer(element, said, kept, language, today)
    return named or _judge_unread(element, said, kept, language)


def _read(rest: str) -> _Said:
    """Return the words without the verbs of changing, the hedges and the joints in front of them."""
    words, found = fold(rest).strip(" ,.;:!"), dict.fromkeys(("changes", "keeps", "turns", "hedges"), "")
    while words and (lead := _LEAD.match(words)):
        words = words[lead.end() :]
        found |= {kind: lead[kind] for kind in found if lead[kind]}
    number, others = split_number(tokens(words))
    if number is not None and number >= _FEWEST:
        words = " ".join([*others, f"{number:.0f}"])
    words, changes = words.strip(" ,.;:!"), found["changes"]
    names_no_field = bool(changes) and (not words or _INTO.search(changes) is not None)
    turns, hedges = bool(found["turns"]), bool(found["hedges"])
    return _Said(words, bool(changes), bool(found["keeps"]), turns, hedges, names_no_field)


def _judge_compared(element: Element, words: str, kept: Valid, language: str) -> Judgement | None:
    """Return the value that a comparison alone means, asked back: `the smaller one`, `o outro`."""
    plain = " ".join(word for word in tokens(words) if word not in POLITE)
    found = _OTHER.fullmatch(plain)
    if found is None:
        return None
    left = [each for each in element.options if each.value != kept.value]
    if found["other"] and len(left) == 1:
        return ProbableAnswer(_answer(left[0], language))
    place = None
    if found["less"] or found["more"]:
        labels = [fold(each.label.text_in(language)) for each in element.options]
        place = extreme_quantity(labels, largest=bool(found["more"])) if labels else None
    if place is None:
        return _DENIED
    meant = _answer(element.options[place], language)
    return kept if meant.value == kept.value else ProbableAnswer(meant)


def _judge_named(element: Element, said: _Said, kept: Valid, language: str) -> Judgement | None:
    """Return the other option that the words name; it is sure where they name it plainly."""
    named = NamedOptions(element, said.words, SideRemark(), language, is_open=True)
    if any(each.value == kept.value for each in named.found if each not in named.denied):
        is_it = named.plain is not None and named.plain.value == kept.value
        return kept if is_it and said.is_led and not said.is_hedged else None
    others = {each.value: each for each in named.found if each not in named.denied}
    words = plain_words(spell_signs(said.words), language)
    if len(others) != 1 or is_dealing(words, lacks_unit=lacks_unit(element, words)):
        return _DENIED if len(others) > 1 or _has_its_unit(words) else None
    (other,) = others.values()
    is_sure = (
        named.plain is other and not said.is_hedged and not _is_praise(other, element, said.words, language)
    )
    return _answer(other, language) if is_sure else ProbableAnswer(_answer(other, language))


def _judge_answer(element: Element, said: _Said, kept: Valid, language: str, today: date) -> Judgement | None:
    """Return the answer that the words say behind a verb of changing, or as the label of another option alone."""
    judged = judge(element, said.words, language, today)
    if isinstance(judged, Refused):
        return None
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if guess.skipped:
        return None
    labelled = _named_alone(element, said.words)
    if element.kind in ("select", "boolean") and isinstance(judged, ProbableAnswer) and labelled is None:
        return None if guess.deal_breaker is False or not said.changes else judged
    if guess.value == kept.value:
        return kept if said.is_led and not said.is_hedged and not denies(said.words, language) else None
    is_praise = labelled is not None and _is_praise(labelled, element, said.words, language)
    if not said.is_led and not is_praise:
        return None
    return ProbableAnswer(guess) if said.is_hedged or is_praise else judged


def _judge_unread(element: Element, said: _Said, kept: Valid, language: str) -> Judgement | None:
    """Return that words behind a verb of changing, which are not understood, are asked once more."""
    is_date = element.kind == "date" and lacks_year(said.words)
    if is_date or not content(tokens(said.words)) or adds_nothing(said.words, language):
        return None
    if _BESIDE.match(said.words):
        return None
    if said.changes:
        return _DENIED if said.names_no_field else None
    takes_note = element.kind in ("select", "boolean") and not element.id.startswith("option:")
    return ProbableAnswer(kept) if said.keeps and not takes_note else None


def _named_alone(element: Element, words: str) -> ElementOption | None:
    """Return the option whose label the words are."""
    said = [word for word in tokens(words) if word not in POLITE]
    return next((e for e in element.options if said in (tokens(e.label.pt), tokens(e.label.en))), None)


def _is_praise(option: ElementOption, element: Element, words: str, language: str) -> bool:
    """Return whether the words are the label of an option, and may only praise: `sim, bom`."""
    return _named_alone(element, words) is option and adds_nothing(words, language)


def _has_its_unit(words: Sequence[str]) -> bool:
    """Return whether a number stands before the unit of a size, as in `64 gb`, and is denied nowhere."""
    return not doubts(words) and any(is_number(one) and other in SIZE_UNITS for one, other in pairwise(words))


def _answer(option: ElementOption, language: str) -> Valid:
    return Valid(option.value, option.label.text_in(language), option.deal_breaker)
