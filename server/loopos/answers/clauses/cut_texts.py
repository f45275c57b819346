"""A text that the seller cuts down: the part to go is named by its words, the rest stays as it was written."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from server import patterns
from server.loopos.answers.amounts.price_words import names_terms
from server.loopos.answers.certainty import NEGATIONS, content, is_like
from server.loopos.answers.words import MOST_LETTERS, fold, tokens, without_debris

_LED = (
    r"(?:^|[,.;:!]\s*)(?:(?:n[aã]o|no|n|sim|yes|yeah|ok|please|pls|plz|por favor|pf|mas|but|and|e|oh|ah|just|s[oó]|"
    r"mano|(?:can|could|would) (?:yo)?u|i(?: would|['’]?d)? (?:want|like|need)(?: you)? to|quero|queria|"
    r"pode(?:s|m|ria)?|podia[sm]?|"
    r"n[oa]s? [^\W\d]+|(?:from|in|for|out of) the [^\W\d]+)\b[\s,.:]*)*"
)
_TAKE_OUT = patterns.compile(
    rf"{_LED}(?:(?:tir[ae]r?|retir[ae]r?|remov[ae]r?|remove|apag(?:ar?|ue)|elimin[ae]r?|delete|(?:drop|cut)(?= the\b)|"
    r"(?:take|leave|cut) out|take away|get rid of|erase|omit[ae]?|"
    r"(?:scrap|lose|skip)(?= (?:the|that) (?:bit|part|line|words?|sentence)\b)|"
    r"(?:do not|don['’]?t|n[aã]o|n) (?:mention|mencion[ae]s?|mencionar|refir[ae]s?|referir))(?:\s*:)?\s+(?:l[aá] )?"
    r"(?P<what>\S.*)$"
    r"|(?:take|leave|cut|get|move)\s+(?P<part>\S[^.;!?\n]*?)\s(?:out|off|away)\b(?P<of>[^.;!?\n]*)[\s.!?]*$)",
    patterns.IGNORECASE | patterns.DOTALL,
)
_REPLACE = patterns.compile(
    rf"{_LED}(?:change|replace|swap|correct|fix|mud[ae]r?|troc[ae]r?|trocar|substitu[ai]r?|alter[ae]r?|corrig[aei]r?|"
    r"emend[ae]r?)\s+(?:(?:the|a|an|o|os|as|l[aá])\s+)?(?P<old>\S[^.;!?\n]*?)\s(?:to|with|for|by|into|por|para)\s+"
    r"(?P<new>\S[^;!?\n]*?)[\s.!?]*$",
    patterns.IGNORECASE | patterns.DOTALL,
)
_NO_THING = patterns.compile(
    r"^(?:(?:n[aã]o|no|sim|yes|ok|mas|but|well|wait|espere?|afinal|actually|sorry|desculpe|e|and)\b[\s,.:]*)*"
    r"(?P<what>(?!(?:isso|isto|ele|ela|that|this|it)\s+(?:n|is))[^,.;:!?\n]{2,60}?)\s+"
    r"(?:n(?:[aã]o)?\s+(?:é|e|s[aã]o|contam? como)|"
    r"(?:is|are)n['’]?t|(?:is|are) not|(?:do|does)(?:n['’]?t| not) count as)\s+"
    r"(?:(?:um[as]?|uns|an?|the|part of the|real|really)\s+)*(?:acess[oó]rios?|accessor(?:y|ies)|extras?)\b"
    r"[\s,.;:!]*(?P<rest>.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""A text's part that is no accessory, and what the text is to have instead."""
_ALONE = patterns.compile(
    r"^(?:(?:e|and|mas|but|fica|ficam|é|s[aã]o|vai|it['’]?s|there['’]?s|leave|keep|s[oó]|apenas|somente|just|only)\b[\s,:]*)*",
    patterns.IGNORECASE,
)
_PART = patterns.compile(
    r"^(?:(?:isso|isto|that|this|s[oó]|just|only|(?:parte|frase|palavra|bocado|linha|part|bit|words?|sentence|line|thing)|"
    r"d[aeo]s?|sobre|about|of|with|everything|anything|tudo|any mention|what|where|how|which|onde|em que|in which|que|"
    r"(?:i|eu|you|it|se)(?=\s(?:sa|wr|put|talk|ment|dis|di[gz]|escr|pus|fal))|"
    r"sa(?:ys?|id|ying)|wrote|talks?|mentions?|disse|digo|diz|dizia|escrevi|pus|fal[ao]|o|a|os|as|the)\s+)*",
    patterns.IGNORECASE,
)
_QUOTED = patterns.compile(
    r"(?:(?:a|o|the)\s+)?(?:(?:palavra|frase|parte|word|words|sentence|part)\s+)?[\"«“]([^\"«»“”]{1,80})[\"»”]",
    patterns.IGNORECASE,
)
"""A part that is quoted at the start of what is to go."""
_OUT_OF = patterns.compile(
    r"\s+(?:d[eo] (?:fim|final|princ[ií]pio|in[ií]cio)|(?:from|off|at|of) the (?:end|start|beginning)|"
    r"d[ao] (?:texto|nota|resposta)|das notas|from (?:the|my) (?:text|notes?|answer)|out|please|por favor|pf)$",
    patterns.IGNORECASE,
)
_BORDERS = (
    patterns.compile(r"(\s*(?:[;\n]|[,.](?!\d))\s*)"),
    patterns.compile(r"(\s*(?:[;\n]|[,.](?!\d)|\b(?:e|and)\b)\s*)"),
)
_OUT_OF_QUESTION = patterns.compile(
    r"\s+(?:d[aeo]s?|n[ao]s?|out of|from|of|in)\s+(?:of\s+)?(?:(?:the|my|o|a|os|as|meu|minha)\s+)?"
    r"(?P<named>\w+(?:\s+\w+)?)$",
    patterns.IGNORECASE,
)
"""The words behind a part that may name the question in whose answer it stands: `out of the games bit`."""
_PLEASE = patterns.compile(
    r"(?:[\s,]+(?:pls|plz|please|por favor|pf|se faz favor|sff|thanks|obrigad[oa]))+[\s.!?]*$"
)
_SENTENCE_END = patterns.compile(r"[.;!?\n]+\s+")
_WHY = patterns.compile(
    r"\s*[,.;]\s*(?:(?:e|and|as|since|because|porque|pois|que) )?"
    r"(?:j[aá]|it['’]?s?|i|they|n[aã]o|n|isn['’]?t|there)\b.*$"
    r"|\s(?:because|cause|cos|cuz|since|porque|pq|pois)\s.*$",
    patterns.IGNORECASE,
)
"""What a message says behind the part that is to go: `tira o risco, já não tem`."""
_OF_TEXTS = frozenset(
    "bit part section field box answer text note notes line list accessories extras acessorios parte campo resposta "
    "texto nota notas linha lista".split()
)
"""A part is a sentence or a thing of a list; where nothing else would be left, also what `and` joins."""
_HALF, _THIRD, _FEW = 0.5, 0.33, 2
"""A part has so much of the wanted words; a third is enough of so many."""
_STEM = 5
"""So many letters, and two thirds of the longer word, are the same in forms of a word."""
_SENTENCES = patterns.compile(r"(\s*[;\n.](?=\s|$)\s*)")
_GOES_ON = patterns.compile(
    r"(?:who|whom|whose|which|that|que|quem|because|porque|pois)\b", patterns.IGNORECASE
)
"""The start of a clause that says something of the one before it."""
_PRICE = frozenset("preco price valor".split())


def asks_to_cut(message: str) -> bool:
    """Return whether a message says to take a part out of something that was written, or to put another there."""
    if len(message) > MOST_LETTERS:
        return False
    other = _REPLACE.search(message)
    is_price = other is not None and not _PRICE.isdisjoint(tokens(other["old"]))
    wants = named_part(message) is not None or _IT_OUT.search(message) is not None
    return wants or (other is not None and not is_price)


_NOT_TO_STAND = patterns.compile(
    r"(?:^|[,.;:!]\s*)(?P<what>[^,.;:!?\n]{2,80}?)\s+(?:"
    r"(?:n[aã]o|n) (?:é|e|era) (?:para|pra) (?:p[oô]r|estar|aparecer|meter|escrever)|"
    r"(?:is|was)(?:n['’]?t| not) (?:meant|supposed) to be (?:there|in|on)|"
    r"should(?:n['’]?t| not) be (?:there|in|on))\b",
    patterns.IGNORECASE,
)
"""A part that is not to stand in a text."""
_UNWANTED = patterns.compile(
    r"\b(?:n[aã]o|n|i (?:do not|don['’]?t))\s+(?:quero|queria|want)\s+(?P<what>[^,.;:!?\n]{2,60}?)\s+(?:[nd]o (?:texto|"
    r"an[uú]ncio)|nas? notas?|na resposta|escrit[oa]s?|(?:in|on) (?:the|my) (?:text|notes?|ad|listing))\b",
    patterns.IGNORECASE,
)
"""The same as a wish."""
_IT_OUT = patterns.compile(
    rf"{_LED}(?:(?:tir|retir)[áaeâ](?:r|-l)?|remov[êe](?:r|-l)?|apag(?:ue|á|a)(?:r|-l)?|elimin[áae](?:r|-l)?)-?l?[oa]s?\b|"
    rf"{_LED}(?:take|leave|cut) (?:it|that|them|this) out\b",
    patterns.IGNORECASE,
)
"""A wish to take out what was named before: `podia retirá-la`."""


def without_no_thing(text: str) -> str:
    """Return what is left of a text that says of a part that it is no accessory: `not an accessory, just the box`.

    Nothing is left where it says only that; the text itself where it says nothing of the kind.
    """
    found = _NO_THING.match(text) if len(text) <= MOST_LETTERS else None
    return text if found is None else _ALONE.sub("", found["rest"]).strip()


def named_part(message: str) -> str | None:
    """Return the words of the part that is to go."""
    if found := _NO_THING.match(message):
        return found["what"]
    found = _TAKE_OUT.search(message)
    if found is None:
        unwanted = _NOT_TO_STAND.search(message) or _UNWANTED.search(message)
        return unwanted["what"] if unwanted else None
    if quoted := _QUOTED.match(found["what"] or ""):
        return quoted[1]
    what = _WHY.sub("", _SENTENCE_END.split(found["what"] or "")[0])
    if not _PRICE.isdisjoint(content(tokens(what))[:1]) and not names_terms(what):
        return None  # `drop the price to 140` and `remove the price` are about no text.
    return _PLEASE.sub("", what or f"{found['part']} of {found['of']}".removesuffix(" of "))


def cut_text(text: str, message: str, question: Sequence[str] = ()) -> str | None:
    """Return a text without the part that a message says to take out, or with the words that it says to put there.

    `question` are the words of the question that it answers. None where the message says nothing of the kind, names no
    part of the text, or nothing would be left.
    """
    is_read = max(len(message), len(text)) <= MOST_LETTERS
    if is_read and (other := _REPLACE.search(message)):
        return _with_other(text, other, question)
    what = named_part(message) if is_read else None
    return None if what is None else cut_named(text, what, question)


def cut_named(text: str, what: str, question: Sequence[str] = ()) -> str | None:
    """Return a text without the part that these words name; None where none is clear, or nothing would be left."""
    if placed := _PLACED.fullmatch(what.strip(" .!")):
        return _without_place(text, placed)
    if exact := _without_words(text, what):
        return exact
    named = tokens(_OUT_OF.sub("", _PART.sub("", _without_question(what, question).strip(" .!\"'«»“”"))))
    wanted = content(named) or named
    if listed := _without_listed(text, wanted):
        return listed
    for border in (*_BORDERS, _SENTENCES):
        left = _without_part(border.split(text), wanted)
        if left != "":
            return left
    return None


_PLACED = patterns.compile(
    r"(?:(?:a|o|the)\s+)?(?:(?P<last>[uú]ltim[ao]|last|final)|(?P<first>primeir[ao]|first)|segund[ao]|second)"
    r"(?:\s+(?:frase|parte|linha|coisa|bocado|sentence|part|line|thing|bit))?",
    patterns.IGNORECASE,
)
"""A part that is named by its place: `a última frase`, `the last bit`."""


def _without_place(text: str, placed: patterns.Match[str]) -> str | None:
    """Return a text without its first, second or last sentence, or thing of a list; None where it has one alone."""
    for border in (_SENTENCES, _BORDERS[0]):
        parts = border.split(text)
        filled = [at for at in range(0, len(parts), 2) if parts[at].strip()]
        if len(filled) > 1:
            return _left_of(parts, filled[-1 if placed["last"] else 0 if placed["first"] else 1])
    return None


_WORD = patterns.compile(
    r"(?:(?:a|the)\s+)?(?:palavra|word)\s+[\"«“]?(?P<word>\w+)[\"»”]?$", patterns.IGNORECASE
)


def _without_words(text: str, what: str) -> str:
    """Return a text without the part that is quoted as it stands there, or without a single word; else nothing."""
    word, quoted = _WORD.match(what.strip(" .!")), patterns.escape(what.strip(" .!\"'«»“”"))
    bounds = (r"(?<!\w)", r"(?!\w)") if word else (r"(?:^|(?<=[,;.]\s))", r"(?=\s*(?:[,;.]|$))")
    place = patterns.compile(
        bounds[0] + (patterns.escape(word["word"]) if word else quoted) + bounds[1], patterns.IGNORECASE
    )
    return without_debris(place.sub("", text)).strip() if len(place.findall(text)) == 1 else ""


def _with_other(text: str, found: patterns.Match[str], question: Sequence[str]) -> str | None:
    """Return a text with new words in the only place of the old ones; None where they are not there once."""
    old = _without_question(found["old"], question).strip(" \"'«»“”")
    new = _without_question(_PLEASE.sub("", found["new"]), question).strip(" \"'«»“”")
    places = patterns.compile(rf"(?<!\w){patterns.escape(old)}(?!\w)", patterns.IGNORECASE)
    is_once = bool(old and new) and len(places.findall(text)) == 1
    return places.sub(lambda _: new, text) if is_once else None


def _without_question(what: str, question: Sequence[str]) -> str:
    """Return the part that is to go without the words behind it that name the question or a text."""
    found = _OUT_OF_QUESTION.search(what.rstrip(" ."))
    said = content(tokens(found["named"])) if found else []
    known = [*question, *_OF_TEXTS]
    is_named = bool(said) and all(any(is_like(word, each) for each in known) for word in said)
    return what[: found.start()] if found and is_named else what


def _without_part(parts: list[str], wanted: list[str]) -> str | None:
    """Return parts, between which their borders stand, without the one that has most of the wanted words; nothing where
    none has enough of them, or no other is left.

    None where it is not clear what is to go: several have as many, or what follows says something of the part.
    """
    scores = [_share_of(wanted, tokens(part)) for part in parts[::2]]
    best = max(scores, default=0.0)
    found = [at for at, score in enumerate(scores) if score == best]
    kept = [at for at, part in enumerate(parts[::2]) if at not in found and part.strip()]
    if not (best >= _HALF or (best >= _THIRD and best * len(wanted) >= _FEW)):
        return ""
    if len(found) > 1 or _GOES_ON.match("".join(parts[2 * found[0] + 2 :][:1])):
        return None
    left = "".join(parts[2 * at] + (parts[2 * at + 1] if at != kept[-1] else "") for at in kept)
    return without_debris(left)


def _share_of(wanted: list[str], said: list[str]) -> float:
    """Return how many of the wanted words a part has: 0 to 1."""
    return (
        sum(any(_is_meant(word, each) for each in said) for word in wanted) / len(wanted) if wanted else 0.0
    )


def _is_meant(word: str, other: str) -> bool:
    """Return whether a word is another one or a longer or shorter form of it: `scratched` of `scratches`."""
    stem = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    return is_like(word, other) or (stem >= _STEM and 3 * stem >= 2 * max(len(word), len(other)))


def without_thing(text: str, thing: str) -> str | None:
    """Return a text without its only part that names this thing and does not deny it, empty where that is all of it;
    None where no part, or more than one, names it.
    """
    wanted = content(tokens(thing))
    left = _without_listed(text, wanted)
    if left is not None:
        return left
    parts = _BORDERS[0].split(text)
    named = _naming(parts, wanted)
    return _left_of(parts, named[0]) if len(named) == 1 else _without_contrasted(text, wanted)


def _without_contrasted(text: str, wanted: list[str]) -> str | None:
    """Return a text without a thing that is there, where `but` joins what is not: `tem caixa mas não tem cabo`."""
    there, but, missing = _CONTRAST.split(text, maxsplit=1) if _CONTRAST.search(text) else (text, "", "")
    lead = _HAS.match(there)
    left = (
        _without_listed(there[lead.end() :] if lead else there, wanted)
        if denies_thing(tokens(missing))
        else None
    )
    if left is None:
        return None
    return f"{lead[0] if lead else ''}{left}{but}{missing}" if left else missing


_CONTRAST = patterns.compile(r"(,?\s+(?:mas|but)\s+)", patterns.IGNORECASE)
_HAS = patterns.compile(r"(?:(?:tem|tenho|h[aá]|it has|has|have|i have|com|with)\s)+", patterns.IGNORECASE)
"""The start of a text that lists what is there."""


def _without_listed(text: str, wanted: list[str]) -> str | None:
    """Return a text without the thing of a list that has most of the wanted words; None where a sentence names it."""
    parts = _BORDERS[1].split(text)
    named = _naming(parts, wanted)
    near = parts[max(0, named[0] - 2) : named[0] + 3 : 2] if len(named) == 1 else []
    if near and _GOES_ON.match("".join(parts[named[0] + 2 :][:1])):
        return None
    return _left_of(parts, named[0]) if near and all(_is_listed(tokens(each)) for each in near) else None


def _is_listed(words: list[str]) -> bool:
    return len(words) <= _MOST_LISTED and _VERBS.isdisjoint(words) and _PLACES.isdisjoint(words[:1])


def _naming(parts: list[str], wanted: list[str]) -> list[int]:
    """Return where the parts stand that have most of the wanted words, at least half, and deny nothing."""
    plain = [not denies_thing(tokens(part)) for part in parts[::2]]
    scores = [_share_of(wanted, tokens(part)) * fits for part, fits in zip(parts[::2], plain, strict=True)]
    best = max(scores, default=0.0)
    return [2 * at for at, score in enumerate(scores) if score == best and best >= _HALF]


def denies_thing(words: list[str]) -> bool:
    """Return whether a part says that its thing is not there; `no` inside one is Portuguese for where it is."""
    is_english = words[:1] == ["no"] or not {"with", "is", "are", "has", "theres", "there"}.isdisjoint(words)
    return not (NEGATIONS - {"no"} | ({"no"} if is_english else set())).isdisjoint(words)


def _left_of(parts: list[str], gone: int) -> str:
    kept = [at for at in range(0, len(parts), 2) if at != gone and parts[at].strip()]
    left = "".join(parts[at] + (parts[at + 1] if at != kept[-1] else "") for at in kept)
    return without_debris(_JOINED_TWICE.sub(r"\1", left))


_JOINED_TWICE = patterns.compile(
    r"(\s(?:e|and))\s+(?:t(?:am)?b[eé]?m|tb|also|plus|mais)(?=\s)", patterns.IGNORECASE
)
_MOST_LISTED = 6
_PLACES = frozenset("on in at under near no na nos nas em junto".split())
_VERBS = frozenset("is are has have was needs drifts esta estao tem ta precisa funciona works".split())
"""A thing of a list has so many words, none of these, and does not begin with where something is."""


def is_of_answer(text: str) -> bool:
    """Return whether a text speaks of an answer or a question of this talk: `na resposta dos danos pus sim`."""
    return named_answer(text) is not None


def named_answer(text: str) -> str | None:
    """Return the folded words by which a text names an answer of this talk, and all behind them."""
    found = _OF_ANSWER.search(fold(text[:MOST_LETTERS]))
    return None if found is None else found["words"]


_OF_ANSWER = patterns.compile(
    r"\b(?:resposta|pergunta|answer|question)s? (?:que )?(?:d[aeo]s?|sobre|se|about|on|for|of|to|whether|if|where) "
    r"(?P<words>\w.*)",
    patterns.DOTALL,
)
