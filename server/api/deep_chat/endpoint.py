"""POST /chat: the submission as LoopOS's customers call it, in the message convention of Deep Chat.

The conversation is ours: of `messages` only the last one is read, which is the user's; the session has those
before it. `session_id` is the caller's name of it, and a conversation that began here goes on over a socket. Where
there is none, the messages before the last one say which conversation it is.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from server.api.deep_chat.body import ChatRequest, read_chat_body
from server.api.deep_chat.client_history import mark_messages
from server.api.deep_chat.early_messages import StreamedTexts, is_words
from server.api.deep_chat.errors import failure_of_chat, refusal_response
from server.api.deep_chat.nameless_chats import ChatTurn
from server.api.deep_chat.turns import ChatTurns
from server.api.deep_chat.whole_answers import unsaid
from server.api.requests.endpoint import retry_headers
from server.api.requests.jobs import job_response
from server.api.sse_writer import KEEP_ALIVE_S
from server.asgi import Receive, Scope, Send
from server.endpoints.answers.request_headers import idempotency_key, run_headers
from server.endpoints.answers.run_follower import RunFollower
from server.errors import LoopwireError
from server.html.deep_chat import deep_chat_messages, with_person
from server.images import Picture
from server.protocol.codec import encode_json
from server.store import Run, Session
from server.words import failure_sentence

STILL_HERE = b":\n"
"""A comment without an empty line: the element would take an empty line for the end of a message without text."""


class ChatEndpoint:
    """Serves Deep Chat's HTTP convention, whole or as a stream."""

    def __init__(self, turns: ChatTurns) -> None:
        self._turns = turns
        self._parts = turns.parts

    def routes(self) -> list[BaseRoute]:
        """POST /chat."""
        return [Route("/chat", self._chat, methods=["POST"])]

    async def _chat(self, request: Request) -> Response:
        """Answer a message; what refuses it is answered as the element can show it."""
        language = str(self._parts.language_of(request))
        try:
            await self._turns.spend(request)
            self._turns.require_known(request)
            key = idempotency_key(request)
            body = await read_chat_body(request)
            body.request = self._turns.in_language(request, body.request)
            language = body.request.language
            pictures = await self._turns.read_pictures(request, body)
            if body.request.callback_url is not None:
                await self._turns.judge_callback(request, body.request)
            turn = await self._turns.find_turn(request, body.request, key, pictures)
            session = turn.session
            if body.request.callback_url is not None:
                run_id = await self._turns.submit(turn, body.request, pictures)
                return job_response(run_id, turn.name, run_headers(self._parts, session, run_id))
            if "text/event-stream" in request.headers.get("accept", ""):
                return await self._stream(turn, body.request, pictures)
            async with self._turns.follower(session) as follower:
                run_id = await self._turns.submit(turn, body.request, pictures)
                run = await follower.wait(run_id, again=await self._turns.has_begun(turn, run_id))
            return await self._answer(turn, run)
        except LoopwireError as error:
            return refusal_response(error, language)

    async def _answer(self, turn: ChatTurn, run: Run) -> Response:
        session = turn.session
        headers = run_headers(self._parts, session, run.id)
        if run.outcome not in ("success", "interrupt"):
            status, body = failure_of_chat(run, session.language)
            return JSONResponse(body, status, headers=headers | retry_headers(status))
        told = deep_chat_messages(await self._parts.store.messages.of_run(run.id), session.language)
        told = with_person(told, run.kind, session.language)
        return JSONResponse(mark_messages(told, turn.name) if turn.is_marked else told, headers=headers)

    # Streaming.

    async def _stream(self, turn: ChatTurn, given: ChatRequest, pictures: Sequence[Picture]) -> Response:
        session = turn.session
        async with AsyncExitStack() as stack:
            follower = await stack.enter_async_context(self._turns.follower(session))
            run_id = await self._turns.submit(turn, given, pictures)
            again = await self._turns.has_begun(turn, run_id)
            headers = {
                "cache-control": "no-store",
                "x-accel-buffering": "no",
                **run_headers(self._parts, session, run_id),
            }
            lines = self._lines(follower, session, run_id, again=again)
            return FollowedStream(lines, headers, stack.pop_all())

    async def _lines(
        self, follower: RunFollower, session: Session, run_id: str, *, again: bool
    ) -> AsyncGenerator[bytes]:
        """Yield the words as they come; what was missed follows at the end, from what is stored.

        A comment is yielded where nothing comes for long, so that no proxy ends the response.
        """
        streamed = StreamedTexts()
        following = follower.bursts(run_id, is_words, again=again, quiet_s=KEEP_ALIVE_S)
        async with aclosing(following) as bursts:
            async for burst in bursts:
                if not burst:
                    yield STILL_HERE
                for event in burst:
                    if words := streamed.add(event):
                        yield _line({"text": words})
        run, said = await self._parts.store.runs.get(run_id), streamed.texts()
        begun = any(said.values())
        for rest in unsaid(await self._parts.store.messages.of_run(run_id), said, session.language):
            yield _line({"text": rest if begun else rest.lstrip("\n")})
            begun = True
        for each in with_person([], run.kind, session.language):
            yield _line({"text": each["text"]})
        if run.outcome not in ("success", "interrupt"):
            yield _line({"error": failure_sentence(run.code, session.language)})


class FollowedStream(StreamingResponse):
    """A stream of a run that is followed since before its start, until the response is over.

    A reader may leave before the first line is asked for, and then nothing within the lines is executed.
    """

    def __init__(
        self, lines: AsyncGenerator[bytes], headers: Mapping[str, str], following: AsyncExitStack
    ) -> None:
        """`following` ends the following when it is closed."""
        super().__init__(lines, HTTPStatus.OK, headers, media_type="text/event-stream")
        self._lines = lines
        self._following = following

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines until their end, or until the reader has left."""
        async with self._following, aclosing(self._lines):
            await super().__call__(scope, receive, send)


def _line(told: dict[str, str]) -> bytes:
    return b"data: " + encode_json(told).encode() + b"\n\n"
