"""The seller's messages as they were written: what is read of some has other borders between its facts."""

from collections.abc import Sequence

from server.agents import RunContext


def note_written(run: RunContext, text: str) -> None:
    """Keep this run's message as it was written, where it is heard with other borders."""
    heard: dict[str, str] = dict(run.private["heard"])
    written = {**run.private.get("written", {}), run.run_id: text}
    run.private["written"] = {
        run_id: each for run_id, each in written.items() if heard.get(run_id, each) != each
    }


def written_messages(run: RunContext, messages: Sequence[tuple[str, str]]) -> list[str]:
    """Return the texts of heard messages (run and text) as they were written; one put right since, as it is."""
    written, heard = run.private.get("written", {}), dict(run.private.get("heard", []))
    return [
        written[run_id] if run_id in written and text == heard.get(run_id, "").strip() else text
        for run_id, text in messages
    ]
