"""Instructions around an answer, such as `put 2` and `escreva antes: caixa e cabo`: it is what they say to write."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import content
from server.loopos.answers.clauses.change_requests import told_value
from server.loopos.answers.element import Element
from server.loopos.answers.words import fold, tokens

_ONLY = (
    r"(?:antes|instead|rather|s[oó]|apenas|somente|only|just|down|isto|this|isso|that|l[aá]|a[ií]|you can)"
)
_POLITE = (
    r"(?:(?:n[aã]o|no|nope|ok|okay|please|pls|por favor|pf|(?:can|could) (?:you|u)|you can|podes?|just|so|e|and|then|"
    r"ent[aã]o)\b[\s,.:]*)*"
)
_WRITE = patterns.compile(
    rf"^{_POLITE}(?:(?:n[oa]s?|in|at|for)\s+(?:the\s+)?[\w-]+\s+)?"
    rf"(?:(?:escrev[ae]|p[oõ]e|ponha|mete|meta|coloc[ae]|write|put)(?:\s+{_ONLY})*"
    rf"|(?:deixa|deixe|fica|fique|keep|leave|say|diz|diga)(?:\s+{_ONLY})+)\b(?:\s*+[:,]\s++|\s++)(?:que\s++)?+(?=\S)"
    rf"|^{_POLITE}(?:s[oó]|apenas|somente|only|just)\s*+:\s*+(?=\S)",
    patterns.IGNORECASE,
)
_SHOULD_BE = patterns.compile(
    r"\b(?:(?:(?:devia|deveria|tinha de)m?|deve|devem|t[eê]m? de|tinham de)\s+(?:(?:s[oó]|apenas)\s+)?"
    r"(?:ser|estar|ficar|dizer)(?:\s+(?:s[oó]|apenas)\b)?|"
    r"(?:should|must|has to)\s+(?:(?:just|only)\s+)?(?:be|say|read))\b(?:\s*+:\s++|\s++)(?=\S)"
    r"(?!\w+ed\b|\w+[ai]d[oa]s?\b|limp[oa]s?\b)",
    patterns.IGNORECASE,
)
"""Words before what a text is to be. What has to be cleaned is a fact of the item, and no instruction."""
_OF_QUESTION = patterns.compile(
    r"^(?:(?:n[aã]o|no|sorry|desculpe|e|and|mas|but)[\s,]+)?(?:(?:n[aoe]s?|[aà]s?|at|in|for|on|to) )?(?:[ao] |the )?"
    r"(?:pergunta|resposta|question|answer)\b[^:\n]{2,100}:\s*(?=\S)",
    patterns.IGNORECASE,
)
"""The question that an answer names before a colon: `a pergunta se foca: sim`."""
_MISSING = patterns.compile(
    r"^(?:(?:e|mas|ah|oh|and|also|but|ainda|s[oó])\b[\s,]*)*(?:falta(?:va)? (?:p[oô]r|dizer|meter|escrever|acrescentar)"
    r"|i forgot to (?:say|mention|add|put)|you (?:forgot|missed))\b(?: (?:a[ií]|l[aá]|que|that)\b)*[\s:,]+(?=\S)"
    r"|[\s,.;]+(?:(?:s[oó]|ainda|e) )*falta(?:va)? (?:s[oó] )?(?:isso|isto)[\s.!]*$"
    r"|[\s,.;]+that(?:['’]?s| is) missing[\s.!]*$",
    patterns.IGNORECASE,
)
"""Words before or behind a text that only say that it is missing."""
_VERB = r"(?:escrev[ae]|p[oõ]e|ponha|met[ae]|write|put|say)"
_WRITE_LATER = patterns.compile(
    rf"[.!;,\n]\s+{_POLITE}(?:{_VERB}(?:\s+{_ONLY})*\s*:\s+"
    rf"|{_VERB}\s+(?:s[oó]|apenas|somente|only|just)\s+|(?<=just ){_VERB}\s+)(?=\S)",
    patterns.IGNORECASE,
)
"""A later clause that says what to write: `that reads oddly. Please write: ...`, `no not that. just write ...`."""
_SENTENCE_END = patterns.compile(r"(?<=[.!?\n])\s+")
_WHY_ASKED = patterns.compile(
    r"^(?:(?:e|and|mas|but) )?(?:e que|porque|because|it'?s just|i don'?t know|nao sei|"
    r"just (?:asking|wondering|curious)|(?:e )?so para saber|so queria saber|(?:estou|tou) so a perguntar)\b"
)
"""The start of a sentence that belongs to the question before it."""
_LABEL = patterns.compile(r"^(?P<label>[^\W\d][\w ]{2,30}):\s*(?=[\w\"«“(])")


def without_questions(answer: str) -> str:
    """Return a text without its sentences that ask, and those that say why, where it does not end with a question.

    Nothing is left of `do you take swaps? it's just that people ask`.
    """
    sentences = _SENTENCE_END.split(answer)
    asked = [each.rstrip().endswith("?") for each in sentences]
    if asked[-1] or not any(asked):
        return answer
    told = [each for each, asks in zip(sentences, asked, strict=True) if not asks]
    return " ".join(each for each in told if not _WHY_ASKED.match(fold(each))).strip(" .")


def without_instruction(element: Element, answer: str) -> str:
    """Return what an answer says to write; the answer itself where it says nothing of the kind.

    Of a text that is to be another one (`it should be ...`) only that is left, and the name of the question before a
    colon goes as well.
    """
    written = _WRITE.sub("", _OF_QUESTION.sub("", answer), count=1)
    written = written if element.kind == "text" else _JUST_SAY.sub(", ", written)
    if element.kind == "text":
        if later := _WRITE_LATER.search(written):
            written = written[later.end() :]
        quoted = written != answer and written.lstrip()[:1] in _QUOTES
        written = told_value(written) if quoted else written
        written = _MISSING.sub("", written).strip() or written
        found = list(_SHOULD_BE.finditer(written))
        written = written[found[-1].end() :] if found else written
        named = _LABEL.match(written)
        if named and _names(element, named["label"]):
            written = written[named.end() :]
    return written.strip() or answer


def _names(element: Element, label: str) -> bool:
    """Return whether these words are words of the question."""
    own = {
        word[:5] for text in (element.label, element.hint) if text for word in tokens(f"{text.pt} {text.en}")
    }
    said = content(tokens(label))
    return bool(said) and all(word[:5] in own or word in _NOTES for word in said)


_JUST_SAY = patterns.compile(
    r"[\s,;]+(?:(?:but|mas|and|e) )?(?:just|only|s[oó]|apenas) "
    r"(?:say|write|put|mention|diz|diga|escrev[ae]|p[oõ]e|ponha)\b[\s:,]*",
    patterns.IGNORECASE,
)
"""Words before the remark beside a chosen option: `good but just say bit faded`."""
_QUOTES = frozenset('"«“')
_NOTES = frozenset("nota notas note notes observacoes texto text".split())
"""Words for every question that takes a text."""
