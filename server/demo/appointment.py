"""The demo model's answer to a person who wants a pick-up or a call: a form instead of three questions."""

import json
from pathlib import Path
from typing import Any

from server.demo.conversation_view import Act, Call, ConversationView, Output
from server.demo.lines import line, say
from server.demo.reading import intents
from server.text_reading.schema_values import earliest_day

ASK = "ask_user"
_FIELDS: dict[str, Any] = json.loads(Path(__file__).with_name("appointment.json").read_bytes())


def wish(view: ConversationView, text: str) -> list[Act] | None:
    """Return the form for what the message wants to arrange."""
    kind = next((each for each in ("pick_up", "contact") if intents.inside(text, each)), "")
    if not kind or ASK not in view.tools or intents.starts(text, "who"):
        return None
    questions = _form(view, dated=kind == "pick_up")
    form = Call(ASK, {"message": line(view, f"{kind}_form"), "questions": questions})
    return [*say(view, "form_below"), form]


def tell_result(view: ConversationView, output: Output) -> list[Act]:
    """Return what the person entered, or that no appointment was made."""
    result, today = output.result, earliest_day()
    if result.get("error") or not result.get("email"):
        return say(view, "arranged_nothing")
    if str(result.get("date") or today) < today:
        form = Call(ASK, {**output.arguments, "questions": _form(view, dated=True)})
        return [*say(view, "pick_up_past"), form]
    kind = "pick_up" if result.get("date") else "contact"
    return say(view, f"{kind}_done", "arranged_demo", **{"date": "", "window": "", **result})


def _form(view: ConversationView, *, dated: bool) -> dict[str, Any]:
    date = {"type": "string", "format": "date", "formatMinimum": earliest_day()}
    fields = {"date": date, **_FIELDS} if dated else _FIELDS
    titled = {name: {**field, "title": line(view, f"field_{name}")} for name, field in fields.items()}
    required = [name for name in fields if name != "notes"]
    return {"type": "object", "properties": titled, "required": required}
