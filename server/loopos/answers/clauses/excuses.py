"""Remarks of sellers about themselves: the reason of a late answer, or what they were doing."""

from server import patterns
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.clauses.item_facts import item_facts
from server.loopos.answers.words import MOST_LETTERS, fold

_SORRY = (
    r"(?:(?:oh|ah|ok|so|sorry|apologies|my bad|desculp\w*|perdao|lamento|as|"
    r"e|and|but|mas|por|la)\b[\s,.!-]*)"
)
_SELF = (
    r"(?:(?:for |about |pela |pelo )?(?:the |a |o |my )?(?:"
    r"(?:late|slow) (?:reply|answer|response)|delay|wait|demora|atraso)|"
    r"(?:i )?(?:had to (?:step|go|leave|"
    r"run|get off|take a|pick up|answer|catch|drive)|was just|"
    r"was (?:on|at|in|driving|cooking|working|away|out|busy)|got (?:distracted|called|off)|"
    r"just got (?:home|back|in)|am back|m back)|im back|back now|"
    r"(?:eu )?(?:tive (?:de|que) "
    r"(?:sair|ir|atender|apanhar|parar|desligar|levar|buscar)|"
    r"estava (?:a|n[oa]s?|em)|fui (?:a|ao|ali)|ia (?:a|no|na)|demorei|distrai me|"
    r"cheguei (?:agora|a casa)|ja voltei|voltei|ja ca estou))"
)
_EXCUSE = patterns.compile(rf"{_SORRY}*+{_SELF}\b")
_ONLY_SORRY = patterns.compile(rf"{_SORRY}+")


def is_excuse(words: str) -> bool:
    """Return whether words only excuse who writes them, or say what they were doing, and nothing of the item."""
    said = fold(words).replace("'", " ").strip(" .,;!")
    if len(words) > MOST_LETTERS or "?" in words or any(map(str.isdigit, said)):
        return False
    is_own = _EXCUSE.match(said) is not None or _ONLY_SORRY.fullmatch(said) is not None
    return is_own and not (tells_fault(words) or item_facts(words))
