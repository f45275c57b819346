"""The requests of services with private fields, whose data is encrypted at rest and opened for the run alone."""

from collections.abc import Sequence
from dataclasses import replace

from server.store.rows import Json, Run
from server.store.seal import Seal


def sealed_content(content: Sequence[Json], seal: Seal, session_id: str, run_id: str) -> list[Json]:
    """Return the content of a run with its data sealed for this run and these pictures."""
    return _seal_data(content, seal, _key(content, session_id, run_id))


def is_same_content(
    stored: Sequence[Json], content: Sequence[Json], seal: Seal, session_id: str, run_id: str
) -> bool:
    """Return whether the content that is stored of a run is this one: the same text is sealed to the same bytes."""
    keys = _key(content, session_id, run_id), _early_key(session_id)
    return any(stored == _seal_data(content, seal, key) for key in keys)


def opened_run(run: Run, seal: Seal) -> Run:
    """Return a run with the data of its request as its agents read it. Raises Unreadable."""
    keys = _key(run.content, run.session_id, run.id), _early_key(run.session_id)
    parts = [
        {**part, "data": seal.open_json(part["data"], *keys)} if "data" in part else part
        for part in run.content
    ]
    return replace(run, content=parts)


def _seal_data(content: Sequence[Json], seal: Seal, key: str) -> list[Json]:
    return [
        {**part, "data": seal.close_json(part["data"], key)} if "data" in part else part for part in content
    ]


def _key(content: Sequence[Json], session_id: str, run_id: str) -> str:
    """Name the data of a request by what it is, whose, and with which pictures."""
    pictures = [str(each["blob_id"]) for each in content if "blob_id" in each]
    return " ".join(["request", session_id, run_id, *pictures])


def _early_key(session_id: str) -> str:
    """Name the data of a request as earlier versions did, which any run of the session could read."""
    return f"request {session_id}"
