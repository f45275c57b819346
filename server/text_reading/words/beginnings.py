"""The beginning of a long text, which is all that is read of it."""

import unicodedata


def beginning_of(text: str, most: int) -> str:
    """Return what is read of a text; of one whose characters stand for many others (`ﷺ`) their letters."""
    written = unicodedata.normalize("NFKD", text[:most])
    return (text if len(written) <= 2 * most else written)[:most]
