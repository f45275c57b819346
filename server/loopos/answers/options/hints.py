"""The hints of an answer at an option: remarks that mean it and denials of another, which the judge asks back."""

from __future__ import annotations

from collections.abc import Iterator

from server.loopos.answers.certainty import CONTRASTS, NEGATIONS, plain_words
from server.loopos.answers.options.synonyms import label_key

_HINTS = {
    "yes": "sem danos|sem acidentes|sem acidente|nunca teve acidentes|nunca teve um acidente|no damage|undamaged|"
    "no accidents|no accident|never in an accident|never had an accident",
    "yes everything works": "funciona impecavel|funciona lindamente|funciona na boa|tudo a trabalhar|works ok|"
    "a funcionar|na perfeicao|"
    "works good|both sides fine|both fine|both work|no problems|no issues|no probs|no bother|no trouble|"
    "sem problemas|sem qualquer problema",
    "it needs a tune up": "precisa de ajuste|precisa de ajustes|precisa de um ajuste|precisa de uns ajustes|"
    "precisa afinar|precisa de afinar|preciso afinar|falta afinar|precisa de revisao|precisa de uma revisao|"
    "needs adjusting|need adjusting|needs adjustment|needs servicing|needs a service|"
    "era bom afinar|era preciso afinar|era so afinar|convem afinar|convinha afinar|devia afinar|devia ser afinada|"
    "so falta afinar|precisava de afinar|precisava de afinacao|precisava de uma afinacao|a precisar de afinacao|"
    "could do with a tune|could use a tune|could do with tuning|could use tuning|should be tuned|needs tuning|"
    "need tuning|wants a tune|wants tuning",
    "yes nothing visible": "limpinho|limpinha|limpissimo|limpissima|sem manchas|spotless|no marks|"
    "all clean|tudo limpo|tudo limpa|limpa|limpo|clean",
    "it works with faults": "funciona mas|liga mas|works but|runs but|starts but|turns on but|trava mal|works ok but|"
    "except|apart from|aside from|other than|bar the|bar one|besides the|tirando|exceto|excepto|a parte|menos o|"
    "menos a|menos um|menos uma|menos os|menos as|a nao ser",
    "no marks": "sem riscos|sem um risco|sem qualquer risco|no scratches|not a scratch|without scratches",
    "good": "umas marcas|algumas marcas|a few marks|some marks|a few scratches|"
    "nao esta mau|nao esta mal|nada mau|nao e mau|not bad|nao ta mau",
    "fair": "not great|nao esta grande coisa|nem bom nem mau",
    "yes it is free": "ja tirei a conta|tirei a conta|ja retirei|retirei a conta|ja removi|removi a conta|ja fiz reset|"
    "removed my account|removed the account|signed out|logged out|"
    "wiped|unpaired|deregistered|formatted|factory reset|all removed|remove my google account already|"
    "fiz reset|reset feito|apaguei tudo|desemparelhado|desemparelhei|formatado|formatei|"
    "nao esta bloqueado|nao ta bloqueado|not locked|sem bloqueio|sem conta|isnt locked|"
    "no account|sem nenhuma conta",
    "no but i can remove the account": "can do that|i can remove it|can take it off|posso tirar|posso retirar|"
    "tem conta|tem uma conta|tem a minha conta|com conta|has an account|has my account|"
    "vou tirar|vou retirar|vou remover|ill remove|will remove|ill sign out|will sign out|ill take it off",
    "no it is locked": "nao esta livre|livre nao esta|not free|isnt free|icloud do meu|icloud de|not "
    "unlocked|nao esta desbloqueado",
    "it does not work": "doesnt turn on|does not turn on|wont turn on|doesnt power on|"
    "nao funciona|doesnt work|does not work|nao liga|nem liga|deixou de funcionar|stopped working",
    "no it is banned": "foi banida|got banned",
    "yes it is genuine": "nao e falso|not fake|nao e imitacao|not a copy|nao e replica",
    "no it is a copy": "nao e original|not original|nao e verdadeiro|not genuine|not real",
    "no the left one drifts": "left one does|left does|left one has it|"
    "esquerdo desvia|esquerdo tem desvio|esquerdo tem drift",
    "no the right one drifts": "right one does|right does|right one has it|"
    "direito desvia|direito tem desvio|direito tem drift",
    "digital": "sem leitor|no disc drive|without disc|sem disco",
    "cracked but works": "partido|partida|rachado|cracked|estalado|broken",
    "wi fi": "sem rede movel|no cellular|without cellular",
    "body only": "sem lente|no lens|without lens",
}
"""Words that hint at an option: remarks that mean it, and denials of another one. The judge asks the option back."""
_TURNS = frozenset("mas but".split())
"""What stands before the last of these words neither denies a hint nor contrasts with it."""
_JOINING = frozenset("mas but com with sem without exceto except".split())
"""Words that open a part of an answer and not a clause of its own."""
_EXCEPTING = CONTRASTS - set("agora now ainda still".split())
"""What stands beside one of these words may be the opposite of a hint."""
_DENYING = NEGATIONS - {"sem", "without", "no", "free"}
"""Denials that may deny what stands before them: `limpo não está`."""
_PROMISING = frozenset("vou posso ill can will".split())
"""The start of a hint that promises something, which nothing beside it takes back: `ill sign out before posting it`."""
_NOT_YET = frozenset("if whether idk dunno need needs precisa falta can could will ill must should".split())
"""Before one of these words' objects nothing is done yet, or known: `needs to be signed out`."""


def hints(label: str) -> Iterator[str]:
    """Yield the words that hint at the option with this English label."""
    yield from filter(None, _HINTS.get(label_key(label), "").split("|"))


def hint_clauses(parts: list[str], language: str) -> list[list[str]]:
    """Return the words of the clauses: a part that a preposition or a contrast opens belongs to the one before it."""
    clauses: list[list[str]] = []
    for words in filter(None, (plain_words(part, language) for part in parts)):
        if clauses and words[0] in _JOINING:
            clauses[-1] += words
        else:
            clauses.append(words)
    return clauses


def is_hinted(clauses: list[list[str]], hint: str) -> bool:
    """Return whether a clause has the hint and does not deny it, and nothing contrasts with it."""
    first = hint.split(maxsplit=1)[0]
    for place, clause in enumerate(clauses):
        if first not in clause:
            continue
        before, found, after = f" {' '.join(clause)} ".partition(f" {hint} ")
        if not found:
            continue
        own = _behind_turn(before.split())
        earlier = _behind_turn([word for each in clauses[:place] for word in each] + before.split())
        later = after.split() + [word for each in clauses[place + 1 :] for word in each]
        # `funciona mas` hints by its contrast, whatever follows.
        is_open = hint.rsplit(maxsplit=1)[-1] in CONTRASTS or first in _PROMISING
        is_free = is_open or (_EXCEPTING.isdisjoint(earlier + later) and _DENYING.isdisjoint(after.split()))
        if is_free and (NEGATIONS | _NOT_YET).isdisjoint(own):
            return True
    return False


def _behind_turn(words: list[str]) -> list[str]:
    """Return the words behind the last `mas` or `but`: what stands before it neither denies nor contrasts."""
    turns = [place for place, word in enumerate(words) if word in _TURNS]
    return words[turns[-1] + 1 :] if turns else words
