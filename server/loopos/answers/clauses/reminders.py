"""Reminders in an answer, such as `as I said`, and its laughs: they change nothing, and every judge reads without them.

What a reminder says beside itself stays: `like I said it's locked` says `it's locked`, and `not what I said` denies.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from server import patterns
from server.loopos.answers.words import LONG, MOST_LETTERS, fold, tokens, without_debris

_WHEN = (
    r"(?:[\s,]+(?:before|above|already|earlier|previously|twice|just now|up there|a (?:minute|moment|while) ago|"
    r"(?:at|in) the (?:very )?(?:start|beginning|top)(?!\s+of\b)|"
    r"in (?:my|the) (?:first|last|previous|other|opening) (?:message|text|msg|one)|"
    r"antes|acima|atr[aá]s|j[aá]|h[aá] (?:pouco|bocado|bocadinho)|"
    r"(?:logo )?(?:no|ao) (?:in[ií]cio|come[cç]o|princ[ií]pio)(?!\s+d[eoa]\b)|"
    r"na (?:primeira|[uú]ltima|outra) (?:mensagem|frase)|l[aá] (?:atr[aá]s|em cima)|ali em cima|"
    r"(?:like |about |tipo |umas |uns |mais de |more than )?"
    r"(?:\d+|two|three|four|five|several|many|a (?:million|hundred|thousand|few)|duas|tr[eê]s|quatro|cinco|v[aá]rias|"
    r"muitas|mil|quinhentas)\s?(?:x|times|vezes)(?: (?:now|j[aá]))?|for the (?:second|third|fourth|\w+th) time|"
    r"pela (?:segunda|terceira|quarta|quinta|en[eé]sima|mil[eé]sima) vez|"
    r"(?:mano|meu|p[aá]h?|amig[oa]|man|mate|bro|dude)(?=\s*(?:$|[,.;:!?)\n])))(?!\w))*+"
)
_THIS = (
    rf"(?:\s+(?:it|that|so|this|isso|isto|nisso|nisto)\b(?=\s*(?:$|[,.;:!?)\n])|{_WHEN.removesuffix('*+')}))?"
)
_SAID = r"(?:said|told\s+(?:you|ya|ye|yer|u|yous|yall|y['’]all)|wrote|typed|mentioned|explained|stated)"
_DISSE = (
    r"(?:(?:tinha|havia|tenho)\s+)?(?:(?:te|lhe|vos|o)\s+)?(?:disse|dito|escrevi|escrito|referi|referido|"
    r"mencionei|mencionado|falei|expliquei|respondi|indiquei)\b(?:[\s-](?:te|lhe|vos)\b)?"
)
_LED = patterns.compile(
    rf"\b(?:(?:it['’]?s|that['’]?s|that\s+is|the\s+same|same|exactly|just)\s+)*+(?:as|like|what)\s+i"
    rf"(?:['’]?(?:ve|d)|\s+(?:have|had))?(?:\s+(?:already|just))*\s+(?:{_SAID}|put|say)\b{_THIS}{_WHEN}"
    rf"|\bas\s+(?:(?:already|previously)\s+)?(?:stated|mentioned|said|told|noted|written|described|above|before)\b{_WHEN}"
    rf"|\b(?:(?:tal\s+)?como|conforme|segundo|o\s+que)\s+(?:(?:eu|j[aá]|te|lhe|vos|o)\s+)*+{_DISSE}{_THIS}{_WHEN}",
    patterns.IGNORECASE,
)
"""A clause that refers to an earlier message, wherever it stands."""
_BARE = patterns.compile(
    rf"\bi(?:['’]?(?:ve|d)|\s+have)?(?:\s+(?:already|just|literally))*\s+{_SAID}\b{_THIS}{_WHEN}(?:\s+that\b)?"
    rf"|\b(?:(?:eu|j[aá]|te|lhe|vos|isso|isto)\s+)*+{_DISSE}{_THIS}{_WHEN}(?:\s+que\b)?",
    patterns.IGNORECASE,
)
"""The same without `as`: it is one only where a clause begins with it, or ends the text behind an answer."""
_RELATIVE = patterns.compile(
    rf"\s+(?:que|q|which|that)\s+(?:(?:eu|j[aá]|te|lhe|vos)\s+)*+{_DISSE}{_WHEN}(?=\s*(?:$|[,.;:!?)\n]))"
    rf"|\s+(?:(?:which|that)\s+)?i(?:['’]?(?:ve|d)|\s+have)?(?:\s+(?:already|just))*\s+{_SAID}(?:\s+(?:you\s+)?about)?"
    rf"{_WHEN}(?=\s*(?:$|[,.;:!?)\n]))",
    patterns.IGNORECASE,
)
"""The end of a clause that says of its thing that it was told: `o risco que já disse`."""
_SAID_THING = patterns.compile(
    rf"(?<=[,.;!?])\s*(?:(?:e|mas|and|but)\s+)?(?:(?:d[oa]s?|sobre|about)\s+)?(?:(?:[oa]s?|the)\s+)?(?!que\b|what\b)"
    rf"[^\W\d]+(?:\s+[^\W\d]+){{0,2}}?\s+"
    rf"(?:(?:eu\s+)?j[aá]\s+{_DISSE}|i(?:['’]?ve|\s+have)?\s+(?:(?:already|just)\s+)?{_SAID}(?:\s+about)?){_THIS}{_WHEN}"
    rf"(?=\s*(?:$|[,.;!?)\n]))"
    rf"|(?<=[,.;!?])\s*(?:(?:e|mas|and|but)\s+)?(?:(?:eu\s+)?j[aá]\s+{_DISSE}\s+(?:d[oa]s?|sobre|[oa]s?)|"
    rf"i(?:['’]?ve|\s+have)?\s+already\s+{_SAID}\s+(?:about(?:\s+the)?|the))"
    rf"(?:\s+[^\W\d]+){{1,2}}\s*[.!]*\s*$",
    patterns.IGNORECASE,
)
"""A clause that only says of a thing that it was told already: `o ecrã já disse`."""
_RELATIVE = patterns.compile(
    rf"(?<=\w\w\w)\s+(?:que|that|which)\s+(?:(?:eu|j[aá]|te|lhe|vos)\s+)*+(?:{_DISSE}|i(?:['’]?(?:ve|d)|\s+have)?"
    rf"(?:\s+already)?\s+{_SAID}(?:\s+(?:about|of))?){_THIS}{_WHEN}(?=\s*(?:$|[,.;:!?)\n]))",
    patterns.IGNORECASE,
)
"""The same behind a thing: `o risco que já disse`."""
_NO_THINGS = frozenset(
    "isso isto aquilo what that this all tudo everything nao not acho penso creio julgo sei think know sure claro "
    "certeza parece coisa thing porque the".split()
)
"""Words behind which it is no relative clause, or one that says something."""
_IF_SAID = patterns.compile(
    rf"[\s,;–-]*\b(?:esqueci[- ]me|n[aã]o\s+(?:sei|me\s+lembro)|i\s+(?:forgot|(?:can|don)['’]?t\s+(?:know|remember))|"
    rf"not\s+sure)\s+(?:se|if|whether)\s+(?:(?:eu|i|j[aá]|already|te|lhe|vos|o|isso|isto)(?:['’]?ve)?\s+)*+"
    rf"(?:{_DISSE}|{_SAID}){_THIS}{_WHEN}(?=\s*(?:$|[,.;:!?)\n]))",
    patterns.IGNORECASE,
)
"""Words that only doubt whether it was said before."""
_FORGET = patterns.compile(
    r"(?P<before>^\s*|[,.;:!?\n]\s*|\b(?:and|but|e|mas|yes|sim|ok)[\s,]+)"
    r"(?:(?:please|pls|por favor|pf|s[oó]|just)[\s,]+)?"
    r"(?:(?:don['’]?t|do not|never)\s+forget(?:\s+(?:about|to\s+(?:say|mention|add|write|note|put|include)))?"
    r"(?:\s+that(?=\s+(?:the|its?|my|one|there|i)\b))?"
    r"|n(?:[aã]o)?\s+(?:(?:te|se|me|vos)\s+)?esque[cç](?:as?|am|ais)(?:[- ](?:se|te|me))?"
    r"(?:\s+de\s+(?:dizer|p[oô]r|escrever|juntar|acrescentar))?(?:\s+(?:que|de|d(?P<article>[oa]s?)))?"
    r"|lembr(?:em|a|e)-(?:te|se)(?:\s+(?:que|de|d(?P<other>[oa]s?)))?)(?!\w)\s*+(?=\w)",
    patterns.IGNORECASE,
)
"""A wish that something is not forgotten: what follows is said."""
_WRITE_THAT = patterns.compile(
    r"(?<=\w)[\s,;.]+(?:(?:e|and|please|por favor|podem?)[\s,]+)?"
    r"(?:(?:put|add|write|note|include|mention)\s+(?:that|it|this)(?:\s+(?:in|down|there|too|as well|please))*|"
    r"(?:p[oõ]e|ponham?|escrev[ae]m?|anot[ae]m?|met[ae]m?|junt[ae]m?)\s+"
    r"(?:isso|isto)(?:\s+(?:a[ií]|l[aá]|tamb[eé]m|por favor))*)[\s.!]*$",
    patterns.IGNORECASE,
)
"""A wish at the end that it is written: `..., put that in`."""
_COURTESY = patterns.compile(
    r"(?:^|(?<=\w)[\s,;]+)(?:please|pls|plz|por favor|pf|sff|se faz favor)(?=\s*(?:$|[,.;!]))",
    patterns.IGNORECASE,
)
_ADDRESS = patterns.compile(
    r"^(?:(?:(?:(?:ah|oh)\s+)?(?:i )?forgot|ah|oh|(?:ah\s+)?esqueci[- ]me)\s*[:,]\s*|"
    r"(?:sweet|cool|great|nice|lovely|fixe|boa|[oó]timo)[.!,]\s*|"
    r"(?:(?:can|could|may|would) (?:i|(?:yo)?u)|i(?:['’]?d like| want| forgot) to) (?:also |please )?"
    r"(?:add|say|mention|note)(?: that)?\b[\s,:]*|"
    r"(?:posso|podem?|podes|quero|queria|falta|esqueci-me de) (?:tamb[eé]m )?"
    r"(?:acrescentar|juntar|dizer|p[oô]r|referir)(?: que\b)?[\s,:]*|"
    r"(?:e|and|mas|but|also|tamb[eé]m|btw|by the way|j[aá] agora|ok)\b[\s,:]*)+"
    r"|[\s,]+(?:btw|by the way|just so (?:yo)?u know|fyi|j[aá] agora|tho|lol|n[eé]|thanks|obrigad[oa])[\s.!]*$",
    patterns.IGNORECASE,
)
"""Words around a fact that are said to who reads it."""
_CERTAINLY = patterns.compile(
    r"(?<=[^\s,])[\s,]+(?:of course|obviously|naturally|obviamente|naturalmente|evidentemente)\b"
    r"|^\s*(?:of course|obviously|naturally|obviamente|naturalmente|evidentemente)[\s,]+"
    r"(?=\d|(?:ye[sap]|yeah|sim|not|no|n[aã]o)\b)"
    r"|^\s*claro\s+(?:que|q|k)\s+(?=n[aã]o\b)",
    patterns.IGNORECASE,
)
_LAUGHS = patterns.compile(
    r"(?<!\w)(?:l[ol]+l|lmf?ao+|rofl|(?>[aeh]*?(?:haha|ahah|hehe|hihi))[aehi]*+|(?:rs){2,}|k{3,}|x[dD]+|omg|tbh|ngl|innit)(?!\w)"
    r"|[:;]['’]?-?[)(DPp](?!\w)",
    patterns.IGNORECASE,
)
_NEAR = 60
"""So many letters before a reminder say whether a clause begins there."""
_BORDER = patterns.compile(r"(?:^|[,.;:!?)\n–—])\s*+$")
_JOINT = frozenset("and but e mas yes yea yeah yep ya no sim ok okay well bem pois".split())
"""Behind one of these words a clause begins too."""
_UNSAID = frozenset(
    "como as like segundo not nao never nunca nem if se when quando que what isnt wasnt didnt".split()
)
"""Behind one of these words nothing is said to have been said."""
_AROUND = frozenset("e o a isso como que what as like that thats its the same it and but mas".split())


def without_reminders(text: str) -> str:
    """Return the words without those that say that they were said before, and without laughs; never nothing."""
    return text if len(text) > MOST_LETTERS else _without_reminders(text)


def without_told_things(text: str) -> str:
    """Return a text without its clauses that only say of a thing that it was told already; never nothing."""
    if len(text) > MOST_LETTERS:
        return text
    left = _COURTESY.sub("", _SAID_THING.sub("", _compose(text))).strip(" ,;")
    return left if tokens(left) else text


def without_address(text: str) -> str:
    """Return a fact as it may stand in a text, without the words that are said to who reads it; never nothing."""
    left = without_told_things(without_reminders(text))
    left = without_debris(_ADDRESS.sub("", left).strip(" ,;:"))
    return left if tokens(left) else text


def is_of_talk(clause: str) -> bool:
    """Return whether a clause speaks of this talk alone: `que eu enganei-me há pouco`, `I got that wrong earlier`."""
    return len(clause) <= MOST_LETTERS and _OF_TALK.fullmatch(_compose(clause).strip(" .,;:!")) is not None


_OF_TALK = patterns.compile(
    r"(?:(?:que|q|porque|pq|e|and|as|because|cos|sorry|desculp[ae]|oh|ah|há pouco|ha pouco)\b[\s,]*)*(?:"
    r"(?:eu )?(?:me )?(?:enganei|equivoquei|confundi)(?:[- ]me)?|(?:foi )?(?:engano|erro|lapso)(?: meu)?|disse mal|"
    r"(?:i |i['’]ve )(?:was|got (?:it|that)|said (?:it|that)|wrote (?:it|that)|made|mixed (?:it|that|them)|told you) "
    r"(?:wrong|a mistake|up)|(?:that was )?my (?:mistake|bad|error|fault))"
    r"(?:\s+(?:há pouco|ha pouco|antes|atr[aá]s|ali|l[aá]|sorry|earlier|before|just now|up there|above|a moment ago|"
    r"na (?:data|resposta|outra)))*",
    patterns.IGNORECASE,
)
"""All of a clause that takes back what was said, and tells nothing itself."""


def without_told_relatives(text: str) -> str:
    """Return a text without the ends of its clauses that say of a thing that it was told: `the scratch I mentioned`."""
    return text if len(text) > MOST_LETTERS else _RELATIVE.sub("", _compose(text))


@lru_cache(maxsize=LONG)
def _without_reminders(text: str) -> str:
    text = _compose(text)
    return _tidy(_LAUGHS.sub(" ", _CERTAINLY.sub(" ", _without_said(text))), text)


def is_repeat(answer: str) -> bool:
    """Return whether the whole answer only says that it was said before."""
    return len(answer) <= MOST_LETTERS and _is_repeat(answer)


@lru_cache(maxsize=LONG)
def _is_repeat(answer: str) -> bool:
    left = _without_said(_LAUGHS.sub(" ", answer))
    return left != answer and _AROUND.issuperset(tokens(left)) and _refers(answer)


def _refers(answer: str) -> bool:
    return any(pattern.search(_compose(answer)) for pattern in (_LED, _BARE))


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _without_said(text: str) -> str:
    text = _FORGET.sub(_what_to_remember, _IF_SAID.sub(" ", _WRITE_THAT.sub(" ", _compose(text))))
    text = _RELATIVE.sub(lambda found: found[0] if _last_word(text, found) in _NO_THINGS else " ", text)
    text = _LED.sub(lambda found: found[0] if _last_word(text, found) in _UNSAID else " ", text)
    return _BARE.sub(lambda found: " " if _is_clause(text, found) else found[0], text)


def _what_to_remember(found: patterns.Match[str]) -> str:
    article = found["article"] or found["other"]
    return found["before"] + (f"{article} " if article else "")


def _is_clause(text: str, found: patterns.Match[str]) -> bool:
    """Return whether a clause begins with these words, or they stand at its end behind an answer."""
    before, word = _before(text, found), _last_word(text, found)
    if _BORDER.search(before):
        return True
    ends = patterns.match(r"\s*(?:$|[,.;:!?)\n])", text[found.end() :]) is not None
    return word in _JOINT or (ends and word not in _UNSAID)


def _before(text: str, found: patterns.Match[str]) -> str:
    """Return the end of what stands before: more of it for each reminder would take the square of its length."""
    return text[max(0, found.start() - _NEAR) : found.start()]


def _last_word(text: str, found: patterns.Match[str]) -> str:
    """Return the word before, where no mark stands between."""
    said = patterns.search(r"([^\s,.;:!?()]+)\s*$", _before(text, found))
    return fold(said[1]) if said else ""


def _tidy(left: str, text: str) -> str:
    """Return what is left without the marks that stand alone now; the text itself where nothing is left."""
    if left == text:
        return text
    bare = patterns.sub(r"(?<!\s)\s*([,;])(?:\s*[,;.])+", r"\1", patterns.sub(r"[ \t]+", " ", left))
    bare = without_debris(patterns.sub(r"(?<!\s)\s+(?=[,.;!?])", "", bare)).strip(" ,;-–—")
    return bare if tokens(bare) else text
