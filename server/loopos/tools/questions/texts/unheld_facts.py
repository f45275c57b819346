"""The facts of all messages about an item that no answer, option or other fact holds, for the text that is proposed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from server import patterns
from server.languages import fold, split_question
from server.loopos.answers import Element
from server.loopos.answers.amounts.numbers import unit_words
from server.loopos.answers.amounts.price_words import names_terms
from server.loopos.answers.amounts.prices_in_notes import take_price
from server.loopos.answers.amounts.purchase_dates import told_shop
from server.loopos.answers.certainty import NEGATIONS, SMALL, content, is_like
from server.loopos.answers.clauses.absence_questions import says_without
from server.loopos.answers.clauses.cut_texts import asks_to_cut, without_thing
from server.loopos.answers.clauses.faults import denies_faults, fault_clauses
from server.loopos.answers.clauses.item_facts import (
    bare_fact,
    fact_runs,
    is_item_fact,
    is_measure,
    is_term,
    things_in,
)
from server.loopos.answers.clauses.joined_parts import without_noted
from server.loopos.answers.wishes.things_taken_back import withdrawn_things
from server.loopos.answers.words import is_number, tokens
from server.loopos.tools.drafts.confirmed_product import confirmed_product
from server.loopos.tools.questions.early_facts import told_questions
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.texts.listed_things import MOST_WORDS
from server.text_reading.things.things_kept_back import sells_apart

_MOST = 8
"""So many facts are proposed, the newest."""


async def unheld_facts(questions: Questions, told: str) -> list[str]:
    """Return the facts that messages tell and neither an answer nor the text `told` holds, the oldest first; of a thing
    the newest counts.

    What only names the kind of the product, takes a thing back that an older message told, or is asked by an open
    question is none.
    """
    held, found, named = _held_words(questions), list[str](), things_in(told)
    product, messages = await confirmed_product(questions.draft), questions.draft.messages()
    kind = tokens(f"{product.name} {product.category}")
    asked = [each for each in questions.open() if each.kind not in ("text", "price")]
    for at, message in enumerate(messages):
        facts = list(_facts_of(questions, message))
        new = [each for each in facts if not (things := things_in(each)) or not things <= named]
        new = [each for each in new if each not in told and not _is_held(each, held)]
        new = [each for each in new if not _opens_sale(questions, each, kind)]
        new = [each for each in new if not (_is_kind(each, kind) or _takes_back(each, messages[at + 1 :]))]
        new = [_without_figures(each, held) for each in new if not _is_without(questions, each)]
        found = [
            *[each for each in new if not await told_questions(asked, each, questions.draft.language)],
            *found,
        ]
        named |= {thing for each in facts for thing in things_in(each)}
    return found[-_MOST:]


def _is_kind(fact: str, kind: Sequence[str]) -> bool:
    return all(any(is_like(word, each) for each in kind) for word in content(tokens(fact)))


def _takes_back(fact: str, older: Sequence[str]) -> bool:
    """Return whether a fact says of a thing that an older message tells that it does not go with the item."""
    told = [set(tokens(each)) for each in older if not withdrawn_things(each)[0]]
    return any(words.issuperset(tokens(each)) for words in told for each in withdrawn_things(fact)[0])


def _is_without(questions: Questions, fact: str) -> bool:
    """Return whether a fact answers a question whether something is absent: `no smokers here`."""
    return any(says_without(each, fact) is not None for each in questions.asked)


def _facts_of(questions: Questions, message: str) -> Iterator[str]:
    """Yield the facts of a message that are no fault, which is asked for by itself, no price and no wish to cut."""
    said = take_price(split_question(message)[0], questions.draft.language, None).rest
    for run in fact_runs(said) if not asks_to_cut(message) else ():
        sentences = _SENTENCES.split(run)
        parts = (
            part for each in sentences for part in (_COMMA.split(each) if fault_clauses(each) else [each])
        )
        for fact in (bare_fact(each).strip(" .,;") for each in parts):
            is_other = (
                fault_clauses(fact)
                or denies_faults(fact)
                or told_shop(fact)
                or names_terms(fact)
                or sells_apart(fact)
                or len(fact.split()) > MOST_WORDS
                or _names_product(questions, fact)
            )
            measures = is_measure(fact) and not _is_of_product(questions, fact)
            if is_item_fact(fact) and (things_in(fact) or is_term(fact) or measures) and not is_other:
                yield fact


def _is_of_product(questions: Questions, fact: str) -> bool:
    """Return whether a fact has most words of the product's name: its figures are those of the model or a kit."""
    name = set(tokens(str(questions.draft.run.state.get("product", ""))))
    return len(name.intersection(tokens(fact))) * 2 > len(name)


def _names_product(questions: Questions, fact: str) -> bool:
    """Return whether a fact in a language without rules of its own names the product: it is how the sale began."""
    draft = questions.draft
    name = set(tokens(str(draft.run.state.get("product", ""))))
    return draft.language not in _READ and bool(name) and name <= set(tokens(fact))


def _opens_sale(questions: Questions, fact: str, kind: Sequence[str]) -> bool:
    """Return whether a fact only says that a product is for sale, or which: beside its names it tells no thing."""
    draft = questions.draft
    named = [f"{each['name']} {each['brand']}" for each in draft.run.private.get("named", ())]
    state = draft.run.state
    names = tokens(" ".join([*named, str(state.get("product", "")), str(state.get("brand", ""))]))
    said = tokens(fact)
    known = [*names, *(part for each in names for part in _PARTS_OF_NAME.findall(each))]
    is_named = any(len(each) > 1 and each.isalpha() and each in names for each in said)
    sells = any(is_like(each, one) for each in said for one in _SELLING)
    left = [each for each in said if each not in known and not any(is_like(each, one) for one in _SELLING)]
    left = [each for each in left if not any(is_like(each, one) for one in kind)]
    things = things_in(" ".join(left))
    return (is_named or sells) and not things and (sells or len(content(left)) < _FEWEST_TOLD)


_PARTS_OF_NAME = patterns.compile(r"[a-z]+|\d+|[a-z]+\d+")
_SELLING = ("selling", "vendo", "vender", "venda", "sell")
_FEWEST_TOLD = 2
_READ = ("pt", "en")


_COMMA = patterns.compile(r"[,;.]\s(?!(?:though|although|which|but|embora|mas|que)\b)", patterns.IGNORECASE)
_SENTENCES = patterns.compile(r"[;.]\s")


def _held_words(questions: Questions) -> list[tuple[list[str], list[str]]]:
    """Return the words of each answered question with its answer, and of each option, and those of the answer alone."""
    labels = {each.id: f"{each.label.pt} {each.label.en}" for each in questions.asked}
    held = [(labels.get(key, ""), str(shown)) for key, (_, shown) in questions.answers.items()]
    options = questions.draft.run.state.get("options", {})
    held += [(_PARTS_CALLED.get(fold(name), name), str(value)) for name, value in options.items()]
    return [(tokens(f"{label} {shown}"), tokens(shown)) for label, shown in held]


_PARTS_CALLED = {
    "chassis": "chassis frame quadro",
    "conjunto": "conjunto objetiva lente",
    "kit": "kit lens",
}
"""Other names of the part that an option is about."""


def _is_held(fact: str, held: list[tuple[list[str], list[str]]]) -> bool:
    """Return whether answers name all things of a fact, with its figures, and deny them where it does."""
    denies, figures = _denies(fact), set(filter(is_number, tokens(fact)))
    for word in things_in(fact) or set(content(tokens(fact), NEGATIONS)):
        about = [
            shown
            for words, shown in held
            if any(is_like(word, each) for each in words)
            and (figures <= set(shown) or any(is_like(word, each) for each in shown))
        ]
        if not about or (denies and all(NEGATIONS.isdisjoint(each) for each in about)):
            return False
    return True


def _without_figures(fact: str, held: list[tuple[list[str], list[str]]]) -> str:
    """Return a fact without its parts of which an answer holds the figure: `com caixa` of `bateria 90%, com caixa`."""
    parts = _COMMA.split(fact)
    left = [each for each in parts if not (any(map(str.isdigit, each)) and _is_held(each, held))]
    return fact if len(left) == len(parts) else _WITH.sub("", ", ".join(left))


_WITH = patterns.compile(r"^(?:com|with)\s+", patterns.IGNORECASE)


def unsaid_facts(questions: Questions, clauses: Sequence[str]) -> list[str]:
    """Return clauses without the facts in them that an answer says: the last text, a row or what stands beside one."""
    labels = {each.id: f"{each.label.pt} {each.label.en}" for each in questions.asked if each.kind != "text"}
    rows = [f"{labels.get(key, '')} {shown}" for key, (_, shown) in questions.answers.items()]
    return [left for each in clauses if (left := without_noted(each, rows, facts=True))]


def without_overruled(questions: Questions, text: str) -> str:
    """Return a text without its parts that a newer message says otherwise: `no box` before `I've found the box`; and
    without the figures that a question has an answer to.
    """
    text = without_counted(questions, text)
    parts, seen = text.split("; "), list[tuple[set[str], str]]()
    for message in questions.draft.messages():
        facts = [each for run in fact_runs(message) for each in _COMMA.split(run)]
        seen += [(things, each) for each in facts if (things := things_in(each))]
    left = [each for each in parts if not _is_overruled(each, seen)]
    return "; ".join(without_withdrawn(questions.draft.messages(), left))


def without_counted(questions: Questions, text: str) -> str:
    """Return a text without its parts which give a figure to an answered question for one: `box` of `box, battery 87`.

    The figure may be one that was put right since then.
    """
    counted = [each for each in questions.asked if each.kind == "number" and each.id in questions.answers]
    parts = _PARTS.split(text)
    kept = [
        at
        for at in range(0, len(parts), 2)
        if not any(map(str.isdigit, parts[at])) or not any(_counts(each, parts[at]) for each in counted)
    ]
    if len(kept) * 2 > len(parts):
        return text
    return "".join(parts[at] if at == kept[0] else parts[at - 1] + parts[at] for at in kept).strip()


_PARTS = patterns.compile(r"((?<!\d)[,;]\s*|[,;](?!\d)\s*|\.\s+|\s(?:e|and)\s)")


def _counts(element: Element, part: str) -> bool:
    """Return whether all words of a part beside its figure are of a question for a number."""
    if "%" in part and not (element.unit and "%" in element.unit.en):
        return False  # A health is no count of cycles.
    label = {*tokens(f"{element.label.pt} {element.label.en}"), *unit_words(element.unit), *_STATING}
    own = [each for each in content(tokens(part)) if not is_number(each) and each not in SMALL]
    return label.issuperset(own)


_STATING = frozenset(
    "level nivel capacity capacidade maximum maxima now agora so only just at em esta health saude da dao dava dura "
    "duram durava aguenta aguentam tem uns umas cerca ja apenas quase lasts last lasting gives give holds hold does "
    "about around roughly barely maybe gets runs".split()
)


def without_withdrawn(messages: Sequence[str], facts: Sequence[str]) -> list[str]:
    """Return the facts without the things that a message takes back; one that tells itself of a loss stays whole."""
    left = list(facts)
    for thing in (each for message in messages for each in withdrawn_things(message)[0]):
        left = [kept for each in left if (kept := each if _says_gone(each, thing) else _without(each, thing))]
    return left


def _says_gone(fact: str, thing: str) -> bool:
    """Return whether a fact says itself that the thing is not there, beside one that is: `case but no cable`."""
    gone, others = withdrawn_things(fact)
    return _LOST.search(fact) is not None or (thing in gone and bool(others))


def _without(fact: str, thing: str) -> str:
    rest = without_thing(fact, thing)
    return fact if rest is None else rest


_LOST = patterns.compile(
    r"\b(?:lost|missing|perdi|perdeu-se|perdid[oa]s?|falta|faltam)\b", patterns.IGNORECASE
)


def _denies(clause: str) -> bool:
    return not NEGATIONS.isdisjoint(tokens(clause))


def _is_overruled(part: str, seen: list[tuple[set[str], str]]) -> bool:
    """Return whether the newest clause about all things of a part denies what it affirms, or the other way,
    or has another figure."""
    own = things_in(part)
    newest = next((clause for things, clause in seen if own and own <= things), None)
    if newest is None or fault_clauses(part):
        return False
    figures = [set(filter(is_number, tokens(each))) for each in (part, newest)]
    is_changed = all(figures) and figures[0].isdisjoint(figures[1])
    return is_changed or _denies(newest) is not _denies(part)
