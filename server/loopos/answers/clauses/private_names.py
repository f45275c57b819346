"""Names of private persons in a text that any buyer reads: `my son Tom used it` is as good without the name."""

from server import patterns
from server.loopos.answers.words import MOST_LETTERS

_KIN = (
    r"(?:filh[oa]|irm[aã]o?|irmã|m[aã]e|pai|marido|mulher|espos[oa]|av[oó]|avô|ti[oa]|prim[oa]|namorad[oa]|sobrinh[oa]|"
    r"net[oa]|sogr[oa]|cunhad[oa]|padrinho|madrinha|son|daughter|wife|husband|brother|sister|mum|mom|mother|dad|father|"
    r"gran(?:dad|dma|dpa|ny)?|grandmother|grandfather|grandson|granddaughter|uncle|aunt|cousin|boyfriend|girlfriend|"
    r"nephew|niece)"
)
_NAMED = patterns.compile(
    rf"(?P<kin>\b(?i:meu|minha|nosso|nossa|seu|sua|my|our|his|her)\s(?:(?i:little|older|younger|eldest|mais)\s)?(?i:{_KIN}))"
    r",?\s(?P<name>[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{1,14})"
    r"(?=['’]s\b|\s*(?:$|[,.;:!)\n])|\s(?i:e|and|que|who|usou|usava|teve|tinha|comprou|andou|gostou|j[aá]|n[aã]o|quase|"
    r"used|uses|had|has|bought|was|is|rode|never|only|barely|hardly|played|outgrew|grew|didn['’]?t|s[oó])\b)"
)
"""A possessive, a word of kinship, and a capitalised word that nothing but a verb or a border follows."""
_NO_NAMES = frozenset(
    "Sony Apple Samsung Nintendo Xbox Dyson Bosch Philips Worten Fnac Amazon Ikea Lidl Monday Tuesday Wednesday "
    "Thursday Friday Saturday Sunday January February March April May June July August September October November "
    "December Natal Christmas Janeiro Fevereiro Março Abril Maio Junho Julho Agosto Setembro Outubro "
    " Novembro Dezembro".split()
)


def without_names(text: str) -> str:
    """Return a text without the names that stand behind a word of kinship; other names stay."""
    if len(text) > MOST_LETTERS:
        return text
    return _NAMED.sub(lambda found: found[0] if found["name"] in _NO_NAMES else found["kin"], text)
