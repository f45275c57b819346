"""A process that was suspended beyond its lease, before its keeper has noticed: the next holder ends the run."""

import time

import pytest
from agents.testing import ScriptedModel, assistant_message

from server.errors import Fenced
from server.runs.execution.lease import Lease
from tests.integration.runs.instances import instance, settled


@pytest.mark.once
@pytest.mark.parametrize("fails", [True, False], ids=["error", "success"])
async def test_an_error_after_the_leases_end_is_left_to_the_next_attempt_and_a_success_is_kept(
    store, live_url, fails
):
    """Nobody else took the run yet, so its fence still holds: only the clock says that an error means nothing."""
    script = ScriptedModel([RuntimeError("timed out") if fails else [assistant_message("Hi.")]])
    async with instance(store, live_url, script, capacity=0) as here:
        session = await here.session()
        ack = await here.say(session, "hello")
        claim = await store.runs.claim("me", 0.001)
        lease = Lease(claim.run, time.monotonic(), None)
        execution = here.runs.worker.executor.prepare(claim, lease, queued=True)
        if fails:
            with pytest.raises(Fenced):
                await execution.execute()
        else:
            await execution.execute()
        run = await store.runs.get(ack.run_id)
        assert (run.status, lease.counts) == (("running", True) if fails else ("finished", False))
    if fails:
        async with instance(store, live_url, ScriptedModel([[assistant_message("Hi.")]])) as there:
            await settled(there, session)
        run = await store.runs.get(ack.run_id)
        assert (run.outcome, run.attempt) == ("success", 2)
