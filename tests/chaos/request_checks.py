"""After the storm: each request over REST was done once, answered with one result, and posted as it was answered."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from server.store.runs.finish import response_key
from server.store.seal import Seal
from tests.chaos.frame_checks import FrameChecks
from tests.chaos.hooks import Hooks
from tests.chaos.program import RestRequest
from tests.parts.wait import paced

Row = dict[str, Any]
Rows = Callable[..., Awaitable[list[Row]]]

_RUN = "SELECT id, status, told AS published, outcome, code, response FROM runs WHERE {} = $1"


@dataclass
class Requested:
    """Judges requests; `rows` reads the database."""

    rows: Rows
    hooks: Hooks
    seal: Seal
    """Opens the responses of services with private fields."""
    checks: FrameChecks
    patience_s: float
    """How long a callback may take: until its second attempt, or the third after a sender's death."""

    async def judge(self, request: RestRequest) -> None:
        """Note each broken promise about one request."""
        name = request.key or request.hook or request.path
        self._judge_answers(name, request)
        ids = {run for _, run, _ in request.lasting if run}
        found = await self._runs(request, ids)
        if len(found) > 1 or (ids and {each["id"] for each in found} != ids):
            self.checks.blame(f"{name} has the runs {[each['id'] for each in found]}, answered were {ids}")
            return
        for run in found:
            if run["status"] != "finished" or not run["published"]:
                self.checks.blame(f"{run['id']} of {name} is {run['status']}, published: {run['published']}")
            self._judge_result(name, request, run)
            if request.hook:
                await self._judge_posts(name, request, run)

    async def _runs(self, request: RestRequest, ids: set[str]) -> list[Row]:
        """Return the runs under its key; without a key that which its answer names."""
        if request.key is not None:
            return await self.rows(_RUN.format("client_id"), request.key)
        return [row for id in sorted(ids) for row in await self.rows(_RUN.format("id"), id)]

    def _stored(self, run: Row) -> Any:
        """Return the response of a run."""
        if not run["response"]:
            return None
        return self.seal.open_json(json.loads(run["response"]), response_key(run["id"]))

    def _judge_answers(self, name: str, request: RestRequest) -> None:
        told = {json.dumps([status, run, body], sort_keys=True) for status, run, body in request.whole}
        if len(told) > 1:
            self.checks.blame(f"{name} was answered differently: {sorted(told)}")

    def _judge_result(self, name: str, request: RestRequest, run: Row) -> None:
        """Judge that the stored answer is the one that was given."""
        stored = self._stored(run)
        self.checks.note(f"request run: {run['code'] or run['outcome']}")
        if (run["outcome"] == "success") != (stored is not None):
            self.checks.blame(f"{run['id']} of {name} ended as {run['outcome']} with the response {stored}")
        for status, _, body in request.whole:
            if status == 200 and body != stored:
                self.checks.blame(f"{name} was answered {body}, stored is {stored}")
            if status >= 400 and stored is not None:
                self.checks.blame(f"{name} was answered {status} {body}, stored is {stored}")
        job = request.job
        if job is not None and (job["job_id"], job["result"]) != (run["id"], stored):
            self.checks.blame(f"the job of {name} tells {job}, stored is {stored} of {run['id']}")

    async def _judge_posts(self, name: str, request: RestRequest, run: Row) -> None:
        """Judge that the post was sent at least once, always the same, signed, and as the job tells it."""
        deadline = time.monotonic() + self.patience_s
        posts = self.hooks.posts[str(request.hook)]
        while not posts and time.monotonic() < deadline:
            await paced(0.2)
        self.checks.counts["callbacks"] += bool(posts)
        self.checks.counts["callbacks again"] += max(0, len(posts) - 1)
        if not posts:
            state = await self.rows(
                "SELECT status, attempt, answer FROM callbacks WHERE run_id = $1", run["id"]
            )
            self.checks.blame(f"the callback of {name} ({run['id']}) never came: {state}")
            return
        if not all(each.genuine for each in posts):
            self.checks.blame(f"a callback of {name} has a wrong signature")
        if len({(each.id, each.body) for each in posts}) > 1:
            self.checks.blame(f"the callbacks of {name} differ: {posts}")
        stored = self._stored(run)
        failed = {"error": run["code"] or run["outcome"], "job_id": run["id"]}
        if json.loads(posts[0].body) != (failed if stored is None else stored):
            self.checks.blame(f"the callback of {name} tells {posts[0].body!r}, stored is {stored} {failed}")
