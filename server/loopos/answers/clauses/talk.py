"""Sentences of a text that speak to who asks and say nothing of the item: a leave, a wish to see it, `leave it as it
is`, `I was only asking`.
"""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.words import MOST_LETTERS, fold, tokens
from server.text_reading.wishes.small_talk import small_talk_of

_BORDERS = patterns.compile(r"([.;!?\n]+\s*|,\s+|\s+[-–—]\s+|\s+(?=(?:e|and)\s))")
_POLITE = (
    r"(?:(?:e|and|ok|okay|bem|well|mas|but|agora|now|so|just|"
    r"ja(?! (?:te |lhe |vos )?(?:disse|escrevi|vi|fui|encontrei|verifiquei|confirmei)\b)|"
    r"actually|afinal|honestly|please|pls|por favor|pf|se faz favor|sff|"
    r"desculpe|sorry|obrigad[oa]|thanks|thank you|cheers|then|entao|olhe|olha)\b[\s,]*)*"
)
_LEAVE = (
    r"(?:eu )?volto (?:ja|logo|daqui|dentro|mais tarde|depois|amanha|num)\b.*|ja (?:volto|venho|continuo)\b.*|"
    r"venho ja\b.*|(?:tenho|preciso) (?:de|que) (?:ir|sair|desligar|atender)\b.*|"
    r"(?:vou|tenho) (?:so )?(?:ter de |ali |la |agora )*(?:sair|almocar|jantar|atender|buscar|dormir)\b.*|"
    r"(?:estao|esta|tao|ta)(?: \w+){0,3} (?:a (?:me )?chamar|a porta|ao telefone)\b.*|"
    r"(?:eu )?(?:quero|queria|podemos|vamos|posso) (?:continuar|avancar|prosseguir|seguir(?: em frente)?)|"
    r"(?:i |we )?(?:(?:want|would like|d like|need) to|wanna|lets|let us|can (?:we|i)) "
    r"(?:go on|continue|carry on|move on|proceed)|"
    r"(?:continuo|continuamos|falamos|acabo) (?:ja|depois|mais tarde|logo|amanha)\b.*|"
    r"ate (?:ja|logo|amanha|breve|depois|mais|mais logo|a proxima)|adeus|tchau|xau|"
    r"(?:so )?(?:um|uma) (?:momento|minuto|minutinho|segundo|instante)(?: ja volto)?|"
    r"(?:i(?: wi)?ll |im |i am )?(?:be )?(?:right )?back (?:(?:very )?soon|later|shortly|tomorrow)|"
    r"(?:i(?: wi)?ll |im |i am )?(?:be )?back in (?:an?|half|\d+|two|five|ten)\b.*|"
    r"(?:i(?: wi)?ll |ill )?be (?:right )?back\b.*|brb\b.*|bbl\b.*|"
    r"(?:i |ive )?(?:gotta|got to|have to|need to|must) (?:go|run|dash|leave|answer)\b.*|"
    r"(?:bye|goodbye|bye bye|see (?:you|ya)|talk|speak)(?: (?:soon|later|tomorrow|you|to you|then|now|bye))*|"
    r"(?:give me |just )?(?:one|a|1) (?:sec|second|moment|min|minute|mo)|"
    r"(?:some(?:one|body)|they|he|she|my \w+) ?(?:s|is|are|re)? (?:at the door|calling(?: me)?)"
)
_SHOW = (
    r"(?:pode[sm]? |quero |queria |da para )*(?:mostr(?:a|e|ar) me\b.*|"
    r"mostr(?:a|e|ar|em)\b.*\b(?:anuncio|artigo|cartao|resumo|outra vez|de novo|ficou|esta)\b.*)|"
    r"(?:deixa me |quero |queria |gostava de |posso )ver\b.*"
    r"\b(?:anuncio|artigo|cartao|resumo|como|outra vez|ficou|fica)\b.*|"
    r"como (?:e que )?(?:isto |isso |tudo |o anuncio |o artigo )?(?:ficou|esta|fica)(?: agora| tudo| o anuncio)?|"
    r"(?:can|could|would|will) (?:yo)?u (?:please )?show\b.*|(?:can|could|may) i (?:please )?see\b.*|"
    r"show (?:me|it|us)\b.*|let me see (?:it|the|how|what)\b.*|(?:i )?(?:want|would like|d like) to see\b.*|"
    r"(?:how|what) (?:does|do) (?:it|that|the ad|the item|the listing) look(?: like)?(?: now)?"
)
_OWN_TALK = (
    r"(?:i (?:was|am)|im|(?:eu )?(?:estava|estou|tava|tou)) (?:just |only |so |apenas )*"
    r"(?:asking|wondering|talking about|a perguntar|a falar d\w+)\b(?! (?:for )?(?:around |about )?\d).*|"
    r"(?:i )?(?:just |only )*(?:(?:asked|wondered) (?:about|if|whether|for|you|u|because)|"
    r"(?:want|wanted) to know)\b.*|just (?:asking|wondering|curious)|"
    r"(?:eu )?(?:so )?(?:perguntei (?:se|por|pel[ao]s?|sobre|isso|porque)|queria(?: so)? saber)\b.*|"
    r"(?:era|foi) (?:so )?uma pergunta\b.*|"
    r"(?:it|that) was (?:just |only )?a question\b.*|(?:so )?por curiosidade|"
    r"(?:eu )?ja (?:te |lhe |vos )?(?:disse|escrevi)(?: (?:isso|isto))? (?:umas |mais de )?"
    r"(?:\d+|duas|tres|quatro|mil|varias|muitas) vezes\b.*|"
    r"i(?:ve| have)? (?:already |just )*(?:said|told (?:you|u)|wrote)(?: (?:it|that|this|so))? (?:like )?"
    r"(?:twice|(?:\d+|two|three|four|several|many|a (?:hundred|thousand|million)) times)\b.*|"
    r"(?:tenho|preciso|vou|deix[ae] me)(?: (?:de|que|so|la|ir))* "
    r"(?:ver|procurar|confirmar|verificar|espreitar|perguntar)\b.*|"
    r"(?:i (?:have to|need to|must|will|ll)|ill|let me|gotta|need to|have to) (?:just |quickly |go )*"
    r"(?:check|look|find out|go and|ask)\b.*|"
    r"(?:eu )?ja (?:vi|fui ver|encontrei|verifiquei|confirmei)|(?:i )?(?:found it|just checked|checked)"
)
"""What the seller asked, said before or is about to look up."""
_KEEP = (
    r"(?:leave|keep) (?:it|that|this|them|all|everything)(?: (?:alone|be|all|there|then))*"
    r"(?: (?:as|like|how|the way) (?:it|that|they) (?:is|was|are|were))?(?: (?:as is|then|now))?|"
    r"(?:dont|do not) (?:change|touch|edit|alter)(?: (?:it|that|this|anything|a thing|nothing))?|"
    r"(?:its|it is|that is|thats) fine (?:as (?:it is|it was|is))|as it (?:is|was)|"
    r"deix[ae](?: [oa]s?)?(?: (?:isso|isto|tudo|la|estar|ficar|assim|como (?:esta|estava|era)))*|"
    r"deixar (?:estar|ficar|assim|como esta)(?: (?:assim|como (?:esta|estava)))?|"
    r"(?:fica|fique|mantem|mantenha)(?: tudo| isso)?(?: (?:assim|como (?:esta|estava|era)))|"
    r"nao (?:mud|mex|alter|toqu)\w*(?: (?:nada|isso|nisso|isto|nisto))?|"
    r"never ?mind|forget (?:it|that|about it)|esquec[ae](?: (?:isso|la))?|"
    r"(?:it |that )?(?:doesnt|does not) matter|(?:isso )?nao (?:importa|interessa)(?: nada)?"
)
_ASK_AGAIN = (
    r"(?:(?:and|e) )?(?:what(?: is| was|s| were)?|which(?: was| is)?|qual (?:e|era|foi)|que|como (?:e|era))"
    r"(?: (?:again|then|mesmo|que era|afinal))* (?:the|that|your|this|a|essa|esta|sua|tua) "
    r"(?:(?:last|ultima) )?(?:question|pergunta)(?: (?:again|then|mesmo|afinal))*|"
    r"(?:what|que) (?:question|pergunta)(?: (?:was (?:it|that)|era(?: essa)?))?|"
    r"what (?:did|do|were|are) (?:yo)?u (?:just )?(?:ask|asking|want to know|say|mean)(?: me)?(?: again)?|"
    r"what was it (?:you|u) (?:asked|wanted)(?: to know)?|"
    r"(?:o )?que (?:e que )?(?:me )?(?:(?:estavas?|estao|estava) a )?(?:perguntaste|perguntou|perguntaram|perguntar|"
    r"querias? saber|queria saber|quer dizer com isso|disseste)(?: mesmo)?|"
    r"(?:(?:can|could|would|will) (?:yo)?u )?(?:please )?(?:repeat|rephrase)"
    r"(?: (?:it|that|the question|your question))?(?: again)?|"
    r"(?:(?:can|could|would|will) (?:yo)?u )?(?:please )?(?:ask|say)(?: me)? (?:it|that|the question) "
    r"(?:again|once more)|"
    r"(?:pode[sm]?|podias?|consegues?) repetir(?: (?:isso|la|a pergunta))*|"
    r"(?:repet[ae]m?|repita la)(?: (?:isso|la|a pergunta|outra vez))*|"
    r"(?:pergunt[ae]|diga|diz)(?: (?:la|isso))* (?:outra vez|de novo)|"
    r"(?:i )?(?:didnt|did not|dont|do not) (?:get|understand|catch|follow|see) (?:the|your|that) question|"
    r"nao (?:percebi|entendi|percebo|entendo|vi|apanhei) (?:a|essa|esta|bem a) pergunta"
)
_RID = (
    r"(?:(?:i|eu|we|really|just|so|only) )*(?:want|need|would like|d like|quero|queria|preciso)"
    r"(?: (?:de|to|me|que|isto|isso|it|this|that|them|mesmo|ja))* (?:gone|sold|out of (?:here|the (?:house|way))|"
    r"get rid of (?:it|this|them)|"
    r"despachar\w*|livrar\w*|(?:ver|ficar) me livre|despacha[- ]?l[oa]s?|(?:it )?off my hands)(?: \w+){0,3}|"
    r"(?:it|this|they) (?:has|have|just needs?|needs?) to go|(?:it|this) must go"
)
_BEHIND = r"(?:[\s,]+(?:please|pls|por favor|pf|se faz favor|obrigad[oa]|thanks))*"
_TALK = patterns.compile(rf"{_POLITE}(?:{_LEAVE}|{_SHOW}|{_RID}|{_OWN_TALK}){_BEHIND}")
_KEEPING = patterns.compile(rf"{_POLITE}(?:{_KEEP}){_BEHIND}")
_NOTHING_CHANGES = patterns.compile(
    rf"{_POLITE}(?:(?:nada|nothing)\b[\s,]*)?(?:(?:afinal|actually|ja)\b[\s,]*)*(?:(?:esta|ta) tudo (?:certo|bem|ok)|"
    r"nada a (?:mudar|corrigir|alterar)|nothing to change|(?:its |thats |everything is |everythings )?"
    rf"(?:all )?(?:good|fine|right|correct)){_BEHIND}"
)
"""All of a clause that says that the answers are right as they are."""
_PART = patterns.compile(
    rf"{_POLITE}(?:leave|keep|deix[ae]|mantem|mantenha) (?:ficar |estar )?(?P<what>\w.*)"
)
_NO = patterns.compile(
    r"(?:(?:nao|no|nope|nah|n|afinal|actually|wait|espera)\b(?!\s+(?:mud|mex|alter|toqu|import|interess))[\s,.;:!]*)+"
)
_REFUSALS = frozenset("nao no nope nah n".split())
_WEAK = frozenset("nao no nope nah n obrigado obrigada thanks thank you cheers isso it that".split())
_AGREEING = _WEAK | frozenset("yes sim right is thats wait espera espere".split())
"""Words of a sentence that is dropped beside talk."""


def without_talk(text: str) -> str:
    """Return a text without its sentences that take a leave or ask to see the item; nothing where it has no others."""
    if len(text) > MOST_LETTERS:
        return text
    parts = _BORDERS.split(text)
    said = [at for at in range(0, len(parts), 2) if parts[at].strip()]
    kept = [at for at in said if not _TALK.fullmatch(_plain(parts[at]))]
    if kept == said:
        return text
    kept = [at for at in kept if not _AGREEING.issuperset(tokens(parts[at]))]
    left = "".join(parts[at] + "".join(parts[at + 1 : at + 2]) * (at != kept[-1]) for at in kept)
    return left.strip(" ,;\n-–—")


def without_chat(text: str) -> str:
    """Return an answer without its sentences that speak of no answer: talk, and `leave it, it doesn't matter`; never
    nothing.
    """
    if len(text) > MOST_LETTERS:
        return text
    parts = _BORDERS.split(text)
    said = [at for at in range(0, len(parts), 2) if parts[at].strip()]
    kept = [
        at for at in said if not (_TALK.fullmatch(_plain(parts[at])) or _KEEPING.fullmatch(_plain(parts[at])))
    ]
    left = "".join(parts[at] + "".join(parts[at + 1 : at + 2]) * (at != kept[-1]) for at in kept)
    return left.strip(" ,;\n-–—") if kept and kept != said else text


def keeps(message: str, text: str | None = None) -> bool:
    """Return whether a message only says to leave what is written as it is, by naming a part of the `text` too."""
    clauses = [_plain(each) for each in _BORDERS.split(message)[::2]] if len(message) <= MOST_LETTERS else []
    said = [
        _NO.sub("", each)
        for each in clauses
        if not _TALK.fullmatch(each) and not _WEAK.issuperset(tokens(each))
    ]
    refuses = bool(clauses) and not _REFUSALS.isdisjoint(tokens(clauses[0])[:1])
    said = [each for each in said if each not in ("nada", "nothing")] or said
    if said and all(_KEEPING.fullmatch(each) or (text and _NOTHING_CHANGES.fullmatch(each)) for each in said):
        return True
    part = _PART.fullmatch(said[-1]) if said and refuses and text else None
    named = content(tokens(part["what"])) if part else []
    return bool(named) and all(any(is_like(word, each) for each in tokens(text or "")) for word in named)


def asks_again(message: str) -> bool:
    """Return whether a message only asks to hear the question again, or is small talk, which leaves it open:
    `no, sorry, what was the question?`, `hang on, the doorbell`.
    """
    asked = _AGAIN.fullmatch(" ".join(_WORD.findall(fold(message[: _MOST_ASKED + 1]))))
    return (asked is not None and len(message) <= _MOST_ASKED) or bool(small_talk_of(message))


_MOST_ASKED = 120
_WORD = patterns.compile(r"\w+")
_AGAIN = patterns.compile(
    r"(?:(?:no|nao|nope|n|yes|sim|hm+|huh|uh|um|oh|ah|wait|hang on|hold on|esper[ae]|desculp[ae]|perdao|sorry|"
    r"excuse me|pardon|mas|but|ok|okay|eh|well|bem|entao|so|hey|ola|i forgot|forgot|esqueci me|perdi me|"
    r"i m lost|im lost) )*"
    rf"(?:{_ASK_AGAIN})(?: (?:please|pls|por favor|pf|se faz favor|sff|sorry|desculp[ae]|obrigad[oa]|thanks))*"
)


def _plain(part: str) -> str:
    """Return a sentence in folded words, without the marks around and in it."""
    return " ".join(fold(part).replace("-", " ").strip(" .!?,;").split())
