"""The wishes of one message about a text, in their order: what is to go, to come, or to stand instead of a part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from server import patterns
from server.loopos.answers.clauses.change_requests import told_addition
from server.loopos.answers.words import MOST_LETTERS, tokens
from server.text_reading.wishes.quoted_parts import quoted_to_go

Kind = Literal["gone", "added", "instead", "once", "told"]


@dataclass(frozen=True)
class TextWish:
    """A clause of a message: what it wants, and the words that it names.

    `once`: the words are to stand there once. `is_plain`: a verb says so, and no words that may also tell a fact.
    `begins`: a sentence begins with it.
    """

    kind: Kind
    words: str
    is_plain: bool = True
    begins: bool = True


_POLITE = (
    r"(?:(?:please|pls|plz|por favor|pf|sff|also|tamb[eé]m|tb|just|maybe|perhaps|talvez|then|"
    r"ent[aã]o|actually|afinal|"
    r"ok|okay|yes|yeah|sim|no(?=[\s,.]+(?:take|leave|just))|n[aã]o(?=\s*,)|oh|ah|mas|but|and|e|so|"
    r"wait|espere?|espera|lol|"
    r"hm+|sorry|desculp[ae]|(?:can|could|would|will) (?:you|u|ya)|can (?:i|we)|podes?|podem?|poderia|podia[sm]?|"
    r"i(?:['’]d| would) (?:like|prefer)(?: you)? to|i(?:['’]d| would) rather|i want (?:you )?to|need (?:you )?to|"
    r"quero|queria|prefiro|preferia|gostava de|era melhor|d[aá] para|dava para)\b[\s,.:]*)*"
)
_TAKES = (
    r"(?:tir[ae]r?|tirem|retir[ae]r?|retirem|remov[ae]r?|remove|apag(?:ar?|ue)|elimin[ae]r?|delete|erase|omit[ae]?|"
    r"scrap|(?:drop|cut|lose|skip)(?= (?:the|that|my)\b)|(?:take|leave|cut) out|get rid of|take away)\b"
)
_BY_VERB = (
    patterns.compile(
        rf"^{_POLITE}{_TAKES}(?:\s+(?:l[aá]|a[ií]|por favor|pf|please|pls)\b)*\s*:?\s+(?P<what>\S.*)$",
        patterns.IGNORECASE | patterns.DOTALL,
    ),
    patterns.compile(
        rf"^{_POLITE}(?:take|leave|cut|get|keep)\s+(?P<what>(?!(?:it|that|this|them)\b)\S.*?)\s+(?:out|off|away)\b"
        r"(?:\s+of\b.*|\s+(?:please|pls|too|as well|then|now|actually|cause|cos|because|as|since)\b.*)?[\s.!]*$",
        patterns.IGNORECASE | patterns.DOTALL,
    ),
)
"""A verb says that a part is to go."""
_BY_STATE = (
    patterns.compile(
        r"^(?P<what>\S.*?)\s+(?:should|can|must|has to|have to|needs? to)\s+(?:go|come out|be (?:removed|"
        r"deleted|taken out))"
        r"[\s.!]*$",
        patterns.IGNORECASE,
    ),
    patterns.compile(
        r"^(?P<what>\S.*?)\s+(?:pode[m]?|deve[m]?|devia[m]?|tem de|t[eê]m de|[eé] para) (?:sair|"
        r"desaparecer|ir embora|ser "
        r"tirad[oa]s?|tirar|retirar|apagar)[\s.!]*$",
        patterns.IGNORECASE,
    ),
    patterns.compile(
        rf"^{_POLITE}(?:don['’]?t|do not|no need to|n[aã]o|n|escusa[sm]? de)\s+(?:(?:precisa[sm]? de|"
        rf"[eé] preciso)\s+)?"
        r"(?:(?P<again>repeat|repitas?|repetir)|mention|put|write|say|menciones?|mencionar|refir[ae]s?|referir|"
        r"ponhas?|p[oô]r|metas?|meter|escrev[ae]s?|escrever|digas?|dizer)\s+(?:again\s+)?(?:that\s+|que\s+)?"
        r"(?P<what>\S.*)$",
        patterns.IGNORECASE,
    ),
    patterns.compile(
        r"^(?P<what>\S.*?)\s+(?:(?:n[aã]o|n) (?:[eé]|era) (?:para|pra) (?:p[oô]r|estar|aparecer|meter|escrever)|"
        r"(?:is|was)(?:n['’]?t| not) (?:meant|supposed) to be (?:there|in|on)|"
        r"should(?:n['’]?t| not) be (?:there|in|on))\b.*$",
        patterns.IGNORECASE,
    ),
    patterns.compile(
        rf"^{_POLITE}(?:n[aã]o quero|n quero|i don['’]?t want|don['’]?t want|i do not want)\s+(?P<what>\S.*?)\s+"
        r"(?:(?:l[aá]|a[ií]|escrit[oa]s?|mentioned|written|there)|(?:no|na|nas|in) (?:(?:the|it)\s?)?"
        r"(?:texto|an[uú]ncio|notas?|text|notes?|listing|ad)?)[\s.!]*$",
        patterns.IGNORECASE,
    ),
)
"""Words that a fact may have too: a part goes only where the text has it."""
_WRITES = (
    r"(?:add|include|put|say|mention|write|note|acrescent(?:ar?|e)|adicion(?:ar?|e)|junt(?:ar?|e)|"
    r"met(?:a|e|er)|p[oõ]e|p[oô]r|"
    r"ponha|diz|diga|dizer|escrev(?:a|e|er)|mencion(?:ar?|e)|refere|referir|refira)\b"
)
_BEHIND = (
    r"(?:\s+(?:that|que|q|tamb[eé]m|tb|also|in|there|l[aá]|a[ií]|instead|antes|em vez disso|please|pls|por favor|pf|"
    r"to (?:it|them|the (?:text|notes?|listing|ad))|in the (?:text|notes?|listing|ad)|"
    r"n[oa]s? (?:texto|notas?|an[uú]ncio))\b)*"
)
_ADDS = (
    patterns.compile(
        rf"^{_POLITE}{_WRITES}{_BEHIND}\s*:?\s+(?P<what>\S.*)$", patterns.IGNORECASE | patterns.DOTALL
    ),
    patterns.compile(
        rf"^(?:(?:a|the|my)\s+)?(?:cor|colou?r)\s+(?:{_WRITES}|(?:is|[eé]|s[aã]o)\b)(?:\s+(?:just|only|"
        rf"s[oó]|apenas)\b)*"
        r"\s*:?\s+(?P<what>(?!n[aã]o\b|not\b)\S.*)$",
        patterns.IGNORECASE,
    ),
    patterns.compile(
        rf"^{_POLITE}i(?:['’]?d| would) (?:say|put|add|write|mention)(?:\s+that)?\s*:?\s+(?P<what>\S.*)$",
        patterns.IGNORECASE | patterns.DOTALL,
    ),
)
_ADDS_THAT = patterns.compile(
    rf"^{_POLITE}{_WRITES}(?:\s+(?:that|it|so|this|isso|isto|tamb[eé]m|too|instead|in|there|a[ií]|l[aá]))+[\s.!]*$",
    patterns.IGNORECASE,
)
"""A wish to write what stands before it."""
_CHANGES = patterns.compile(
    rf"^{_POLITE}(?:change|replace|swap|correct|mud[ae]r?|troc(?:ar?|ue)|substitu(?:a|i|ir)|"
    rf"alter[ae]r?|corri(?:ge|ja|gir))\s+"
    r"\S.*\s(?:to|with|for|by|into|por|para)\s+\S",
    patterns.IGNORECASE,
)
_CONTRASTS = patterns.compile(
    r"^(?:(?:oh|ah|e|and|mas|but|no|n[aã]o|sorry|desculp[ae]|afinal|actually|wait|s[aã]o|[eé]|"
    r"it['’]?s|there['’]?s|they['’]?re|"
    r"h[aá]|only|just|s[oó])\b[\s,]*)*"
    r"(?:(?P<new>[^,.;!?\n]{1,40}?)\s(?:e n[aã]o|and not|not|n[aã]o|instead of|"
    r"em vez d[eoa]s?)\s+(?:(?:the|os?|as?)\s+)?"
    r"(?P<old>[^\s,.;!?\n]+(?:\s[^\s,.;!?\n]+){0,2}))$",
    patterns.IGNORECASE,
)
"""A clause that names one thing instead of another: `4 games not 3`, `são 3 e não 4`."""
_BORDERS = patterns.compile(
    r"((?<!\d)[.;!?\n]+(?:\s+|$)|[.;!?\n]+(?:\s+|$)|,\s+|\s+(?:so|then)\s+(?=(?:maybe |perhaps |"
    r"just |please )*(?:say|put|add|take|leave)\b)|"
    rf"\s+(?=(?:and|e|but|mas)\s+{_POLITE}(?:{_TAKES}|{_WRITES}|(?:take|leave|cut)\s\S+(?:\s\S+){{0,5}}?\s(?:out|off)\b)))",
    patterns.IGNORECASE,
)
_ROW = patterns.compile(
    r"^(?:(?:e|and|also|tamb[eé]m)\s+)?(?:under|in|on|at|for|n[oa]s?|em)\s+(?:(?:the|o|a|os|"
    r"as)\s+)?[^\s,:]+(?:\s[^\s,:]+){0,3}?"
    rf"\s*[,:]?\s+(?=(?:the|that|o|a|os|as)\s+(?:part|bit|remark|comment|line|parte|frase|nota|coment[aá]rio)\b|{_POLITE}{_TAKES})",
    patterns.IGNORECASE,
)
"""The name of the row before what is to go from it."""
_WHY = patterns.compile(
    r"\s+(?:because|cause|cos|cuz|since|porque|pq|pois|(?:as|j[aá] que|visto que)(?=\s+(?:it|that|i|"
    r"we|they|the|h[aá]|est[aá]|n[aã]o)\b))"
    r"(?:\s|['’]).*$"
    r"|\s*[,.;]\s*(?:that|which)\b.*$|\s+that(?=['’]s|s\b| is\b| was\b).*$",
    patterns.IGNORECASE | patterns.DOTALL,
)
_REASON = patterns.compile(
    r"^(?:(?:and|e|as|since|because|porque|pq|pois|que|cos|cause)\s+)?(?:j[aá]|it(?:['’]?s)?|"
    r"i(?:['’](?:ll|m|d|ve))?|ill|im|ive|they|we|she|he|shes|hes|"
    r"that(?:['’]?s)?|n[aã]o|n|there|fica|fico|vou|vai|est[aá]|é|foi|era)\b|^[^\W\d]+(?:ei|ou|i-[oa]s?|ei-[oa]s?)$"
    r"|\b(?:is|was|are|were)(?:n['’]?t| not)\b|\bnot (?:included|coming)\b",
    patterns.IGNORECASE,
)
"""The start of a clause that says why a part is to go."""
_SAYS_MORE = patterns.compile(r"\b(?:has|have|got|tem|t[eê]m|tenho|temos)\b", patterns.IGNORECASE)
_VERBS = frozenset(
    "is are was were has have had got isnt arent esta estao e foi tem tenho temos sao era vai vao need needs falta "
    "faltam funciona works included there here isso isto".split()
)
_MOST_OF_THING = 5
_TOO = patterns.compile(r"\s+(?:too|as well|tamb[eé]m|tb|out|igualmente)[\s.!]*$", patterns.IGNORECASE)
_MERE = patterns.compile(
    r"^(?:(?:so|e|and|only|just|s[oó]|apenas)\s+)*+(?:(?:the\s+)?facts|(?:os\s+)?factos|"
    r"the rest (?:is|stays)\b.*|o resto (?:fica|est[aá])\b.*|"
    r"(?:(?:please|por favor)\s+)?(?:leave|keep|deix[ae]|mant[eé]m|mantenha)\s+(?:tudo |all )?(?:the (?:rest|others?)|"
    r"everything else|o (?:resto|mais)|[oa]s outr[oa]s)\b(?!.*\b(?:out|off|fora)\b).*)"
    r"(?:\s+(?:please|pls|por favor|thanks|obrigad[oa]))*$"
    r"|^(?:thanks|thank you|obrigad[oa]|please|pls|por favor|ok|sim|yes|cheers|ta)$",
    patterns.IGNORECASE,
)
"""A clause that says how a text is to be, and names nothing of the item."""


def read_text_wishes(message: str) -> list[TextWish]:
    """Return the wishes of a message, and as `told` its other clauses; nothing where it wants no part to go or to
    change.
    """
    if quoted := quoted_to_go(message):
        return [TextWish("gone", quoted)]
    found = _read_clauses(message)
    return found if any(each.kind in ("gone", "instead", "once") for each in found) else []


def read_wished_additions(message: str) -> list[str]:
    """Return what a message says to write, where it says nothing else; nothing of a picture or another item."""
    found = _read_clauses(message)
    is_other = (
        not found or _OF_OTHERS.search(message) is not None or any(each.kind != "added" for each in found)
    )
    return [] if is_other else [each.words for each in found]


_OF_OTHERS = patterns.compile(
    r"\b(?:fotos?|fotografias?|photos?|pictures?|images?|imagens?|pre[cç]o|price|another (?:item|one|"
    r"thing)|outr[oa] (?:artigo|coisa|item)|"
    r"(?:in|under|n[oa]|for) (?:the )?(?:condition|estado|price|pre[cç]o|year|ano|date|data))\b",
    patterns.IGNORECASE,
)


def _read_clauses(message: str) -> list[TextWish]:
    found = list[TextWish]()
    parts = _BORDERS.split(_ROW.sub("", message)) if len(message) <= MOST_LETTERS else []
    for at in range(0, len(parts), 2):
        clause = _ROW.sub("", parts[at].strip(" ,.;!"))
        if tokens(clause) and not _MERE.match(clause):
            border = parts[at - 1].strip() if at else "."
            is_asked = "".join(parts[at + 1 : at + 2]).lstrip().startswith("?")
            _take_clause(found, clause, begins=border not in ("", ","), is_asked=is_asked)
    return [
        replace(each, words=_strip_quotes(each.words)) if each.kind == "added" else each for each in found
    ]


def _strip_quotes(words: str) -> str:
    """Return the words in quotes where nothing but courtesy stands around them, else the words as they are."""
    quoted = _QUOTED.match(words)
    return quoted["said"].strip() if quoted else words


_QUOTED = patterns.compile(
    r"^\s*[\"«“](?P<said>[^\"«»“”]+)[\"»”]"
    r"(?:[\s,.;!]+(?:please|pls|plz|por favor|pf|sff|thanks|thank you|obrigad[oa]|cheers|ta))*[\s.!]*$",
    patterns.IGNORECASE,
)


def _take_clause(found: list[TextWish], clause: str, *, begins: bool, is_asked: bool) -> None:
    """Add what a clause wants to the wishes found before it."""
    last = found[-1] if found else None
    if _ADDS_THAT.match(clause):
        if last is not None and last.kind == "told":
            found[-1] = replace(last, kind="added", words=_ASIDE.sub("", _JOINT.sub("", last.words)))
        return
    wish = _wish_of(clause, begins=begins)
    is_gone = last is not None and last.kind == "gone"
    if wish is not None:
        found.append(wish)
    elif is_gone and not begins and _REASON.search(clause) and not _SAYS_MORE.search(clause):
        return
    elif last is not None and is_gone and _is_thing(clause) and (not begins or _TOO.search(clause)):
        found.append(replace(last, words=_tidy_part(clause)))
    elif last is not None and last.kind == "added" and not begins:
        found[-1] = replace(last, words=f"{last.words}, {clause}")
    elif not is_asked:
        found.append(TextWish("told", clause, begins=begins))


_JOINT = patterns.compile(r"^(?:(?:ah|oh|e|and|mas|but|so|also|tamb[eé]m)\b[\s,]*)+", patterns.IGNORECASE)
_ASIDE = patterns.compile(r"\s+(?:tho|though|lol|actually)$", patterns.IGNORECASE)


def _wish_of(clause: str, *, begins: bool) -> TextWish | None:
    """Return what a clause wants; None where it only tells."""
    if _SETS_PRICE.search(clause):
        return None
    for shapes, is_plain in ((_BY_VERB, True), (_BY_STATE, False)):
        for shape in shapes:
            if named := shape.match(clause):
                kind: Kind = "once" if named.groupdict().get("again") else "gone"
                words = _tidy_part(named["what"])
                return TextWish(kind, words, is_plain=is_plain, begins=begins) if words else None
    is_change, contrast = _CHANGES.match(clause) is not None, _CONTRASTS.match(clause)
    said = tokens(contrast["new"] + " " + contrast["old"]) if contrast else []
    is_contrast = contrast is not None and not _LEADS.issuperset(tokens(contrast["new"]))
    if is_change or (is_contrast and _VERBS.isdisjoint(said)):
        return TextWish("instead", clause, is_plain=is_change, begins=begins)
    added = told_addition(clause)
    named = next((each for shape in _ADDS if (each := shape.match(clause))), None) if not added else None
    words = added or (named["what"] if named else "")
    return TextWish("added", words, begins=begins) if words else None


_LEADS = frozenset(
    "oh ah ai eh hm hmm ups oops ops e and mas but sorry desculpa desculpe afinal wait espera".split()
)
"""Words before `não` that name nothing: `ah não 82` puts 82 in the place of what was said before it."""
_SETS_PRICE = patterns.compile(
    r"\b(?:pre[cç]o|price|valor)(?: down| pedido)? (?:to|by|at|para|pra|em|a) (?:about |around |uns |cerca de )?€?\d"
    r"|\d ?(?:€|euros?|eur|e)? (?:ao|do|no|from the|off the) (?:pre[cç]o|price|valor)\b",
    patterns.IGNORECASE,
)
"""A price that is to be another amount, which is no part of a text: `drop the price to 140`."""


def _is_thing(clause: str) -> bool:
    said = tokens(_TOO.sub("", clause))
    return len(said) <= _MOST_OF_THING and _VERBS.isdisjoint(said[1:]) and "i" not in said


_PART = patterns.compile(
    r"^(?:(?:and|e|the|that|my|o|a|os|as|any mention of|everything about|parte|frase|bocado|linha|nota|coment[aá]rio|"
    r"part|bit|remark|comment|line|sentence|thing|words|about|of|sobre|d[aeo]s?|que (?:diz|fala)|where it says)\s+)+"
    r"(?=\S)",
    patterns.IGNORECASE,
)
_PART_END = patterns.compile(
    r"\s+(?:bit|part|thing|line|sentence|remark|comment|stuff|words?|please|pls|por favor|pf)[\s.!]*$",
    patterns.IGNORECASE,
)


def _tidy_part(words: str) -> str:
    """Return the words of a part without those around them, and without why it is to go."""
    left = _TOO.sub("", _PART_END.sub("", _WHY.sub("", words)))
    return _PART.sub("", _PART_END.sub("", left)).strip(" ,.;:!")
