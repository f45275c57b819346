"""The demo model's answer to a picture without text: it thanks, and shows the open question again."""

from server.demo.board import OPTIONS, board_of
from server.demo.lines import say
from server.demo.offers import CATALOG, offered_before
from server.demo.scene import Act, Call, Scene
from server.demo.sheet import PROTOCOL, view_of


def answer(scene: Scene) -> list[Act]:
    """Return one step: show what waits for an answer, then say that the picture is kept."""
    newest = scene.newest
    if newest is None:
        call = _open_again(scene)
        return [call] if call else list(say(scene, "picture"))
    is_done = newest.name == PROTOCOL and newest.result.get("next") is None
    following = "again" if newest.name == CATALOG else "" if is_done else "question_again"
    return list(say(scene, "picture_kept", following))


def _open_again(scene: Scene) -> Call | None:
    """Return the call that shows what is open once more; the item's questions keep the picture as well."""
    if PROTOCOL in scene.tools and view_of(scene) is not None:
        return Call(PROTOCOL)
    if OPTIONS in scene.tools and board_of(scene) is not None:
        return Call(OPTIONS, {"keep": True})
    query = offered_before(scene) if CATALOG in scene.tools else ""
    return Call(CATALOG, {"query": query, "again": True}) if query else None
