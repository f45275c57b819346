"""After a conversation: each question that waited was answered once, or ended for another reason that SQL shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.chaos.frame_checks import FrameChecks, Record
from tests.chaos.waiting_questions import named

Row = dict[str, Any]

REFUSED = {"answered": {"answered", "cancelled", "overridden"}, "expired": {"expired"}}
"""Which ends of a question excuse which refusal of an answer."""


@dataclass
class Answers:
    """One conversation: the rows of its interrupts and runs, what was shown of them, what its tabs were told."""

    record: Record
    interrupts: list[Row]
    runs: list[Row]
    shown: list[Row]
    stored: list[Row]
    """The messages of all versions."""
    checks: FrameChecks

    def judge(self) -> None:
        """Note each broken promise."""
        for each in self.interrupts:
            self.checks.note(f"interrupt {each['kind']} {each['status']}")
            self._judge_end(each)
            self._judge_block(each)
        for tab in self.record.tabs:
            for id in tab.refused:
                self._judge_refused(id, tab.refused[id])
        self._judge_results()

    def _blame(self, what: str) -> None:
        self.checks.blame(f"{self.record.session}: {what}")

    def _of(self, frame_id: str) -> list[Row]:
        """Return the interrupts that an answer of ours is about."""
        ids = set(named(self.record.answers[frame_id]))
        return [each for each in self.interrupts if {each["id"], each["call_id"]} & ids]

    def _judge_end(self, row: Row) -> None:
        acked = {
            id: tab.acks[id]["run_id"]
            for tab in self.record.tabs
            for id in tab.acks
            if id in self.record.answers and row in self._of(id)
        }
        answered = row["status"] in ("answered", "cancelled")
        if len(acked) > 1:
            self._blame(f"{row['id']} was answered {len(acked)} times: {acked}")
        if answered != (row["answered_by"] is not None) or {*acked.values()} - {row["answered_by"]}:
            self._blame(f"{row['id']} is {row['status']} by {row['answered_by']}, acknowledged were {acked}")
        by = next((each for each in self.runs if each["id"] == row["answered_by"]), None)
        if answered and (by is None or by["client_id"] not in self.record.answers):
            self._blame(f"{row['id']} was answered by nobody here: {by}")
        if row["status"] == "expired" and row["closed_at"] < row["expires_at"]:
            self._blame(f"{row['id']} expired before its time")
        written = self._written_after(row)
        if (row["status"] == "overridden" and not written) or (row["status"] == "open" and written):
            self._blame(f"{row['id']} is {row['status']}, written since was {written}")

    def _written_after(self, row: Row) -> list[str]:
        """Messages whose runs came after the one that asks."""
        place = next(each["place"] for each in self.runs if each["id"] == row["run_id"])
        later = [each["client_id"] for each in self.runs if each["place"] > place]
        return [each for each in later if each in self.record.sent or each in self.record.versions]

    def _is_hidden(self, row: Row) -> bool:
        """Return whether the call is stored in a version that is not shown.

        The run of a message that overrides a question writes the result of that question before the message. So
        messages of a run can be shown though its own version is not.
        """
        if not self.record.versions:
            return False
        return row["call_id"] in _calls(self.stored) - _calls(self.shown)

    def _judge_block(self, row: Row) -> None:
        """Judge that the page shows of a block what happened to it."""
        if row["block_id"] is None or self._is_hidden(row):
            return
        block = next((each["content"] for each in self.shown if each["id"] == row["block_id"]), None)
        if block is None or block["status"] != _shown(row):
            self._blame(f"{row['id']} is {row['status']} with {row['answer']}, shown is {block}")

    def _judge_refused(self, frame_id: str, code: str) -> None:
        if frame_id not in self.record.answers:
            return
        self.checks.note(f"told {code}, too late")
        ends = {each["status"] for each in self._of(frame_id)}
        if not ends & REFUSED.get(code, set()):
            self._blame(f"{frame_id} was refused with {code}, and what it answers is {ends}")

    def _judge_results(self) -> None:
        """A call has one result at most; what waits has none, what waits no more has one."""
        results = Counter(each.get("toolCallId") for each in self.shown if each["role"] == "tool")
        if twice := [id for id, count in results.items() if count > 1]:
            self._blame(f"calls with two results: {twice}")
        for each in self.interrupts:
            if self._is_hidden(each):
                continue
            if (results[each["call_id"]] == 0) != (each["status"] == "open"):
                self._blame(f"{each['id']} is {each['status']} and has {results[each['call_id']]} results")


def _calls(messages: list[Row]) -> set[str]:
    """Return the ids of the calls in these messages."""
    return {call["id"] for each in messages for call in each.get("toolCalls") or ()}


def _shown(row: Row) -> str:
    """Return the status of a block whose interrupt ended so."""
    if row["status"] == "answered" and row["kind"] == "approval":
        return "answered" if (row["answer"] or {}).get("approved") else "declined"
    return {"cancelled": "declined", "overridden": "closed"}.get(row["status"], row["status"])
