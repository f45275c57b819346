"""The demo model's sentences, by language: it never says the same one twice in a row."""

import json
from pathlib import Path

from server.demo.conversation_view import Act, ConversationView, Say
from server.demo.reading.intents import inside, nearest_topic
from server.languages import READ
from server.text_reading.said_sentences import without_said
from server.text_reading.words.labels import join_listed

LINES: dict[str, dict[str, list[str]]] = json.loads(Path(__file__).with_name("lines.json").read_bytes())
"""The variants of each line by language: short sentences, third person in Portuguese, no exclamation marks."""
UNDERSTOOD = "languages"  # Says which languages are read; for lines that one message alone leads to.
_OF_OPEN = {"one_item": "", "words_kept": "no_info"}  # Of a finished item: the next one can be named.
TOPIC = "topic:"  # Before the name of a topic: the line is the answer that the instructions have.


def line(view: ConversationView, key: str, **values: object) -> str:
    """Return a line in the person's language. Variants alternate; the one said last is passed over."""
    key = UNDERSTOOD if key == TOPIC + "language" else key
    if key in _OF_OPEN and view.instruction("Draft").get("status") in ("complete", "refused"):
        key = _OF_OPEN[key]
    if key == TOPIC + "person" and (view.person_call or {}).get("called"):
        key = "person_called"
    known = [e.result["price_range"] for e in view.fresh if e.result.get("price_range")]
    if known and key in (TOPIC + "price", "no_price", "no_price_now"):
        return str(known[-1])
    if key.startswith(TOPIC):
        answers = view.instruction("Common answers").get(key.removeprefix(TOPIC), {})
        return str(answers.get(view.language, "")) or line(view, "no_info")
    lines = LINES.get(view.language, LINES["en"])
    variants = lines.get(key, lines[UNDERSTOOD])
    values["Name"] = (name := str(values.get("name", "")))[:1].upper() + name[1:]
    if "name" in values and view.language != "de":  # German nouns have a capital in a sentence too.
        values["name"] = str(values["name"]).lower()
    texts = [variant.format(right=view.message.put_right, **values) for variant in variants]
    first = len(view.messages) % len(texts)  # The wording is the same again on a replay.
    ordered = texts[first:] + texts[:first]
    return next((text for text in ordered if text not in "".join(view.said_texts[-1:])), ordered[0])


def line_about(text: str) -> str:
    """Return the line for a question that nothing else answers: that of the topic which it is likely about."""
    if inside(text, "noted"):
        return "words_kept"
    likely = nearest_topic(text)
    return "one_item" if inside(text, "second_sale") else TOPIC + likely if likely else "no_info"


def say(view: ConversationView, *keys: str, **values: object) -> list[Act]:
    """Return a message of one or more lines, without the sentences of the last message but for those of a topic."""
    if view.language not in READ and not view.said_texts:
        keys = (*keys, UNDERSTOOD)
    keys = ("put_right" * bool(view.message.put_right), *keys)
    values["shown"] = str(values.get("shown", "")).rstrip(" .").replace(" ", "\0")  # It is told as a whole.
    lines = " ".join(dict.fromkeys(filter(None, (line(view, key, **values) for key in keys))))
    answers = " ".join(line(view, each) for each in keys if each.startswith(TOPIC))
    text = without_said(lines, "".join(view.said_texts[-1:]), answers).replace("\0", " ")
    text = text or line(view, "go_on")
    return [Say(text if text[1:2].isupper() else text[:1].upper() + text[1:])]  # iPhone stays as it is.


def join_names(view: ConversationView, names: list[str], most: int = 4, word: str = "or") -> str:
    """Join names in a sentence: "A, B ou C"; `word` is "or" or "and"."""
    return join_listed(names[:most], LINES.get(view.language, LINES["en"])[word][0])
