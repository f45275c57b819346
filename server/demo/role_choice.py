"""The choice of the agent that the demo model plays: the tools of the request decide it, over any protocol."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from server.demo import appointment, asides, board, offers, pictures, sheet
from server.demo.lines import say
from server.demo.reading import intents
from server.demo.requests import answer_request
from server.demo.requests.search import SEARCH, search_call
from server.demo.requests.smallest_value import smallest_value
from server.demo.roles import chat, identification, options, questions, registration
from server.demo.scene import PERSON, Act, Call, Say, Scene, Spec

_PARTS: dict[str, Callable[[Scene], list[Act]]] = {
    offers.CATALOG: identification.answer,
    sheet.PROTOCOL: questions.answer,
    board.OPTIONS: options.answer,
    registration.CREATE: registration.answer,
    chat.SEARCH: chat.answer,
}

KNOWN = frozenset({
    offers.CATALOG, identification.CONFIRM, board.OPTIONS, board.SELECT, board.CHANGE, registration.CREATE,
    sheet.PROTOCOL, sheet.VALIDATE, *chat.TOOLS, appointment.ASK, SEARCH, PERSON,
})  # fmt: skip
"""All tools of the services that this script plays in."""

_OWN = KNOWN - {appointment.ASK, SEARCH, PERSON}
"""Those that no other service has."""


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
    listed: Sequence[Mapping[str, Any]] = (
        [{"role": "user", "content": items}] if isinstance(items, str) else items
    )
    page = {name: spec for name, spec in (specs or {}).items() if name not in KNOWN}
    scene = Scene(instructions or "", listed, tuple(tools), tuple(handoffs), page)
    if schema is not None:
        searched = search_call(listed, scene.tools)
        if searched is not None:
            return [searched]
        found = answer_request(listed, schema)
        return [
            Say(json.dumps(smallest_value(schema, schema) if found is None else found, ensure_ascii=False))
        ]
    if scene.is_core_away:
        return list(say(scene, "core_away"))
    asks_person = not scene.message.is_click and intents.topic(scene.message.text) == "person"
    if PERSON in scene.tools and scene.person_call is None and asks_person:
        return [Call(PERSON)]
    if scene.message.is_picture:
        return pictures.answer(scene)
    for tool, part in _PARTS.items():
        if tool in scene.tools:
            acts = _keep_offered(part(scene), scene) or list(identification.unclear(scene))
            return asides.with_remarks(scene, acts)
    return list(identification.unclear(scene) if _OWN.intersection(scene.tools) else say(scene, "not_played"))


def _keep_offered(acts: list[Act], scene: Scene) -> list[Act]:
    """Leave out calls of what was not offered."""
    known = {*scene.tools, *scene.handoffs}
    return [act for act in acts if isinstance(act, Say) or act.name in known]
