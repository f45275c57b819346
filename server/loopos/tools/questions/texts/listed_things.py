"""The things that messages list early for the last text of an item: what comes with it, in the seller's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from server import patterns
from server.loopos.answers import Element, without_price
from server.loopos.answers.certainty import NEGATIONS, content, is_like
from server.loopos.answers.clauses.absence_questions import asks_for_set
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.clauses.included_things import spell_included
from server.loopos.answers.clauses.item_facts import is_item_fact
from server.loopos.answers.words import tokens

_PARTS = patterns.compile(
    r"[,;!\n](?![^()\n]{0,200}\))|\.(?=\s|$)|(?<=\?)|\b(?:com|with)\b(?!(?<=\b(?:goes?|comes?) with) (?:it|them)\b)|"
    r"(?=\b(?:sem|without)\b)",
    patterns.IGNORECASE,
)
"""The borders of what may list things: `com` opens a list, and `sem` belongs to one."""
_JOINTS = patterns.compile(r"\b(?:e|and|mas|but|tho|though)\b", patterns.IGNORECASE)
_SENTENCES = patterns.compile(r"(?<=[.;!?])\s+|\n")
_LISTED = patterns.compile(
    r"\b(?:lev[ao]|v(?:ai|em|ão|êm) com|inclu[io]|traz|(?<!de )tr[aá]s|includes?|"
    r"(?:comes?|goes|along|together) with|junt[oa]s? com|ofere[cç]o|throw(?:ing)? in|it has|tem|tenho)"
    r"\s++(?P<things>.+)",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""A verb of listing and all behind it, in words without a question mark."""
_AFTER_LIST = patterns.compile(
    r"[.;!].*|(?:,|(?<!\s))\s++(?:(?:e|and|mas|but)\s++)?(?:comprad\w+|comprei|bought|fo(?:i|ram)\b|w(?:as|ere)\b|est[aá]o?|funciona|works?|"
    r"pe[cç]o|quero|queria|asking|i want|(?:por|for)\s+\d|em\s+(?:bom|muito|\d)|"
    r"in (?:good|great|very)|is\b|are\b|it'?s\b|there'?s\b|has\b|tem\s(?:um|uma|a|o)s?\b|fez\b|fiz\b|done\b|"
    r"de resto\b|otherwise\b).*",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""What follows a list and belongs to it no more."""
_LEAD = patterns.compile(
    r"^(?:(?:e|and|mas|but|sim|yes|it|ele|ela|tb|tamb[eé]m|also|ainda|still|tem|tenho|has|have|i|com|with)\b\s*)+",
    patterns.IGNORECASE,
)
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
LONGEST_CLAUSE = 200
"""A longer clause talks of more than one question."""
_WORDS = frozenset(
    "caixa box carregador charger cabo cable capa case bateria battery jogos games acessorios accessories missing "
    "falta pneus "
    "tyres selim saddle pedais pedals bracelete strap".split()
)
"""Words that a clause needs before it may answer a text that asks for one of them."""
_MORE_THINGS = frozenset("brick joystick joysticks stick sticks transformador adapter adaptador".split())
"""Other things that a question for accessories asks for; beside a fault they are a part of the item."""
_BESIDES = frozenset(
    "caixa box carregador charger cabo cable capa case bolsa pouch mala bag correia strap bracelete "
    "tripe tripod cartao suporte dock telecomando remote raincover cover tabuleiro tray almofada cushion "
    "fatura recibo talao receipt invoice garantia warranty manual instrucoes instructions "
    "cadeado lock bomba pump capacete helmet auscultadores earphones pelicula caneta pencil rato mouse acessorios "
    "accessories".split()
)
"""Things that a question for anything else to say takes too, where no other question of the item asks for them."""
_ACCESSORIES = frozenset("acessorios accessories caixa box".split())
_SERVICES = frozenset("portes envio entrega shipping delivery postage garantia warranty iva vat".split())
_NO_THINGS = frozenset(
    "included incluido incluida incluidos incluidas all everything todos todas tudo original originais".split()
)
_FIRM = patterns.compile(
    r"v(?:ai|em|ão|êm) com|inclu[io]|traz|(?<!de )tr[aá]s|includes?|"
    r"(?:comes?|goes|along|together) with|junt[oa]s? com|ofere[cç]o|throw(?:ing)? in",
    patterns.IGNORECASE,
)
"""A verb that lists things and says nothing else."""
_INCLUDED = patterns.compile(
    r"\b(?:included|inclu[ií]d[oa]s?|(?:comes?|goes|go|going) (?:along )?with (?:it|them|the \w+)\b|"
    r"(?:v[aã]o|vai|v[eê]m|vem) (?:tamb[eé]m )?(?:juntos?|juntas?|com el[ea]|inclu\w+))",
    patterns.IGNORECASE,
)
"""Words behind things that say that they go with the item."""
_IN_CASE = patterns.compile(r"\bin case\b|\bem caso\b", patterns.IGNORECASE)


@dataclass(frozen=True)
class ThingTopic:
    """The things that a text asks for."""

    words: frozenset[str]
    more: frozenset[str] = frozenset()
    """Things that count where no fault of them is told."""
    others: frozenset[str] = frozenset()
    """The words of the other questions of the item."""
    is_last: bool = False
    """Whether the text takes anything else that there is to say."""

    @classmethod
    def of(cls, element: Element, others: Sequence[Element] = ()) -> ThingTopic:
        """Return the topic of a question for a text, beside the other questions of its item."""
        label = frozenset(tokens(f"{element.label.pt} {element.label.en}"))
        hint = frozenset(tokens(f"{element.hint.pt} {element.hint.en}")) if element.hint else frozenset[str]()
        words, is_last = _WORDS & (label | hint), {"anything", "else"} <= label
        asked = (each.label for each in others if each is not element)
        known = frozenset(word for each in asked for word in content(tokens(f"{each.pt} {each.en}")))
        more = _MORE_THINGS if words & _ACCESSORIES else frozenset[str]()
        more |= _BESIDES if is_last and others else frozenset[str]()
        more = frozenset(each for each in more if not any(is_like(each, word) for word in known))
        return cls(words, more, known, is_last)

    def __bool__(self) -> bool:
        return bool(self.words or self.more or self.is_last)


def spell_with(message: str) -> str:
    """Return a message with `with` and `com` in full: `comes w fifa`, `carrinho c baby set`, but no `usb c`."""
    return _SHORT_C.sub(" com ", _SHORT_W.sub("with ", message))


_SHORT_W = patterns.compile(r"(?<![\w/])w(?:/(?!o\b)\s*|\s+)(?=[^\W_])", patterns.IGNORECASE)
_SHORT_C = patterns.compile(
    r"(?<!usb)(?<!tipo)(?<!type)(?<!vitamina)(?<!vitamin)(?<!classe)(?<!class)\s(?<![\w/-])c(?:/\s*|\s+)"
    r"(?!(?:port|cable|cabo|charg|e\s|and\s)\w*)(?=[^\W_])",
    patterns.IGNORECASE,
)


def named_things(topic: ThingTopic, message: str, language: str, most: int) -> list[str]:
    """Return the first parts of a message that name such things: all of a list (`it comes with ...`), or one clause."""
    found: list[str] = []
    for sentence in _SENTENCES.split(message):
        parts = _parts_of(topic, sentence, language)
        found += [_without_joint(part) for part, is_named in parts if is_named and not _is_talk(part)]
    named = list(dict.fromkeys(found))[:most]
    named = [_ANSWERING.sub(r"\g<mark>", part) for part in named]
    told = (_DENIED_BEHIND.sub(", ", part) if len(part) <= LONGEST_CLAUSE else part for part in named)
    return [kept for part in told if (kept := without_price(part, language))]


def _parts_of(topic: ThingTopic, sentence: str, language: str) -> list[tuple[str, bool]]:
    """Return the parts of a sentence in their order, and whether each names such things.

    Beside a question for what is missing a list is said to be there.
    """
    start = sentence.rfind("?") + 1
    listed = _LISTED.search(sentence[start:])
    if listed is None or not _is_list(topic, listed) or _DENIED.search(listed.string[: listed.start()]):
        return _plain_parts(topic, sentence)
    things, rest = _list_of(listed["things"])
    if len(things.split()) > MOST_WORDS:
        return _plain_parts(topic, sentence)
    things = spell_included(things, language) if "missing" in topic.words else things
    before = sentence[: start + listed.start()]
    return [*_plain_parts(topic, before), (things, True), *_plain_parts(topic, rest)]


def _plain_parts(topic: ThingTopic, sentence: str) -> list[tuple[str, bool]]:
    whole = (part for part in _PARTS.split(sentence) if not _STATE.search(part))
    split = (_JOINTS.split(each) if len(each.split()) > MOST_WORDS else [each] for each in whole)
    parts = [_LEAD.sub("", part.strip()) for each in split for part in each]
    return [(part, _names_thing(topic, part)) for part in parts]


_BEFORE_DENIED = patterns.compile(
    r"\s*,\s*(?=[^,;.]{1,40}\s(?:n[aã]o|not|isn['’]?t|aren['’]?t)\s)", patterns.IGNORECASE
)
"""The comma before a clause that says of another thing that it is not there: it belongs to no list."""
_ANSWERING = patterns.compile(
    r"(?P<mark>^|[,;.])\s*(?:yes|yeah|sim|ok|certo|isso)\s*(?:[,;.]|$)", patterns.IGNORECASE
)
"""A yes between the things of a list, which is none of them."""
_DENIED = patterns.compile(
    r"(?:\bn|\bn[aã]o|\bnot|n['’]?t|\bnunca|\bnever)\s+(?:me |lhe |se )?$", patterns.IGNORECASE
)
"""A denial right before a verb of listing: `não tem caixa` lists nothing."""
_DENIED_BEHIND = patterns.compile(
    r"(?<!\b(?:mas|but|e|and|ou|or|nem|que|it|i|eu|is|are|has|tem|está|do|does|did|já|ja))(?<![,;:])\s+"
    r"(?=(?:(?:i|eu)\s+)?(?:n|n[aã]o|no|not|don['’]?t|do not|doesn['’]?t|haven['’]?t|hasn['’]?t)\s+"
    r"(?:(?:tenho|tem|have|has|got|traz|inclui|vem|come|include)\b\s+\S|(?:the|an?|any)?\s*(?!(?:tenho|tem|have|has|got)\b)\w+\s*$))",
    patterns.IGNORECASE,
)
"""The place before a denial that follows things without a mark: `o carregador n tenho caixa`."""


def _names_thing(topic: ThingTopic, part: str) -> bool:
    if _IN_CASE.search(part):
        return False
    if _INCLUDED.search(part) and _is_firm(topic, part):
        return True
    is_told = tells_of(topic.words if fault_clauses(part) else topic.words | topic.more, part)
    return is_told and is_item_fact(part)


def _is_list(topic: ThingTopic, listed: patterns.Match[str]) -> bool:
    """Return whether what stands behind a verb of listing names such things, behind `tem` at once: `tem um risco` tells
    of something else.
    """
    things, words = listed["things"], topic.words | topic.more
    if not _HAS.match(listed[0]):
        return tells_of(words, things) or (
            _FIRM.match(listed[0]) is not None and _is_firm(topic, _list_of(things)[0])
        )
    first = _FIRST_THING.split(things, maxsplit=1)[0]
    is_counted = _COUNTED.match(first) is not None and not fault_clauses(_list_of(things)[0])
    return tells_of(words, first) or (is_counted and tells_of(words, _list_of(things)[0]))


_COUNTED = patterns.compile(
    r"(?!.*(?:\d\s*(?:[gt]b|%|kms?|mp)\b|\d\s*%|anos?|meses|years?|months?))"
    r"\s*(?:uma?s?|uns|dois|duas|tr[eê]s|\d+|two|three|an?|some)\s",
    patterns.IGNORECASE,
)
"""The start of a list by a count of things: `duas baterias, carregador`."""


def _list_of(things: str) -> tuple[str, str]:
    """Return what a list names, and what follows it; a thing of which something is told behind it is not named."""
    ends = _AFTER_LIST.search(things)
    if ends is None:
        return things, ""
    named, told_of = things[: ends.start()], _VERB.match(ends[0])
    kept = named.rpartition(",")[0] if told_of else named
    return (kept or named), things[len(kept or named) :]


_VERB = patterns.compile(r"\s*(?:is|are|est[aá]o?|funciona|works?)\b", patterns.IGNORECASE)


def _is_firm(topic: ThingTopic, things: str) -> bool:
    """Return whether a list of things is one for a last question, though it knows none: other questions ask for all of
    no such list, and it is no service.
    """
    said = [word for word in content(tokens(things)) if word not in _NO_THINGS and not word[0].isdigit()]
    asked = [any(is_like(word, each) for each in topic.others) for word in said]
    return topic.is_last and not all(asked) and _SERVICES.isdisjoint(said) and not fault_clauses(things)


def _without_joint(part: str) -> str:
    """Return a part of a list without the word at its end that joins the next one."""
    stripped = part.strip(" ,;")
    first, _, last = stripped.rpartition(" ")
    return first.strip(" ,;") if last.casefold() in ("mas", "but", "e", "and") else stripped


_FIRST_THING = patterns.compile(r"[,;.]")
_HAS = patterns.compile(r"(?:tem|tenho|it has)\b", patterns.IGNORECASE)


def without_repeated(things: Sequence[str]) -> list[str]:
    """Return the things without those that only repeat what another one names."""
    return [each for at, each in enumerate(things) if not _is_repeated(each, at, things)]


def join_things(things: Sequence[str]) -> str:
    """Return the things as one text; a denial does not reach beyond itself: `não leva cartão; o carregador`."""
    denies = [not NEGATIONS.isdisjoint(tokens(each.rpartition(",")[2])) for each in things]
    joints = ["; " if no and not other else ", " for no, other in pairwise(denies)]
    joined = "".join(each + joint for each, joint in zip(things, [*joints, ""], strict=True))
    return _BEFORE_DENIED.sub("; ", joined)


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


def tells_of(topic: frozenset[str], clause: str) -> bool:
    """Return whether a clause has a word of the topic."""
    return any(is_like(word, each) for word in tokens(clause) for each in topic)


def without_other_things(element: Element, asked: Sequence[Element], text: str) -> str:
    """Return an answer to whether all of a set is there without the clauses about a thing that has a question of its
    own: `traz a varoma e o cesto. não tenho o cook-key`. The answer to any other question is returned as it is.
    """
    if not asks_for_set(element):
        return text
    others = [each for each in asked if each.kind == "boolean" and each is not element]
    things = [set(content(tokens(each.label.en), _ASKING)) for each in others]
    parts = [part.strip() for part in _CLAUSES.split(text) if part.strip()]
    own = [part for part in parts if not any(thing and thing.issubset(tokens(part)) for thing in things)]
    return ", ".join(own) if own and len(own) < len(parts) else text


_CLAUSES = patterns.compile(r"(?<!\d)[,.]+(?=\s|$)|[;!\n]+|\b(?:mas|but)\b", patterns.IGNORECASE)
_ASKING = frozenset("included all original extra have do you".split())
