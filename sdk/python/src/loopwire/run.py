"""One answer of the agents: read it as it comes, wait for its end, or stop it. Leaving any of these stops nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import replace
from typing import Any

from loopwire.conversation import Conversation, End
from loopwire.errors import Garbled
from loopwire.part_reader import PartReader
from loopwire.parts import Part, Result

Stop = Callable[[str], Awaitable[Any]]


class Run:
    """An answer. Where its run asked and an answer was given, it goes on with the run of that answer."""

    def __init__(
        self, conversation: Conversation, run_id: str, message_id: str | None, stop: Stop, held: set[str]
    ) -> None:
        """`stop` stops a run by its id; in `held` are the interrupts that this client is answering by itself."""
        self.id = run_id
        self.message_id = message_id
        self.chain = [run_id]
        """The run, and those that went on after answers."""
        self._conversation = conversation
        self._stop = stop
        self._held = held

    def __aiter__(self) -> Parts:
        """Read the parts of the answer, from its beginning."""
        return Parts(self, self._conversation)

    def __await__(self) -> Generator[Any, None, Result]:
        """Wait for the end, and return it."""
        return self._result().__await__()

    async def stop(self) -> None:
        """Stop it; what was said until then is kept. An answer that has ended stays as it is."""
        if self._conversation.end_of(self.chain[-1]) is None:
            await self._stop(self.chain[-1])

    def go_on(self, run_id: str) -> None:
        """Go on with the run of an answer."""
        if run_id not in self.chain:
            self.chain.append(run_id)

    def end(self) -> End | None:
        """Return how it ended, when it has, and this client is not about to answer what it asks."""
        end = self._conversation.end_of(self.chain[-1])
        if end is not None and any(each.get("id") in self._held for each in end.interrupts):
            return None
        return end

    async def _result(self) -> Result:
        watcher = self._conversation.watch()
        while (end := self.end()) is None:
            if self._conversation.failure is not None:
                raise self._conversation.failure
            await watcher.wait()
            watcher.take()
        earlier = [self._conversation.end_of(each) for each in self.chain[:-1]]
        results = [*(each.result for each in earlier if each is not None), end.result]
        words = "\n\n".join(each.text for each in results if each.text)
        return replace(end.result, text=words, usage=tuple(one for each in results for one in each.usage))


class Listening:
    """The parts of all runs from now on, of any client: other tabs, operators, earlier processes."""

    def __init__(self, conversation: Conversation) -> None:
        self._part_reader = PartReader()
        self._conversation = conversation
        self._watcher = conversation.watch()
        self._ready: deque[Part] = deque()
        read_parts(self._part_reader, conversation.ids(), conversation, None)

    def __aiter__(self) -> Listening:
        return self

    async def __anext__(self) -> Part:
        while not self._ready:
            self._ready.extend(read_parts(self._part_reader, self._watcher.take(), self._conversation, None))
            if not self._ready:
                if self._conversation.failure is not None:
                    raise self._conversation.failure
                await self._watcher.wait()
        return self._ready.popleft()


def read_parts(
    part_reader: PartReader, ids: Sequence[str], conversation: Conversation, runs: Sequence[str] | None
) -> list[Part]:
    """Return what is new of these messages. Raises Garbled where a message has not the form of its role."""
    try:
        return part_reader.read(ids, conversation.transcript, runs)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise Garbled(f"a message has not the form of its role: {error!r}") from error


class Parts:
    """The parts of a run, one after the other; words that arrived in between are one part."""

    def __init__(self, run: Run, conversation: Conversation) -> None:
        self._run = run
        self._part_reader = PartReader()
        self._conversation = conversation
        self._watcher = conversation.watch()
        self._ready: deque[Part] = deque()
        self._asked: set[str] = set()
        self._seen = 0
        """So many runs of the chain were looked through."""

    def __aiter__(self) -> Parts:
        return self

    async def __anext__(self) -> Part:
        while not self._ready:
            self._look()
            if self._ready:
                break
            end = self._run.end()
            if end is not None:
                asks = [each for each in end.result.asks if each.id not in self._asked]
                self._ready.extend(asks)
                if not asks:
                    raise StopAsyncIteration
                self._asked.update(each.id for each in asks)
            elif self._conversation.failure is not None:
                raise self._conversation.failure
            else:
                await self._watcher.wait()
        return self._ready.popleft()

    def _look(self) -> None:
        chain, ids = self._run.chain, self._watcher.take()
        if self._seen < len(chain):
            self._seen = len(chain)
            ids = [*self._conversation.ids(), *ids]
        self._ready.extend(read_parts(self._part_reader, ids, self._conversation, chain))
