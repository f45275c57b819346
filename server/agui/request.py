"""The run that an AG-UI request is about: a new one, or one that is followed again."""

from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from server.agui.anonymous_threads import AnonymousThreads
from server.agui.input import InputMessage, RunAgentInput, answers_of, key_of, message_of
from server.agui.names import Names
from server.agui.pressed_numbers import press_number
from server.auth import Grant, Origins, ResumeTokens
from server.endpoints.address_rates import spend_of_address
from server.endpoints.authorize import hello_of
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import address_of, app_of, is_newcomer, principal_of
from server.endpoints.pressed_choices import press_choice
from server.errors import Answered, BadFrame, Expired, NotFound, NothingNew, UnknownThread
from server.protocol.envelope import Ack
from server.rooms.admission import Admission
from server.rooms.intake import Intake
from server.runs.conversation.conversation_cache import MESSAGES
from server.store import GivenAnswer, Session

BLOCKS = ("activity", "text")
"""The form in which blocks reach a caller: as activities that it draws, or as texts with numbered options."""


@dataclass(frozen=True)
class RequestResolver:
    """Takes requests in: finds the session, stores what is new, and names the run."""

    parts: Dependencies
    admission: Admission
    intake: Intake
    origins: Origins
    tokens: ResumeTokens
    anonymous_threads: AnonymousThreads
    public_url: str | None = None
    """The public address of this server; without it, the address is what each request says."""

    async def commit(
        self, request: Request, service: str, body: RunAgentInput, admit: Callable[[str, str], None]
    ) -> Names:
        """Commit what a request brings. Raises what refuses it, and NothingNew when it brings nothing.

        `admit` is asked with the principal and the session, empty for a new one, before anything is stored; it
        raises too.
        """
        async with AsyncExitStack() as spending:
            session, grant = await self._who(request, service, body, admit, spending)
            language = grant.language or session.language
            writes_blocks = writes_blocks_of(request)
            first_run, run_id = await self._runs(session, body, language, writes_blocks)
        if is_newcomer(request) and "authorization" not in request.headers:
            await self.anonymous_threads.remember(address_of(request), service, body, session.id, run_id)
        token = self.tokens.issue(grant, for_caller=True)
        told = {"session_id": session.id, "run_id": first_run or run_id, "resume_token": token}
        ignored = self.parts.runs.ignored_tools(session, (each.name for each in body.tools or ()))
        return names_of(
            body,
            session_id=session.id,
            first_run=first_run,
            run_id=run_id,
            principal=session.principal,
            language=language,
            writes_blocks=writes_blocks,
            server=self.public_url or str(request.base_url).rstrip("/"),
            told={**told, **({"ignored_tools": ignored} if ignored else {})},
        )

    async def _who(
        self,
        request: Request,
        service: str,
        body: RunAgentInput,
        admit: Callable[[str, str], None],
        spending: AsyncExitStack,
    ) -> tuple[Session, Grant]:
        """Find the session that the caller means, and what leads back to it.

        A visitor's cookie leads to the session that it calls by this thread; a first message begins it. A bearer
        leads to its own session, which then has this name too; a ticket is spent by what comes after `spending`.
        """
        if "authorization" not in request.headers:
            session = await self._visitors(request, service, body, admit)
            return session, Grant(session.id, session.principal, request.headers.get("origin"), "")
        session, grant = await self._of_bearer(request, service, spending)
        admit(session.principal, session.id)
        if not await self.parts.store.sessions.set_caller_name(session, body.thread_id):
            raise NotFound
        return session, grant

    async def find_thread(
        self, request: Request, service: str, thread: str, spending: AsyncExitStack
    ) -> Session:
        """Return the session that a caller calls by this thread; none is begun. Raises UnknownThread."""
        given: Session | None = None
        if "authorization" in request.headers:
            given, _ = await self._of_bearer(request, service, spending)
        app, principal = (given.app, given.principal) if given else (app_of(request), principal_of(request))
        try:
            named = await self.parts.store.sessions.by_alias(app, principal, service, thread)
        except NotFound:
            raise UnknownThread from None
        if given is not None and given.id != named.id:
            raise UnknownThread
        return named

    async def _of_bearer(
        self, request: Request, service: str, spending: AsyncExitStack
    ) -> tuple[Session, Grant]:
        """Find the session that a bearer opens, and what it grants."""
        origins = self.origins.possible(request.scope["scheme"], request.headers)
        with self.admission.unauthenticated_socket(address_of(request)):
            hello = hello_of(request)
            grant = await self.admission.read_grant(hello, *origins)
            await spending.enter_async_context(self.admission.spending(hello, grant))
            session = await self.admission.session(grant)
        if session.service != service:
            raise NotFound
        return session, grant

    async def _visitors(
        self, request: Request, service: str, body: RunAgentInput, admit: Callable[[str, str], None]
    ) -> Session:
        """Find the session that a visitor calls by this thread, or begin it."""
        principal = principal_of(request)
        try:
            session = await self.parts.store.sessions.by_alias(
                app_of(request), principal, service, body.thread_id
            )
        except NotFound:
            if body.has_answers():
                raise UnknownThread from None
            if is_newcomer(request):
                await self.anonymous_threads.require_first(address_of(request), service, body)
            if not body.new_messages():
                raise NothingNew from None
            admit(principal, "")
            await spend_of_address(request, self.parts.conversation_rate)
            return await self.parts.new_session(request, service=service, language=None, alias=body.thread_id)
        admit(principal, session.id)
        return session

    async def _runs(
        self, session: Session, body: RunAgentInput, language: str, writes_blocks: bool
    ) -> tuple[str, str]:
        """Return the run that answers, after the one before it that answers too, which is empty but for `_both`.

        The ids of the request are its keys, so that the same one is the same run.
        """
        said = body.new_messages()
        if said and body.resume and any(each.status == "resolved" for each in body.resume):
            return await self._both(session, body, said, language)
        known = await self.parts.store.runs.find_sent(session.id, [key_of(body.run_id)])
        if known:
            return "", next(iter(known.values()))
        if said:
            return "", _run_of(await self._store_messages(session, body, said, language, writes_blocks))
        waiting = await self.parts.store.interrupts.open_in(session.id)
        given = answers_of(body, {each.call_id for each in waiting if each.kind == "tool"})
        if given:
            return "", _run_of(await self.parts.runs.resume(session, key_of(body.run_id), given, language))
        return "", await self._unread(session, body)

    async def _both(
        self, session: Session, body: RunAgentInput, said: list[InputMessage], language: str
    ) -> tuple[str, str]:
        """Take an answer to what waits and a text that was typed beside it: the run of the text follows the other.

        Where the answer was too late before, the text alone is taken: the client sends both until one is.
        """
        message_of(said, body.tools)  # Refuse the text before the question is answered.
        key = key_of(body.run_id)
        known = await self.parts.store.runs.find_sent(session.id, [key])
        first = known.get(key, "")
        if not known:
            with suppress(Answered, Expired):
                first = _run_of(await self.parts.runs.resume(session, key, answers_of(body, ()), language))
        return first, _run_of(await self._store_messages(session, body, said, language))

    async def _store_messages(
        self,
        session: Session,
        body: RunAgentInput,
        said: list[InputMessage],
        language: str,
        writes_blocks: bool = False,
    ) -> Ack | None:
        """Store the new messages as one; those before the last may have been sent by a request that failed."""
        before = [key_of(each.id) for each in said[:-1]]
        known = await self.parts.store.runs.find_sent(session.id, before) if before else {}
        new = [each for each in said[:-1] if key_of(each.id) not in known] + said[-1:]
        message = message_of(new, body.tools)
        store, runs = self.parts.store, self.parts.runs
        pressed = await press_number(message, session, store) if writes_blocks else None
        if isinstance(pressed, Ack):
            return pressed
        if isinstance(pressed, GivenAnswer):
            return await runs.resume(session, message.id, [pressed], language)
        if pressed is not None:
            message = message.model_copy(update={"content": [pressed]})
        else:
            message = await press_choice(message, session, store, runs)
        return await self.intake.execute(session, message, language=language, source="")

    async def _unread(self, session: Session, body: RunAgentInput) -> str:
        """Return the run that the caller has not read to its end: the running one, or the last."""
        running = await self.parts.store.runs.running(session.id)
        if running is not None:
            return running.id
        # The run may have ended a moment ago.
        last_run = (await self.parts.store.sessions.load(session.id)).last_run
        if last_run is not None:
            taken = await self.parts.runs.snapshot(session.id)
            if lacks_some(body, taken.transcript.messages[-MESSAGES:]):
                return last_run
        raise NothingNew


def writes_blocks_of(request: Request) -> bool:
    """Return whether a caller names that it draws no blocks. Raises BadFrame."""
    named = request.query_params.get("blocks", "activity")
    if named not in BLOCKS:
        raise BadFrame(f"blocks is one of {', '.join(BLOCKS)}.")
    return named == "text"


def lacks_some(body: RunAgentInput, stored: Iterable[dict[str, Any]]) -> bool:
    """Return whether the caller lacks one of these messages as it is.

    This blocks the event loop, so each is compared once.
    """
    names = names_of(body)
    talk = (each for each in stored if each["role"] in {"user", "assistant", "tool"})
    return not all(map(names.has_whole, talk))


def names_of(body: RunAgentInput, **known: Any) -> Names:
    """Return the caller's names; `known` is what the server knows of the answer."""
    return Names(
        thread=body.thread_id,
        run=body.run_id,
        parent=body.parent_run_id,
        sent=body.sent_ids(),
        results={call_id: said.id for call_id, said in body.results().items()},
        texts={
            each.id: hash(each.content or "")
            for each in body.messages
            if each.role == "assistant" and isinstance(each.content, str | None)
        },
        reads_1_0=body.protocol_version is not None,
        **{"session_id": "", "run_id": "", **known},
    )


def _run_of(ack: Ack | None) -> str:
    return str(ack.run_id if ack else "")
