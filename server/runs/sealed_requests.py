"""The requests of services with private fields, whose data is encrypted at rest and opened for the run alone."""

from dataclasses import replace

from server.store import Run, Seal


def request_key(session_id: str) -> str:
    """Name the sealed data of a request by what it is, and of which session."""
    return f"request {session_id}"


def opened_run(run: Run, seal: Seal) -> Run:
    """Return a run with the data of its request as its agents read it. Raises Unreadable."""
    key = request_key(run.session_id)
    parts = [
        {**part, "data": seal.open_json(part["data"], key)} if "data" in part else part
        for part in run.content
    ]
    return replace(run, content=parts)
