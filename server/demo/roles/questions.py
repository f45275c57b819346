"""The demo model as Questions: it asks each question, passes answers on, explains, corrects and finishes."""

from collections.abc import Container
from typing import Any

from server import patterns
from server.demo import asides
from server.demo.conversation_view import Act, Call, ConversationView, Output
from server.demo.lines import TOPIC, line_about, say
from server.demo.reading import intents
from server.demo.reading.matching import content, match
from server.demo.roles import corrections
from server.demo.roles.reopening import ANY, ask_price, change_before, show_remarked, show_unchanged
from server.languages import split_question
from server.text_reading.own_questions import asks_how_to_see, asks_what_is, guesses_figure
from server.text_reading.shown_questions import (
    PRICE,
    Element,
    answers_so_far,
    asked_elements,
    open_question,
    shown_questions,
)
from server.text_reading.tool_names import CHANGE, PROTOCOL, REOPEN, VALIDATE
from server.text_reading.wishes.small_talk import small_talk_of
from server.text_reading.wishes.ways_back import goes_back, takes_back, wants_earlier


def answer(view: ConversationView) -> list[Act]:
    """Return one step of the conversation."""
    shown, newest = shown_questions(view), view.newest
    if shown is None or (newest is not None and "transfer_to" in newest.name):
        return [Call(PROTOCOL)]
    if newest is not None and newest.name == VALIDATE:
        behind = corrections.behind_answer(view, newest.arguments.get("element_id"))
        return (behind and behind[1]) or _after_answer(view, newest)
    if newest is not None and newest.name == CHANGE:
        return corrections.after_change(view, newest)
    enters = any("protocol_agent" in each.name or each.name == REOPEN for each in view.fresh)
    if newest is not None and newest.name == PROTOCOL and enters:
        if newest.arguments.get("change") == ANY:
            if "understood" not in (asked := newest.result.get("next") or {"understood": ""}):
                return [Call(VALIDATE, {"element_id": asked["element_id"], "answer": view.message.text})]
            return show_remarked(view, say(view, "unkept"), ANY)
        return _on_entry(view, newest)
    if newest is not None and newest.name == PROTOCOL and any(e.name == VALIDATE for e in view.fresh):
        return ask_price(view)
    return _on_message(view)


def _newest_result(view: ConversationView) -> dict[str, Any]:
    """Return the last word about what is open: of the questions or of an answer."""
    return output.result if (output := view.last(PROTOCOL, VALIDATE, CHANGE)) else {}


def _on_entry(view: ConversationView, output: Output) -> list[Act]:
    if not any("create_item" in each.name for each in view.fresh):
        done = output.result.get("complete") and output.result.get("next") is None
        named = {"reference": view.instruction("Draft").get("reference", "")}
        text, back = view.message.text, view.reopening
        ends = intents.leaves(text) and not intents.whole(text, "leave")
        line = ("done_all" if ends else "item_kept") if done else "left"
        line = "item_back" if back and back.at > view.message.at else line
        left = say(view, line, "" if done else "question_again", **named)
        if view.message.is_click or goes_back(text):
            return left
        adds = done and (intents.inside(text, "adds") or wants_earlier(text)) and not intents.asks(text)
        return _told_price(view, text, None) or ([Call(PROTOCOL, {"change": ANY})] if adds else left)
    known = {*output.result.get("answered", {}), PRICE}
    return say(view, "first_question", total=sum(e["element_id"] not in known for e in asked_elements(view)))


def _after_answer(view: ConversationView, output: Output) -> list[Act]:
    result = output.result
    if result.get("valid") is False:
        return _refuse(view, result)
    if result.get("deal_breaker"):
        return say(view, "refused")
    shown, beside = str(result.get("shown", "")).rstrip(" ."), str(result.get("not_taken", ""))
    earlier, unused = answers_so_far(view, output).get(output.arguments.get("element_id", "")), "unused"
    change = "priced" if not earlier else "left" if shown == earlier.rstrip(" .") else "corrected"
    change = "" if result.get("skipped") and PRICE not in output.arguments.values() else change
    before = [each.result for each in view.outputs if each.at < view.message.at]
    added = bool(earlier) and change != "left" and shown.startswith(str(earlier).rstrip(" ."))
    if result.get("complete"):
        unpriced = _takes_price(view, answers_so_far(view))
        if unpriced and intents.inside(split_question(view.message.text)[1], "price"):
            return ask_price(view)
        late, told_price = any(each.get("complete") for each in before), PRICE in output.arguments.values()
        is_new = (earlier is None or added) and not (late and (told_price or added))
        done = ["done_unpriced" if unpriced else "done"] if is_new else [change, "now"]
        return say(view, unused if beside else "", *done, shown=shown, said=beside)
    left = int(result.get("remaining", 0))
    if (following := result.get("next")) is None:
        return _pause(view)
    known = any((each.get("next") or {}).get("element_id") == following["element_id"] for each in before)
    skipped = result.get("skipped") or intents.whole(view.message.text, "unsure")
    key = "last_question" if left or "understood" not in following else "confirm"
    key = ("skipped" if skipped else "next_question") if left > 1 else key
    keys = [key] if earlier is None or added else [change, "question_again" if known else key]
    early = "kept_early" * bool(skipped and result.get("kept_for"))
    return say(view, early, *keys, unused if beside else "", left=left, shown=shown, said=beside)


def _refuse(view: ConversationView, result: dict[str, Any]) -> list[Act]:
    if result.get("code") == "confirm":
        beside = {"kept_early": "kept_for", "unused": "not_taken", "invalid": "in_euro", "unread": "unread"}
        first = next((line for line, name in beside.items() if result.get(name)), "")
        last, reason = "confirm" * (not first), result.get("in_euro", result.get("unread"))
        return say(view, first, last, said=result.get("not_taken"), reason=reason)
    repeats = "kept_for" in result or result.get("code") == "question_again"
    if intents.nearest_topic(view.message.text) and not repeats:
        return say(view, line_about(view.message.text), "question_again")
    again = "invalid" if result.get("code") == "number_only" else "question_again"
    keys = ("kept_early", again) if result.get("kept_for") else ("invalid",)
    return say(view, *keys, reason=result.get("reason", ""))


def _on_message(view: ConversationView) -> list[Act]:
    message = view.message
    if message.is_click:
        return _on_click(view)
    text, asked = message.text, open_question(view)
    last = view.last(PROTOCOL, VALIDATE, CHANGE)
    unconfirmed = last is not None and last.name != CHANGE and last.result.get("code") == "confirm"
    unconfirmed |= asked is not None and "understood" in asked and not view.unconfirmed_calls(CHANGE)
    behind = corrections.behind_answer(view, asked["element_id"]) if asked is not None else None
    agrees = intents.settles(text) or intents.whole(patterns.split(r"[.!]\s", text)[0], "yes")
    if asked is not None and (behind or (unconfirmed and (agrees or takes_back(text)))):
        return [Call(VALIDATE, {"element_id": asked["element_id"], "answer": behind[0] if behind else text})]
    retracts = asked is not None and takes_back(text)
    added = corrections.wished_addition(view, text) if asked is None else None
    says = _may_answer(text) if asked is not None else bool(added or _told_price(view, text, asked))
    sale = (e for e in ("cancel", "send", "paid", "cost")[: 1 if asked else 4] if intents.inside(text, e))
    cuts = intents.whole(text, "cut") and not intents.inside(text, "cancel")
    topic = None if says or cuts or retracts else intents.topic(text) or next(sale, None)
    topic = "cancel" if asked is None and intents.whole(text, "drop") else topic
    if topic is not None and not _is_option(text, asked, many=topic == "language"):
        more = () if asked is None else ("questions_left" * (topic == "time"), "question_again")
        left = len(asked_elements(view)) - len(answers_so_far(view))
        topics = asides.topics_of(text) if "? " in text else []
        beside = say(view, TOPIC + topic, *topics, *more, left=left)
        return [*beside] if asked is None else show_remarked(view, [*beside])
    talk = small_talk_of(text)
    talks = asked is not None and talk and not (talk == "slip" and "understood" in (asked or {}))
    right = show_remarked(view, say(view, "slip" * (talk == "slip"), "question_again")) if talks else None
    right = right or corrections.ask_removed(view, text) or added
    right = right or _told_price(view, text, asked) or corrections.correction(view, text, asked)
    unsure = intents.whole(text, "unsure")  # The tool judges it in these words.
    said = ("não sei" if view.language == "pt" else "I don't know") if unsure else text
    right = right or (talk != "talk" and corrections.about_earlier(view, text, asked, said)) or None
    if right is not None:
        return right
    if asked is None:
        return _when_late(view, text) or show_unchanged(view, text) or _when_done(view, text)
    if intents.leaves(text) and not _is_option(text, asked):
        return _pause(view)
    if not unsure and (remark := _remark(view, text, asked)) is not None:
        return show_remarked(view, remark)
    return [Call(VALIDATE, {"element_id": asked["element_id"], "answer": said})]


def _may_answer(text: str) -> bool:
    """Return whether a question stands behind words that may answer what is open."""
    said, behind = asides.said_and_asked(text)
    first, *rest = patterns.split(r"[,.;!]", text, maxsplit=1)
    if (rest and intents.asks(text) and intents.whole(first, "yes", "no")) or intents.whole(said, "yes"):
        return bool(rest or behind or intents.asks(text))  # `yes I think?`
    idle = intents.topic(said) or intents.whole(said, "greet", "thanks", "continue", "stop")
    return bool(behind and (content(said) or intents.starts(said, "yes", "no")) and not idle)


def _is_option(text: str, asked: Element | None, *, many: bool = False) -> bool:
    """Return whether the message names an option of the open question, or `many`, or an amount as a price."""
    if asked is None or asked["element_id"] == PRICE:
        return asked is not None and any(map(str.isdigit, text))
    found = match(text, [str(each) for each in asked.get("options", [])])
    return bool(many and found.several) or (found.one is not None and not (intents.asks(text) and found.weak))


def _told_price(view: ConversationView, text: str, asked: Element | None) -> list[Act] | None:
    """Return the price of the item, whatever was asked; `put 2` may answer a question for a number or a date."""
    open_id = None if asked is None else asked["element_id"]
    if intents.inside(text, "own_price") and _takes_price(view) and not any(map(str.isdigit, text)):
        kept = show_remarked(view, say(view, "now" if asked is None else "question_again"))
        return kept if asked is not None or PRICE in answers_so_far(view) else ask_price(view)
    figure = str((asked or {}).get("class")).endswith(("Number", "Date"))
    put = ("put", "foreign") if asked is None else () if figure else ("put",)
    said = asides.said_and_asked(text)[0] or text
    parts = patterns.split(r"[,.;!?]\s+", text) if open_id == PRICE else [said]
    head = text.partition(",")[0] if intents.asks(said) else said
    newest, known, alone = view.last(VALIDATE), answers_so_far(view), intents.after_lead(head)
    if newest and newest.arguments.get("element_id") == PRICE and len(content(alone)) == 1:
        head, known = alone, {}  # `no, 70` corrects it.
    first = asked is None and intents.inside(head, "amount") and _takes_price(view, known)
    first &= not intents.asks(head) and change_before(view) != ANY
    first &= not intents.inside(text, "wrong", "one_more")
    first |= asked is None and intents.inside(text, "put_price")
    tells = first or any(intents.tells_price(e, *put) for e in (*parts, intents.without(text, "another")))
    tells &= open_id in (None, PRICE) or not intents.starts(text, "yes")  # `yes, and the price is 240`
    if not ((tells or open_id == PRICE) and _takes_price(view)):
        return None
    beside = corrections.beside_price(view, text) if open_id in (None, PRICE) else []
    return beside or ([Call(VALIDATE, {"element_id": PRICE, "answer": text})] if tells else None)


def _takes_price(view: ConversationView, known: Container[str] = ()) -> bool:
    return bool((shown := shown_questions(view)) and shown.result.get("takes_price")) and PRICE not in known


def _pause(view: ConversationView) -> list[Act]:
    """Leave the item as it is: its open question stays, and no new one opens."""
    left, draft = len(asked_elements(view)) - len(answers_so_far(view)), view.instruction("Draft")
    return say(view, "paused" if left > 1 else "paused_last", reference=draft.get("reference", ""), left=left)


def _on_click(view: ConversationView) -> list[Act]:
    message, corrected = view.message, corrections.on_click(view)
    if corrected is not None or message.name == "correct":
        return show_remarked(view, say(view, "correct_which"), ANY) if corrected is None else corrected
    if any(each["element_id"] == message.name for each in asked_elements(view)):
        return [Call(VALIDATE, {"element_id": message.name, "answer": message.value})]
    return show_remarked(view, say(view, "question_again"))


def _when_late(view: ConversationView, text: str) -> list[Act] | None:
    """Answer when nothing is open, and answers are missing that were put off."""
    missing = [each for each in asked_elements(view) if each["element_id"] not in answers_so_far(view)]
    if not missing or _newest_result(view).get("deal_breaker"):
        return None
    if intents.whole(text, "yes", "continue"):
        return show_remarked(view, say(view, "question_again"), missing[0]["element_id"])
    late = corrections.question_meant(text, missing)
    return [Call(VALIDATE, {"element_id": late["element_id"], "answer": text})] if late else _pause(view)


def _when_done(view: ConversationView, text: str) -> list[Act]:
    """Answer when nothing is open: the item is complete or refused."""
    known = [each for each in asked_elements(view) if each["element_id"] in answers_so_far(view)]
    if _newest_result(view).get("deal_breaker"):
        talk = intents.whole(text, "thanks", "greet", "continue")
        talk = talk or intents.inside(text, "insult", "price", "help")
        if talk or not (content(text) or intents.starts(text, "no")):
            return say(view, "refused")
        last = view.last(VALIDATE)
        element_id = last.arguments.get("element_id") if last else known[-1]["element_id"]
        return [Call(VALIDATE, {"element_id": element_id, "answer": intents.after_lead(text) or text})]
    if known and (intents.inside(text, "wrong") or intents.whole(text, "cut")):
        return show_remarked(view, say(view, "correct_which"), ANY)
    talks = small_talk_of(text) == "talk"
    if corrections.thanks_only(text) or intents.whole(text, "yes") or intents.leaves(text, "leave") or talks:
        return say(view, "done_thanks" if corrections.thanks_only(text) else "done_all")
    for kind in ("insult", "price", "off_topic", "earlier_item"):
        if intents.inside(text, kind):
            key = "calm" if kind == "insult" else kind
            return ask_price(view) if kind == "price" else say(view, key, "done_more")
    meant = None if intents.asks(text) else corrections.question_meant(text, known)
    if meant is not None:
        return [Call(VALIDATE, {"element_id": meant["element_id"], "answer": intents.after_lead(text)})]
    is_asked = intents.asks(text) or bool(intents.nearest_topic(text))
    is_asked &= not (intents.inside(split_question(text)[1], "where_to_put") or intents.inside(text, "adds"))
    of_thing = intents.of_a_thing(text) and not intents.nearest_topic(text)
    if of_thing or (len(content(text)) > 1 and not is_asked):
        return show_remarked(view, say(view, "unkept"), ANY)
    return say(view, line_about(text) if is_asked else "done_more")


def _remark(view: ConversationView, text: str, asked: Element) -> list[Act] | None:
    """Return the remark on a message that does not answer; None when it may answer."""
    hint = str(asked.get("hint") or "")
    if intents.whole(text, "why"):
        return say(view, "question_why", hint=hint or f"«{asked['label']}»")
    talk = intents.whole(text, "greet", "thanks", "continue") and not any(map(str.isdigit, text))
    if (intents.empty(text) and not intents.asks_what_was_meant(text)) or (talk and not intents.asks(text)):
        return say(view, "question_again")
    several = match(text, options := [str(each) for each in asked.get("options", [])]).several
    asks = intents.asks(text) or asks_what_is(text)
    other = corrections.question_meant(text, asked_elements(view)) if asks_how_to_see(text) else None
    if other and other.get("hint") and not _may_answer(text):
        return say(view, "question_hint", "question_again", hint=other["hint"])
    meant = intents.asks_what_was_meant(text) or (asks and len(several) > 1)
    if _is_option(text, asked) and not (meant and (intents.starts(text, "wondering") or asks_what_is(text))):
        return None
    if meant or intents.whole(text, "where"):
        where = "question_where" if intents.whole(text, "where") and not asked.get("required", True) else ""
        key = "question_hint" if hint else "" if where else "question_no_hint"
        hint = hint.partition(". ")[0].rstrip(".") + "." if where else hint
        return say(view, key, where, hint=hint, label=asked["label"])
    free = "Text" in str(asked.get("class"))
    lines = {"insult": "calm", "keeps": "kept_early", "off_topic": "off_topic", "help": "help_questions"}
    for kind, key in (lines | {"price": "no_price_now"}).items():
        part = patterns.split(r"[.,;!]", text)[0] if kind == "price" else text  # `yes. 20 euros` answers.
        if intents.inside(part, kind) and not (free and kind in ("price", "off_topic", "keeps")):
            if kind == "price" and asked["element_id"] == PRICE:
                return ask_price(view) if intents.asks(text) else None
            return say(view, key, "question_again")
    own = " ".join([asked["label"], hint, *options])
    explains = hint and corrections.question_meant(text, [{"label": own}]) and not intents.nearest_topic(text)
    told = "question_hint" if explains else line_about(text)
    guesses = guesses_figure(text) and str(asked.get("class")).endswith(("Number", "Date"))
    is_question = asks and not (guesses or _may_answer(text) or intents.whole(text, "cut"))
    return say(view, told, "question_again", hint=hint) if is_question else None
