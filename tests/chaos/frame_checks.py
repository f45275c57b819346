"""The checks of all frames of the clients: they note each broken promise with the frames before it."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.lines import Frame
from tests.chaos.tab import Browser, Tab

AROUND = 25
WIDE = 400
ENDS = {"RUN_FINISHED", "RUN_ERROR"}


@dataclass(eq=False)
class Record:
    """The record of one person for the end: their browser, their tabs, all that was sent by its id."""

    browser: Browser | None = None
    tabs: list[Tab] = field(default_factory=list)
    sent: dict[str, Frame] = field(default_factory=dict)
    answers: dict[str, Frame] = field(default_factory=dict)
    """Answers to what waits, by their ids."""
    versions: dict[str, Frame] = field(default_factory=dict)
    """Edits, new answers and switches, by their ids."""

    @property
    def session(self) -> str:
        """Return the conversation; empty when it never began."""
        return self.tabs[0].session if self.tabs else ""


@dataclass
class FrameChecks:
    """Judges each frame as it comes; `violations` are texts for a person."""

    started: float = field(default_factory=time.time)
    violations: list[str] = field(default_factory=list)
    timeline: list[tuple[float, str]] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    longest: dict[str, float] = field(default_factory=dict)
    """The worst seconds of each kind."""
    _seen: dict[str, dict[tuple[str, int], bytes]] = field(default_factory=dict)
    _ends: dict[tuple[str, str], set[int]] = field(default_factory=dict)

    def mark(self, what: str) -> None:
        """Note what happens to the fleet."""
        self.timeline.append((time.time(), what))

    def note(self, what: str) -> None:
        """Count what is no broken promise and yet worth knowing."""
        self.counts[what] += 1

    def took_time(self, what: str, seconds: float) -> None:
        """Remember the worst."""
        self.longest[what] = max(self.longest.get(what, 0.0), seconds)

    def forget(self, record: Record) -> None:
        """A conversation is over and judged: what was seen of it is in nobody's way any more."""
        self._seen.pop(record.session, None)
        if record in self.records:
            self.records.remove(record)

    def blame(self, what: str, tab: Tab | None = None) -> None:
        """Note a broken promise with the faults and the frames around it."""
        lines = [f"[{self._at(time.time())}] {what}", "  faults until then:"]
        lines += [f"    {self._at(at)} {each}" for at, each in self.timeline[-12:]]
        if tab is not None:
            lines.append(f"  session {tab.session}, tab {tab.number}, its last frames:")
            lines += [
                f"    {self._at(at)} {way} {_short(frame)}" for at, way, frame in list(tab.frames)[-AROUND:]
            ]
        self.violations.append("\n".join(lines))

    def took(self, tab: Tab, frame: Frame) -> None:
        """Judge one frame before it is folded."""
        if "event" not in frame:
            self.counts[str(frame.get("type"))] += 1
            if frame.get("type") == "welcome" and frame["resumed"]:
                self.counts["resumed"] += 1
            return
        self.counts["events"] += 1
        first, seq = frame.get("from", frame["seq"]), frame["seq"]
        if tab.seq is None:
            self.blame(f"event {seq} came before any snapshot", tab)
            return
        if first <= tab.seq:
            self.blame(f"event {first}..{seq} came again after {tab.seq}", tab)
        elif first > tab.seq + 1:
            self.blame(f"events {tab.seq + 1}..{first - 1} are missing", tab)
        epoch = frame.get("epoch", tab.epoch)
        if first == seq:
            self._compare(tab, epoch, seq, frame["event"])
        if frame["event"]["type"] == "RUN_STARTED":
            self._began(tab, frame["event"]["runId"])
        if frame["event"]["type"] in ENDS:
            self.note(f"told {frame['event'].get('code') or frame['event'].get('outcome', {}).get('type')}")
            self._end(tab, epoch, seq, frame["event"])

    def _compare(self, tab: Tab, epoch: str, seq: int, event: dict[str, Any]) -> None:
        digest = hashlib.blake2b(json.dumps(event, sort_keys=True).encode(), digest_size=12).digest()
        known = self._seen.setdefault(tab.session, {}).setdefault((epoch, seq), digest)
        if known != digest:
            self.blame(f"event {seq} of epoch {epoch} is not what another socket was told", tab)

    def _began(self, tab: Tab, run_id: str) -> None:
        before = tab.transcript.run
        if before is not None and before.status == "running" and before.id != run_id:
            self.blame(f"{run_id} began, and the end of {before.id} was never told", tab)

    def _end(self, tab: Tab, epoch: str, seq: int, event: dict[str, Any]) -> None:
        run_id = event.get("runId") or event.get("metadata", {}).get("loopwire", {}).get("run_id", "")
        incarnation = epoch.rpartition(".")[0]
        known = self._ends.setdefault((str(run_id), incarnation), set())
        known.add(seq)
        if len(known) > 1:
            self.blame(f"{run_id} ended more than once, at {sorted(known)} of {incarnation}", tab)

    def _at(self, at: float) -> str:
        return f"{at - self.started:6.2f}"


def _short(frame: Frame) -> str:
    text = json.dumps(frame, ensure_ascii=False)
    return text if len(text) <= WIDE else f"{text[: WIDE - 60]} … {text[-50:]}"
