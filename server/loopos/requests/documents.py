"""National numbers of identity documents, whose check digits are computed.

Sources: AMA, "Validação de número de documento do cartão de cidadão"; Spanish Royal Decree 1553/2005 (letter of DNI),
Order INT/2058/2008 (letter of NIE).
"""

from server import patterns

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_CC = patterns.compile(r"[0-9]{9}[A-Z0-9]{2}[0-9]")
_DNI = patterns.compile(r"([0-9]{8})([A-Z])")
_NIE = patterns.compile(r"([XYZ])([0-9]{7})([A-Z])")


def plain_number(text: str) -> str:
    """Return a number in capitals without blanks and separators."""
    return patterns.sub(r"[^A-Z0-9]", "", text.upper())


def cc_holds(number: str) -> bool:
    """Return whether the number of a Portuguese cartão de cidadão holds: `00000000 0 ZZ4`.

    From the right every second sign counts twice, less 9 above 9; letters count from 10. The sum is a multiple of 10.
    """
    text = plain_number(number)
    if not _CC.fullmatch(text):
        return False
    total = 0
    for at, each in enumerate(reversed(text)):
        value = int(each, 36)
        if at % 2:
            value = value * 2 - 9 if value * 2 > 9 else value * 2  # noqa: PLR2004
        total += value
    return total % 10 == 0


def dni_holds(number: str) -> bool:
    """Return whether the letter of a Spanish DNI or NIE holds: the number modulo 23 names it; X, Y, Z are 0, 1, 2."""
    text = plain_number(number)
    dni, nie = _DNI.fullmatch(text), _NIE.fullmatch(text)
    if dni:
        digits, letter = dni[1], dni[2]
    elif nie:
        digits, letter = f"{'XYZ'.index(nie[1])}{nie[2]}", nie[3]
    else:
        return False
    return _DNI_LETTERS[int(digits) % 23] == letter


NUMBER_RULES = {"cc-pt": cc_holds, "dni-es": dni_holds, "nie-es": dni_holds}
"""The rule of a document's number, by its canonical type."""


def kind_by_number(number: str) -> str | None:
    """Return the type of document whose numbers are written so, as `dni-es`; None for a number of another form."""
    text = plain_number(number)
    return next(
        (
            kind
            for shape, kind in ((_DNI, "dni-es"), (_NIE, "nie-es"), (_CC, "cc-pt"))
            if shape.fullmatch(text)
        ),
        None,
    )
