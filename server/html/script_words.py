"""The sentences that scripts of the page show, by the prefixes of their keys."""

from collections.abc import Mapping

SCRIPT_WORDS = (
    "action.cop",
    "action.shared",
    "action.thanks",
    "action.unrated",
    "approval.typed",
    "ask.error.",
    "block.change",
    "composer.closes",
    "composer.full",
    "composer.hint",
    "composer.long",
    "composer.odd",
    "composer.offline",
    "composer.placeholder",
    "composer.queue",
    "composer.several",
    "composer.spent",
    "composer.stops",
    "connection.",
    "embed.back",
    "embed.unread",
    "feedback.",
    "form.empty",
    "interrupt.",
    "keys.",
    "log.jump",
    "log.older.",
    "notify.",
    "person.typing",
    "photos.added",
    "photos.apple",
    "photos.large",
    "photos.limited",
    "photos.lost",
    "photos.many",
    "photos.none",
    "photos.one",
    "photos.remove",
    "photos.sending",
    "photos.un",
    "queue.again",
    "queue.limited",
    "queue.next",
    "queue.queued",
    "queue.remove",
    "queue.sending",
    "queue.trying",
    "queue.unsent",
    "run.thinking",
    "session.cancel",
    "session.delete.",
    "session.erase.",
    "session.limited",
    "session.rename.",
    "session.undone",
    "side.today",
    "side.yesterday",
    "speech.",
    "version.at",
    "version.cancel",
    "version.failed",
    "version.field",
    "version.limited",
    "version.many",
    "version.often",
    "version.send",
)
"""Prefixes of the sentences that scripts show."""

DOCS_WORDS = ("docs.script.", "tool.status.")
"""Prefixes of the sentences that scripts show on the page of the API."""

FRAME_WORDS = tuple(
    each for each in SCRIPT_WORDS if each not in {"notify.", "session.delete.", "session.rename.", "speech."}
)
"""Prefixes of the sentences that scripts show in a frame, which has no list of conversations."""

FRAME_FIRST_WORDS = (
    "composer.",
    "log.jump",
    "photos.limited",
    "photos.lost",
    "photos.sending",
    "photos.un",
    "queue.",
    "run.thinking",
)
"""Prefixes of the sentences that scripts show in a frame before its rows are loaded; the others have their own file."""


def later_frame_words(words: Mapping[str, str]) -> dict[str, str]:
    """Return the sentences of a language that a frame loads with its rows."""
    return {
        key: text
        for key, text in words.items()
        if key.startswith(FRAME_WORDS) and not key.startswith(FRAME_FIRST_WORDS)
    }
