"""The yes that a message begins with: what stands behind it, and whether that takes it back or numbers a model."""

from server import patterns

_FLAT = str.maketrans("áàâãäéèêëíìîïóòôõöúùûüç’", "aaaaaeeeeiiiiooooouuuuc'")
"""Letters without their accents, one for one: places in the flat text are places in the text."""
_YES = (
    r"(?:certissimo|yes+|yea+h?|yeh|yep|yu+p|yap|yh|ya+|ye|aye|sii?m+|ss|claro|certo(?=\s*(?:[,.;!]|$))|exac?t\w+|correct[oa]?|sure|"
    r"definitely|absolutely|indeed|right(?=\s*(?:[,.;!]|$))|isso(?!\W*n(?:ao|em)\b|\s[^,.;!\n]*\?)|"
    r"uhum|aham|mhm|perfect|perfeito|confirm(?:o|ed|ado)?|of course|com certeza"
    r"|i (?:think|believe|guess|suppose|reckon) so|(?:eu )?(?:acho|penso|creio|julgo|parece)(?: que|-me que)? sim"
    r"|(?:pois e|e pois|pois claro|it is)(?=\s*(?:[,.;!]|$))|it is indeed"
    r"|(?:probably|most likely|should be|provavelmente|deve ser)(?=\s*(?:[,.;!]|$)))"
)
"""A yes, sure or hedged: `I think so`."""
_POINTS = (
    r"(?:(?:that ?'?i?s|it ?'?i?s|this is) (?:it|the one|this one|that one|right|correct|mine|so(?=\s*(?:[,.;!]|$)))"
    r"|(?:that|this) one"
    r"|(?:e |sao )(?:ess|est)[ea]s?|e isso|e mesmo (?:ess[ea]|est[ea]|isso)|(?:ess|est)[ea]s? (?=mesm))(?: mesm[oa])?"
)
"""A pointer to what is shown: `that's it`, `é esse`."""
_MARK = r"[\s,.;:!–—-]"
_OPENING = patterns.compile(
    rf"{_MARK}*(?:(?:(?:ah|oh|ok|okay|well|bem|[sy](?=\s+{_POINTS}\b))\b{_MARK}*)?(?:{_YES}|{_POINTS})\b{_MARK}*"
    rf"|(?:(?:ok(?:ay)?|alright)\s+)?(?:ok(?:ay)?|alright|fine|pronto|pode ser|ta bem|esta bem|k|s|y)\s*[,.;!]{_MARK}*)"
    rf"(?:(?:{_YES}|{_POINTS}|it is(?=\s*[,.;!])|mesm[oa]s?|ess[ea]s?|est[ea]s?)\b{_MARK}*)*"
)
_IS = patterns.compile(r"\s*é(?=\s*[,.;!]|\s+(?:sim|claro|pois)\b)")
"""The verb alone, with its accent, as a yes: `é, 64 GB`; without the accent it joins sentences."""
_LATER = r"(?:wait|espere?|espera|afinal|actually|alias|hm+|sorry|desculp[ae])"
_TAKES_BACK = patterns.compile(
    rf"[\s?]*(?:(?:e|mas|but|and|so que|is)\s+)?(?:(?:or|ou)\s+(?:the|an?|o|a|um|uma|is|e|maybe|talvez|outr[oa]|\d)"
    rf"|primeiro\b|first\b|isn'?t\b"
    rf"|(?:{_LATER}\b[\s,.!]*+)*+(?:no|nao|not|nope|nah)\b(?=\s*(?:$|[,.;:!?]|(?:mine|meu|minha|it|it'?s|that|that'?s|e|"
    rf"era|the|o|os|a|as|this|quite|really|bem|ess[ea]|est[ea]|{_LATER})\b))"
    rf"|{_LATER}\b[\s,.!]*(?:$|(?:it ?'?i?s|e|era) (?:the|an?|o|a|um|uma|outr[oa]|another)\b))"
)
_PRICED = patterns.compile(
    r"\b(?:i ?'?d (?:like|want)|i would (?:like|want)|(?:i )?want(?:ed)?|asking|quero|queria|gostava de|pedia)"
    r"(?: (?:pedir|to ask|to get|about|around|uns|cerca de))? (?:€|£)?\d{1,5}(?![\w%])(?: ?(?:€|euros?|eur|quid))?"
    r"(?= (?:for|pel[oa]s?|por) )",
    patterns.IGNORECASE,
)


_SHOWN_YES = patterns.compile(r"^\s*(?:[👍👌✅✔🆗💯][\U0001f3fb-\U0001f3ff\ufe0f\u200d]*\s*)+[\s,.!]*")
_NO_YES = patterns.compile(
    rf"{_MARK}*(?:"
    rf"(?:(?:{_YES}|ok(?:ay)?|right|certo|isso|s|y)\b{_MARK}*)+\?[\s?!.]*"
    r"|(?:(?:is|e|so|then|entao|was that|that was|foi)\s+){0,3}(?:(?:a|um)\s+)?(?:yes|sim)\s+(?:or|ou)\s+"
    r"(?:(?:a|um)\s+)?(?:no|nao)(?:\s+(?:what|o que))?[\s?!.]*"
    rf"|(?:(?:{_YES}|ok(?:ay)?){_MARK}+)?(?:mas\s+|but\s+|e\s+|and\s+)?"
    r"(?:(?:eu\s+)?nao\s+(?:tenho\s+(?:bem\s+|a\s+){0,2}certezas?|sei(?:\s+(?:bem|ao certo))?)|sem\s+certezas?"
    r"|(?:(?:i'?m|i am|im)\s+)?(?:not\s+(?:(?:too|so|very|really|quite|100%|entirely|completely)\s+)?(?:sure|certain)"
    r"|unsure)|(?:i\s+)?(?:don'?t|do not)\s+(?:really\s+)?know)[\s.!,]*"
    r"|(?:maybe|talvez|se calhar|i guess|perhaps)[\s.!,]*"
    rf"|(?:maybe|perhaps|talvez|se calhar|i guess){_MARK}+(?:{_YES})[\s.!,]*"
    r"|(?:ok(?:ay)?|k|yes|sim)[\s,.]+(?:(?:but|mas|and|e)\s+)?"
    r"(?:what|que|o que|why|porque|how come)(?:\s+(?:now|agora|e isso|is that))?[\s?!.]*"
    r")"
)
"""All of a text that only asks for a yes, or doubts it: `yes?`, `sim ou não?`, `yes but not sure`, `maybe yes`."""


def spell_shown_yes(text: str) -> str:
    """Return a text that begins with a sign of agreement, as a raised thumb, with a word for it."""
    rest = _SHOWN_YES.sub("", text)
    return text if rest == text else f"ok, {rest}" if rest else "ok"


def agrees_to_nothing(text: str) -> bool:
    """Return whether a text only asks for a yes, or doubts it: `yes?`, `sim ou não?`, `yes but not sure`."""
    return _NO_YES.fullmatch(text.casefold().translate(_FLAT)) is not None


def without_price_of(text: str) -> str:
    """Return a text without a price that it asks for a thing which it names: `I'd like 55 for the Kindle`.

    A sentence that says the price by its name goes whole: `actually let's make the price 150`.
    """
    sentences = patterns.split(r"(?<=[.!?;])\s+", text.replace("’", "'"))
    return _PRICED.sub(" ", " ".join(each for each in sentences if not _NAMES_PRICE.search(each)))


_NAMES_PRICE = patterns.compile(r"\b(?:price|pre[cç]o)\b", patterns.IGNORECASE)


_GRADES = r"(?:pro|max|mini|plus|lite|ultra|slim|mark|ii|iii|iv)"
_BARE_MODEL = patterns.compile(
    r"[\s,.]*(?:(?:mas|but|e|it'?s|is|the|o|um|uma|an?|diz|que|says|one|meu|minha|mine|afinal|actually)\s+)*+"
    rf"(?P<model>\d{{1,4}}[a-z]?(?:\s{_GRADES})*|{_GRADES}(?:\s{_GRADES})*)[\s.!]*"
)


def after_yes(text: str) -> str | None:
    """Return what stands behind the yes that the text begins with, as typed; None where it begins with none."""
    if agrees_to_nothing(text):
        return None
    small = text.casefold()
    flat = _IS.sub(lambda verb: verb[0].replace("é", "s"), small, count=1) if _IS.match(small) else small
    found = _OPENING.match(flat.translate(_FLAT)) if len(small) == len(text) else None
    return text[found.end() :] if found else None


def takes_back(rest: str) -> bool:
    """Return whether the words behind a yes take it back: `wait, no`, `not the mini`, `afinal é o outro`."""
    return _TAKES_BACK.match(rest.casefold().translate(_FLAT)) is not None


def bare_model(clause: str) -> str:
    """Return the number or variant of a clause that says nothing else, as `mas é o 13 pro`, or an empty text."""
    found = _BARE_MODEL.fullmatch(clause.casefold().translate(_FLAT))
    return found["model"] if found else ""
