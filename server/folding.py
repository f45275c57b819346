"""The folded words of a message and of its parts, remembered: one decision asks for the same ones many times."""

import unicodedata

from server import languages
from server.remembered_texts import remember_short

MOST_LETTERS = 2_400
"""Characters of a message that are read: more than any answer may have, and each decision reads them many times."""

fold = remember_short(40, 4_096)(remember_short(MOST_LETTERS, 128)(languages.fold))


def beginning_of(text: str, most: int = MOST_LETTERS) -> str:
    """Return what is read of a text; of one whose characters stand for many others (`ﷺ`) their letters."""
    written = unicodedata.normalize("NFKD", text[:most])
    return (text if len(written) <= 2 * most else written)[:most]
