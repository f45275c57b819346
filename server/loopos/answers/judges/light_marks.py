"""Marks beside a yes to whether a thing is whole: a scratch, a chip or a stain is no break."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import HEDGES, NEGATIONS, content, opening
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.element import Element
from server.loopos.answers.judges.fault_notes import beside
from server.loopos.answers.options.question_words import own_words_of
from server.loopos.answers.words import fold, tokens

WHOLE = frozenset("inteiro inteira intacto intacta intact bom boa good legivel readable firme".split())
_PARTS = patterns.compile(
    r"(?<!\d)[,.]|[,.](?!\d)|[;!\n]|\b(?:mas|but)\b|"
    r"\s(?=(?:s[oó]|apenas|somente|only|just|apart from|except(?: for)?|tirando|exceto|menos (?:[oa]s?|uns|umas?))\s)",
    patterns.IGNORECASE,
)
_JOINED = patterns.compile(r"\s(?:e|and)\s", patterns.IGNORECASE)
_MARK = patterns.compile(
    r"\b(?:risc(?:o|os|ad[oa]s?)|risquinhos?|risquitos?|arranh\w+|mossas?|marcas?|marquinhas?|nodoas?|manch(?:as?|inhas?)|"
    r"scratch\w*|scuff\w*|marks?|chip(?:s|ped)?|nicks?|dings?|dents?|stain(?:s|ed)?)\b"
)
_BREAK = patterns.compile(
    r"\b(?:rach\w+|partid\w+|partiu|estal\w+|quebr\w+|fissur\w+|mort[oa]s?|crack\w*|broken?|smash\w*|shatter\w*|dead|pixe\w+|"
    r"missing|torn|lost|perd\w+|falta\w*)\b"
)
_WELL = patterns.compile(
    r"\b(?:inteir[oa]s?|intact[oa]?s?|bons|boas|funciona\w*|works?|working|respon\w+|bom|boa|ok|okay|good|perfeit[oa]s?|perfect|impecave(?:l|is)|"
    r"fine|bem|great|everything|tudo)\b"
)
_UNSEEN = patterns.compile(
    r"\b(?:(?:nem|nao|n) (?:se )?(?:nota|notam|ve|veem|afeta|incomoda)|"
    r"(?:cant|dont|hardly|barely) (?:even |really )?(?:see|notice|feel|tell)|"
    r"not (?:visible|noticeable)|nothing (?:major|bad|serious)|nada de (?:mais|especial|grave))\b"
)
_TROUBLE = (
    r"(?:rachad\w+|rachas?|partid[oa]s?|partiu|estalad\w+|quebrad\w+|fissuras?|riscos?|riscad[oa]s?|arranh\w+|mossas?|"
    r"danos?|danificad\w+|defeitos?|problemas?|falhas?|queixas?|avarias?|"
    r"crack(?:s|ed|ing)?|chip(?:s|ped|ping)?|broken|smashed|shattered|scratch(?:es|ed)?|dents?|"
    r"dead pixels?|damaged?|issues?|problems?|faults?|defects?|complaints?)"
)
_DENIED = patterns.compile(
    r"\b(?:(?:no|without|zero|sem|nada|nenhum[as]?|nem|never|nunca|nothing(?: is|['’]?s)?|none(?: of it)?(?: is)?|"
    r"not|isn['’]?t|hasn['’]?t(?: got)?|doesn['’]?t have|n[aã]o)"
    r"(?: (?:any|sign of|signs of|qualquer|quaisquer|est[aá]|tem|h[aá]|nenhum[as]?|é|have|visible))*"
    rf" {_TROUBLE})(?:(?: (?:or|nor|ou|nem)|,? (?:no|sem|nem|or|ou))(?: any)? {_TROUBLE})*\b",
    patterns.IGNORECASE,
)
"""Words that deny a break, a mark or any trouble: `no cracks or chips`, `nada partido`, `sem problemas`."""
_LIMITS = patterns.compile(
    r"\b(?:so|only|just|apenas|somente|but|mas|exce[p]?to|except|tirando|menos|apart|although|though|embora|as vezes|"
    r"sometimes|mostly|quase|almost|parte|part|metade|half|issues?|problem\w*|falha\w*|lags?|laggy|lent[oa]|slow)\b"
)
"""Words by which a thing is not all well, though a break is denied."""
_LEADING_NO = patterns.compile(r"^\s*(?:(?:n[aã]o|no|nope|nah)\b[\s,.;!]*)+", patterns.IGNORECASE)


def told_marks(element: Element, answer: str) -> str | None:
    """Return the words of the marks in an answer to whether a thing is whole, where it tells no other fault and denies
    nothing. Behind a no another clause has to say that the thing is well: `no no, it's whole, just the scratch`.
    """
    if element.kind != "boolean" or own_words_of(element).isdisjoint(WHOLE) or "?" in answer:
        return None
    whole = _DENIED.sub(" ", answer)
    said = _LEADING_NO.sub("", whole)
    flat = fold(said)
    is_marked = _MARK.search(flat) is not None
    if _BREAK.search(flat) or not (is_marked or (whole != answer and not _LIMITS.search(flat))):
        return None
    parts = [each for part in _PARTS.split(said) for each in _of_marks(part) if each.strip()]
    others = [each for each in parts if not _MARK.search(fold(each))]
    is_well = any(_WELL.search(fold(each)) for each in others)
    if any(map(_is_against, [_UNSEEN.sub(" ", fold(each)) for each in parts])) or any(
        map(tells_fault, others)
    ):
        return None
    told = [each for each in parts if each not in others or not (_WELL.search(fold(each)) or _is_empty(each))]
    is_clear = is_well or (said == answer if whole == answer else said == whole and is_marked)
    return beside(", ".join(map(str.strip, told))) if is_clear else None


def _of_marks(part: str) -> list[str]:
    """Return a clause, or the parts that `and` joins where one of them says that the thing is well."""
    joined = _JOINED.split(part)
    is_well = any(_WELL.search(fold(each)) and not _MARK.search(fold(each)) for each in joined)
    return joined if is_well else [part]


def _is_empty(part: str) -> bool:
    return opening(part) in ((True, ""), (False, "")) or not content(tokens(part), HEDGES)


def _is_against(part: str) -> bool:
    return not (NEGATIONS - {"no"} if _IN_PORTUGUESE.search(part) else NEGATIONS).isdisjoint(tokens(part))


_IN_PORTUGUESE = patterns.compile(r"\b(?:risc|arranh|moss|marc[ao]|nodoa|manch|ecra|canto)")
"""Words beside which `no` denies nothing."""
