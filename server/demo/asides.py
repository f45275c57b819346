"""The demo model's answer to a remark while a product is on offer: the offer stays."""

from typing import Any

from server import patterns
from server.demo.conversation_view import Act, Call, ConversationView, Say
from server.demo.lines import LINES, TOPIC, line, line_about, say
from server.demo.offers import asked_before, hint_line, lacking, offered_before
from server.demo.reading import PHRASES, intents
from server.demo.reading.matching import content, tokens
from server.demo.reading.query import query_of
from server.languages import fold, is_wish, split_question
from server.text_reading import own_questions
from server.text_reading.input_items import is_said_again
from server.text_reading.own_questions import asks_what_is, is_guess, tell_unknown, without_own_question
from server.text_reading.shown_questions import PRICE
from server.text_reading.things.unsold_kinds import other_kind
from server.text_reading.tool_names import CATALOG, CHANGE, CONFIRM, OPTIONS, SELECT, VALIDATE
from server.text_reading.wishes.agreements import after_yes
from server.text_reading.wishes.joined_questions import joined_questions, points_back, put_before
from server.text_reading.wishes.small_talk import small_talk_of
from server.text_reading.wishes.switch_wishes import had_besides
from server.text_reading.wishes.wished_additions import read_wishes

_READ = ("says_which", "opens_question", "article", "printed")
_OTHER, _OPENS, _ARTICLE, _PRINTED = (patterns.compile(PHRASES["patterns"][each]) for each in _READ)
_UNKNOWN = "no_info_other"
TALK = (("insult", "calm"), ("keeps", "kept_early"), ("price", "no_price"), ("off_topic", "off_topic"))
_FACTS, _IS = patterns.compile(PHRASES["patterns"]["facts"], patterns.IGNORECASE), patterns.compile(r"\bé\b")
_PARTS = patterns.compile(r"(?<=[.!?;])\s+|,\s+|\s+(?=(?:mas|but)\s)")
_WAYS_ON = {OPTIONS: "option_way_out", CATALOG: "product_way_out", VALIDATE: "question_way_out"}
_SHORT_NAME, NAME, _NUMBERED, _FIGURE, _SEVERAL = 4, 5, 8, 2, 2  # The first: letters of `the xr`.


def with_remarks(view: ConversationView, acts: list[Act]) -> list[Act]:
    """Put before an answer that a message's picture is kept, and the answer to a question behind its statement."""
    if answers := _answers_to_all(view, acts):
        return answers
    message, newest, rest = view.message, view.newest, read_wishes(view.message.text).rest
    asked = rest if rest != message.text and topics_of(rest) else said_and_asked(rest)[1]
    asked = "" if is_wish(asked) or is_guess(asked) else asked
    repeats = intents.whole(asked, "cut") or (newest and newest.result.get("code") == "question_again")
    repeats = repeats or bool(newest and newest.result.get("switch"))
    if message.is_click or newest is None or repeats or any(isinstance(each, Call) for each in acts):
        return acts
    is_price = newest.arguments.get("element_id") == PRICE and intents.asks(message.text)
    asked = asked or (message.text.partition(",")[2] if is_price else "")
    priced = intents.inside(asked, "price") and not is_price
    topics = ["one_item"] * intents.inside(message.text, "second_sale") or topics_of(asked)
    worth = "price_range" in newest.result or (is_price and bool(asked) and not priced)
    if own_questions.asks_of_price(last := _PARTS.split(message.text)[-1]) and intents.inside(
        message.text, "amount"
    ):
        asked, worth = last, True
    topics = topics or [TOPIC + "price"] * worth
    went_on = any("transfer_to" in e.name for e in view.fresh) or newest.name in (VALIDATE, SELECT, CHANGE)
    told = [line(view, "picture_kept")] if message.pictures else []
    told += [line(view, "price_noted", price=e) for e in [newest.result.get("price_noted")] if e]
    told += [line(view, "taken_back", items=", ".join(view.taken_back))] if view.taken_back else []
    if (went_on and (asked or topics)) or (asked and topics and newest.name in (CATALOG, CONFIRM, OPTIONS)):
        price = TOPIC + "price" if newest.name == VALIDATE or intents.inside(asked, "where") else "no_price"
        told += [line(view, key) for key in topics or [price if priced else line_about(asked)]]
    unkept = line(view, "unkept") if message.pictures else ""  # The picture was what was to be kept.
    said = " ".join(each.text for each in acts if isinstance(each, Say) and each.text != unkept)
    unknown, common = LINES.get(view.language, {}).get("no_info", []), view.instruction("Common answers")
    known = [*filter(None, (each.get(view.language) for each in common.values()))]
    told, said = tell_unknown(told, said, known, [] if topics else unknown, unknown)
    return [Say(" ".join([*told, said, *(e for e in _ways_on(view) if e not in said)]))]


def beside_offer(text: str) -> dict[str, object] | None:
    """Return what is kept for later of a message that is nothing about the offer: another item, or but questions."""
    if besides := had_besides(text):
        return {"also": [besides]}
    named = not joined_questions(text) or intents.inside(text, "sell", "taken", "owns")
    return None if named or _UNKNOWN in (topics := topics_of(text)) or len(topics) < _SEVERAL else {}


def _answers_to_all(view: ConversationView, acts: list[Act]) -> list[Act]:
    """Answer each of the questions that a message joins, before the rest of the reply."""
    text, said = view.message.text, [each.text for each in acts if isinstance(each, Say)]
    joins = joined_questions(text) and not (view.message.is_click or view.message.pictures)
    topics = topics_of(text) if joins and len(said) == len(acts) else []
    lines, common = LINES.get(view.language, {}), view.instruction("Common answers").values()
    unknown = [*lines.get("no_info", []), ""]
    left = [*unknown, *lines.get("no_price", []), *lines.get("no_price_now", [])]
    told = [each for key in topics if (each := line(view, key)) not in unknown]
    told += [line(view, _UNKNOWN)] * (len(told) < len(topics) and _UNKNOWN not in topics)
    left += [each.get(view.language, "") for each in common]
    return [Say(put_before(told, " ".join(said), left))] if len(topics) >= _SEVERAL else []


def _ways_on(view: ConversationView) -> list[str]:
    """Return a line with a way on where a message fails that was typed twice before."""
    result, key = view.fresh[-1].result, _WAYS_ON.get("".join({each.name for each in view.fresh}), "")
    fails = result.get("next") if key == _WAYS_ON[OPTIONS] else result.get("valid") is not True
    return [line(view, key)] if key and fails and is_said_again(view.messages, 3) else []


def said_and_asked(text: str) -> tuple[str, str]:
    """Return what a message tells, and its question about another thing: behind that, behind a yes, or before it."""
    said, asked = split_question(text := without_own_question(text))
    if not asked and (ends := _asked_at_end(text))[0] and not intents.of_a_thing(ends[0]):
        return ends
    first, _, rest = ("" if intents.inside(text.partition("? ")[0], "proposes") else text).partition("? ")
    if own_questions.answers_own_question(first, rest) and not intents.inside(
        first, "fees", "terms", "price"
    ):
        return text, ""
    opening, *others = patterns.split(r"(?<=[,.;!])\s+", text, maxsplit=1)
    if not asked and rest and not intents.asks(text) and not intents.asks_what_was_meant(f"{first}?"):
        agreed = after_yes(first) or first  # `sim esses. 120 é muito? dão 25h de bateria`
        return first.removesuffix(agreed) + rest, f"{agreed}?"
    if not asked and others and intents.asks(text) and intents.whole(opening, "yes"):
        is_known = intents.nearest_topic(others[0]) or intents.inside(others[0], "price")
        return opening, others[0] if is_known else ""
    return said, asked


def _asked_at_end(text: str) -> tuple[str, str]:
    """Return what a text says, and the questions of known topics that end it, with or without their mark."""
    borders, start = [0, *(each.end() for each in _PARTS.finditer(text))], len(text)
    for begin in reversed(borders):
        part = text[begin:start]
        opens = part.rstrip().endswith("?") or _OPENS.match(fold(part))
        if kind_asked(part) or not opens or not (intents.topic(part) or intents.nearest_topic(part)):
            break
        start = begin
    return (text[:start].rstrip(" ,;"), text[start:]) if start < len(text) else ("", "")


def topics_of(asked: str) -> list[str]:
    """Return the lines for the topics of a text, one of a sentence; of an amount only for fees, where it names them."""
    found, joined = list[str](), joined_questions(asked)
    for sentence in joined or patterns.split(r"(?<=[.!?;])\s+", asked):
        for part in (sentence, *_PARTS.split(sentence)):
            near, priced = intents.topic(part) or intents.nearest_topic(part), intents.inside(part, "price")
            of_talk = near == "cancel" and points_back(part) and intents.inside(asked, "conversations")
            near = "delete" if of_talk else near
            if near and not (priced and not (near == "cost" and intents.inside(part, "fees"))):
                found.append(TOPIC + near)
                break
        else:
            found += [TOPIC + "price" if intents.inside(sentence, "price") else _UNKNOWN] * bool(joined)
    return sorted(dict.fromkeys(found), key=lambda each: (each == _UNKNOWN, each != TOPIC + "person"))[:3]


def beside(view: ConversationView, remark: str | None, result: dict[str, Any]) -> list[Act]:
    """Answer above the products that stay on offer."""
    text = view.message.text
    other = line_about(text) if intents.asks(text) else "product_first"
    missed = [str(e.result.get("understood", "")) for e in view.fresh if not e.result.get("products")]
    early = any(e.result.get("kept_early") for e in view.fresh)
    asks = intents.asks(text) and not (names(text) and other == "no_info")
    other = "product_missed" if any(missed) and not (about_it(text) or asks) else other
    quiet = intents.whole(text, "continue", "greet", "back") or bool(small_talk_of(text))
    key = "" if quiet and not (remark or "").startswith(TOPIC) else remark or other
    key = "kept_early" if early or (key.endswith("_first") and _FACTS.search(text)) else key
    names_of = {"product": result["products"][0]["name"], "query": "".join(missed[:1]) or lacking(view)}
    if besides := had_besides(text):
        key, names_of["items"] = "later" if result.get("later") else "unknown", besides
        names_of["others"] = besides
    return say(view, hint_line(view, key), f"again{'_one' * (result.get('shown') == 'confirm')}", **names_of)


def nothing_found(view: ConversationView, queries: list[str]) -> list[Act]:
    """Show what was on offer, if the message was about it; then the way on."""
    text, before = view.message.text, offered_before(view)
    if not before and view.newest and view.newest.result.get("kept_early"):
        return say(view, "kept_early", "ask_product")
    first = {*content(query_of(text.partition(",")[0]))}
    again = "?" in text and first and first <= {*tokens(before)}  # `it's the fox 3, is that the same one?`
    if before not in ("", queries[-1]) and (again or about_it(text) or not may_name(text)):
        return [Call(CATALOG, {"query": before, "again": True})]
    short = len(queries[0]) <= (_NUMBERED if any(map(str.isdigit, queries[0])) else _SHORT_NAME)
    if short and before and not (queries[1:] or intents.inside(text, "statement", "amount", "none_of_these")):
        return [Call(CATALOG, {"query": f"{before.split()[0]} {queries[0]}"})]
    if before and not leaves_offer(text):
        return [Call(CATALOG, {"query": before, "again": True})]
    if asked_before(view) and not intents.inside(text, "sell") and intents.leaves(text, "thanks"):
        return say(view, "stopped")
    asks = intents.asks(text) and not intents.of_a_thing(text.rpartition(". ")[2])
    is_asked = (asks or bool(_OPENS.match(fold(text)))) and not names(text)
    said, asked = said_and_asked(text)
    kind, about = kind_asked(text), intents.topic(asked) or intents.nearest_topic(asked)
    if about and (kind or not query_of(said)):  # The answer goes before it.
        of_kind = kind and intents.nearest_topic(said) in (None, "allowed", "buy")
        return say(view, "kind_not_taken" if of_kind else "ask_product", query=kind)
    near = not any(map(str.isdigit, queries[-1])) and intents.nearest_topic(text)
    if (is_asked and not intents.inside(text, "taken", "sell")) or near:
        return say(view, line_about(text), "ask_product")
    name = len(queries[0].split()) <= NAME or any(map(str.isdigit, text))
    name = name or intents.inside(text, "copy", "sell", "owns") or says_which(text) or bool(other_kind(text))
    missed = [str(each.result.get("understood", "")) for each in view.fresh]
    query = next(filter(None, missed), "") if intents.inside(text, "sell") else max(missed, key=len)
    is_figure = len(query) <= _FIGURE and asked_before(view)  # `no, mine is the 4g`
    unsold = "not_sold_here" if is_figure or not query else "not_in_catalog"
    key = "kind_not_taken" if kind else unsold if name else "concrete"
    others, named = view.newest.result.get("unknown", []) if view.newest else [], other_kind(text)
    is_told = intents.inside(text, "sell") or {*tokens(named)} <= {*tokens(query)}
    query = kind or ", ".join(dict.fromkeys([query if is_told else named, *others]))  # `my printer lacks ink`
    return say(view, "no_copies" if intents.inside(text, "copy") else "", key, query=query)


def kind_asked(text: str) -> str:
    """Return the things of which the message asks whether they are taken: `do u take jackets or clothes at all`."""
    asked = next((e for e in patterns.split(r"(?<=[.!?;])\s+", text) if intents.inside(e, "taken")), "")
    return query_of(asked) if asked and not intents.inside(asked, "owns", "price") else ""


def about_it(text: str) -> bool:
    """Return whether the text asks or remarks about what is on offer, and is not the name of something else."""
    tells = intents.inside(text, "statement", "amount") or bool(_IS.search(text.casefold()))
    return (tells or intents.asks(text)) and not (names(text) or intents.starts(text, "no"))


def may_name(text: str) -> bool:
    """Return whether the text may name another thing than what is on offer, and is no question of who or why."""
    opens = asks_what_is(text) or (intents.asks(text) and _OPENS.match(fold(text)))
    is_name = says_which if _PRINTED.search(text.casefold()) else names
    return bool(not opens or _ARTICLE.match(fold(text))) and (leaves_offer(text) or is_name(text))


def leaves_offer(text: str) -> bool:
    """Return whether the text refuses what is on offer, or names a thing that the person owns, sells or asks about."""
    leaves = intents.inside(text, "sell", "owns", "taken", "copy", "none_of_these")
    leaves = leaves or intents.starts(text, "no") or (intents.asks(text) and says_which(text))
    return leaves or _ARTICLE.match(fold(text)) is not None


def names(text: str) -> bool:
    """Return whether the text says which one it is, or has a number as models do: no price, year, age or size."""
    return says_which(text) or any(each.isdigit() for each in _FACTS.sub(" ", text))


def says_which(text: str) -> bool:
    """Return whether the text says "it is the …" or "I have a …"."""
    return bool(_OTHER.search(text.casefold().replace("’", "'"))) and not asks_what_is(text)
