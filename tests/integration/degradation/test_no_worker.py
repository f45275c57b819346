"""No worker runs: readers learn that answers are late, the operator how many workers there are."""

from __future__ import annotations

from tests.integration.degradation.outage_checks import health, insist, intact, take_until_notice
from tests.integration.test_doctor import run
from tests.parts import postgres
from tests.parts.live import breakable
from tests.parts.server import served

HELLO = "Olá, o que é que posso vender aqui e como funciona?"
NOBODY = "no process executes runs now"


async def test_a_client_that_writes_gets_a_notice_until_there_is_a_worker(postgres_server, visit, tmp_path):
    with breakable() as live, postgres.fresh_database(postgres_server) as durable:
        both = {"REDIS_URL": live.url, "DATABASE_URL": durable}
        own = {**both, "LOOPWIRE_DEMO_DELAY_MS": "2"}
        with served({**own, "LOOPWIRE_WORKERS_IN_WEB": "0"}, command="web") as web:
            visitor = visit(web)
            assert await health(visitor, workers=0, degraded=False, ready=True) == 200
            code, said = await run("doctor", tmp_path, **both)
            assert (code, NOBODY in said) == (0, True), said
            talk, silent = await visitor.open(), await visit(web).open()
            await insist(talk, HELLO, "c1")
            await take_until_notice(talk, degraded=True)
            again = await visitor.open(session=talk.session)
            await take_until_notice(again, degraded=True)
            assert "no worker takes their messages up" in web.log_text()
            with served(own, command="worker"):
                await talk.finished()
                await take_until_notice(talk, degraded=False)
                await health(visitor, workers=1)
                await intact(visitor, talk, HELLO)
                assert NOBODY not in (await run("doctor", tmp_path, **both))[1]
            await health(visitor, workers=0)
            assert not [each for each in silent.frames if each["type"] == "degraded"], (
                "only who waits is told"
            )
