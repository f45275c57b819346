"""Clauses about a thing of another person, or another one of the seller's: `my neighbour's Jura died`, `my old phone
was smashed, this one is fine`. They say nothing of the item that is sold.
"""

from __future__ import annotations

from server import patterns
from server.text_reading.things.owners import KIN

_KIN = rf"(?:{KIN}|mate|nan|bro|sis|hubby|missus|colleague|flatmate|housemate|colega|compadre|comadre)"
_LED = r"(?:(?:and|but|e|mas|oh|ah|well|so|because|porque|no|nao|yes|yeah|yep|sim|while|enquanto|lol|haha)\b[\s,]*)*"
_IS = (
    r"(?:is|are|isn['’]?t|aren['’]?t|was|were|wasn['’]?t|weren['’]?t|has|have|hasn['’]?t|haven['’]?t|had|does|doesn['’]?t|"
    r"do|don['’]?t|did|didn['’]?t|works?|worked|leaks?|needs?|looks?|got|gets|keeps?|just|always|never|only|"
    r"e|sao|era|eram|foi|foram|esta|estao|estava|ta|tao|tava|tem|tinha|teve|ficou|funciona|nao|so|ja|nunca)"
)
_FAILED = (
    r"(?:(?:just |already |also |soon |ja |tambem |logo |se |la )*"
    r"(?:died|packed (?:in|up)|conked|failed|leaked|exploded|blew up|caught fire|gave up|gave out|lasted|froze|burst|"
    r"stopped working|(?:broke|snapped|cracked|split)(?: (?:after|in|within|down|too|quickly|last|"
    r"straight)\b|\s*[,.;!]|$)|"
    r"(?:was|were) (?:\w+ ){0,2}?(?:faulty|broken|dead|cracked|smashed|rubbish|wrecked|fake|banned|stolen|awful)|"
    r"avariou|avariaram|morreu|pifou|deixou de|durou|estragou|rebentou|explodiu|queimou|pingava|vertia|partiu se|"
    r"(?:era|estava|veio|vinha|foi) (?:\w+ ){0,1}?(?:avariad|partid|estragad|fals|rachad|defeituos|banid|roubad)[oa]))"
)
_NOUN = r"(?P<noun>[\w-]+(?: [\w-]+)?)"
_OF_KIN = (
    rf"(?:my|our|his|her|their) {_KIN}(?:['’]?s['’]?|['’])",
    rf"d[oa]s? (?:(?:meu|minha|nosso|nossa)s? )?{_KIN}s?",
)
_NO_NOUN = r"(?:(?:own|old|other|new|first|last|same|exact) )*ones?(?:['’]?s)?"
_CERTAIN = [
    patterns.compile(rf"\s*{_LED}(?:{each})")
    for each in (
        rf"{_OF_KIN[0]}(?: {_NO_NOUN})? (?:{_IS}|{_FAILED})\b",
        rf"{_OF_KIN[0]}(?: {_NO_NOUN})?['’]s\b",
        rf"[oa]s? {_OF_KIN[1]} (?:{_IS}|{_FAILED})",
        rf"the ones? (?:that )?(?:my|our) {_KIN} (?:has|had|owns|owned|got|bought|used to have)\b",
        rf"[oa]s? que (?:[oa] )?(?:meu|minha) {_KIN} (?:tem|tinha|teve|comprou)\b",
        rf"(?:my|our) {_KIN} (?:has|had|owns|owned|got|bought) (?:one|another(?: one)?|"
        rf"the (?:exact )?same(?: one)?)\b(?! go\b)",
        rf"(?:[oa] )?(?:meu|minha) {_KIN} (?:tem|tinha|teve|comprou) (?:um|uma|outr[oa])(?: igual| que)\b",
        rf"(?:my|our) {_KIN} \w+ (?:hers|theirs|his own|her own|their own|(?:his|her|their) (?:\w+ )?one)\b",
        rf"(?:my|our|his|her|their) other {_NOUN}(?:['’]s \w+)? (?:{_IS}|{_FAILED})",
        rf"[oa]s? (?:meu|minha)s? outr[oa]s?(?: \w+)? (?:{_IS}|{_FAILED})",
        rf"the \w+ (?:on|of|in|from) (?:my|our) other {_NOUN} (?:{_IS}|{_FAILED})",
        rf"the matching {_NOUN} (?:{_IS}|{_FAILED})",
        r"(?:my|the|our) (?:[\w-]+ ){1,2}is the (?:broken|faulty|bad|dead|cracked|scratched|leaky|noisy) one\b",
    )
]
"""The start of a clause whose subject is another thing, whatever stands beside it."""
_FAILING = [
    patterns.compile(rf"\s*{_LED}{shape} {_FAILED}")
    for shape in (rf"{_OF_KIN[0]} {_NOUN}", rf"(?:[oa]s? ){_NOUN} {_OF_KIN[1]}")
]
"""The same of a thing with a name of its own, which also may be the kind that is sold: `my neighbour's Jura died`."""
_BESIDE = [
    patterns.compile(rf"\s*{_LED}(?:{each})")
    for each in (
        rf"{_OF_KIN[0]} {_NOUN} (?:{_IS}|{_FAILED})",
        rf"[oa]s? {_NOUN} {_OF_KIN[1]} (?:{_IS}|{_FAILED})",
        rf"(?:my|our|the) (?:old|previous|last|first) (?:ones?|{_NOUN}) (?:{_IS}|{_FAILED})",
        rf"[oa]s? (?:meu|minha)?s? ?(?:antig[oa]|velh[oa]|anterior|primeir[oa])s? (?:{_IS}|{_FAILED})",
        rf"the ones? (?:for|of|on|from|in) (?:my|our) {_NOUN} (?:{_IS}|{_FAILED})",
    )
]
"""Such a start where another clause speaks of the item as `this one` or `mine`."""
_OWN = patterns.compile(
    rf"\s*{_LED}(?:(?:this|these|those|mine|ours)(?: ones?)?(?:['’]?s)?\b(?! (?:happen|made|mean|was when))|"
    r"(?:[oa]s? )?(?:meu|minha)s? (?:e|sao|esta|estao|ta|tao|tem|nao|funciona|nunca)\b|"
    r"est[ea]s? (?:e|sao|esta|estao|ta|tao|tem|nao|aqui|funciona|nunca)\b|the one i)"
)
_COMES_WITH = patterns.compile(
    r"\b(?:includ\w+|comes? with|goes with|go with|throw|thrown|give|giving|for free|inclu\w+|vai|vao|"
    r"vem|ofere\w+|junto)\b"
)


def is_of_others(part: str, own_names: str, *, beside_own: bool) -> bool:
    """Return whether a clause, in folded text, is about a thing of another person or another one of the seller's.

    `own_names` are the words for the kind that is sold, which is also sold for a relative: only beside a clause of the
    seller's own one is it another.
    """
    if _COMES_WITH.search(part):
        return False
    if any(shape.match(part) for shape in _CERTAIN):
        return True
    if beside_own and any(shape.match(part) for shape in _BESIDE):
        return True
    failing = next((found for shape in _FAILING if (found := shape.match(part))), None)
    if failing is None or _TOUCHES.search(part):
        return False
    return beside_own or not (own_names and patterns.fullmatch(own_names, failing["noun"]))


_TOUCHES = patterns.compile(
    r"\b(?:on|onto|in|into|over|inside|em cima|para cima|na|no|nas|nos) (?:d[oa] )?(?:it|its|the|this|"
    r"mine|de|d[oa]|[a-z]+)$|"
    r"\b(?:on|onto|into|over) (?:it|the|this|mine)\b"
)
"""Words for what the thing of another did to the item: `my son's cup leaked into the keyboard`."""


def speaks_of_own(part: str) -> bool:
    """Return whether a clause, in folded text, begins with the item as the seller's own one: `mine is fine`."""
    return _OWN.match(part) is not None
