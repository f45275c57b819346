"""The input of a response: the user's words and pictures, stored as one message of the conversation."""

import json
from typing import Any

from starlette.requests import Request

from server.agents.service import Service
from server.endpoints.address_rates import hold_pictures, spend_images
from server.endpoints.answers.request_headers import idempotency_key
from server.endpoints.bodies import name_field
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import app_of
from server.endpoints.numbered_options import ApprovalOption, Option, find_option, options_of
from server.endpoints.picture_storage import keep_pictures
from server.errors import Empty, TooLong
from server.images import images_of
from server.openai_clients.body import ResponseBody
from server.protocol.commands import MAX_IMAGES, MAX_TEXT, Message, parse_command
from server.protocol.content_parts import ANSWER, IMAGE, TEXT
from server.protocol.ids import new_id
from server.rooms.intake import Intake
from server.store import GivenAnswer, Run, Session

Json = dict[str, Any]


class ResponseSubmitter:
    """Stores inputs."""

    def __init__(self, parts: Dependencies, intake: Intake) -> None:
        self.parts = parts
        self._intake = intake

    async def submit(
        self,
        request: Request,
        body: ResponseBody,
        service: Service,
        principal: str,
        known: tuple[Session, Run | None] | None,
    ) -> tuple[Run, Session]:
        """Return the run of an input and its conversation, which begins here where none is `known`.

        The same Idempotency-Key is the same run. Raises Empty, TooLong, and what is wrong with a picture.
        """
        text, sources = body.text(), body.images()
        with name_field("input"):
            _judge(text, sources)
        own_key = idempotency_key(request)
        key = own_key or new_id("req")
        with hold_pictures(request, self.parts, sources) as held:
            await spend_images(request, self.parts, len(sources))
            with name_field("input"):
                pictures = await images_of(sources, self.parts.guard_for(request), held)
        session = known[0] if known else await self._begin(request, service, principal, own_key)
        images = await keep_pictures(self.parts.store, session, pictures)
        shown = known[1] if known and not images else None
        sent = await self.parts.store.runs.find_sent(session.id, [key]) if own_key else {}
        option = None if shown is None else await self._option(text, shown, session, sent.get(key))
        run_id = await self._store(session, key, text, images, option)
        return await self.parts.store.runs.get(run_id), session

    async def _begin(
        self, request: Request, service: Service, principal: str, own_key: str | None
    ) -> Session:
        app = self.parts.apps[app_of(request)]
        return await self.parts.store.sessions.create(
            app=app_of(request),
            principal=principal,
            service=service.name,
            language=self.parts.language_of(request),
            alias=own_key,
            context=app.context_for(service.name),
        )

    async def _option(
        self, text: str, shown: Run, session: Session, sent: str | None
    ) -> Option | ApprovalOption | None:
        """Return the option of the response before that a text names; of an input that was sent before, the same."""
        options = options_of(await self.parts.store.messages.of_run(shown.id), session.language)
        if sent is None:
            return find_option(text, options)
        content = (await self.parts.store.runs.get(sent)).content
        if len(content) == 1 and content[0]["type"] == ANSWER:
            part = content[0]
            return Option(part["label"], part["block_id"], part["name"], part["value"])
        return None

    async def _store(
        self,
        session: Session,
        key: str,
        text: str,
        images: list[Json],
        option: Option | ApprovalOption | None,
    ) -> str:
        if isinstance(option, ApprovalOption):
            waiting = await self.parts.store.interrupts.open_in(session.id)
            asked = [each for each in waiting if each.block_id == option.block_id]
            if asked:
                given = [GivenAnswer("resolved", {"approved": option.approved}, interrupt_id=asked[0].id)]
                return str((await self.parts.runs.resume(session, key, given, session.language)).run_id)
        parts: list[Json] = [{"type": TEXT, "text": text}] if text.strip() else []
        if isinstance(option, Option):
            parts = [option.part()]
        parts += [{"type": IMAGE, "blob_id": each["blob_id"]} for each in images]
        with name_field("input"):
            message = parse_command(json.dumps({"type": "message", "id": key, "content": parts}))
        assert isinstance(message, Message)  # noqa: S101 - tells the type.
        ack = await self._intake.execute(session, message, language=session.language, source="")
        return str(ack.run_id if ack else "")


def _judge(text: str, sources: list[str]) -> None:
    if not text.strip() and not sources:
        raise Empty
    if len(text) > MAX_TEXT:
        raise TooLong(f"An input has at most {MAX_TEXT} characters.")
    if len(sources) > MAX_IMAGES:
        raise TooLong(f"An input may have {MAX_IMAGES} pictures.")
