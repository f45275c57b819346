"""The streamed answers that are open here: bounded as sockets are, for each holds a place in a session's log."""

from typing import Protocol

from server.errors import LoopwireError, RateLimited, Replaced

AGAIN_S = 5.0


class OpenAnswer(Protocol):
    """An answer that is not over."""

    @property
    def session_id(self) -> str:
        """Return the session that it is in."""
        ...

    def close_for_shutdown(self) -> None:
        """End the answer, since the server leaves."""
        ...

    def end_if_revoked(self, subject: str) -> None:
        """End the answer if this principal or session, which was revoked, is its own."""
        ...

    def cut(self, error: LoopwireError) -> None:
        """End with this error; the run goes on."""
        ...


class AnswerPlace:
    """The place of one request among the open answers, from before it stores anything until its answer is over."""

    def __init__(self, among: "OpenAnswers") -> None:
        self._among = among
        self.principal = ""
        self.session_id = ""
        """Empty as long as the session is not there: then it is another one than all others."""
        self.answer: OpenAnswer | None = None

    def admit(self, principal: str, session_id: str = "") -> None:
        """Reserve a place for an answer of this principal. Raises RateLimited when it has too many elsewhere."""
        self._among.reserve(self, principal, session_id)

    def enter(self, answer: OpenAnswer) -> None:
        """Open the answer; the oldest of its session ends as `replaced` when there are too many."""
        self._among.enter(self, answer)

    def exit(self) -> None:
        """Give the place back; nothing when it was given back before."""
        self._among.exit(self)


class OpenAnswers:
    """The places of this instance, those of the oldest answers first."""

    def __init__(self, most_of_session: int, most_of_principal: int) -> None:
        self._most = most_of_session
        self.most_of_principal = most_of_principal
        self._places: dict[AnswerPlace, None] = {}

    def __len__(self) -> int:
        """Count the answers that are open."""
        return len(self._open())

    def place(self) -> AnswerPlace:
        """Return a place for a new request, which is not reserved yet."""
        return AnswerPlace(self)

    def reserve(self, place: AnswerPlace, principal: str, session_id: str) -> None:
        """Count a place from now on. Raises RateLimited when the principal has too many in other sessions."""
        others = [
            each
            for each in self._places
            if each.principal == principal and not (session_id and each.session_id == session_id)
        ]
        if len(others) >= self.most_of_principal:
            raise RateLimited("Too many answers are open. Read one to its end.", retry_after=AGAIN_S)
        place.principal, place.session_id = principal, session_id
        self._places[place] = None

    def enter(self, place: AnswerPlace, answer: OpenAnswer) -> None:
        """Open the answer of a place, as the youngest; the oldest of its session gives its own up if need be."""
        self._places.pop(place, None)
        self._places[place] = None
        place.answer, place.session_id = answer, answer.session_id
        same = [(each, open_) for each, open_ in self._open() if each.session_id == answer.session_id]
        for each, open_ in same[: -self._most]:
            open_.cut(Replaced())
            self.exit(each)

    def exit(self, place: AnswerPlace) -> None:
        """Count a place no longer."""
        self._places.pop(place, None)

    def close_for_shutdown(self) -> None:
        """End every open answer: the server leaves."""
        for _, answer in self._open():
            answer.close_for_shutdown()

    def end_revoked(self, subject: str) -> None:
        """End the answers of a principal or session that was revoked."""
        for _, answer in self._open():
            answer.end_if_revoked(subject)

    def _open(self) -> list[tuple[AnswerPlace, OpenAnswer]]:
        return [(each, each.answer) for each in self._places if each.answer is not None]
