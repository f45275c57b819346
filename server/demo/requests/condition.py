"""The condition that a seller's words say: faults, wear and blemishes, unless they are denied, and then praise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from server import patterns
from server.demo.requests.clauses import Word, clauses_of, known_spelling, words_of
from server.demo.requests.subjects import is_of_other_thing, is_strong, is_supposed, praises_part

Grade = Literal["A", "B", "C", "D"]

_FAULT = r"""
 partid[oa]s? partiu rachad[oa]s? rachas? rachou quebrad[oa]s? estalad[oa]s? estilhacad[oa]s? avariad[oa]s? avarias?
 estragad[oa]s? danificad[oa]s? danos queimad[oa]s? defeit\w+ defeituos[oa]s? inutilizavel pessimo
 mau ma_(?:condicao|qualidade)
 (?:ja_)?(?:nao|nunca)_(?:liga|funciona|funcionam|carrega|arranca|acende|trabalha|reconhece|abre|roda)
 problemas? (?:carrega|funciona|liga)_mal problems? issues? avariou falhou
 deixou_de_(?:funcionar|ligar|carregar) para_(?:pecas|arranjar|arranjo|reparar) precisa_de_(?:arranjo|reparacao)
 broken cracked cracks? crack smashed shattered faulty faults? defects? defective dead poor bad damaged damages? damage
 (?:doesnt|wont|dont|didnt|cannot|cant|(?:does|will|do|did)_not)_(?:\w+_)?(?:work|turn|power|charge|start|boot|run)(?:_on)?
 not_(?:working|charging|turning_on) stopped_working (?:for|as)_(?:parts|spares)
 needs?_(?:a_)?(?:repair|repairing|fixing) spares_or_repairs?
 rot[oa]s? averiad[oa]s? no_(?:(?:se|me)_)?(?:funciona|enciende|carga|arranca) malo mala
 agrietad[oa]s? para_piezas danad[oa]s? fall(?:ad[oa]|os?) averio
 casse(?:e?s?) fissuree?s? fele?es? abimee?s? defectueu(?:x|se) defauts?
 problemes? en_panne hors_service hs pour_pieces mauvais(?:e?s?)
 ne_(?:s)?(?:allume|fonctionne|marche|charge|demarre|fonctionnent|marchent)_(?:pas|plus)
 defekt(?:e[nrs]?)? kaputt(?:e[nrs]?)? zerbrochen(?:e[nrs]?)? gesprungen(?:e[nrs]?)? zersplittert beschadigt(?:e[nrs]?)?
 probleme? schaden mangelhaft schlecht(?:e[mnrs]?)? fur_bastler als_ersatzteil\w*
 (?:funktioniert|geht|ladt|startet|lauft)_nicht(?:_(?:mehr|an))? schaltet_(?:sich_)?nicht_(?:ein|an)
"""
_WEAR = r"""
 furad[oa]s? furos? pneus?_(?:vazi[oa]s?|em_baixo) flat_(?:tyres?|tires?)
 (?:tyres?|tires?)_(?:is|are)_flat punctur(?:e|es|ed)
 muit[oa]_usad[oa] (?:muito_)?gast[oa]s? desgastad[oa]s? desgaste razoavel mossas? amolgad\w+ manchas? manchad[oa]s?
 nodoas? ferrugem enferrujad[oa]s? rasgad[oa]s? rasgoes rasgao bateria_viciada
 (?:riscos|marcas|arranhoes)_(?:\w+_)?(?:fund[oa]s|profund[oa]s|visiveis|grandes)
 muit[oa]s_(?:riscos|marcas|arranhoes) muito_riscad[oa]
 (?:heavily|well|much)_(?:used|worn) worn(?:_out)?(?!_(?:once|twice|only|a_few|a_couple))
 dents? dented stains? stained fair rust rusty torn faded
 (?:deep|visible|many|heavy|big|large|several)_(?:scratches|scratch|marks|scuffs|wear) lots_of_(?:scratches|marks|wear)
 muy_(?:usad[oa]|gastad[oa]) abollad[oa]s? abolladuras? oxidad[oa]s? muchos_(?:aranazos|rasgunos)
 tres_usee?s? bosselee?s? tachee?s? rouillee?s? dechiree?s? (?:beaucoup_de|grosses|profondes)_rayures
 stark_(?:gebraucht|abgenutzt|verkratzt) abgenutzt(?:e[nrs]?)? beulen? dellen? flecken? rostig(?:e[nrs]?)? rost
 zerrissen(?:e[nrs]?)? eingerissen (?:tiefe|viele|starke)_kratzern? klemmt klemmen hakt spinnt brummt wackelt
 arranhad[oa]s?_por_tod[oa] todo_riscado toda_riscada encrava
"""
_PT_SMALL = "(?:(?:pequen[oa]s?|ligeir[oa]s?|leves?|algu(?:m|ns|mas?)|uns|umas?|pouc[oa]s)_){0,5}"
"""More words before a blemish would be read again from each of them."""
_PT_LIGHT = "(?:_(?:leves?|ligeir[oa]s?|pequen[oa]s|de_uso|superficiais))"
_BLEMISH = r"""
 {PT_SMALL}riscos?{PT_LIGHT}* {PT_SMALL}riscad[oa]s?{PT_LIGHT}* {PT_SMALL}risc(?:inh|ozit|ozinh)os?{PT_LIGHT}*
 {PT_SMALL}arranh(?:ao|oes|ad[oa]s?){PT_LIGHT}* {PT_SMALL}marcas?{PT_LIGHT}*
 (?:(?:light|small|minor|slight|tiny|few|some|faint|hairline)_){0,5}(?:scratch(?:es|ed)?|scuffs?|scuffed|marks?|wear(?:_and_tear)?)
 sinais_de_uso signs_of_(?:use|wear) rayad[oa]s? aranad[oa]s?
 (?:pequen[oa]s_|leves_|ligeros_)?(?:aranazos?|rasgunos?)(?:_leves)? senales_de_uso
 (?:(?:petites?|legeres?|quelques|micro)_){0,3}rayures?(?:_legeres?)? rayee?s? eraflee?s? eraflures?
 (?:legeres_)?traces_d(?:usure|utilisation)
 (?:(?:kleiner?|leichter?|feiner?|ein|einige)_){0,3}kratzern? (?:ver|zer)kratzt(?:e[mnrs]?)? schrammen?
 (?:leichte_)?(?:gebrauchsspuren|gebrauchsspur)
""".replace("{PT_SMALL}", _PT_SMALL).replace("{PT_LIGHT}", _PT_LIGHT)
_PRAISE = r"""
 (?:tal_qual|como|parece)_nov[oa]s? nov[oa]s?_em_folha novinh[oa]s? por_estrear selad[oa]s? nunca_(?:foi_)?usad[oa]s?
 sem_uso excelentes? impec impecavel impecaveis imaculad[oa] perfeit[oa]_(?:estado|condicoes)
 (?:estado_)?(?:perfeito|otimo|optimo)
 (?:otim[oa]|optim[oa])_(?:estado|condicao) (?:esta|e|artigo|produto|telemovel|estado)_nov[oa]
 (?:scratch|mark|blemish)_free (?:like|lik|as|brand|nearly|almost|looks?)_new
 spotless mint sealed flawless excellent pristine
 immaculate (?:is|are|looks?)_perfect esta_perfect[oa] est_parfaite?
 unused (?:never|not|hardly|barely)_(?:been_)?used
 perfect_(?:condition|state|shape) parece_nuev[oa] como_nuev[oa] sin_usar (?:nunca|jamas)_usad[oa] sin_estrenar
 precintad[oa]
 comme_neu(?:f|ve) etat_neuf jamais_utilisee? parfait_etat excellent_etat impeccable
 (?:wie_)?neu neuwertig(?:e[mnrs]?)? unbenutzt makellos(?:e[mnrs]?)? ausgezeichnet(?:e[mnrs]?)? einwandfrei(?:e[mnrs]?)?
 nie_benutzt originalverpackt tadellos(?:e[mnrs]?)? perfekt(?:e[mnrs]?)?
"""
_FINE = r"""
 (?:muito_)?bo[am](?:_(?:estado|condicao))? bons boas bem_(?:estimad[oa]|conservad[oa]|tratad[oa])
 estimad[oa] pouc[oa]_(?:uso|usad[oa])
 (?:very_)?good(?:_(?:condition|shape|state))? nice_condition top gently_used well_kept
 (?:muy_)?buen(?:[oa]s?)?(?:_estado)? (?:bien|muy)_cuidad[oa]s? apenas_usad[oa]s? casi_sin_uso
 (?:tres_)?bon(?:ne)?_etat bien_entretenue? (?:sehr_)?gut(?:e[mnrs]?)?(?:_(?:zustand|erhalten))? gepflegt(?:e[mnrs]?)?
"""
_WORKS = r"""
 (?:tudo_(?:a_)?)?(?:funciona|funcionar|funcionam)(?:_(?:bem|tudo|perfeitamente|na_perfeicao|a_cem_por_cento))?
 (?:everything_|all_)?works?(?:_(?:well|fine|perfectly|great))? fully_functional (?:in_)?working_(?:order|condition)
 (?:tout_)?(?:fonctionne|marche)(?:_(?:bien|parfaitement))? (?:alles_)?funktioniert(?:_(?:gut|einwandfrei|alles))?
 voll_funktionsfahig
"""

_BARE_NEW = frozenset({"novo", "nova", "new", "nuevo", "nueva", "neuf", "neuve", "neu"})
_NEGATIONS = frozenset(
    """sem nao nem nada nunca nenhum nenhuma no not without never nothing isnt hasnt havent arent nor neither zero
    free barely hardly doesnt dont didnt sin ningun ninguna ni tampoco pas sans aucun aucune jamais ohne kein keine
    keinen keinem keiner keinerlei nicht nie niemals weder non jamas couldnt wasnt werent""".split()
)
_BETWEEN = frozenset(
    "qualquer quaisquer nenhum nenhuma um uma uns umas unico unica sinal sinais de do da dos das esta estao tem ter ha"
    " e foi ou nem o a os as ecra vidro tampa apresenta visivel visiveis any an the single sign signs of is been has"
    " have had given gave gives caused deu dado dada teve tido tive dio dado tuvo habido eu donne pose gemacht gehabt"
    " gab hatte visible major big or and nor it its ever got single to at all screen sao muito in there are real"
    " el la los las y pantalla cristal le les du des et tout ecran vitre ni noch der die das den ein eine einen"
    " und oder am im"
    " ist sind hat sichtbare sichtbaren".split()
)
"""Words that may stand between a denial and what it denies."""
_ENGLISH = patterns.compile(
    r"scratch|scuff|problem|crack|dent|damag|mark|wear|fault|defect|broken|rust|stain|torn|visible|sign|issue"
)
"""What an English `no` can deny; in Portuguese the word means `on the`."""
_ANY = frozenset({"no", "any", "without", "zero"})
_HARM = patterns.compile(
    r"(?:damage[ds]?|scratch(?:es)?|cracks?|issues?|problems?|faults?|dents?|marks?|wear|defects?)"
)
_LISTS = frozenset({"ou", "nem", "or", "nor", "ni", "oder", "noch"})
_SHORT_LIST = 4
"""Words of a clause that only goes on with a list of denied things, as `marcas ou amolgadelas`."""

_MOST_CLAUSES = 200
"""Clauses of a text that are read."""
_FAR = 12
"""So many words a denial reaches at most."""
_SHORT_CLAUSE = 7
_LINKS = frozenset(
    "e a o os as um uma com de da do no na em and the an on in of with has is or ou nor nem".split()
)

_SPELLED = frozenset(
    "excelente impecavel perfeito riscos arranhoes rachado partido avariado estragado excellent scratch scratches"
    " scratched cracked broken condition perfect working flawless damaged".split()
)


def _any_of(words: str) -> patterns.Pattern:
    """Compile phrases; a blank of theirs is written as `_`, and longer patterns are tried first."""
    phrases = sorted(words.split(), key=len, reverse=True)
    return patterns.compile(rf"\b(?:{'|'.join(phrases)})\b".replace("_", " "))


KINDS = tuple(
    (kind, _any_of(words))
    for kind, words in (
        ("fault", _FAULT), ("wear", _WEAR), ("blemish", _BLEMISH),
        ("praise", _PRAISE), ("fine", _FINE), ("works", _WORKS),
    )
)  # fmt: skip
_ANY_KIND = patterns.compile("|".join(pattern.pattern for _, pattern in KINDS))


BAD_KINDS = frozenset({"fault", "wear", "blemish"})
"""Kinds of findings that speak against a thing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A text's own words about the condition."""

    kind: str
    words: str
    denied: bool
    said: str
    """The words of the list that it is known by, folded."""
    is_sure: bool = True
    """Whether no denial stands before it that may reach it or not."""


@dataclass(frozen=True, slots=True)
class GradePhrase:
    """The grade that a text says, and the words that say it."""

    grade: Grade
    words: str


def findings(text: str, *, keeps_others: bool = False) -> list[Finding]:
    """Return all that a text without markup says of the condition, denied or not, in its order.

    What it says of a box or a screen protector is left out, unless `keeps_others`.
    """
    found: list[Finding] = []
    listing = False
    for clause in clauses_of(text)[:_MOST_CLAUSES]:
        words = words_of(clause)
        carries = listing and len(words) <= _SHORT_LIST and any(each.folded in _LISTS for each in words)
        here = list(_in_clause(clause, words, carries, keeps_others))
        listing = any(each.denied for each in here) and all(
            each.denied for each in here if each.kind in ("fault", "wear", "blemish")
        )
        found += here
    return found


def condition_of(text: str) -> GradePhrase | None:
    """Return the grade that a text says; None where it says none. A fault that a text names counts."""
    return grade_of(findings(text))


def harm_in_name(name: str) -> GradePhrase | None:
    """Return the wear or the fault that the name of a listed thing tells of; praise in a name may be the name."""
    said = condition_of(name)
    return said if said is not None and said.grade in ("C", "D") else None


def worse_of(one: GradePhrase | None, other: GradePhrase | None) -> GradePhrase | None:
    """Return the phrase with the lower grade, if there is any."""
    return max(filter(None, (one, other)), key=lambda each: each.grade, default=None)


def grade_of(found: Sequence[Finding]) -> GradePhrase | None:
    """Return the grade that findings say; None where they say none."""
    for kind, denied, grade in _ORDER:
        for each in found:
            if each.kind == kind and each.denied is denied:
                return GradePhrase(grade, each.words)
    return None


_ORDER: tuple[tuple[str, bool, Grade], ...] = (
    ("fault", False, "D"), ("works", True, "D"), ("wear", False, "C"), ("blemish", False, "B"), ("fine", True, "C"),
    ("praise", True, "B"), ("praise", False, "A"), ("fine", False, "B"), ("blemish", True, "A"), ("wear", True, "B"),
    ("fault", True, "B"), ("works", False, "B"),
)  # fmt: skip


def _in_clause(clause: str, words: list[Word], carries: bool, keeps_others: bool) -> Iterator[Finding]:
    read = [known_spelling(each.folded, _SPELLED) for each in words]
    if len(read) == 1 and read[0] in _BARE_NEW:
        yield Finding("praise", clause, False, read[0])
        return
    line, starts = _line_and_starts(read)
    if not _ANY_KIND.search(line):
        return
    taken: set[int] = set()
    spans: list[tuple[str, int, int]] = []
    for kind, pattern in KINDS:
        for match in pattern.finditer(line):
            first = starts[match.start()]
            last = first + match[0].count(" ")
            if not taken & set(range(first, last + 1)):
                taken |= set(range(first, last + 1))
                spans.append((kind, first, last))
    for kind, first, last in spans:
        if _is_of_item(read, kind, first, last, keeps_others):
            yield _finding_at(
                clause, words, read, (kind, first, last), taken, carries, is_whole=len(spans) == 1
            )


def _is_of_item(read: list[str], kind: str, first: int, last: int, keeps_others: bool) -> bool:
    """Return whether what stands there is said of the item itself, and not only feared or supposed."""
    if is_supposed(read, first):
        return False
    if not keeps_others and is_of_other_thing(read, first, last, is_bad=kind in BAD_KINDS):
        return False
    return kind not in ("praise", "fine") or not praises_part(read, " ".join(read[first : last + 1]))


def _finding_at(
    clause: str,
    words: list[Word],
    read: list[str],
    span: tuple[str, int, int],
    taken: set[int],
    carries: bool,
    *,
    is_whole: bool,
) -> Finding:
    """Return the finding of a clause between two words, with what denies it."""
    kind, first, last = span
    denial = _denial(read, first, taken, " ".join(read[first : last + 1]))
    end = last
    if kind in BAD_KINDS and read[last + 1 : last + 2] == ["free"]:
        denial, end = first, last + 1
    is_open = any(word in _NEGATIONS and at not in taken for at, word in enumerate(read[:first]))
    is_plain = kind == "blemish" and denial is None and not is_open
    is_large = is_plain and is_strong(read, first, last, taken)
    return Finding(
        kind="wear" if is_large else kind,
        words=_quote_clause(clause, words, first if denial is None else denial, end, is_whole=is_whole),
        denied=carries or denial is not None,
        said=" ".join(each.folded for each in words[first : last + 1]),
        is_sure=denial is not None or not is_open,
    )


def _quote_clause(clause: str, words: list[Word], first: int, last: int, *, is_whole: bool) -> str:
    """Quote a short clause that says nothing else, else the finding with the words beside it."""
    if is_whole and len(words) <= _SHORT_CLAUSE:
        return clause
    first, last = max(first - 1, 0), min(last + 1, len(words) - 1)
    while first < last and words[first].folded in _LINKS:
        first += 1
    while last > first and words[last].folded in _LINKS:
        last -= 1
    return clause[words[first].start : words[last].end]


def _line_and_starts(words: list[str]) -> tuple[str, dict[int, int]]:
    """Return the words as one line, and which of them begins where."""
    starts, length = {}, 0
    for at, each in enumerate(words):
        starts[length] = at
        length += len(each) + 1
    return " ".join(words), starts


def _denial(words: list[str], at: int, taken: set[int], said: str) -> int | None:
    """Walk back from a finding to the word that denies it, over words that may stand between and other findings."""
    for place in range(at - 1, max(at - _FAR, 0) - 1, -1):
        word = words[place]
        if word in _NEGATIONS and place not in taken:
            return place if word != "no" or _ENGLISH.search(said) else None
        if word not in _BETWEEN and place not in taken and not _is_compound(words, place, at, said):
            return None
    return None


def _is_compound(words: list[str], place: int, at: int, said: str) -> bool:
    """Return whether a word is the first one of an English compound that a `no` denies, as in `no water damage`."""
    return place == at - 1 and place > 0 and words[place - 1] in _ANY and _HARM.fullmatch(said) is not None
