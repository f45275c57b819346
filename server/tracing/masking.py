"""The masking of traces: secrets and personal data in texts are replaced by the name of their kind.

Texts come as JSON, often nested, so a secret may stand directly after an escaped line break or quote.
"""

from collections.abc import Callable, Mapping, Sequence

from server import patterns

LIMIT = 32_000
"""Characters of one text in a trace."""

_SLACK = 256
"""A cut text loses this many more: a secret that the cut tore apart is not recognised."""

_CUT = "… [cut]"

# Before a number: no letter or digit, unless it belongs to an escape of JSON. Bounded everywhere: linear time.
_START = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4}))"
_END = r"(?![A-Za-z0-9_])"
_NAMED = "item_token|resume_token|access_token|ticket|api_key|apikey|secret|password|authorization"


def _card(match: patterns.Match[str]) -> str:
    """Mask a number whose check digit is that of a card (Luhn); other long numbers stay."""
    total = 0
    for place, digit in enumerate(int(each) for each in reversed(match[0]) if each.isdigit()):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled  # noqa: PLR2004  # Luhn
    return match[0] if total % 10 else "[card]"


def _iban(match: patterns.Match[str]) -> str:
    """Mask what looks like an IBAN; in small letters, where words look like it too, only with its check digits."""
    letters = patterns.sub("[^A-Z0-9]", "", match[0].upper())
    number = "".join(str(int(each, 36)) for each in letters[4:] + letters[:4])
    return "[iban]" if match[0].isupper() or int(number) % 97 == 1 else match[0]


_RULES: tuple[tuple[patterns.Pattern, str | Callable[[patterns.Match[str]], str]], ...] = tuple(
    (patterns.compile(pattern, patterns.IGNORECASE if loose else 0), instead)
    for pattern, instead, loose in (
        (r"data:([\w.+-]{1,40}/[\w.+-]{1,60});base64,[A-Za-z0-9+/=_-]*", r"[\1]", True),
        (r"eyJ[\w-]{5,}(?:\.[\w-]*){0,4}", "[jwt]", False),
        (rf"{_START}[sp]k-[\w-]{{6,}}", "[key]", False),
        (rf"{_START}(bearer|basic)\s+[\w.~+/=-]{{6,}}", r"\1 [secret]", True),
        (
            rf"((?:{_NAMED})\\{{0,8}}[\"']?\s{{0,4}}[:=]\s{{0,4}}\\{{0,8}}[\"']?)[^\"'\\\s,;&}}\]]+",
            r"\1[secret]",
            True,
        ),
        (r"vis_[a-z0-9]{8,}(?:\.[\w-]{20,})?", "[visitor]", False),
        (r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}", "[email]", False),
        (
            rf"{_START}[A-Z]{{2}}\d{{2}}(?:[ -]?[A-Z0-9]{{4}}){{2,7}}(?:[ -]?[A-Z0-9]{{1,3}})?{_END}",
            _iban,
            True,
        ),
        (rf"{_START}\d(?:[ -]?\d){{12,18}}{_END}", _card, False),
        (rf"{_START}(?:\+|00)\d{{1,3}}(?:[ .()/-]{{0,2}}\d){{6,12}}{_END}", "[phone]", False),
        (rf"{_START}(?:PT ?)?\d{{3}}[ .-]?\d{{3}}[ .-]?\d{{3}}{_END}", "[number]", False),
        # A ticket is 32 random bytes; ids of ours are shorter, their hex hashes have no mixture of cases.
        (
            rf"{_START}(?=[\w-]{{0,42}}[A-Z])(?=[\w-]{{0,42}}[a-z])(?=[\w-]{{0,42}}\d)[\w-]{{43}}(?![\w-])",
            "[ticket]",
            False,
        ),
    )
)
"""In this order: what contains another kind comes first. Nine digits are a tax number (NIF) or a phone."""


def cut(text: str) -> str:
    """Cut a text before it waits for its export, so that the queue stays small."""
    return text if len(text) <= LIMIT else text[: LIMIT + _SLACK] + _CUT


def mask(text: str) -> str:
    """Return the text without secrets and personal data."""
    torn = text.endswith(_CUT)
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text[: -len(_CUT) - _SLACK] + _CUT if torn else text


def mask_attributes(attributes: Mapping[str, object]) -> dict[str, str | Sequence[str]]:
    """Return those attributes of a span that masking changes, as they may leave."""
    found: dict[str, str | Sequence[str]] = {}
    for name, value in attributes.items():
        if isinstance(value, str):
            if (clean := mask(value)) != value:
                found[name] = clean
        elif isinstance(value, Sequence):
            texts = [mask(str(each)) for each in value]
            if texts != [str(each) for each in value]:
                found[name] = texts
    return found
