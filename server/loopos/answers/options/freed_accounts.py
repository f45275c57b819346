"""Answers that tell how a device was freed of its accounts: who took the account off says that it is free."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.element import Element, ElementOption
from server.loopos.answers.options.synonyms import label_key
from server.loopos.answers.words import fold

_FREE = "yes it is free"
_CLAUSES = patterns.compile(r"[,.;:!?\n]+(?=\s|$)|\s(?:e|and|mas|but|so)\s")
_ACCOUNT = patterns.compile(
    r"\b(?:contas?|accounts?|i-?cloud|apple ?id|id (?:da )?apple|google|gmail|samsung|microsoft|find my|sessao)\b"
)
_TAKEN_OFF = patterns.compile(
    r"\b(?:(?:re)?tir(?:ei|amos|ou|ad[oa]s?)|remov(?:i|emos|eu|id[oa]s?)|apag(?:uei|amos|ou|ad[oa]s?)|"
    r"elimin(?:ei|amos|ou|ad[oa]s?)|des(?:associ|vincul|emparelh|lig|ativ|conect)(?:ei|uei|amos|ou|ad[oa]s?)|"
    r"(?:ja |eu )?sai d[aeo]s?|termin(?:ei|amos|ou|ada)|removed|(?:took|taken)\b.*\boff|deleted|unlinked|unpaired|"
    r"(?:signed|logged)(?: it| myself)? (?:out|off)|disconnected|deregistered|(?:is|are|turned|switched) off)\b"
)
"""What was done with an account, in folded text."""
_NOT_DONE = patterns.compile(
    r"\b(?:n|nao|nem|nunca|ainda|falta|vou|vamos|irei|posso|pode|consigo|preciso|precisa|tenho de|tem de|tem que|se|"
    r"quando|depois|amanha|not|never|"
    r"(?:do|does|did|has|have|is|was|are|wo|ca|could|would)nt|can|cannot|could|"
    r"will|ill|would|must|should|needs?|has to|have to|to be|"
    r"still|yet|if|once|when|before|until|later|tomorrow|going to|password|palavra-passe)\b"
)
_LOCKED = patterns.compile(
    r"(?<!\bwas )(?<!\bera )(?<!\bestava )(?<!\besteve )"
    r"\b(?:bloquead[oa]|trancad[oa]|pres[oa]|locked|stuck|still|ainda (?:tem|esta|ta|pede)|forgot|esqueci)\b"
)


def freed_option(element: Element, text: str) -> ElementOption | None:
    """Return the option that a device is free of accounts, where a clause of an answer tells that one was taken off:
    `já o retirei da minha conta`. None where it is not done yet, or another clause says that the device is locked.
    """
    option = next((each for each in element.options if label_key(each.label.en) == _FREE), None)
    flat = fold(text)
    if option is None or _LOCKED.search(flat):
        return None
    return option if any(map(tells_freed, _CLAUSES.split(flat))) else None


def tells_network(text: str) -> bool:
    """Return whether a text speaks of the network that a phone works with, and of no account."""
    flat = fold(text)
    return _NETWORK.search(flat) is not None and _ACCOUNT.search(flat) is None


_NETWORK = patterns.compile(
    r"\b(?:operador(?:a|as|es)?|redes?(?! social\w*)|networks?|carriers?|sim[ -]?lock\w*|providers?|meo|nos|vodafone|"
    r"(?:any|qualquer) (?:sim|cartao(?: sim)?))\b(?<!\bnos)|\bsim[ -]free phone\b"
)


def has_freed_option(element: Element) -> bool:
    """Return whether a question asks whether a device is free of accounts."""
    return any(label_key(each.label.en) == _FREE for each in element.options)


def names_account(clause: str) -> bool:
    """Return whether a clause speaks of an account."""
    return _ACCOUNT.search(fold(clause)) is not None


def tells_freed(clause: str) -> bool:
    """Return whether a clause tells that an account was taken off."""
    flat = fold(clause)
    is_done = _ACCOUNT.search(flat) is not None and _TAKEN_OFF.search(flat) is not None
    return is_done and _NOT_DONE.search(flat) is None
