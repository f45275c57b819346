"""The statements of one run, exactly as docs/sql.md lists them; counted, not timed."""

import re
from itertools import groupby
from pathlib import Path

import pytest
import redis
from agents.testing import ScriptedModel, assistant_message, function_call
from sqlalchemy import Engine, event

from server.protocol.commands import Edit, Switch, TextPart
from tests.integration.runs.instances import instance, rested
from tests.parts.wait import until_async

DOCUMENT = Path(__file__).parents[3] / "docs" / "sql.md"
POLLED = ("lease_until <", "ended_at <=", "expires_at <=", "runs.fence) IN (")
"""What the clock asks and not the run: what is due, unpublished or expired, the leases of all that runs."""

TAKE_IN = ["UPDATE sessions", "INSERT runs"]
END = ["UPDATE runs", "SELECT messages", "INSERT messages", "UPDATE sessions", "INSERT usage"]
TELL = ["UPDATE runs"]
CLAIM = ["SELECT runs", "UPDATE sessions", "UPDATE runs"]
READ = ["SELECT sessions", "SELECT messages", "SELECT runs"]
QUEUE = ["SELECT runs"]
FIND = ["SELECT runs", "SELECT messages", "SELECT messages"]
TAKE_IN_AND_STOP = ["SELECT runs", "UPDATE sessions", "SELECT runs", "UPDATE runs", "INSERT runs"]
BRANCH = ["SELECT messages", "SELECT messages", "SELECT runs"]
KEPT = ["SELECT runs"]
REREAD = ["SELECT messages", "SELECT runs"]


class Counted:
    """The transactions that were committed, each as its statements."""

    def __init__(self):
        self.transactions = []
        self.taken_back = 0
        self._open = {}

    def executed(self, connection, _cursor, statement, _parameters, _context, _many):
        self._open.setdefault(connection, []).append(statement)

    def committed(self, connection):
        statements = self._open.pop(connection, [])
        polled = len(statements) == 1 and any(mark in statements[0] for mark in POLLED)
        if statements and not polled:
            self.transactions.append([short(each) for each in statements])

    def rolled_back(self, connection):
        self.taken_back += self._open.pop(connection, None) is not None


def short(statement):
    """Return the verb and its table, whatever is asked of others in parentheses, unless all is asked there."""
    flat, before = statement, ""
    while flat != before:
        flat, before = re.sub(r"\([^()]*\)", " ", flat), flat
    words = flat.split()
    leading = {"UPDATE": "UPDATE", "INSERT": "INTO", "SELECT": "FROM", "DELETE": "FROM"}[words[0]]
    words = words if leading in words else statement.split()
    return f"{words[0]} {words[words.index(leading) + 1].rstrip(',')}"


@pytest.fixture
def counted():
    """Listens to every engine of this process."""
    counting = Counted()
    listeners = {
        "before_cursor_execute": counting.executed,
        "commit": counting.committed,
        "rollback": counting.rolled_back,
    }
    for name, listener in listeners.items():
        event.listen(Engine, name, listener)
    yield counting
    for name, listener in listeners.items():
        event.remove(Engine, name, listener)


async def one_run(here, session, counted):
    """Say something, and give the transactions until what it left is kept; nobody else asks the store meanwhile."""
    counted.transactions.clear()
    await here.say(session, "hello")
    await rested(here)
    return list(counted.transactions)


async def test_a_run_takes_three_transactions_of_eight_statements(store, live_url, counted):
    script = ScriptedModel([[assistant_message("Hi.")] for _ in range(4)])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        for _ in range(3):
            assert await one_run(here, session, counted) == [TAKE_IN, END, TELL]


def test_the_document_lists_the_statements_of_a_run():
    rows = [line.split(" | ") for line in DOCUMENT.read_text().splitlines() if line.count(" | ") == 2]
    table = [(row[0].removeprefix("| "), row[1]) for row in rows[1:]]
    listed = [[row[1] for row in rows] for _, rows in groupby(table, key=lambda row: row[0])]
    assert listed == [TAKE_IN, END, TELL]


async def test_a_callback_costs_one_statement_more_at_the_end(store, live_url, counted):
    script = ScriptedModel([[assistant_message("Hi.")] for _ in range(4)])
    async with instance(store, live_url, script) as here:
        session = await store.sessions.create(
            app="demo",
            principal="vis_1",
            service="test",
            language="en",
            callback_url="https://shop.example/hook",
        )
        assert await one_run(here, session, counted) == [TAKE_IN, [*END, "INSERT callbacks"], TELL]


async def test_a_process_that_does_not_know_the_conversation_reads_it_once(store, live_url, counted):
    script = ScriptedModel([[assistant_message("Hi.")] for _ in range(4)])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        await one_run(here, session, counted)
    async with instance(store, live_url, script) as other:  # Redis knows it.
        assert await one_run(other, session, counted) == [TAKE_IN, END, TELL]
    with redis.from_url(live_url) as client:
        client.delete(*client.scan_iter(f"*{session.id}*"))
    async with instance(store, live_url, script) as other:
        assert await one_run(other, session, counted) == [TAKE_IN, READ, END, TELL]
        assert await one_run(other, session, counted) == [TAKE_IN, END, TELL]


async def test_a_message_that_waits_is_claimed_by_a_transaction_of_its_own(store, live_url, counted):
    waiting = [function_call("wait", {"name": "g"}, call_id="c1")]
    script = ScriptedModel([waiting, [assistant_message("one")], [assistant_message("two")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        await here.say(session, "first")
        await here.bench.entered.get()
        counted.transactions.clear()
        await here.say(session, "second")
        assert counted.transactions == [[*TAKE_IN, *QUEUE], QUEUE]
        assert counted.taken_back == 1, "it was to be claimed at once"
        here.bench.gate("g").set()
        done = counted.transactions
        await until_async(lambda: done.count(TELL) == done.count(QUEUE) == 2, what="both ends to be told")
        after = done[done.index(TELL) + 1 :]
        assert after[0] == CLAIM
        # The queue is told beside them.
        assert [each for each in after if each != QUEUE] == [CLAIM, END, TELL]


async def test_an_edit_and_a_switch_read_where_they_leave_the_path(store, live_url, counted):
    script = ScriptedModel([[assistant_message("Hi.")] for _ in range(3)])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        await one_run(here, session, counted)
        second = await here.say(session, "how are you?")
        await rested(here)
        counted.transactions.clear()
        text = TextPart(type="text", text="how is it?")
        edit = Edit(type="edit", id="e1", message_id=second.message_id, content=[text])
        await here.runs.versions.edit(session, edit, "en")
        await rested(here)
        assert counted.transactions == [FIND, TAKE_IN_AND_STOP, [*BRANCH, *KEPT], REREAD, END, TELL]
        counted.transactions.clear()
        switch = Switch(type="switch", id="s1", message_id=second.message_id)
        await here.runs.versions.switch(session, switch, "en")
        await rested(here)
        # It says nothing, so it stores no message.
        end = [each for each in END if each != "INSERT messages"]
        assert counted.transactions == [FIND, TAKE_IN_AND_STOP, BRANCH, REREAD, end, TELL]
