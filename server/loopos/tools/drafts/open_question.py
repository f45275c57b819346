"""The one block of a submission that waits for an answer: it is shown, asked again, answered or closed."""

from dataclasses import dataclass, replace
from typing import Any

from server.agents import RunContext
from server.loopos.tools.drafts.typed_places import places_of
from server.protocol.blocks import Block, Choices, Form

MOST_LEFT = 200
"""So many rows of items that were left behind are remembered."""


@dataclass(frozen=True)
class OpenQuestion:
    """A view of the block that waits, in the private half of one run's state; it holds nothing itself."""

    run: RunContext

    def ask(
        self,
        block: Block,
        name: str,
        *,
        again: bool = False,
        in_place: bool = False,
    ) -> None:
        """Show a block that waits for an answer; one that waited before closes.

        The same question already shown in this run stays as it is, unless it has changed (`again`).
        With `in_place` the same question names the one before, in whose place a page shows it: its answer was refused,
        or more choices were wished. That one may have closed in this run. A question of this run that another one
        replaces was never seen: the new one stands in its place, and nothing tells of the old one.
        """
        run = self.run
        before = self._question_before(name) if in_place else ""
        waiting: dict[str, Any] = run.private.get("open") or {}
        is_same, is_mine = waiting.get("name") == name, waiting.get("run") == run.run_id
        if is_same and is_mine and not again:
            return
        opened = {
            "id": waiting.get("id"),
            "name": name,
            "run": run.run_id,
            "asked_again": self.asked_again(name),
            "is_changed_by_click": getattr(block, "change", None) is not None,
            "places": places_of(block, name),
        }
        if is_mine:
            before = (is_same and waiting.get("again_of")) or before
            opened |= {"again_of": before} if before else {}
            run.block(_with_link(block, opened), instead_of=waiting["id"])
        elif before:
            opened["again_of"] = before
            if not is_same:
                self.fold(None)
            opened["id"] = run.block(_with_link(block, opened))
        else:
            self.fold(None)
            opened["id"] = run.block(block)
        run.private["open"] = opened

    def _question_before(self, name: str) -> str:
        """Return the id of the question of this name that waited when this run began and has no answer."""
        before = self.open_before()
        return str(before["id"]) if before.get("name") == name and not before.get("has_answer") else ""

    def asked_again(self, name: str) -> int:
        """Return how many messages in a row did not settle the question of this name, if this run asks it once more."""
        waiting: dict[str, Any] = self.run.private.get("open") or {}
        if waiting.get("name") != name:
            return 0
        return int(waiting.get("asked_again", 0)) + (waiting.get("run") != self.run.run_id)

    def fold_question(self, block: Block, name: str, answer: dict[str, Any]) -> None:
        """Fold the question to its answer; one that was never asked appears folded.

        A question with which something was proposed takes the place of the proposal, so that its answer can be changed
        by a click as any other. An answer that was clicked in a folded row replaces the one in that row.
        """
        folded: list[str] = self.run.private.setdefault("folded", [])
        clicked = next((each for each in folded if each in self._clicked_blocks(name)), None)
        if self.waiting() == name:
            waiting = self.run.private["open"]
            if not waiting.get("is_changed_by_click", True):
                self.run.block(_with_link(block, waiting), instead_of=waiting["id"])
            self.fold(answer)
        elif clicked is not None:
            self.run.close_block(clicked, answer)
        else:
            folded.append(self.run.block(block))
            self.run.close_block(folded[-1], answer)

    def fold(self, answer: dict[str, Any] | None) -> None:
        """Close the waiting block, with its answer if there is one; a no or a wish that was clicked in it is one."""
        before, waiting = self.open_before(), self.run.private.pop("open", None)
        if waiting is not None:
            given = answer or self._click_in(waiting["id"])
            if given and before.get("id") == waiting["id"]:
                before["has_answer"] = True
            self.run.close_block(waiting["id"], given)
            if answer:
                self.run.private.setdefault("folded", []).append(waiting["id"])

    def abandon_rows(self) -> None:
        """Abandon the folded rows: a click in them answers nothing from now on, since they are about another item."""
        left: list[str] = self.run.private.setdefault("left", [])
        left += self.run.private.pop("folded", [])
        del left[:-MOST_LEFT]

    def is_left(self, name: str) -> bool:
        """Return whether a click in a row of an item that the seller has left behind answered this question."""
        return any(each in self.run.private.get("left", []) for each in self._clicked_blocks(name))

    def _clicked_blocks(self, name: str) -> list[str]:
        """Return the blocks in which this run's message clicked an answer to this question."""
        parts = (part for part in self.run.input if part.get("type") == "answer" and part.get("name") == name)
        return [str(part.get("block_id")) for part in parts]

    def _click_in(self, block_id: str) -> dict[str, Any] | None:
        """Return the no, or what is to change, that this run's message clicked in that block."""
        for part in self.run.input:
            stands = part.get("value") == "no" or part.get("name") == "change"
            if part.get("block_id") == block_id and stands:
                return {"value": str(part.get("value", "")), "label": str(part.get("label", ""))[:200]}
        return None

    def waiting(self) -> str | None:
        """Return the name of the block that waits for an answer."""
        waiting = self.run.private.get("open")
        return waiting["name"] if waiting else None

    def waiting_block(self) -> str | None:
        """Return the name of the block that was open before this run's message."""
        name: str | None = self.open_before().get("name")
        return name

    def open_before(self) -> dict[str, Any]:
        """Return the block that was open before this run's message; blocks that tools of this run show do not count."""
        private = self.run.private
        if private.get("open_before", {}).get("seen_in") != self.run.run_id:
            private["open_before"] = {**(private.get("open") or {}), "seen_in": self.run.run_id}
        found: dict[str, Any] = private["open_before"]
        return found


def _with_link(block: Block, opened: dict[str, Any]) -> Block:
    """Return a question with the id of the one that it asks again, where it asks one again."""
    before = opened.get("again_of", "")
    return replace(block, again_of=before) if before and isinstance(block, Choices | Form) else block
