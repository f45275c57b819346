"""The clauses of the seller as they were written: what of them nothing holds, and parts of a text made whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from server import patterns
from server.loopos.answers import adds_nothing, asks
from server.loopos.answers.amounts.dates import ANY_MONTH
from server.loopos.answers.amounts.deal_words import SALE
from server.loopos.answers.amounts.prices_in_notes import take_price
from server.loopos.answers.certainty import (
    COMPARISONS,
    CONTRASTS,
    HEDGES,
    NEGATIONS,
    NODS,
    PRAISE,
    content,
    is_like,
)
from server.loopos.answers.clauses.asides import is_ignorant
from server.loopos.answers.clauses.change_requests import told_addition
from server.loopos.answers.clauses.contradicted_parts import says_absent
from server.loopos.answers.clauses.cut_texts import asks_to_cut
from server.loopos.answers.clauses.excuses import is_excuse
from server.loopos.answers.clauses.joined_facts import divide_facts
from server.loopos.answers.clauses.private_names import without_names
from server.loopos.answers.clauses.reminders import is_of_talk, without_address
from server.loopos.answers.wishes.things_taken_back import tells_why_gone
from server.loopos.answers.words import is_number, tokens
from server.loopos.tools.drafts.written_messages import written_messages
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.texts.remarks import is_of_sale, says_nothing

ADD = "add"
"""The name under which a click on a clause arrives."""
_MOST, _LONGEST = 8, 160
"""So many clauses are offered, the newest, each of at most so many characters."""
_FEWEST_LETTERS, _FEWEST_OF_COUNT = 3, 3
"""A word of fewer letters tells nothing, nor does a figure in a clause of fewer words."""
_FACTS = 2
"""A clause of so many facts behind its start completes none of them: `ps5 com 2 comandos 3 jogos`."""
_SENTENCES = patterns.compile(r"(?<=[.!?\n])\s+|\n")
_BORDERS = patterns.compile(
    r"(?<!\d)[,.](?=\s|$)|[,.](?=\s|$)|[;:!\n()\[\]\"«»“”]|\s[-–—]\s|\s(?=(?:but|mas)\s)", patterns.IGNORECASE
)
_LEAD = patterns.compile(
    r"^(?:(?:and|e|mas|but|also|tamb[eé]m|oh|ah|ok|okay|so|well|ent[aã]o|yes|yeah|yea|yep|sim|"
    r"(?:no|n[aã]o)(?=,))\b[\s,]*)+",
    patterns.IGNORECASE,
)
_ORDERS = patterns.compile(
    r"(?:please |por favor )?(?:remove|delete|drop|take|put|add|write|note|change|leave|tir[ae]|apag[ae]|p[oõ]e|"
    r"ponha|met[ae]|escrev[ae]|anot[ae]|junt[ae]|acrescent[ae]|mud[ae]|alter[ae]|deix[ae]|corrig[ae])\b",
    patterns.IGNORECASE,
)
"""The start of a clause that says what to do with what is written."""
_TALK = frozenset(
    "faco hi hello hey ola oi viva boa bom tarde dia noite quero queria gostava gostaria preciso want need help "
    "ajuda please favor thanks thank obrigado obrigada would like create item criar artigo another outro outra "
    "none nenhum nenhuma these destes change mudar alterar wait espera espere sorry desculpe desculpa afinal "
    "actually wrong errado errada mistake engano mean meant correction correcao question pergunta know sei "
    "think acho bought comprei comprado comprada price preco euro euros eur asking got have tenho tem has years "
    "year anos ano month meses mes ago nothing else nada mais menos ou all that tudo just only apenas continue "
    "next last passado passada new novo nova nem looks look lembro remember idea ideia skip passo said disse "
    "say digo as como then they come pounds libras dollars real reais for and e aqui here um uma right certo "
    "certa certeza sure mate erm oof list lista wrote escrevi told left out forgot forget esquecia esqueci "
    "esquecer mixed up start beginning inicio already ja antes earlier ver see faz hold resto rest something "
    "answer resposta notes notas note nota text texto problem problems problema problemas".split()
)
"""Words of a clause that speaks of the sale or the talk, and tells nothing of the item."""


def unused_clauses(questions: Questions, text: str) -> tuple[str, ...]:
    """Return what the seller's messages tell and neither an answer, an option nor `text` holds, the oldest first.

    None of them is kept before the seller clicks it.
    """
    held = _Held.of(questions, text)
    found = [
        each.text
        for each in _clauses(questions)
        if held.lacks(each.text) and not _is_talk(each.text, questions)
    ]
    return tuple(dict.fromkeys(found[-_MOST:]))


def with_whole_parts(questions: Questions, text: str) -> str:
    """Return a text with whole clauses of the seller in the place of parts of which words were left out that nothing
    else holds: `mexer` becomes `é preciso mexer no cabo`.

    Words that a newer message speaks of are left out on purpose: that message put them right.
    """
    clauses, found = list(_clauses(questions)), list[str]()
    held, parts = _Held.of(questions, text), _PARTS.split(text)
    for part, border in zip(parts[::2], [*parts[1::2], ""], strict=True):
        whole = _whole(part, clauses, held)
        if whole and whole not in found:
            found += [whole, border]
    return "".join(found[:-1])


_PARTS = patterns.compile(r"([;,]\s+)")


def lacked_thing(questions: Questions, words: str, text: str) -> str:
    """Return the thing that words say is missing in `text`, where an older message told of it and nothing holds it:
    `falta o i5`. Nothing where it may be missing beside the item.
    """
    found = _LACKS.fullmatch(words.strip(" .!"))
    thing = (found["behind"] or found["before"] or found["later"]) if found else ""
    own = content(tokens(thing))
    if not own or _Held.of(questions, text).new_words(thing) != own:
        return ""
    older = (each.text for each in _clauses(questions) if each.newer)
    told = any(set(own) <= set(tokens(each)) and not says_absent(each) for each in older)
    return thing if told else ""


_LACKS = patterns.compile(
    r"(?:(?:ainda|tamb[eé]m|mas|e|but|and)\s+)*(?:faltam?\s+(?:ainda\s+|tamb[eé]m\s+|s[oó]\s+)?(?:(?:[oa]s?|que é)\s+)?"
    r"(?P<behind>[^,.;]{2,60})|(?:the\s+)?(?P<before>[^,.;]{2,60}?)\s+(?:is|are)\s+(?:still\s+|also\s+)?missing|"
    r"missing\s+(?:the\s+)?(?P<later>[^,.;]{2,60}))",
    patterns.IGNORECASE,
)
"""All of some words that say of one thing that it is missing."""


@dataclass(frozen=True)
class _Clause:
    """A clause of a message, and the words of all newer messages."""

    text: str
    newer: frozenset[str]


def _clauses(questions: Questions) -> Iterator[_Clause]:
    """Yield the clauses of the messages without questions and prices, the oldest first."""
    draft = questions.draft
    messages = written_messages(draft.run, draft.heard_messages())
    newer = [
        frozenset(word for each in messages[:at] for word in tokens(each)) for at in range(len(messages))
    ]
    for message, words in zip(reversed(messages), reversed(newer), strict=True):
        yield from (_Clause(each, words) for each in _clauses_in(message, draft.language))


@lru_cache(maxsize=512)
def _clauses_in(message: str, language: str) -> tuple[str, ...]:
    """Return the clauses of a message; it is read again at each later question."""
    found = list[str]()
    for sentence in _SENTENCES.split(message):
        said = "" if sentence.rstrip().endswith("?") else take_price(sentence, language, None).rest
        clauses = (_LEAD.sub("", part.strip(" .,;-–—")).strip() for part in _BORDERS.split(said))
        found += [each for each in clauses if 0 < len(each) <= _LONGEST and not _CUT_CODE.search(each)]
    return tuple(found)


_CUT_CODE = patterns.compile(r"(?<!\S)/\w")
"""What is left of the number of a product that was taken out of a clause: `diz /90`."""


def _whole(part: str, clauses: Sequence[_Clause], held: _Held) -> str:
    """Return the clause that a part of a text was cut from, or the part where it is whole; nothing without content."""
    own = [each for each in content(tokens(part)) if each not in NEGATIONS and each not in CONTRASTS]
    if not own:
        return ""
    said = part.strip(" .").casefold()
    for each in clauses:
        words = set(tokens(each.text))
        # What stands beside the name of the product is told of it by other fields.
        if said == each.text.casefold() or not words.issuperset(own) or not words.isdisjoint(held.names):
            continue
        if divide_facts(each.text, _FACTS) != each.text:
            continue
        left_out = [word for word in held.new_words(each.text) if word.isalpha() and word not in own]
        if left_out and each.newer.isdisjoint(left_out):
            return without_names(without_address(each.text))
    return part


@dataclass(frozen=True)
class _Held:
    """The words that the product, the options, the answers with their questions, and a text have."""

    words: tuple[str, ...]
    names: frozenset[str]

    @classmethod
    def of(cls, questions: Questions, text: str) -> _Held:
        state = questions.draft.run.state
        labels = [f"{each.label.pt} {each.label.en}" for each in questions.asked]
        choices = [f"{one.label.pt} {one.label.en}" for each in questions.asked for one in each.options]
        options = [f"{name} {value}" for name, value in (state.get("options") or {}).items()]
        named = [str(state.get("product", "")), str(state.get("brand", ""))]
        said = [*named, *options, *labels, *choices, *questions.shown.values(), text]
        joined = (value.replace("-", "").replace(" ", "") for value in (state.get("options") or {}).values())
        names = frozenset(each for each in tokens(" ".join(named)) if len(each) > 1) | SALE
        return cls(tuple(dict.fromkeys(tokens(" ".join([*said, *joined])))), names)

    def new_words(self, clause: str) -> list[str]:
        """Return the words of a clause that are not held and no words of the talk."""
        said = (each for each in content(tokens(clause)) if not _is_idle(each))
        return [each for each in said if not self._has(each)]

    def _has(self, word: str) -> bool:
        """Return whether a word is held; one that is mistyped has its first letter."""
        return word in self.words or any(is_like(word, one) for one in self.words if one[0] == word[0])

    def lacks(self, clause: str) -> bool:
        """Return whether a clause of several words has a new one; beside the name of the product it takes two."""
        words = tokens(clause)
        new = [each for each in self.new_words(clause) if _is_telling(each)]
        if len(words) >= _FEWEST_OF_COUNT and NEGATIONS.isdisjoint(words):
            new += [
                each for each in words if is_number(each) and not _is_year(each) and each not in self.words
            ]
        is_code = any(map(str.isdigit, clause)) and any(map(str.isalpha, clause))
        return (len(words) > 1 or is_code) and len(new) > (not self.names.isdisjoint(words))


def _is_talk(clause: str, questions: Questions) -> bool:
    """Return whether a clause speaks of the talk, the sale or of what is written, and not of the item."""
    return (
        adds_nothing(clause, questions.draft.language)
        or _ORDERS.match(clause) is not None
        or any(judge(clause) for judge in _OF_TALK)
    )


_OF_TALK = (
    asks,
    says_nothing,
    is_of_sale,
    is_ignorant,
    is_excuse,
    is_of_talk,
    asks_to_cut,
    told_addition,
    tells_why_gone,
)


def _is_telling(word: str) -> bool:
    """Return whether a word may tell something: one of letters, or a code of letters and figures."""
    return len(word) >= _FEWEST_LETTERS and not word.isdigit()


def _is_year(word: str) -> bool:
    return len(word) == len("2020") and word[:2] in ("19", "20")


def _is_idle(word: str) -> bool:
    return any(word in each for each in _IDLE) or word in _MONTHS


_MONTHS = frozenset(ANY_MONTH.split("|"))
_IDLE: Iterable[frozenset[str]] = (_TALK, SALE, HEDGES, PRAISE, NODS, COMPARISONS)
