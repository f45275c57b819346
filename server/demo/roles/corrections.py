"""The demo model's answer to a correction: of an option, an earlier answer or the product, or of nothing."""

from itertools import chain

from server import patterns
from server.demo import own_items
from server.demo.conversation_view import Act, Call, ConversationView, Output
from server.demo.lines import join_names, say
from server.demo.offers import left_for_later
from server.demo.option_view import Kind, OptionView, option_view_of, other_product
from server.demo.reading import PHRASES, intents
from server.demo.reading.matching import COLOURS, content, fact, match, ordinal, pick, without_denied
from server.demo.roles import reopening
from server.languages import fold
from server.text_reading.shown_questions import PRICE, Element, answers_so_far, asked_elements
from server.text_reading.tool_names import CHANGE, OPTIONS, PROTOCOL, VALIDATE
from server.text_reading.wishes.put_figures import corrected_part, may_count
from server.text_reading.wishes.quoted_parts import quoted_to_go
from server.text_reading.wishes.removed_answers import removed_answer
from server.text_reading.wishes.wished_additions import read_wishes
from server.text_reading.words.labels import label_with_most
from server.text_reading.words.sizes import named_size
from server.text_reading.words.typos import near

_CLAUSES = patterns.compile(r"[,.;!?]\s+|\s(?:e|and|mas|but)\s", patterns.IGNORECASE)
_TRAILING = patterns.compile(r"(?:[\s,.;!]+(?:ah|oh|e|and|mas|but|olh[ae]))+$", patterns.IGNORECASE)
_LONG, _NAMES_NONE = 3, COLOURS.union(PHRASES["names_no_question"])
_FIGURE, _OPTION = patterns.compile(r"\d+(?:[.,]\d+)*"), patterns.compile(r"option:([0-9]{1,12})")


def correction(view: ConversationView, text: str, asked: Element | None) -> list[Act] | None:
    """Return what the message puts right, or None when it puts nothing right."""
    if unsure := view.unconfirmed_calls(CHANGE):
        return [*unsure]
    if _leaves_it(view, text, asked):
        return reopening.show_remarked(view, say(view, "left", "" if asked is None else "question_again"))
    if (denied := _value_for_unsure(view, text)) is not None:
        return denied
    waiting = _waiting_option(view)
    if waiting is not None and not intents.inside(text, "restart") and not intents.whole(text, "sale"):
        return _value_of(view, text, waiting)
    if reopening.change_before(view) == reopening.ANY and (named := _find_change(view, text)):
        return named
    first, _, rest = text.partition(",")
    told = rest if intents.tells_price(first) else text if intents.whole(text, "rough") else ""
    if asked is not None and asked["element_id"] != PRICE and told:
        return [Call(VALIDATE, {"element_id": asked["element_id"], "answer": told})]
    return _away(view, text, asked) or _option(view, text, asked)


def wished_addition(view: ConversationView, text: str) -> list[Act] | None:
    """Pass on what the message asks to add to the text of a finished item, with all that it says beside that."""
    known, wishes = reopening.answered_elements(view), read_wishes(text)
    texts = [each for each in known if str(each.get("class")).endswith("Text")]
    meant = None if intents.whole(wishes.rest, "cut") else question_meant(wishes.rest, known)
    told = {"element_id": (meant or texts[-1])["element_id"], "answer": text} if texts else {}
    is_sure = wishes.is_sure or quoted_to_go(text)
    is_of_photos = any(intents.topic(each) == "photo" for each in (wishes.facts if wishes.rest else (text,)))
    return [Call(VALIDATE, told)] if told and is_sure and not is_of_photos else None


def beside_price(view: ConversationView, text: str) -> list[Act]:
    """Return what stands in a message beside its price and corrects something: the tools ask the price back then."""
    parts = _CLAUSES.split(text)
    others = [e for e in parts if not (intents.tells_price(e, "put") or intents.inside(e, "amount"))]
    return _changes(view, ", ".join(others), None) if 0 < len(others) < len(parts) else []


def ask_removed(view: ConversationView, text: str) -> list[Act] | None:
    """Ask the question again whose answer the message wants away: `remove the purchase date`."""
    known = [e for e in reopening.answered_elements(view) if not str(e.get("class")).endswith("Text")]
    found = removed_answer(text, [(str(e["label"]), str(e.get("class")).endswith("Date")) for e in known])
    return None if found is None else reopening.open_again(view, known[found])


def _changes(view: ConversationView, text: str, asked: Element | None) -> list[Act]:
    found = _option(view, text, asked) or ()
    return [each for each in found if isinstance(each, Call) and each.name == CHANGE]


def behind_answer(view: ConversationView, element_id: object) -> tuple[str, list[Act]] | None:
    """Return the words of the message that answer a question, and the correction behind them, once."""
    asked = next((e for e in asked_elements(view) if e["element_id"] == element_id), {"element_id": PRICE})
    text, done = view.message.text, [e for e in view.fresh if e.name in (CHANGE, VALIDATE)]
    if view.message.is_click or len(done) > 1 or any(e.name == CHANGE for e in done):
        return None
    for border in reversed([*_CLAUSES.finditer(text)]):
        head, rest = _TRAILING.sub("", text[: border.start()]), text[border.end() :]
        agrees, led = intents.whole(head, "yes"), intents.inside(rest, "actually", "wrong")
        if not (led or agrees) or intents.inside(head, "actually", "wrong"):
            continue
        if changes := _changes(view, rest, asked):
            return (head, changes) if content(head) or agrees else None
        meant = question_meant(rest, reopening.answered_elements(view)) if agrees and led else None
        if meant is not None and _right_answer(rest, meant) is not None:
            return head, []  # The tool asks the other answer back.
    return None


def _leaves_it(view: ConversationView, text: str, asked: Element | None) -> bool:
    """Return whether something was about to be changed, and the message says to leave it as it is."""
    if intents.whole(text, "no") and (asked or {}).get("element_id") == PRICE:
        return PRICE in answers_so_far(view)
    if not intents.leaves(text, "leave"):
        return False
    before = view.messages[-2] if len(view.messages) > 1 else view.message
    between = [each.name for each in view.outputs if before.at < each.at < view.message.at]
    shows, clicked = {PROTOCOL, OPTIONS}.intersection(between), before.name in ("change", "correct")
    waits = reopening.change_before(view) == reopening.ANY or _waiting_option(view) is not None
    reopened = reopening.reopened_element(view, reopening.answered_elements(view)) is not None
    return waits or reopened or bool(shows and clicked) or (asked is None and intents.whole(text, "leave"))


def _find_change(view: ConversationView, text: str) -> list[Act] | None:
    """Return what changes, where that was asked: by its place in the list or by name, with its right value if said."""
    known, options = reopening.answered_elements(view), option_view_of(view)
    kinds = options.kinds if options is not None else ()
    if (place := ordinal(text, len(kinds) + len(known))) is not None:
        at = place - len(kinds)
        return _ask_value(view, kinds[place]) if at < 0 else reopening.open_again(view, known[at])
    if (meant := question_meant(text, known)) is not None:
        told = {"element_id": meant["element_id"], "answer": _right_answer(text, meant)}
        return [Call(VALIDATE, told)] if told["answer"] is not None else reopening.open_again(view, meant)
    kind = options.kind_meant(text) if options is not None else None
    return _ask_value(view, kind) if kind is not None else None


def _waiting_option(view: ConversationView) -> Kind | None:
    """Return the option whose right value was asked for just before this message."""
    before = [each for each in view.outputs if each.at < view.message.at]
    last = next((e for e in reversed(before) if e.name in (OPTIONS, PROTOCOL, VALIDATE, CHANGE)), None)
    options = option_view_of(view)
    if last is None or last.name != OPTIONS or options is None or any(e.name == PROTOCOL for e in view.fresh):
        return None
    wanted = (last.result.get("next") or {}).get("option_type_id")
    return next((kind for kind in options.kinds if kind.id == wanted), None)


def _value_for_unsure(view: ConversationView, text: str) -> list[Act] | None:
    """Return the value that a message names in place of the one that was asked back just before it."""
    last = next((e for e in reversed(view.outputs) if e.at < view.message.at), None)
    options = option_view_of(view)
    if last is None or last.name != CHANGE or last.result.get("code") != "confirm" or options is None:
        return None
    asked = last.arguments.get("option_value_ids") or []
    kinds = [each for each in options.kinds if any(value in asked for value, _ in each.values)]
    places = [(each, pick(intents.after_lead(text), each.names).one) for each in kinds]
    return [_change(kind.values[at][0]) for kind, at in places if at is not None] or None


def _value_of(view: ConversationView, text: str, kind: Kind) -> list[Act]:
    """Return the answer to "which is the right one?"."""
    options = option_view_of(view)
    picked = pick(intents.after_lead(text), kind.names).one
    others = _other_values(text, options) if options is not None and picked is None else []
    if values := [kind.values[picked][0]] if picked is not None else others:
        return [_change(*values)]
    if intents.whole(text, "continue", "yes", "no", "stop", "unsure"):
        return reopening.show_remarked(view, say(view, "left"))
    return _ask_value(view, kind)


def _ask_value(view: ConversationView, kind: Kind) -> list[Act]:
    remark = say(view, "option_change", name=kind.name, names=join_names(view, kind.names, 8))
    return view.show_first(OPTIONS, remark, change=kind.id)


def _change(*values: int) -> Call:
    return Call(CHANGE, {"option_value_ids": list(values)})


def _other_values(text: str, options: OptionView) -> list[int]:
    """Return the values other than the present ones that the message states."""
    rest, found = intents.after_lead(text), []
    for kind in options.kinds:
        said = (fact(e, kind.names, ignore=options.product) for e in (rest, rest.partition(",")[0]))
        place = next((each for each in said if each is not None), None)
        if place is None and kind is options.kind_meant(rest):
            place = pick(rest, kind.names).one
        if place is not None and kind.values[place][0] != kind.chosen:
            found.append(kind.values[place][0])
    return found


def _only_values(text: str, options: OptionView, more: frozenset[str] = frozenset()) -> bool:
    """Return whether the message says nothing but values of options ("não, azul"), or one of these words."""
    words = [word for word in content(intents.after_lead(text)) if word not in PHRASES["lacking"]]
    return bool(words) and (options.words | more).issuperset(words)


def _option(view: ConversationView, text: str, asked: Element | None) -> list[Act] | None:
    """Return a value that replaces a chosen one, or an option that is called wrong."""
    is_figure = str((asked or {}).get("class")).endswith(("Number", "Date"))
    options, text = option_view_of(view), named_size(text, fold(text), figures=not is_figure)
    led = intents.inside(text, "actually", "wrong")
    if options is None:
        return [Call(OPTIONS)] if led and not any(each.name == OPTIONS for each in view.fresh) else None
    values, kind = _other_values(text, options), options.kind_meant(text)
    answers = asked is not None and match(text, [str(each) for each in asked.get("options", [])]).strong
    if answers and not (values and kind is not None):
        return None
    free = str((asked or {}).get("class")).endswith("Text") or (is_figure and any(map(str.isdigit, text)))
    if values and (led or sum((not free, kind is not None, _only_values(text, options))) > 1):
        return [_change(*values)]
    same = kind is not None and [kind.value] == [kind.names[at] for at in pick(text, kind.names).strong]
    same = same or ((led or (asked is not None and not free)) and fact(text, options.values) is not None)
    if same and _only_values(text, options):
        return reopening.show_remarked(view, say(view, "left", "" if asked is None else "question_again"))
    kind = kind or (options.kind_meant("colour") if _only_values(text, options, COLOURS) else None)
    return _ask_value(view, kind) if led and kind is not None else None


def after_change(view: ConversationView, output: Output) -> list[Act]:
    """Return what is different now; the question or the item is shown below."""
    result = output.result
    if result.get("code"):
        return say(view, "confirm" if result["code"] == "confirm" else "invalid", reason=result["reason"])
    if not result.get("ok"):
        tries = [each for each in view.fresh if each.name == CHANGE]
        again = "changed meanwhile" in str(result.get("reason")) and len(tries) == 1
        failed = reopening.show_remarked(view, say(view, "change_failed"))
        return [Call(CHANGE, output.arguments)] if again else failed
    values = " · ".join(f"**{value}**" for value in result.get("changed", {}).values())
    key = "asked_again" if result.get("asked_again") else "question_again"
    key = "now" if result.get("complete") else "refused" if result.get("deal_breaker") else key
    return say(view, "changed", key, shown=values)


def _away(view: ConversationView, text: str, asked: Element | None) -> list[Act] | None:
    """Return the answer to another item, or to a question that is not about this one."""
    if intents.whole(text, "cut") or intents.inside(text, "of_notes", "no_sale", "put_price"):
        return None
    back, chat = view.handoff("product_identification"), view.handoff("chat_agent")
    other = left_for_later(view, text) and (asked or {}).get("element_id", PRICE) == PRICE
    if other and any(intents.starts(e, "no") for e in (text, text.rpartition(" ")[2])):
        return reopening.show_remarked(view, say(view, "left", "" if asked is None else "question_again"))
    denies = asked is not None and ("understood" in asked or intents.starts(text, "no"))
    restarts = intents.inside(intents.without(text, "another") if denies else text, "restart")
    speaks_of_it = question_meant(text, asked_elements(view)) is not None
    restarts = restarts and not (speaks_of_it or intents.whole(text, "no"))
    if back and (other or restarts or (asked is None and intents.inside(text, "sell", "one_more"))):
        return [Call(back)]
    if chat and intents.inside(text, *intents.ASSISTANT):
        return [Call(chat)]
    if (mine := own_items.wish_beside(view, text)) is not None:
        return mine
    if asked is not None and intents.whole(text, "sale"):
        is_done = view.instruction("Draft").get("status") == "complete"
        return [Call(back)] if back and is_done else say(view, "sale_or_answer", label=asked["label"])
    options = option_view_of(view)
    led = intents.inside(text, "actually", "wrong") and not intents.inside(text, "besides")
    denies = intents.starts(text, "no") and not intents.inside(patterns.split("[,.;!]", text)[0], "doubt")
    led = (led or denies) and not speaks_of_it
    free = "Text" in str((asked or {}).get("class"))
    renames = options is not None and led and not free and other_product(text, options)
    return [Call(back)] if back and renames else None


def about_earlier(view: ConversationView, text: str, asked: Element | None, said: str) -> list[Act] | None:
    """Correct an answer given before, read an answer to "what is the right one?", or take a step back."""
    known, answered = reopening.answered_elements(view), answers_so_far(view)
    again = reopening.reopened_element(view, known)
    if again is not None and not intents.whole(text, "back", "stop", "thanks"):
        return [Call(VALIDATE, {"element_id": again["element_id"], "answer": said})]
    if intents.whole(text, "back"):
        if not known:
            return reopening.show_remarked(view, say(view, "question_first_back"))
        last = list(answered)[-1]  # A price that was said unasked is shown first.
        label = next((each["label"] for each in known if each["element_id"] == last), "")
        remark = say(view, "question_back", label=label, shown=answered[last])
        return reopening.show_remarked(view, [*remark], last)
    if not intents.inside(text, "wrong", "actually"):
        return None
    text = corrected_part(text)
    unlisted = PRICE in answered and all(e["element_id"] != PRICE for e in known)  # It was said unasked.
    if unlisted and intents.inside(text, "price") and not any(map(str.isdigit, text)):
        return [Call(PROTOCOL, {"change": PRICE})]
    meant = question_meant(text, known) or _fit(view, text, asked, known)
    if meant is None:  # What was refused as an answer counts as a plain correction.
        plain = (asked is None and not thanks_only(text)) or intents.whole(text, "no", "correct")
        plain = bool(known) and (plain or any(each.name == VALIDATE for each in view.fresh))
        return reopening.show_remarked(view, say(view, "correct_which"), reopening.ANY) if plain else None
    if (right := _right_answer(text, meant)) is not None:
        return [Call(VALIDATE, {"element_id": meant["element_id"], "answer": right})]
    return reopening.open_again(view, meant)


def thanks_only(text: str) -> bool:
    """Return whether a message thanks or says goodbye, and neither asks nor adds something."""
    thanks = intents.inside(text, "thanking") and not intents.inside(text, "adds")
    thanks = (thanks or intents.whole(text, "thanks")) and not intents.asks(text)
    return (thanks or intents.inside(text, "no_sale")) and not any(map(str.isdigit, text))


def _right_answer(text: str, meant: Element) -> str | None:
    """Return what the answer should be by the message, if it says so."""
    options = [str(option) for option in meant.get("options", [])]
    rest = intents.after_lead(text)
    figures = _FIGURE.findall(without_denied(rest)[0])
    if "Number" in str(meant.get("class")) and len(figures) == 1:
        return str(figures[0])
    named = match(rest, options).one is not None if options else False
    says = intents.starts(rest, "yes", "no") or intents.inside(rest, "denies")
    tells, kind = len(content(rest)) > _LONG, str(meant.get("class")).rpartition("::")[2]
    plain = says if kind == "Boolean" else tells and kind == "Text" and not intents.inside(text, "wrong")
    return rest if named or plain or intents.inside(text, "states") or any(map(str.isdigit, text)) else None


def question_meant(text: str, known: list[Element]) -> Element | None:
    """Return the earlier question that a correction is about, by the words of its label: `preto` is no `preço`."""
    labels = [content(str(each["label"])) for each in known]
    told = [e for e in content(text.replace("-free", "")) if len(e) >= _LONG and e not in _NAMES_NONE]
    place = label_with_most(near(told, chain(*labels)), labels)
    return None if place is None else known[place]


def _fit(view: ConversationView, text: str, asked: Element | None, known: list[Element]) -> Element | None:
    """Return the answer given just before, when the message fits that and not the open question ("afinal está bom")."""
    rest = intents.after_lead(text)
    if asked is not None and _fits(rest, asked):
        return None
    newest = max(known, key=lambda each: [*answers_so_far(view)].index(each["element_id"]), default=None)
    return newest if newest and "Text" not in str(newest.get("class")) and _fits(rest, newest) else None


def _fits(text: str, question: Element) -> bool:
    """Return whether the text could answer this question, as far as the kind of the question tells."""
    kind = str(question.get("class")).rpartition("::")[2]
    if kind == "Select":
        return match(text, [str(each) for each in question.get("options", [])]).one is not None
    if kind == "Boolean":
        return intents.starts(text, "yes", "no")
    return not _FIGURE.fullmatch(text) if kind == "Text" else may_count(text, question)


def on_click(view: ConversationView) -> list[Act] | None:
    """Answer a click on a value of an option, or on "change" beside an answer, an option or the product."""
    name, value = view.message.name, view.message.value
    if unsure := view.unconfirmed_calls(CHANGE):
        return [*unsure]
    if name.startswith("option:") and _OPTION.fullmatch(f"option:{value}"):
        return [_change(int(value))]
    return _on_change_click(view, value) if name == "change" else None


def _on_change_click(view: ConversationView, value: str) -> list[Act] | None:
    if value == "product":
        return [Call(back)] if (back := view.handoff("product_identification")) else None
    if chosen := _OPTION.fullmatch(value):
        options = option_view_of(view)
        if options is None or not any(each.name == OPTIONS for each in view.fresh):
            return [Call(OPTIONS, {"change": int(chosen[1])})]
        kind = next((each for each in options.kinds if value == f"option:{each.id}"), None)
        return _ask_value(view, kind) if kind is not None else None
    if value == PRICE and PRICE not in answers_so_far(view):
        return reopening.ask_price(view)
    changed = next((each for each in asked_elements(view) if each["element_id"] == value), None)
    return reopening.open_again(view, changed) if changed is not None else None
