"""The AG-UI answers that are open here: bounded as sockets are, for each holds a place in a session's log."""

from typing import Protocol

from server.errors import LoopwireError, RateLimited, Replaced
from server.store import Session

MOST_OF_PRINCIPAL = 20
"""Open answers of one principal, over all its sessions; the next one is refused before anything is stored."""

AGAIN_S = 5.0


class Open(Protocol):
    """An answer that goes on."""

    @property
    def session_id(self) -> str:
        """The session that it is in; empty for one that says at once why there is no run."""
        ...

    @property
    def principal(self) -> str:
        """Whose it is."""
        ...

    def leave(self) -> None:
        """Hear that the server goes."""
        ...

    def end(self, subject: str) -> None:
        """Hear that this principal or session was revoked."""
        ...

    def cut(self, error: LoopwireError) -> None:
        """End with this error; the run goes on."""
        ...


class OpenAnswers:
    """Those of this instance, the oldest first."""

    def __init__(self, most_of_session: int) -> None:
        """Have none; of one session at most so many are open, and the oldest goes for a new one."""
        self._most = most_of_session
        self._open: dict[Open, None] = {}

    def __len__(self) -> int:
        """Count them."""
        return len(self._open)

    def admit(self, session: Session) -> None:
        """Raise RateLimited when the session's principal has too many; a session that is full gives one up."""
        others = [
            each
            for each in self._open
            if each.principal == session.principal and each.session_id != session.id
        ]
        if len(others) >= MOST_OF_PRINCIPAL:
            raise RateLimited("Too many answers are open. Read one to its end.", retry_after=AGAIN_S)

    def enter(self, answer: Open) -> None:
        """Count one more; the oldest of its session ends as `replaced` when there are too many."""
        self._open[answer] = None
        same = [each for each in self._open if answer.session_id and each.session_id == answer.session_id]
        for each in same[: -self._most]:
            each.cut(Replaced())
            self.exit(each)

    def exit(self, answer: Open) -> None:
        """One is over."""
        self._open.pop(answer, None)

    def leave(self) -> None:
        """The server goes."""
        for each in list(self._open):
            each.leave()

    def end(self, subject: str) -> None:
        """Somebody, or a session, was revoked."""
        for each in list(self._open):
            each.end(subject)
