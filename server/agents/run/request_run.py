"""A run that answers a request: each agent of its route gives an object, and together they are the response."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from server.agents.context import Json, RunContext
from server.agents.contract import RequestContract, ServiceRequest
from server.agents.run.events.event_emitter import EventEmitter
from server.agents.run.history import Item, RunSession, shown_item
from server.agents.run.sdk.segment import SegmentEnd
from server.agents.run.structured_output import (
    StructuredAnswer,
    merge_outputs,
    outputs_of,
    repair_text,
    request_text,
)
from server.agents.run.types import Outlet
from server.errors import BadOutput, ToolFailed
from server.field_words import response_pairs, units_of
from server.protocol.blocks import MOST_RESPONSE_BYTES, Pair, Response
from server.protocol.codec import encode_json
from server.protocol.content_parts import INPUT
from server.store.rows import Checkpoint

_SOURCES = "_sources"
"""The key of the pages that the agents so far have found, kept through a take-over."""

Segment = Callable[[str, list[Item]], Awaitable[SegmentEnd]]
"""Runs an agent on these items to its end."""


def request_of(contract: RequestContract, content: list[Json]) -> ServiceRequest:
    """Return the request of a run, from the content that it was stored with."""
    return contract.request.model_validate(next(each for each in content if each["type"] == INPUT)["data"])


class RequestRun:
    """One execution of a run with a request. A take-over asks again only the agents that had not answered."""

    def __init__(
        self,
        contract: RequestContract,
        request: ServiceRequest,
        context: RunContext,
        emitter: EventEmitter,
        outlet: Outlet,
        session: RunSession,
        segment: Segment,
    ) -> None:
        self._contract = contract
        self._request = request
        self._context = context
        self._emitter = emitter
        self._outlet = outlet
        self._session = session
        self._segment = segment

    async def run(self, content: list[Json]) -> Json:
        """Ask the agents, show the response as a block, and return it. Raises BadOutput when an agent fails twice."""
        try:
            return await self._respond(content)
        finally:
            if self._contract.private:
                # Else the state of a run that fails would keep what its agents have read.
                self._context.private.clear()

    async def _respond(self, content: list[Json]) -> Json:
        contract, request = self._contract, self._request
        facts = await contract.prepare(self._context, request)
        self._context.add_sources(self._context.private.get(_SOURCES, ()))
        item = shown_item(request_text(request.for_models(), facts), content)
        outputs = outputs_of(self._context)
        route = contract.route(request)
        for agent in route:
            if agent not in outputs:
                self._session.items.clear()
                await self._emitter.enter(agent)
                outputs[agent] = await self._ask(agent, item)
                await self._emitter.finish_agent()
                if agent != route[-1]:
                    await self._keep()
        told = {**facts, "sources": list(self._context.sources)}
        response = contract.complete(request, told, merge_outputs(outputs.values()))
        response = contract.response.model_validate(response).model_dump(
            mode="json", by_alias=True, exclude_unset=True
        )
        self._context.private.clear()
        self._show(response)
        await self._emitter.publish()
        return response

    async def _keep(self) -> None:
        """Store the answers so far; the SDK's state is not needed to ask the next agent.

        Of a service with private fields nothing is stored: a take-over asks all its agents again.
        """
        if self._contract.private:
            return
        self._context.private[_SOURCES] = list(self._context.sources)
        messages, state = self._outlet.messages(), self._context.stored_state()
        await self._outlet.checkpoint(Checkpoint(None, messages, state, [], self._emitter.agent))

    async def _ask(self, agent: str, item: Item) -> Json:
        """Ask an agent, and once more where its answer does not fit."""
        given, fault = [item], ""
        for _ in range(2):
            answer = (await self._segment(agent, given)).output
            if not isinstance(answer, StructuredAnswer):
                raise ToolFailed  # The agent waits for a person, and a request has none.
            fault = answer.fault or self._judge(agent, answer.value or {})
            if not fault:
                return answer.value or {}
            given = [{"role": "user", "content": repair_text(fault)}]
        raise BadOutput(f"The model's answer did not have the right form: {fault}.")

    def _judge(self, agent: str, answer: Json) -> str:
        try:
            self._contract.check(self._request, agent, answer)
        except ValueError as wrong:
            return str(wrong)
        return ""

    def _show(self, response: Json) -> None:
        """Show the response without its private fields; one too large for the log is read by `GET /v1/jobs/{id}`."""
        language = self._context.language
        response = {name: each for name, each in response.items() if name not in self._contract.private}
        whole = len(encode_json(response)) <= MOST_RESPONSE_BYTES
        read, units = self._contract.read, units_of(self._contract.response)
        pairs = read(self._request, response, language) if read else response_pairs(response, language, units)
        self._context.block(
            Response(
                service=self._context.service,
                job=self._context.run_id,
                pairs=tuple(Pair(label, text) for label, text in pairs),
                data=response if whole else None,
            )
        )
