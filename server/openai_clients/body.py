"""The body of POST /v1/responses: the fields that are read, and those that are refused or ignored."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator
from starlette.requests import Request

from server.endpoints.bodies import JsonBody, NoControl, PlainText, body_of
from server.errors import LoopwireError
from server.openai_clients.refusals import InvalidValue, UnknownParameter, UnsupportedParameter
from server.protocol.field_errors import shown_name
from server.value_count import ValueCount

MOST_ITEMS = 32
MOST_USER = 200

IGNORED = frozenset({
    "include", "parallel_tool_calls", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "reasoning",
    "service_tier", "stream_options", "temperature", "top_logprobs", "top_p", "truncation",
})  # fmt: skip
"""Wishes about a model that a service chooses by itself; an answer without them is a right answer."""

_TOOLS = "The agents of a service have their own tools, and the server calls them."

REFUSED: Mapping[str, str] = {
    "access_programs": "Access programs are OpenAI's own.",
    "context_management": "The server keeps the conversation by itself.",
    "image": "Images are not made here.",
    "instructions": "The agents of a service have their own instructions.",
    "max_output_tokens": "The limits of a service bound its answers.",
    "max_tool_calls": "The limits of a service bound its tool calls.",
    "metadata": "Metadata of the caller are not kept.",
    "moderation": "This is not offered here.",
    "prompt": "Prompts are not stored here.",
    "store": "A conversation is stored here: leave `store` out, or send true.",
    "tool_choice": _TOOLS,
    "tools": _TOOLS,
}
"""Fields of OpenAI's that would be missed where they were ignored."""

_EMPTY: Sequence[Any] = ("", [], {})
_HARMLESS: Mapping[str, Sequence[Any]] = {"store": (True,), "tool_choice": ("auto", "none")}
"""Values that ask for nothing; of other fields they are the empty ones."""

_FORMAT = "Answers are text: `text.format.type` has to be `text`."


class ContentPart(JsonBody):
    """A part of a message's content."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: Literal["input_text", "input_image", "output_text", "input_file", "input_audio"]
    text: Annotated[str, PlainText] | None = None
    image_url: Annotated[str, NoControl] | None = None


class InputItem(JsonBody):
    """An item of the input."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: Annotated[str, Field(max_length=64), NoControl] = "message"
    role: Annotated[str, Field(max_length=64), NoControl] = "user"
    content: Annotated[str, PlainText] | Annotated[list[ContentPart], Field(max_length=MOST_ITEMS)] = ""


Name = Annotated[str, Field(min_length=1, max_length=MOST_USER), NoControl]


class ConversationRef(JsonBody):
    """A conversation by its id."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Name


class ResponseBody(JsonBody):
    """The request of a client."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    model: Name
    input: Annotated[str, PlainText] | Annotated[list[InputItem], Field(min_length=1, max_length=MOST_ITEMS)]
    stream: bool | None = None
    background: bool | None = None
    previous_response_id: Name | None = None
    conversation: Name | ConversationRef | None = None
    user: Name | None = None
    safety_identifier: Name | None = None

    @model_validator(mode="before")
    @classmethod
    def _refuse_others(cls, given: Any) -> Any:
        """Refuse what is not offered. Raises the error of the field."""
        if isinstance(given, dict):
            refuse_fields(given, frozenset(cls.model_fields))
        return given

    def person(self) -> str | None:
        """Return the app's name of the user. Raises InvalidValue where two fields name two."""
        if self.user and self.safety_identifier and self.user != self.safety_identifier:
            raise InvalidValue("`user` and `safety_identifier` name two users.", field="safety_identifier")
        return self.safety_identifier or self.user

    def session_id(self) -> str | None:
        """Return the conversation that is named."""
        named = self.conversation
        return named.id if isinstance(named, ConversationRef) else named

    def text(self) -> str:
        """Return the words of all messages. Raises InvalidValue for what is none of a user."""
        if isinstance(self.input, str):
            return self.input
        texts: list[str] = []
        for place, item in enumerate(self.input):
            _require_of_user(item, f"input[{place}]")
            if isinstance(item.content, str):
                texts.append(item.content)
            else:
                texts += [_text_of(each, f"input[{place}].content") for each in item.content]
        return "\n".join(filter(None, texts))

    def images(self) -> list[str]:
        """Return the data URLs and addresses of the pictures."""
        if isinstance(self.input, str):
            return []
        parts = [part for item in self.input if not isinstance(item.content, str) for part in item.content]
        return [each.image_url for each in parts if each.type == "input_image" and each.image_url]


def refuse_fields(given: Mapping[str, Any], known: frozenset[str]) -> None:
    """Raise the error of the first field that is not offered here; null is no wish."""
    for name, value in given.items():
        if name in known or name in IGNORED or value is None:
            continue
        if name == "text":
            _require_text_format(value)
        elif name not in REFUSED:
            raise UnknownParameter(f"This field is not known: {shown_name(name)}.", field=shown_name(name))
        elif value not in _HARMLESS.get(name, _EMPTY):
            raise UnsupportedParameter(REFUSED[name], field=name)


async def response_body_of(request: Request) -> ResponseBody:
    """Read the body. Raises the error of its kind, which names the field."""
    return await body_of(request, ResponseBody, _refusal, ValueCount.of_values())


def _refusal(fault: Any) -> LoopwireError:
    named = (shown_name(each) for each in fault["loc"])
    place = ".".join(each for each in named if not each.startswith("(")) or "the body"
    return InvalidValue(
        f"{place}: {fault['msg']}.", field=str(fault["loc"][0])[:64] if fault["loc"] else None
    )


def _require_text_format(value: Any) -> None:
    wished = value.get("format") if isinstance(value, dict) else value
    kind = wished.get("type", "text") if isinstance(wished, dict) else wished
    if kind not in (None, "text"):
        raise UnsupportedParameter(_FORMAT, field="text.format")


def _require_of_user(item: InputItem, place: str) -> None:
    if item.type != "message":
        raise InvalidValue(f"{place}: items of this type are not understood here.", field=f"{place}.type")
    if item.role != "user":
        raise InvalidValue(
            f"{place}: only messages of the user. The server keeps the conversation: name the last response in "
            "previous_response_id and send what is new.",
            field=f"{place}.role",
        )


def _text_of(part: ContentPart, place: str) -> str:
    if part.type == "input_text" and part.text is not None:
        return part.text
    if part.type == "input_image" and part.image_url:
        return ""
    raise InvalidValue(
        f"{place}: parts are input_text with `text`, and input_image with `image_url`: an http(s) address or a "
        "base64 data URL.",
        field=place,
    )
