"""The thing that a finding about the condition is said of: the item, its box, its screen protector, or a part.

A clause that tells of a fear or a condition says nothing of the item.
"""

from collections.abc import Sequence

from server import patterns

OTHER_THINGS = frozenset(
    """box packaging package wrapping carton protector caixa embalagem pelicula protetor caja embalaje
    boite emballage carton protecteur karton verpackung schachtel ovp originalverpackung schutzfolie folie
    displayfolie panzerglas""".split()
)
"""What comes with an item and is no part of it."""
_CONSUMED = frozenset(
    """battery batteries tyre tyres tire tires cable charger strap brakes chain bateria pneu pneus pilha pilhas cabo
    carregador bracelete travoes corrente neumatico neumaticos ruedas cargador correa frenos cadena batterie pneus
    chargeur freins chaine courroie akku batterie reifen mantel ladegerat kabel armband bremsen kette""".split()
)
"""Parts that are renewed: that one is new says nothing of the item."""
_WHOLE = frozenset(
    """phone device item camera laptop watch bike console telemovel aparelho artigo maquina bicicleta movil telefono
    aparato bici appareil telephone velo gerat handy kamera fahrrad uhr telefon artikel it er sie es ware""".split()
)
_LINKS = frozenset(
    """the a an is are was its my itself has have only just even bit little slightly somewhat very really also still in
    a o as os um uma esta estao e foi tem so muito pouco um_pouco ligeiramente ainda ja la el los las una esta estan
    es un poco muy algo le la les une est sont un peu tres legerement der die das den dem ein eine ist sind war nur
    etwas leicht sehr ganz de da do du screen ecra display pantalla ecran original""".split()
)
_ON = frozenset(
    """on of at the a an in no na nos nas do da de o el la del en sur le les du dans auf an am der die das dem den im
    screen ecra display pantalla ecran original""".split()
)
_UNOPENED = patterns.compile(
    r"seal|selad|precint|originalverpackt|scelle|versiegelt"
    r"|unopened|estrear|estrenar|neuf|neu"
)
"""Of a box these are said of what is in it."""
_SUPPOSED = frozenset(
    """thought assumed afraid feared expected worried if unless pensei pensava achei achava julguei julgava receava
    temia pense pensaba crei creia pensais croyais craignais dachte glaubte befurchtete wenn falls sofern ware
    serait estivesse estuviera fuera fosse""".split()
)
_STRONG = frozenset(
    """heavily badly very deeply severely really extremely seriously lots lot many several numerous everywhere covered
    full muito muita muitos muitas bastante cheio cheia todo toda imensos varios varias muy mucho muchos muchas lleno
    llena todas todos bastantes tres beaucoup fortement plein pleine partout nombreuses nombreux stark sehr viele
    voller uberall total vollig ubersat massiv""".split()
)
_ALL_OVER = ("all over", "quite a bit", "por todo", "por toda", "por todas", "por todos", "de partout")
_LIGHT = frozenset(
    """light small minor slight slightly tiny few faint hairline superficial fine little leves leve ligeiros ligeiro
    pequenos pequeno pequenas pequena poucos poucas pouco superficiais finos ligeros pequenas pocos pocas poco legeres
    legere petites petite peu fines superficielles leichte leicht leichter kleine kleiner feine feiner wenige minimale
    kaum minimal oberflachliche""".split()
)
_NEAR = 3


def is_supposed(words: Sequence[str], at: int) -> bool:
    """Return whether the words up to a place tell what their writer feared or thought, or a condition."""
    start = max((place for place, each in enumerate(words[:at]) if each == "mais"), default=0)
    return any(each in _SUPPOSED for each in words[start:at])


def is_of_other_thing(words: Sequence[str], first: int, last: int, *, is_bad: bool) -> bool:
    """Return whether what stands from one word to another is said of something that merely comes with the item."""
    said = " ".join(words[first : last + 1])
    if not is_bad and _UNOPENED.search(said):
        return False
    before, after = first - 1, last + 1
    while before >= 0 and words[before] in _LINKS and words[before] not in OTHER_THINGS:
        before -= 1
    if before >= 0 and words[before] in OTHER_THINGS:
        return True
    while is_bad and after < len(words) and words[after] in _ON:
        after += 1
    return after < len(words) and words[after] in OTHER_THINGS


def praises_part(words: Sequence[str], said: str) -> bool:
    """Return whether praise is of a part that wears out, or a bare `neu` is of any part."""
    if any(each in _CONSUMED for each in words) and not any(each in _WHOLE for each in words):
        return True
    others = [each for each in words if each not in _LINKS | _WHOLE | {said}]
    return said == "neu" and bool(others)


def is_strong(words: Sequence[str], first: int, last: int, taken: set[int]) -> bool:
    """Return whether words beside a blemish say that it is large: `heavily`, `all over`."""
    if any(each in _LIGHT for each in words):
        return False
    near = [at for at in range(max(first - _NEAR, 0), min(last + _NEAR + 1, len(words))) if at not in taken]
    around = " ".join(words[max(first - _NEAR, 0) : last + _NEAR + 1])
    return any(words[at] in _STRONG for at in near) or any(each in around for each in _ALL_OVER)
