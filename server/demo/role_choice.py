"""The choice of the agent that the demo model plays: the tools of the request decide it, over any protocol."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from server.demo import appointment, asides, own_items, pictures
from server.demo.conversation_view import Act, Call, ConversationView, Item, Say, Spec
from server.demo.lines import say
from server.demo.reading import intents
from server.demo.requests import answer_request
from server.demo.requests.search import SEARCH, search_call
from server.demo.requests.smallest_value import smallest_value
from server.demo.roles import chat, identification, options, questions, registration
from server.text_reading.conversation_items import PERSON
from server.text_reading.tool_names import ALL, CATALOG, CREATE, OPTIONS, PROTOCOL

_PARTS: dict[str, Callable[[ConversationView], list[Act]]] = {
    CATALOG: identification.answer,
    PROTOCOL: questions.answer,
    OPTIONS: options.answer,
    CREATE: registration.answer,
    chat.SEARCH: chat.answer,
}

KNOWN = frozenset({*ALL, *chat.TOOLS, appointment.ASK, SEARCH, PERSON})
"""All tools of the services that this script plays in."""

_OWN = KNOWN - {appointment.ASK, SEARCH, PERSON}  # Those that no other service has.


def answer(
    instructions: str | None,
    items: str | Sequence[Mapping[str, Any]],
    tools: Sequence[str],
    handoffs: Sequence[str],
    schema: Mapping[str, Any] | None = None,
    specs: Mapping[str, Spec] | None = None,
) -> list[Act]:
    """Return text and calls for one model call; with an output schema, JSON that fits it.

    `specs` are the schemas of the tools: those that this script does not know are the page's.
    """
    listed: Sequence[Item] = [{"role": "user", "content": items}] if isinstance(items, str) else items
    page = {name: spec for name, spec in (specs or {}).items() if name not in KNOWN}
    view = ConversationView(instructions or "", listed, tuple(tools), tuple(handoffs), page)
    if schema is not None:
        if (searched := search_call(listed, view.tools)) is not None:
            return [searched]
        found = answer_request(listed, schema)
        fitting = smallest_value(schema, schema) if found is None else found
        return [Say(json.dumps(fitting, ensure_ascii=False))]
    if view.is_core_away:
        return say(view, "core_away")
    asks_person = not view.message.is_click and intents.topic(view.message.text) == "person"
    if PERSON in view.tools and view.person_call is None and asks_person:
        return [Call(PERSON)]
    if view.message.pictures and not view.message.text:
        return pictures.answer(view)
    for tool, part in _PARTS.items():
        if tool in view.tools:
            offered = {*view.tools, *view.handoffs}
            mine = view.newest if view.newest and view.newest.name in own_items.TOOLS else None
            steps = own_items.tell(view, mine) if mine else own_items.way_back(view)
            steps = steps or own_items.begin_other(view, tool) or part(view)
            if view.taken_back and not view.fresh and tool == PROTOCOL:
                steps = [Call(PROTOCOL)]  # Its card offers them no more.
            if view.corrected_query and not view.fresh and tool in (PROTOCOL, OPTIONS):
                steps = [Call(view.handoff("product_identification") or "")]
            acts = [act for act in steps if isinstance(act, Say) or act.name in offered]
            return asides.with_remarks(view, acts or identification.unclear(view))
    return identification.unclear(view) if _OWN.intersection(view.tools) else say(view, "not_played")
