"""A person who goes through a script: writes and clicks, and does in mid-answer what people do to their browsers."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass, field
from random import Random
from typing import Any

from server.protocol.transcript import Transcript
from tests.chaos.lines import Frame
from tests.chaos.schedule import Script, Turn
from tests.chaos.tab import Browser, Tab
from tests.chaos.witness import Record, Witness
from tests.integration.conversation.seller import clicked, text_parts, typed, waiting_blocks
from tests.parts.wait import paced

_ids = itertools.count(1)
_addresses = itertools.count(1)

GO_ON = {"pt": "continua", "en": "go on"}


def _new_id() -> str:
    return f"chaos-{next(_ids)}"


@dataclass(eq=False)
class Person:
    """One conversation of one person; `tabs[0]` is the one that is written in."""

    url: str
    script: Script
    witness: Witness
    rng: Random
    patience_s: float
    """How long a run may take from its ack to its end."""
    record: Record = field(default_factory=Record)
    tabs: list[Tab] = field(default_factory=list)
    over: bool = False

    async def talk(self) -> None:
        """Go through the script, until it ends or `over` is set."""
        number = next(_addresses)
        address = f"10.77.{number // 250}.{number % 250 + 1}"
        browser = Browser(self.url, address, self.witness)
        self._open(browser)
        self.witness.records.append(self.record)
        self.record.browser, self.record.tabs = browser, self.tabs
        for turn in self.script.turns:
            await paced(turn.pause_s)
            if self.over or not await self.tab.until(lambda: self.tab.session or self.over, self.patience_s):
                return
            if self._complete():
                return
            if not await self._turn(turn):
                return

    @property
    def tab(self) -> Tab:
        """The tab that is written in."""
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
        """What this person says now."""
        transcript = self.tab.transcript
        asked = waiting_blocks(transcript)
        if asked:
            answer = clicked if turn.clicks else typed
            return answer(asked[-1], self.script.language)
        if not transcript.messages or transcript.state.get("product_id") is None:
            return text_parts(self.script.opening)
        return text_parts(GO_ON[self.script.language])

    async def _turn(self, turn: Turn) -> bool:
        """Say one thing, live through the interlude, wait for the end; False when it does not come."""
        asked = approvals(self.tab.transcript)
        if asked and turn.clicks:
            return await self._allow(asked, turn)
        ids = [await self._say(self._content(turn))]
        if turn.interlude == "say two things":
            ids.append(await self._say(text_parts(GO_ON[self.script.language])))
        if turn.interlude == "send twice":
            await self.tab.transmit(self.tab.outbox.get(ids[0]) or self.record.sent[ids[0]])
        if turn.interlude == "cancel at once":
            await self._cancel(ids[0])
        else:
            await self.tab.until(lambda: self._heard(turn.words), turn.lasts_s)
            await self._interlude(turn, ids[0])
        return all([await self._ended(each) for each in ids])

    async def _allow(self, asked: list[str], turn: Turn) -> bool:
        """Answer what a run waits for: in another tab where there is one, or in both at once."""
        tabs = self.tabs if turn.interlude == "send twice" else self.tabs[-1:]
        payload = {"approved": turn.interlude != "cancel"}
        entries = [{"interrupt_id": each, "status": "resolved", "payload": payload} for each in asked]
        answers = [(tab, _new_id()) for tab in tabs]
        for tab, id in answers:
            await tab.send({"type": "resume", "id": id, "entries": entries})
        if turn.interlude not in ("send twice", "cancel", "close second tab"):
            await self._interlude(turn, answers[0][1])
        for tab, id in answers:
            if not await tab.until(lambda tab=tab, id=id: id not in tab.outbox, self.patience_s):
                self.witness.blame(f"no answer to the resume {id}", tab)
        taken = [(tab, id) for tab, id in answers if id in tab.acks]
        self.witness.note("approval answered")
        if len(taken) > 1:
            self.witness.blame(f"an approval was answered {len(taken)} times: {taken}", self.tab)
        return all([await self._ended(id, tab) for tab, id in taken])

    async def _say(self, content: list[dict[str, Any]]) -> str:
        frame: Frame = {"type": "message", "id": _new_id(), "content": content}
        self.record.sent[frame["id"]] = frame
        await self.tab.send(frame)
        return str(frame["id"])

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
            self.witness.blame(f"no ack of {message_id} within {self.patience_s:.0f} s", tab)
            return False
        run_id = tab.acks[message_id].get("run_id")
        left = self.patience_s - (time.monotonic() - since)
        if not await tab.until(lambda: ended(tab.transcript, run_id), max(left, 30.0)):
            self.witness.blame(f"no end of {run_id} ({message_id}) within {self.patience_s:.0f} s", tab)
            return False
        return True


def ended(transcript: Transcript, run_id: str | None) -> bool:
    """Does a conversation show that this run, or a later one, has ended?"""
    run = transcript.run
    if run is not None and (run.status == "running" or run.id == run_id):
        return run.status != "running"
    return f'"{run_id}"' in json.dumps([each.get("metadata") for each in transcript.messages])


def approvals(transcript: Transcript) -> list[str]:
    """The interrupts that wait for a yes."""
    shown = [each["content"] for each in transcript.messages if each.get("activityType") == "block"]
    return [each["interrupt_id"] for each in shown if each["kind"] == "approval" and each["status"] == "open"]
