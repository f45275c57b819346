"""Clauses of the first messages beside the name of the product, which no option, question or price takes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from server import patterns
from server.languages import READ, split_question
from server.loopos.answers import Element, Refused, Valid, adds_nothing, asks, judge
from server.loopos.answers.amounts.deal_words import SALE
from server.loopos.answers.amounts.price_words import terms_beside_price
from server.loopos.answers.amounts.prices_in_notes import take_price
from server.loopos.answers.amounts.purchase_dates import told_shop
from server.loopos.answers.certainty import HEDGES, NEGATIONS, PRAISE, SMALL, content, is_like
from server.loopos.answers.clauses.asides import is_ignorant
from server.loopos.answers.clauses.faults import denies_faults, fault_clauses
from server.loopos.answers.clauses.included_things import asks_for_missing, spell_included
from server.loopos.answers.clauses.item_facts import is_item_fact
from server.loopos.answers.clauses.joined_parts import add_parts
from server.loopos.answers.clauses.reminders import without_address
from server.loopos.answers.words import tokens
from server.loopos.rows import Product
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.other_items import left_for_later
from server.loopos.tools.questions.early_facts import told_questions
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.texts.listed_things import spell_with
from server.loopos.tools.questions.texts.remarks import is_noise, is_of_sale, keep_traits
from server.loopos.tools.questions.texts.unheld_facts import (
    unheld_facts,
    without_overruled,
    without_withdrawn,
)
from server.loopos.tools.questions.unrecorded_faults import condition_of, home_of
from server.text_reading.wishes.agreements import after_yes

_KEY = "first_words"
_MOST = 12
"""So many clauses are kept and judged."""
_BORDERS = patterns.compile(
    r"(?<!\d)[,.](?=\s|$)|[,.](?=\s|$)|[;:!\n()]|\s(?=(?:with(?! it\b)|com|mas|but)\s)", patterns.IGNORECASE
)
_LEAD = patterns.compile(
    r"^(?:(?:and|e|mas|but|also|tamb[eé]m|with|com|plus|mais)\b\s*)+", patterns.IGNORECASE
)
_WITH = patterns.compile(r"^(?:(?:and|e)\s+)?(?:with|com)\b", patterns.IGNORECASE)
_CODE = patterns.compile(r"[^\W\d]+-?\d\w*")
"""The code of a part or of a game, behind the name of a product: `i5-8350U`."""
_MOSTLY, _HALF = 0.65, 0.5
"""So much of a clause that is a value of an option has words of values: of one that names a thing, and of others."""
_COUNTED = patterns.compile(
    r"(?:the|my|an?|o|os|a|as|umas?|uns|dois|duas|tr[eê]s|two|three|\d)\s+[^\W\d]", patterns.IGNORECASE
)
"""The start of a thing: an article, or how many there are of it."""
_HAS = patterns.compile(
    r"^(?:(?:it|ele|ela)\s+)?(?:tem|tenho|traz|leva|has)\s+(?=(?:the|os?|as?)\s)", patterns.IGNORECASE
)
"""A verb before a thing: `tem a borboleta`."""
_BEHIND = patterns.compile(
    r"(?<!\s)\s++(?:(?:both|all|also|that|which|is|are|comes?|goes|go|going|vai|v[aã]o|vem|v[eê]m|est[aã]o?)\s++){0,2}+"
    r"(?:included|with (?:it|them)|inclu[ií]d[oa]s?|juntos?)$",
    patterns.IGNORECASE,
)
_TALK = frozenset(
    "hi hello hey ola oi viva boa bom tarde dia noite sell selling sold vendo vender venda quero queria gostava "
    "gostaria preciso want need help ajuda ajudem please favor thanks obrigado obrigada moving mudanca anymore longer "
    "guess sei know think called chamado chamada model modelo brand marca would like d interested interessado "
    "used usado usada barely hardly pouco almost quase secondhand condition estado think acho offers "
    "ofertas question pergunta".split()
)
"""Words of a clause that speaks of the sale or the state, and tells no thing of the item."""


def note_first_words(draft: Draft, product: Product, brand: str) -> None:
    """Note the clauses of the messages that name the product, agree to it or sell it, without its name and options."""
    names = frozenset(tokens(f"{product.name} {brand}"))
    kinds = product.option_types
    values = frozenset(
        word
        for kind in kinds
        for name in (kind.name, *(v.name for v in kind.values))
        for word in tokens(name)
    )
    known = names | SMALL | frozenset(tokens(product.category)) | frozenset(("gb", "tb")) | values
    found = list[str]()
    if draft.language not in READ:
        return
    for message in reversed(draft.messages()):
        said = spell_with(split_question(message)[0])
        rest = after_yes(said)
        words = tokens(said)
        is_of_it = any(len(each) > 1 and each in names for each in words) or not SALE.isdisjoint(words)
        if rest is not None or is_of_it:
            found += _clauses_beside(said if rest is None else rest, names, known, values)
    draft.run.private.setdefault("addition", {})[_KEY] = list(dict.fromkeys(found))[:_MOST]


def _clauses_beside(
    message: str, names: frozenset[str], known: frozenset[str], values: frozenset[str]
) -> Iterator[str]:
    """Yield the clauses of a message; of one with the name of the product what stands behind it from a code on.

    A clause that is mostly a value of an option is none: `with the 16-50mm kit lens`.
    """
    for clause in _BORDERS.split(message):
        words = clause.split()
        if any(_is_name(each, names) for each in words):
            yield from _told_before(clause)
            codes = (at for at, each in enumerate(words) if _CODE.match(each) and not _is_known(each, known))
            first = next(codes, len(words))
            last = max(at for at, each in enumerate(words) if _is_name(each, names))
            behind = _JOINED.search(" ".join(words[last + 1 :]))
            words = [behind["thing"]] if behind else words[first:]
        rest = " ".join(words).strip(" .,;-")
        said = content(tokens(rest))
        mostly = _MOSTLY if _WITH.match(rest) or _COUNTED.match(rest) else _HALF
        is_value = sum(_is_known(each, values) for each in said) >= mostly * len(said)
        if not (is_value or all(_is_known(each, known) for each in rest.split())):
            yield rest


def _told_before(clause: str) -> Iterator[str]:
    """Yield what a clause tells of the item before its name: `com fatura vendo ps4`, `my boxed iphone`."""
    if found := _BEFORE.match(clause):
        yield found["thing"]
    if (found := _BOXED.search(clause)) and NEGATIONS.isdisjoint(tokens(clause)):
        yield found["state"]


_BEFORE = patterns.compile(
    r"\s*(?P<thing>(?:with|com)\s+[^\W\d]\w*(?:\s+(?:e|and|de|da|do)?\s*\w+){0,4}?)\s+"
    r"(?:vendo|vende-se|quero vender|selling|for sale|to sell)\b",
    patterns.IGNORECASE,
)
"""A thing that comes with the item, before the verb of selling."""
_BOXED = patterns.compile(
    r"\b(?P<state>boxed(?: up)?|in (?:the |its )?(?:original )?box|(?:still |factory )?sealed|na caixa(?: original)?|"
    r"(?:ainda )?selad[oa])\b",
    patterns.IGNORECASE,
)
_JOINED = patterns.compile(
    r"(?:^|\s)(?:and|e|plus|mais|\+|&)\s+(?P<thing>\w.*?\s(?:with it|as well|too|inclu\w+|também|tambem|junto))\s*$",
    patterns.IGNORECASE,
)
"""A thing that a clause joins to the name of the product, and says to go with it."""


def _is_known(word: str, known: frozenset[str]) -> bool:
    return all(each in known or any(is_like(each, one) for one in known) for each in tokens(word))


def _is_name(word: str, names: frozenset[str]) -> bool:
    said = tokens(word)
    return bool(said) and names.issuperset(said) and any(len(each) > 1 and each.isalpha() for each in said)


async def with_first_words(questions: Questions, home: Element, early: Valid | None) -> Valid | None:
    """Return the last text as it was told early, with what else was told at first; that is kept where no text was told.

    Each clause counts once, and none that another question, the price or a fault takes.
    """
    if home is not home_of(questions):
        return early
    draft = questions.draft
    noted: list[str] = draft.run.private.setdefault("addition", {}).pop(_KEY, [])
    told = [each for clause in noted if (each := await _unused_words(questions, clause))]
    told = without_withdrawn(draft.messages(), told)
    told += [shop for message in reversed(draft.messages()) if (shop := told_shop(message))][:1]
    terms = (terms_beside_price(message, draft.language) for message in draft.messages())
    told += [each for each in terms if each][:1]
    told += [each for message in reversed(draft.messages()) if (each := _told_remark(questions, message))]
    told += await unheld_facts(questions, "; ".join([*([early.shown] if early else []), *told]))
    told = [each for fact in told if (each := without_overruled(questions, fact))]
    if early is None:
        keep_traits(draft, told)
        return None
    text = without_overruled(questions, early.shown)
    for each in told:
        is_known = NEGATIONS.isdisjoint(tokens(each)) and {*content(tokens(each))} <= {*content(tokens(text))}
        text, _ = (text, "") if is_known else add_parts(text, each, home.max_length)
    return Valid(text, text) if text else None


def _told_remark(questions: Questions, message: str) -> str:
    """Return what a message that is a remark alone says of the item, where no answer has it; else nothing."""
    found = _REMARK.fullmatch(message.strip())
    words = found["words"] if found else ""
    if not words or fault_clauses(words) or is_noise(words) or is_of_sale(words):
        return ""
    answers = " ".join(str(shown) for _, shown in questions.answers.values()).casefold()
    return "" if words.casefold() in answers else words


_REMARK = patterns.compile(
    r"(?:(?:e|mas|and|but)\s+)?(?:[ée]|est[áa]|s[ãa]o|it['’]?s|it is|they['’]?re|they are)\s+"
    r"(?P<words>(?:um (?:pouco|bocad\w+)|an? (?:little )?(?:bit|tad|little)|bastante|demasiado|quite|rather)\s+"
    r"[^\W\d]+(?:\s[^\W\d]+){0,2})[\s.!]*",
    patterns.IGNORECASE,
)
"""A message that only says how the item is: `it's a bit heavy`."""


async def _unused_words(questions: Questions, clause: str) -> str:
    """Return the words of a clause that tell a thing of the item which nothing else asks for; else nothing."""
    language, today = questions.draft.language, datetime.now(UTC).date()
    words = without_address(take_price(clause, language, None).rest)
    is_with, led = _WITH.match(words) is not None, _HAS.sub("", _LEAD.sub("", words)).strip(" .,;")
    words = _BEHIND.sub("", led)
    said = content(tokens(words))
    own = [each for each in said if each not in PRAISE | HEDGES]
    is_told_with = _BEHIND.sub("", led) != led
    is_thing = is_with or _COUNTED.match(words) is not None or _BOXED.fullmatch(words) is not None
    is_idle = len(own) < (1 if is_thing else 2) or not _TALK.isdisjoint(tokens(words)) or asks(words)
    is_idle |= adds_nothing(words, language) or is_ignorant(words) or is_noise(words) or is_of_sale(words)
    is_idle |= not (is_told_with or is_item_fact(words) or (is_with and is_item_fact(f"with {words}")))
    is_idle |= bool(fault_clauses(words)) or denies_faults(words) or told_shop(words) != ""
    others = {word for name in left_for_later(questions.draft) for word in tokens(name)}
    if is_idle or (others and others.issuperset(own)):
        return ""
    asked = [each for each in questions.asked if each.kind not in ("text", "price")]
    whole = condition_of(questions)
    is_grade = whole is not None and not isinstance(judge(whole, words, language, today), Refused)
    if (is_grade and not is_told_with) or await told_questions(asked, words, language):
        return ""
    home = home_of(questions)
    is_of_missing = is_thing and home is not None and asks_for_missing(home)
    return spell_included(words, language) if is_of_missing else words
