"""The answer that a model reports, held against what the seller wrote: only the seller's own words make it sure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from itertools import accumulate

from server import patterns
from server.loopos.answers.amounts.asking_price import judge_price
from server.loopos.answers.amounts.side_amounts import only_asked
from server.loopos.answers.amounts.stated_number import counts_another
from server.loopos.answers.certainty import (
    BARE_YES,
    adds_nothing,
    denies,
    doubts,
    is_bare,
    is_hedged_no,
    is_hedged_yes,
    opening,
    plain_words,
    without_refusal,
)
from server.loopos.answers.clauses.asides import speaks_of
from server.loopos.answers.clauses.reminders import is_repeat, without_reminders
from server.loopos.answers.element import Element
from server.loopos.answers.judges.answer_judge import judge, judge_with_remark
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import MOST_LETTERS, fold, shorten_runs, tokens
from server.text_reading.wishes.agreements import agrees_to_nothing
from server.text_reading.wishes.ways_back import takes_back

_BORDERS = patterns.compile(r"(?<!\d)[,.](?!\d)|(?<=\D)[,.]|[,.](?=\s|$)|[;:!\n—–]|\be\b|\band\b")


MOST_CLAUSES = 20
"""Different clauses of a message that are judged one by one; a message of more of them says nothing alone."""
MOST_HEARD = 80
"""Clauses of all messages that are judged for a report, those of the newest messages first; a long one counts more."""
_LONG_CLAUSE = 60
"""So many letters of a clause count as one more."""
judge_once = lru_cache(maxsize=1_024)(judge)
"""The clauses of the same messages are judged again with each report about a question."""


def judge_report(
    element: Element, report: str, messages: Sequence[str], language: str, today: date
) -> Judgement:
    """Judge the answer to a question that a model reports; `messages` are the seller's, the newest first.

    The newest message decides where it speaks of the question as a whole. Where it says several things, one of its
    clauses has to say the reported value alone. A value that no message says is a guess of the model: ProbableAnswer.
    Of messages without end the newest are read: MOST_CLAUSES of each, and MOST_HEARD of all.
    """
    reported = judge(element, report, language, today)
    if not messages:
        return _as_guess(reported)
    whole = judge_with_remark(element, messages[0], language, today)
    is_noted = whole != judge(element, messages[0], language, today)
    is_list = not is_noted and isinstance(whole, ProbableAnswer)
    if is_list and _is_list(element, messages[0], reported, language, today):
        return reported
    if _decides(element, whole):
        return whole
    if isinstance(reported, Refused) and element.kind == "number":
        return _of_named_clause(element, messages[0], language, today) or reported
    if isinstance(reported, Refused) or _guess_of(reported).skipped:
        return reported
    guess = _guess_of(reported)
    if element.kind == "number" and counts_another(element, messages[0], report):
        return whole if isinstance(whole, Refused) else Refused("number_only")
    if element.kind == "text":
        return reported if any(_quotes(message, report) for message in messages) else _as_guess(reported)
    heard = accumulate(map(_work_of, messages))
    near = [message for message, work in zip(messages, heard, strict=True) if work <= MOST_HEARD]
    supported = any(_says_alone(element, message, guess, language, today) for message in near)
    return reported if supported else _as_guess(reported)


def _decides(element: Element, whole: Judgement) -> bool:
    """Return whether the newest message as a whole says what counts, whatever is reported."""
    if isinstance(whole, Refused):
        return whole.code == "of_a_charge"
    return isinstance(whole, ProbableAnswer) or element.kind != "text"


def _of_named_clause(element: Element, message: str, language: str, today: date) -> ProbableAnswer | None:
    """Return the number of the only clause that names the question, as in `the price is 155 and the battery is 82`."""
    named = [each for each in _clauses_of(message)[:MOST_CLAUSES] if speaks_of(element, each)]
    judged = [judge_once(element, each, language, today) for each in named]
    found = [_guess_of(each) for each in judged if not isinstance(each, Refused)]
    return ProbableAnswer(found[0]) if len(found) == 1 and not found[0].skipped else None


def set_price(message: str, language: str) -> Valid | None:
    """Return the price of the only clause that says the word and an amount; None where none does, or several."""
    said = _clauses_of(only_asked(message))[:MOST_CLAUSES]
    clauses = [each for each in said if _PRICE.search(each)]
    judged = [
        each for each in (judge_price(one, language) for one in clauses) if not isinstance(each, Refused)
    ]
    found = [guess for each in judged if not (guess := _guess_of(each)).skipped]
    return found[0] if len(found) == 1 else None


_PRICE = patterns.compile(r"\b(?:pre[cç]o|price)\b.*\d", patterns.IGNORECASE)


def confirms(answer: str, language: str) -> tuple[bool | None, str]:
    """Return what an answer to `… Certo?` says: a plain yes or no, or None, and the words after it.

    Of a longer answer than MOST_LETTERS the beginning is read, and it is never a yes or no alone.
    """
    answer = shorten_runs(answer)
    read = answer[:MOST_LETTERS]
    says, after = (None, read) if agrees_to_nothing(read) else _confirms(read, language)
    return says, after if after or read == answer else read


@lru_cache(maxsize=256)
def _confirms(answer: str, language: str) -> tuple[bool | None, str]:
    """Return the same of at most MOST_LETTERS; the messages of a sale are read again with each tool of a run."""
    if is_repeat(answer) or takes_back(answer):
        return is_repeat(answer), ""
    answer = _RUN.sub(_spell_yes, answer)
    answer = _BEFORE.sub("", without_reminders(_I_SAID.sub("no, ", answer))) or answer
    answer = _AND.sub(r"\g<yes> and ", _ELSE.sub("no, ", _UNCHANGED.sub("yes, ", answer)))
    if (left := without_refusal(answer)) != answer:
        says, after = opening(left)
        after = after if says is False else fold(left).strip()
        return False, "" if is_bare(False, plain_words(after, language)) else after
    says, after = opening(answer)
    plain = _COURTESY.sub("", _NODS.sub("", fold(answer))).strip(" .,!")
    agrees = says is None and adds_nothing(answer, language) and not _AGREED.isdisjoint(tokens(answer))
    agrees = agrees and not denies(answer, language)
    agrees = (
        agrees
        or all(each in _AGREEING for each in _CLAUSE.split(plain))
        or _NEARLY_RIGHT.fullmatch(" ".join(tokens(answer))) is not None
    )
    if says is not False and (agrees or (says is None and is_hedged_yes(answer))):
        return True, ""
    if says is None and (turned := _says_both(answer, language)):
        return turned
    if says is None and (last := _LAST.match(answer)) and (ends := opening(last["end"]))[0] is not None:
        return ends[0], last["before"] if is_bare(ends[0], plain_words(ends[1], language)) else answer
    if says is None and (agreed := _AGREES_FIRST.match(answer)):
        says, after = True, fold(answer[agreed.end() :])
    if says is not True and (agreed := _AGREES_THERE.match(answer)):
        says, after = True, fold(f"{agreed['said']}{answer[agreed.end() :]}")
    if says and (taken_back := _RETRACTS.match(after)):
        says, after = False, after[taken_back.end() :].strip(" ,.;:!")
    if says and (left := without_refusal(after)) != after:
        says, after = False, left.strip(" ,.;:!")
    after = _IT_IS_RIGHT.sub("", after) if says else after
    is_echo = says is True and after.strip(" .,!") in _AGREEING
    is_whole = is_bare(says, plain_words(after, language)) or (says and _ALL_OF_IT.fullmatch(after))
    return says, "" if is_echo or is_whole else after


def _says_both(answer: str, language: str) -> tuple[bool, str] | None:
    """Return a yes or no, and the words behind it that say the other one: `exactly, no` agrees that it is a no.

    `I don't think so` is a no. None where the answer does not begin so.
    """
    if is_hedged_no(answer):
        return False, ""
    plain = " ".join(tokens(answer))
    found = _BOTH.match(plain)
    if found:
        return found["yes"] is not None, plain[found.end() :]
    last = _LAST.match(answer)
    ends = opening(last["end"])[0] if last else None
    if last is None or ends is None or _confirms(last["before"], language) != (not ends, ""):
        return None
    return not ends, fold(last["end"]).strip()


_BOTH = patterns.compile(
    rf"(?:(?P<yes>(?:(?:{'|'.join(sorted(BARE_YES))})\b\s*)++)(?=(?:nao|no|nope|nah)\b)"
    rf"|(?:(?:nao|no|nope|nah|n)\b\s*)++(?=(?:{'|'.join(sorted(BARE_YES))})\b))"
)
"""A yes before a no, or a no before a yes, with or without a mark between."""
_BEFORE = patterns.compile(
    r"^(?:(?:ok|okay|oh|ah|hm+|well|bem|bom|fine|what|"
    r"right(?!,?\s+no\s+(?!(?:it|its|it['’]s|im?|i['’]\w+|the|that|thats|this|wait|they|he|she|we)\b)\w)|"
    r"huh|o qu[eê]|hein|fds|pronto|ent[aã]o|so|but|mm+|sorry|desculp[ae]|pois|"
    r"(?:i see|i get it|got it|gotcha|understood|(?:j[aá] )?percebi|(?:j[aá] )?entendi|estou a ver)"
    r"(?=\s*[,.;!:]|\s+(?:yes|yeah|yep|sim)\b)|"
    r"mas|(?:hang|hold) on|wait|espere?|espera|(?:j[aá] )?voltei|c[aá] estou|(?:i['’]?m )?back(?: again)?)\b"
    r"[\s,.!?:]*)+(?=(?:yes|yeah|yep|yup|ya|yh|sim|mais ou menos|more or less|"
    r"no|n[aã]o|exactly|exa(?:c)?to|exa(?:c)?tamente|correct|that['’]?s (?:right|it|correct)|"
    r"[eé] isso|isso mesmo|est[aá] certo)\b)",
    patterns.IGNORECASE,
)
"""Words before a yes or no that leave it as it is."""
_AND = patterns.compile(
    rf"^\s*(?P<yes>{'|'.join(sorted(BARE_YES, key=len, reverse=True))})\b[\s,]*\bn\s+"
    r"(?=(?:it|its|it['’]?s|i|i['’]?d|id|i['’]?m|im|the|with|my|price|asking|also|comes|has)\b)",
    patterns.IGNORECASE,
)
"""An `n` between a yes and English words, which joins and denies nothing: `yes n its 60 btw`."""
_ELSE = patterns.compile(
    r"^(?:(?:no|n[aã]o|nope|nah)\b)?[\s,.;:!–—-]*(?:(?:[eé]|era|antes|it['’]?s|it is|is)\s+)*"
    r"(?:outra coisa|something else)\b[\s,.;:!–—-]*",
    patterns.IGNORECASE,
)
"""The words of the button that says no, before the right answer."""
_I_SAID = patterns.compile(
    r"^\s*(?:no|n[aã]o|nope|nah)\s+(?=(?:but |mas )?(?:i|eu|j[aá]|i['’]?d|i['’]?ve)\s+(?:already |just |j[aá] )?"
    r"(?:said|told|wrote|put|meant|mean|disse|escrevi|pus|quis|quero)\b)",
    patterns.IGNORECASE,
)
"""A no before what was said already: `no I said good` says `good`."""
_RETRACTS = patterns.compile(
    r"(?:mas |but )?(?:actual?ly|afinal|wait|espera|espere|hang on|hm+|oh|ah|i mean)[\s,.!]*(?:no|nope|nao)\b"
)
"""A no behind a yes that takes it back."""
_IT_IS_RIGHT = patterns.compile(
    r"^(?:(?:that|it|this)(?:['’]?s| is) (?:all )?(?:correct|right|true)|(?:isso )?esta (?:tudo )?(?:certo|correto)|"
    r"e isso(?: mesmo)?)\b[\s,.;!]*(?!(?:but|mas|only|so|except|though)\b)"
)
"""Words behind a yes that say it once more."""
_ALL_OF_IT = patterns.compile(
    r"(?:to )?(?:both|all|the (?:2|two))(?: (?:of (?:it|them)|are right|are correct))?|"
    r"ambos|ambas|(?:a?os (?:dois|2)|as (?:duas|2))(?: estao certos)?"
)
"""Words behind a yes to several things that were asked back."""
_AGREES_FIRST = patterns.compile(
    r"(?:(?:(?:isso )?est[aá] (?:tudo )?(?:certo|correto)|"
    r"ok|okay|pode ser|pode ficar assim|confirmo|isso mesmo|é isso|confirmed|right|"
    r"fine|that['’]?s (?:right|it|correct))\s*[,.;!]\s+|"
    r"that['’]?s (?:right|correct)\s+(?=(?:only|just|it|its|it['’]?s|i|the|they|and|but|with|no)\b))",
    patterns.IGNORECASE,
)
"""A first clause that agrees without a yes."""
_AGREES_THERE = patterns.compile(
    r"(?P<said>[^,.;!?\n]{1,60}?)[\s,]+(?:that['’]?s (?:right|correct)|isso mesmo|est[aá] certo|[eé] isso(?: mesmo)?"
    r"|(?<!\b(?:no|not|nothing|none|neither|which|what|one|if)\b.{0,60})is (?:right|correct))"
    r"(?=\s*(?:[,.;!]|$))",
    patterns.IGNORECASE,
)
"""The same behind the words that it repeats: `no box, that's right`."""
_UNCHANGED = patterns.compile(
    r"^\s*(?:(?:there['’]?s |there is )?no need to|(?:you )?(?:don['’]?t|do not) (?:need|have) to|"
    r"n[aã]o (?:é|e|há|ha|vale)?\s?(?:preciso|precisas?|necess[aá]rio|necessidade|a pena)(?: de)?) "
    r"(?:change|correct|edit|mudar|alterar|corrigir|trocar)(?: (?:it|that|this|anything|isso|isto|nada))?"
    r"(?=\s*(?:[,.;!]|$))[\s,.;!]*",
    patterns.IGNORECASE,
)
"""A first clause that wants nothing changed, which begins like a no."""
_LAST = patterns.compile(r"^(?P<before>.*\w)\s*+[,.;!–—-]++\s*+(?P<end>[^,.;!]++)[\s.!]*+$", patterns.DOTALL)
"""An answer whose yes or no is its last clause: `a new battery, yes`."""
_RUN = patterns.compile(r"^\s*[a-z]{2,12}\b", patterns.IGNORECASE)
_REPEATED = patterns.compile(r"([a-z])\1+", patterns.IGNORECASE)
_AGREED = BARE_YES | frozenset("ok okay safe pronto forca bora avanca avancar avance siga seguir".split())


def _spell_yes(found: patterns.Match[str]) -> str:
    """Return the first word of an answer with each letter once, where it is a yes then: `yeppp`."""
    once = _REPEATED.sub(r"\1", found[0].strip().casefold())
    is_spelt = found[0].strip().casefold() in BARE_YES  # `isso` is one, whatever stands behind it.
    return once if once in BARE_YES and len(once) > 1 and not is_spelt else found[0]


_AGREEING = frozenset(
    "ok|okay|pode ser|pode ficar|pode ficar assim|whatever|ok whatever|fine|thats fine|e isso|"
    "e|e e|pois e|isso mesmo|e mesmo|that is right|thats right|right|e verdade|that is it|thats it|it is right|"
    "e este|e esta|e esse|e essa|este mesmo|esta mesmo|esse mesmo|essa mesmo|e este mesmo|e esta mesmo|e esse mesmo|"
    "e essa mesmo|confirmo|confirma|confirmado|confirm|confirmed|"
    "this one|that one|thats the one|that is the one|"
    "nothing else|nothing more|mais nada|nada mais|thats all|that is all|thats everything|e tudo|e so isso|"
    "so isso|that is so|thats so|so it is|it is so|e assim|e assim mesmo|spot on|spot on mate|close enough|near enough|"
    "thatll do|that'll do|that will do|uh huh|it is isnt it|bang on|thats about right|about right|"
    "looks good|looks right|looks ok|looks fine|sounds good|sounds right|all good|all right|alright|perfect|perfeito|"
    "go ahead|go for it|create it|please do|do it|tudo certo|ta tudo certo|esta tudo certo|tudo ok|ta certo|"
    "podes criar|pode criar|podem criar|podes avancar|pode avancar|podes seguir|pode seguir|cria|criar|parece bem|"
    "parece me bem|parece-me bem|sem duvida|no doubt|for sure|certissimo|"
    "absolutely|absolutamente|siga|vamos a isso|vamos la|you got it|"
    "sounds about right|ta otimo assim|esta otimo assim|ta bem assim|ta bom assim|esta bem assim|"
    "mais ou menos isso|por ai|anda por ai".split("|")
)

_NODS = patterns.compile(r"^\s*(?:(?:ok|okay|sim|yes|claro|pronto|ah|oh)\b[\s,.!]+(?=\w))+")
_CLAUSE = patterns.compile(r"\s*[,.!;]+\s*")
_COURTESY = patterns.compile(
    r"[\s,.!]+(?:(?:muito )?obrigad[oa]|thanks(?: a lot| so much| very much)?|thank you(?: (?:so|very) much)?|cheers|"
    r"please|pls|plz|por favor|sff|then|entao|senhora?|sir|mate|amig[oa])[\s.!]*$"
)
"""Words of courtesy behind an agreement."""
_ABOUT = (
    r"(?:(?:somewhere |something )?(?:round|around|about|near|like|roughly|approximately) (?:that|there|so)|"
    r"(?:that ?s |that is |it ?s |it is )?(?:close|near) enough|there ?abouts|roughly (?:that|right)|give or take|"
    r"(?:pretty )?much (?:that|it)|more or less (?:that|right)|mais ou menos (?:isso|assim|por ai)|"
    r"(?:e |foi |anda |andara |deve andar )*por ai|(?:e |foi )?(?:por volta|a volta|perto|cerca) disso|"
    r"(?:e |foi )?(?:algo|coisa|qualquer coisa) (?:assim|desse genero)|aproximadamente isso|isso mais ou menos)"
)
_NEARLY_RIGHT = patterns.compile(
    rf"(?:(?:{'|'.join(sorted(BARE_YES, key=len, reverse=True))}|ok|e|foi) )?{_ABOUT}(?: (?:sim|yes|yeah|"
    rf"isso|acho|i guess|"
    r"i think|then))?|"
    r"(?:sim|yes|yeah|yep|yup|isso|e isso|that s it) (?:mais ou menos|more or less|roughly|approximately|"
    r"aproximadamente)|"
    r"(?:mais ou menos|more or less|roughly|approximately|aproximadamente) (?:sim|yes|yeah)"
)
"""A yes to a value that is nearly right: the value stands as it was asked back."""


def _guess_of(judgement: Valid | ProbableAnswer) -> Valid:
    return judgement.guess if isinstance(judgement, ProbableAnswer) else judgement


def _as_guess(reported: Judgement) -> Judgement:
    """Return the same value, to be asked back, for the seller did not say it."""
    return (
        ProbableAnswer(reported, "paraphrase")
        if isinstance(reported, Valid) and not reported.skipped
        else reported
    )


def _quotes(message: str, report: str) -> bool:
    """Return whether the message has the reported words as they are."""
    return " ".join(tokens(report)) in " ".join(tokens(message))


def _is_list(element: Element, message: str, reported: Judgement, language: str, today: date) -> bool:
    """Return whether the message only lists several facts, one of which is the reported value."""
    if not isinstance(reported, Valid) or reported.skipped or doubts(plain_words(message, language)):
        return False
    return _says_alone(element, message, reported, language, today)


def _says_alone(element: Element, message: str, guess: Valid, language: str, today: date) -> bool:
    """Return whether one clause of the message says this value, and no other clause answers the question."""
    clauses = _clauses_of(message)
    if len(clauses) > MOST_CLAUSES:
        return False
    judged = [judge_once(element, clause, language, today) for clause in clauses]
    spoken = [each for each in judged if not isinstance(each, Refused) and not _guess_of(each).skipped]
    values = {_guess_of(each).value for each in spoken}
    return values == {guess.value} and any(
        isinstance(each, Valid) or each.guess.deal_breaker for each in spoken
    )


def _work_of(message: str) -> int:
    """Return how many clauses of the message are judged, where a long one counts more."""
    clauses = _clauses_of(message)
    return sum(1 + len(each) // _LONG_CLAUSE for each in clauses) if len(clauses) <= MOST_CLAUSES else 0


def _clauses_of(message: str) -> list[str]:
    """Return the different clauses of a message, of which no judge reads more than MOST_LETTERS."""
    parts = _BORDERS.split(shorten_runs(message)[:MOST_LETTERS])
    return list(dict.fromkeys(stripped for part in parts if (stripped := part.strip())))
