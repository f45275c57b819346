"""Words of a reply to a text that speak to who asks: that it is right as it is, and asides such as `almost, thanks`."""

from __future__ import annotations

from server import patterns
from server.languages import fold
from server.loopos.answers.certainty import content
from server.loopos.answers.element import Element
from server.loopos.answers.words import MOST_LETTERS, tokens
from server.loopos.answers.words import fold as fold_words

_RIGHT = frozenset(
    "yes yeah yep yup sim certo certa certinho correto correta correct right perfect perfeito perfeita fine good great "
    "ok okay impecavel otimo optimo bem bom exato exatamente exactly lovely brilliant sweet isso fixe porreiro".split()
)
_AROUND = frozenset(
    "agora now its it s is thats that this these they re are esta estao ta tao fica ficou assim e tudo all looks look "
    "looking seems sounds parece text texto notes note notas nota the o a as os muito mt very just so much better "
    "melhor thanks thank you obrigado obrigada cheers then entao pois mesmo ja ai aqui here there like way how want "
    "wanted quero queria como finally finalmente ah oh everything absolutely totally really i think acho que one time "
    "desta vez spot on por mim to me".split()
)
_MOST_WORDS = 9


def approves_text(message: str) -> bool:
    """Return whether a message only says that a text which waits for a yes is right: `agora sim, está tudo certo`."""
    said = tokens(message) if len(message) <= MOST_LETTERS and "?" not in message else []
    own = set(said)
    return len(said) <= _MOST_WORDS and own <= _RIGHT | _AROUND and not own.isdisjoint(_RIGHT)


def ends_text(message: str) -> bool:
    """Return whether a no is followed by words that there is no more to say: `no thats it`, `não, é só isso`.

    Without a mark, `não é só isso` says that there is more.
    """
    said = fold_words(message).replace("\u2019", "'").strip(" .!")
    return len(message) <= MOST_LETTERS and _NO_MORE.fullmatch(said) is not None


def spell_agreed(element: Element | None, message: str) -> str:
    """Return a message to a text with a yes in the place of a no that only answers `is there anything else to say?`,
    or of a wish to keep all that is written, where more is said behind that: `no, that's all, but the box is gone`.
    """
    is_read = element is not None and element.kind == "text" and "?" not in message
    found = _KEEPS_ALL.match(message) if is_read and len(message) <= MOST_LETTERS else None
    if found is None:
        return message
    return f"{'yes' if found['en'] else 'sim'}, {message[found.end() :]}"


_ALL = r"(?:everything|all|tudo)(?: (?:of )?(?:it|that|this|(?:o )?que)\b)?"
_KEEPS_ALL = patterns.compile(
    r"^\W*(?:(?P<en>no|nope|nah|n(?=[\s,.]+(?:that|nothing|keep|leave|please)))|n(?:[aã]o)?)\b[\s,.;:!]+"
    r"(?:(?:(?:please|pls|por favor|pf|i think|acho que|mas|but|e)\b[\s,]*)*"
    r"(?:that(?:['’]?s| is) (?:it|all|everything)|nothing (?:else|more)|mais nada|nada mais|"
    r"(?:é|e)? ?(?:tudo|s[oó] isso)(?=\s*[,.;!]|\s+mas\b)|"
    rf"(?:keep|leave|deix[ae]|mant[eé]m|mantenha|fica|fique)\s+{_ALL}[^,.;:!?\n]{{0,50}}?))"
    r"(?:\s*[,.;:!–—-]+\s*|\s+(?=(?:but|mas|and|e|only|s[oó])\b))(?=\w)",
    patterns.IGNORECASE,
)
"""What agrees to all of a text and wants no more, before other words."""
_NO_MORE = patterns.compile(
    r"(?:(?:no|nope|nah)[\s,.!]+(?:i think )?(?:that(?:'?s| is) (?:it|all|everything)|nothing (?:else|more)|all good)|"
    r"(?:nao|n)(?:\s*[,.;!]+\s*(?:acho que )?(?:(?:e )?(?:so|apenas) isso|e tudo|e isso)|"
    r"[\s,.!]+(?:mais nada|nada mais)))"
    r"(?:[\s,.!]+(?:thanks?|thank you|cheers|(?:muito )?obrigad[oa]|mesmo))*"
)


_BORDERS = patterns.compile(r"((?<!\d)[.;!\n]+\s*|[.;!\n]+(?:\s+|$)|,\s+|\s+[-–—]\s+)")
_LEADS = r"(?:oh|ah|eh|ups|oops|hm+|wait|hang on|hold on|esper[ae]|sorry|desculp[ae]|olh[ae]|lol|haha+|ahah+|afinal)"
_COURTESY = (
    r"(?:sorry|please|pls|plz|thanks|thank you|thx|cheers|lol|haha+|ahah+|rs+|por favor|se faz favor|sff|pf|faxavor|"
    r"(?:muit[oa] )?obrigad[oa]|desculp[ae]|desculpe la|lamento)"
)
_ALMOST = (
    r"(?:(?:ja )?(?:esta|ta) (?:tudo )?|(?:it s |its |that s |thats |we re |were )?)"
    r"(?:quase|almost|nearly|not quite)"
    r"(?: (?:la|bem|certo|bom|tudo|perfeito|there|right|it|done|good|perfect))*"
)
_AS_SAID = (
    r"(?:like|as) i(?: ve| have)?(?: already| just)? (?:said|told (?:you|u)|mentioned|wrote)"
    r"(?: (?:before|already|earlier))?|"
    r"(?:tal )?como (?:eu )?(?:j[aá] )?(?:te |lhe |vos )?(?:disse|referi|escrevi|dizia|falei)"
    r"(?: (?:antes|ha pouco|acima))?"
)
_ASIDE = patterns.compile(
    rf"(?:(?:{_LEADS}|e|and|mas|but|ok|okay) )*(?:{_LEADS}|{_COURTESY}|{_ALMOST}|{_AS_SAID})"
    rf"(?: (?:{_COURTESY}))*"
)
_LEAD = patterns.compile(rf"^\s*(?:(?:{_LEADS}|{_AS_SAID})\b[\s,.!]*)+(?=\w)", patterns.IGNORECASE)
_LAUGHS = patterns.compile(r"\s+(?:lol|lmao|ha(?:ha)+|ah(?:ah)+)(?=\s|$)", patterns.IGNORECASE)
_END = patterns.compile(rf"[\s,]+{_COURTESY}(?:[\s,]+{_COURTESY})*\s*$", patterns.IGNORECASE)


def is_aside(words: str) -> bool:
    """Return whether words only thank, excuse, or say that a text is almost right."""
    return len(words) <= MOST_LETTERS and _is_aside(words)


def _is_aside(part: str) -> bool:
    return _ASIDE.fullmatch(" ".join(patterns.findall(r"\w+", fold(part)))) is not None


def without_asides(text: str) -> str:
    """Return a text without its clauses and words that thank, excuse, or say that it is almost right; never nothing."""
    if len(text) > MOST_LETTERS or "?" in text:
        return text
    parts = _BORDERS.split(text)
    said = [at for at in range(0, len(parts), 2) if parts[at].strip()]
    kept = [at for at in said if not _is_aside(parts[at])]
    bare = {at: _END.sub("", _LEAD.sub("", _LAUGHS.sub("", parts[at]))) for at in kept}
    if kept == said and all(bare[at] == parts[at] for at in kept):
        return text
    left = "".join(bare[at] + "".join(parts[at + 1 : at + 2]) * (at != kept[-1]) for at in kept)
    return left.strip(" ,;\n-–—") if content(tokens(left)) else text
