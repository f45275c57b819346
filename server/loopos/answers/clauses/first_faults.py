"""Faults and things that come along, told before it is known what is sold: `squeaky wheel`, `charger included`."""

from server import patterns
from server.languages import fold
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.clauses.item_facts import names_thing
from server.loopos.answers.words import tokens
from server.text_reading.things.unsold_kinds import is_other_kind

_LONGEST = 120
_PARTS = frozenset(
    "ecra ecran screen display vidro glass botao botoes button buttons tecla teclas key keys roda rodas wheel "
    "wheels pega punho handle handles lid tampa tampas zip zipper fecho mola spring porta door gaveta drawer "
    "perna pernas leg legs pe pes foot feet travao travoes brake brakes corrente chain pedal pedais pedals selim "
    "saddle banco altifalante coluna speaker speakers microfone microphone mic lente lens camera camara bateria "
    "battery motor engine ventoinha fan dobradica hinge cabo cable ficha plug porta-usb port usb hdmi barulho "
    "ruido noise sound som agua water oleo oil risco riscos scratch scratches mossa mossas dent dents marca "
    "marcas mark marks mancha manchas stain stains crack cracks racha rachadela tinta paint tecido fabric frame "
    "quadro traseira back lateral side canto corner".split()
)
"""Parts of things and marks on them."""
_LINKS = frozenset("com with has tem e and o a os as the an um uma de do da no na on in of".split())
_OPENS = patterns.compile(
    r"(?:(?:it|ele|ela|isto|este|esta|mas|but|e|and|so|just|que|o meu|a minha|mine|ja|often|sometimes|as vezes) )*+"
    r"(?:doesn t|doesnt|does not|won t|wont|will not|can t|cant|isn t|isnt|never|stopped|keeps|makes|leaks?|squeaks?|"
    r"overheats?|freezes|crashes|creaks?|rattles?|wobbles?|is|s|nao|n|deixou|faz|esta sempre|bloqueia|aquece|trava|"
    r"verte|chia|range|abana|desliga|encrava|treme)\b"
)
"""The beginning of a folded message that tells what the item does, and does not name it."""


_COMES_ALONG = frozenset(
    "included includes including incl incluido incluida incluidos incluidas incluo inclui comes come vem vai goes has "
    "tem with com traz".split()
)
_BESIDE = frozenset(
    "it ele ela also tambem still ainda all todos original originais both in its i have".split()
)


def tells_only_facts(text: str) -> bool:
    """Return whether a message is a fault of the item or tells what comes along with it, and names no other thing."""
    said = {*tokens(text)} - _LINKS - _BESIDE
    along = said - _COMES_ALONG
    is_along = len(text) <= _LONGEST and not _COMES_ALONG.isdisjoint(tokens(text)) and bool(along)
    return tells_only_fault(text) or (is_along and all(map(names_thing, along)))


def tells_only_fault(text: str) -> bool:
    """Return whether a message is a fault of the item, or of a part of it, and names no other thing."""
    faults = fault_clauses(text) if len(text) <= _LONGEST and not is_other_kind(text) else []
    if not faults or not {*tokens(text)} - {*tokens(" ".join(faults))} <= _PARTS | _LINKS:
        return False
    said = [each for each in patterns.split(r"[^\w]+", fold(text)) if each]
    return bool(_OPENS.match(" ".join(said))) or any(
        each in _PARTS or names_thing(each) for each in tokens(text)
    )
