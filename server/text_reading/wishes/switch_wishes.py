"""The wish to sell another thing before the present one: its name, in words that are no answer to a question."""

from server import patterns

_LONGEST = 120
_ART = r"(?:the\s|my\s|our\s|[oa]s?\s(?:(?:meus?|minhas?|noss[oa]s?)\s)?|(?:meus?|minhas?)\s)"
_ANY = rf"(?:{_ART}|an?\s|another\s|uma?\s|outr[oa]\s)"
_TIMES = (
    r"(?:first(?:ly)?|right now|now|before(?: (?:this|that))?|instead|primeiro|agora|j[aá]|antes(?: diss?o)?)"
)
_STOPS = (
    rf"(?:{_TIMES}|after\w*|later|next|when|quando|depois|mais tarde|also|too|as well|tamb[eé]m|tbm?|for|por|to|para|"
    r"with|com|and|e|but|mas|is|[eé]|please|se faz favor|por favor|s\.?f\.?f|"
    r"artigos?|produtos?|coisas?|items?|products?|things?|ones?)"
)
_THING = rf"(?P<thing>(?!{_STOPS}\b)[^\s,.;:!?]+(?:\s(?!{_STOPS}\b)[^\s,.;:!?]+){{0,4}})"
_LEAD = (
    r"^\s*(?:(?:e|and|mas|but|ok|okay|sim|yes|n[aã]o|no|wait|espera|olh[ae]|actually|afinal|then|ent[aã]o|so|"
    r"muito bem|bem|[oó]timo|boa|perfeito|certo|great|perfect|good|nice|done|pronto|feito|obrigad[oa]|thanks|thank you|"
    r"por favor|please|desculpe|sorry|btw|by the way|j[aá] agora|ah|oh|a prop[oó]sito|another thing|"
    r"outra coisa)[\s,.!]+)*+"
)
_END = r"(?=\s*(?:[,.;!?]|$))"
_EN = (
    r"(?:(?:can|could|may|shall)\s(?:i|we|you)\s|(?:i|we)(?:['’]?d| would)?\s(?:want to|wanna|need to|rather|like to|"
    r"prefer to)\s|let['’]?s\s|please\s)?"
)
_PT = r"(?:(?:quero|queria|posso|podemos|pod(?:e|ia|íamos)|vamos|prefiro|gostava de|d[aá] para|preferia)\s)"
_DO = r"(?:do|sell|list|take)"
_FAZER = r"(?:vender|fazer|anunciar|tratar d[oa]s?|tratar de)"
_WISHES = tuple(
    patterns.compile(each, patterns.IGNORECASE)
    for each in (
        rf"{_LEAD}{_EN}{_DO}\s{_ART}{_THING}\s{_TIMES}\b",
        rf"{_LEAD}{_EN}(?:start|begin|switch|move on|jump)\s(?:over\s)?(?:with|to)\s{_ART}{_THING}",
        rf"{_LEAD}{_PT}(?:{_FAZER})\s(?:{_TIMES}\s)(?:{_ART})?{_THING}",
        rf"{_LEAD}{_PT}(?:{_FAZER})\s(?:{_ART})?{_THING}\s{_TIMES}\b",
        rf"{_LEAD}{_PT}?(?:come[cç]ar|passar|mudar|come[cç]amos|passamos)\s(?:pel[oa]s?|com\s[oa]s?|para\s[oa]s?|[aà]o?s?)\s{_THING}",
        rf"{_LEAD}(?:primeiro|first)\s{_ART}{_THING}{_END}",
        rf"{_LEAD}{_ART}{_THING}\s(?:first|primeiro|antes){_END}",
        rf"{_LEAD}{_ART}{_THING}[\s,]+(?:quando|when)\b[^,.;!?]{{0,25}}\?",
        rf"{_LEAD}(?:quando|when)\s(?:[eé] que\s)?(?:do|can|will|shall|is|[eé]|vendo|vendemos|fazemos|tratamos)\s"
        rf"(?:(?:i|we)\s)?(?:(?:{_DO}\s|get to\s)?{_ART}|d[oa]s?\s){_THING}",
    )
)
_SALES = tuple(
    patterns.compile(each, patterns.IGNORECASE)
    for each in (
        rf"{_LEAD}(?:i|we)(?:['’]?d| would)?\s(?:also\s)?(?:want|wanna|like|love|need)\s(?:to\s)?(?:also\s)?"
        r"(?:sell|list)\s"
        rf"{_ANY}{_THING}",
        rf"{_LEAD}(?:tamb[eé]m\s)?(?:quero|queria|gostava de)\s(?:tamb[eé]m\s)?(?:vender|anunciar)\s"
        rf"(?:tamb[eé]m\s)?{_ANY}{_THING}",
        rf"{_LEAD}(?:tamb[eé]m\s)?(?:tenho|temos)\s(?:tamb[eé]m\s)?{_ANY}{_THING}\s(?:tamb[eé]m\s)?para\s(?:vender|venda)\b",
        rf"{_LEAD}(?:i|we)\s(?:also\s)?have\s(?:also\s)?{_ANY}{_THING}\s(?:to sell|for sale)\b",
    )
)
_ASKED = patterns.compile(
    rf"(?:^|[\s,.!])(?:e|and|what about|how about)\s{_ART}{_THING}\s*\?+\s*$", patterns.IGNORECASE
)
_NOW = r"(?:agora|now|next|a seguir|j[aá])"
_KINDLY = rf"(?:[\s,]+(?:please|por favor|s\.?f\.?f|se faz favor|pf|ent[aã]o|then|{_NOW}))*\s*[.!]*\s*$"
_NEXT = tuple(
    patterns.compile(each, patterns.IGNORECASE)
    for each in (
        rf"{_LEAD}(?:{_NOW}[\s,]+)?(?:(?:vamos|passamos|passemos|podemos (?:passar|ir))(?:\s{_NOW})?"
        r"\s(?:[aà]o?s?|para\s[oa]s?)|"
        rf"(?:let['’]?s\s(?:go|move|get)\s)?(?:on\s)?to\s(?:the|my|our))\s{_THING}{_KINDLY}",
        rf"{_LEAD}{_NOW}[\s,]+{_ART}{_THING}{_KINDLY}",
        rf"{_LEAD}{_ART}{_THING}\s{_NOW}{_KINDLY}",
    )
)
"""What names the thing that comes now: `agora vamos à cadeira`, `now the chair please`."""

_MORE = (
    r"^(?=.*\b(?:also|too|as well|later|after\w*|next|another|tamb[eé]m|tb[mn]?|depois|mais tarde|"
    r"a seguir|outr[oa])\b)"
)
"""The start of a message that says somewhere that the thing is one more."""
_HAS = tuple(
    patterns.compile(each, patterns.IGNORECASE)
    for each in (
        rf"{_LEAD}(?:(?:now|also|later)[\s,]+)?(?:i|we)(?:['’]ve)?\s(?:also\s(?:have|got|have\sgot|own)|"
        rf"(?:have|got|have\sgot)\salso)\s{_ANY}{_THING}",
        rf"{_LEAD}(?:now\s)?(?:i|we)(?:['’]ve)?\s(?:have|got|have\sgot)\s{_ANY}{_THING}\s(?:too|as well)\b",
        rf"{_LEAD}(?:(?:agora|depois)[\s,]+)?(?:eu\s)?(?:tamb[eé]m\s(?:c[aá]\s|aqui\s)?(?:tenho|temos)|"
        rf"(?:tenho|temos)\s(?:c[aá]\s|aqui\s|ainda\s)?(?:tamb[eé]m|mais))\s{_ANY}{_THING}",
        rf"{_LEAD}(?:(?:agora|depois|a seguir|mais tarde)[\s,]+)?(?:ainda\s)?(?:tenho|temos)\s{_ANY}{_THING}\s"
        r"(?:tamb[eé]m|(?:para\s)?(?:vender\s)?(?:depois|mais tarde|a seguir))\b",
        rf"{_LEAD}(?:depois|a seguir|mais tarde)[\s,]+(?:eu\s)?(?:ainda\s|tamb[eé]m\s)?(?:tenho|temos)\s{_ANY}{_THING}"
        rf"{_END}",
        rf"{_LEAD}(?:i|we)(?:['’]ve)?\s(?:have|got|have\sgot)\s{_ANY}{_THING}\s(?:(?:for|to sell|to do)\s)?"
        r"(?:later|afterwards?|after (?:this|that)|next)\b",
        rf"{_LEAD}(?:later|afterwards|after (?:this|that))[\s,]+(?:i|we)(?:['’]ve)?\s(?:have|got|have\sgot)\s"
        rf"{_ANY}{_THING}{_END}",
        rf"{_MORE}{_LEAD}(?:(?:i|we|(?:my|our)\s[\w-]+)(?:['’](?:ve|s))?\s)?(?:also\s)?(?:(?:have|has|got)\s(?:also\s)?)"
        rf"(?:got\s)?{_ANY}{_THING}\s(?:to\s(?:sell|list)|for\ssale)\b",
        rf"{_MORE}{_LEAD}(?:(?:eu|n[oó]s|[oa]s?\s(?:meus?|minhas?|nossos?|nossas?)\s[\w-]+)\s)?(?:tamb[eé]m\s|tb[mn]?\s)?"
        rf"(?:tenho|temos|t[eê]m)\s(?:tamb[eé]m\s|tbm?\s)?{_ANY}{_THING}\s(?:para|p|pra)\s(?:vender|venda)\b",
    )
)
_AFTERWARDS = patterns.compile(r"\b(?:after\w*|later|next|depois|a seguir|mais tarde)\b", patterns.IGNORECASE)


def wished_first(text: str) -> str:
    """Return the thing that a message wishes to sell at once, or besides the present one; else nothing."""
    return _thing(text, *_WISHES, *(() if _AFTERWARDS.search(text) else _SALES))


def asked_after(text: str) -> str:
    """Return the thing that a message asks after, `and the chair?`, names as the next, or has besides this one; else
    nothing.
    """
    return _thing(text, _ASKED, *_NEXT) or had_besides(text)


def had_besides(text: str) -> str:
    """Return the thing that a message says the seller has besides this one: `now I also have a bike`; else nothing."""
    return "" if "?" in text else _thing(text, *_HAS)


def is_for_later(text: str) -> bool:
    """Return whether a message says that what the seller has besides comes later: `depois tenho uma cadeira`."""
    return bool(had_besides(text)) and _AFTERWARDS.search(text) is not None


def _thing(text: str, *forms: patterns.Pattern) -> str:
    said = text if len(text) <= _LONGEST else ""
    found = next((each for form in forms if (each := form.search(said))), None)
    return found["thing"].strip("'\"«»“”") if found else ""
