"""Guesses that other words of the same answer take back: another answer is asked back, or the question again."""

from __future__ import annotations

from dataclasses import replace

from server import patterns
from server.loopos.answers.certainty import NEGATIONS, content, is_like, opening
from server.loopos.answers.clauses.faults import fault_clauses, tells_fault
from server.loopos.answers.clauses.item_facts import names_thing
from server.loopos.answers.element import Element, ElementOption
from server.loopos.answers.judges.fault_notes import GRADES, beside
from server.loopos.answers.judges.polarity_judge import text_of_side
from server.loopos.answers.judges.states import asks_whether_it_works
from server.loopos.answers.options.freed_accounts import has_freed_option, names_account
from server.loopos.answers.options.option_sides import among, leads, not_an_option, valid_option
from server.loopos.answers.options.question_words import asks_for_thing, own_words_of
from server.loopos.answers.options.synonyms import label_key
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import clauses, fold, is_unknown, tokens

_EVERY = frozenset("todos todas all".split())
_ONLY = patterns.compile(
    r"(?:(?:e|and|vai|vao|vendo|vende|mando|envio|leva|traz|inclui|vem|tem|tenho|is|its|it|selling|comes?|with) )*"
    r"(?:so|apenas|somente|only|just)(?: mesmo| mesmo a)?(?: (?:o|a|os|as|the|um|uma))? (?P<what>\w+)(?: \w+)?"
)
"""A whole answer that says what alone is there, in folded words."""
_ITEMS = frozenset(
    "aspirador telemovel telefone tablet portatil computador consola camara maquina bicicleta bike trotinete carrinho "
    "cadeira robot relogio movel estante auscultadores auriculares fones coluna fritadeira aparelho artigo corpo "
    "vacuum phone laptop computer console camera machine scooter stroller pram chair watch headphones earphones "
    "speaker fryer turntable device item unit body seat".split()
)
_GIVEN_AWAY = patterns.compile(
    r"\b(?:ofereci|dei|vendi|emprestei|deitei|perdi|perdeu se|desapareceu|sold|lent|threw|binned|gave)\b"
)
_KEPT_BACK = patterns.compile(
    r"^(?:(?:sim|yes|eu|i|ive) )*(?:tenho|have|got|ha|existe)(?: (?:it|one|them|um|uma|o|a|ca|la))* "
    r"(?:mas|but|so que) (?:eu |i |ill |im )*(?:nao|n|not|wont|dont|fico|preciso|need|keep|keeping|vendo a parte)\b"
)
_OF_A_PART = patterns.compile(
    r"(?:(?:e|and|mas|but|so|only|just|funciona|works|it) )*(?:o|a|os|as|the|my|um|uma|one|meu|minha|num) (?P<part>\w+)"
)
_MAIN_PARTS = frozenset(
    "aparelho artigo item thing coisa motor engine placa board motherboard ecra screen display visor bateria battery "
    "compressor som sound imagem picture tudo resto rest disco whole unit device".split()
)
"""Parts without which nothing works, and the item itself."""
_BADLY = patterns.compile(
    r"\b(?:nao|n|doesnt|does not|dont|do not|isnt|arent)(?: \w+){1,2} (?:muito |la muito |very |that |so )?"
    r"(?:bem|direito|well|properly|right)\b"
)
_ONLY_PARTLY = patterns.compile(r"\b(?:so|apenas|only|just)\b")
_NEEDS = NEGATIONS | {"precisa", "precisam", "need", "needs"}
_NETWORKS = patterns.compile(
    r"\b(?:operador[ae]s?|vodafone|meo|nowo|digi|(?:da|na|a) nos|redes?|sim ?lock\w*|carriers?|networks?|o2|ee)\b"
)


def prefer_denied(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return what an answer says by words that take its guess back; the guess itself where none do."""
    if isinstance(judged, Valid) and _agrees_to_thing(element, answer):
        return ProbableAnswer(judged)
    if isinstance(judged, Valid) or "?" in answer:
        return judged
    if element.kind == "boolean":
        return _say_lack(element, answer, judged, language)
    if element.kind != "select" or isinstance(judged, Refused):
        return judged
    if has_freed_option(element) and _NETWORKS.search(fold(answer)) and not names_account(answer):
        return not_an_option(element, language)  # Whose cards a phone takes says nothing of its accounts.
    if asks_whether_it_works(element):
        return _say_partly(element, answer, judged, language)
    if len(same := _named_alike(element, answer)) > 1 and judged.guess.value in {each.value for each in same}:
        return among(same, language)
    return _doubt_sound(element, answer, judged, language)


def _agrees_to_thing(element: Element, answer: str) -> bool:
    """Return whether a yes to working goes on with nothing but another thing: `yes the charger. no box`."""
    says, after = opening(answer)
    first = content(next(iter(clauses(after)), []))
    own = own_words_of(element)
    return (
        says is True
        and asks_whether_it_works(element)
        and bool(first)
        and all(names_thing(word) and not any(is_like(word, each) for each in own) for word in first)
    )


def _named_alike(element: Element, answer: str) -> list[ElementOption]:
    """Return the options whose labels have all words of an answer: `inglês` of two layouts."""
    said = content(tokens(answer))
    labels = ((each, [*tokens(each.label.pt), *tokens(each.label.en)]) for each in element.options)
    return [each for each, label in labels if said and all(any(is_like(w, o) for o in label) for w in said)]


def _say_lack(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return the no to whether a thing comes with an item, where the answer says what alone there is, who has the thing
    now, or that it is kept: `vai só o aspirador`, `ofereci a alcofa`, `tenho mas não quero vender`.
    """
    is_open = not isinstance(judged, ProbableAnswer) or judged.guess.value is True
    if not is_open or not asks_for_thing(element):
        return judged
    flat, own = " ".join(tokens(answer)), own_words_of(element)
    is_whole = not _EVERY.isdisjoint(tokens(f"{element.label.pt} {element.label.en}"))
    only = _ONLY.fullmatch(flat)
    lacks = only is not None and (is_whole or only["what"] in _ITEMS - own)
    is_one_of_two = " or " in element.label.en and len(clauses(answer)) > 1
    given = [each for each in clauses(answer) if _GIVEN_AWAY.search(" ".join(each))]
    lacks |= not is_one_of_two and any(
        len(each) == 1 or any(is_like(word, one) for word in each for one in own) for each in given
    )
    lacks |= _KEPT_BACK.search(" ".join(tokens(fold(answer)))) is not None
    if not lacks or opening(answer)[0] is False:
        return judged
    return ProbableAnswer(Valid(False, text_of_side(False, language) + beside(answer)))


def _say_partly(element: Element, answer: str, judged: ProbableAnswer, language: str) -> Judgement:
    """Return that an item works with faults, where the answer denies that of a part of it, or that it works well."""
    keys = {label_key(each.label.en): each for each in element.options}
    faulty, guessed = keys["it works with faults"], judged.guess.value
    if not any(key == "it does not work" and each.value == guessed for key, each in keys.items()):
        return judged
    own = content(tokens(f"{element.label.pt} {element.label.en}"))
    told = [
        " ".join(each)
        for each in clauses(answer)
        if not NEGATIONS.isdisjoint(each) or tells_fault(" ".join(each))
    ]
    parts = [_OF_A_PART.match(each) for each in told]
    of_parts = bool(told) and all(
        each is not None
        and each["part"] not in _MAIN_PARTS
        and not any(is_like(each["part"], one) for one in own)
        for each in parts
    )
    says, after = opening(answer)
    if says is False and _ONLY_PARTLY.search(after):
        return ProbableAnswer(_with_words(faulty, after, language))
    if says is not None or not told or not (of_parts or all(map(_BADLY.search, told))):
        return judged
    return ProbableAnswer(_with_words(faulty, answer, language))


def _with_words(option: ElementOption, words: str, language: str) -> Valid:
    valid = valid_option(option, language)
    return replace(valid, shown=valid.shown + beside(words))


def _doubt_sound(element: Element, answer: str, judged: ProbableAnswer, language: str) -> Judgement:
    """Return the question which of the other options it is, where the answer tells the trouble that they name beside a
    yes to all being well: `sim, perde água`.
    """
    option = next((each for each in element.options if each.value == judged.guess.value), None)
    if option is None or not leads(option) or [each.value for each in element.options] == GRADES:
        return judged
    others = [each for each in element.options if not leads(each) and not is_unknown(each.label.pt)]
    named = [word for each in others for word in content(tokens(f"{each.label.pt} {each.label.en}"))]
    told = [word for each in fault_clauses(answer) for word in content(tokens(each)) if word not in _NEEDS]
    own = own_words_of(element)
    is_named = any(
        is_like(word, each) for word in told for each in named if each not in own or tells_fault(word)
    )
    return among(others, language) if is_named and len(others) > 1 else judged
