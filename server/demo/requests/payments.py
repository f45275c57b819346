"""Payment that a listing asks for outside the marketplace: a means of it beside a word for paying, or in advance."""

from server import patterns
from server.demo.requests.clauses import clauses_of
from server.languages import fold

_MEANS = (
    r"(?:bitcoins?|btc|crypto(?:currency|moedas?)?|cripto(?:moedas?|monedas?)?|krypto\w*|ethereum|usdt|western union"
    r"|moneygram|paypal|venmo|cash ?app|zelle|revolut|mb ?way|bizum|lydia|wero|paysafecard|gift ?cards?"
    r"|(?:bank|wire) transfers?|transferencia(?: bancaria)?|virement|uberweisung|iban)"
)
_PAYING = (
    r"(?:pay(?:s|ing|ment|ments|able)?|send (?:me )?(?:the )?money|pag(?:a|ar|ue|uem|o|os"
    r"|amento|amentos|as|ame|arme|ado)"
    r"|pay(?:e[rz]?|ement|able)|paiements?|regle[rz]?|reglement|zahl(?:e|en|t|ung|bar)|bezahl(?:e|en|t|ung)"
    r"|uberweis(?:e|en|ung)|envi(?:a|e|ar) (?:me )?(?:o )?dinheiro)"
)
_AHEAD = (
    r"(?:first|in advance|upfront|up front|beforehand|antes|adiantado|antecipado|primeiro|por adelantado|antes|primero"
    r"|d avance|davance|a l avance|d abord|dabord|im voraus|vorab|zuerst|vorher|vorkasse)"
)
_OUTSIDE = patterns.compile(
    rf"\b{_PAYING}\b.{{0,40}}\b{_MEANS}\b|\b{_MEANS}\b.{{0,20}}\b{_PAYING}\b"
    rf"|\b{_PAYING}\b.{{0,40}}\b{_AHEAD}\b"
    r"|\bvorkasse\b"
)
_DENIED = patterns.compile(
    r"\b(?:no|not|never|dont|nao|nunca|sem|sin|pas|jamais|kein|keine|nicht|nie|ohne)\b"
)


def payment_in(text: str) -> str | None:
    """Return the clause that asks for payment outside the marketplace; None where none does."""
    for clause in clauses_of(text):
        folded = fold(clause)
        found = _OUTSIDE.search(folded)
        if found is not None and not _DENIED.search(folded[: found.end()]):
            return clause
    return None
