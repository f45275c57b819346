"""The commands of operators on sessions of their app: each is a run without a model, through the session's queue."""

from server.protocol.envelope import Ack
from server.protocol.ids import new_id
from server.protocol.operators import change_part, said_part, whisper_part
from server.runs.submission.input_submitter import InputSubmitter
from server.store import OperatorChange, Session


class OperatorCommands:
    """Submits the messages, joins and leaves of operators."""

    def __init__(self, submitter: InputSubmitter) -> None:
        self._submitter = submitter

    async def say(
        self,
        session: Session,
        id: str,
        text: str,
        *,
        name: str | None,
        key_id: str,
        whisper: bool = False,
    ) -> Ack:
        """Commit a message of an operator, then acknowledge; the same id again is acknowledged as a duplicate.

        The agents alone read one that is a `whisper`.
        """
        submitted = await self._submitter.submit(
            session,
            id,
            content=[whisper_part(text, name) if whisper else said_part(text, name)],
            language=session.language,
            operator=OperatorChange("whisper" if whisper else "say", key_id, name),
        )
        return Ack(id=id, dup=submitted.dup or None, run_id=submitted.run_id, message_id=submitted.message_id)

    async def join(self, session: Session, *, name: str | None, key_id: str) -> None:
        """Let an operator answer in place of the agents; what they are at work on is stopped."""
        await self._submitter.submit(
            session,
            new_id("opr"),
            content=[change_part("joined", name)],
            language=session.language,
            operator=OperatorChange("join", key_id, name),
        )

    async def hand_back(self, session: Session, *, key_id: str) -> None:
        """Let the agents answer again."""
        name = session.operator["name"] if session.operator is not None else None
        await self._submitter.submit(
            session,
            new_id("opr"),
            content=[change_part("left", name)],
            language=session.language,
            operator=OperatorChange("leave", key_id, name),
        )
