"""The turns of a Deep Chat conversation, from HTTP and sockets alike: counted, validated, and stored as runs."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from starlette.requests import HTTPConnection

from server.api.deep_chat.body import ChatBody, ChatRequest
from server.api.deep_chat.nameless_chats import ChatTurn, NamelessChats
from server.api.multipart_forms import TooManyPhotos
from server.api.requests.body import in_language_of
from server.api.requests.endpoint import refused_with_429
from server.endpoints.address_rates import hold_pictures, spend_images, spend_request
from server.endpoints.answers.run_follower import MORE_THAN_RUN_S, RunFollower
from server.endpoints.bodies import name_field
from server.endpoints.caller import ApiCaller, Callers
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import app_of
from server.endpoints.picture_storage import keep_pictures
from server.endpoints.pressed_choices import find_press
from server.errors import CoreNotAllowed, Empty, IdReused, NotFound, Unavailable
from server.images import Picture, images_of, read_image
from server.languages import nearest_language
from server.loopos.cores import CORE_KEY, OWN
from server.protocol.commands import MAX_IMAGES
from server.protocol.content_parts import RESUME, TEXT
from server.protocol.ids import new_id
from server.rooms.admission import AGAIN_S, Admission
from server.store import GivenAnswer, Interrupt, Session
from server.words import say

Json = dict[str, Any]

SERVICE = "submission"


class ChatTurns:
    """Takes the messages of Deep Chat over HTTP and sockets, which share their limits."""

    def __init__(self, parts: Dependencies, admission: Admission, callers: Callers) -> None:
        self.parts = parts
        self._admission = admission
        self._callers = callers
        self._nameless = NamelessChats(parts.store, callers, SERVICE, self.find_session)

    def require_known(self, caller: HTTPConnection) -> None:
        """Check whether a caller may write here. Raises Unavailable, NoKey and NotFound."""
        if self._admission.draining:
            raise Unavailable(retry_after=AGAIN_S)
        self._callers.require_known(caller)
        self.parts.service(SERVICE, app_of(caller))

    async def spend(self, caller: HTTPConnection) -> None:
        """Count a message for its caller, before anything of it is read. Raises RateLimited."""
        await spend_request(caller, self.parts, SERVICE)

    def in_language(self, caller: HTTPConnection, given: ChatRequest) -> ChatRequest:
        """Return a message whose language the caller's app has."""
        return in_language_of(self.parts.apps[app_of(caller)], given)

    async def read_pictures(self, caller: HTTPConnection, body: ChatBody) -> list[Picture]:
        """Take the pictures of the last message out of it. Raises Empty, RateLimited, and what is wrong with one."""
        if not body.request.messages[-1].text.strip() and not body.count:
            raise Empty(field="messages")
        if body.count > MAX_IMAGES:
            raise TooManyPhotos
        with hold_pictures(caller, self.parts, [*body.files, *body.sources()]) as held:
            await spend_images(caller, self.parts, body.count)
            with name_field("images"):
                named = await images_of(body.sources(), self.parts.guard_for(caller), held)
                pictures = [*[await read_image(each) for each in body.files], *named]
            body.drop_pictures()
            return pictures

    async def judge_callback(self, caller: HTTPConnection, given: ChatRequest) -> None:
        """Judge the address to which an answer is posted. Raises UrlNotAllowed."""
        with name_field("callback_url"):
            await self.parts.guard_for(caller).judge(str(given.callback_url))

    async def find_turn(
        self, caller: HTTPConnection, given: ChatRequest, key: str | None, pictures: Sequence[Picture]
    ) -> ChatTurn:
        """Return the turn that a request is; `key` is the caller's own id of it. Raises what `find_session` does."""
        if given.session_id is None:
            return await self._nameless.find_turn(caller, given, key, pictures)
        session = await self.find_session(caller, given, given.session_id)
        return ChatTurn(session, given.session_id, key or new_id("req"), is_known=key is not None)

    async def has_begun(self, turn: ChatTurn, run_id: str) -> bool:
        """Return whether the run of a turn may have begun before it was followed: that of a repeated message."""
        return turn.is_known and (await self.parts.store.runs.get(run_id)).status != "queued"

    async def find_session(self, caller: HTTPConnection, given: ChatRequest, name: str | None) -> Session:
        """Return the session of this name, begun where there is none. Raises NoKey, TwoVisitors and CoreNotAllowed."""
        who = await self._callers.of(caller, SERVICE, name)
        core = await self._core_name(who, given, name)
        said = {
            "loopos_core_context": given.loopos_core_context,
            "loopos_core_base_url": given.loopos_core_base_url,
            "loopos_submission_base_url": given.loopos_submission_base_url,
            "session_extra_data": given.session_extra_data,
        }
        session = await self.parts.store.sessions.create(
            app=who.app,
            principal=who.principal,
            service=SERVICE,
            language=nearest_language(given.language),
            alias=name,
            context={
                **self.parts.apps[who.app].context_for(SERVICE),
                "session_extra_data": {},
                **({CORE_KEY: core} if core else {}),
            },
            said={field: each for field, each in said.items() if each},
        )
        _require_core(session, core)  # Another request may have begun it in the meantime.
        return session

    async def _core_name(self, who: ApiCaller, given: ChatRequest, name: str | None) -> str:
        """Return the name of the Core that the request names. Raises CoreNotAllowed.

        A conversation keeps the one that it began with; a request that names another changes nothing of it.
        """
        with name_field("loopos_core_base_url"):
            core = self.parts.cores.name_of(who.app, given.loopos_core_base_url)
            if name is not None:
                with suppress(NotFound):
                    known = await self.parts.store.sessions.by_alias(who.app, who.principal, SERVICE, name)
                    _require_core(known, core)
        return core

    def follower(self, session: Session) -> RunFollower:
        """Return the follower of a session's next run; it is entered before the run is submitted."""
        seconds = self.parts.services[SERVICE].limits.seconds + MORE_THAN_RUN_S
        return RunFollower(self.parts, session, seconds)

    async def submit(self, turn: ChatTurn, given: ChatRequest, pictures: Sequence[Picture]) -> str:
        """Store the last message and its pictures, and return the id of its run; the same turn again is the same run.

        Raises QueueFull, and IdReused for a message under the id of another.
        """
        session, text = turn.session, given.messages[-1].text
        waiting = [] if await self._is_stored(turn) else await self._waiting_calls(session)
        approved = _approval_in(text, session.language)
        with refused_with_429():
            try:
                if waiting and not pictures and approved is not None:
                    return await self._answer_calls(turn, given, waiting, approved=approved)
                return await self._store_message(turn, given, pictures)
            except IdReused:
                run_id = None if approved is None else await self._run_of_answer(turn, approved=approved)
                if run_id is None:
                    raise
                return run_id

    async def _is_stored(self, turn: ChatTurn) -> bool:
        return turn.is_known and bool(await self.parts.store.runs.find_sent(turn.session.id, [turn.id]))

    async def _waiting_calls(self, session: Session) -> list[Interrupt]:
        """Return the calls that wait for a yes, to which the words of the buttons are the answer."""
        found = await self.parts.store.interrupts.open_in(session.id)
        return [each for each in found if each.kind == "approval"]

    async def _answer_calls(
        self, turn: ChatTurn, given: ChatRequest, waiting: Sequence[Interrupt], *, approved: bool
    ) -> str:
        answers = [GivenAnswer("resolved", {"approved": approved}, interrupt_id=each.id) for each in waiting]
        language = nearest_language(given.language)
        resumed = await self.parts.runs.resume(
            turn.session, turn.id, answers, language, callback_url=given.callback_url
        )
        return str(resumed.run_id)

    async def _run_of_answer(self, turn: ChatTurn, *, approved: bool) -> str | None:
        """Return the run of the same answer to calls under this id; None where it was another message."""
        runs = self.parts.store.runs
        found = await runs.find_sent(turn.session.id, [turn.id])
        given = (await runs.get(found[turn.id])).content if turn.id in found else []
        payloads = [each.get("payload") for each in given if each["type"] == RESUME]
        return found[turn.id] if payloads and payloads == [{"approved": approved}] * len(payloads) else None

    async def _store_message(self, turn: ChatTurn, given: ChatRequest, pictures: Sequence[Picture]) -> str:
        """Store a message, behind the earlier ones that the session does not have; the label of a choice presses it."""
        texts = [each for each in (*turn.earlier, given.messages[-1].text) if each.strip()]
        images = await keep_pictures(self.parts.store, turn.session, pictures)
        content = [*({"type": TEXT, "text": each} for each in texts), *images]
        if len(content) > 1 or images:
            return await self._submit_content(turn, given, content)
        pressed = await self._find_press(turn, texts[0])
        try:
            return await self._submit_content(turn, given, [pressed] if pressed else content)
        except IdReused:
            # The same message at the same time may have been stored as a click, and have closed its question.
            again = await self._find_press(turn, texts[0])
            if again == pressed:
                raise
            return await self._submit_content(turn, given, [again] if again else content)

    async def _find_press(self, turn: ChatTurn, text: str) -> Json | None:
        store, runs = self.parts.store, self.parts.runs
        return await find_press(turn.id, text, turn.session, store, runs, by_value=False)

    async def _submit_content(self, turn: ChatTurn, given: ChatRequest, content: list[Json]) -> str:
        return await self.parts.runs.submit_request(
            turn.session,
            turn.id,
            content=content,
            language=nearest_language(given.language),
            callback_url=given.callback_url,
            waited_ms=int(1000 * self.parts.services[SERVICE].limits.seconds),
        )


def _require_core(session: Session, core: str) -> None:
    if session.context.get(CORE_KEY, OWN) != core:
        raise CoreNotAllowed("This conversation began with another loopos_core_base_url.")


def _approval_in(text: str, language: str) -> bool | None:
    """Return whether a text is a yes or a no to a call that waits; None when it is neither."""
    said = text.strip().rstrip(".!").casefold()
    for answer, approved in (("yes", True), ("no", False)):
        words = f"{say(f'approval.typed.{answer}', language)}|{say(f'approval.{answer}', language)}"
        if said in words.casefold().split("|"):
            return approved
    return None
