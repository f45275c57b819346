"""The clauses of an answer that say more than the chosen option: a remark in the seller's own words and order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from server import patterns
from server.loopos.answers.amounts.asking_price import without_price
from server.loopos.answers.certainty import HEDGES, NEGATIONS, PRAISE, adds_nothing, content, is_like
from server.loopos.answers.clauses.asides import THINGS, is_ignorant
from server.loopos.answers.clauses.cut_texts import is_of_answer
from server.loopos.answers.clauses.faults import denies_faults, denies_trouble, explains_name, tells_fault
from server.loopos.answers.clauses.reminders import is_of_talk, without_told_relatives
from server.loopos.answers.words import is_number, tokens

MOST = 300
"""So many letters of a remark are shown; a longer one ends at a clause, or at a word."""
_BORDERS = patterns.compile(
    r"(\s*(?:(?<!\d)[,.](?!\d)|(?<=\D)[,.]|[,.](?=\s|$)|[;!\n()–—])+\s*|\s-\s"
    r"|\s+(?=(?:mas|but|por[eé]m|contudo|however|although|though|embora|s[oó] que|porque|because|devido|due to|"
    r"(?<!comes )(?<!come )(?<!came )with|(?<!vem )(?<!vai )com|tirando|exce[p]?to|except|apart from|otherwise|"
    r"de resto)\b))",
    patterns.IGNORECASE,
)
_JOINT = patterns.compile(
    r"^(?:(?:e|and|mas|but|por[eé]m|contudo|however|porque|because(?! of\b)|com|with|ent[aã]o|well|bem|also|tamb[eé]m)"
    r"(?!\w)[\s,:]*)+",
    patterns.IGNORECASE,
)
_ONLY = patterns.compile(r"^(?:s[oó]|apenas|somente|just|only)\s+(?!que\b)", patterns.IGNORECASE)
_TO_WRITE = (
    r"(?:p[oõ]e(?:m)?|ponham?|escrev(?:a|e|am)|mete|metam?|anot[ae]m?|acrescent[ae]m?|junt[ae]m?|mencion[ae]m?|put|write|"
    r"add|include|mention|note)"
)
_TO_US = patterns.compile(
    rf"(?:(?:please|pls|por favor|pf|sff|e|and|(?:can|could) (?:yo)?u|podes?|podem)\s+)*(?:{_TO_WRITE}"
    r"(?:\s+(?:that|it|this|isso|isto|tamb[eé]m|too|in|down|there|a[ií]|l[aá]|please|pls|por favor|pf|no an[uú]ncio|"
    r"in the (?:ad|listing)))+"
    r"|(?:don['’]?t|do not) forget(?: (?:that|it|this))?|n[aã]o (?:te|se|vos) esque[cç]\w*(?: (?:d?isso|d?isto))?"
    r"|next(?: (?:one|question))?(?: please| pls)?|(?:a )?(?:pr[oó]xima|seguinte)(?: pergunta)?"
    r"|nothing (?:else|more|bad|major|serious)|nada (?:mais|demais|de (?:mais|especial|grave))|mais nada)[\s.!]*",
    patterns.IGNORECASE,
)
"""Clauses that are said to us, or that only end the answer."""
_LEAD_TO_US = patterns.compile(
    rf"^(?:(?:please|pls|por favor|pf)\s+)?(?:(?:don['’]?t|do not) forget|n[aã]o (?:te|se|vos) esque[cç]\w*"
    rf"|{_TO_WRITE})(?:\s+(?:that|que|de))+\s+(?=\w)",
    patterns.IGNORECASE,
)
_ORDERS = patterns.compile(
    r"^(?:(?:sim|yes|ok|no|n[aã]o|please|pls|por favor)\b[\s,]*)*(?:mud[ae]r?|troc[ae]r?|alter[ae]r?|corri[gj]\w+|"
    r"change|correct|switch|make|set|put|met[ae]|p[oõ]e|ponha|fi(?:ca|que)|deix[ae]|leave|keep|sell|vendo|vender)(?!\w)",
    patterns.IGNORECASE,
)
"""Clauses that say what to do with an answer."""
_CORRECTS = patterns.compile(
    r"^(?:(?:e|and|oh|ah|mas|but)\b[\s,]*)*(?:sorry|desculp[ae]|enganei(?:[- ]me)?|correction|corre[cç][aã]o|wait|"
    r"hang on|hold on|esper[ae]m?)(?!\w)|\b(?:afinal|actually)\b|"
    r"\b(?:is|are|was|est[aá]|t[aá]) (?:wrong|errad[oa])\b",
    patterns.IGNORECASE,
)
"""Clauses from which on something else is put right."""
_OF_OTHERS = frozenset(
    "original originais genuine authentic legit unlocked desbloqueado desbloqueada icloud google conta contas account "
    "accounts fumo fumadores smoke smokers smoking".split()
)
"""Words of questions that stand beside the one for the grade of an item."""
_OF_SALE = frozenset(
    "preco price euros euro eur pounds dollars negociavel negociaveis negotiable negociar oferta ofertas offer offers "
    "portes envio entrega shipping delivery comprei compramos comprada comprado compradas comprados bought "
    "purchased".split()
)
_COMES_WITH = patterns.compile(
    r"^(?:(?:it|they|ele|ela|also|tamb[eé]m)\s+)*(?:comes?|vem|v[eê]m|vai|traz|inclui|inclu[ií]d[oa]s?|includes?|including|"
    r"included|(?:i )?(?:still )?have the|(?:ainda )?tenho (?:[oa]s? )?)(?!\w)",
    patterns.IGNORECASE,
)
_EXTRAS = frozenset(
    "no not none nor sem nem without nao any anything extra extras accessory accessories acessorio acessorios mais "
    "more else upgrades mods".split()
)
"""Words of a clause that denies what the last text asks for."""
_WITH = frozenset("com with mais plus".split())
STATES = frozenset(
    "esta estao ta is are tem has had looks parece kept stored sempre always guardada guardado levou".split()
)
"""Words of a clause that says how a thing is or was, and not that it comes with the item."""


def remark_parts(answer: str) -> list[str]:
    """Return the clauses of an answer and the marks between them, each behind the other, up to one that puts something
    else right; the clauses are at the even places.
    """
    parts = _BORDERS.split(without_told_relatives(answer))
    end = next((at for at in range(2, len(parts), 2) if _CORRECTS.search(parts[at])), len(parts) + 1)
    return parts[: end - 1]


def says_something(part: str, own: Sequence[str], language: str, *, of_grade: bool) -> bool:
    """Return whether a clause is a remark: no courtesy, question, denial, word to us or value of another question.

    `own` are the words of the question, whose things are no others; beside the grade of an item (`of_grade`) a bare
    figure is the value of another question too.
    """
    plain = without_lead(part).strip(" .,;:!")
    if not tokens(plain) or "?" in part or is_of_answer(plain) or _TO_US.fullmatch(plain):
        return False
    if is_of_talk(plain) or explains_name(plain):
        return False
    if tells_fault(plain):
        return True
    if _ORDERS.match(plain):
        return False
    said = [each for each in content(tokens(plain)) if each not in PRAISE | HEDGES | _EMPTY]
    is_denial = denies(plain) or (not NEGATIONS.isdisjoint(tokens(plain)[:1]) and _EXTRAS.issuperset(said))
    if not said or adds_nothing(plain, language) or is_ignorant(plain) or is_denial:
        return False
    if without_price(plain, language) != plain or not _OF_SALE.isdisjoint(said) or _COMES_WITH.match(plain):
        return False
    is_short = of_grade and len(said) <= _SHORT
    if is_short and (any(map(is_number, said)) or not _OF_OTHERS.isdisjoint(said)):
        return False
    comes_with = not _WITH.isdisjoint(tokens(part)[:1]) or STATES.isdisjoint(tokens(plain))
    return not (comes_with and any(_is_thing(each, own) for each in said))


def _is_thing(word: str, own: Sequence[str]) -> bool:
    return any(is_like(word, each) for each in THINGS) and not any(is_like(word, each) for each in own)


_SHORT = 3
"""A figure, what it counts and a word more."""
_EMPTY = frozenset(
    "agora now ja already ainda still yes funciona funcionam works work working tudo everything all como likes used "
    "otherwise though tho usado usada usados usadas condition estado digo say diria rest resto grand lovely brilliant "
    "excellent excelente fixe top nick theyre shes hes".split()
)
"""Words that say nothing alone."""


def says_clean(words: str) -> bool:
    """Return whether words say that the item is clean, and nothing else: the one word that is a fact alone."""
    return bool(_CLEAN.intersection(tokens(words))) and _CLEAN.union(_VERY).issuperset(content(tokens(words)))


_CLEAN = frozenset("clean limpo limpa limpos limpas limpinho limpinha limpinhos limpinhas spotless".split())
_VERY = frozenset("very really muito super bem bastante all tudo todo toda nice lovely".split())


def denies(part: str) -> bool:
    """Return whether a clause only denies faults or trouble."""
    words = tokens(part)
    return denies_faults(part) or bool(
        words and words[0] in NEGATIONS | {"nothing"} and denies_trouble(words[1:])
    )


def without_lead(text: str) -> str:
    """Return a remark without the joint and the words to us in front of it: `and don't forget that ...`."""
    return _LEAD_TO_US.sub("", _JOINT.sub("", text))


def join_remark(parts: Sequence[str], kept: Sequence[int]) -> str:
    """Return the kept clauses in their order, with their own marks where they follow each other."""
    runs = list[list[int]]()
    for at in kept:
        if runs and at == runs[-1][-1] + 2:
            runs[-1].append(at)
        else:
            runs.append([at])
    texts = [without_lead("".join(parts[run[0] : run[-1] + 1])) for run in runs]
    if len(kept) > 1:
        texts[0] = _ONLY.sub("", texts[0])
    text = "; ".join(each.strip(" .,;:!") for each in texts)
    return shorten(_tidy(text))


def _tidy(text: str) -> str:
    """Return a text without brackets and new lines: the remark stands in brackets itself."""
    return _MARKS.sub(lambda found: "; " if ";" in found[0] else ", ", text).strip(" .,;:!")


_MARKS = patterns.compile(r"(?:\s*[()\n,;]+\s*){2,}|\s*[()\n]+\s*")


def shorten(text: str) -> str:
    """Return a remark of MOST letters at most."""
    if len(text) <= MOST:
        return text
    ends = [at for at in _ends(text) if at <= MOST]
    cut = ends[-1] if ends and 2 * ends[-1] > MOST else text.rfind(" ", 0, MOST + 1)
    return text[: cut if cut > 0 else MOST].strip(" .,;:!")


def _ends(text: str) -> Iterator[int]:
    return (found.start() for found in _BORDERS.finditer(text))
