"""The words by which a clause says that it speaks of a question, before that question was asked."""

from __future__ import annotations

from server import patterns
from server.loopos.answers import Element
from server.loopos.answers.certainty import content
from server.loopos.answers.judges.states import asks_whether_it_works
from server.loopos.answers.words import tokens
from server.loopos.tools.questions.texts.listed_things import tells_of

_WORDS = {
    "number": "bateria battery",
    "date": "comprei comprado comprada compramos bought purchased",
    "select": "estado condition shape teclado keyboard vidro glass ecra screen agulha stylus taca bowl montado "
    "assembled drift fungo fungus lente lens tecidos fabrics bateria battery quadro frame garfo fork online linha",
    "boolean": "ecra screen carregador charger base dock caixa box bolsa pouch fatura invoice cabos cables parafusos "
    "screws descalcificada descaled manual alcofa bassinet tampa grip punho cook acessorios accessories pecas parts",
}
"""Words that a clause needs beside the unit before it may answer a question of this kind."""
_TELLING = (
    frozenset("contas accounts bloqueado bloqueada locked icloud".split()),
    frozenset("funciona funcionam funcionar work works working liga ligam turn start dead".split()),
    frozenset("bateria battery".split()),
    frozenset("taca bowl copo".split()),
    frozenset(
        "tecido tecidos fabric fabrics forro assento seat capota hood mancha manchinha stain stained".split()
    ),
    frozenset(
        "andar ride rides travao travoes brake brakes mudancas gears afinar afinacao tune funciona funcionam works "
        "working".split()
    ),
)
"""Words of which a question has one, and a clause that tells of it has one or another."""
_ALSO = (
    (
        frozenset(("descalcificada", "descaled")),
        frozenset("descalcifiquei descalcificar descale descaling".split()),
    ),
    (frozenset(("cinto", "belt")), frozenset("arnes harness".split())),
    (frozenset(("bolsa", "pouch")), frozenset(("estojo",))),
)
"""Words of which a yes-or-no question has one, and those that a clause may have in their place."""
_OF_WORKING = 1
"""The place of those for whether the item works."""
_SIDES = (
    frozenset("fumo fuma fumadores fumador smoke smoking smokers smoker smokes".split()),
    frozenset(
        "descalcificada descalcifiquei descalcifico descalcificar descalcificacao descaled descale descaling".split()
    ),
)
"""Words of which a yes-or-no question has one, and a clause that tells of it has one or another."""
_ONLINE = frozenset("online linha".split())
_RUNS = patterns.compile(
    r"\b(?:works?|working|fine|ok(?:ay)?|funcionam?|bem|perfect\w*|goes|connects?|liga-se|entra|joga(?:va)?|vai|"
    r"no (?:prob\w*|issues?)|sem problemas?|na boa)\b",
    patterns.IGNORECASE,
)
_COUNTING = frozenset(
    "quantos quantas qual how many much what which about last dura mostra show done fez tirou".split()
)
"""Words of a question for a number that do not say of what."""
_BOUGHT = frozenset("comprou buy".split())


def topic_of(element: Element) -> frozenset[str]:
    """Return the words by which a clause says that it speaks of this question."""
    label = frozenset(tokens(f"{element.label.pt} {element.label.en}"))
    if element.kind == "date" and not label & _BOUGHT:
        return frozenset()
    words = frozenset(_WORDS.get(element.kind, "").split())
    if asks_whether_it_works(element):
        return _TELLING[_OF_WORKING]
    if element.kind == "select" and (telling := [each for each in _TELLING if label & each]):
        return telling[0]
    if element.kind == "boolean" and (sides := [each for each in _SIDES if label & each]):
        return sides[0]
    if element.kind == "date":
        return words
    for named, also in _ALSO if element.kind == "boolean" else ():
        words |= named | also if named & label else frozenset()
    label |= frozenset().union(*(also for named, also in _ALSO if named & label))
    unit = tokens(f"{element.unit.pt} {element.unit.en}") if element.unit else []
    words |= frozenset(content(label)) - _COUNTING if element.kind == "number" else frozenset()
    return (words & label) | frozenset(each for each in unit if each.isalpha() and len(each) > 1)


def speaks_of(topic: frozenset[str], clause: str) -> bool:
    """Return whether a clause has a word of the topic; of services on line only one that says how they work."""
    return tells_of(topic, clause) and (not topic <= _ONLINE or _RUNS.search(clause) is not None)
