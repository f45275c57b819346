"""The certainty of an answer: words that say one thing and nothing else are stored, others are asked back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from server import patterns
from server.languages import detect_language
from server.loopos.answers.words import FILLERS, IN_THE, NO_TYPOS, edits, fold, is_number, tokens

NEGATIONS = frozenset(
    "n nao nem nunca jamais sem not no without never none neither nor nenhum nenhuma nenhuns nenhumas nada ninguem "
    "dont doesnt isnt arent "
    "wasnt werent havent hasnt didnt wont cant cannot aint free".split()
)
_UNSURE = patterns.compile(
    r"(?<![\s,;.–—-])[\s,;.–—-]+(?:but |mas )?"
    r"(?:(?:i'?m |i am )?not (?:so |too |really |very |100 ?% |entirely )?(?:sure|certain)"
    r"|n[aã]o tenho (?:a )?(?:bem a )?certeza|sem certezas?"
    r"|(?:i['’]?m |i am )?(?:no|not an?|hardly an?) expert(?: though)?"
    r"|(?:eu )?n[aã]o (?:percebo|entendo) (?:nada |muito |grande coisa )?(?:d?isto|d?isso|do assunto)"
    r"|n[aã]o sou (?:nenhum |um |uma )?(?:perit[oa]|especialista|entendid[oa]|expert)"
    r"|that i (?:can|could) (?:see|tell|find)|that i know of|as far as i can (?:see|tell)"
    r"|que eu (?:veja|saiba|tenha visto))"
    r"[\s.!]*$",
    patterns.IGNORECASE,
)
HEDGES = frozenset(
    "acho penso julgo creio talvez parece provavelmente possivelmente suponho devia deve meio quase "
    "maybe perhaps think guess "
    "probably possibly suppose pode poderia could can should seems might mostly almost nearly kinda "
    "sorta pretendo depende".split()
)
CONTRASTS = frozenset(
    "mas porem contudo embora apesar exceto excepto salvo senao ate agora antes dantes ainda era eram "
    "estava estavam foi foram "
    "tinha tinham funcionava ficou but until till however although though except now before was were "
    "used had anymore yet still "
    "unless since desde depois after".split()
)
COMPARISONS = frozenset(
    "menos mais cerca perto acima abaixo volta roda aproximadamente minimo maximo uns umas tipo ronda "
    "rondar ou or entre between "
    "about around over under less more than almost nearly roughly approximately least most above below "
    "ish up early late mid "
    "inicio fim finais meados quase some circa passa superior inferior".split()
)
BARE_YES = frozenset(
    "sim simm simmm siim si s ss iso y yes yess yesss yeh yh yap yas aye yea yep yeah yup ya ye claro "
    "certo correto correct exato "
    "exatamente exacto exactamente exactly sure definitely absolutely certamente "
    "obviamente positivo afirmativo isso indeed evidentemente uhum aham mhm mmhm".split()
)
NODS = BARE_YES | frozenset(
    "ok oks okay okey okk oki k kk alright pronto ta esta bem thanks thank you obrigado obrigada".split()
)
"""An answer of these words alone says that something was heard, and names nothing."""
_OPENING = patterns.compile(
    r"(?P<yes>(?:{yes})\b[\s,.;:!–—-]*)|(?:nope|nah|naum|nada disso|de todo|not at all)\b[\s,.;:!–—-]*"
    r"|(?:no,? )?i['’]?m afraid not\b[\s,.;:!–—-]*"
    r"|(?:nao|nn?|no|negativo)(?:\s+(?:pah?|menin[ao]|amig[ao]|senhora?|man|mate|dude|bro|lol)\b)?\s*"
    r"(?:[,.;:!–—-]+|$|(?=(?:nao|no|it|its|i|the|there|they|obrigado|obrigada|thanks|wait|thats|enough|need|im|espera|espere|never|nunca|just|only|sorry|because|lost|sold|"
    r"gave|threw|we|he|she|left (?:it|the|mine))\b))".replace(
        "{yes}", "|".join(sorted(BARE_YES, key=len, reverse=True))
    )
)
_LEAD = patterns.compile(
    r"^\s*(?:(?:thank you(?: very much)?|thanks|(?:muito )?obrigad[oa]|"
    r"afinal|ali[aá]s|desculpe|desculpa|enganei-me|engano|actually|sorry|oops|i mean|well|oh|ah|h+m+|"
    r"(?:no|n[aã]o)[, ]+(?:wait|espera|espere)|(?:(?:no|n[aã]o)[, ]+)+i mean|"
    r"wait|espere|espera)\b[\s,.:!-]*)+",
    patterns.IGNORECASE,
)
_REFUSAL = patterns.compile(
    r"^\s*(?:(?:no|nope|nah|nn?|n[aã]o|oh|ah|hm+|well|sorry|mas|but|wait|espere?|espera|desculpe)\b[\s,.!:–—-]*)*?"
    r"(?:(?:that|this)(?:['’]?s| is| was)(?: still)? (?:not|wrong)(?: (?:it|that|this|right|correct|what i \w+))?"
    r"|(?:that|this|it) (?:isn|wasn)['’]?t (?:it|that|this|what i \w+)"
    r"|(?:that|this) (?:isn|wasn)['’]?t (?:right|correct)"
    r"|(?:it['’]?s )?not (?:it|that|this|right|quite|what i (?:said|meant|wrote))"
    r"|(?:isso |isto )?n[aã]o (?:[eé]|foi|era) (?:bem |nada )?(?:isso|isto|assim)(?: que (?:eu )?\w+)?"
    r"|(?:isso|isto) n[aã]o(?: (?:[eé]|est[aá]) (?:bem|certo|correto))?|n[aã]o (?:[eé]|est[aá]) (?:certo|correto)"
    r"|nada disso|(?:isso |isto )est[aá] (?:mal|errado)|errado|wrong)"
    r"(?:\s*(?:[.,;:!–—-]+\s*|$)|\s+(?=(?:é|s[aã]o|s[oó]|it['’]?s|just|only|apenas)(?!\w)))",
    patterns.IGNORECASE,
)
"""A refusal at the start of a text, with the mark after it; or before the first word of what is right."""
_IS = patterns.compile(r"\b(?:é|e\u0301)(?!\w)", patterns.IGNORECASE)
_ASKING = patterns.compile(
    r"(?:que|how|what a|why|quanto|quanta|qual|(?:are|do|did|can|could|will|would) (?:you|we))\s"
)
_CERTAINLY = patterns.compile(r"^(?:com certeza|of course|ofc|por certo|claro (?:que|q|k)(?: sim)?)(?=\W|$)")
_CERTAINLY_NOT = patterns.compile(
    r"^(?:com certeza|of course|ofc|por certo|claro)(?: (?:que|q|k))?"
    r"(?=(?: (?:ja|eu|isso|it|i|they|that|there|he|she)){0,2}+ (?:n(?:ao|aum|em|a|n|unca)?|not|never|no|nope|cant|"
    r"cannot|(?:does|do|did|has|have|had|is|are|was|were|wo|ca)n['’]?t)\b)"
)
"""`of course` and the like before a denial: `claro q n tem`, `of course it doesn't`."""
_GREETINGS = patterns.compile(
    r"^well(?=\s*,)|\b(?:bom dia|boa tarde|boa noite|(?<!\bestao )boas|good (?:morning|afternoon|evening|night|day|"
    r"luck|question)|boa pergunta|fair enough)\b"
    r"|(?<!\bhave)(?<!\bhas)(?<!\bgot)(?<!\bthere is) no (?:problem|bother|worries|probs)(?=[\s.!]*$)"
)
_SHORT, _TYPO, _TYPOS = 3, 6, 9
"""Letters of the shorter of two words: from so many on `is_like` allows another gender, one typing error, or two."""
_BOUNDS = patterns.compile(r"[~<>≥≤±≈]|\d\s*\+|\+\s*\d")
MARKERS = NEGATIONS | HEDGES | CONTRASTS | COMPARISONS
POLITE = frozenset(
    "infelizmente felizmente unfortunately sadly luckily "
    "sff pf obrigado obrigada thanks thank you please favor ok okay ola hello hi hey pois entao olha "
    "desculpe desculpa sorry mate man dude bro btw tbf pa pah menina menino amigo amiga lol honestly "
    "dear darling hun pal buddy querido querida "
    "serio senhor senhora sir madam afinal alias actually enganei engano mudar corrigir troque trocar change".split()
)
SMALL = (
    FILLERS
    | POLITE
    | frozenset(
        "esta estao ta tao eh tem tenho mine has have he she they there are shes hes giga gigas gig gigs x".split()
    )
) - (MARKERS | {"me", "im"})
"""Words beside an answer that say nothing about its value; `poor me` and `I'm good` speak of the seller."""
PRAISE = frozenset(
    "bom boa bons boas bem otimo otima optimo optima perfeito perfeita perfeitamente impecavel lindamente "
    "good well fine great perfect perfectly nice nicely sempre always".split()
)
"""Words after a yes that agree with it."""
_COURTESY = frozenset(
    "muito muita muitissimo very much lot thx tks ty cheers ta bye brigado brigada pls plz avancar avance seguir siga "
    "continuar continue go ahead on forca bora one the cool fixe whatever watever assim fica fique "
    "ficar deixa deixe deixar leave like way que ser pode looks sounds all tudo then enough agreed agree concordo "
    "confirmo confirma confirmado pronto safe next proxima proximo seguinte avanca".split()
)
_NO_MORE = patterns.compile(
    r"\b(?:(?:and |e )?(?:nothing (?:else|more)|no more|mais nada|nada mais|e so isso|so isso|"
    r"that'?s (?:all|it|everything)))"
    r"(?: (?:to add|a acrescentar|a dizer))?(?=[\s.!]*$)"
)
"""Words after a yes that end the answer."""
BARE_NO = frozenset("nao n nn no nope nah naum negativo".split())
_ECHO = frozenset(
    "sou e o a isso mesmo that thats right correct exact certo it do does is am tenho tem has have i com "
    "certeza of course ok pois esta sim "
    "yes".split()
)


def has_bounds(text: str, words: Iterable[str]) -> bool:
    """Return whether a number is only bounded or rough, as in `menos de 80`, `~80` or `90ish`."""
    return bool(_BOUNDS.search(text)) or not COMPARISONS.isdisjoint(words)


def doubts(words: Iterable[str]) -> bool:
    """Return whether anything is denied, softened, contrasted or compared."""
    return not MARKERS.isdisjoint(words)


def denies(text: str, language: str) -> bool:
    """Return whether a word of the text denies something."""
    return not NEGATIONS.isdisjoint(plain_words(text, language))


def asks(text: str) -> bool:
    """Return whether the text is a question or an exclamation of the seller, such as `que bom`, and no answer."""
    return "?" in text or _ASKING.match(fold(text)) is not None


def without_refusal(text: str) -> str:
    """Return the text without a refusal of what was understood in front of it: `no that's not it. just the pad`.

    Nothing is left of a text that only refuses.
    """
    return _REFUSAL.sub("", text)


def without_lead(text: str) -> str:
    """Return the answer without what announces a correction: `afinal`, `actually`, `sorry`."""
    return _LEAD.sub("", text)


def without_doubt(text: str) -> str:
    """Return the answer without a doubt at its end: `2100 km, not sure`; the text itself where it says nothing else."""
    said = _UNSURE.sub("", text)
    return said if content(tokens(said)) else text


def without_open_doubt(text: str) -> str:
    """Return the answer without a doubt before it: `que eu saiba não`, `not sure, about 2 years ago`."""
    return _OPEN_DOUBT.sub("", text)


_OPEN_DOUBT = patterns.compile(
    r"\b(?:que eu saiba|tanto quanto sei|(?:as|so) far as i know|afaik)\b,?"
    r"|^\s*(?:i['’]?m |i am )?not (?:really |quite |100 ?% |so |too |entirely )?sure(?: exactly)?[,.;]\s*(?=\w)"
    r"|^\s*n[aã]o (?:sei (?:bem|ao certo)|tenho (?:a )?(?:bem a )?certeza)[,.;]\s*(?=\w)"
    r"|^\s*(?:n[aã]o sei|i (?:don['’]?t|do not) know|not sure) (?:bem |muito bem |really )?(?:how to |como )?"
    r"(?:avali\w+|classific\w+|dizer|explicar|rate|grade|judge|tell|say)(?: (?:isso|isto|it|that))?[,.;]\s*"
    r"(?=(?:mas |but )?(?:acho|diria|talvez|penso|i'?d say|id say|i think|i guess|maybe)\b)",
    patterns.IGNORECASE,
)


def spell_is(text: str) -> str:
    """Return the text with `é` as `ser`: without its accent it would be the joint `e`."""
    return _IS.sub("ser", text)


def spell_and(text: str, language: str) -> str:
    """Return an English text with `and` for an `n` between two words: `spotless n face id works` denies nothing.

    Before a Portuguese verb the letter is short for `não`: `caixa n tenho`.
    """
    if _JOINING_N.search(text) is None or (detect_language(text) or language) != "en":
        return text
    return _JOINING_N.sub("and", text)


def spell_short(text: str) -> str:
    """Return the text with English words in full that are often typed short: `jus box`, `gd init`; what affirms its
    first clause stands before that: `originals of course`.
    """
    text = _ARE.sub("estão", text)
    return _SURELY.sub(
        r"\g<sure>, \g<said>", _SHORT_WORDS.sub(lambda found: _IN_FULL[found[0].lower()], text)
    )


_ARE = patterns.compile(
    r"^\s*t[aã]o\b(?=\s(?:(?:muito|bastante|meio)\s)?(?:bons|boas|bem|maus|m[aá]s|mal|nov[oa]s|usad[oa]s|gast[oa]s|riscad[oa]s|"
    r"impec[aá]veis|[oó]tim[oa]s|perfeit[oa]s|como|a)\b)",
    patterns.IGNORECASE,
)
"""The short `tão` for `estão`."""
_SURELY = patterns.compile(
    r"^\s*(?!(?:yes|yeah|yep|sim|s|no|nope|n[aã]o|claro|of|sure|isso|pois|é|acho|i|azu[il]\w*|verde|cinz\w*|rosa|"
    r"castanh[oa]|amarel[oa]|roxo|bege|tom|cor)\b)(?P<said>[^\W\d]+(?:\s[^\W\d]+){0,2}?)"
    r",?\s(?P<sure>claro(?: que sim)?|of course|obviously|com certeza)(?=\s*(?:[,.;!]|$))",
    patterns.IGNORECASE,
)

_IN_FULL = {
    "jus": "just",
    "jst": "just",
    "gd": "good",
    "init": "innit",
    "xept": "except",
    "got em": "got them",
} | {
    f"{each}in": f"{each}ing"
    for each in "peel flak crack rip leak miss work fall com go chipp rust tear".split()
}
_SHORT_WORDS = patterns.compile(rf"\b(?:{'|'.join(_IN_FULL)})\b(?!['’.])", patterns.IGNORECASE)
_JOINING_N = patterns.compile(
    r"(?<=\w\s)(?<!\b(?:yes|yea|yeah|yep|no|eu)\s)['’]?\bn\b['’]?(?=\s\w)"
    r"(?!\s(?:[eé]|est[aá]|est[aã]o|t[aáeê]m?|tenho|temos|h[aá]|foi|sei|d[aá]|faz|veio|v[eê]m|vai|vou|liga|funciona|precisa|"
    r"consigo|posso|quero|inclui|traz)\b(?!['’]))",
    patterns.IGNORECASE,
)


def plain_words(text: str, language: str) -> list[str]:
    """Return the folded words without greetings; the Portuguese `no` (in the) denies nothing."""
    words = tokens(_GREETINGS.sub(" ", fold(text)))
    if language != "pt" or len(words) < 2 or patterns.match(r"\s*no\s*[,.;:!]", fold(text)):  # noqa: PLR2004
        return words
    # `no` before its noun is read as `na`.
    return [word for word in tokens(IN_THE.sub("", _GREETINGS.sub(" ", fold(text)))) if word != "no"]


def opening(text: str) -> tuple[bool | None, str]:
    """Return the plain yes or no that the answer opens with, and what follows it.

    `não` and `no` answer only where a mark or nothing follows: `não está livre` denies, `não, está livre` does not.
    """
    says: bool | None = None
    rest = _CERTAINLY_NOT.sub("", _EXCLAIMS.sub("", fold(text))).strip()
    rest = _CERTAINLY.sub("claro", rest)
    if asks(text) and _OF_IT.match(rest):
        return None, fold(text)
    while found := _OPENING.match(rest):
        this = found["yes"] is not None
        if says is False and _OF_IT.match(rest):
            break  # `não, isso já foi para o lixo`
        if says is not None and this is not says:
            return None, fold(text)
        says, rest = this, rest[found.end() :].strip()
    return says, rest


_OF_IT = patterns.compile(
    r"(?:isso|that)\s(?!(?:mesmo|sim|claro|ai|pois|exat\w+|e quem|e quando|e como|e onde)\b)\w"
)
"""A word that agrees when it stands alone, and in a question is what is asked about: `isso é muito?`."""
_EXCLAIMS = patterns.compile(
    r"^(?:(?:oh|ah|well|h+m+)\b[\s,.!]*)+(?=(?:yes|yeah|yep|sim|no|nope|nao|i['’]?m afraid)\b)"
)


def is_bare(says: bool | None, rest: Iterable[str]) -> bool:
    """Return whether the text says nothing but yes or no, however often and politely."""
    return says is not None and all(word in POLITE or word in _ECHO for word in rest)


def adds_nothing(rest: str, language: str) -> bool:
    """Return whether the words after a yes to `… Certo?` are courtesy or a question, and take nothing of it back."""
    words = plain_words(_NO_MORE.sub(" ", fold(rest)), language)
    known = POLITE | SMALL | PRAISE | BARE_YES | _ECHO | _COURTESY
    takes_back = NEGATIONS.union(("ou", "or", "mas", "but"))
    asks_on = rest.rstrip().endswith("?") and takes_back.isdisjoint(words)
    return all(word in known for word in words) or (asks_on and not any(map(is_number, words)))


def is_hedged_yes(answer: str) -> bool:
    """Return whether the whole answer is a yes that is not certain, such as `acho que sim` or `yeah i guess`."""
    return _HEDGED_YES.fullmatch(" ".join(tokens(answer))) is not None


_HEDGED_YES = patterns.compile(
    r"(?:(?:sim|yes|yeah|yep|ya|well|bem|hm+)\s+)?(?:"
    r"(?:eu\s+)?(?:acho|penso|creio|julgo|suponho)(?:\s+(?:que|q|k|qe|eu))?\s+(?:sim|s|certo)"
    r"|(?:sim\s+)?(?:deve ser|deve estar certo|parece que sim|talvez sim|sim talvez"
    r"|mais ou menos sim|sim mais ou menos)"
    r"|(?:i\s+)?(?:think|guess|suppose|believe|reckon)(?:\s+(?:so|yes|yeah|that s right|thats right))?"
    r"|(?:probably|maybe)\s+(?:yes|yeah)|(?:yes|yeah)\s+(?:probably|maybe)"
    r"|(?:sim|yes|yeah)\s+(?:acho|penso|creio)(?:\s+eu)?"
    r"|devo\s+ter(?:\s+(?:para|por|ai|ca|la|algures|em|casa|guardad[oa]|isso))*"
    r"|i\s+(?:should|must)\s+have\s+(?:it|one|that|them)(?:\s+(?:somewhere|around|at|home))*)"
)


def is_hedged_no(answer: str) -> bool:
    """Return whether the whole answer is a no that is not certain, such as `acho que não` or `I don't think so`."""
    return _HEDGED_NO.fullmatch(" ".join(tokens(answer))) is not None


_HEDGED_NO = patterns.compile(
    r"(?:(?:no|nao|nah|well|bem|hm+|oh|ah)\s+)*(?:"
    r"(?:eu\s+)?(?:acho|penso|creio|julgo|suponho)(?:\s+(?:que|q|k|qe|eu))?\s+(?:nao|n)"
    r"(?:\s+(?:tenho|tem|tenha|temos|ha|esta|estao|foi|foram|e|sao|vem|inclui|isso))?"
    r"|(?:que\s+)?(?:eu\s+)?nao\s+me\s+parece|parece(?:\s+me)?\s+que\s+nao|(?:talvez|provavelmente|se calhar)\s+nao"
    r"|(?:i\s+)?(?:do not|dont|don t)\s+(?:think|believe|reckon|suppose)(?:\s+so|\s+(?:i|it|they|we|there|that)\s+"
    r"(?:do|does|have|has|is|are|was|were|did)(?:\s+(?:it|them|that|one|any))?)?"
    r"|i\s+(?:think|guess|suppose|believe|reckon)\s+(?:not|no)"
    r"|(?:probably|maybe|perhaps|rather)\s+not|not really"
    r")"
)


def content(words: Iterable[str], beside: Iterable[str] = ()) -> list[str]:
    """Return the words that carry meaning; `beside` are those of the question itself."""
    skipped = SMALL | set(beside)
    return [word for word in words if word not in skipped]


def is_like(one: str, other: str) -> bool:
    """Return whether the words are the same, in another gender or number, or with a small typing error."""
    if one == other:
        return True
    if (
        is_number(one)
        or is_number(other)
        or not NO_TYPOS.isdisjoint((one, other))
        or min(len(one), len(other)) < _SHORT
        or one[0] != other[0]
    ):
        return False
    if one.rstrip("aos") == other.rstrip("aos") or one in (f"{other}es", other.removesuffix("es")):
        return True
    limit = (min(len(one), len(other)) >= _TYPO) + (min(len(one), len(other)) >= _TYPOS)
    return bool(limit) and edits(one, other, limit) <= limit


def same_words(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether the words are the same in the same order, apart from small typing errors."""
    return len(one) == len(other) and all(map(is_like, one, other))


def drop_stressing(words: Iterable[str]) -> list[str]:
    """Return the words without those that only stress others."""
    return [word for word in words if word not in _STRESS]


_STRESS = frozenset(
    "geral overall muito bastante mesmo totalmente completamente todo toda really very totally completely".split()
)
