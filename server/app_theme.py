"""The looks of an app's chat on other sites: an accent that can be read, light or dark, its corners, its size of type.

The script of a frame (`web/static/js/accent.js`) derives all colours from the accent, and makes it darker or lighter
where it could not be read. It has no way to say so, so that the accent of an app is judged here, at the start.
"""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from server import patterns

Colour = tuple[int, int, int]

ENOUGH = 4.5
"""The contrast that WCAG 2.2 asks of text (1.4.3)."""

STEPS = 20
SOFT = 0.12
"""The share of the accent in the colour behind a tag, on which the accent is read too."""

PAPERS: dict[str, tuple[Colour, Colour]] = {
    "light": ((252, 252, 250), (0, 0, 0)),
    "dark": ((20, 22, 27), (255, 255, 255)),
}
"""The paper of each scheme, and the colour toward which an accent is moved until it can be read on it."""

_KNEE = 0.04045
_hex = patterns.compile(r"#[0-9a-fA-F]{6}")


class AppTheme(BaseModel):
    """The looks of a frame; its host page may ask for other colours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    accent: str = Field("", description="A colour as #1f5f46, which can be read on the chat's paper.")
    scheme: Literal["", "auto", "light", "dark"] = Field(
        "", description="Of a page that names no color-scheme: light, dark, or auto, that of the system."
    )

    radius: int | None = Field(
        None,
        ge=0,
        le=24,
        strict=True,
        description="The corners of a card in pixels, 14 unless set; others follow.",
    )
    font_size: int | None = Field(
        None,
        ge=14,
        le=20,
        strict=True,
        description="The size of the words in pixels, 16 unless set; others follow.",
    )

    @model_validator(mode="after")
    def _has_an_accent_that_can_be_read(self) -> Self:
        if not self.accent:
            return self
        if not _hex.fullmatch(self.accent):
            raise ValueError(f"{self.accent!r} is not a colour such as #1f5f46")
        scheme = "dark" if self.scheme == "dark" else "light"
        wished, (paper, _) = colour_of(self.accent), PAPERS[scheme]
        nearest = readable(wished, scheme)
        if nearest != wished:
            worst = min(contrast(wished, paper), contrast(wished, mix(paper, wished, SOFT)))
            raise ValueError(
                f"the accent {self.accent} cannot be read in a {scheme} chat: its contrast is {worst:.1f}, "
                f"and {ENOUGH} is needed, which #{bytes(nearest).hex()} has"
            )
        return self


def colour_of(text: str) -> Colour:
    """Return the colour that `#rrggbb` names."""
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red, green, blue


def readable(wished: Colour, scheme: str) -> Colour:
    """Return the nearest colour that can be read on the paper of a scheme and on the soft colour made of it."""
    paper, toward = PAPERS[scheme]
    accent = wished
    for step in range(STEPS + 1):
        accent = mix(wished, toward, step / STEPS)
        if min(contrast(accent, paper), contrast(accent, mix(paper, accent, SOFT))) >= ENOUGH:
            break
    return accent


def mix(start: Colour, end: Colour, part: float) -> Colour:
    """Return the colour so far on the way from one to another, rounded as a script rounds."""
    red, green, blue = (int(a + (b - a) * part + 0.5) for a, b in zip(start, end, strict=True))
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of two colours, as WCAG counts it."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Colour) -> float:
    parts = [each / 255 for each in colour]
    red, green, blue = (each / 12.92 if each <= _KNEE else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
