"""The demo model as Options: it chooses values that were said, asks for the rest, corrects and hands off."""

from server.demo import asides
from server.demo.board import (
    OPTIONS,
    SELECT,
    Board,
    Kind,
    board_of,
    choices_in,
    facts,
    kind_meant,
    other_product,
)
from server.demo.lines import TOPIC, join_names, line_about, say
from server.demo.offers import named_products, search_offers
from server.demo.reading import intents
from server.demo.reading.matching import COLOURS, content, match, tokens
from server.demo.roles.registration import CREATE, was_declined
from server.demo.scene import Act, Call, Output, Scene
from server.languages import split_question

_LONGEST_VALUE = 2
"""Words of a value that the product may lack; a longer text says something else."""


def answer(scene: Scene) -> list[Act]:
    """Return one step of the conversation."""
    board = board_of(scene)
    newest = scene.newest
    if board is None or (newest is not None and "transfer_to" in newest.name):
        return [Call(OPTIONS)]
    if newest is not None and newest.name == SELECT:
        return _after_select(scene, board, newest)
    if newest is not None and newest.name == OPTIONS and _has_entered(scene):
        return _on_entry(scene, board)
    return _on_message(scene, board)


def _has_entered(scene: Scene) -> bool:
    """Return whether this message brought the conversation here, so that it said nothing about the options yet."""
    return any("transfer_to" in each.name and "product_options" in each.name for each in scene.fresh)


def _create(scene: Scene) -> list[Act] | None:
    onward = scene.handoff("create_item")
    return [Call(onward)] if onward else None


def _on_entry(scene: Scene, board: Board) -> list[Act]:
    """Answer after a handoff: correct a chosen value, choose by the facts so far, or ask the first question."""
    if any(each.name == CREATE for each in scene.fresh):
        names = _kinds(scene, board)
        return list(say(scene, "declined", "option_what_change" if names else "other_product", names=names))
    if board.values:
        return _on_message(scene, board)
    known = facts(scene, board)
    if known:
        return list(known)
    if board.next is None:
        waits: list[Act] = [*say(scene, "declined", "create_waits")] if was_declined(scene) else []
        return waits or _create(scene) or _confirm_again(scene, board)
    return list(say(scene, "ask_option_first", product=board.product))


def _after_select(scene: Scene, board: Board, output: Output) -> list[Act]:
    selected = [each for each in scene.fresh if each.name == SELECT and each.result.get("ok")]
    following, told = board.next, {each.result.get("code"): each.result for each in scene.fresh}
    if "not_confirmed" in told:
        return list(say(scene, "invalid", reason=told["not_confirmed"]["reason"]))
    if "confirm" in told:
        return list(say(scene, "confirm"))
    values = join_names(scene, [f"**{each.result['value']}**" for each in selected], 6, "and")
    if following is None:
        if output.result.get("shown") == "confirm":
            return list(say(scene, "prefilled_all", values=values))
        return _create(scene) or _confirm_again(scene, board)
    if selected and scene.unconfirmed_calls(SELECT):
        tried = {each.arguments.get("option_type_id") for each in scene.fresh if each.name == SELECT}
        known = [each for each in facts(scene, board) if each.arguments["option_type_id"] not in tried]
        if known:
            return list(known)
    refused = [each.arguments for each in scene.fresh if each.name == SELECT]
    if not selected and _has_entered(scene) and (known := facts(scene, board, refused)):
        return list(known)
    if not selected:
        return list(say(scene, "option_again", name=following.name, names=join_names(scene, following.names)))
    key = "prefilled_ask" if _has_entered(scene) else "kept_ask"
    return list(say(scene, key, values=values, value=values, name=following.name))


def _confirm_again(scene: Scene, board: Board) -> list[Act]:
    return list(say(scene, "option_confirm_again", values=", ".join(board.values)))


def _on_message(scene: Scene, board: Board) -> list[Act]:
    message, text = scene.message, scene.message.text
    if unsure := scene.unconfirmed_calls(SELECT):
        return [*unsure]
    if message.is_click:
        return _on_click(scene, board)
    said, behind = split_question(text)
    topic = None if behind and choices_in(board, said) else intents.topic(text)
    if topic is not None:
        return _show_remarked(scene, _answer_topic(scene, board, topic))
    if intents.whole(text, "leave", "stop") and _was_changing(scene):
        return _keep_all(scene, board)
    away = _away(scene, text, board)
    if away is not None:
        return away
    if calls := choices_in(board, text):
        return list(calls)
    if board.next is None and (intents.whole(text, "yes") or intents.starts(text, "yes")):
        return _create(scene) or _show_remarked(scene, _confirm_again(scene, board))
    return _show_remarked(scene, _remark(scene, board, text), _wrong(board, text))


def _answer_topic(scene: Scene, board: Board, topic: str) -> list[Act]:
    """Return the answer to a common question, and the open choice again."""
    if board.next is None:
        return list(say(scene, TOPIC + topic, "option_confirm_again", values=", ".join(board.values)))
    names = join_names(scene, board.next.names, 6)
    return list(say(scene, TOPIC + topic, "option_again", name=board.next.name, names=names))


def _was_changing(scene: Scene) -> bool:
    """Return whether the person was about to change the product, an option, or something not said yet."""
    before = [each for each in scene.outputs if each.name == OPTIONS and each.at < scene.message.at]
    clicked = len(scene.messages) > 1 and scene.messages[-2].is_click
    no = clicked and (scene.messages[-2].name == "change" or scene.messages[-2].value == "no")
    return _has_entered(scene) or no or bool(before and before[-1].arguments.get("change"))


def _keep_all(scene: Scene, board: Board) -> list[Act]:
    """Keep everything as it is, and ask again what was asked before."""
    if not _has_entered(scene) and not any(each.name == OPTIONS for each in scene.fresh):
        return [Call(OPTIONS, {"keep": True})]
    if board.next is None:
        return list(say(scene, "left", "option_confirm_again", values=", ".join(board.values)))
    names = join_names(scene, board.next.names, 6)
    return list(say(scene, "left", "option_again", name=board.next.name, names=names))


def _show_remarked(scene: Scene, remark: list[Act], wrong: Kind | None = None) -> list[Act]:
    """Answer a remark at the open question, or at the wrong option: show that first, once a turn."""
    if any(each.name == OPTIONS for each in scene.fresh):
        return remark
    return [Call(OPTIONS, {"change": wrong.id} if wrong is not None else {})]


def _on_click(scene: Scene, board: Board) -> list[Act]:
    message = scene.message
    kind = next((each for each in board.kinds if message.name == f"option:{each.id}"), None)
    if kind is not None:
        return [
            kind.select(place) for place, (value, _) in enumerate(kind.values) if str(value) == message.value
        ]
    if message.name == "options" and message.value == "yes":
        return _create(scene) or _show_remarked(scene, _confirm_again(scene, board))
    if message.name == "options":
        return _show_remarked(scene, [*say(scene, "option_what_change", names=_kinds(scene, board))])
    if message.name == "change" and message.value == "product":
        back = scene.handoff("product_identification")
        return [Call(back)] if back else list(say(scene, "option_what_change", names=_kinds(scene, board)))
    changed = next((each for each in board.kinds if message.value == f"option:{each.id}"), None)
    asked = changed or board.next
    if asked is None:
        return _show_remarked(scene, _confirm_again(scene, board))
    return _show_remarked(
        scene, [*say(scene, "option_change", name=asked.name, names=join_names(scene, asked.names, 8))]
    )


def _kinds(scene: Scene, board: Board) -> str:
    names = [kind.name if scene.language == "de" else kind.name.lower() for kind in board.kinds]
    return join_names(scene, names)


def _away(scene: Scene, text: str, board: Board) -> list[Act] | None:
    """Leave for another product, or go back past the first option."""
    back = scene.handoff("product_identification")
    if back is None:
        return None
    first = all(kind.chosen is None for kind in board.kinds)
    named = asides.says_which(text) and not intents.asks(text)
    if intents.inside(text, "restart") or (first and intents.whole(text, "back", "slip")):
        return [Call(back)]
    if (intents.inside(text, "actually", "sell") or named) and other_product(text, board):
        return [Call(back)]
    others = [each for each in search_offers(scene) if each["name"] != board.product]
    refused = intents.starts(text, "no") or named or intents.inside(text, "wrong", "actually")
    if refused and len(named_products(text, others)) == 1 and not choices_in(board, text):
        return [Call(back)]
    return None


def _remark(scene: Scene, board: Board, text: str) -> list[Act]:
    """Return the remark on a message that chose nothing."""
    asked = kind_meant(board, text) or board.next
    if asked is None:
        about = line_about(text) if intents.asks(text) else ""
        if not about and (intents.whole(text, "no") or intents.inside(text, "wrong", "actually")):
            return list(say(scene, "option_what_change", names=_kinds(scene, board)))
        return list(say(scene, about, "option_confirm_again", values=", ".join(board.values)))
    before = _wrong(board, text)
    if before is not None:
        names = join_names(scene, before.names, 8)
        return list(say(scene, "option_change", name=before.name, names=names))
    several = [asked.names[place] for place in match(intents.after_lead(text), asked.names).several]
    if several and len(several) < len(asked.names) and not intents.whole(text, "unsure", "why"):
        return list(say(scene, "option_which", names=join_names(scene, several)))
    said, names = " ".join(intents.after_lead(text).split())[:40], join_names(scene, asked.names, 6)
    told = {"product": board.product, "said": said, "name": asked.name, "names": names}
    return [*say(scene, *_about(board, text), **told)]


def _wrong(board: Board, text: str) -> Kind | None:
    """Return the chosen option that the message names, or the last one when it wants to go back."""
    named = kind_meant(board, text)
    if named is not None:
        return named if named.chosen is not None else None
    chosen = [kind for kind in board.kinds if kind.value]
    return chosen[-1] if chosen and intents.whole(text, "back", "slip") else None


def _about(board: Board, text: str) -> tuple[str, ...]:
    """Return the lines that fit a message which names none of the values."""
    if intents.whole(text, "unsure", "where"):
        return ("option_unsure",)
    for kind, key in (("why", "option_why"), ("stop", "stopped")):
        if intents.whole(text, kind):
            return (key,)
    for kind, key in (("insult", "calm"), ("price", "no_price"), ("off_topic", "off_topic")):
        if intents.inside(text, kind):
            return (key, "option_again")
    named = kind_meant(board, text) is not None
    if intents.asks_what_was_meant(text) or intents.inside(text, "help") or (intents.asks(text) and named):
        return ("option_meaning",)
    if intents.asks(text) and not tokens(text)[0].isdigit():
        return (line_about(text), "option_again")
    spoken = intents.whole(
        text, "greet", "thanks", "yes", "no", "more", "continue", "leave"
    ) or intents.empty(text)
    if asides.about_it(text) and not {*tokens(text)} & COLOURS:
        return ("options_first", "option_again")
    if len(content(text)) > _LONGEST_VALUE:
        return ("options_first", "option_again")
    return ("option_again",) if spoken or intents.inside(text, "wrong") else ("option_not",)
