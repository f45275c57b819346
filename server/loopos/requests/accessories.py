"""Things for a product, or a part of it, that its name or description says: none of them has the product's price."""

from server import patterns
from server.languages import fold

_WITH = patterns.compile(r"\b(?:with|com|con|avec|mit|inkl|incl|and|und|et|plus|mais)\b|[+&,(]")
_NAMES = patterns.compile(
    r"\b(?:capas?|peliculas?|carregador(?:es)?|funda|fundas|cargador(?:es)?|carcasas?|coques?|etuis?|chargeurs?"
    r"|housses?|hullen?|schutzhullen?|ladegerate?|ladekabel|cases?|covers?|chargers?|cables?|caixa (?:de|vazia)"
    r"|caja (?:de|vacia)|boite (?:de|vide)|box of|empty box|leerer? (?:karton|box)|jogo|juego|jeu|spiel"
    r"|game(?! ?(?:boy|cube|gear|console))|for parts|para pecas|para piezas|pour pieces|fur bastler|screen protector)\b"
)
_CATEGORIES = frozenset(
    "accessories acessorios accesorios accessoires zubehor games jogos juegos jeux spiele cases capas".split()
)
_ONLY_BOX = patterns.compile(
    r"\b(?:(?:only|just) (?:the )?(?:empty )?box|(?:so|apenas) a caixa|solo la caja|(?:que|seulement) la boite"
    r"|nur (?:die |der )?(?:leere[r]? )?(?:ovp|box|karton|verpackung))(?: vazia| vacia| vide)?$"
)

_CLAUSE = patterns.compile(r"[.,;!?\n]")


def is_accessory(name: str, category: str, text: str) -> bool:
    """Return whether an item is a thing for a product, a part or an empty box; what comes with it does not count."""
    own = fold(_WITH.split(name.casefold(), maxsplit=1)[0])
    return bool(
        _NAMES.search(own)
        or fold(category) in _CATEGORIES
        or any(_ONLY_BOX.search(fold(each)) for each in _CLAUSE.split(text[:2_000]))
    )
