"""The demo model's decision: by the condition that the item's words say, by yes and no, or by the options' words.

Where no rule finds anything that decides, it says so, and claims no more of its choice than holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from server import patterns
from server.demo.requests.asked_state import answer_of_state, asks_state
from server.demo.requests.clauses import Word, plain_beginning, stem, words_of
from server.demo.requests.condition import Finding, findings, grade_of
from server.demo.requests.denials import Denied, denied_words
from server.demo.requests.glossary import forms_of
from server.demo.requests.parsed_request import Answer, Answers, ParsedRequest
from server.demo.requests.predicates import Evidence, answer_of_predicate
from server.text_reading.words.beginnings import beginning_of

Choice = tuple[str, str]
"""An option, and the words of the item that led to it."""

_RANKS = (
    (
        4.0,
        "excelente excellent perfeito perfect impecavel novo nova new mint otimo optimo nuevo nueva perfecto neuf neuve"
        " parfait neu ausgezeichnet hervorragend perfekt neuwertig|como novo|like new|as new|como nuevo"
        "|comme neuf|wie neu",
    ),
    (3.5, "|muito bom|very good|muito boa|muy bueno|muy buena|tres bon|sehr gut"),
    (3.0, "bom boa good bueno buena bon bonne gut|buen estado"),
    (
        2.0,
        "razoavel fair acceptable aceitavel satisfatorio satisfactory regular usado used worn aceptable moyen correct"
        " passable use mittel mittelmassig befriedigend akzeptabel gebraucht",
    ),
    (
        1.0,
        "mau ma poor bad malo mala broken damaged faulty avariado danificado partido roto averiado mauvais casse abime"
        " defectueux schlecht defekt kaputt beschadigt|para pecas|for parts|para piezas|pour pieces"
        "|en panne|fur bastler",
    ),
)
"""Names of grades, words first and phrases after bars; the best is 4."""
_GRADES = {"A": 4.0, "B": 3.0, "C": 2.0, "D": 1.0}
_FEWEST = 2
"""Graded options from which on a question is about the condition."""

_YES = frozenset("sim yes si true y s verdadeiro oui ja vrai wahr".split())
_NO = frozenset("nao no false n falso non nein faux falsch".split())
_ACCEPT = frozenset(
    "elegivel eligible accept aceitar aceita aceite approve aprovar take keep comprar aceptar acepta accepter annehmen"
    " akzeptieren".split()
)
_REJECT = frozenset(
    "inelegivel ineligible not reject rejeitar rejeita recusar refuse decline return devolver rechazar refuser rejeter"
    " ablehnen".split()
)
_MOST_QUOTED = 200
"""Letters of the item's words that a sentence repeats."""
_SIZE = 4
"""Letters of a size, as `XXL`, at most."""
_MOST_OF_OPTIONS, _FEWEST_OF_OPTION = 5_000, 50
"""Letters that are read of all options together, and of each at least."""
_SIZE_WORDS = {
    "S": ("small", "pequeno", "pequena"),
    "M": ("medium", "m[eé]dio", "m[eé]dia", "mediano", "mediana"),
    "L": ("large", "grande"),
    "XL": ("extra large", "extra grande", "muito grande"),
}
"""What a size of letters is called."""
_IN_WORD = patterns.compile(r"\w")
_SIZED = patterns.compile(r"\b(?:size|tamanho|tam|talla)[:.]?\s", patterns.IGNORECASE)
_MEASURE = patterns.compile(
    r"(?i)(?<!\d)(\d++(?:[.,]\d++)?+)\s*+(gb|tb|mb|kg|g|cm|mm|m|w|l|ml|v|polegadas|inch(?:es)?|\")(?!\w)"
)


def answer(given: ParsedRequest) -> Answer:
    """Choose by the condition, by yes and no, by measures, categories and words; else say that nothing decides."""
    names: list[str] = given.request["options"]
    if len(names) == 1:
        return {"decision": names[0], "reasoning": f"{given.say('decision.single')} {given.label}"}
    most = max(_MOST_OF_OPTIONS // len(names), _FEWEST_OF_OPTION)
    options = [DecisionOption(each, beginning_of(each, most)) for each in names]
    item = ItemText(
        " ".join(plain_beginning(given.request.get(each)) for each in ("item_context", "context")).strip()
    )
    chosen = (
        _by_grade(options, item)
        or _by_yes(options, plain_beginning(given.request["prompt"]), item)
        or _by_measure(options, item.text)
        or (None if _is_yes_or_no(options) else _by_words(options, item))
    )
    if chosen is not None:
        option, words = chosen
        reason = given.say("decision.said", words=words[:_MOST_QUOTED], option=option)
    elif (found := _by_category(given, names)) is not None:
        option, category = found
        reason = given.say("decision.category", category=category, option=option)
    else:
        option, reason = _last_resort(given, options, item)
    return {"decision": option, "reasoning": f"{reason} {given.label}"}


@dataclass(frozen=True)
class DecisionOption:
    """An option as its caller writes it, and what is read of it."""

    name: str
    text: str

    @cached_property
    def words(self) -> list[str]:
        """Return its words, folded."""
        return [each.folded for each in words_of(self.text)]

    def begins(self, names: frozenset[str]) -> bool:
        """Return whether its first word is one of these."""
        return bool(self.words) and self.words[0] in names


@dataclass(frozen=True)
class ItemText:
    """What a request says of its item, without markup."""

    text: str

    @cached_property
    def words(self) -> list[Word]:
        """Return its words."""
        return words_of(self.text)

    @cached_property
    def denials(self) -> Denied:
        """Return the words that it denies, by their stem."""
        return denied_words(self.text)

    def denial_of(self, option: DecisionOption) -> str | None:
        """Return the words that deny an option, in any language known; None where they do not."""
        for form in forms_of(option.text):
            stems = [stem(each.folded) for each in words_of(form)]
            if stems and all(each in self.denials for each in stems):
                return self.denials[stems[-1]]
        return None

    @cached_property
    def findings(self) -> list[Finding]:
        """Return what it says of the condition."""
        return findings(self.text)


def _rank(option: DecisionOption, letters: bool) -> float | None:
    words = option.words
    if letters:
        return _GRADES.get(option.text.strip()[:1].upper())
    line = f" {' '.join(words)} "
    for rank, names in _RANKS:
        single, *phrases = names.split("|")
        if any(line.startswith(f" {each} ") for each in phrases) or (words and words[0] in single.split()):
            # `Very good` and `Good` begin otherwise; `Muito bom` is found by its phrase.
            return rank
    return None


def _ranks(options: Sequence[DecisionOption]) -> dict[str, float]:
    """Return the options that name a grade, with its rank: words, or letters where all are letters."""
    letters = all(patterns.fullmatch(r"\s*[A-Da-d]\b.*", each.text) for each in options)
    ranked = {each.name: _rank(each, letters) for each in options}
    return {each: rank for each, rank in ranked.items() if rank is not None}


def _by_grade(options: list[DecisionOption], item: ItemText) -> Choice | None:
    ranks, said = _ranks(options), grade_of(item.findings)
    if said is None or len(ranks) < _FEWEST:
        return None
    wanted = _GRADES[said.grade]
    return min(ranks, key=lambda each: (abs(ranks[each] - wanted), ranks[each])), said.words


def _is_yes_or_no(options: list[DecisionOption]) -> bool:
    """Return whether options agree and disagree: their own words are then no hint in a text."""
    is_asked = any(each.begins(_YES) for each in options) and any(each.begins(_NO) for each in options)
    return is_asked or all(each.begins(_YES | _NO | _ACCEPT | _REJECT) for each in options)


def _by_yes(options: list[DecisionOption], prompt: str, item: ItemText) -> Choice | None:
    yes = next((each.name for each in options if each.begins(_YES)), None)
    no = next((each.name for each in options if each.begins(_NO)), None)
    if yes and no:
        found = _affirmation(prompt, item.text)
        return (yes if found.holds else no, found.words) if found else None
    accept = next((each.name for each in options if each.begins(_ACCEPT)), None)
    reject = next((each.name for each in options if each.begins(_REJECT | _NO)), None)
    said = grade_of(item.findings)
    if accept and reject and said and said.grade != "C":
        return reject if said.grade == "D" else accept, said.words
    return None


def _affirmation(prompt: str, item: str) -> Evidence | None:
    """Return whether the item's words affirm what is asked, and which words do; None where they are not sure."""
    return answer_of_state(prompt, item) if asks_state(prompt) else answer_of_predicate(prompt, item)


def _measures(text: str) -> dict[str, str]:
    return {f"{each[1].replace(',', '.')}{each[2].lower()}": each[0] for each in _MEASURE.finditer(text)}


def _by_measure(options: list[DecisionOption], item: str) -> Choice | None:
    sizes = _sizes(item)
    for option in options:
        if len(option.name.strip()) <= _SIZE and (words := _size_words(option.name.strip(), item, sizes)):
            return option.name, words
    found = _measures(item)
    hits = [(each.name, found[one]) for each in options for one in _measures(each.text) if one in found]
    return hits[0] if len({each for each, _ in hits}) == 1 else None


def _sizes(item: str) -> dict[str, str]:
    """Return what stands after a word such as `size`, in small letters, and the first words that say it."""
    found: dict[str, str] = {}
    for each in _SIZED.finditer(item):
        first = each.end()
        for end in range(first + 1, min(first + _SIZE, len(item)) + 1):
            if not _IN_WORD.match(item, end):
                found.setdefault(item[first:end].lower(), item[each.start() : end])
    return found


def _size_words(option: str, item: str, sizes: dict[str, str]) -> str | None:
    """Return the words that say a size; its letters only count after a word that says so."""
    if (called := _SIZE_WORDS.get(option.upper())) is None:
        return sizes.get(option.lower())
    forms = "|".join(called)
    found = patterns.search(
        rf"\b(?:size|tamanho|tam|talla)[:.]?\s(?:{option.upper()}|{forms})(?!\w)|\b(?:{forms})[\s-]size\b",
        item,
        patterns.IGNORECASE,
    )
    return found[0] if found else None


def _by_words(options: list[DecisionOption], item: ItemText) -> Choice | None:
    """Choose the option most of whose words the item has, in any gender or number, and in any language known."""
    said = {
        name: item.text[each.start : each.end]
        for each in reversed(item.words)
        if (name := stem(each.folded)) not in item.denials
    }
    best: tuple[float, Choice] | None = None
    tied = False
    for option in options:
        if len(option.name.strip()) == 1:
            continue
        for form in forms_of(option.text):
            words = option.words if form == option.text else [each.folded for each in words_of(form)]
            stems = [stem(each) for each in words]
            shared = [said[each] for each in stems if each in said]
            score = len(shared) / len(stems) if stems else 0.0
            if shared and (best is None or score > best[0]):
                best, tied = (score, (option.name, " ".join(shared))), False
            elif shared and best and score == best[0] and best[1][0] != option.name:
                tied = True
    return best[1] if best and best[0] >= 0.5 and not tied else None  # noqa: PLR2004


def _by_category(given: ParsedRequest, options: list[str]) -> Choice | None:
    """Choose the option whose category is the item's, by the catalog; return it with the name of the category."""
    fitting = given.facts.get("fitting_options") or []
    if len(fitting) != 1 or fitting[0] not in options:
        return None
    return fitting[0], str(given.facts.get("item_category"))


def _last_resort(given: ParsedRequest, options: list[DecisionOption], item: ItemText) -> tuple[str, str]:
    """Return an option where no rule decides, and what can be said of it: that it is cautious only where it is."""
    ranks = _ranks(options)
    if len(ranks) >= _FEWEST:
        option = min(ranks, key=lambda each: ranks[each])
        return option, given.say("decision.lowest", option=option)
    if refusing := next((each.name for each in options if each.begins(_NO | _REJECT)), None):
        return refusing, given.say("decision.refusing", option=refusing)
    denied = {each.name: said for each in options if (said := item.denial_of(each))}
    left = [each.name for each in options if each.name not in denied]
    if not denied or not left:
        return options[-1].name, given.say("decision.last", option=options[-1].name)
    words = ", ".join(dict.fromkeys(denied.values()))[:_MOST_QUOTED]
    key = "decision.excluded" if len(left) == 1 else "decision.last_left"
    return left[-1], given.say(key, words=words, option=left[-1])


ANSWERS: Answers = {"DecisionAnswer": answer}
