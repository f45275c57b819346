"""Contact data in a listing's words: mail addresses, links, phone numbers of six countries, and names elsewhere."""

from collections.abc import Iterator
from dataclasses import dataclass

from server import patterns

_DIGIT = (
    "zero|one|two|three|four|five|six|seven|eight|nine|um|dois|tr[eê]s|quatro|cinco|seis|sete|oito|nove|uno|dos"
    "|oh|double|cuatro|siete|ocho|nueve|un|deux|trois|quatre|cinq|sept|huit|neuf|null|eins|zwei|zwo|drei|vier|f[uü]nf|sechs"
    "|sieben|acht|neun"
)
_CALL = (
    r"(?:call|text|ring|phone|mobile|sms|t[eé]l[eé]?(?:phone)?|telf?|tlf|tlm|telefone?|tel[eé]fono|telem[oó]vel"
    r"|m[oó]vil|ligu?[ae]|ligar|ll[aá]ma(?:me|r)?|appele[zr]?|appelle|joindre|portable|ruft?|anrufen?|handy)"
)
_BESIDE = r"(?:(?:me|mich|an|am|on|at|no|al|au|le|el|o|unter|under|para|n[rº°])[^\w\n]{1,3}){0,3}"

_PATTERNS = (
    (
        "mail",
        r"[\w.+-]{1,64}\s?@\s?[\w-]{1,64}(?:\.[a-z][\w-]{1,63})+"
        r"|\b[\w.+-]{2,64}\s{0,2}(?:@|[(\[]\s?(?:at|arroba|ät)\s?[)\]]|\b(?:at|arroba|ät|chez)\b)\s{0,2}[\w-]{2,64}"
        r"\s{0,2}(?:\.|[(\[]\s?(?:dot|ponto|punto|point|punkt)\s?[)\]]|\b(?:dot|ponto|punto|point|punkt)\b)\s{0,2}"
        r"(?:com|pt|de|es|fr|net|org|eu|uk|br|co|me|io)\b",
    ),
    (
        "link",
        r"(?:https?://|www\.)\S+"
        r"|\b[\w-]{2,64}\.(?:pt|net|org|eu|io|es|br|com\.br)(?:/\S*|\b(?![\w.]))"
        r"|\b[\w-]{2,64}\.com(?:/\S*|(?=\s*(?:$|[,;:!?)\n.])))",
    ),
    ("serial", r"(?<!\d)\d{14,17}(?!\d)"),
    (
        "phone",
        r"(?<![\d.,])(?:\+\d{1,3}|00\d{2,3})[ .-]?(?:\d[ .-]?){7,11}\d(?!\d)"
        r"|(?<![\d.,])(?<!\d-)[2369](?:[ .-]?\d){8}(?!\d|,\d)"
        r"|(?<![\w.,])[78]\d\d(?:(?: \d{3}){2}|(?: \d\d){3})(?!\w|[.,]?\d)"
        # The trunk digit 0 of Germany, France and the United Kingdom; a date is none of them.
        r"|(?<![\w.,/-])(?!\d\d[./-]\d\d[./-](?:19|20)\d\d)\(?0[1-9](?:\)?[ ./-]?\d|\) ?\d){8,10}(?!\w|[.,/-]\d)"
        r"|(?<![\w.,-])(?:\([2-9]\d\d\) ?|[2-9]\d\d[.-])\d{3}[ .-]\d{4}(?!\w|[.,-]\d)"
        rf"|\b(?:{_DIGIT})(?:[ ,.-]{{1,2}}(?:{_DIGIT})){{6,20}}\b"
        rf"|\b{_CALL}\b[^\w\n]{{0,3}}{_BESIDE}(?!(?:19|20)\d\d(?!\d))\+?\(?\d(?:[ ()./-]{{0,2}}\d){{6,12}}(?!\w)",
    ),
    (
        "elsewhere",
        r"\b(?:whats?app|telegram|instagram|messenger|facebook|insta(?! ?360)|snapchat|wechat|threema|signal(?= ?:)"
        r"|(?:snap|ig|tiktok)(?= ?: ?[\w.]*[a-z][\w.]*|[ :]{0,3}@))\b"
        r"(?:[ :]{0,3}@[\w.]{2,30}| ?: ?(?!https?:)[\w.]{2,30}\w)?"
        r"|(?<![\w.@])@[a-z_][\w.]{2,29}",
    ),
)
CONTACTS = tuple((patterns.compile(pattern, patterns.IGNORECASE), kind) for kind, pattern in _PATTERNS)
"""What leads away from the site, and its name among the sentences.

A full stop without a blank before `com`, the Portuguese word for with, makes no link."""
_SERIAL = patterns.compile(
    r"\b(?:serial|s/?n|ean|upc|gtin|isbn|sku|part|model\w*|mod[eè]le|r[eé]f\w*|artikel\w*|art|s[eé]rie|serien\w*"
    r"|c[oó]d(?:igo|e)?|code)[ .:#-]{0,3}(?:(?:no|nr|n[ºo°]|number|num(?:ber|mer|ero)?|n[uú]mero|de|is|é|es|est|ist)"
    r"[ .:#]{1,3}){0,3}$",
    patterns.IGNORECASE,
)
"""Before digits that are of a thing, and no phone number."""
_LEAD = patterns.compile(r"\b(?:t[eé]l[eé]?f?|tlf|tlm|telem)\.\s?:?\s{0,2}$", patterns.IGNORECASE)
"""An abbreviation before a number: its full stop ends no sentence."""
_BEFORE = 40
"""Letters before a number that are read."""


@dataclass(frozen=True, slots=True)
class Contact:
    """Contact data, and where it stands in a text."""

    kind: str
    start: int
    end: int


def contacts_in(text: str) -> Iterator[Contact]:
    """Give the contact data of a text by kind; what is part of one of an earlier kind is not given again."""
    for pattern, kind in CONTACTS:
        left = text
        for match in pattern.finditer(text):
            start, end = match.span()
            before = text[max(start - _BEFORE, 0) : start]
            if kind == "phone" and _SERIAL.search(before):
                continue
            if kind == "phone" and (lead := _LEAD.search(before)):
                start -= len(lead[0])
            left = left[:start] + " " * (end - start) + left[end:]
            yield Contact(kind, start, end)
        text = left
