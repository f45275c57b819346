"""Things that a message says are not there any more, or do not go with the item: `the case is not included`."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.words import MOST_LETTERS, fold

_ARTICLES = r"(?:(?:o|a|os|as|the|my|any|um|uma|ess[ea]s?|est[ea]s?|meu|minha|that|this)\s)*"
_THING = (
    r"(?P<what>(?!(?:it|this|that|them|they|i|you|we|isso|isto|ele|ela|nada|nothing|everything|tudo|to|dizer|"
    r"problem\w*|idea|rush|pressa|preco|price|longer|more|about|with|que|mais|eu|just|only|so|write|"
    r"put|its?|im|is|not|apenas|escrev\w+|hoje|today|agora|now|ainda|still|ja|sim|yes|nao|n)\b)"
    r"[^\W\d]\w*(?: [^\W\d]\w*){0,3}?)"
)
_NOT = r"(?:ja )?(?:nao|n|isnt|arent|aint|(?:is|are|s)(?: actually)? not|doesnt|does not|dont|do not|wont|will not)"
_GONE_BEHIND = patterns.compile(
    rf"{_ARTICLES}{_THING} "
    r"(?:(?:afinal|actually|na verdade|in the end) )?"
    rf"(?:{_NOT} (?:included|coming|there|going|come|go|exist|be (?:included|coming|there)|vai|vao|vem|"
    r"esta|estao|entra|entram|segue|faz parte|conta|existe|ha|(?:e|for|part|in|with)(?= (?:para venda|sale|of|it)\b))|"
    r"(?:is|are|s|re) (?:gone|missing|lost|no longer (?:included|there|part))|"
    r"(?:foi|era|was|is) (?:um |por |a )?(?:engano|erro|lapso|mistake)|ficam? (?:comigo|ca|em casa)|"
    r"(?:(?:eu|i|afinal|actually|ja|have|ive) )*"
    r"(?:perdi|lost|(?:nao|n) (?:tenho|encontro)|(?:dont|do not|no longer) have|cant find))"
    r"(?: (?:ja|la|ca|there|in|com|with|it|isso|incluid\w+|included|mais|no|na|anuncio|venda|para|this|the|of|sale|box|"
    r"any ?more|any longer|after all|afinal|actually|now|agora|sorry|tho|though|please))*"
)
"""A clause that says of the thing that it names first that it is not there, or does not go with the item."""
_GONE_BEFORE = patterns.compile(
    r"(?:(?:i|eu|it|they|im|i am|ill|will|ll|m|id|theres|there is|there are|has|vou|prefiro|quero|going to|gonna|have|"
    r"ive|just)\s)*(?:tir[ae]m?|retir[ae]m?|remov[ae]|remove|drop|exclude|skip|(?:take|leave) out|"
    r"(?:fico|ficar|ficamos)(?: eu)? com|guardo|guardar|keep|keeping|"
    r"(?:forget|ignore)(?: about)?|esquec(?:e|a|am|er)|ignor[ae]|"
    r"(?:comes? |vai |fica )?(?:without|sem)|no(?: longer| more)?(?: have| includes?)?|perdi|lost|faltam?|"
    r"(?:nao|n) encontro|cant find|not (?:including|selling|giving)|"
    r"(?:ja )?(?:nao|n|doesnt|does not|dont|do not|wont|will not) (?:vai|vao|vem|leva|traz|inclui|incluo|tem|tenho|ha|"
    r"dou|vendo|come|comes|include|have|go|be including)(?: (?:com|with|incluid[oa]s?))?)"
    rf"\s{_ARTICLES}{_THING}"
)
"""A clause that says so of the thing that ends it."""
_GONE_LEAD = patterns.compile(
    r"^(?:(?:ah|oh|olh[ae]|esper[ae]|wait|sorry|desculp[ae]|afinal|actually|ok|then|entao|so|also|tambem|e|and|mas|but|"
    r"well|bem|just|please|por favor|in the end|na verdade|no(?= (?:the|its?|im?|ill)\b)|(?:nao|n)(?= [oa]s?\b))\b\s?)+"
)
_GONE_END = patterns.compile(
    r"(?: (?:any ?more|any longer|after all|actually|afinal|now|agora|either|tho|though|please|por favor|sorry|"
    r"for (?:myself|me|us)|(?:para|pra) (?:mim|nos)|"
    r"incluid[oa]s?|included|with it|nenhum|nenhuma|mais|there|la|ca))+$"
)
_CLAUSES = patterns.compile(
    r"(?<!\d)[,.;:!?\n]+|[,.;:!?\n]+(?!\d)|\s(?:e|and|mas|but|so|porque|pq|because)\s", patterns.IGNORECASE
)
_MERELY = patterns.compile(r"(?:so|apenas|somente|just|only)\b")
_LISTED = patterns.compile(
    r"(?:o|a|os|as|the|my)\s(?P<what>[^\W\d]\w*(?: (?!(?:yes|sim|tem|has|is|are|vai|vem|esta|ta|ok)\b)[^\W\d]\w*)?)"
)
"""A further thing that `and` joins to such a clause."""


_DROPS = patterns.compile(r"\s*(?:drop|remove|take out|leave out|exclude|skip)\b", patterns.IGNORECASE)
"""The start of a clause that says what is to go."""


def withdrawn_things(message: str) -> tuple[list[str], list[str]]:
    """Return the things that clauses of a message say are not there any more or do not go with the item, and the other
    clauses: `fico com a mala, faço 110`.
    """
    things, others = list[str](), list[str]()
    clauses = _CLAUSES.split(message) if len(message) <= MOST_LETTERS and "?" not in message else []
    takes_out = any(_DROPS.match(each) for each in clauses)
    for clause in filter(None, map(str.strip, clauses)):
        flat = " ".join(patterns.findall(r"\w+", fold(clause)))
        if takes_out and flat.startswith("keep "):
            continue  # `keep the box and drop the charger`: it stays in the text.
        bare = _GONE_END.sub("", _GONE_LEAD.sub("", flat))
        found = _GONE_BEFORE.fullmatch(bare) or _GONE_BEHIND.fullmatch(
            flat if bare == flat else _GONE_LEAD.sub("", flat)
        )
        found = found or (
            _LISTED.fullmatch(bare) if things and not others and not _MERELY.match(flat) else None
        )
        if found is None:
            others.append(clause)
        else:
            things.append(found["what"])
    return things, others


def tells_why_gone(clause: str) -> bool:
    """Return whether a clause only says why a thing is not there any more: `deitei fora`, `I threw it out`."""
    return _WHY_GONE.fullmatch(" ".join(patterns.findall(r"\w+", fold(clause[:MOST_LETTERS])))) is not None


_WHY_GONE = patterns.compile(
    r"(?:(?:i|eu|we|ja|it|e|and|mas|but|que|acho que|think i|must have|ve|ive|have|had|just|so|porque|because|"
    r"foi|foram|was|were|is|got|sorry|desculp[ae]|im|am|m|ill|ll|will|vou|said|disse)\s)*"
    r"(?:keep(?:ing)? (?:it|them|that)|fic(?:o|ar) com (?:el[ae]s?|isso)|guard(?:o|ar)(?: l?[oa]s?)?|"
    r"deitei|deitad[oa]s?|joguei|mandei|foi se|threw|thrown|throw|binned|chucked|perdi|perdid[oa]s?|lost|lose|"
    r"vendi|sold|dei|gave|given|tossed|parti|estraguei|partiu se|estragou se|broke|(?:nao|n) (?:sei|encontro|acho)|"
    r"cant find|dont know|no idea|nao faco ideia)"
    r"(?:\s(?:it|them|that|isso|fora|away|out|onde|where|when|quando|in|na|no|ao|ha|sorry)\b.*|"
    r"\sl?[oa]s?(?:\s(?:quando|na|no|em|ha|ao|fora|para|a)\b.*)?)?"
)


def keeps_things(message: str) -> bool:
    """Return whether the seller says in a message that they keep something for themselves."""
    return _KEEPS.search(fold(message[:MOST_LETTERS])) is not None and bool(withdrawn_things(message)[0])


_KEEPS = patterns.compile(
    r"\b(?:(?:fico|ficar|ficamos)(?: eu)? com|guardo|guardar|(?:ll|will|ill|am|im|m|to|gonna) (?:be )?keep(?:ing)?|"
    r"keep .{1,40} for (?:myself|me|us))\b"
)
