"""The demo model's choice of words: the lines of the language, never the same twice in a row."""

import json
import re
from pathlib import Path

from server.demo.scene import Say, Scene

LINES: dict[str, dict[str, list[str]]] = json.loads(Path(__file__).with_name("lines.json").read_bytes())
"""The variants of each line by language: short sentences, third person in Portuguese, no exclamation marks."""

TOPIC = "topic:"
"""Before the name of a topic: the line is the answer that the instructions have."""

_END = re.compile(r"(?<=[.!?]) +(?=[^a-z])")


def line(scene: Scene, key: str, **values: object) -> str:
    """One line in the person's language; variants alternate, and the last said one is passed over."""
    if key.startswith(TOPIC):
        return scene.common_answer(key.removeprefix(TOPIC)) or line(scene, "no_info")
    variants = LINES[scene.language][key]
    texts = [variant.format(**values) for variant in variants]
    before = scene.said_texts[-1] if scene.said_texts else ""
    first = scene.turn % len(texts)
    ordered = texts[first:] + texts[:first]
    return next((text for text in ordered if text not in before), ordered[0])


def say(scene: Scene, *keys: str, **values: object) -> list[Say]:
    """One message of one or more lines, without the sentences that the last one said."""
    said = {_heart(each) for each in _END.split(scene.said_texts[-1])} if scene.said_texts else set()
    lines = " ".join(filter(None, (line(scene, key, **values) for key in keys)))
    text = " ".join(each for each in _END.split(lines) if _heart(each) not in said) if said else lines
    text = text or line(scene, "go_on")
    return [Say(text[:1].upper() + text[1:])]


def _heart(sentence: str) -> str:
    """A sentence without what leads to it ("In other words: ..."), as it is compared."""
    return sentence.rpartition(": ")[2].casefold().strip("*«»“” ")


def join_names(scene: Scene, names: list[str], most: int = 4) -> str:
    """Names in a sentence: "A, B ou C"."""
    shown = names[:most]
    word = "ou" if scene.language == "pt" else "or"
    if len(shown) <= 1:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {word} {shown[-1]}"
