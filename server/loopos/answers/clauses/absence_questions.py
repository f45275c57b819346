"""Questions whether something is free of a thing, as `does it come from a smoke-free home?`: who denies the thing
says yes to them. Questions whether all of a set is there: who lists it says yes, who names what lacks says no.
"""

from __future__ import annotations

from functools import lru_cache

from server import patterns
from server.loopos.answers.certainty import NEGATIONS, content, opening, spell_is
from server.loopos.answers.clauses.asides import THINGS
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.element import Element
from server.loopos.answers.words import fold, tokens

_OF_LABEL = (
    patterns.compile(r"\b(?:sem|livre de)\s+(?P<thing>\w+)"),
    patterns.compile(r"\b(?P<thing>\w+)(?:-|\s)free\b|\b(?:without|free of)\s+(?P<thing>\w+)"),
)
_STEM, _REACH = 3, 4
"""So many letters of the thing are in its other words (`smoking`, `fumamos`); so many words before may deny it."""
_WITHOUT = frozenset("sem livre livres without free".split())
_DENIALS = (NEGATIONS - _WITHOUT) | frozenset(
    "nobody ninguem quit stopped gave parei paramos deixei deixamos non".split()
)
_CLAUSES = patterns.compile(r"[,.;:!?\n]+|\b(?:but|mas|so|and|e|because|porque|pq|yes|sim)\b")


def says_without(element: Element, answer: str) -> bool | None:
    """Return whether an answer says that the thing is not there, which the question asks to be absent.

    It is there where one clause says so. None where the question asks nothing of the kind, or the answer does not say.
    """
    stems = _stems(element)
    if not stems or answer.rstrip().endswith("?"):
        return None
    text = fold(spell_is(answer)).replace("-", " ")
    found = [said for clause in _CLAUSES.split(text) for said in _read_clause(clause, stems)]
    return all(found) if found else None


def _read_clause(clause: str, stems: frozenset[str]) -> list[bool]:
    """Return for each word of the thing in a clause whether it is denied: `not smoke free` denies it twice."""
    words, said, last = tokens(clause), list[bool](), 0
    for at, word in enumerate(words):
        if word[:_STEM] not in stems:
            continue
        before = words[max(last, at - _REACH) : at]
        is_free = words[at + 1 : at + 2] == ["free"] or not _WITHOUT.isdisjoint(before)
        said.append(is_free is not (not _DENIALS.isdisjoint(before)))
        last = at + 2 if words[at + 1 : at + 2] == ["free"] else at + 1
    return said


@lru_cache(maxsize=512)
def _stems(element: Element) -> frozenset[str]:
    """Return how the words of the thing begin that a yes-or-no question asks to be absent."""
    if element.kind != "boolean":
        return frozenset()
    labels = zip(_OF_LABEL, (element.label.pt, element.label.en), strict=True)
    found = (pattern.search(fold(label)) for pattern, label in labels)
    return frozenset(each["thing"][:_STEM] for each in found if each)


_SETS = frozenset("acessorios accessories pecas parts".split())
_SET_PARTS = patterns.compile(r"(?<!\d)[,.;:!]+|[,.](?!\d)|[;:!\n]|\b(?:mas|but)\b", patterns.IGNORECASE)
_LISTS = patterns.compile(
    r"\b(?:traz|vem|vêm|vai|vao|inclui|leva|tem|tenho|has|have|comes?|includes?|got|tudo|everything|all|complet[oa])\b"
)
_LACKS = frozenset(
    "falta faltam perdi perdeu perdida perdido lost missing gone menos except exceto tirando".split()
)
_NEVER = patterns.compile(
    r"\b(?:nunca (?:(?:a|o|as|os|la) )?(?:tive|teve|tivemos|comprei|veio|vieram|vinha|foi)|"
    r"never (?:had|owned|got|bought|came)|"
    r"(?:nao|n|didnt|did not) (?:vinha|vinham|come|fazia parte|fazem parte)|(?:wasnt|isnt|not) part of)\b"
)
"""Words of what was never there."""
_FEWEST_LISTED = 3


def asks_for_set(element: Element) -> bool:
    """Return whether a question is about all of several things that have no names in it."""
    label = tokens(f"{element.label.pt} {element.label.en}")
    return element.kind == "boolean" and not _SETS.isdisjoint(label)


def tells_of_lack(element: Element, clause: str) -> bool:
    """Return whether a clause tells of a question for all of several things without their name: `nothing missing`, and
    of accessories `falta-me a espátula`.
    """
    label = tokens(f"{element.label.pt} {element.label.en}")
    if element.kind != "boolean" or _ALL.isdisjoint(label) or "cables" in label or "?" in clause:
        return False
    folded = " ".join(_WORD.findall(fold(clause)))
    is_of_set = asks_for_set(element) and THINGS.isdisjoint(tokens(clause))
    return bool(_NOTHING_LACKS.fullmatch(folded) or (is_of_set and _ONE_LACKS.fullmatch(folded)))


_ALL = frozenset(("all", "todos", "todas"))
"""Words of a question whether nothing of a set lacks."""
_WORD = patterns.compile(r"[\w']+")
_NOTHING_LACKS = patterns.compile(
    r"(?:(?:e|and|theres|there is|there's|with) )*(?:nothing(?:'?s| is)? (?:at all )?(?:missing|lost)|"
    r"(?:e )?nao (?:lhe |me )?falta (?:mesmo )?(?:nada|nenhuma peca)|nada (?:em falta|a faltar)|"
    r"sem (?:nada em falta|faltar nada))"
)
_ONE_LACKS = patterns.compile(
    r"(?:(?:e|and|mas|but|so|only|just) )*(?:falta(?:m|va)?(?: (?:me|lhe|so|apenas))*(?: (?:[oa]s?|uma?))? "
    r"(?P<what>(?!vender|dizer|pouco|bocado|pedaco|tinta|preco|data|ano|nada|mais)\w{3,})"
    r"(?: (?:que|pois|porque) .{1,40})?|"
    r"(?:the|an?|one) \w{3,}(?: \w{3,})? (?:is|are) missing)"
)


def told_set(element: Element, answer: str) -> tuple[bool, list[str]] | None:
    """Return whether such a set is whole, as an answer of several clauses lists it or names what lacks, and the clauses
    that deny something. What was never part of it does not lack. None for any other question, and behind a yes or no.
    """
    label = tokens(f"{element.label.pt} {element.label.en}")
    if "cables" in label:
        return told_cables(element, answer)
    if (
        element.kind != "boolean"
        or _SETS.isdisjoint(label)
        or "?" in answer
        or opening(answer)[0] is not None
    ):
        return None
    parts = [part.strip() for part in _SET_PARTS.split(answer) if content(tokens(part))]
    denied = [
        part for part in parts if not (NEGATIONS | _LACKS).isdisjoint(tokens(part)) or tells_fault(part)
    ]
    listed = [part for part in parts if part not in denied]
    lists = any(_LISTS.search(fold(part)) for part in listed) or len(listed) >= _FEWEST_LISTED
    if len(parts) == 1 or not lists or not _OF_STATE.isdisjoint(tokens(answer)):
        return None
    has_all = all(_NEVER.search(fold(part)) for part in denied)
    return has_all, denied


def told_cables(element: Element, answer: str) -> tuple[bool, list[str]] | None:
    """Return whether all cables are there, where an answer names several and denies none, and those it denies:
    `HDMI and power. no usb cable though`.
    """
    label = tokens(f"{element.label.pt} {element.label.en}")
    if element.kind != "boolean" or "cables" not in label or "?" in answer or opening(answer)[0] is not None:
        return None
    parts = _CABLE_PARTS.split(answer)
    named = [
        each for each in parts if not _CABLES.isdisjoint(tokens(each)) or _OTHER_LACKS.search(fold(each))
    ]
    known = {word for each in named for word in _CABLES.intersection(tokens(each))}
    denied = [each.strip() for each in named if not (NEGATIONS | _LACKS).isdisjoint(tokens(each))]
    unsure = any(not (_OF_STATE | {"so", "only", "just"}).isdisjoint(tokens(each)) for each in named)
    if unsure or len(known) < _FEWEST_CABLES or len(denied) == len(named):
        return None
    return not denied, denied


def denies_genuine(element: Element, answer: str) -> str:
    """Return the answer to whether a genuine thing is included, where it says of it that it is not."""
    label = tokens(element.label.en)
    is_asked = element.kind == "boolean" and "original" in label and "or" not in label and "?" not in answer
    says, after = opening(answer)
    told = after if says and after.startswith(("but ", "mas ")) else answer if says is None else ""
    return told if is_asked and _NOT_GENUINE.search(fold(told)) else ""


_NOT_GENUINE = patterns.compile(
    r"\b(?:(?:not|isnt|isn't|no longer|nao (?:ja )?(?:e|sao|era|eram)|deixou de ser) (?:mesmo |really |actually )?"
    r"(?:the |an |o |a |os |as )?(?:original|originais|genuine|oem|d[aeo] (?:propria )?marca)|"
    r"(?:third|3rd)[ -]party|aftermarket|generic[oa]?s?|(?:another|a different|some other) (?:brand|make|company)s?|"
    r"(?:outra|diferente) marca|doutra marca|marca (?:branca|diferente))\b"
)
_CABLE_PARTS = patterns.compile(
    r"(?<!\d)[,.;!]+|[,.](?!\d)|[;!\n]|\b(?:mas|but|e|and|tho)\b", patterns.IGNORECASE
)
_CABLES = frozenset(
    "hdmi usb carregador charger fonte transformador adaptador adapter corrente power alimentacao dock psu".split()
)
_OTHER_LACKS = patterns.compile(
    r"\b(?:falta(?:m|va)?(?: me| lhe)?|perdi|missing|lost)(?: (?:so|apenas|only|just))?"
    r" (?:(?:[oa]s? )?(?:d[eao]s?|outr[oa]s?|cabos?)|"
    r"the (?:\w+ ){0,2}(?:one|lead|cable|other)|one)\b|"
    r"\b(?:one|lead|cable|cabo|outr[oa]|other|[oa] d[eao] \w+) (?:(?:is|s|are|esta|em) ){0,2}(?:missing|lost|falta)\b"
)
"""Words, folded, that say of another cable than those of known names that it lacks."""
_FEWEST_CABLES = 2
_OF_STATE = frozenset("acho think sei sure talvez maybe".split())
"""Words of who is not sure."""
