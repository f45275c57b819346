"""An event as an HTML fragment, and a transcript as the page: both through the same templates."""

import asyncio
import datetime as dt
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from markupsafe import Markup

from server.bidi import TURNS, strip_overrides
from server.html import markdown
from server.html.answer_words import answer_text
from server.html.days import Clock, days_before
from server.html.files.page_files import background_colours, page_files
from server.html.known_texts import BLOCK_WORDS, Group, KnownTexts
from server.html.live_text import TextAdded, TextChange, live_html
from server.html.next_step_buttons import asks, last_said, leads_of, ways_back_of
from server.html.rows import PageRow, beside, row_id, row_of, rows
from server.html.templates import template_environment
from server.html.work_summary import was_refused, work_sentence
from server.languages import LANGUAGES, LOCALES, Language, nearest_language
from server.protocol.envelope import Fragment
from server.protocol.event_kinds import kind_of
from server.protocol.events import Event, ours
from server.protocol.plain_text import plain_text
from server.protocol.transcript import REASONING, Transcript
from server.remembered_texts import RememberedTexts
from server.words import Words, readable

NOTHING_MS, SHORT_MS = 10, 100

SHORT = 1_000
"""Characters of a text that is drawn without a turn of the loop for it."""

TURN_S = 0.002
"""Seconds after which drawing the texts of a page lets others go on."""


MOST_BYTES = 64 * 1024 * 1024
"""Bytes of the texts whose markup is remembered, with their markup: those of some conversations full of long ones."""

OWN: dict[str, Any] = {
    "open": False,
    "feedback": None,
    "icon": None,
    "client_id": None,
    "agent": "",
    "versions": None,
}
"""The own data of a message that has none, for the templates."""


class ServiceSteps(Protocol):
    """The part of a service that the renderer uses: its steps, and the agent of each."""

    @property
    def name(self) -> str: ...
    @property
    def start(self) -> str: ...
    @property
    def steps(self) -> tuple[str, ...]: ...
    @property
    def step_of(self) -> Mapping[str, int]: ...
    @property
    def contract(self) -> object | None: ...


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the stepper: its words key, whether it is done, now, later or refused, and how far it is."""

    key: str
    state: str
    fraction: float


class Renderer:
    """Draws with the templates of web/templates; holds no conversation itself."""

    def __init__(
        self,
        web: Path,
        services: Mapping[str, ServiceSteps] | None = None,
        languages: Sequence[Language] = LANGUAGES,
    ) -> None:
        """Draw with what lies in this folder, for these services; `know` names them when they come later.

        `languages` are those that the page offers.
        """
        self.words = Words(web / "words")
        self._services = services or {}
        self._texts = KnownTexts()
        self._environment = template_environment(web / "templates")
        self._environment.filters["markdown"] = self._draw_text
        self._environment.globals["live_text"] = self._draw_open_text
        self._environment.filters["strip_overrides"] = strip_overrides
        self._environment.filters["as_json"] = as_json
        self._environment.filters["seconds"] = seconds
        self._environment.filters["day"] = day
        self._environment.tests["refused"] = was_refused
        self._environment.filters["moment"] = moment
        self._environment.globals["languages"] = languages
        # A page in the developer view has other `files`, but words only from here.
        self._environment.globals["files"] = self._environment.globals["kept_files"] = page_files(web).address
        self._environment.globals["background"] = background_colours(web)
        self._environment.filters["given"] = lambda value, field, language: answer_text(
            value, field, language, self.words
        )
        self._around = {"stepper": self.stepper, "leads": self.leads}

    def compile_templates(self) -> None:
        """Compile every template now instead of when it is first drawn; other renderers of the folder profit."""
        for name in self._environment.list_templates():
            self._environment.get_template(name)

    def know(self, services: Mapping[str, ServiceSteps]) -> None:
        """Draw for these services from now on."""
        self._services = services

    def know_texts(self, groups: Iterable[Group]) -> None:
        """Draw blocks with these texts, grouped as they appear, in the language of each reader from now on."""
        self._texts = KnownTexts([*groups, ((), self.words.translations(*BLOCK_WORDS))])

    def knows(self, service: str) -> bool:
        """Return whether this is a service that is drawn for."""
        return service in self._services

    def takes_requests(self, service: str) -> bool:
        """Return whether a service answers requests, and no messages."""
        known = self._services.get(service)
        return known is not None and known.contract is not None

    def page(self, template: str, language: str, **values: Any) -> str:
        """Draw a whole page."""
        return self._environment.get_template(template).render(**self._common(language), **values)

    async def prepare(self, transcript: Transcript, language: str) -> None:
        """Parse the long texts of a conversation in turns of the loop, so that `log` finds them."""
        await _parse_in_turns(transcript, self._labels(language))

    def log(self, transcript: Transcript, language: str, clock: Clock | None = None) -> str:
        """Draw every row of a conversation; with the reader's clock also a line where another day begins."""
        found = rows(transcript)
        days = days_before([row.at for row in found], clock) if clock is not None else [None] * len(found)
        drawn = (
            self._day(day, clock, language) + self._row(row, transcript, language)
            for row, day in zip(found, days, strict=True)
        )
        return "".join(drawn)

    def row(self, transcript: Transcript, message_id: str, language: str) -> str:
        """Draw the row of one message; empty when it is not drawn."""
        row = row_of(transcript, message_id)
        return self._row(row, transcript, language) if row is not None else ""

    def fragments(
        self, transcript: Transcript, event: Event, changed: Sequence[str], language: str, service: str = ""
    ) -> Fragment | None:
        """Draw what an event changed, after the transcript applied it.

        The target is the row's own element; a client that does not have it yet appends the row to `#log`, and one
        that has the rows which this row folds together puts it in their place. Other rows and the stepper travel
        in the same content as `hx-partial`.
        """
        kind = kind_of(event)
        if not kind.drawn:
            return None
        if event["type"] == "MESSAGES_SNAPSHOT":
            around = {each: draw(transcript, language, service) for each, draw in self._around.items()}
            whole = self.log(transcript, language) + "".join(_partial(*each) for each in around.items())
            return Fragment(whole, "#log", "innerHTML")
        drawn = self._draw_rows(transcript, [*changed, *beside(transcript, changed)], language)
        if kind.moves_steps or any(_is_numbered(each, transcript) for each in changed):
            drawn["stepper"] = self.stepper(transcript, language, service)
        if kind.ends_run:
            drawn["leads"] = self.leads(transcript, language, service)
        if not drawn:
            return None
        first, *others = drawn.items()
        return Fragment(first[1] + "".join(_partial(*each) for each in others), f"#{first[0]}", "outerHTML")

    def text_fragment(self, change: TextChange | TextAdded, language: str) -> Fragment:
        """Draw what a piece changed in an open message."""
        return change.fragment(self._labels(language))

    def _draw_text(self, text: str, language: str) -> Markup:
        return Markup(_markdown(plain_text(text), self._labels(language)))  # noqa: S704 - sanitised.

    def _draw_open_text(self, message_id: str, text: str, language: str) -> Markup:
        return Markup(live_html(message_id, text, self._labels(language)))  # noqa: S704 - sanitised.

    def _labels(self, language: str) -> markdown.Labels:
        short = nearest_language(language)
        return markdown.Labels(*(self.words.say(short, f"prose.{each}") for each in markdown.Labels._fields))

    def stepper(self, transcript: Transcript, language: str, service: str) -> str:
        """Draw the step of the conversation; an empty place for services without steps."""
        found = self.steps(transcript, service)
        template = self._environment.get_template("stepper.html")
        return template.render(
            **self._common(language),
            steps=found,
            complete=_complete(transcript),
            refused=_is_refused(transcript),
        )

    def leads(self, transcript: Transcript, language: str, service: str) -> str:
        """Draw what may be said next where nothing waits for the person; an empty place elsewhere."""
        template = self._environment.get_template("leads.html")
        leads, said = leads_of(transcript, service), last_said(transcript)
        leads = tuple(
            each for each in leads if self.words.say(language, each) != said
        )  # It was just answered.
        back = ways_back_of(transcript, service)
        return template.render(**self._common(language), leads=leads, back=back)

    def steps(self, transcript: Transcript, service: str) -> list[Step]:
        """Return the steps of a service as this conversation has gone through them; none with an agent outside them."""
        stages = self._services.get(service)
        if stages is None or not stages.steps or not transcript.messages:
            return []
        place = stages.step_of.get(_agent(transcript) or stages.start)
        if place is None:
            return []
        now = len(stages.steps) if _complete(transcript) else place
        states = [
            "done" if index < now else "now" if index == now else "later"
            for index in range(len(stages.steps))
        ]
        if _is_refused(transcript):
            states[-1] = "refused"
        done = {"done": 1.0, "refused": 1.0, "now": _fraction(transcript), "later": 0.0}
        return [Step(key, state, done[state]) for key, state in zip(stages.steps, states, strict=True)]

    def _draw_rows(self, transcript: Transcript, changed: Sequence[str], language: str) -> dict[str, str]:
        """Draw the rows of changed messages by element id, each once, in order."""
        by_id = {message["id"]: message for message in transcript.messages}
        messages = transcript.messages
        ids = dict.fromkeys(row_id(by_id[each], messages) for each in changed if each in by_id)
        found = [row for each in ids if (row := row_of(transcript, each)) is not None]
        return {f"row-{row.id}": self._row(row, transcript, language) for row in found}

    def _day(self, date: dt.date | None, clock: Clock | None, language: str) -> str:
        """Draw the line over the first row of a day; nothing where no day begins."""
        if date is None or clock is None:
            return ""
        short = nearest_language(language)
        name = clock.name_of(date)
        label = self.words.say(short, f"side.{name}") if name else date.strftime(LOCALES[short].day)
        return self._environment.get_template("rows/day.html").render(date=date.isoformat(), label=label)

    def _row(self, row: PageRow, transcript: Transcript, language: str) -> str:
        template = self._environment.get_template(f"rows/{row.kind}.html")
        inner = "".join(self._row(each, transcript, language) for each in row.inner)
        return template.render(
            **self._common(language),
            row=row,
            own={**OWN, **ours(dict(row.message))},
            did=lambda calls: work_sentence(calls, self.words, nearest_language(language)),
            inner=Markup(inner),  # noqa: S704 - drawn by the same templates.
        )

    def _common(self, language: str) -> dict[str, Any]:
        short = nearest_language(language)
        return {
            "language": short,
            "tag": LOCALES[short].tag,
            "say": lambda key, **values: self.words.say(short, key, **values),
            "agent": lambda name: self.words.agent(short, name),
            "reason": lambda text: self.words.translate(short, "reason.", text),
            "readable": readable,
            "filled": lambda key, values: self.words.fill(short, key, values),
            "has": lambda key: self.words.has(short, key),
            "in_language": lambda block: self._texts.block_in(block, short),
        }


def _partial(element_id: str, html: str) -> str:
    return f'<hx-partial hx-target="#{element_id}" hx-swap="outerHTML">{html}</hx-partial>'


def _is_numbered(message_id: str, transcript: Transcript) -> bool:
    """Return whether this is a numbered question, which moves the step on."""
    message = transcript.message(message_id) or {}
    return message.get("role") == "activity" and bool(message["content"].get("position"))


def _is_refused(transcript: Transcript) -> bool:
    return transcript.state.get("status") == "refused"


def _complete(transcript: Transcript) -> bool:
    """Return whether nothing is left to do: an item is complete unless one of its questions is open again."""
    status = transcript.state.get("status")
    return status == "refused" or (status == "complete" and not asks(transcript))


def _fraction(transcript: Transcript) -> float:
    """Return how far the current step is: by its numbered questions, else half."""
    for message in reversed(transcript.messages):
        content = message.get("content")
        if message["role"] == "activity" and isinstance(content, dict) and content.get("position"):
            return max(0.05, (float(content["position"]) - 1) / max(1.0, float(content.get("total") or 1)))
    return 0.5


def _agent(transcript: Transcript) -> str:
    """Return the agent that has the conversation: the open step's, else the last one that took over or spoke."""
    if transcript.steps:
        return transcript.steps[-1]
    for message in reversed(transcript.messages):
        if message["role"] == "activity" and message["activityType"] == "handoff":
            return str(message["content"]["to"])
        if message["role"] == "assistant" and message.get("name") and not ours(message).get("operator"):
            return str(message["name"])
    return ""


def seconds(milliseconds: float, language: str) -> str:
    """Return a duration as people write it: `0,8 s`, `40 ms` when it is short, nothing when it is none to speak of."""
    if milliseconds < NOTHING_MS:
        return ""
    if milliseconds < SHORT_MS:
        return f"{round(milliseconds)}\N{NO-BREAK SPACE}ms"
    text = f"{milliseconds / 1000:.1f}"
    return f"{text.replace('.', LOCALES[nearest_language(language)].decimal)}\N{NO-BREAK SPACE}s"


def as_json(data: Any) -> str:
    """Return data as a JSON text that people read; what turns text around stands there as its escape."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return TURNS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def moment(milliseconds: int) -> str:
    """Return a moment as the `datetime` of a `time` element has it."""
    at = dt.datetime.fromtimestamp(milliseconds / 1000, dt.UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day(milliseconds: int, language: str) -> str:
    """Return a date as people write it; UTC, since an item's day is the same for all readers."""
    at = dt.datetime.fromtimestamp(milliseconds / 1000, dt.UTC)
    return at.strftime(LOCALES[nearest_language(language)].day)


_MARKDOWN = frozenset({"assistant", REASONING})
"""The roles whose texts are Markdown."""

_markdown = RememberedTexts(markdown.to_html, MOST_BYTES)


async def _parse_in_turns(transcript: Transcript, labels: markdown.Labels) -> None:
    """Parse the texts that take long, with turns between their blocks too: one alone may take a tenth of a second."""
    until = time.perf_counter() + TURN_S
    for said in [each.get("content") for each in transcript.messages if each.get("role") in _MARKDOWN]:
        if not isinstance(said, str) or len(said) <= SHORT:
            continue
        text = plain_text(said)
        if _markdown.find(text, labels) is not None:
            continue
        parts: list[str] = []
        for part in markdown.html_parts(text, labels):
            parts.append(part)
            if time.perf_counter() > until:
                await asyncio.sleep(0)
                until = time.perf_counter() + TURN_S
        _markdown.keep("".join(parts), text, labels)
