"""The things that one message names beside the item that is looked for, over all searches of its run."""

from __future__ import annotations

from collections.abc import Sequence

from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.other_items import Beside, keep_for_later

_BESIDE = "named_beside"


async def keep_beside(draft: Draft, names: Sequence[str], query: str, missed: str) -> Beside:
    """Keep what a message names beside the item that is looked for; return all that its searches found of that.

    What is looked for now is not named for later. A name that was `missed` is unknown too, where another item waits.
    """
    found, run = await keep_for_later(draft, names), draft.run
    noted = run.private.get(_BESIDE, {})
    noted = noted if noted.get("run") == run.run_id else {"kept": [], "unknown": []}
    kept = [*dict.fromkeys([*noted["kept"], *found.kept])]
    unknown = [*dict.fromkeys([*([missed] if missed and kept else []), *noted["unknown"], *found.unknown])]
    run.private[_BESIDE] = {"run": run.run_id, "kept": kept, "unknown": unknown}
    now = {*tokens(query)} if not missed else set[str]()
    return Beside([each for each in kept if not {*tokens(each)} <= now], unknown)
