"""The options of a draft that were selected in this run: kept, or refused since the seller did not say the value."""

from dataclasses import asdict, dataclass
from typing import Any

from server.agents import RunContext

NO_VALUE = 0
"""The id that stands for no value of an option: the item has none of those of the catalog."""


def value_ids_of(run: RunContext) -> list[int]:
    """Return the chosen option values in order, without the options that are left out."""
    return sorted(int(value) for value in run.private.get("chosen", {}).values() if int(value) != NO_VALUE)


def open_option(run: RunContext, option_type_id: int, name: str) -> None:
    """Take back what was chosen of an option of this name: it is asked once more."""
    run.private.get("chosen", {}).pop(str(option_type_id), None)
    names = {key: value for key, value in (run.state.get("options") or {}).items() if key != name}
    left = int(run.state.get("options_left") or 0) + 1
    run.set_state(option_value_ids=value_ids_of(run), options=names, options_left=left)


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


@dataclass(frozen=True)
class UnlistedValue:
    """What a seller called the item that is none of the values of an option."""

    said: str
    """In the words of the seller; empty where they only said that it is none."""
    told_in: str
    """The run in which the seller was first told that the catalog does not have it."""
    meant_in: str = ""
    """The run in which the seller took no value of the option, or said the same once more."""


def unlisted_value_of(run: RunContext, option_type_id: int) -> UnlistedValue | None:
    """Return what is noted of an option whose value the catalog does not have."""
    noted = run.private.get("unlisted", {}).get(str(option_type_id))
    return None if noted is None else UnlistedValue(**noted)


def note_unlisted_value(run: RunContext, option_type_id: int, value: UnlistedValue) -> None:
    """Note what the seller called the item at an option that does not have it."""
    run.private.setdefault("unlisted", {})[str(option_type_id)] = asdict(value)
