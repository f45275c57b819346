"""The words for the letters of sizes: `medium` is M and `extra large` is XL."""

from server import patterns

SIZES = {
    word: letter
    for letter, words in {
        "s": "small pequeno pequena",
        "m": "medium medio media",
        "l": "large grande",
    }.items()
    for word in words.split()
}
SIZE_NAMES = frozenset("tamanho size quadro frame".split())
"""What has a size is said beside its word."""
_SAID = rf"(?P<extra>x |extra )?(?P<word>{'|'.join(SIZES)})"
_LINKS = r"(?:e|is|it'?s|para|to|o|a|an|esta|mal|errad[oa]|wrong|should|be)"
_ALONE = patterns.compile(_SAID)
_BEHIND = patterns.compile(rf"\b(?:{'|'.join(sorted(SIZE_NAMES))})(?: {_LINKS})* {_SAID}\b")
_BEFORE = patterns.compile(rf"\b{_SAID} (?:size|frame)\b")


def size_in(text: str) -> str:
    """Return the letter of the size that a folded text says beside the word for it; empty where it says none."""
    return _letter(_BEHIND.search(text) or _BEFORE.search(text))


def whole_size(text: str) -> str:
    """Return the letter of the size that is the whole folded text; empty where it is something else."""
    return _letter(_ALONE.fullmatch(text))


def _letter(found: patterns.Match[str] | None) -> str:
    if found is None:
        return ""
    letter = SIZES[found["word"]]
    return f"x{letter}" if found["extra"] and letter != "m" else letter
