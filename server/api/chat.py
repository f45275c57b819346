"""POST /chat: the submission as LoopOS's customers call it, in the message convention of Deep Chat.

The conversation is ours: of `messages` the last one counts, which is the user's; those before it are known from the
session. `session_id` is the caller's name of it, and a conversation that began here goes on over a socket.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from server.api.chat_body import ChatBody, ChatRequest, read_chat_body
from server.api.request_body import name_field
from server.api.requests import DEMO, PATIENCE_S, RUN, SESSION, failure_of, job_response
from server.api.run_follower import Event, RunFollower
from server.api.uploads import keep_pictures
from server.errors import CoreNotAllowed, Empty, NotFound, TooLong, Unavailable
from server.html.deep_chat import block_text, deep_chat_messages
from server.html.words import failure_sentence, say
from server.images import Picture, images_of, read_image
from server.languages import nearest_language
from server.loopos.cores import CORE_KEY, OWN
from server.protocol.codec import encode_json
from server.protocol.commands import MAX_IMAGES
from server.protocol.ids import new_id
from server.requests.caller import ApiCaller, Callers
from server.requests.dependencies import Dependencies, app_of, spend_images, spend_of_address
from server.rooms.admission import AGAIN_S, Admission
from server.store import Given, Run, Session

SERVICE = "submission"


class ChatEndpoint:
    """Serves Deep Chat's HTTP convention, whole or as a stream."""

    def __init__(self, parts: Dependencies, admission: Admission, callers: Callers) -> None:
        self._parts = parts
        self._admission = admission
        self._callers = callers

    def routes(self) -> list[BaseRoute]:
        """POST /chat."""
        return [Route("/chat", self._chat, methods=["POST"])]

    async def _chat(self, request: Request) -> Response:
        if self._admission.draining:
            raise Unavailable(retry_after=AGAIN_S)
        await spend_of_address(request, self._parts.chat_rate)
        self._callers.require_known(request)
        self._parts.service(SERVICE, app_of(request))
        body = await read_chat_body(request)
        if isinstance(body, Response):
            return body
        given = body.request
        if not given.messages[-1].text.strip() and not body.count:
            raise Empty(field="messages")
        name = given.session_id or (new_id("req") if given.callback_url else None)
        caller = self._callers.of(request, name)
        if given.callback_url is not None:
            with name_field("callback_url"):
                await self._parts.guard.judge(given.callback_url)
        pictures = await self._pictures(request, body)
        session = await self._session(caller, given, name)
        if given.callback_url is not None:
            run_id = await self._submit(session, given, pictures)
            return job_response(run_id, name, self._headers(session, run_id))
        seconds = self._parts.services[SERVICE].limits.seconds + PATIENCE_S
        if "text/event-stream" in request.headers.get("accept", ""):
            return await self._stream(session, given, pictures, seconds)
        async with RunFollower(self._parts, session, seconds) as follower:
            run_id = await self._submit(session, given, pictures)
            run = await follower.wait(run_id)
        return await self._answer(session, run)

    async def _pictures(self, request: Request, body: ChatBody) -> list[Picture]:
        """Return the pictures of the last message. Raises what is wrong with one, and RateLimited for too many."""
        if body.count > MAX_IMAGES:
            raise TooLong(f"A message may have {MAX_IMAGES} pictures.")
        await spend_images(request, self._parts, body.count)
        with name_field("images"):
            named = await images_of(body.sources(), self._parts.guard)
            return [*[await read_image(each) for each in body.files], *named]

    async def _session(self, caller: ApiCaller, given: ChatRequest, name: str | None) -> Session:
        core = await self._core_name(caller, given, name)
        said = {
            "loopos_core_context": given.loopos_core_context,
            "loopos_core_base_url": given.loopos_core_base_url,
            "loopos_submission_base_url": given.loopos_submission_base_url,
            "session_extra_data": given.session_extra_data,
        }
        session = await self._parts.store.sessions.create(
            app=caller.app,
            principal=caller.principal,
            service=SERVICE,
            language=nearest_language(given.language),
            alias=name,
            context={
                "loopos_core_context": self._parts.apps[caller.app].context,
                "session_extra_data": {},
                **({CORE_KEY: core} if core else {}),
            },
            said={name: each for name, each in said.items() if each},
        )
        _require_core(session, core)  # Another request may have begun it in the meantime.
        return session

    async def _core_name(self, caller: ApiCaller, given: ChatRequest, name: str | None) -> str:
        """Return the name of the Core that the request names. Raises CoreNotAllowed.

        A conversation keeps the one that it began with; a request that names another changes nothing of it.
        """
        with name_field("loopos_core_base_url"):
            core = self._parts.cores.name_of(caller.app, given.loopos_core_base_url)
            if name is not None:
                with suppress(NotFound):
                    known = await self._parts.store.sessions.by_alias(
                        caller.app, caller.principal, SERVICE, name
                    )
                    _require_core(known, core)
        return core

    async def _submit(self, session: Session, given: ChatRequest, pictures: Sequence[Picture]) -> str:
        """Store the last message and its pictures.

        Where a call waits for a yes, the words of its buttons are the answer to that.
        """
        text, language = given.messages[-1].text, nearest_language(given.language)
        waiting = [
            each for each in await self._parts.store.interrupts.open_in(session.id) if each.kind == "approval"
        ]
        approved = _approval_in(text, session.language) if waiting and not pictures else None
        if approved is not None:
            answers = [Given("resolved", {"approved": approved}, interrupt_id=each.id) for each in waiting]
            resumed = await self._parts.runs.resume(
                session, new_id("req"), answers, language, callback_url=given.callback_url
            )
            return str(resumed.run_id)
        images = await keep_pictures(self._parts.store, session, pictures)
        content = [*([{"type": "text", "text": text}] if text.strip() else []), *images]
        return await self._parts.runs.submit_request(
            session, new_id("req"), content, language, given.callback_url
        )

    def _headers(self, session: Session, run_id: str) -> dict[str, str]:
        return {RUN: run_id, SESSION: session.id, **({DEMO: "true"} if self._parts.demo else {})}

    async def _answer(self, session: Session, run: Run) -> Response:
        headers = self._headers(session, run.id)
        if run.outcome not in ("success", "interrupt"):
            status, body = failure_of(run)
            return JSONResponse(body, status, headers=headers)
        told = deep_chat_messages(await self._parts.store.messages.of_run(run.id), session.language)
        return JSONResponse(told, headers=headers)

    # Streaming.

    async def _stream(
        self, session: Session, given: ChatRequest, pictures: Sequence[Picture], seconds: float
    ) -> Response:
        follower = RunFollower(self._parts, session, seconds)
        async with follower:
            run_id = await self._submit(session, given, pictures)
            # Watch before the first event of the run; the stream keeps watching by itself.
            await self._parts.bus.hub.watch(session.id, follower)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no", **self._headers(session, run_id)}
        lines = self._lines(follower, session, run_id)
        return StreamingResponse(lines, HTTPStatus.OK, headers, media_type="text/event-stream")

    async def _lines(self, follower: RunFollower, session: Session, run_id: str) -> AsyncGenerator[bytes]:
        """Yield the words as they come; what was missed follows at the end, from what is stored."""
        said: dict[str, str] = {}
        async with follower, aclosing(follower.events(run_id, _is_words)) as events:
            async for event in events:
                id = event["messageId"]
                if event["type"] == "TEXT_MESSAGE_START":
                    if event["role"] == "assistant":
                        said[id] = ""
                elif id in said:
                    before = "\n\n" if not said[id] and any(said.values()) else ""
                    said[id] += event["delta"]
                    yield _line({"text": before + event["delta"]})
        run = await self._parts.store.runs.get(run_id)
        for each in await self._parts.store.messages.of_run(run_id):
            rest = _unsaid(each, said, session.language)
            if rest:
                yield _line({"text": rest})
        if run.outcome not in ("success", "interrupt"):
            yield _line({"error": failure_sentence(run.code, session.language)})


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


def _is_words(event: Event) -> bool:
    return event["type"] in ("TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT")


def _unsaid(message: dict[str, Any], said: dict[str, str], language: str) -> str:
    """Return what of a stored message was not streamed."""
    if message["role"] == "activity" and message["activityType"] == "block":
        text = block_text(message["content"], language)
        return f"\n\n{text}" if text else ""
    if message["role"] != "assistant":
        return ""
    whole, streamed = str(message.get("content") or ""), said.get(message["id"], "")
    rest = whole.removeprefix(streamed) if whole.startswith(streamed) else ""
    return rest if streamed or not rest else f"\n\n{rest}"


def _line(told: dict[str, str]) -> bytes:
    return b"data: " + encode_json(told).encode() + b"\n\n"
