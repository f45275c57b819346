"""The demo model as Options: it chooses values that were said, asks for the rest, corrects and hands off."""

from server.demo import asides
from server.demo.conversation_view import Act, Call, ConversationView, Output
from server.demo.lines import TOPIC, join_names, line_about, say
from server.demo.offers import hint_line, named_products, search_offers
from server.demo.option_view import Kind, OptionView, facts, not_denied, option_view_of, other_product
from server.demo.reading import intents
from server.demo.reading.matching import COLOURS, content, match, tokens, without_denied
from server.demo.roles.registration import was_declined
from server.text_reading.things.coloured_parts import without_coloured_parts
from server.text_reading.things.unsold_kinds import other_piece
from server.text_reading.tool_names import CREATE, OPTIONS, SELECT
from server.text_reading.wishes.agreements import after_yes, takes_back
from server.text_reading.wishes.small_talk import small_talk_of, tapped_wrong

_UNSURE = ("option_unsure", "option_way_out")
_TALK = {"unsure": _UNSURE, "where": _UNSURE, "plain": _UNSURE, "why": ("option_why",), "stop": ("stopped",)}
_LONGEST_VALUE = 2  # Words of a value that the product may lack; a longer text says something else.


def answer(view: ConversationView) -> list[Act]:
    """Return one step of the conversation."""
    options, newest = option_view_of(view), view.newest
    if options is None or (newest is not None and "transfer_to" in newest.name):
        return [Call(OPTIONS)]
    if newest is not None and newest.name == SELECT:
        return _after_select(view, options, newest)
    enters = newest is not None and newest.name == OPTIONS and _has_entered(view)
    return (_on_entry if enters else _on_message)(view, options)


def _has_entered(view: ConversationView) -> bool:
    """Return whether this message brought the conversation here, so that it said nothing about the options yet."""
    return any("transfer_to" in each.name and "product_options" in each.name for each in view.fresh)


def _create(view: ConversationView) -> list[Act] | None:
    return [Call(onward)] if (onward := view.handoff("create_item")) else None


def _on_entry(view: ConversationView, options: OptionView) -> list[Act]:
    """Answer after a handoff: correct a chosen value, choose by the facts so far, or ask the first question."""
    if created := [each.result.get("error") for each in view.fresh if each.name == CREATE]:
        names = _kinds(view, options)
        key = "option_needed" if "option_needed" in created else "declined"
        return say(view, key, "option_what_change" if names else "other_product", names=names)
    if options.values:
        return _on_message(view, options)
    if known := facts(view, options):
        return list(known)
    if options.next is None:
        waits: list[Act] = say(view, "declined", "create_waits") if was_declined(view) else []
        return waits or _create(view) or _ask_again(view, options, "")
    key = "ask_option_first" if len(options.next.names) > 1 else "ask_option_only"
    return _tell(view, options, key, value=options.next.names[0])


def _after_select(view: ConversationView, options: OptionView, output: Output) -> list[Act]:
    selected = [each for each in view.fresh if each.name == SELECT and each.result.get("ok")]
    following, told = options.next, {each.result.get("code"): each.result for each in view.fresh}
    if "not_confirmed" in told:
        return say(view, "invalid", reason=told["not_confirmed"]["reason"])
    if "confirm" in told:
        before = [e.arguments for e in view.outputs if e.name == SELECT and e.at < view.message.at][-1:]
        early = told["confirm"].get("kept_early") and output.arguments in before
        return say(view, "kept_early" if early else "confirm")
    values = join_names(view, [f"**{each.result['value']}**" for each in selected], 6, "and")
    if following is None:
        again, ok = _ask_again(view, options, ""), output.result.get("ok")
        if any(each.result.get("shown") == "confirm" for each in selected):  # They end in any order.
            return say(view, "prefilled_all", values=values) if _has_entered(view) else again
        return (_create(view) or again) if ok else view.show_first(OPTIONS, again, keep=True)
    if selected and view.unconfirmed_calls(SELECT):
        tried = {each.arguments.get("option_type_id") for each in view.fresh if each.name == SELECT}
        if known := [each for each in facts(view, options) if each.arguments["option_type_id"] not in tried]:
            return list(known)
    refused = [each.arguments for each in view.fresh if each.name == SELECT]
    if not selected and _has_entered(view) and (known := facts(view, options, refused)):
        return list(known)
    if not selected:
        return say(view, "option_again", name=following.name, names=join_names(view, following.names))
    key = "prefilled_ask" if _has_entered(view) else "kept_ask"
    return _tell(view, options, key, values=values, value=values, name=following.name)


def _on_message(view: ConversationView, options: OptionView) -> list[Act]:
    message, text = view.message, view.message.text
    if unsure := view.unconfirmed_calls(SELECT):
        waits, beside = [e.arguments["option_type_id"] for e in unsure], after_yes(text) or ""
        others = [e for e in options.choices_in(beside) if e.arguments["option_type_id"] not in waits]
        return [*unsure, *others]  # `Sim, mas é azul.`
    if message.is_click:
        return _on_click(view, options)
    said, behind = asides.said_and_asked(text)
    agrees = intents.whole(said, "yes") or intents.starts(text, "yes")
    agrees = agrees or not takes_back(after_yes(said) or "wait")
    answers = behind and ((agrees and options.next is None) or options.choices_in(said))
    if not answers and (topic := intents.topic(text)) is not None:
        return view.show_first(OPTIONS, _ask_again(view, options, TOPIC + topic))
    if intents.whole(text, "leave", "stop") and _was_changing(view):
        left = _ask_again(view, options, "left")  # Everything stays as it is.
        return left if _has_entered(view) else view.show_first(OPTIONS, left, keep=True)
    if (away := _away(view, said if behind else text, options)) is not None:
        return away
    own = without_coloured_parts(said if behind else text, options.words)
    if not intents.inside(text, "keeps") and (calls := options.choices_in(own)):
        return list(calls)
    if options.next is None and agrees and not {*tokens(own)} & COLOURS - options.words:
        return _create(view) or view.show_first(OPTIONS, _ask_again(view, options, ""))
    wrong = _wrong(options, text)
    remark = _remark(view, options, text, wrong)
    return view.show_first(OPTIONS, remark, **({"change": wrong.id} if wrong is not None else {}))


def _ask_again(view: ConversationView, options: OptionView, key: str, reason: str = "") -> list[Act]:
    """Return the sentence of this key, and the open choice again."""
    if options.next is None:
        return say(view, key, "option_confirm_again", values=", ".join(options.values), reason=reason)
    names = join_names(view, options.next.names, 6)
    return say(view, key, "option_again", name=options.next.name, names=names, reason=reason)


def _was_changing(view: ConversationView) -> bool:
    """Return whether the person was about to change the product, an option, or something not said yet."""
    before = [each for each in view.outputs if each.name == OPTIONS and each.at < view.message.at]
    clicked = len(view.messages) > 1 and view.messages[-2].is_click
    no = clicked and (view.messages[-2].name == "change" or view.messages[-2].value == "no")
    return _has_entered(view) or no or bool(before and before[-1].arguments.get("change"))


def _on_click(view: ConversationView, options: OptionView) -> list[Act]:
    message = view.message
    kind = next((each for each in options.kinds if message.name == f"option:{each.id}"), None)
    if kind is not None:
        return [kind.select(at) for at, (value, _) in enumerate(kind.values) if str(value) == message.value]
    if message.name == "options" and message.value == "yes":
        return _create(view) or view.show_first(OPTIONS, _ask_again(view, options, ""))
    if message.name == "options":
        return view.show_first(OPTIONS, say(view, "option_what_change", names=_kinds(view, options)))
    if message.name == "change" and message.value == "product":
        back = view.handoff("product_identification")
        return [Call(back)] if back else say(view, "option_what_change", names=_kinds(view, options))
    asked = next((each for each in options.kinds if message.value == f"option:{each.id}"), options.next)
    if asked is None:
        return view.show_first(OPTIONS, _ask_again(view, options, ""))
    names = join_names(view, asked.names, 8)
    return view.show_first(OPTIONS, say(view, "option_change", name=asked.name, names=names))


def _kinds(view: ConversationView, options: OptionView) -> str:
    return join_names(view, [e.name if view.language == "de" else e.name.lower() for e in options.kinds])


def _away(view: ConversationView, text: str, options: OptionView) -> list[Act] | None:
    """Leave for another product, or go back past the first option."""
    back, first = view.handoff("product_identification"), all(e.chosen is None for e in options.kinds)
    said = without_denied(text)[0]
    named = asides.says_which(said) and not intents.asks(text)
    leaves = first and (intents.whole(text, "back") or tapped_wrong(text))
    leaves = leaves or intents.inside(text, "restart")
    piece = (named or intents.inside(text, "none_of_these")) and other_piece(said)
    renames = intents.inside(text, "actually", "sell") or named
    leaves = leaves or bool(piece) or (renames and other_product(said, options))
    others = [each for each in search_offers(view) if each["name"] != options.product]
    refused = intents.starts(text, "no") or named or intents.inside(text, "wrong", "actually")
    leaves = leaves or (refused and len(named_products(text, others)) == 1 and not options.choices_in(text))
    return [Call(back)] if leaves and back is not None else None


def _unlisted_value(view: ConversationView) -> dict[str, object]:
    """Return what the last call has read of a value that the catalog does not have."""
    return view.newest.result.get("unlisted", {}) if view.newest else {}


def _tell(view: ConversationView, options: OptionView, *keys: str, **values: str) -> list[Act]:
    """Return the lines, with what the catalog does not have and what is done about that."""
    told = {"product": options.product, **_unlisted_value(view), **values}
    more = ("option_unlisted", "option_none" if told.get("none") else "option_way_out")
    return say(view, *keys, *(more if told.get("said") else ()), **told)


def _remark(view: ConversationView, options: OptionView, text: str, wrong: Kind | None) -> list[Act]:
    """Return the remark on a message that chose nothing."""
    asked, shown = options.kind_meant(text) or options.next, view.newest.result if view.newest else {}
    if (told := _unlisted_value(view)).get("is_meant"):
        return [kind.select(-1) for kind in options.kinds if kind.id == told["option_type_id"]]
    if told.get("is_new"):
        return _tell(view, options)
    if "reason" in shown:
        return _ask_again(view, options, "invalid", shown["reason"])
    if asked is None:
        about = "kept_early" if shown.get("kept_early") else line_about(text) * intents.asks(text)
        no = intents.whole(text, "no") or intents.inside(text, "wrong", "actually")
        if shown.get("shown") == "what_changes" or (no and not about):
            return say(view, about, "option_what_change", names=_kinds(view, options))
        return say(view, about, "option_confirm_again", values=", ".join(options.values))
    if wrong is not None:
        return say(view, "option_change", name=wrong.name, names=join_names(view, wrong.names, 8))
    left = not_denied(text, asked.names) or match(intents.after_lead(text), asked.names).several
    several = [asked.names[place] for place in left]
    if several and len(several) < len(asked.names) and not intents.whole(text, "unsure", "why"):
        return say(view, "option_which", names=join_names(view, several, 8))
    said, names = " ".join(intents.after_lead(text).split())[:40], join_names(view, asked.names, 6)
    unread = str((shown.get("next") or {}).get("unread", ""))  # What to answer instead.
    words = {"product": options.product, "said": said, "name": asked.name, "names": names, "reason": unread}
    return say(view, *_about(view, options, text, unread), **words)


def _wrong(options: OptionView, text: str) -> Kind | None:
    """Return the chosen option that the message names, or the last one when it wants to go back."""
    if (named := options.kind_meant(text)) is not None:
        return named if named.chosen is not None else None
    chosen = [kind for kind in options.kinds if kind.value]
    return chosen[-1] if chosen and intents.whole(text, "back", "slip") else None


def _about(view: ConversationView, options: OptionView, text: str, unread: str) -> tuple[str, ...]:
    """Return the lines that fit a message which names none of the values."""
    early = view.newest is not None and bool(view.newest.result.get("kept_early"))
    doubts = _UNSURE * (intents.inside(text, "doubt") and not (early or intents.asks_what_was_meant(text)))
    if keys := next((keys for kind, keys in _TALK.items() if intents.whole(text, kind)), doubts):
        return tuple(hint_line(view, each) for each in keys)
    key = "slip" if (talk := small_talk_of(text)) == "slip" else ""
    if key := key or next((key for kind, key in asides.TALK if intents.inside(text, kind)), ""):
        return (key, "option_again")
    if early:
        return ("kept_early", "option_again")
    named = options.kind_meant(text) is not None
    if intents.asks_what_was_meant(text) or intents.inside(text, "help") or (intents.asks(text) and named):
        return ("option_meaning",)
    if intents.asks(text) and not tokens(text)[0].isdigit():
        return (line_about(text), "option_again")
    idle = ("greet", "thanks", "yes", "no", "more", "continue", "leave")
    words = {*content(intents.after_lead(text))}
    spoken = talk or intents.whole(text, *idle) or words <= {*tokens(f"yes {options.product}")}
    if unread and not spoken:
        return ("unread",)
    if len(content(text)) > _LONGEST_VALUE or (asides.about_it(text) and not {*tokens(text)} & COLOURS):
        return ("options_first", "option_again")
    return ("option_again",) if spoken or intents.inside(text, "wrong") else ("option_not", "option_way_out")
