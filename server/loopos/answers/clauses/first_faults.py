"""Faults that a message tells before it is known what is sold: `squeaky wheel`, `não liga`."""

from server import patterns
from server.languages import fold
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.clauses.item_facts import names_thing
from server.loopos.answers.words import tokens
from server.text_reading.unsold_kinds import is_other_kind

_LONGEST = 120
_PARTS = frozenset(
    "ecra ecran screen display vidro glass botao botoes button buttons tecla teclas key keys roda rodas wheel wheels "
    "pega punho handle handles lid tampa tampas zip zipper fecho mola spring porta door gaveta drawer perna pernas leg legs "
    "pe pes foot feet travao travoes brake brakes corrente chain pedal pedais pedals selim saddle banco altifalante "
    "coluna speaker speakers microfone microphone mic lente lens camera camara bateria battery motor engine ventoinha "
    "fan dobradica hinge cabo cable ficha plug porta-usb port usb hdmi barulho ruido noise sound som agua water oleo oil "
    "risco riscos scratch scratches mossa mossas dent dents marca marcas mark marks mancha manchas stain stains crack "
    "cracks racha rachadela tinta paint tecido fabric frame quadro traseira back lateral side canto corner".split()
)
"""Parts of things and marks on them."""
_OPENS = patterns.compile(
    r"(?:(?:it|ele|ela|isto|este|esta|mas|but|e|and|so|just|que|o meu|a minha|mine|ja|often|sometimes|as vezes) )*+"
    r"(?:doesn t|doesnt|does not|won t|wont|will not|can t|cant|isn t|isnt|never|stopped|keeps|makes|leaks?|squeaks?|"
    r"overheats?|freezes|crashes|creaks?|rattles?|wobbles?|is|s|nao|n|deixou|faz|esta sempre|bloqueia|aquece|trava|"
    r"verte|chia|range|abana|desliga|encrava|treme)\b"
)
"""The beginning of a folded message that tells what the item does, and does not name it."""


def tells_only_fault(text: str) -> bool:
    """Return whether a message is a fault of the item, or of a part of it, and names no other thing."""
    if len(text) > _LONGEST or is_other_kind(text) or fault_clauses(text) != [text.strip(" .!?")]:
        return False
    said = [each for each in patterns.split(r"[^\w]+", fold(text)) if each]
    return bool(_OPENS.match(" ".join(said))) or any(each in _PARTS or names_thing(each) for each in tokens(text))
