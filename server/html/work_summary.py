"""The sentence that says what the agents did in one turn, in the words of their tools."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from server.words import Words, readable

MOST_PHRASES = 4
"""From one phrase more on, the last ones are only counted."""

_OTHER = "tool.other"

Call = Mapping[str, Any]


def was_refused(call: Call) -> bool:
    """Return whether the tool answered that it did not do it, though nothing failed."""
    return call["status"] == "done" and "code" in call["result"]


def work_sentence(calls: Sequence[Call], words: Words, language: str) -> str:
    """Return what finished calls did: `Searched the catalog and saved 2 options`, without its full stop.

    What a tool refused is left out where another call did something; tools without words are counted. `calls` are the
    parts of a call's row: name, arguments, result, status.
    """
    done = [each for each in calls if not was_refused(each)] or list(calls)
    groups: dict[str, list[Call]] = {}
    for each in done:
        groups.setdefault(_own_words(each, words, language), []).append(each)
    kept = MOST_PHRASES if len(groups) <= MOST_PHRASES else MOST_PHRASES - 1
    phrases = [_phrase(each, words, language) for each in list(groups.values())[:kept]]
    rest = sum(len(each) for each in list(groups.values())[kept:])
    if rest:
        phrases.append(words.say(language, "tool.steps.more" + (".one" if rest == 1 else ""), count=rest))
    first, *others = phrases
    others = [each[:1].lower() + each[1:] for each in others]
    *before, last = [first, *others]
    return words.say(language, "list.and", before=", ".join(before), last=last) if before else last


def _key(call: Call, words: Words, language: str) -> str:
    """Return the key of a tool's words; one key for all that have none."""
    key = f"tool.{call['name']}"
    return key if words.has(language, f"{key}.done") else _OTHER


def _own_words(call: Call, words: Words, language: str) -> str:
    """Return the words of a call that is done. Calls with the same words are shown together, whatever their tools."""
    return words.say(language, f"{_key(call, words, language)}.done")


def _phrase(calls: Sequence[Call], words: Words, language: str) -> str:
    key = _key(calls[0], words, language)
    # The same call made twice did one thing.
    made = [each["name"] if key == _OTHER else json.dumps(each["args"], sort_keys=True) for each in calls]
    refused = f"{key}.refused"
    if was_refused(calls[0]) and words.has(language, refused):
        return words.say(language, refused, name=readable(calls[0]["name"]))
    if len(set(made)) > 1 and words.has(language, f"{key}.many"):
        return words.say(language, f"{key}.many", count=len(set(made)))
    return words.say(language, f"{key}.done", name=readable(calls[0]["name"]))
