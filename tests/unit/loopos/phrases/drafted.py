"""The draft of a run, without a store or a server."""

from __future__ import annotations

from typing import Any

from server.agents.context import RunContext
from server.agents.run.events.event_emitter import EventEmitter
from server.loopos.tools.drafts.draft import Draft
from tests.unit.agents.outlet import NoConversations, Recorder


def draft(typed: str, *earlier: str, **private: Any) -> Draft:
    """Return the draft of a run whose message is `typed`, after messages, the oldest first."""
    run = RunContext(
        session_id="ses_1", run_id="now", principal="pri_1", app="demo", service="submission", language="en",
        conversations=NoConversations(), emitter=EventEmitter(Recorder("now", "ses_1", [])),
        input=[{"type": "text", "text": typed}],
        private={"heard": [[f"run_{at}", text] for at, text in enumerate(earlier)], **private},
    )  # fmt: skip
    run.emitter.effects.follow(run.state)  # type: ignore[attr-defined]
    found = Draft(run)
    found.hear()
    return found
