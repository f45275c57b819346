"""Words that were written while a block was open, and answer it with nothing that can be taken."""

from server.loopos.answers import adds_nothing, confirms
from server.loopos.answers.words import is_unknown
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.tool_words import say
from server.text_reading.wishes.small_talk import small_talk_of


def answers_nothing(draft: Draft, name: str) -> bool:
    """Return whether the typed message was for the open block of this name, which is asked once more.

    A question, thanks and small talk are for no block, and "I don't know" is no refused answer: it is asked below them.
    """
    typed = draft.typed_text()
    is_typed = bool(typed) and not any(part.get("type") == "answer" for part in draft.run.input)
    is_open = draft.waiting_block() == draft.waiting() == name
    is_thanks = adds_nothing(typed, draft.language) and confirms(typed, draft.language)[0] is None
    is_aside = "?" in typed or is_thanks or bool(small_talk_of(typed))
    return is_typed and is_open and not (is_aside or is_unknown(typed))


def error_at(draft: Draft, name: str, key: str = "choice.confirm.missed") -> str:
    """Return the words of this key for the open block that the typed message answers with nothing; else no error."""
    return say(key, draft.language) if answers_nothing(draft, name) else ""
