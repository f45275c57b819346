"""The clauses of a message that tell of a fault of its item: one vocabulary in both languages.

A fault that is denied (`no scratches`) or asked about is none, and neither is one that is already mended.
"""

from __future__ import annotations

from collections.abc import Sequence

from server import patterns
from server.loopos.answers.certainty import HEDGES, NEGATIONS, SMALL, doubts, is_like, plain_words
from server.loopos.answers.clauses.cut_texts import asks_to_cut, is_of_answer
from server.loopos.answers.clauses.reminders import without_reminders
from server.loopos.answers.words import fold, is_number, tokens

_VERBS_IN_ENGLISH = (
    r"(?:works?|turn on|start|charge|respond|close|shut|open|hold|stay|fit|stop|brake|spin|read|connect)"
)
_VERBS_IN_PORTUGUESE = (
    r"(?:funciona|liga|carrega|responde|fecha|abre|trava|segura|encaixa|roda|aquece|arranca|dobra|toca|se ouve|da som|"
    r"aguenta|levanta|acende|desce|sobe|le)m?"
)
_FAULT = patterns.compile(
    r"\b(?:drift\w*|(?<!\bnao )(?<!\bn )desviam?|squeak\w*|squeal\w*|creak\w*|"
    r"rattl\w*|crackl\w*|wobb?l\w*|wonky|leak(?:s|ed|y|ing|age)?|drips|dripping|clog(?:s|ged|ging)|spits?|spitting|sputter\w*|"
    r"scratch(?:es|ed|y)?|scuff(?:s|ed)?|dent(?:s|ed)?|ding(?:s|ed)?|crack(?:s|ed|ing)?|chipped|"
    r"chips?(?= (?:on|off|out of)\b)|(?:nicks?|knocks?|bumps?)(?= (?:on|in|to)\b)|gouges?|missing|broken?|loose|"
    r"worn(?! (?:once|twice))|torn|ripped|frayed|stain(?:s|ed)?|faded|bent|rust(?:s|ed|y)?|stuck|sticky|sticking|"
    r"fault(?:y|s)?|damage(?:d|s)?|smashed|shattered|snapped|punctured?|flat (?:tyre|tire|battery)|"
    r"(?:bateria|battery|batteries|pilhas?)(?: (?!(?:not?|never|isnt|hasnt|wasnt|nao|n|nunca|nem)\b)\w+){0,4} "
    r"(?:morreu|morreram|mort[ao]s?|die[sd]|dead|viciad[oa]s?|foi se|pifou)|"
    r"dead batter(?:y|ies)|(?:tyre|tire|battery) is (?:flat|dead)|peel(?:s|ing|ed)|yellow(?:ed|ing)|burnt|"
    r"burn in|holes?|stiff|(?:water|cup|glass|mug|coffee|tea|heat) (?:rings?|marks?)|"
    r"(?:marcas?|aros?|aneis|anel|circulos?) d[eo]s? (?:agua|copos?|canecas?|cafe|cha|calor)|perr[oa]s?|"
    r"(?:custam?|dificil|dificeis) (?:(?:um|pouco|bocado|bocadinho) ){0,2}(?:a|de) (?:abrir|fechar|rodar|correr)|"
    r"(?<!wear and )tears?|glitch\w*|"
    r"los(?:es|ing) (?:(?:its|a|some|bit|lot|of|the|all|most) ){0,4}(?:suction|power|pressure|charge|"
    r"signal|connection)|"
    r"smells?(?! (?:like new|nice|fine|good|great|lovely|fresh|clean)\b)|smelly|stinks?|tinny|muffled|chewed|iffy|"
    r"temperamental|ghost touch\w*|screen burn|burn ins?|(?:green|dead|coloured|vertical) lines?|"
    r"intermittent\w*|laggy|lags|freezes|focus hunts|"
    r"perde (?:\w+ ){0,3}(?:succao|forca|potencia|carga|sinal|som)|cheira mal|roid[oa]s?|roeu|mordid[oa]s?|engasga|"
    r"flicker\w*|overheats?|cuts out|jam(?:s|med)|blown|defect\w*|malfunction\w*|"
    r"burns|dead (?:pixels?|keys?|buttons?|spots?)|"
    r"(?:buttons?|keys?|triggers?|drawers?|doors?|wheels?|brakes?|pedals?|buckles?|clips?|zips?|locks?|"
    r"latch)(?: (?!(?:not|never|no)\b)\w+){0,2} sticks?|"
    r"loud fans?|"
    r"(?:fans?|ventoinhas?) (?:(?!(?:not?|never|isn|arent|isnt|nao|n|nunca|nem)\b)\w+ ){0,4}(?:loud|barulhent[oa]s?)|"
    r"weak|slow(?! (?:cook|juic|mo))|(?:only|just) lasts?|lasts? (?:only|just|barely)|"
    r"(?:doesnt|does not|wont|dont) last|"
    r"sticks (?:a |sometimes|when|badly)|"
    r"frac[oa]s?|lent[oa]s?|pres[oa]s?(?! aos?\b| as?\b)|prendem?|emperr\w+|encrava|(?:so|apenas) dura|"
    r"dura (?:so|apenas|pouco|menos|pouquissimo)|ja nao dura|nao dura|"
    r"wants (?:(?:a |some )?(?:adjust\w*|tun\w*|servic\w*|clean\w*|fix\w*|tighten\w*))|"
    r"noisy|(?:a|some|weird|strange|loud|funny) noise|"
    r"(?:needs|wants) (?:(?:a|some|to be) )?(?:new|clean\w*|fix\w*|repair\w*|replac\w*|servic\w*|adjust\w*|attention|"
    r"tighten\w*|descal\w*|tlc|oil\w*|work)|"
    rf"(?:doesnt|does not|dont|wont|will not) (?:always )?{_VERBS_IN_ENGLISH}|"
    r"(?:not|stopped) (?:work|charg|respond)ing|(?:(?:is|are) (?:\w+ )?|its )shot(?! count)|busted|knackered|"
    r"kaput|dodgy|"
    r"riscos?|riscad[oa]s?|risquinhos?|risquitos?|arranh\w+|mossas?|pancadas?|amolgad\w+|amassad\w+|rach(?:as?|ad[oa]s?)|"
    r"rachadelas?|fissuras?|"
    r"(?<!bocal de )(?<!bocal das )(?<!bico de )(?<!escova de )(?<!ponta de )(?<!acessorio de )fendas?|"
    r"lasca(?:d[oa])?s?|partid[oa]s?|partiu|quebrad[oa]s?|estragad[oa]s?|avaria(?:s|d[oa]s?)?|"
    r"entope\w*|entupid[oa]s?|defeitos?|defeituos[oa]|danificad[oa]s?|danos?|fugas?|verte|pinga|"
    r"perde (?:\w+ ){0,4}(?:agua|oleo|ar|gas|gotas|pressao)|faltam?"
    r"(?! (?:pouco|muit[oa]s?|dizer|saber|responder|de uso))|"
    r"em falta|folgas?|solt[oa]s?|(?<!\ba )(?<!\bthe )(?<!\blong )range(?! of)|rangem|ranger|chiam?|guincham?|"
    r"barulho|(?<!\b(?:cancelamento|cancelador|reducao|anulacao)(?: \w+)? d[eo] )ruido|"
    r"furad[oa]s?|furos?|desfiad[oa]s?|rasgad[oa]s?|rasgao|roto|descosid[oa]s?|descolad[oa]s?|a descolar|descolam?|"
    r"(?:mudancas?|velocidades?|corrente|agulha)(?: \w+){0,4} saltam?|manchad[oa]s?|manch(?:inh)?as?|nodoas?|"
    r"desbotad[oa]s?|gast[oa]s?|enferrujad[oa]s?|ferrugem|empenad[oa]s?|tort[oa]s?|encravam?|encravad[oa]s?|"
    r"estalad[oa]s?|queimad[oa]s?|descascad[oa]s?|amarelad[oa]s?|falham?|falhas?|"
    r"precisam? de (?!mais\b|nada\b|alg|ajuda\b|saber\b)\w+|(?:trava|funciona|liga|carrega|fecha|abre|responde)m? mal|"
    r"(?:teclas?|bot(?:ao|oes)|pecas?|parafusos?|puxador(?:es)?|tampas?|borrachas?|pes?|rodas?)(?: \w+){0,2} "
    r"(?:ja )?(?:nao|n) (?:existem?|(?:esta|estao) (?:la|ca))|"
    r"(?:keys?|buttons?|screws?|knobs?|handles?|lids?|covers?|caps?|feet|foot|wheels?)(?: \w+){0,2} "
    r"(?:doesnt exist|does not exist|dont exist|(?:isnt|arent|is not|are not|s not) there)|"
    rf"(?:nao|n) {_VERBS_IN_PORTUGUESE}|(?:deixou|parou) de \w+)\b"
)
_TROUBLE = patterns.compile(
    r"\b(?:problem\w*|probs|issues?|trouble\w*|complaints?|queixas?|failed|banned|banid[oa]|dropped|caiu|locked|"
    r"bloquead[oa]|crash\w*|accidents?|acidentes?|toque|bateu)\b"
)
"""Words of what a yes does not go with; their denial is good news."""
_MENDED = patterns.compile(
    r"\b(?:fixed|repaired|replaced|mended|arranjad[oa]s?|reparad[oa]s?|trocad[oa]s?|substituid[oa]s?|consertad[oa]s?)\b"
)
_I_MENDED = patterns.compile(
    r"(?:(?:i|we|eu|ja|my \w+|had it|got it) )*"
    r"(?:fixed|replaced|repaired|mended|sorted|arranjei|troquei|reparei|mandei)\b"
)
_IN_THE_PAST = patterns.compile(
    r"\b(?:was|were|had|used to|estava|era|tinha|vertia|falhava|chiava|pingava)\b"
)
"""A fault of before, which the next clause says is mended: `it was leaking but I fixed it`."""
_NEEDS = patterns.compile(r"\b(?:needs|precisam?|has to|tem de|have to)\b")
_CLAUSES = patterns.compile(
    r"(?<!\d)[,.](?!\d)|(?<=\D)[,.]|[,.](?=\s|$)|[;!\n()–—]|\s-\s|(?<=\?)|"
    r"\b(?:mas|but|por[eé]m|however|com|with(?! (?:it|him|them)\b)|porque|pq|because|cuz)\b|\bw/",
    patterns.IGNORECASE,
)
_JOINTS = patterns.compile(
    r"(\s(?:(?-i:e)(?! (?:que?|q)\b)|and(?! (?:then|again)\b)|&)\s)", patterns.IGNORECASE
)
_MARK_SOMEWHERE = patterns.compile(
    r"^(?:(?:the|tem|ha|has|have|got|it|it s|its|there|there s|theres|is|are|also|tambem|a|an|some|few|um|uma|uns|umas|"
    r"small|tiny|little|light|slight|pequen[oa]s?|ligeir[oa]s?|algum|alguns|algumas) )*"
    r"(?:marks?|marcas?|chips?|spots?|bumps?|knocks?|toques?|pancadas?|manchinhas?|lines?|linhas?) "
    r"(?:on|in|at|off|near|by|no|na|nos|nas|num|numa|em|ao|a|junto)\b"
)
"""What is a fault behind another one, though it is none by itself."""
_LEADS = patterns.compile(
    r"^(?:(?:(?:i |eu )?(?:forgot|esqueci(?:[- ]me)?|just want|want(?:ed)?|quer(?:o|ia)|falta|need|ought|should|must|"
    r"devo|tenho)(?: de| que| to)?(?: also)? "
    r"(?:say|mention|add|tell you|dizer|referir|acrescentar|juntar|mencionar|p[oô]r)(?: (?:that|q(?:ue)?))?|"
    r"(?:(?:can|could|pode|podes) (?:yo)?u |please |pls |pf |podes? |podem )?"
    r"(?:add|mention|note|include|acrescenta[rm]?|junta[rm]?|menciona[rm]?|p[oõ]e(?:m)?(?: a[ií])?|"
    r"p[oô]r|anota)(?: (?:that|q(?:ue)?))?|"
    r"(?:escrev[ae]|write|put)(?: (?:s[oó]|just|only|apenas|antes|instead|isto|isso|this|that))+|"
    r"(?:s[oó]|just|only|apenas)(?=:)|enganei[- ]me|my mistake|i was wrong|corre[cç][aã]o|correction|"
    r"e|and|but|mas|also|tamb[eé]m|ah|oh|btw|by the way|j[aá] agora|because|porque|yes|yeah|yep|sim|"
    r"no(?=\s*[,.;:]|\s(?:wait|sorry|just|only|but|because|actually)\b)|"
    r"n[aã]o(?= [eéo]\b))"
    r"(?!\w)[\s,:]*)+",
    patterns.IGNORECASE,
)
_ANSWERING = patterns.compile(
    r"^(?:no|nope|nah)\s+(?=(?:it|its|it['’]s|the|they|he|she|i|we|there|that|this|an?|my)\b)",
    patterns.IGNORECASE,
)
"""A no that answers, and denies nothing of what follows."""
_LEFT_OUT = patterns.compile(
    r"\s(?:n[aã]o|neither|either)[\s.!]*$|^(?:(?:e|and)\s)?(?:(?:that|this|those)(?:['’]?s|\s(?:is|are|was|were))\s(?:also\s|still\s)?"
    r"missing|(?:tamb[eé]m\s|ainda\s)?falta(?:va|m)?\s(?:isso|isto))(?:\s(?:too|a[ií]|l[aá]))*[\s.!]*$",
    patterns.IGNORECASE,
)
"""The end of a clause that only leaves out what it names: `o amarelado também não`."""
_DENIALS = NEGATIONS | {"nothing", "hardly", "zero"}
_REACH, _SUBJECT = 4, 2
"""So many words after a denial are denied by it; so many before `and` may belong to what follows."""
_EXCEPTING = frozenset(
    "tirando exceto excepto except menos salvo bar besides apart only just so apenas".split()
)
"""A denial ends there."""
_PORTUGUESE = frozenset("ha tem um uma uns umas esta estao da na nas ao existe".split())
SLIGHT = frozenset(
    "tiny small little wee slight slightly minor light bit few some very just only one pequeno pequena pequenos "
    "pequenas ligeiro ligeira leve leves pouco bocado bocadinho alguns algumas so apenas muito tem has have got "
    "theres there then entao deles delas dele dela them those other another outro outra really realy said like "
    "lhe its out num numa tal".split()
)
"""Words beside a fault that say nothing of where it is."""


def tells_fault(text: str) -> bool:
    """Return whether a clause of the text tells of a fault."""
    return bool(fault_clauses(text))


def tells_mending(text: str) -> bool:
    """Return whether a text tells that something was repaired or replaced."""
    return _MENDED.search(fold(text)) is not None


def fault_clauses(text: str) -> list[str]:
    """Return the clauses that tell of a fault, in the seller's own words."""
    found, is_denied = list[str](), False
    for written in filter(None, map(str.strip, _CLAUSES.split(without_reminders(text)))):
        clause = _ANSWERING.sub("", written)
        if found and _I_MENDED.match(fold(clause)) and _IN_THE_PAST.search(fold(found[-1])):
            found.pop()
        if is_of_answer(clause) or asks_to_cut(clause) or _LEFT_OUT.search(clause) or explains_name(clause):
            continue
        flat = _flat(clause)
        if calls_no_fault(clause):
            continue
        # A list that a denial opens goes on behind its comma: `no cracks, scratches or dents`.
        is_denied = _is_all_denied(flat) or (is_denied and not _is_more(_FAULT.sub(" ", flat)))
        part = "" if is_denied or clause.endswith("?") else _faulty_part(clause)
        found += [_LEADS.sub("", part).strip(" ,:-")] if part else []
    return found


def calls_no_fault(clause: str) -> bool:
    """Return whether a clause says that what was told is no fault: `I wouldn't call that a fault`."""
    return _CALLED_NONE.search(_flat(clause)) is not None


_CALLED_NONE = patterns.compile(
    r"\b(?:nao|n|nem|wouldnt|would not|dont|do not|not)(?: (?:lhe|really|even|exactly|propriamente|bem))? "
    r"(?:what (?:i would|id|i d|i)\s)?(?:call|consider|count|say|chamaria|chamava|chamo|considero|"
    r"considerava|consideraria|diria|acho|vejo)"
    r"(?: (?!but\b|mas\b)\w+){0,4} "
    r"(?:faults?|faulty|defects?|problems?|issues?|damage|broken|defeitos?|avarias?|problemas?|danos?|falhas?)"
    r"(?: (?:though|really|mesmo|propriamente))?$"
)


def is_place(part: str) -> bool:
    """Return whether a clause only says where the thing of the clause before it is: `bottom right`, `em baixo`."""
    said = tokens(part)
    return not _WHERE.isdisjoint(said) and (_WHERE | _OF_PLACES).issuperset(said)


_WHERE = frozenset(
    "bottom top left right back front side corner lower upper underneath inside baixo cima direita esquerda frente "
    "tras lado canto dentro atras fora acima above below outside abaixo".split()
)
_OF_PLACES = frozenset(
    "the on at in to of and hand em a ao o do da no na e de por agua water line linha nivel level".split()
)


def explains_name(clause: str) -> bool:
    """Return whether a clause says only what words are the name of: `White stain is the name of the colour`."""
    return _NAMES.fullmatch(clause.strip(" .,;:!")) is not None


_NAMES = patterns.compile(
    r"[^,.;]{2,40}?\s(?:is|[eé])\s(?:(?:just|only|s[oó]|apenas)\s)?(?:(?:the|a|its|o|um|uma)\s)?"
    r"(?:(?:name|nome)\s(?:of|d[aeo])\b.*|(?:colou?r|finish|cor|acabamento|brand|marca|model|modelo)(?:\s(?:name|nome))?)",
    patterns.IGNORECASE,
)


def excepts_fault(answer: str) -> bool:
    """Return whether what an answer excepts is there, with a fault: `all there except one foot is wobbly`."""
    found = EXCEPTED.search(fold(answer))
    behind = answer[found.end() :] if found else ""
    return tells_fault(behind) and GONE.isdisjoint(tokens(behind))


GONE = frozenset("perdi perdida perdido lost missing falta faltam gone broken partido partida threw".split())
EXCEPTED = patterns.compile(r"\b(?:except|exceto|excepto|tirando|salvo|apart from|menos (?:[oa]s?|uma?))\b")


def denies_faults(clause: str) -> bool:
    """Return whether a clause only says that there is no fault: `no scratches`, `nothing broken`."""
    return _is_all_denied(_flat(clause))


def _is_all_denied(flat: str) -> bool:
    faults = list(_FAULT.finditer(flat))
    return bool(faults) and all(_is_denied(flat, each) for each in faults)


def _is_more(rest: str) -> bool:
    return not {"or", "ou", "nem", "nor", "and", "e"}.issuperset(rest.split())


def _flat(clause: str) -> str:
    return " ".join(patterns.findall(r"\w+", fold(clause)))


def says_fault(said: Sequence[str], clause: str, about: Sequence[str] = ()) -> bool:
    """Return whether words that are shown already tell of the fault of this clause; `about` are those of a question."""
    known, stems = [*said, *about], {word[:3] for word in said}
    faults = {found[0].split()[0] for found in _FAULT.finditer(fold(clause))}
    named = {word for each in faults for word in tokens(each)}
    others = [
        word
        for word in tokens(clause)
        if word not in named | SMALL | SLIGHT | HEDGES | {"no"} and not is_number(word)
    ]
    is_named = all(each[:3] in stems for each in named)
    return is_named and all(any(is_like(word, each) for each in known) for word in others)


def takes_back(words: Sequence[str]) -> bool:
    """Return whether words behind a plain yes take it back: a contrast, trouble, or a denial of something else."""
    if not _TURNING.isdisjoint(words):
        return True
    denials = [at for at, word in enumerate(words) if word in _DENIALS]
    is_trouble = _TROUBLE.search(" ".join(words)) is not None
    return (is_trouble and not denials) or any(
        not denies_trouble(words[at + 1 : at + 1 + _REACH]) for at in denials
    )


def only_turns(words: Sequence[str]) -> bool:
    """Return whether words behind a yes begin with `mas` or `but`, and deny nothing and tell no trouble."""
    said = " ".join(words)
    is_plain = _DENIALS.isdisjoint(words) and not (_TROUBLE.search(said) or _FAULT.search(said))
    return is_plain and words[:1] in (["mas"], ["but"]) and _TURNING.isdisjoint(words[1:])


def goes_with_yes(rest: str, language: str) -> bool:
    """Return whether words behind a yes to `… Certo?` are about something else, and take nothing of it back."""
    words = plain_words(rest, language)
    is_clear = not takes_back(words) and not tells_fault(rest) and not rest.rstrip().endswith("?")
    return is_clear and not doubts(words) and not any(map(is_number, words))


_TURNING = frozenset(
    "mas but porem however though although tho embora except exceto excepto salvo menos senao tirando unless "
    "mal badly poorly barely hardly worse pior".split()
)


def denies_trouble(after: Sequence[str]) -> bool:
    """Return whether a denial before these words denies trouble: `no problems`, `never leaked`."""
    near = " ".join(after[:_REACH])
    return _FAULT.search(near) is not None or _TROUBLE.search(near) is not None


def _faulty_part(clause: str) -> str:
    """Return the part of a clause that tells of faults, without what `and` joins to it; empty where none does."""
    if not _is_faulty(clause):
        return ""
    parts = _JOINTS.split(clause)
    faulty = [at for at in range(0, len(parts), 2) if _is_faulty(parts[at])]
    if not faulty:
        return clause
    first, last = faulty[0], faulty[-1]
    while last + 2 < len(parts) and _MARK_SOMEWHERE.search(_flat(parts[last + 2])):
        last += 2
    while first >= 2 and _may_belong(parts[first - 2]):  # noqa: PLR2004  # a part and its joint
        first -= 2
    return "".join(parts[first : last + 1]).strip()


def _may_belong(part: str) -> bool:
    """Return whether what stands before `and` may be a subject of the fault behind it: `a tecla E`, `the E key`."""
    return len(part.split()) <= _SUBJECT or _NAMED_KEY.fullmatch(fold(part).strip()) is not None


_NAMED_KEY = patterns.compile(
    r"(?:[ao]s?|the|my) (?:(?:teclas?|letras?|bot(?:ao|oes)|porta) (?:de |do |da )?\w+|\w+ (?:keys?|buttons?|port))"
)
"""A key or a button by its letter or name, in folded text."""


def _is_faulty(clause: str) -> bool:
    flat = _flat(clause)
    if _MENDED.search(flat) and not _NEEDS.search(flat):
        return False
    return any(not _is_denied(flat, found) for found in _FAULT.finditer(flat))


def _is_denied(flat: str, found: patterns.Match[str]) -> bool:
    earlier = flat[: found.start()].rsplit(maxsplit=_REACH)[-_REACH:]
    turns = [at for at, word in enumerate(earlier) if word in _EXCEPTING]
    before = earlier[turns[-1] :] if turns else earlier
    if not _PORTUGUESE.isdisjoint(flat.split()):
        before = [word for word in before if word != "no"]  # `no tampo há uma mancha`.
    after = flat[found.end() :].split(maxsplit=1)[:1]
    return not _DENIALS.isdisjoint(before) or after in (["free"], ["livre"])
