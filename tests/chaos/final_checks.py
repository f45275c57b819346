"""After the storm: clients, GET and SQL tell one story, everything ended once, nothing is left over, nothing leaked."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import psutil

from server.protocol.order import with_results_at_calls
from server.protocol.shown_state import public_state
from tests.chaos.fleet import Fleet, Instance
from tests.chaos.frame_checks import FrameChecks, Record
from tests.chaos.question_checks import Answers
from tests.chaos.tab import Tab
from tests.modelserver import CANARY
from tests.parts.wait import paced, until_async

AGREE_S = 60.0
"""The server compares positions every 15 seconds; a tab that is behind then gets what it lacks."""

LOOKS = 3
LOOK_S = 0.2

LET_GO_S = 60.0
"""A client that is silent is dead after 35 seconds."""

RSS_GROWTH = 200 * 2**20

_ALLOWED_ERRORS: tuple[str, ...] = ()
_TOKEN = re.compile(r"eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}")


@dataclass
class FinalChecks:
    """Judges the end; every check notes what is wrong and goes on."""

    fleet: Fleet
    checks: FrameChecks
    longest_run_s: float
    agree_s: float = AGREE_S

    async def judge(self, record: Record, patience_s: float) -> None:
        """Compare what clients, GET and SQL say of one conversation, and count what was acknowledged."""
        if not record.session:
            return
        await self._settled(record, patience_s)
        stored, shown = await self._stored_and_shown(record)
        if stored != shown:
            self.checks.blame(f"{record.session}: {_difference(shown, stored)} (GET, SQL)")
        assert record.browser is not None
        about = await record.browser.insist("GET", f"/v1/sessions/{record.session}")
        state = public_state(about["state"])
        for tab in record.tabs:
            await self._agrees(tab, shown, state)
        await self._judge_reload(record, shown, state)
        await self._judge_sent(record, shown)

    async def _settled(self, record: Record, patience_s: float) -> None:
        query = "SELECT id FROM runs WHERE session_id = $1 AND (status <> 'finished' OR NOT told)"
        if not await self._none(query, record.session, seconds=patience_s):
            self.checks.blame(f"{record.session} does not come to rest within {patience_s:.0f} s")

    async def _stored_and_shown(self, record: Record) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return what SQL holds and what GET gives; looked at again when they differ: something may have expired
        between.
        """
        assert record.browser is not None
        for _ in range(LOOKS):
            stored = await self._stored(record.session)
            shown: list[dict[str, Any]] = []
            before: str | None = ""
            while before is not None:
                query = f"?limit=37{f'&before={before}' if before else ''}"
                page = await record.browser.insist("GET", f"/v1/sessions/{record.session}/messages{query}")
                shown, before = [*page["messages"], *shown], page["before"]
            if stored == shown:
                break
        return stored, shown

    async def _judge_reload(self, record: Record, shown: list[dict[str, Any]], state: dict[str, Any]) -> None:
        """A new tab shows what is stored."""
        first = record.tabs[0]
        fresh = Tab(first.browser, first.service, first.language, Random(1), session=record.session)
        fresh.start()
        try:
            await self._agrees(fresh, shown, state)
        finally:
            await fresh.leave()

    async def _agrees(self, tab: Tab, shown: list[dict[str, Any]], state: dict[str, Any]) -> None:
        """A tab has what GET has, or gets it soon; one that began with a snapshot has the last part of it."""

        known = set(_client_ids(shown))

        def same() -> bool:
            mine = tab.transcript.messages
            return mine == shown[len(shown) - len(mine) :] and (len(mine) == len(shown) or not tab.whole)

        def running() -> bool:
            return tab.transcript.run is not None and tab.transcript.run.status == "running"

        def waiting() -> set[str]:
            """Return the ids in the queue that the conversation shows; the frame that empties it may be lost."""
            return set(tab.queued) - known

        def agreed() -> bool:
            # Stored comes before published: where Redis is away, the end is on its way to the other instance.
            return tab.open and same() and tab.transcript.state == state and not running() and not waiting()

        if await tab.until(agreed, self.agree_s):
            return
        if not (tab.open and same()):
            self.checks.blame(
                f"a tab does not show what is stored: {_difference(tab.transcript.messages, shown)}", tab
            )
        elif tab.transcript.state != state:
            self.checks.blame(f"a tab has the state {tab.transcript.state}, stored is {state}", tab)
        elif running():
            self.checks.blame("a tab still shows a running answer", tab)
        else:
            self.checks.blame(f"a tab still shows a queue: {waiting()}", tab)

    async def _judge_sent(self, record: Record, shown: list[dict[str, Any]]) -> None:
        """Each acknowledged message is stored once, each other at most once; each run has one end."""
        runs = await self._of("runs", record.session, "place")
        # What was said in other versions is not shown, and stored all the same.
        messages = [
            json.loads(each["body"]) for each in await self._of("messages", record.session, "position")
        ]
        said = Counter(_client_ids(messages))
        stored = Counter(each["client_id"] for each in runs)
        acked = {id for tab in record.tabs for id in tab.acks}
        for id in (*record.sent, *(id for id, frame in record.versions.items() if frame["type"] != "switch")):
            if stored[id] != said[id] or stored[id] > 1 or (id in acked and stored[id] != 1):
                self.checks.blame(
                    f"{id} of {record.session} (acknowledged: {id in acked}) has {stored[id]} runs "
                    f"and {said[id]} messages"
                )
        for each in runs:
            self._judge_run(each)
        await self._judge_photos(record, acked)
        interrupts = await self._of("interrupts", record.session, "created_at")
        for each in interrupts:
            each["answer"] = json.loads(each["answer"] or "null")
        Answers(record, interrupts, runs, shown, messages, self.checks).judge()
        await self._judge_items(record, interrupts)

    async def _judge_photos(self, record: Record, acked: set[str]) -> None:
        """Judge that every photo of an acknowledged message can be loaded."""
        assert record.browser is not None
        parts = [part for id in acked & record.sent.keys() for part in record.sent[id]["content"]]
        for blob in {part["blob_id"] for part in parts if part["type"] == "image"}:
            if not await record.browser.has(f"/v1/sessions/{record.session}/blobs/{blob}"):
                self.checks.blame(f"the picture {blob} of {record.session} is not there")

    def _judge_run(self, run: dict[str, Any]) -> None:
        """Judge that a run has ended in time and was published; count why it ended."""
        self.checks.note("runs")
        self.checks.note(f"run: {run['code'] or run['outcome']}")
        if run["status"] != "finished" or not run["told"]:
            self.checks.blame(f"{run['id']} is {run['status']}, published: {run['told']}")
            return
        lasted = (run["ended_at"] - (run["started_at"] or run["created_at"])) / 1000
        self.checks.took_time("a run, from its claim to its end", lasted)
        if lasted > self.longest_run_s:
            self.checks.blame(f"{run['id']} took {lasted:.0f} s")

    async def _of(self, table: str, session: str, order: str) -> list[dict[str, Any]]:
        query = f"SELECT * FROM {table} WHERE session_id = $1 ORDER BY {order}"
        return await self.fleet.durable.rows(query, session)

    async def _judge_items(self, record: Record, interrupts: list[dict[str, Any]]) -> None:
        """A tool that may run once ran once for each thing that it is about, and with a yes where one is needed."""
        session = record.session
        items = await self._of("items", session, "created_at")
        calls = await self.fleet.durable.rows(
            "SELECT tool, tool_calls.state, business_key FROM tool_calls JOIN runs ON runs.id = run_id "
            "WHERE session_id = $1 AND effect = 'once'",
            session,
        )
        done = [each for each in calls if each["state"] == "done"]
        if len(items) > len({each["business_key"] for each in calls if each["tool"] == "create_item"}):
            self.checks.blame(f"{session} has {len(items)} items of {len(calls)} calls")
        keys = Counter(each["business_key"] for each in done)
        if any(count > 1 for key, count in keys.items() if key):
            self.checks.blame(f"{session} did one thing twice: {keys}")
        allowed = [each for each in interrupts if each["tool"] == "create_item" and _allows(each["answer"])]
        made = [each for each in done if each["tool"] == "create_item"]
        if self.fleet.asks and len(made) > len(allowed):
            self.checks.blame(f"{session} made {len(made)} items with {len(allowed)} times yes")

    async def _stored(self, session: str) -> list[dict[str, Any]]:
        """Return the messages of the active branch, walked from its leaf, in the order in which they are read."""
        read = self.fleet.durable.rows
        # The leaf first: what it stands on is never taken away.
        leaf = (await read("SELECT active_leaf FROM sessions WHERE id = $1", session))[0]["active_leaf"]
        query = "SELECT id, parent_id, body FROM messages WHERE session_id = $1 ORDER BY created_at, id"
        found = {each["id"]: each for each in await read(query, session)}
        path = []
        while leaf is not None:
            parent = found[leaf]["parent_id"]
            beside = [id for id, each in found.items() if each["parent_id"] == parent]
            path.append(_with_versions(json.loads(found[leaf]["body"]), beside))
            leaf = parent
        return with_results_at_calls(path[::-1])

    # What is left over.

    async def judge_ends(self, patience_s: float) -> None:
        """Wait until nothing is queued, running or unpublished; say what is."""
        columns = "id, session_id, status, told AS published, attempt"
        query = f"SELECT {columns} FROM runs WHERE status <> 'finished' OR NOT told"

        if not await self._none(query, seconds=patience_s):
            self.checks.blame(f"stuck: {await self.fleet.durable.rows(query)}")

    async def _none(self, query: str, *values: str, seconds: float) -> bool:
        """Wait until there is no such row; False when there still is one."""
        deadline = time.monotonic() + seconds
        while await self.fleet.durable.rows(query, *values):
            if time.monotonic() > deadline:
                return False
            await paced(LOOK_S)
        return True

    async def judge_leftovers(self) -> None:
        """Once every tab is closed nobody hears a session and no socket is open."""

        async def silent() -> bool:
            return not await self.fleet.live.channels()

        try:
            await until_async(silent, seconds=LET_GO_S)
        except AssertionError:
            self.checks.blame(f"channels that nobody needs: {await self.fleet.live.channels()}")
        for each in self.fleet.instances.values():
            if each.web:
                await self._judge_sockets(each)
            grown = each.rss() - each.started_rss
            if grown > RSS_GROWTH:
                self.checks.blame(f"{each.name} has grown by {grown / 2**20:.0f} MiB")

    async def _judge_sockets(self, web: Instance) -> None:
        def clients() -> list[Any]:
            found = psutil.Process(web.process.pid).net_connections("tcp")
            return [each for each in found if each.laddr[1] == web.port and each.status == "ESTABLISHED"]

        try:
            await until_async(lambda: not clients(), seconds=LET_GO_S)
        except AssertionError:
            self.checks.blame(f"{web.name} still has {len(clients())} sockets of clients")

    def judge_logs(self) -> None:
        """No secret, no traceback, nothing at level ERROR."""
        forbidden = [*self.fleet.secrets, CANARY]
        for each in self.fleet.instances.values():
            text = each.log_text()
            for secret in forbidden:
                if secret in text:
                    self.checks.blame(f"the log of {each.name} holds {secret[:4]}…")
            if _TOKEN.search(text):
                self.checks.blame(f"the log of {each.name} holds a token")
            counted = Counter(_errors(text))
            for error, times in counted.most_common(8):
                self.checks.blame(f"the log of {each.name} has {times} times: {error}")


def _with_versions(message: dict[str, Any], beside: list[str]) -> dict[str, Any]:
    """Return a message of a person with the versions that stand beside it, as readers are given it."""
    if message["role"] != "user":
        return message
    own = {name: value for name, value in message["metadata"]["loopwire"].items() if name != "versions"}
    return {**message, "metadata": {"loopwire": own | ({"versions": beside} if len(beside) > 1 else {})}}


def _client_ids(shown: list[dict[str, Any]]) -> list[str]:
    """Return the senders' ids of what people said."""
    own = (each.get("metadata", {}).get("loopwire", {}) for each in shown if each["role"] == "user")
    return [str(each.get("client_id")) for each in own]


def _allows(answer: Any) -> bool:
    return isinstance(answer, dict) and answer.get("approved") is True


def _difference(mine: list[dict[str, Any]], shown: list[dict[str, Any]]) -> str:
    own = {each["id"]: each for each in mine}
    theirs = {each["id"]: each for each in shown}
    lacks = [each for each in theirs if each not in own]
    extra = [each for each in own if each not in theirs]
    other = [each for each in own if each in theirs and own[each] != theirs[each]]
    lines = [
        f"{len(mine)} shown, {len(shown)} stored, lacks {lacks}, has besides {extra}, has otherwise {other}"
    ]
    for each in other[:2]:
        lines.append(f"\n    shows  {json.dumps(own[each])}\n    stored {json.dumps(theirs[each])}")
    return "".join(lines)


def _errors(text: str) -> Iterator[str]:
    """Yield what a log complains of that is nobody's fault but its own."""
    for line in text.splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            if "Traceback" in line or "Error:" in line:
                yield line
            continue
        if not isinstance(told, dict):
            continue
        if "error" in told or told.get("level") in ("ERROR", "CRITICAL"):
            words = f"{told.get('text')}\n{told.get('error', '')}"
            if not any(each in words for each in _ALLOWED_ERRORS):
                yield re.sub(r"(ses|run|msg|cal|int|itm)_\w+|0x\w+|\bTask-\d+", "…", words)[-1800:]
