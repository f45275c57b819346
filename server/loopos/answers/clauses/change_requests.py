"""Sentences that tell to change an answer: the field that they name, the value that is to stand there, what to add."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from server import patterns
from server.loopos.answers.certainty import content
from server.loopos.answers.clauses.contradicted_parts import without_lead_of_lack
from server.loopos.answers.clauses.reminders import without_address
from server.loopos.answers.clauses.talk import without_talk
from server.loopos.answers.words import MOST_LETTERS, tokens
from server.text_reading.wishes.wished_additions import read_wishes

_ONLY = r"(?:(?:s[oó]|apenas|somente|just|only)\s+)?"
_SAYS = patterns.compile(
    rf"\b(?:(?:devia|deveria)m?|deve|devem|t[eê]m? de|tinham? de)\s+{_ONLY}(?:ser|estar|ficar|dizer|ter)\b"
    rf"\s*:?\s*{_ONLY}(?=\S)"
    rf"|(?<!\bi )(?<!\bwe )\b(?:should|must|has to|have to|needs to|ought to)\s+{_ONLY}(?:be|say|read)\b"
    rf"\s*:?\s*{_ONLY}(?=\S)"
    rf"|\bficam?\s*:?\s*{_ONLY}(?=[\"«“])"
    rf"|\b(?:é|era) (?:para|pra) (?:ser|ficar|estar|dizer)\s*:?\s*{_ONLY}(?=\S)"
    rf"|(?<=[.,;!] )(?:(?:please|(?:can|could) (?:yo)?u|por favor|podes?) )?(?:change|make|mud[ae]r?|alter[ae]r?)"
    rf" (?:it|that|this|isso|isto)(?: to| para)?\s*:?\s*{_ONLY}(?=\S)"
    rf"|:\s*(?:p[oõ]e|ponha|escrev[ae]|met[ae]|coloc[ae]|write|put)\s+{_ONLY}(?=\S)",
    patterns.IGNORECASE,
)
"""The words between the field that is named and what is to stand there."""
_BORDERS = patterns.compile(
    r"(?:\s*[,;.!\n]\s*|\s+)(?:(?:e|and|but|mas)\s+)|\s*[,;.!\n]\s+", patterns.IGNORECASE
)
_QUOTED = patterns.compile(r"[\"«“](?P<said>[^\"«»“”]{1,200})[\"»”]")
_COURTESY = patterns.compile(
    r"(?:[\s,.;!]+(?:e\s+|and\s+)?(?:pls|plz|please|por favor|pf|sff|(?:muit[oa] )?obrigad[oa]|thanks|thank you|ta|"
    r"cheers))+[\s.!]*$",
    patterns.IGNORECASE,
)
_TEXT = r"(?:(?:[aà]s|nas|[àa]|na|to the|in the|to|in) )(?:notas?|notes?|observa[cç][oõ]es|texto|text|accessories)\b"
_NAMED = r"(?:notas?|notes?|texto?|observa[cç][oõ]es)\s*:\s*"
"""The name of a text before what is said of it."""
_ADD = r"(?:acrescent[ae]|adicion[ae]|junt[ae]|p[oõ]e|ponha|add|put)"
_MISSING = patterns.compile(
    rf"\b(?:falt(?:a|ava|ou)|esqueci[- ]me de|esqueceu-me)\s+(?:s[oó]\s+)?(?:dizer|p[oô]r|acrescentar|escrever|meter|"
    rf"juntar|mencionar|referir)\s+(?:(?:a[ií]|l[aá]|que)\s+)*(?P<told>\S.*)$"
    rf"|\b(?:i )?forgot to (?:say|mention|add|put(?: in)?|tell you)\s+(?:that\s+)?(?P<forgot>\S.*)$"
    r"|\b(?:you|u)(?:['’]?ve| have)? (?:(?:just|also) )?(?:left out|forgot(?:ten)?|missed|lost|dropped|removed|deleted|"
    r"took out|taken out)\s+(?:to (?:add|put|say)\s+)?(?:that\s+)?"
    r"(?P<left_out>(?!(?:me|us|it|that)\W*$)\S.*)$"
    r"|\besquece(?:u-se|ram-se|ste-te) (?:de (?:dizer|p[oô]r|meter) (?:que )?|d[eoa]s? )(?P<omitted>\S.*)$"
    r"|\b(?:perdeste|tiraste|apagaste|deixaste cair|(?:voc[eê]s?|vcs?) (?:perd|tir|apag)(?:eu|eram|ou|aram))\s+"
    r"(?P<lost>[oa]s?\s\S.*)$"
    r"|^(?:\W*(?:espere?|espera|oh|ah|mas|e)\b)*\W*(?:ainda )?faltam? (?:a[ií] |ainda )?que\s+(?P<lacks_that>\S.*)$"
    r"|\bn[aã]o (?:vejo|aparecem?|diz(?:em)?|fala|consta)\s+(?:a[ií]|l[aá]|no (?:cart[aã]o|an[uú]ncio|artigo))\s+"
    r"(?P<unseen>\S.*)$"
    r"|\bthe (?:card|ad|advert|listing|item|text|notes?) (?:(?:doesn|don)['’]?t|do(?:es)? not) "
    r"(?:say|mention|show)\s+(?:that\s+)?"
    r"(?P<unsaid>\S.*)$"
    r"|(?:\b(?:the|my|os?|as?)\s+)?(?:\w+\s+)?\b(?:bit|part|list|text|notes?|accessories|card|ad|listing|parte|lista|texto|notas?|acess[oó]rios|cart[aã]o|"
    r"an[uú]ncio)\s+(?:(?:has|have|had|j[aá])\s+)?(?:lost|dropped|lacks?|miss(?:es)?|(?:is|are|was)\s+missing|perdeu|perderam|"
    r"est[aá]\s+sem)\s+(?P<lost_by_text>\S.*)$"
    r"|\b(?:texto|notas?|an[uú]ncio) n[aã]o (?:diz(?:em)?|mencionam?|referem?)\s+(?:que\s+)?(?P<untold>\S.*)$"
    rf"|\b(?:falt(?:am?|ava|ou)|(?:est|t)(?:á|a|ão|ao) a faltar|not|missing|n[aã]o (?:est|t)(?:á|a|ão|ao))\s+"
    rf"(?:{_TEXT}|from the (?:text|notes?))(?:\s*:\s*|\s+(?:que|that)\s+|\s+(?=(?:[oa]s?|um[as]?|uns|the|an?)\s))"
    r"(?P<not_there>\S.*)$"
    rf"|^\W*{_NAMED}falt(?:am?|ava|ou)\s+(?:tamb[eé]m\s+)?(?P<lacks_named>\S.*)$"
    rf"|\bfalt(?:a|ava|ou)\s+(?:s[oó]\s+)?(?:(?:a|o|as|os)\s+)?(?P<lacks>\S[^.;!\n]*?)\s+{_TEXT}"
    rf"|\b{_ADD}\s+(?P<added>(?!{_TEXT})\S[^;!\n]*?)\s+{_TEXT}[\s.!]*$"
    rf"|\b{_ADD}\s+{_TEXT}\s*:?\s*(?:que |that )?(?P<behind>\S.*)$"
    rf"|^(?P<before>\S[^;!\n]*?)[,.;]\s*(?:e |and )?{_ADD}\s+(?:(?:isso|isto|it|that|this)\s+)?{_TEXT}[\s.!]*$",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""What a text lacks, as `falta dizer que ...` and `add ... to the notes` tell it."""
_PUT_BACK = patterns.compile(
    r"[\s,.;!]+(?:(?:e|and|please|pls|por favor|can you|podes?)\s++)*+"
    r"(?:put|add|p[oõ]e|p[oô]r|ponha|volt[ae]r? a p[oô]r|met[ae])"
    r"(?:\s(?:l[aá]|a[ií]))?(?:[- ](?:it|them|that|this|[oa]s?|isso|isto))?"
    r"(?:\s+(?:back|in|again|de volta|outra vez|de novo|l[aá]|a[ií]))*(?:\s+(?:please|pls|por favor))?[\s.!]*$",
    patterns.IGNORECASE,
)
"""A wish behind what is missing: `put it back`."""
_ASKS_TO_ADD = patterns.compile(
    r"[\s,.;]+(?:e |and )?(?:podem?s?|(?:can|could) (?:yo)?u)\s+(?:(?:please|por favor)\s+)?"
    r"(?:acrescentar|juntar|p[oô]r|add|put)"
    r"(?:\s+(?:isso|isto|it|that|them|a[ií]|l[aá]|in|there|please|por favor))*[\s.!?]*$",
    patterns.IGNORECASE,
)
"""A wish behind what a text lacks."""
_NAMED_FIRST = patterns.compile(
    r"^[^,;]{2,40},\s*(?=(?:it['’]?s|they['’]?re|é|s[aã]o)\b)", patterns.IGNORECASE
)
"""The thing of which a card says nothing, before what it is: `the colour, it's red`."""
_NEITHER = patterns.compile(r"\s(?:nem|nor)\s", patterns.IGNORECASE)
_AND_THAT = patterns.compile(r"\b(e|and) (?:que|that)\s+", patterns.IGNORECASE)


def told_changes(message: str, names_field: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Return the words that name each field and the value that is to stand there, in their order.

    `names_field` tells whether words name a field. Nothing is returned where it is not sure which value ends where.
    """
    found = [*_SAYS.finditer(message)] if len(message) <= MOST_LETTERS else []
    changes, begin = list[tuple[str, str]](), 0
    for each, after in zip_longest(found, found[1:]):
        subject, value = (
            message[begin : each.start()],
            message[each.end() : after.start() if after else len(message)],
        )
        if after is not None:
            borders = [one for one in _BORDERS.finditer(value) if names_field(value[one.end() :])]
            if not borders:
                return []
            begin, value = each.end() + borders[-1].end(), value[: borders[-1].start()]
        changes.append((subject, told_value(value)))
    return changes


def told_value(words: str) -> str:
    """Return the quoted words where they stand first, else the words without courtesy behind them."""
    quoted = _QUOTED.match(words.strip())
    return quoted["said"] if quoted else _COURTESY.sub("", words).strip(' .!,;:"«»“”')


def told_addition(message: str) -> str:
    """Return what a message says that a text lacks; nothing where it says nothing of the kind."""
    message = _ASKS_TO_ADD.sub("", message) if len(message) <= MOST_LETTERS else message
    found = _MISSING.search(_COURTESY.sub("", message)) if len(message) <= MOST_LETTERS else None
    words = next((each for each in found.groups() if each), "") if found else ""
    words = _IS.sub("", _PUT_BACK.sub("", words))
    if found and (found["unseen"] or found["unsaid"]):
        words = _NEITHER.sub(", ", _NAMED_FIRST.sub("", words))
    words = _AND_THAT.sub(r"\1 ", words)
    return without_talk(told_value(words)) if words and not message.rstrip().endswith("?") else ""


_IS = patterns.compile(r"^\s*(?:é|is|são|are)\s*:\s*", patterns.IGNORECASE)
"""The verb of `what is missing is: ...`."""


def added_words(message: str) -> str:
    """Return what a message adds to a text that stands there, without the instruction and the yes or no around it;
    nothing where it says only that the text is right, or that something is missing.
    """
    message = without_lead_of_lack(without_name(message))
    wishes = read_wishes(message)
    if wishes.is_sure and (not wishes.rest or only_drops(wishes.rest)):
        return "; ".join(_THING_TOO.sub(r"\g<thing>", each) for each in wishes.facts)
    told = told_addition(message)
    found = _MISSING.search(message) if told else None
    said = message[: found.start()] if found else message
    said = said if len(said) > MOST_LETTERS else _COURTESY.sub("", said)
    bare = _PUT_BACK.sub("", said)
    said = bare if bare == said else _LACKS.sub("", _YES_OR_NO.sub("", bare))
    for pattern in (_LEFT_OUT, _RIGHT, _YES_OR_NO, _ASKS_FIRST):
        said = pattern.sub("", said)
    said = _THING_TOO.sub(r"\g<thing>", said) if _ASKS_FIRST.match(message) else said
    said = said.strip(" ,;:")
    if told and not content(tokens(said), _SPOKEN):
        return told
    said = without_talk(said)
    left = without_complaint(said) if tokens(said) else ""
    return f"{left.rstrip(' .,;')}; {told}" if told else left


def without_name(message: str) -> str:
    """Return a message that says to add to a text without the name of that before it: `Notes: also add ...`."""
    return message if told_addition(message) else _LABEL.sub("", message)


def name_before(message: str) -> str:
    """Return the name of a text before what a message adds to it; else nothing."""
    found = _LABEL.match(message)
    return found[0] if found else ""


_LABEL = patterns.compile(
    rf"^\W*{_NAMED}(?=(?:(?:and|e|please|por favor)\s+)?(?:also|tamb[eé]m|plus|falt\w+|{_ADD})\b)",
    patterns.IGNORECASE,
)


def only_drops(words: str) -> bool:
    """Return whether words only drop what was said before: `never mind the tripod`."""
    return _DROPS.match(words) is not None


_DROPS = patterns.compile(r"\W*(?:never ?mind|forget|esquec[ea])\b[^.;!?]*[.;!?]?\W*$", patterns.IGNORECASE)
"""A sentence that only drops what was said before."""
_ASKS_FIRST = patterns.compile(
    r"^\s*(?:(?:please|pls|por favor|(?:can|could|may) (?:i|we|you|u)|i(?:['’]?d| would)? (?:want|like) to|"
    r"posso|podes?|podia|quero|queria|also|tamb[eé]m|just|s[oó])\b[\s,]*)*(?:add|include|acrescent(?:ar?|e)|adicion(?:ar?|e)|junt(?:ar?|e)|"
    r"(?:met[ae]|p[oõ]e|ponha|escrev[ae]|diga|put|write|say|mention)(?=(?:\s+(?:also|too|tamb[eé]m|l[aá]|a[ií]|in))*\s+"
    r"(?:that|que|also|tamb[eé]m)\b))\b"
    r"(?:\s+(?:also|too|that|que|tamb[eé]m|l[aá]|a[ií]|in))*\s*:?\s+(?=\S)",
    patterns.IGNORECASE,
)
"""A wish to add something, before it."""
_THING_TOO = patterns.compile(
    r"^(?P<thing>[^,.;]{2,80}?)\s+(?:too|as well|tamb[eé]m)\s+(?:(?:cause|because|cos|as|since|porque|pois)\s+)?"
    r"(?:i|eu|tenho|encontrei)\b.*$",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""A thing to add, and why."""


def without_complaint(text: str) -> str:
    """Return a fact without the words that it was left out, and without those to who reads it; never nothing.

    A mark is missing in what is written; a thing may be missing in the box: `falta a marca na base`, `falta a tampa`.
    """
    if len(text) > MOST_LETTERS:
        return text
    left = _LACKS_FACT.sub("", _LEFT_OUT.sub("", text))
    left = _MARK_MISSING.sub(r"\g<mark>", left)
    return without_address(left if tokens(left) else text)


def says_it_lacks(message: str) -> bool:
    """Return whether a message says of what it names that it is missing in what is written: `the dock too, add it`."""
    if len(message) > MOST_LETTERS or message.rstrip().endswith("?"):
        return False
    bare = _PUT_BACK.sub("", _COURTESY.sub("", message))
    return _LEFT_OUT.search(message) is not None or (bare != message and _LACKS.search(bare) is not None)


_SPOKEN = frozenset("sorry desculpe desculpa wait espera hey ola pois olha look so then btw mesmo".split())
"""Words before what is missing that tell nothing."""


_LEFT_OUT = patterns.compile(
    r"(?:^|[\s,.;:!–—-]+)(?:(?:e|and|mas|but|porque|because)\s+)?(?:"
    r"(?:you|u)(?:['’]?ve|\s+have)?\s+(?:just\s+)?(?:forgot(?:ten)?|missed|lost|dropped|(?:left|took)\s+(?:it|that|them)\s+out|"
    r"left\s+out)(?:\s+(?:about\s+)?(?:that|it|this|them|those|one|again|out))*"
    r"|(?:that|it|this|those|they)(?:['’]?s|['’]?re|\s+(?:is|are|was|were))?\s+(?:also\s+|still\s+|all\s+)?"
    r"(?:missing|not\s+(?:there|in\s+(?:it|there)))"
    r"|(?:(?:is|are)\s+(?:not|missing)|(?:is|are)n['’]?t)\s+(?:in|from)\s+(?:the\s+)?(?:notes?|text)"
    r"|(?:n[aã]o\s+(?:est|t)(?:á|a|ão|ao)|falt(?:a|am))\s+n(?:o|as?)\s+(?:texto|notas?)"
    r"|esquece(?:u|ste|ram)(?:[- ](?:se|te))?(?:\s+(?:disso|disto|dess[ea]s?|del[ea]s?|isso|isto))?"
    r"|(?:(?:isso|isto|ess[ea]s?)\s+)?(?:ainda\s+|tamb[eé]m\s+)?falt(?:a|am|ava|avam|ou|aram)(?:\s+(?:isso|isto|a[ií]|l[aá]))*"
    r")(?:\s+(?:too|as\s+well|tamb[eé]m|a[ií]|l[aá]))*[\s.!]*$",
    patterns.IGNORECASE,
)
"""The end of a message that only says of what stands before that it is missing."""
_MARK = (
    r"(?:(?:pequen[oa]s?|ligeir[oa]s?|leves?|small|tiny|little|light|slight|deep)\s+)*(?:marcas?|riscos?|mossas?|manchas?|lascas?|"
    r"arranh(?:ão|ao|ões|oes)|amolgadelas?|rachas?|fissuras?|marks?|scratch(?:es)?|dents?|scuffs?|chips?|cracks?|stains?)\b"
)
"""A trace of use, which no item lacks."""
_LACKS_FACT = patterns.compile(
    r"^(?:(?:é que|e que|é (?:pq|porque)|porque|pq|pois|mas|but|e|and|ainda|sim|yes|também|tambem|só|so)\b[\s,]*)*"
    r"(?:falt(?:a|am|ava|avam|ou)|(?:est|t)(?:á|a|ão|ao) a faltar)\s+"
    r"(?:(?:a[ií]|l[aá]|ainda|só|so|dizer|p[oô]r|meter|acrescentar)\s+)*"
    rf"(?:que\s+|(?:(?:[oa]s?|uma?|uns|umas|ess[ea]s?|est[ea]s?)\s+)?(?={_MARK}))",
    patterns.IGNORECASE,
)
"""Words before a fact that say that it is missing in what is written."""
_MARK_MISSING = patterns.compile(
    rf"^(?P<mark>(?:(?:the|an?|that)\s+)?{_MARK}[^.;!\n]*?)\s+(?:is|are)\s+(?:also\s+|still\s+)?missing[\s.!]*$",
    patterns.IGNORECASE,
)
_LACKS = patterns.compile(
    r"^(?:(?:ainda|tamb[eé]m|s[oó])\s+)*falt(?:a|am|ava|avam)\s+|\s+(?:is|are)\s+(?:also\s+|still\s+)?missing[\s.!]*$",
    patterns.IGNORECASE,
)
"""Words that say that a thing is missing, where it is told to put it back."""
_RIGHT = patterns.compile(
    r"(?:^|(?<=[,.;:!]))\s*(?:(?:e|and|mas|but|yes|sim|ok)\b[\s,]*)*(?:(?:all\s+)?the\s+(?:rest|others?)|everything(?:\s+else)?|"
    r"(?:tudo\s+)?o\s+resto|de\s+resto|o\s+que\s+(?:est[aá]|tem)\s+a[ií])\s*(?:(?:is|are|['’]s|est[aá]|fica|é)\s+)?(?:all\s+|tudo\s+)?"
    r"(?:right|ok(?:ay)?|fine|correct|good|true|cert[oa]|bem|corret[oa])\s*(?:$|[,.;!]+\s*)",
    patterns.IGNORECASE,
)
"""A clause that says of the rest that it is right."""
_YES_OR_NO = patterns.compile(
    r"^\s*(?:(?:yes|yeah|yep|sim|ok(?:ay)?|and|e|mas|but|also|tamb[eé]m|plus|ainda|well|wait|actually|afinal|oh|ah|"
    r"(?:almost|nearly|not quite|quase)(?=\s*[,.:;!–—-])|"
    r"(?:no|n[aã]o|nope|nah)(?=\s*[,.:;!–—-]|\s+(?:the|it|its|it['’]s|there|i|my|but|and|you|o|os|as|mas|h[aá])\s))\b"
    r"[\s,.:;!–—-]*)+",
    patterns.IGNORECASE,
)
"""A yes or no, and joints, in front of the words."""


def wished_addition(message: str) -> str:
    """Return what a message that names no text says to add, such as `add: box and cable`; nothing of a picture, a
    price or another item.
    """
    said = _COURTESY.sub("", message).strip()
    found = _ADD_ALONE.fullmatch(said) if len(said) <= MOST_LETTERS else None
    is_other = found is None or _OF_OTHERS.search(found["words"]) or said.endswith("?")
    return "" if found is None or is_other else told_value(found["words"])


_ADD_ALONE = patterns.compile(
    r"(?:(?:and|e|ok|please|pls|por favor|also|tamb[eé]m|(?:can|could) (?:you|u)|podes?|pode)\b[\s,]*)*"
    rf"{_ADD}\b(?:\s+(?:l[aá]|a[ií]|tamb[eé]m|also|that|que))*\s*:?\s+(?P<words>\S.*)",
    patterns.IGNORECASE | patterns.DOTALL,
)
_OF_OTHERS = patterns.compile(
    r"\b(?:another|outr[oa]s?|items?|artigos?|fotos?|fotografias?|photos?|pictures?|images?|imagens?|pre[cç]o|price|it|isso|isto)\b"
    r"|^[\d€£$\"«“]|\d\s*(?:€|euros?|eur)\b",
    patterns.IGNORECASE,
)


def without_addition(message: str) -> str:
    """Return a message without the sentence that says what the notes lack: it is no fault of the item."""
    if len(message) > MOST_LETTERS:
        return message
    if behind := _LEFT_OUT.search(message):
        return message[: max(map(message[: behind.start()].rfind, ".;!\n")) + 1]
    found = _MISSING.search(message)
    return message[: found.start()] if found and found["lacks"] else message


def tells_several(message: str) -> bool:
    """Return whether a message tells what is to stand in several places."""
    return len(message) <= MOST_LETTERS and len(_SAYS.findall(message)) > 1
