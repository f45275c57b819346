"""The demo model's answer to a wish to change an answer: this one, or one of all that were given."""

from server.demo.lines import say
from server.demo.scene import Act, Call, Scene
from server.demo.sheet import PRICE, PROTOCOL, Element, answers_so_far, asked_elements

ANY = "any"


def answered_elements(scene: Scene) -> list[Element]:
    """Return the questions that were answered."""
    answered = answers_so_far(scene)
    return [each for each in asked_elements(scene) if each["element_id"] in answered]


def show_remarked(scene: Scene, remark: list[Act], change: str = "") -> list[Act]:
    """Answer a remark at the open question, or at the answer to change: show that first, once a turn."""
    if any(each.name == PROTOCOL for each in scene.fresh):
        return remark
    return [Call(PROTOCOL, {"change": change} if change else {})]


def which(scene: Scene) -> list[Act]:
    """Ask which of the answers changes."""
    return show_remarked(scene, [*say(scene, "correct_which")], ANY)


def open_again(scene: Scene, changed: Element) -> list[Act]:
    """Ask an answered question again."""
    now = answers_so_far(scene).get(changed["element_id"], "")
    remark = say(scene, "answer_change", label=changed["label"], shown=now)
    return show_remarked(scene, [*remark], changed["element_id"])


def ask_price(scene: Scene) -> list[Act]:
    """Ask for the price, beside what such items sell for; where none is kept, say so."""
    newest = scene.last(PROTOCOL)
    is_asked = newest is not None and (newest.result.get("next") or {}).get("element_id") == PRICE
    return show_remarked(scene, [*say(scene, "ask_price" if is_asked else "no_price_now")], PRICE)


def which_asked(scene: Scene) -> bool:
    """Return whether it was asked just before this message which of the answers changes."""
    return _change_before(scene) == ANY


def reopened_element(scene: Scene, known: list[Element]) -> Element | None:
    """Return the answered question that was asked again: by name in the last text, or shown before this message."""
    last = scene.said_texts[-1] if scene.said_texts else ""
    quoted = [each for each in known if f"«{each['label']}»," in last or f"“{each['label']}”," in last]
    if quoted:
        return quoted[-1]
    wanted = _change_before(scene)
    if not wanted and len(scene.messages) > 1 and scene.messages[-2].name == "change":
        wanted = scene.messages[-2].value
    return next((each for each in known if each["element_id"] == wanted), None)


def _change_before(scene: Scene) -> str:
    """Return what the questions were last shown for, if the message before this one asked for them."""
    since = scene.messages[-2].at if len(scene.messages) > 1 else 0
    before = [each for each in scene.outputs if since < each.at < scene.message.at]
    if not before or before[-1].name != PROTOCOL:
        return ""
    return str(before[-1].arguments.get("change") or "")
