"""The template values of a conversation's page, computed from data without any I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from server.html.days import Clock
from server.html.files.page_files import AS_WRITTEN
from server.html.rows import last_kind
from server.html.script_words import SCRIPT_WORDS
from server.protocol.events import ours
from server.protocol.transcript import Transcript

SHOWN_SESSIONS = 100

GROUPS = ("today", "yesterday", "week", "before")
_WEEK = 7


class Line(Protocol):
    """One line of the list of conversations: a `Summary` of the store."""

    @property
    def updated_at(self) -> int: ...


class PageRenderer(Protocol):
    """The renderer, as far as a page needs it."""

    words: Any

    def page(self, template: str, language: str, **values: Any) -> str: ...
    async def prepare(self, transcript: Transcript, language: str) -> None: ...
    def log(self, transcript: Transcript, language: str, clock: Clock | None = None) -> str: ...
    def stepper(self, transcript: Transcript, language: str, service: str) -> str: ...
    def leads(self, transcript: Transcript, language: str, service: str) -> str: ...


async def draw_rows(renderer: PageRenderer, transcript: Transcript, language: str) -> str:
    """Draw all rows of a conversation, without days; its long texts are parsed in turns of the loop."""
    await renderer.prepare(transcript, language)
    return renderer.log(transcript, language)


def groups(lines: Sequence[Line], now_ms: int, offset_minutes: int = 0) -> list[tuple[str, list[Line]]]:
    """Return the lines by day as the reader's clock has it: today, yesterday, this week, before; none empty."""
    clock = Clock(now_ms, offset_minutes)
    today = clock.date_of(now_ms)
    found: dict[str, list[Line]] = {name: [] for name in GROUPS}
    for line in lines:
        days = (today - clock.date_of(line.updated_at)).days
        name = "today" if days <= 0 else "yesterday" if days == 1 else "week" if days < _WEEK else "before"
        found[name].append(line)
    return [(name, each) for name, each in found.items() if each]


def with_feedback(messages: Sequence[dict[str, Any]], given: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the messages with the thumbs that their reader gave them."""
    return [_ratings(each, given[each["id"]]) if each["id"] in given else each for each in messages]


def _ratings(message: dict[str, Any], value: str) -> dict[str, Any]:
    return {**message, "metadata": {"loopwire": {**ours(message), "feedback": value}}}


@dataclass(frozen=True, slots=True)
class View:
    """The data of a conversation's page; without a session, it is the empty page."""

    language: str
    transcript: Transcript
    lines: Sequence[Line]
    now_ms: int
    demo: bool
    service: str
    installable: bool = True
    """Whether a browser may install the page as an app."""
    asks: bool = False
    """Whether its service answers requests, so that nothing is typed here."""
    begins: str = "/"
    """The address of a new conversation of the same service."""
    session_id: str = ""
    title: str = ""
    theme: str = ""
    position: tuple[str, int] | None = None
    before: str | None = None
    offset_minutes: int = 0
    debug: bool = False
    """Whether the page names its scripts and sheets as they were written."""


def draw_page(renderer: PageRenderer, view: View) -> str:
    """Draw the page of a conversation."""
    run, language = view.transcript.run, view.language
    return renderer.page(
        "page.html",
        language,
        view=view,
        theme=view.theme,
        session_id=view.session_id,
        ends_with_text=last_kind(view.transcript) == "text",
        rows=renderer.log(view.transcript, language, Clock(view.now_ms, view.offset_minutes)),
        stepper=renderer.stepper(view.transcript, language, view.service),
        leads=renderer.leads(view.transcript, language, view.service),
        groups=groups(view.lines, view.now_ms, view.offset_minutes),
        running=run.id if run is not None and run.status == "running" else "",
        words=renderer.words.all(language, *SCRIPT_WORDS),
        **({"files": AS_WRITTEN} if view.debug else {}),
    )
