"""The conversation as the demo model sees it in one call: only the strings that the SDK hands to any model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from server import patterns
from server.demo.reading import MOST_LETTERS, intents
from server.languages import Language, nearest_language
from server.text_reading import input_items
from server.text_reading.conversation_items import ConversationItems
from server.text_reading.things.things_kept_back import is_taken_back, without_taken_back
from server.text_reading.tool_names import CATALOG, CONFIRM, PROTOCOL, VALIDATE
from server.text_reading.wishes.product_corrections import product_correction
from server.text_reading.wishes.spoken_languages import spoken_language

Item = input_items.Item
Output = input_items.Output
PersonMessage = input_items.PersonMessage
Spec = Mapping[str, Any]  # The JSON Schema of a tool's arguments.
_TOLD = patterns.compile(r"^(Common answers|Draft): (\{.*\})$", patterns.MULTILINE)
_SETTING = patterns.compile(r"^Language of the conversation: (\w+)", patterns.MULTILINE)


@dataclass(frozen=True)
class Say:
    """Text for the person."""

    text: str


@dataclass(frozen=True)
class Call:
    """A tool or handoff to call."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


Act = Say | Call


@dataclass(frozen=True)
class ConversationView(ConversationItems):
    """Instructions, items and the names of what may be called."""

    instructions: str
    items: Sequence[Item]
    tools: tuple[str, ...]
    handoffs: tuple[str, ...]
    page_tools: Mapping[str, Spec] = field(default_factory=dict)
    """The tools that are none of ours: the person's page runs them."""

    @cached_property
    def messages(self) -> tuple[PersonMessage, ...]:
        """Return all that the person sent, oldest first."""
        return input_items.read_messages(self.items, MOST_LETTERS)

    @cached_property
    def message(self) -> PersonMessage:
        """Return the newest message of the person, without what it takes back of other items."""
        newest = self.messages[-1] if self.messages else PersonMessage("")
        rest = without_taken_back(newest.text, self.taken_back) if self.taken_back else ""
        return replace(newest, text=rest or "continue") if self.taken_back else newest

    @cached_property
    def taken_back(self) -> list[str]:
        """Return the items of which the newest message says that they are not for sale, or go with this one."""
        text = "" if not self.messages or self.messages[-1].is_click else self.messages[-1].text
        named = (e for one in self.outputs if one.name == CATALOG for e in one.result.get("later", ()))
        return [each for each in dict.fromkeys(named) if is_taken_back(text, each)]

    def unconfirmed_calls(self, name: str) -> list[Call]:
        """Return the calls of this tool that the message may settle: those behind which no question was shown."""
        message, before = self.message, [each for each in self.outputs if each.at < self.message.at]
        last = {each.arguments.get("option_type_id"): each for each in before if each.name == name}
        shown = next((each.at for each in reversed(before) if each.name in (PROTOCOL, VALIDATE)), 0)
        since = max((each.at for each in self.messages if each.at < shown), default=0)
        asked = [e for e in last.values() if e.result.get("code") == "confirm" and e.at > since]
        answers = message.value.startswith("answer:") if message.is_click else intents.settles(message.text)
        return [Call(name, each.arguments) for each in asked] if answers else []

    def show_first(self, tool: str, remark: list[Act], **arguments: object) -> list[Act]:
        """Return a remark at what a tool shows: the call that shows it goes before, once a turn."""
        return remark if any(each.name == tool for each in self.fresh) else [Call(tool, arguments)]

    def handoff(self, part: str) -> str | None:
        """Return the handoff whose name contains this, if it is allowed now."""
        return next((name for name in self.handoffs if part in name), None)

    @property
    def corrected_query(self) -> str:
        """Return the words of the product that the typed message puts in the place of the draft's; may be empty."""
        last, draft = self.last(CONFIRM), self.instruction("Draft")
        found = product_correction(self.message.text, {**draft, **(last.result if last else {})})
        return found.query if found and not self.message.is_click else ""

    @cached_property
    def language(self) -> Language:
        """Return the language of the message where it is typed and shows one, else that of the conversation."""
        setting, message = _SETTING.search(self.instructions), self.message
        usual = nearest_language(setting[1] if setting else None)
        return (not message.is_click and spoken_language(message.text, usual)) or usual

    def instruction(self, name: str) -> dict[str, Any]:
        """Return what the instructions tell: the `Draft`, or the `Common answers` of each topic by language."""
        told = dict(reversed(_TOLD.findall(self.instructions)))
        return input_items.object_of(told[name]) if name in told else {}
