"""A part that does not work, or a thing that does not work everywhere: it works, with faults."""

from __future__ import annotations

from dataclasses import replace

from server import patterns
from server.loopos.answers.clauses.faults import fault_clauses, tells_fault
from server.loopos.answers.element import Element
from server.loopos.answers.judges.fault_notes import GRADES, beside
from server.loopos.answers.judges.states import asks_whether_it_works
from server.loopos.answers.options.option_sides import leads, not_an_option, valid_option
from server.loopos.answers.options.synonyms import label_key
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Valid
from server.loopos.answers.words import fold

_PART = (
    r"(?:(?:back|head|tail|side)?lights?|alarm|mic|microphone|mike|speakers?|camera|webcam|dock|trackpad|touchpad|"
    r"joy[ -]?cons?|stick|buttons?|keys?|wi-?fi|bluetooth|gps|nfc|usb(?: c)?(?: port)?|(?:hdmi )?port|jack|timer|clock|"
    r"grinder|steam(?:er)?(?: wand)?|frother|milk (?:jug|frother)|brush(?: head| bar)?|roller|headlight|"
    r"horn|bell|remote|"
    r"touch id|face id|fingerprint(?: reader| sensor)?|vibration|rumble|flash|zoom|turbo(?: mode)?|(?:max|eco) mode|"
    r"disc drive|cd drive|noise cancell\w+|anc|beeper|"
    r"luz(?:es)?|alarme|microfone|colunas?|camara|base de tv|botao|botoes|teclas?|temporizador|relogio|"
    r"moinho|vaporizador|"
    r"escova|rolo|farol|farois|buzina|campainha|comando|impressao digital|vibracao|leitor de discos|modo \w+)"
)
_DENIED = (
    r"(?:doesn['’]?t|does not|don['’]?t|do not|won['’]?t|isn['’]?t|(?:has |have )?stopped|not|ja nao|nao) "
    r"(?:always |really |even |quite )?(?:work(?:s|ing)?|turn on|come on|light up|spin|responds?|respond|funcionam?|"
    r"liga|ligam|acende|acendem|responde|respondem|roda|gira)\b"
)
_PART_FAILS = patterns.compile(
    rf"(?:^|[,.;!]\s*|\b(?:but|and|only|just|except|mas|e|so)\s+)(?:(?:the|my|its|one|left|right|[oa]s?|um|uma)\s+)*"
    rf"{_PART}(?: (?:on|of|do|da|de) (?:the |it )?\w+)? {_DENIED}"
)
_SOMEWHERE = patterns.compile(
    r"\b(?:doesn['’]?t|does not|don['’]?t|won['’]?t|nao) (?:work|funciona|trabalha)(?: (?:well|properly|bem))? "
    r"(?:on|with|without|when|unless|in the|at|em|com|sem|quando|n[oa]s?)\b"
    r"(?! (?:my|the|minha|meu)? ?(?:own|moment|all|momento)\b)"
)
"""What does not work with something or somewhere works elsewhere."""
_NOT_WORKING, _WITH_FAULTS = "it does not work", "it works with faults"


def prefer_faults_of_parts(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return that an item works with faults, asked back, instead of that it does not work, where an answer only says so
    of a part or of one use: `the alarm doesn't work`; and no sound state that the only clause gainsays: `needs a new
    needle`.
    """
    if not isinstance(judged, ProbableAnswer) or element.kind != "select":
        return judged
    guessed = next((each for each in element.options if each.value == judged.guess.value), None)
    if guessed is None:
        return judged
    if not asks_whether_it_works(element):
        is_sound = guessed == element.options[0] and leads(guessed) is None
        is_graded = [each.value for each in element.options] == GRADES
        is_faulty = len(fault_clauses(answer)) == 1 and _NEEDS_ANOTHER.match(fold(answer).strip())
        return not_an_option(element, language) if is_sound and is_faulty and not is_graded else judged
    flat = fold(answer)
    if label_key(guessed.label.en) != _NOT_WORKING or not (
        _PART_FAILS.search(flat) or _SOMEWHERE.search(flat)
    ):
        return judged
    if tells_fault(_PART_FAILS.sub(" ", _SOMEWHERE.sub(" ", flat))):
        return judged
    faulty = next(each for each in element.options if label_key(each.label.en) == _WITH_FAULTS)
    option = valid_option(faulty, language)
    return ProbableAnswer(replace(option, shown=option.shown + beside(*fault_clauses(answer))))


_NEEDS_ANOTHER = patterns.compile(
    r"(?:(?:it|its|the \w+|[oa] \w+|just|only|so|probably|prob|se calhar|also) )*"
    r"(?:needs?|wants|precisa|precisava|could do with|due) (?:\w+ ){0,2}?(?:new|replac\w+|nov[oa]s?|"
    r"outr[oa]s?|troc\w+)\b"
)


def works_after_all(element: Element, kept: Valid, message: str, language: str) -> Valid | None:
    """Return that all works, with the other words beside it, where a message denies that it works with faults and says
    that all of it works, or the item itself: `no everything works, the lever is just bent`.
    """
    faulty = any(
        each.value == kept.value and label_key(each.label.en) == _WITH_FAULTS for each in element.options
    )
    working = next((each for each in element.options if leads(each)), None)
    found = _ALL_WORKS.match(message) if faulty and "?" not in message else None
    if found is None or working is None:
        return None
    valid = valid_option(working, language)
    return replace(valid, shown=valid.shown + beside(found["rest"].strip(" .,;!")))


_ALL_WORKS = patterns.compile(
    r"\s*(?:(?:no|nope|nah|n[aã]o)\b[\s,.;!]*)++(?:(?:but|mas|wait|espera)\b[\s,]*)?"
    r"(?:(?:everything|it all|all of it|tudo|(?:the|my) \w+ itself|[oa] \w+ em si)\s(?:(?:still|ainda|actually)\s)?"
    r"(?:works?|funciona|trabalha)|funciona tudo)\b(?!\s(?:but|except|mas|menos|exceto|o resto|quando|when)\b)"
    r"(?:\s(?:fine|well|perfectly|great|bem|perfeitamente))?[\s,.;!–-]*(?P<rest>.*)",
    patterns.IGNORECASE | patterns.DOTALL,
)
