"""Characters that turn a text around: embeddings, overrides and isolates of Unicode's bidirectional algorithm.

One of them without its end turns all that follows in its paragraph. In words of several speakers, as of an agent that
quotes a person, it is unknown where it should have ended, so it is left out when they are drawn. What is stored
keeps it, and so does a person's own message, where it ends with the message. Right-to-left text needs none of them.
"""

from server import patterns

TURNS = patterns.compile("[\u202a-\u202e\u2066-\u2069]")


def strip_overrides(text: str) -> str:
    """Return the text without what turns the words after them around."""
    return text if text.isascii() else TURNS.sub("", text)
