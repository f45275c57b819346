"""A person who goes through a script: writes and clicks, and does in mid-answer what people do to their browsers."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from server.protocol.events import ours
from server.protocol.transcript import Transcript
from tests.chaos.frame_checks import FrameChecks, Record
from tests.chaos.lines import Frame
from tests.chaos.schedule import WISHES, Script, Turn
from tests.chaos.tab import Browser, Tab
from tests.chaos.waiting_questions import PAGE_TOOL, Asked, answers, waiting
from tests.integration.conversation.seller import clicked, text_parts, typed, waiting_blocks
from tests.parts.images import png
from tests.parts.wait import paced

_ids = itertools.count(1)
_addresses = itertools.count(1)

PHOTOS = 0.2
"""The share of messages in words that have a photo."""

VERSIONS = 0.15
"""The share of answered messages of which another version is written, asked for or shown."""

GO_ON = {"pt": "continua", "en": "go on"}


def _new_id() -> str:
    return f"chaos-{next(_ids)}"


@dataclass(eq=False)
class Person:
    """One conversation of one person; `tabs[0]` is the one that is written in."""

    url: str
    script: Script
    checks: FrameChecks
    rng: Random
    photos: Random
    """Decides about photos, so that the scripts of a seed stay what they are."""
    patience_s: float
    """How long a run may take from its ack to its end."""
    expire: Callable[[str, list[str]], Awaitable[None]]
    """Lets the time of a session's questions be over."""
    versions: Random
    """Decides about versions."""
    record: Record = field(default_factory=Record)
    tabs: list[Tab] = field(default_factory=list)
    over: bool = False

    async def talk(self) -> None:
        """Go through the script, until it ends or `over` is set."""
        number = next(_addresses)
        address = f"10.77.{number // 250}.{number % 250 + 1}"
        browser = Browser(self.url, address, self.checks)
        self._open(browser)
        self.checks.records.append(self.record)
        self.record.browser, self.record.tabs = browser, self.tabs
        for turn in self.script.turns:
            await paced(turn.pause_s)
            if self.over or not await self.tab.until(lambda: self.tab.session or self.over, self.patience_s):
                return
            if self._complete():
                return
            if not await self._turn(turn) or not await self._other_version():
                return

    @property
    def tab(self) -> Tab:
        """Return the tab that is written in."""
        return self.tabs[0]

    def _open(self, browser: Browser, session: str = "") -> Tab:
        tab = Tab(
            browser,
            self.script.service,
            self.script.language,
            Random(self.rng.random()),
            session=session,
            # Who has two tabs has one of each kind.
            streams=self.script.streams != bool(self.tabs),
        )
        self.tabs.append(tab)
        tab.start()
        return tab

    def _complete(self) -> bool:
        return self.tab.transcript.state.get("status") in {"complete", "refused"}

    def _content(self, turn: Turn) -> list[dict[str, Any]]:
        """Return what this person says now."""
        transcript = self.tab.transcript
        asked = waiting_blocks(transcript)
        if asked:
            answer = clicked if turn.clicks else typed
            return answer(asked[-1], self.script.language)
        if self.script.service == "chat" and turn.wish in WISHES and transcript.messages:
            return text_parts(WISHES[turn.wish][self.script.language == "en"])
        if not transcript.messages or transcript.state.get("product_id") is None:
            return text_parts(self.script.opening)
        return text_parts(GO_ON[self.script.language])

    async def _turn(self, turn: Turn) -> bool:
        """Say one thing, live through the interlude, wait for the end; False when it does not come."""
        asked = waiting(self.tab.transcript)
        if asked and turn.meets != "write instead":
            return await self._meet(asked, turn)
        ids = [await self._say(await self._with_photo(self._content(turn)))]
        if turn.interlude == "say two things":
            ids.append(await self._say(text_parts(GO_ON[self.script.language])))
        if turn.interlude == "send twice":
            await self.tab.transmit(self.tab.outbox.get(ids[0]) or self.record.sent[ids[0]])
        if turn.interlude == "cancel at once":
            await self._cancel(ids[0])
        else:
            await self.tab.until(lambda: self._heard(turn.words), turn.lasts_s)
            await self._interlude(turn, ids[0])
        over = all([await self._ended(each) for each in ids])
        if turn.interlude == "cancel late":
            await self._cancel(ids[0])
        return over

    async def _other_version(self) -> bool:
        """After some turns: edit a message, have one answered again, or show another version; False without an end."""
        own = [each for each in self.tab.transcript.messages if each["role"] == "user"]
        if self.versions.random() >= VERSIONS or not own:
            return True
        message = self.versions.choice(own)
        known = ours(message).get("versions", [message["id"]])
        kind = self.versions.choice(["edit", "regenerate", "switch"])
        frame: Frame = {"type": kind, "id": _new_id(), "message_id": self.versions.choice(known)}
        if kind == "edit":
            frame["content"] = text_parts(self.script.opening)
        self.checks.note(f"versions: {kind}")
        self.record.versions[frame["id"]] = frame
        await self.tab.send(frame)
        return await self._ended(str(frame["id"]))

    async def _meet(self, asked: list[Asked], turn: Turn) -> bool:
        """Do something about what waits; False when a run does not end."""
        self.checks.note(f"met: {turn.meets}")
        ids = [each.id for each in asked]
        late = turn.meets == "answer late"
        if late or turn.meets == "let expire":
            await self.expire(self.tab.session, ids)
        if turn.meets == "let expire":
            return await self._closed(ids, self.tab)
        tabs = await self._answering(ids, turn)
        sent = [(tab, frame) for tab in tabs for frame in answers(asked, turn.meets, _new_id)]
        for tab, frame in sent:
            self.record.answers[frame["id"]] = frame
            await tab.send(frame)
        # What closes the tab that answers, or stops its answer, is for those who write.
        if len(tabs) == 1 and turn.interlude not in ("cancel", "close second tab"):
            await self._interlude(turn, sent[0][1]["id"])
        return await self._told(sent) and await self._closed(ids, self.tab)

    async def _answering(self, ids: list[str], turn: Turn) -> list[Tab]:
        """Return the tabs that answer: the one that is written in, another one that shows the questions, or both."""
        if turn.meets not in ("answer elsewhere", "answer twice"):
            return [self.tab]
        if len(self.tabs) == 1:
            self._open(self.tab.browser, self.tab.session)
        other = self.tabs[-1]
        await other.until(lambda: {*ids} <= {each.id for each in waiting(other.transcript)}, self.patience_s)
        return [other] if turn.meets == "answer elsewhere" else [self.tab, other]

    async def _told(self, sent: list[tuple[Tab, Frame]]) -> bool:
        """Wait until each answer is taken or refused, and the runs of those that were taken have ended."""
        for tab, frame in sent:
            id = frame["id"]
            if not await tab.until(lambda tab=tab, id=id: id not in tab.outbox, self.patience_s):
                self.checks.blame(f"no answer to the {frame['type']} {id}", tab)
                return False
        return all([await self._ended(frame["id"], tab) for tab, frame in sent if frame["id"] in tab.acks])

    async def _closed(self, ids: list[str], tab: Tab) -> bool:
        """Wait until the tab shows that nothing of it waits any more."""
        if await tab.until(
            lambda: not {*ids} & {each.id for each in waiting(tab.transcript)}, self.patience_s
        ):
            return True
        self.checks.blame(f"{ids} still wait after {self.patience_s:.0f} s", tab)
        return False

    async def _say(self, content: list[dict[str, Any]]) -> str:
        frame: Frame = {"type": "message", "id": _new_id(), "content": content}
        if self.script.service == "chat":
            frame["tools"] = [PAGE_TOOL]
        self.record.sent[frame["id"]] = frame
        await self.tab.send(frame)
        return str(frame["id"])

    async def _with_photo(self, content: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Add a photo to some messages in words."""
        if self.photos.random() >= PHOTOS or any(each["type"] != "text" for each in content):
            return content
        blob = await self.tab.browser.upload(self.tab.session, png(self.photos.choice(("red", "blue"))))
        if blob is None:
            return content
        self.checks.note("photos")
        return [*content, {"type": "image", "blob_id": blob}]

    async def _cancel(self, message_id: str) -> None:
        await self.tab.send({"type": "cancel", "id": _new_id(), "message_id": message_id})

    def _heard(self, words: int) -> bool:
        shown = self.tab.transcript
        found = [shown.message(each) for each in shown.open_texts]
        return any(len(str(each["content"]).split()) >= words for each in found if each is not None)

    async def _interlude(self, turn: Turn, message_id: str) -> None:
        tab = self.tab
        match turn.interlude:
            case "reconnect":
                tab.lose_connection()
            case "reload":
                tab.forget()
            case "second tab" if len(self.tabs) < 3 and tab.session:
                self._open(tab.browser, tab.session)
            case "close second tab" if len(self.tabs) > 1:
                await self.tabs.pop().leave()
            case "cancel":
                await self._cancel(message_id)
            case "walk away":
                tab.lose_connection()
                tab.pause_s = turn.lasts_s
            case "do not read" if tab.line is not None:
                line = tab.line
                line.deaf(True)
                await paced(turn.lasts_s)
                line.deaf(False)
            case "type":
                await tab.transmit({"type": "typing"})

    async def _ended(self, message_id: str, tab: Tab | None = None) -> bool:
        """Wait until the run of a message has ended in the eyes of the tab that sent it."""
        tab = tab or self.tab
        since = time.monotonic()
        if not await tab.until(lambda: message_id in tab.acks, self.patience_s):
            self.checks.blame(f"no ack of {message_id} within {self.patience_s:.0f} s", tab)
            return False
        run_id = tab.acks[message_id].get("run_id")
        left = self.patience_s - (time.monotonic() - since)
        if not await tab.until(lambda: has_ended(tab.transcript, run_id), max(left, 30.0)):
            self.checks.blame(f"no end of {run_id} ({message_id}) within {self.patience_s:.0f} s", tab)
            return False
        return True


def has_ended(transcript: Transcript, run_id: str | None) -> bool:
    """Return whether a conversation shows that this run, or a later one, has ended."""
    run = transcript.run
    if run is not None and (run.status == "running" or run.id == run_id):
        return run.status != "running"
    return f'"{run_id}"' in json.dumps([each.get("metadata") for each in transcript.messages])
