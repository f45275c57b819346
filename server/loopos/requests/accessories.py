"""Things for a product, or a part of it, that its name or description says: none of them has the product's price."""

from server import patterns
from server.languages import fold

_WITH = patterns.compile(r"\b(?:with|com|con|avec|mit|inkl|incl|and|und|et|plus|mais)\b|[+&,(]")
_NAMES = patterns.compile(
    r"\b(?:capas?|peliculas?|carregador(?:es)?|funda|fundas|cargador(?:es)?|carcasas?|coques?|etuis?|chargeurs?"
    r"|housses?|hullen?|schutzhullen?|ladegerate?|ladekabel|cases?|covers?|chargers?|cables?|caixa (?:de|vazia)"
    r"|caja (?:de|vacia)|boite (?:de|vide)|box of|empty box|leerer? (?:karton|box)|jogo|juego|jeu|spiel"
    r"|game(?! ?(?:boy|cube|gear|console))|for (?:parts|spares)|spares (?:or )?repairs?|spares only"
    r"|para pecas|para piezas|pour pieces|fur bastler|screen protector)\b"
)
_CATEGORIES = frozenset(
    "accessories acessorios accesorios accessoires zubehor games jogos juegos jeux spiele cases capas".split()
)
_BOX = r"(?:box|ovp|karton|schachtel|(?:original)?verpackung|caixa|embalagem|caja|embalaje|boite|emballage)"
_OWN_BOX = patterns.compile(
    rf"^(?:the |a |uma |una |une |eine |original |originale |leere[rs]? |empty )*{_BOX}\b"
    rf"|\b{_BOX}\b.*\b(?:empty|leer|vazia|vacia|vide)\b|\b(?:empty|leere[rs]?) (?:original )?{_BOX}\b"
)
"""The name of a box: it begins with the word, or says that the box is empty."""
_ONLY_BOX = patterns.compile(
    rf"\b(?:(?:only|just) (?:the )?(?:empty )?box|(?:so|apenas|somente) a (?:caixa|embalagem)|(?:solo|solamente)"
    rf" la caja|(?:que|seulement|juste) la boite|nur (?:die |der |das )?(?:leere[rs]? )?{_BOX}"
    rf"|{_BOX} (?:only|apenas|solo|seulement))"
    r"(?: vazia| vacia| vide)?$"
    r"|^(?:without|no) (?:phone|device|console|watch|laptop|camera)(?: inside| included)?$"
    r"|^sem (?:o )?(?:telemovel|telefone|aparelho|conteudo|consola)(?: dentro)?$"
    r"|^sin (?:el )?(?:movil|telefono|aparato|contenido|consola)(?: dentro)?$"
    r"|^sans (?:le )?(?:telephone|appareil|contenu)(?: dedans)?$"
    r"|^(?:ohne|kein) (?:handy|gerat|telefon|inhalt)(?: darin)?$"
)

_CLAUSE = patterns.compile(r"[.,;!?()\n]")
_PIECES = patterns.compile(
    r"^\s*(?:(?:lot|lote|pack|konvolut|set|bundle|conjunto)\s(?:of\s|de\s|von\s|mit\s|with\s|com\s|con\s)?"
    r"(\d{1,3})\s?[x×]?\s"
    r"|(\d{1,3})\s?[x×]\s|(\d{1,3})\s?(?:pcs|pieces|units|stück|stk\.?|unidades|uds\.?|peças|piezas|pièces|unités)\s)"
    r"(?:of\s|de\s|von\s)?",
    patterns.IGNORECASE,
)
"""The beginning of a name that is of several things; a bare number before a name may be a part of it."""
_MOST_PIECES = 500


def is_accessory(name: str, category: str, text: str) -> bool:
    """Return whether an item is a thing for a product, a part or an empty box; what comes with it does not count."""
    own = fold(_WITH.split(name.casefold(), maxsplit=1)[0])
    return bool(
        _NAMES.search(own)
        or _OWN_BOX.search(fold(name))
        or fold(category) in _CATEGORIES
        or any(_ONLY_BOX.search(fold(each)) for each in _CLAUSE.split(f"{name}. {text}"[:2_000]))
    )


def part_pieces(name: str) -> tuple[int, str]:
    """Return how many things a name is of, and the name of one of them: `10 x iPhone 12` is ten."""
    found = _PIECES.match(name)
    count = int(next(filter(None, found.groups()))) if found else 1
    if found is None or not 1 < count <= _MOST_PIECES:
        return 1, name
    return count, name[found.end() :]
