"""The demo model's decision: by the condition that the item's words say, by yes and no, or by the options' words."""

from collections.abc import Sequence

from server import patterns
from server.demo.requests.clauses import stem, words_of
from server.demo.requests.condition import condition_of, findings
from server.demo.requests.glossary import forms_of
from server.demo.requests.parsed_request import Answer, Answers, ParsedRequest
from server.languages import fold
from server.markup_removal import without_markup

Choice = tuple[str, str]
"""An option, and the words of the item that led to it."""

_RANKS = (
    (
        4.0,
        "excelente excellent perfeito perfect impecavel novo nova new mint otimo optimo|como novo|like new|as new",
    ),
    (3.5, "muito bom|very good|muito boa"),
    (3.0, "bom boa good bueno buena"),
    (2.0, "razoavel fair acceptable aceitavel satisfatorio satisfactory regular usado used worn"),
    (1.0, "mau ma poor bad malo mala broken damaged faulty avariado danificado partido|para pecas|for parts"),
)
"""Names of grades, words first and phrases after bars; the best is 4."""
_GRADES = {"A": 4.0, "B": 3.0, "C": 2.0, "D": 1.0}
_FEWEST = 2
"""Graded options from which on a question is about the condition."""

_YES = frozenset("sim yes si true y s verdadeiro".split())
_NO = frozenset("nao no false n falso".split())
_ACCEPT = frozenset(
    "elegivel eligible accept aceitar aceita aceite approve aprovar take keep comprar".split()
)
_REJECT = frozenset(
    "inelegivel ineligible not reject rejeitar rejeita recusar refuse decline return devolver".split()
)
_DENIALS = frozenset(
    "sem nao nem falta faltam faltar without no not nor missing lacks lost perdi perdeu sin doesnt".split()
)
_NEAR = 3
_SIZE = 4
"""Letters of a size, as `XXL`, at most."""
"""Words between a denial and what it denies."""
_SIZE_WORDS = {
    "S": ("small", "pequeno", "pequena"),
    "M": ("medium", "m[eé]dio", "m[eé]dia", "mediano", "mediana"),
    "L": ("large", "grande"),
    "XL": ("extra large", "extra grande", "muito grande"),
}
"""What a size of letters is called."""
_ASKING = frozenset(
    "is are was were the a an does do did it its has have there any in of to with for on this that what which item we"
    " should include included includes including comes come come original still e o os as um uma tem ha esta estao com"
    " sem de do da no na inclui incluida incluido vem traz este esta artigo isto foi se ainda em que qual algum alguma"
    " el la los las".split()
)
_FUNCTION = patterns.compile(r"\b(?:work(?:s|ing)?|function\w*|funciona\w*|liga|turns? on|power)\b")
_DAMAGE = patterns.compile(
    r"\b(?:broken|damage\w*|fault\w*|defect\w*|partid\w*|avari\w*|danific\w*|defeit\w*|estragad\w*)\b"
)
_MEASURE = patterns.compile(
    r"(?i)(?<!\d)(\d++(?:[.,]\d++)?+)\s*+(gb|tb|mb|kg|g|cm|mm|m|w|l|ml|v|polegadas|inch(?:es)?|\")(?!\w)"
)


def answer(given: ParsedRequest) -> Answer:
    """Choose by the condition, by yes and no, by measures, categories and words; else the most cautious option."""
    options: list[str] = given.request["options"]
    item = without_markup(
        " ".join(str(given.request.get(name) or "") for name in ("item_context", "context"))
    )
    if len(options) == 1:
        reason = given.say("É a única opção.", "It is the only option.")
        return {"decision": options[0], "reasoning": f"{reason} {given.label}"}
    chosen = (
        _by_grade(options, item)
        or _by_yes(options, str(given.request["prompt"]), item)
        or _by_measure(options, item)
        or (None if _is_yes_or_no(options) else _by_words(options, item))
        or _by_category(given, options)
    )
    if chosen is None:
        option = _cautious(options)
        reason = given.say(
            f"A descrição não diz nada que decida; «{option}» é a opção mais prudente.",
            f"The description says nothing that decides; “{option}” is the most cautious option.",
        )
    else:
        option, words = chosen
        words = words[:200]
        reason = given.say(
            f"A descrição diz «{words}», o que corresponde a «{option}».",
            f"The description says “{words}”, which fits “{option}”.",
        )
    return {"decision": option, "reasoning": f"{reason} {given.label}"}


def _rank(option: str, letters: bool) -> float | None:
    words = [each.folded for each in words_of(option)]
    if letters:
        return _GRADES.get(option.strip()[:1].upper())
    line = f" {' '.join(words)} "
    for rank, names in _RANKS:
        single, *phrases = names.split("|")
        if any(line.startswith(f" {each} ") for each in phrases) or (words and words[0] in single.split()):
            # `Very good` and `Good` begin otherwise; `Muito bom` is found by its phrase.
            return rank
    return None


def _ranks(options: Sequence[str]) -> dict[str, float]:
    """Return the options that name a grade, with its rank: words, or letters where all are letters."""
    letters = all(patterns.fullmatch(r"\s*[A-Da-d]\b.*", each) for each in options)
    ranked = {each: _rank(each, letters) for each in options}
    return {each: rank for each, rank in ranked.items() if rank is not None}


def _by_grade(options: list[str], item: str) -> Choice | None:
    ranks, said = _ranks(options), condition_of(item)
    if said is None or len(ranks) < _FEWEST:
        return None
    wanted = _GRADES[said.grade]
    return min(ranks, key=lambda each: (abs(ranks[each] - wanted), ranks[each])), said.words


def _side(option: str, names: frozenset[str]) -> bool:
    words = words_of(option)
    return bool(words) and words[0].folded in names


def _is_yes_or_no(options: list[str]) -> bool:
    return all(_side(each, _YES | _NO | _ACCEPT | _REJECT) for each in options)


def _by_yes(options: list[str], prompt: str, item: str) -> Choice | None:
    yes = next((each for each in options if _side(each, _YES)), None)
    no = next((each for each in options if _side(each, _NO)), None)
    if yes and no:
        found = _affirmation(fold(without_markup(prompt)), item)
        return (yes if found[0] else no, found[1]) if found else None
    accept = next((each for each in options if _side(each, _ACCEPT)), None)
    reject = next((each for each in options if _side(each, _REJECT | _NO)), None)
    said = condition_of(item)
    if accept and reject and said and said.grade != "C":
        return reject if said.grade == "D" else accept, said.words
    return None


def _affirmation(asked: str, item: str) -> tuple[bool, str] | None:
    """Return whether the item's words affirm what is asked, and which words do."""
    faults = [each for each in findings(item) if each.kind in ("fault", "works")]
    if asks_function(asked):
        return next(((each.denied == (each.kind == "fault"), each.words) for each in faults), None)
    topics = {stem(each.folded) for each in words_of(asked)} - {stem(each) for each in _ASKING}
    words = words_of(item)
    for at, word in enumerate(words):
        if stem(word.folded) in topics:
            before = [each.folded for each in words[max(at - _NEAR, 0) : at]]
            denied = [each for each in before if each in _DENIALS and not _is_preposition(each, asked)]
            first = max(at - len(before), 0) if denied else at
            return not denied, item[words[first].start : word.end]
    if _DAMAGE.search(asked):
        found = next((each for each in faults if each.kind == "fault"), None)
        return (not found.denied, found.words) if found else None
    return None


def asks_function(question: str) -> bool:
    """Return whether a question asks if a thing works."""
    return _FUNCTION.search(fold(question)) is not None


def _is_preposition(word: str, asked: str) -> bool:
    """Return whether a `no` is the Portuguese one, which means `on the`."""
    return word == "no" and not patterns.search(r"\b(?:is|are|does|has|the|any|it)\b", asked)


def _measures(text: str) -> dict[str, str]:
    return {f"{each[1].replace(',', '.')}{each[2].lower()}": each[0] for each in _MEASURE.finditer(text)}


def _by_measure(options: list[str], item: str) -> Choice | None:
    sized = [(each, _find_size(each, item)) for each in options if len(each.strip()) <= _SIZE]
    if [each for each in sized if each[1]]:
        return next((each, found[0]) for each, found in sized if found)
    found = _measures(item)
    hits = [(each, found[one]) for each in options for one in _measures(each) if one in found]
    return hits[0] if len({each for each, _ in hits}) == 1 else None


def _find_size(option: str, item: str) -> patterns.Match[str] | None:
    """Find a size of letters, which only counts after a word that says so."""
    named = option.strip()
    forms = "|".join([patterns.escape(named), *_SIZE_WORDS.get(named.upper(), ())])
    return patterns.search(
        rf"\b(?:size|tamanho|tam|talla)[:.]?\s(?:{forms})(?!\w)"
        rf"|\b(?:{'|'.join(_SIZE_WORDS.get(named.upper(), ['(?!)']))})[\s-]size\b",
        item,
        patterns.IGNORECASE,
    )


def _by_words(options: list[str], item: str) -> Choice | None:
    """Choose the option most of whose words the item has, in any gender or number, and in any language known."""
    said = {stem(each.folded): item[each.start : each.end] for each in reversed(words_of(item))}
    best: tuple[float, Choice] | None = None
    tied = False
    for option in options:
        if len(option.strip()) == 1:
            continue
        for form in forms_of(option):
            stems = [stem(each.folded) for each in words_of(form)]
            shared = [said[each] for each in stems if each in said]
            score = len(shared) / len(stems) if stems else 0.0
            if shared and (best is None or score > best[0]):
                best, tied = (score, (option, " ".join(shared))), False
            elif shared and best and score == best[0] and best[1][0] != option:
                tied = True
    return best[1] if best and best[0] >= 0.5 and not tied else None  # noqa: PLR2004


def _by_category(given: ParsedRequest, options: list[str]) -> Choice | None:
    """Choose the option whose category is the item's, by the catalog."""
    fitting = given.facts.get("fitting_options") or []
    if len(fitting) != 1 or fitting[0] not in options:
        return None
    return fitting[0], str(given.facts.get("item_category"))


def _cautious(options: list[str]) -> str:
    ranks = _ranks(options)
    if ranks:
        return min(ranks, key=lambda each: ranks[each])
    refusing = _NO | _REJECT
    return next((each for each in options if _side(each, refusing)), options[-1])


ANSWERS: Answers = {"DecisionAnswer": answer}
