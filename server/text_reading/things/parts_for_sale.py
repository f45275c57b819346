"""Parts and accessories that a message sells by themselves: `ps5 controller`, `só a caixa do iphone 11`."""

from server import patterns
from server.languages import fold

_LONGEST = 120
"""Characters of a message that names no more than what is sold."""
_PART = (
    r"(?:(?:game )?(?:controllers?|gamepads?|joysticks?)|comandos?|chargers?|carregador(?:es)?|cables?|cabos?|"
    r"(?:phone |travel )?cases?|capas?|capinhas?|(?:box(?:es)?|caixas?)(?! d[eo] (?:som|cambios?|velocidades)\b)|"
    r"(?:screen )?protectors?|peliculas?(?: de vidro)?|straps?|braceletes?|correias?|"
    r"(?:video ?)?games?|jogos?(?! d[eo] (?:cama|mesa|sofas?|panelas|lencois)\b)|docks?|"
    r"earbuds?|earpieces?|ear ?pads?|almofadas|batter(?:y|ies)|baterias?|filters?|filtros?|"
    r"(?:replacement |spare )parts?|pecas?|manual|instrucoes|receipt|fatura|screens?|ecras?|lids?|tampas?)"
)
_ARTICLE = (
    r"(?:o|a|os|as|um|uma|uns|umas|the|an?|my|meu|minha|this|some|original|genuine|spare|empty|new|used)"
)
_LEAD = (
    r"(?:ola|oi|hi|hello|hey|boas|bom dia|boa tarde|boa noite|i|i ?m|i am|im|want|would|like|id|i d|need|to|sell|"
    r"selling|got|have|ive|i ve|for sale|just|only|so|apenas|somente|vendo|vender|tenho|quero|queria|gostava|"
    r"gostaria|de|e|its|it s|it is|is|[1-9]|two|three|four|dois|duas|tres|quatro|left|right)"
)
_OF = (
    r"(?P<of>(?:d[eao]s?|pra|pr[ao]|para|p|of|for|from)(?! \d)"
    r"(?: (?:o|a|os|as|um|uma|the|an|my|meu|minha)(?= ))*+ [^\W_]+(?: [^\W_]+){0,4})"
)
_PART_OF = patterns.compile(
    rf"(?:(?:{_LEAD}|{_ARTICLE}) )*+(?P<said>(?:{_PART} (?:e|and|mais) )*{_PART} {_OF})"
)
"""A part of something, at the beginning of a folded text."""
_PART_FOR = patterns.compile(
    rf"(?P<said>(?:[^\W_]+ ){{1,2}}?{_PART} (?P<of>(?:for|para|p) [^\W\d_]+(?: [^\W_]+){{0,4}}))"
)
"""The same behind one or two words of its kind: `watch strap for apple watch`."""
_NAMED_PART = patterns.compile(
    rf"(?:(?:{_LEAD}|{_ARTICLE}) )*+(?P<said>[^\W_]+(?: [^\W_]+){{0,4}}? "
    r"(?:controllers?|gamepads?|chargers?|cables?|cases?|(?:screen )?protectors?|straps?|games|ear ?pads?|"
    r"batter(?:y|ies)|filters?|(?:replacement |spare )parts?))"
)
"""A thing of an English name, which is the whole folded text."""
_ALONE = patterns.compile(
    rf"\b(?:(?:just|only|so|apenas|somente) (?:{_ARTICLE} )*(?:(?:left|right|empty) )?(?P<said>{_PART})|"
    rf"(?:left |right )?(?P<said>{_PART}) (?:only|apenas|somente|so))$"
)
"""A part that alone is sold of what is named before it, at the end of a folded text."""
_GOES_ON = frozenset(
    "w is are was were be it its comes come came goes go missing works work worn broken and plus with without no not "
    "nao sem com e esta estao vem vai vao falta faltam inclui incluido mais funciona tem has have included includes "
    "but mas where how what when can could should does onde como quando posso pode gb tb or ou preco price".split()
)
"""Words of a sentence about an item and what comes with it."""
_COUNTED = patterns.compile(r" (?:\d|um|uma|dois|duas|tres|one|two|three) \w+s$| (?:1|um|uma|one) \w+$")


def part_for_sale(text: str) -> str:
    """Return the words for the part or the accessory that is all that a message names to be sold, or nothing."""
    said = _whole(text)
    found = said and (_PART_OF.fullmatch(said) or _PART_FOR.fullmatch(said) or _NAMED_PART.fullmatch(said))
    named = (found.groupdict().get("of") or found["said"]).split() if found else []
    if not found or not _GOES_ON.isdisjoint(named) or _COUNTED.search(f" {found['said']}"):
        return ""
    return str(found["said"])


def lone_part(text: str) -> str:
    """Return the part that alone is sold of what a message names before it: `iphone 11 only the box`; or nothing."""
    said = _whole(text)
    found = _ALONE.search(said)
    if not found or not found.start() or not _GOES_ON.isdisjoint(said[: found.start()].split()):
        return ""
    return str(found["said"])


def _whole(text: str) -> str:
    """Return a short text in one clause and without a size, folded; of any other nothing."""
    clause = text.strip().rstrip(".!?")
    is_one = len(clause) <= _LONGEST and not patterns.search(r"[.;!?,]\s|\n|\d ?[gt]b\b", clause)
    return " ".join(patterns.findall(r"[^\W_]+", fold(clause))) if is_one else ""
