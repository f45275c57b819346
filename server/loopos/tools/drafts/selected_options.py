"""The options of a draft that were selected in this run: kept, or refused since the seller did not say the value."""

from typing import Any

from server.agents import RunContext


def note_chosen(run: RunContext, option_type_id: int) -> None:
    """Note that a value of this option is kept; without an item, that its options are to be compared."""
    refused = [each for each in refused_options(run) if each != option_type_id]
    run.private["selected"] = {"run": run.run_id, "chosen": True, "refused": refused}
    if run.state.get("item_id") is None:
        run.private["uncompared"] = True


def note_refused(run: RunContext, option_type_id: int) -> None:
    """Note that a value of this option was selected in this run which the seller did not say."""
    refused = sorted({*refused_options(run), option_type_id})
    run.private["selected"] = {"run": run.run_id, "chosen": has_chosen(run), "refused": refused}


def refused_options(run: RunContext) -> list[int]:
    """Return the options whose selected value was refused in this run, and no other value was kept since."""
    return list(_find_notes(run).get("refused", ()))


def has_chosen(run: RunContext) -> bool:
    """Return whether a value was kept in this run."""
    return bool(_find_notes(run).get("chosen"))


def _find_notes(run: RunContext) -> dict[str, Any]:
    notes: dict[str, Any] = run.private.get("selected", {})
    return notes if notes.get("run") == run.run_id else {}
