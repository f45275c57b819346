"""Messages that say nothing of an item: a greeting, a wait, an apology, laughter, a remark about oneself."""

from typing import Literal

from server import patterns
from server.languages import fold

SmallTalk = Literal["", "wait", "slip", "long", "talk"]
"""A wait, a mistake of one's own, a remark that it takes long, or any other small talk; empty for what is none."""

_MOST_LETTERS = 160
_BORDERS = patterns.compile(r"[,.;!\n]+\s*|\s[-–—]\s")
_SIGNS = patterns.compile(r"[^\w\s]+")
_LEAD = (
    r"(?:(?:ok|okay|oh|ah|ai|ugh+|omg|argh+|bolas|ei|hey|olhe?|olha|e|and|so|mas|but|well|bem|pronto|entao|agora|now|just|oops|"
    r"ups|"
    r"(?:oh )?(?:im |i am )?(?:so |very )?sorry|desculp[ae]m?(?: la)?|perdao|esper[ae](?: ai| so)?|wait|"
    r"hang on|hold on)\s)*"
)
_MOMENT = (
    r"(?:(?:so |ja )?(?:um|1) (?:so )?(?:momento|momentinho|minuto|minutinho|segundo|instante|bocadinho|"
    r"bocado)|"
    r"(?:(?:give me|gimme|just|wait|hang on|hold on) )*(?:a|one|two|1|2) (?:quick )?"
    r"(?:moment|moments|minute|minutes|mins?|mo|secs?|second|seconds|tick|ticks)|"
    r"hang on|hold on|bear with me|wait|aguarde?(?: ai| so)?|esper[ae](?: (?:ai|la|so|um pouco))?)"
    r"(?: (?:que|q|k|while|till|until|pq|porque|pois|because|as|while|por favor|pf|please))*"
)
_FAMILY = (
    r"(?:(?:[oa]s? )?(?:meus?|minhas?|my|our|the|[oa]s?) )?(?:gat[oa]s?|cao|caes|cadela|filh[oa]s?|mulher|"
    r"marido|espos[oa]|"
    r"mae|pai|bebe|mi?ud[oa]s?|criancas?|cats?|dogs?|puppy|son|daughter|wife|husband|kids?|baby|mum|mom|dad|"
    r"mother|"
    r"father|boss|patrao|chefe|neighbours?|vizinh[oa]s?)"
)
_DOES = (
    r"(?:esta|ta|estao|tao|anda|andam|is|s|are|was|has been|nao para de|wont stop|keeps?)"
    r"(?: (?:so|muito|a|tao|very|really|just|all|um bocado|outra vez|again|ai|aqui|me))*"
)
_WAITS = (
    r"(?:eu )?(?:vou|tenho (?:de|que)|preciso de)(?: (?:so|ter de|ali|la|agora|ja|ir|me))* (?:sair|almocar|"
    r"jantar|lanchar|comer|"
    r"dormir|deitar(?: me)?|atender|buscar [oa]s? (?:mi?ud|filh|crianc)\w*)(?: .{0,25})?|"
    r"(?:ja|depois) (?:volto|venho|continuo|respondo|falamos)(?: .{0,15})?|(?:volto|venho|continuo) (?:ja|"
    r"num \w+|daqui a .{1,12})|"
    r"ate (?:ja|daqui a (?:um )?(?:pouco|bocado))|"
    r"(?:eu )?(?:vou|tenho (?:de|que)|preciso de)(?: (?:so|ali|la|agora|ja|ir))* (?:(?:dar (?:de )?(?:comida|comer|"
    r"banho|jantar|o jantar|o almoco) )|passear |alimentar |deitar |buscar )a?(?:os?|as?)? ?"
    rf"{_FAMILY}(?: .{{0,15}})?|"
    r"(?:i |ive )?(?:have to|need to|got to|gotta|must|gonna|ill)(?: (?:just|go|quickly|and))* "
    rf"(?:feed|walk|fetch|bathe|pick up|put) {_FAMILY}(?: .{{0,25}})?|"
    r"(?:espera (?:ai )?)?(?:que )?(?:(?:lhes?|vou(?: ja)?) pergunt(?:o|ar)(?: lhes?)?|vou ver com)(?: .{0,20})?|"
    r"(?:(?:deixe?|deixa) (?:me )?(?:la )?|vou (?:so |ja |la |ali )*)(?:ver|espreitar|confirmar|verificar|abrir)"
    r"(?: (?:por (?:dentro|fora|baixo|tras)|na (?:etiqueta|caixa|fatura|parte \w+)|a (?:etiqueta|caixa|fatura)|"
    r"o modelo|ali|la|ja|melhor|isso))*|"
    r"(?:ill|i will|i|im gonna|let me) (?:just |go |quickly |go and )*(?:look|check|see|have a look)(?: "
    r"(?:inside|underneath|at the (?:back|label|bottom|sticker)|on the (?:back|label|bottom|sticker)|"
    r"first|now|quickly|the (?:label|box)))*|"
    rf"(?:ill|i will|im gonna|let me) (?:just )?(?:ask|check with)(?: (?:him|her|them|{_FAMILY}))(?: .{{0,15}})?|"
    r"(?:brb|bbl|afk)(?: .{0,25})?|(?:(?:ill|i will|im|will) )?(?:be )?(?:right )?back (?:in (?:an?|five|"
    r"ten|half) .{1,15}|soon|shortly)|"
    r"(?:[oa] |the |my )?(?:telefone|telemovel|phone|campainha|door ?bell|porta)(?: (?:esta|ta|is|"
    r"s))?(?: (?:a|just))? "
    r"(?:tocar|tocou|ringing|rang|went)|"
    r"(?:estao|esta|tao|ta|bateram|tocaram|alguem (?:esta|bateu|tocou))(?: (?:me|a|alguem|tocar|bater|"
    r"chamar))* "
    r"(?:a porta|a campainha|ao telefone|chamar(?: me)?)|"
    r"(?:some(?:one|body)|the \w+)s?(?: is)? at the door|"
    rf"(?:{_FAMILY} )?{_DOES} calling(?: me)?|"
    r"(?:[oa] |the )?(?:jantar|almoco|dinner|lunch|tea)(?: (?:esta|is|s))?(?: na)? (?:pronto|ready|mesa)|"
    r"(?:dinner|lunch) ?time"
)
_ERRAND = (
    r"(?:(?:eu )?(?:vou|tenho (?:de|que)|preciso de|estou a)(?: (?:so|ter de|ali|la|agora|ja|ir|num instante))* "
    r"(?:dar|passear|alimentar|levar|buscar|mudar|deitar|vestir|adormecer|abrir|ver|fazer|por|tirar|apanhar|"
    r"ajudar) .{1,40}|"
    r"(?:i |ive )?(?:have to|need to|got to|gotta|must|am going to|gonna|im going to|ill)(?: (?:just|go|quickly|and))* "
    r"(?:feed|walk|take|fetch|get|pick|put|change|let|open|make|help|check|grab|do) .{1,40}|"
    r"(?:just )?(?:feeding|walking|fetching|making|getting|helping|putting) .{1,40}|"
    rf"{_FAMILY} (?:acordou|acordaram|precisa|precisam|quer|querem|caiu|woke up|needs?|wants?|"
    r"fell|has|have)(?: .{1,25})?)"
)
"""What is to be done first; it is small talk beside a wait only."""
_COMPANION = (
    rf"{_ERRAND}|"
    r"(?:[oa] |the |my )?(?:telefone|phone|campainha|porta|door ?bell|door|jantar|almoco|dinner|lunch)|"
    rf"(?:isto |e )*d[oa]s? {_FAMILY}|(?:its|it is|this is|thats) {_FAMILY}s?"
)
"""What calls one away; it is small talk beside a wait only."""
_SLIPS = (
    r"(?:foi |era |it was |that was |that is |thats )?(?:sem querer|(?:um )?(?:engano|erro)(?: meu)?|"
    r"por engano|"
    r"my (?:mistake|bad|fault)|a mistake|an accident|foi mal)|"
    r"(?:eu )?(?:enganei me|me enganei|equivoquei me)|i (?:made a mistake|was wrong there)|oops|ups|"
    r"(?:carreguei|cliquei|toquei) (?:sem querer|por engano|no (?:botao )?errado|mal)|"
    r"(?:i )?(?:pressed|clicked|hit|tapped) (?:the wrong (?:one|button|thing|key)|(?:it )?by (?:mistake|"
    r"accident))"
)
_LONG = (
    r"(?:this|it)(?: (?:is|s))? (?:really )?(?:tak(?:ing|es?)|goes on|going on)(?: so| too| for|"
    r" very)? (?:forever|ever|ages|long|hours)|"
    r"(?:isto|isso) (?:nunca mais (?:acaba|termina)|esta a demorar(?: (?:muito|imenso|tanto))?|"
    r"demora (?:tanto|imenso|bastante))|"
    r"que demora|(?:so|too|this) many questions|(?:tantas|demasiadas) perguntas|(?:isto|isso|this|it) (?:nunca|"
    r"never) (?:acaba|ends)"
)
_LAUGHTER = r"(?:k{3,}|(?:ha|ah|he|eh|hi|hu|rs){2,}[hae]?|l+o+l+|(?:lo)+l+|lmf?ao+|rofl|x+d+)"
_TALKS = (
    r"(?:desculp[aeo]m?|peco desculpa|perdao|sorry|apologies|i apologi[sz]e|excuse me)"
    r"(?: (?:la|pel[oa]|[oa]|about|for|the|that|my|a|mas))*(?: (?:demora|atraso|espera|gralhas?|erros?|"
    r"delay|wait|"
    r"typos?|spelling|slow reply|late reply|incomodo|confusao))?|"
    rf"{_LAUGHTER}|(?:thats|that is) funny|"
    r"que (?:piada|graca)|tem graca|"
    rf"{_LAUGHTER} (?:(?:essa (?:foi|e) |muito |thats |that was |very |a )*(?:boa|fixe|nice|(?:nice|good) one|funny))|"
    rf"(?:{_LAUGHTER} )?(?:(?:it|that|this|isto|isso|ele|ela) )?(?:(?:basically |practically )?sold itself|"
    r"vendeu se sozinh[oa]|(?:(?:was|foi) (?:(?:so|too|tao|mesmo|very) )?|que )(?:quick|fast|easy|rapido|facil)|"
    r"(?:(?:just|only|im|i was|estava a|estou a|era so|foi so) )?(?:kidding|joking|a joke|brincadeira|brincar))|"
    r"(?:estou|tou|fiquei)(?: (?:ja|mesmo|tao|a ficar))* (?:fart[oa]|cheio|irritad[oa])"
    r"(?: (?:disto|disso|de perguntas))?|"
    r"(?:isto|this|it)(?: e| is| s)?(?: (?:so|tao|mesmo|really|very|uma))* (?:annoying|boring|irritante|chat[oa]|seca)|"
    r"que seca(?: isto)?|(?:oh )?(?:omg|ugh+|ufa?|argh+|bolas|jesus|credo)|"
    rf"{_FAMILY} (?:e que|e quem|is the one who|is the one that) .{{1,40}}|"
    r"(?:bom dia|boas?(?: tardes?| noites?)|good (?:morning|afternoon|evening|day)|ola|hello|hi|hey|viva)"
    r"(?: (?:a todos|outra vez|de novo|again|there|everyone|all|pessoal|malta|mate))*|"
    rf"{_FAMILY} {_DOES} (?:doente|mal|cansad[oa]s?|com fome|chorar|dormir|ladrar|miar|gritar|sick|ill|"
    rf"poorly|unwell|hungry|crying|"
    r"asleep|sleeping|barking|screaming|shouting|tired|bored|(?:sitting|walking|lying|sentad[oa]|deitad[oa]|"
    r"em cima)"
    r" .{0,12}(?:keyboard|teclado|lap|colo))|"
    r"(?:eu )?(?:estou|tou|ando)(?: (?:tao|muito|um pouco|mesmo))* (?:cansad[oa]|com (?:fome|sono|pressa|"
    r"frio|calor)|"
    r"no (?:trabalho|comboio|autocarro|carro))|"
    r"(?:im|i am|feeling)(?: (?:so|very|really|a bit|quite|just))* (?:tired|hungry|sleepy|bored|busy|"
    r"in a (?:rush|hurry)|at work|"
    r"on the (?:train|bus)|exhausted|new (?:to this|here|at this)|not (?:very )?good (?:at|with) (?:this|"
    r"computers|technology))|"
    r"(?:(?:eu )?nao tenho (?:muito )?jeito (?:nenhum )?(?:para|com) (?:isto|computadores|tecnologias?))|"
    r"que (?:calor|frio|dia|chatice|canseira|sono|fome)(?: (?:hoje|que esta))?|what a (?:day|week|hassle)|"
    r"(?:i (?:will|ll|am)|ill|im) (?:just )?wait(?:ing)?(?: (?:then|here|for (?:you|news|a reply|an answer)))*|"
    r"(?:eu )?(?:fico|ficamos|vou ficar|estou) a (?:espera|aguardar)(?: (?:entao|de (?:noticias|resposta)))*|"
    r"(?:aqui )?esta (?:a chover|tanto calor|tanto frio)(?: aqui)?|its (?:raining|so hot|so cold)(?: here|"
    r" today)*"
)
_WAIT, _SLIP, _TOO_LONG, _TALK = (
    patterns.compile(
        rf"{_LEAD}(?:{each})(?: (?:obrigad[oa]|thanks|please|por favor|pf|sorry|hoje|today|now|agora|lol|omg))*"
    )
    for each in (rf"{_MOMENT}(?: (?:{_WAITS}|{_TALKS}))?|{_WAITS}", _SLIPS, _LONG, _TALKS)
)
_BESIDE = patterns.compile(rf"{_LEAD}(?:{_COMPANION})")
_FILLERS = frozenset("ok okay oh ah obrigado obrigada thanks please well bem pronto".split()) | {
    f"{before}{end}"
    for before in ("", "ok ", "pronto ", "ah ", "well ", "bem ")
    for end in (
        "thats it",
        "thats all",
        "that is all",
        "e isso",
        "e tudo",
        "era isso",
        "era tudo",
        "e so isso",
    )
}


def small_talk_of(text: str) -> SmallTalk:
    """Return what a message is that says nothing else: `hang on, the doorbell`, `desculpa, enganei-me`, `kkkk`."""
    if len(text) > _MOST_LETTERS or "?" in text or any(map(str.isdigit, text)):
        return ""
    parts = (_plain(each) for each in _BORDERS.split(text))
    kinds = [_kind_of(each) for each in parts if each and each not in _FILLERS]
    if not kinds or None in kinds or ("beside" in kinds and "wait" not in kinds):
        return ""
    order: tuple[SmallTalk, ...] = ("slip", "wait", "long", "talk")
    return next(kind for kind in order if kind in kinds)


def _kind_of(clause: str) -> str | None:
    kinds = {"wait": _WAIT, "slip": _SLIP, "long": _TOO_LONG, "talk": _TALK, "beside": _BESIDE}
    return next((kind for kind, pattern in kinds.items() if pattern.fullmatch(clause)), None)


def _plain(clause: str) -> str:
    """Return a clause in folded words, without signs and emoji."""
    folded = fold(clause.replace("'", "").replace("’", "").replace("-", " "))
    return " ".join(_SIGNS.sub(" ", folded).split())


def tapped_wrong(text: str) -> bool:
    """Return whether a message only says that the wrong thing was pressed or chosen: `I tapped the wrong one`."""
    return _TAPPED.fullmatch(_plain(text)) is not None


_TAPPED = patterns.compile(
    rf"{_LEAD}(?:no |nao )*(?:"
    r"(?:eu )?(?:carreguei|cliquei|toquei|escolhi) (?:mal|sem querer|por engano|n?[oa] (?:\w+ )?errad[oa])|"
    r"(?:i )?(?:tapped|clicked|pressed|picked|chose|hit) (?:on )?"
    r"(?:(?:the )?wrong(?: one| button| thing)?|(?:it )?by (?:accident|mistake))|"
    r"(?:thats |that is |it was |that was )?(?:the )?wrong (?:one|button))(?: sorry| desculp[ae])?"
)
