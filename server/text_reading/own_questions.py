"""The question that a person asks and answers in one message: `em novembro de 2022, ou 2021? não, 2022`."""

from collections.abc import Sequence

from server import patterns
from server.languages import fold

_LONGEST = 300
_SETTLED = patterns.compile(
    r"(?P<said>[^?]+?)[\s,.;:–—-]+(?:or|ou)\s[^?]{1,60}\?\s*"
    r"(?P<settled>(?:(?:no|n[aã]o|nope|nah|yes|sim|hm+)[\s,.;!…]+)?[^?]+)",
    patterns.IGNORECASE,
)
_YES_OR_NO = frozenset("no nao nope nah yes yeah sim hm hmm e foi era o a the it its it's was is".split())


def without_own_question(text: str) -> str:
    """Return a message without the doubt at its end that its writer settles by what stands before that doubt.

    Where the words behind the doubt say anything else, the message stays as it is.
    """
    found = _SETTLED.fullmatch(text.strip()) if "?" in text and len(text) <= _LONGEST else None
    if found is None:
        return text
    settled = {*fold(found["settled"]).split()} - _YES_OR_NO
    return found["said"] if settled and settled <= {*fold(found["said"]).split()} else text


_WHAT_IS = patterns.compile(
    r"\W*(?:(?:e|and|mas|but|ok|so|entao|desculpe|sorry|olhe?)\s+)*"
    r"(?:(?:o )?q(?:ue)? (?:raio )?(?:e|sao|significam?|quer(?:em)? dizer)\b(?! que\b)|w(?:h?at|ot) ?(?:s|is|are)\b|"
    r"(?:o )?q(?:ue)? (?:e (?:que |q ))?(?:conta|se (?:entende|considera))\b|w(?:h?at|ot) counts\b|"
    r"w(?:h?at|ot) (?:do|does) (?:you mean|\w+(?: \w+){0,3} mean)\b|(?:qual|que) (?:e )?(?:a )?diferenca\b)"
)


def asks_what_is(text: str) -> bool:
    """Return whether a message asks what a thing is, with or without a mark: `o que é um ciclo`, `what's M1`."""
    return _WHAT_IS.match(fold(text).replace("'", "")) is not None


def asks_how_to_see(text: str) -> bool:
    """Return whether a message asks how or where its writer can see something: `how can I check the shutter count?`."""
    return _HOW_TO_SEE.search(fold(text).replace("'", "")) is not None


_HOW_TO_SEE = patterns.compile(
    r"\b(?:(?:how|where) (?:(?:can|do|would|could|should) (?:i|you|we|one)|to) "
    r"(?:check|see|find|know|tell|look|count|measure|get|read)|"
    r"(?:como|onde) (?:(?:e )?que )?(?:(?:eu|se|posso|e|possivel|devo|da para|consigo|a|o) )*"
    r"(?:ver|vejo|ve|sei|saber|sabe|verific\w+|confirm\w+|encontr\w+|descobr\w+|descubro|consult\w+|cont\w+|medir))\b"
)


def is_guess(text: str) -> bool:
    """Return whether a text with a question mark only says what its writer thinks: `I'd say good?`."""
    return _GUESS.match(fold(text)) is not None


_GUESS = patterns.compile(
    r"\W*(?:(?:well|hm+|um+|bem|e|so|ok) )*(?:i'?d say|i would say|(?:i )?(?:think|guess|suppose|reckon)|maybe|"
    r"prob(?:ably)?|"
    r"perhaps|(?:eu )?(?:diria|acho|penso|creio|suponho)(?: que)?|talvez|se calhar|provavelmente)\b|"
    r"\W*(?:(?:hm+|um+|so|e|ou|or|maybe) )*€?\d[\d.,]*\s?(?:€|euros?|%)?\W*$"
)


def settled_guess(text: str) -> str:
    """Return a text as the guess that ends its doubt, `500gb or 1tb.. think 500?`; without a denial of certainty."""
    text = _UNCERTAIN.sub(" maybe", text[:_LONGEST]) + text[_LONGEST:]
    found = _DOUBTS.fullmatch(text) if len(text) <= _LONGEST else None
    return f"maybe {found['guess']}" if found else text


_UNCERTAIN = patterns.compile(
    r"(?:[\s,.;]+(?:but|mas|though))?[\s,.;]+(?:(?:i['’]?m|im|i am)\s)?(?:not|n[aã]o (?:tenho|estou)|sem)\s(?:a\s)?"
    r"(?:100\s?%\s?|cem por cento\s)(?:de\s)?(?:sure|certain|certezas?|cert[oa])\b"
    r"(?:[\s,.;]+(?:let me|lemme|i['’]?ll|ill|vou|deixa-?\s?me)\s(?:just\s|s[oó]\s|l[aá]\s)?(?:check|look|ver|"
    r"confirmar)\b)?",
    patterns.IGNORECASE,
)
_DOUBTS = patterns.compile(
    r"[^?]{0,120}?\s(?:or|ou)\s[^?,.;!]{1,30}[,.;!?…–-]{1,3}\s*(?:(?:but|mas|so|hm+|eu|i)\s){0,2}(?:think|guess|acho|"
    r"penso|creio|diria|probably|prob|maybe|talvez|provavelmente|se calhar)\s(?:que\s)?(?:(?:it['’]?s|its|[eé]|"
    r"the|[oa]s?)\s){0,2}"
    r"(?P<guess>[^\s,.;?!][^,.;?!]{0,20})[\s.?!]{0,3}",
    patterns.IGNORECASE,
)


def tell_unknown(
    told: Sequence[str], said: str, known: Sequence[str], ours: Sequence[str], unknown: Sequence[str]
) -> tuple[list[str], str]:
    """Return the lines beside a reply that it lacks, and the reply; neither tells an answered question to be unknown.

    `known` are the answers to common questions, `unknown` the sentences that nothing is known, and `ours` those of
    them that the lines beside the reply lose where the reply answers.
    """
    answers = any(each in said for each in known)
    left = [each for each in told if each not in said and not (answers and each in ours)]
    if not unknown or not any(each in known for each in told):
        return left, said
    of_unknown = "|".join(map(patterns.escape, unknown))
    return left, patterns.sub(rf"\s*(?:{of_unknown})\s*", " ", said).strip()


def guesses_figure(text: str) -> bool:
    """Return whether a question only ends in a figure that its writer guesses: `two a day, so maybe 3500?`."""
    return _GUESSED_FIGURE.search(text[-_LONGEST:]) is not None


_GUESSED_FIGURE = patterns.compile(
    r"\b(?:maybe|perhaps|prob(?:ably)?|(?:i['’]?d|i would) (?:say|guess)|i (?:guess|think|reckon|suppose)|talvez|"
    r"se calhar|provavelmente|(?:acho|diria|penso|creio|suponho)(?: que)?)\s(?:[^\W\d]{1,10}\s){0,3}\d[\d.,]*"
    r"(?:\s?(?!eur|paus|quid|pounds)[^\W\d]{1,12})?(?:\s(?:ou assim|or so))?\s*\?+\s*$",
    patterns.IGNORECASE,
)


def answers_own_question(asked: str, behind: str) -> bool:
    """Return whether a yes or a no behind a question is its writer's own answer: `Traz a gaveta? Não, perdeu-se.`.

    What is asked of the other side, as `posso …` or `do you …` is, has no own answer.
    """
    return _YES_OR_NO_BEHIND.match(behind) is not None and _ASKED_OF_ITEM.match(fold(asked)) is not None


_YES_OR_NO_BEHIND = patterns.compile(r"\s*(?:n[aã]o|no|nope|sim|yes|yeah)\s*[,.;!…–—-]", patterns.IGNORECASE)
_ASKED_OF_ITEM = patterns.compile(
    r"(?:(?:e|mas|ah|and|but|oh|so|ok) )*(?:(?:ainda )?(?:traz|trazem|tem|tinha|inclui|vem|veio|falta|faltam|"
    r"esta(?! (?:pagina|conversa|loja|aplicacao))|estao|"
    r"funciona\w*|liga|perde)|(?:does|did|has) (?:it|they|the)|"
    r"(?:is|are) the)\b(?!.*\b(?:you|u|voces?)\b)"
)


def asks_of_price(asked: str) -> bool:
    """Return whether a question behind a wished price only asks whether that can be: `is that possible here?`."""
    return asked.rstrip().endswith("?") and _CAN_BE.fullmatch(fold(asked)) is not None


_CAN_BE = patterns.compile(
    r"(?:(?:e|acha[ms]? que|mas|and|but|so|do you think) )*(?:(?:is|would|could|can) (?:that|this|it)(?: be)?|"
    r"(?:isso|isto)(?: e| sera| seria)?|e|sera|seria|acham?|consigo(?: isso)?)"
    r"(?: (?:possible|ok|okay|doable|realistic|fair|reasonable|work|too much|happen|possivel|realista|justo|razoavel|"
    r"muito|demasiado|demais|da|exequivel)) ?(?:here|aqui|do you think|acham?)?"
)
