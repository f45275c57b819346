"""Words behind a yes or no to `… Certo?`: whether they repeat the answer that waits, say more of it or name another."""

from dataclasses import replace
from datetime import date

from server import patterns
from server.languages import fold
from server.loopos.answers import (
    PRICE,
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    asks,
    bare_price,
    judge,
    tells_other_currency,
)
from server.loopos.answers.amounts.dates import ANY_MONTH
from server.loopos.answers.amounts.put_amounts import denied_price
from server.loopos.answers.amounts.side_amounts import without_side_amounts
from server.loopos.answers.certainty import (
    BARE_YES,
    COMPARISONS,
    CONTRASTS,
    HEDGES,
    NEGATIONS,
    adds_nothing,
    content,
    denies,
    doubts,
    is_like,
    opening,
)
from server.loopos.answers.clauses.faults import fault_clauses, says_fault, tells_fault
from server.loopos.answers.clauses.item_facts import marks_in, says_marks
from server.loopos.answers.clauses.remark_parts import STATES
from server.loopos.answers.clauses.reminders import without_reminders
from server.loopos.answers.judges.fault_notes import GRADES, beside, words_behind_turn
from server.loopos.answers.judges.option_remarks import remark_behind_yes
from server.loopos.answers.options.synonyms import phrases
from server.loopos.answers.words import clauses, is_number, tokens
from server.loopos.answers.words import fold as fold_words
from server.loopos.tools.drafts.answer_wishes import WRITE
from server.text_reading.words.sizes import SIZE_NAMES

SUBJECT = patterns.compile(r"\b(?:o|a|os|as|the|my|meu|minha|um|uma)\s+\w{3,}")
"""A thing that words speak of, in folded text."""
_INTACT = frozenset("inteiro intacto intact undamaged sem without free".split())
"""Words of a question to which a fault says no, whatever it is of."""


def repeats(element: Element, kept: Valid, words: str) -> bool:
    """Return whether words behind a yes only repeat a part of what stands beside the answer that waits: `yes, hood
    faded, that's it` to `Good (the hood is faded by the sun)`.
    """
    if element.kind == "date":
        return _repeats_date(kept, words)
    known, said = tokens(kept.shown), content(tokens(words))
    if element.kind not in ("select", "boolean") or "(" not in kept.shown or "?" in words:
        return False
    denied = [not NEGATIONS.isdisjoint(each) for each in (known, tokens(words))]
    own = [each for each in clauses(words) if not adds_nothing(" ".join(each), "pt")]
    repeated = all(any(is_like(word, other) for other in known) for each in own for word in content(each))
    return bool(said) and repeated and denied[0] == denied[1] and not names_label(element, kept, words)


def _repeats_date(kept: Valid, words: str) -> bool:
    """Return whether words behind a yes to a date tell what was paid, and name no other date: `yes, in May, it cost me
    330 euros`.
    """
    left = fold_words(_PAID.sub(" ", words))
    said, known = tokens(left), tokens(fold_words(kept.shown))
    dated = [each for each in said if is_number(each) or _MONTH.fullmatch(each)]
    is_same = all(
        any(each == other or (len(each) == _SHORT and other.startswith(each)) for other in known)
        for each in dated
    )
    is_sure = (NEGATIONS | HEDGES | _TURNING).isdisjoint(said) and "?" not in words
    return _PAID.search(words) is not None and is_same and is_sure


_PAID = patterns.compile(
    r"(?:€\s?\d[\d.,]*|\b\d[\d.,]*\s?(?:€|(?:euros?|eur|paus|quid|pounds?)\b))", patterns.IGNORECASE
)
_MONTH = patterns.compile(ANY_MONTH)
_SHORT = 3
"""So many letters has a month in short."""
_TURNING = frozenset("mas but afinal actually antes rather ou or between entre".split())


def say_beside_yes(
    element: Element, kept: Valid, words: str, language: str, today: date
) -> ProbableAnswer | None:
    """Return what words behind a yes say beside the answer that waits, or against it: `sim, mas tem um risco no canto`
    tells a mark, and `sim, está bom` to a no to whether a screen is whole speaks of the screen. None where they do not.
    """
    takes_note = element.kind in ("select", "boolean") and not element.id.startswith("option:")
    if not takes_note or kept.deal_breaker or not words or "?" in words:
        return None
    judged = judge(element, words, language, today)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if isinstance(guess, Refused) or guess.skipped:
        return None
    if element.kind == "boolean" and kept.value is False and guess.value is True:
        return ProbableAnswer(guess) if _IS_SOUND.fullmatch(fold(words).strip(" .,;!")) else None
    is_noted = guess.value == kept.value and BESIDE.search(guess.shown) is not None
    return ProbableAnswer(guess) if is_noted and BESIDE.search(kept.shown) is None else None


_IS_SOUND = patterns.compile(
    r"(?:(?:o|a|os|as|the) \w+ )?(?:esta|estao|it is|it s|its|is|are|they re|theyre) (?:\w+ )?"
    r"(?:bo[mas]s?|bons|otim[oa]s?|optim[oa]s?|impecave(?:l|is)|perfeit[oa]s?|inteir[oa]s?|intact[oa]s?|fine|good|great|"
    r"perfect|whole)"
)
"""Words, folded, that say of a thing that it is well; `tá bom` alone only agrees."""


def names_other(element: Element, kept: Valid, judged: Valid | ProbableAnswer, words: str) -> bool:
    """Return whether words behind a yes name the other answer that they are read as.

    What they tell of another thing is a remark: `sim, mas o flash não levanta` to whether a camera shoots. A fault
    names no other grade than the one that was agreed to.
    """
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if element.kind == "select" and [each.value for each in element.options] == GRADES:
        return guess.skipped or names_label(element, kept, words)
    if element.kind != "boolean" or kept.value is not True or guess.value is not False:
        return True
    label = tokens(f"{element.label.pt} {element.label.en}")
    if opening(words)[0] is False or not _INTACT.isdisjoint(label):
        return True
    denying = [
        each for each in clauses(words) if not NEGATIONS.isdisjoint(each) or tells_fault(" ".join(each))
    ]
    own = content(label, NEGATIONS)
    return any(is_like(word, each) for clause in denying for word in content(clause) for each in own)


def names_label(element: Element, kept: Valid, words: str) -> bool:
    """Return whether words have a name of another option than the one that waits."""
    said = f" {' '.join(tokens(words))} "
    others = [each for each in element.options if each.value != kept.value]
    names = [" ".join(tokens(name)) for each in others for name in phrases(element, each)]
    return any(f" {name} " in said for name in names if name)


def with_words(kept: Valid, words: str) -> ProbableAnswer | None:
    """Return the answer that waits with these words beside it too; None where most of them stand there already."""
    before = BESIDE.search(kept.shown)
    known = tokens(before[1] if before else "")
    words = ", ".join(each.strip() for each in _TOLD.split(words) if not _is_told(known, each))
    if not words:
        return None
    shown = BESIDE.sub("", kept.shown) + beside(*([before[1]] if before else []), words)
    return ProbableAnswer(replace(kept, shown=shown))


def words_to_note(element: Element, written: str, language: str) -> str:
    """Return the words behind a yes that turn, to stand beside the answer; beside a grade with those before them."""
    turned = words_behind_turn(written, language)
    is_plain = tells_why(element, written) and not any(map(str.isdigit, written))
    return _JOINT.sub("", written).strip(" .,;!") if turned and is_plain else turned


_JOINT = patterns.compile(
    r"^(?:(?:[eé] isso|e|and|mas|but|isso|that['’]?s (?:it|right)|it)\b[\s,.:]*)+", patterns.IGNORECASE
)


def tells_why(element: Element, words: str) -> bool:
    """Return whether words tell of a thing beside the grade of an item, which says only why it has that grade."""
    return [each.value for each in element.options] == GRADES and len(content(tokens(words))) > 1


def _is_told(known: list[str], words: str) -> bool:
    """Return whether half of the words stand beside the answer already."""
    own = content(tokens(words))
    is_known = 2 * sum(any(is_like(word, each) for each in known) for word in own) >= len(own)
    return is_known and all(says_fault(known, each) for each in fault_clauses(words))


_TOLD = patterns.compile(r"[,;]\s|\s(?:e|and)\s(?=(?:o|a|os|as|the)\s)", patterns.IGNORECASE)


def add_remark(
    element: Element, kept: Valid, words: str, language: str, today: date
) -> Valid | ProbableAnswer | None:
    """Return the option that waits with what words behind the yes to it add; None where they add nothing.

    Beside the grade of an item, which the yes has confirmed, they only say why; beside any other option they are asked
    back.
    """
    more = remark_to_add(element, kept, words, language, today)
    noted = with_words(kept, more) if more else None
    if noted is None or noted.guess.shown == kept.shown:
        return None
    return noted.guess if [each.value for each in element.options] == GRADES else noted


def remark_to_add(element: Element, kept: Valid, words: str, language: str, today: date) -> str:
    """Return what words behind the yes to the option that waits say more: `yes, and the grip comes off`.

    Nothing where they ask, correct or name another option, and beside one of a product or one that ends the sale.
    """
    if element.kind != "select" or element.id.startswith("option:") or kept.deal_breaker:
        return ""
    if (
        asks(words)
        or _CORRECTS.search(words)
        or ASIDE.search(words)
        or WRITE.match(words)
        or STATES.isdisjoint(tokens(words))
    ):
        return ""
    remark = noted_beside(element, remark_behind_yes(element, kept.value, without_reminders(words), language))
    judged = judge(element, words, language, today) if remark else None
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return "" if isinstance(guess, Valid) and guess.value != kept.value else remark


ASIDE = patterns.compile(r"\b(?:by the way|btw|j[aá] agora|a prop[oó]sito)\b", patterns.IGNORECASE)
"""Words by which a message goes on with another thing."""


def noted_beside(element: Element, words: str) -> str:
    """Return what of these words stands beside an answer: beside the grade of an item only a fault or a mark."""
    return marks_in(words) if [each.value for each in element.options] == GRADES else says_marks(words)


_CORRECTS = patterns.compile(r"\b(?:afinal|actually|enganei|wrong|antes|instead)\b", patterns.IGNORECASE)


BESIDE = patterns.compile(r" \(([^()]*)\)$")
ONLY = patterns.compile(r"(?:s[oó]|apenas|somente|only|just)\b", patterns.IGNORECASE)
"""The start of words that are all of the answer: `write just Yes`."""


def says_again(
    element: Element, kept: Valid, words: str, language: str, today: date, *, agrees: bool | None
) -> bool:
    """Return whether words say by themselves the answer that waits: its price, or its yes or no in a sentence.

    `No, the charger is not included` says a proposed no again. `No, I do have the case` says that the no is wrong: what
    stands behind a leading yes or no has to say the answer too.
    """
    if element.kind == "price":
        return agrees is None and says_price_again(words, kept, language)
    if element.kind != "boolean" or agrees is (not kept.value) or len(tokens(words)) < _FEWEST_OF_SENTENCE:
        return False
    if asks(words) or not (HEDGES | CONTRASTS | {"mas", "but"}).isdisjoint(tokens(words)):
        return False
    says, rest = opening(words)
    says = agrees if agrees is not None else says
    if kept.value is False and NEGATIONS.isdisjoint(tokens(rest)):
        return False
    judged = judge(element, words, language, today)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    is_plain = isinstance(guess, Valid) and BESIDE.search(guess.shown) is None and not guess.deal_breaker
    is_sure = isinstance(judged, Valid) or says is kept.value
    return is_plain and is_sure and isinstance(guess, Valid) and guess.value is kept.value


_FEWEST_OF_SENTENCE = 3
"""A plain no says that what waits is wrong; fewer words may be one."""


def says_price_again(words: str, kept: Valid, language: str) -> bool:
    """Return whether words without a yes say the price that waits once more, and no other: `tá bem, 350`."""
    said = without_side_amounts(words)
    judged = judge(PRICE, said, language, date.min)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return (
        isinstance(guess, Valid) and guess.value == kept.value and not (asks(words) or doubts(tokens(said)))
    )


def keeps_price(words: str, kept: Valid, language: str) -> bool:
    """Return whether words behind a yes to a price say it once more, or only name what they would take: `sim, mas no
    mínimo 320`.
    """
    if repeats_price(words, kept, language):
        return True
    said = f"{kept.shown}, {words}"
    left = without_side_amounts(said)
    again = bare_price(left, language) if left != said else None
    return again is not None and again.value == kept.value


def repeats_price(words: str, kept: Valid, language: str) -> bool:
    """Return whether words behind a yes say the price that waits once more, and behind it nothing of a price: `350. And
    put that I bought it in 2019 or 2020`.
    """
    first, *others = _SENTENCES.split(words.strip(), maxsplit=1)
    again = bare_price(first, language) if first else None
    if again is None or again.value != kept.value:
        return False
    rest = " ".join(others)
    figures = [each for each in tokens(rest) if is_number(each) and not _YEAR.fullmatch(each)]
    is_wish = WRITE.match(rest) is not None and not _OF_PRICE.search(rest)
    return not (figures or _OF_PRICE.search(rest)) and (is_wish or not may_change_price(_YEAR.sub(" ", rest)))


_SENTENCES = patterns.compile(r"\s*[.;!\n]+\s+|\s*,\s+|[\s.!]+$|\s+(?=(?:and|e)\s)")
_YEAR = patterns.compile(r"\b(?:19|20)\d\d\b")
_OF_PRICE = patterns.compile(
    r"\b(?:pre[cç]o|price|euros?|eur|negoci\w+|negotia\w+|offers?|ofertas?|propostas?|desconto|discount|less|menos|"
    r"more|mais|lower|higher|afinal|actually|instead|antes)\b|[€£$]",
    patterns.IGNORECASE,
)


def denies_more(element: Element, kept: Valid, words: str, language: str) -> bool:
    """Return whether words behind a yes deny something that may be the answer that waits; a figure they do not deny.

    Behind the yes to an option of a product that they name once more they speak of another thing, unless they turn.
    """
    if element.is_figure or not denies(words, language):
        return False
    if not element.id.startswith("option:"):
        return True
    said = tokens(words)
    name = {each for each in tokens(kept.shown) if each[:1].isdigit()} or set(tokens(kept.shown))
    own = (each for each in clauses(words) if NEGATIONS.isdisjoint(each))
    is_named = bool(name) and any(name <= set(clause) for clause in own)
    turns = not (CONTRASTS | {"mas", "but"}).isdisjoint(said)
    is_free_alone = {each for each in said if each in NEGATIONS} == {"free"}
    return turns or not (is_named or is_free_alone or _denies_of_another(element, words))


def _denies_of_another(element: Element, words: str) -> bool:
    """Return whether words deny only what they say of another thing than this option: `e a cor não é bem azul`."""
    labels = [element.label, *(each.label for each in element.options)]
    own = _POINTERS | SIZE_NAMES | {word for each in labels for word in tokens(f"{each.pt} {each.en}")}
    denying = [each for each in clauses(words) if not NEGATIONS.isdisjoint(each)]
    return all(own.isdisjoint(each) and _OF_A_THING.match(" ".join(each)) for each in denying)


_POINTERS = frozenset("isso isto assim it that this one".split())
_OF_A_THING = patterns.compile(
    r"(?:(?:e|and|also|tambem) )*(?:o|a|os|as|the|my|meu|minha) \w{3,}(?: \w+){0,2}? "
    r"(?:nao|not|is not|isnt|arent|doesnt|has no)\b"
)


def may_change_price(words: str) -> bool:
    """Return whether words behind a yes to a price may change it: they have a figure, compare or contrast."""
    said = tokens(words)
    return any(map(is_number, said)) or not (COMPARISONS | CONTRASTS | HEDGES | _HARDLY).isdisjoint(said)


_HARDLY = frozenset("no nope bit pouco".split())


def is_no(words: str) -> bool:
    """Return whether the words behind a yes only say no."""
    return bool(words) and _MERE_NO.fullmatch(fold_words(words).strip(" .,;!")) is not None


_MERE_NO = patterns.compile(r"(?:(?:mesmo|mesma|que|e|o|a|isso|it s|its)\W+)*(?:nao|no|nope|nah|never|nunca)")


def as_written(message: str, rest: str) -> str:
    """Return the end of a message that was read as `rest`, with the accents and capitals of the seller."""
    words, read = message.split(), _letters_of(rest)
    ends = (" ".join(words[at:]) for at in reversed(range(len(words))))
    return next((each for each in ends if _letters_of(each) == read), rest)


def _letters_of(text: str) -> str:
    """Return the letters of a text as the judge reads it: `no canto` as `na canto`."""
    return fold_words(fold(text)).replace(" ", "").replace("'", "")


def without_value_before(message: str, kept: Valid) -> str:
    """Return a message without the figure of the answer that waits, where a yes to it follows: `87 yes. and a box`."""
    found = _FIGURE_FIRST.match(message)
    return message[found.end() :] if found and found["figure"] in tokens(kept.shown) else message


_FIGURE_FIRST = patterns.compile(
    rf"\s*(?P<figure>\d+)\s*(?:%|€|euros?\b|km\b)?[\s,.;:!–—-]+(?=(?:{'|'.join(BARE_YES)})\b)",
    patterns.IGNORECASE,
)
"""A figure before a yes."""


def judge_foreign(message: str, language: str) -> Judgement | None:
    """Return what a message that names another currency says to a price that waits; None for any other message."""
    price = denied_price(message, language)
    if price is not None:
        return ProbableAnswer(price)
    return Refused("other_currency") if tells_other_currency(message) else None
