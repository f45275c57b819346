"""The body of POST /chat: JSON, or the multipart form that Deep Chat sends when a message has files."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError, from_json
from starlette.requests import Request

from server import patterns
from server.agents.contract import ServiceRequest
from server.api.multipart_forms import FORM, TooManyPhotos, UploadedForm, media_type_of, read_form
from server.api.requests.body import detail_of
from server.endpoints.bodies import read_json
from server.errors import BadFrame, BadJson, TooLong
from server.loopos.requests.fields import RequestMessage
from server.protocol.commands import MAX_IMAGES, MAX_TEXT
from server.protocol.field_errors import shown_name
from server.value_count import ValueCount

MOST_MESSAGES = 400

Url = Annotated[str, Field(min_length=1, max_length=2048, pattern=r"^https?://")]

TEXT_TOO_LONG = "text_too_long"
"""The type of the fault of a text that is too long."""

_OF_PHOTOS = ("images", "files")
"""Fields whose lists are the photos of a message."""

_MESSAGE = patterns.compile(r"message([0-9]{1,4})\Z")
_JSON = ("messages", "images", "session_extra_data")
"""Fields of a form whose text is JSON; that of the pictures may be addresses and data URLs with commas between."""

_SOURCE_STARTS = patterns.compile(r",(?=https?:|data:)", patterns.IGNORECASE)
_NOTHING = frozenset({"", "null", "undefined", "[object Object]"})
"""What Deep Chat writes into a form for a value that is empty, not there or an object: `String(value)` of each."""


class WrongFields(BadFrame):
    """Fields of a message are wrong or missing; `detail` names the first of them in LoopOS's shape."""

    status = 422

    def __init__(self, detail: list[dict[str, Any]]) -> None:
        self.detail = detail
        kind, loc = detail[0]["type"], detail[0]["loc"]
        has_photos = kind == "too_long" and loc[-1] in _OF_PHOTOS
        self.reason = TooLong.code if kind == TEXT_TOO_LONG else TooManyPhotos.sentence if has_photos else ""
        """The name of the sentence that tells of a fault that a person can mend."""
        place = ".".join(shown_name(each) for each in detail[0]["loc"][1:])
        why = detail[0]["msg"].removeprefix("Value error, ")
        super().__init__(f"{place}: {why}." if place else f"{why}.")


class ChatFile(BaseModel):
    """A file of a message as Deep Chat keeps it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    src: str | None = Field(None, description="An address or a base64 data URL of a picture.")
    type: str | None = Field(None, description="`image`; files of other types are not read.")

    @property
    def picture(self) -> str | None:
        """Return the source of a picture; None of another file, which the element names `audio` or `any`."""
        is_picture = self.type in (None, "image") or (self.src or "").startswith("data:image/")
        return (self.src or None) if is_picture else None


class ChatMessage(RequestMessage):
    """A message as Deep Chat keeps it; only the words and the files of the last one are read."""

    text: Annotated[str, Field(max_length=64_000)] = ""
    html: Annotated[str, Field(max_length=64_000)] | None = None
    files: Annotated[list[ChatFile], Field(max_length=MAX_IMAGES)] = Field([])


class ChatRequest(ServiceRequest):
    """The request of a chat: its messages, and whose marketplace it is."""

    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=MOST_MESSAGES, fail_fast=True)]
    loopos_core_base_url: Url = Field(
        description="The LoopOS Core: one that the app has. Any, where the app has its items in the embedded one."
    )
    loopos_submission_base_url: Url
    conversation: bool = Field(True, description="Not read: a message always belongs to a conversation.")
    error: Annotated[str, Field(max_length=4_000)] | None = Field(
        None, description="Not read: the agents have the conversation."
    )
    loopos_core_context: Annotated[str, Field(max_length=8_000)] | None = None

    @field_validator("messages")
    @classmethod
    def _ends_with_the_user(cls, value: list[ChatMessage]) -> list[ChatMessage]:
        """Refuse messages whose last one needs no answer."""
        if value[-1].role != "user":
            raise ValueError("the last message has to be the user's")
        if len(value[-1].text) > MAX_TEXT:
            raise PydanticCustomError(TEXT_TOO_LONG, f"the last message has more than {MAX_TEXT} characters")
        return value


@dataclass
class ChatBody:
    """A request of a chat, and the bytes of its files."""

    request: ChatRequest
    files: list[bytes] = field(default_factory=list)

    def sources(self) -> list[str]:
        """Return the addresses and data URLs of the last message's pictures."""
        return [
            *(each.picture for each in self.request.messages[-1].files if each.picture),
            *self.request.images,
        ]

    def drop_pictures(self) -> None:
        """Forget the pictures: their bytes are not held while the message is answered."""
        *before, last = self.request.messages
        messages = [*before, last.model_copy(update={"files": []})]
        self.request = self.request.model_copy(update={"images": [], "messages": messages})
        self.files = []

    @property
    def count(self) -> int:
        """Return the number of pictures of the last message."""
        return len(self.files) + len(self.sources())


async def read_chat_body(request: Request) -> ChatBody:
    """Read JSON or a form. Raises WrongFields, BadJson, TooLong and UnsupportedMediaType."""
    if media_type_of(request) == FORM:
        form = await read_form(request, pictures_alone=True)
        values = ValueCount.of_values()
        for name, value in form.fields:
            if _is_json(name):
                await values.feed_in_steps(value.encode(errors="replace"))
        fields = _fields_of(form)
        return ChatBody(_read_request(lambda: ChatRequest.model_validate(fields)), form.files)
    return ChatBody(_chat_request_of(await read_json(request, ValueCount.of_values())))


async def read_chat_request(raw: bytes) -> ChatRequest:
    """Read the JSON text of a message. Raises WrongFields, BadJson and TooLong."""
    await ValueCount.of_values().feed_in_steps(raw)
    return _chat_request_of(raw)


def _chat_request_of(raw: bytes) -> ChatRequest:
    return _read_request(lambda: ChatRequest.model_validate_json(raw or b"{}"))


def _read_request(validate: Callable[[], ChatRequest]) -> ChatRequest:
    try:
        return validate()
    except ValidationError as error:
        raise WrongFields(detail_of(error)) from None


def _fields_of(form: UploadedForm) -> dict[str, Any]:
    """Return the fields of a form as the JSON body has them: `message1`, `message2` and so on are its messages.

    Deep Chat sends no message for a turn that has files alone. Raises BadJson.
    """
    messages: dict[int, Any] = {}
    fields: dict[str, Any] = {}
    for name, value in form.fields:
        numbered = _MESSAGE.match(name)
        if numbered:
            messages[int(numbered[1])] = _json_of(value)
        elif value not in _NOTHING:
            fields[name] = _value_of(name, value)
    said = [messages[number] for number in sorted(messages)] or fields.get("messages", [])
    if form.files and isinstance(said, list) and not _ends_with_the_user(said):
        said.append({"role": "user", "text": ""})
    return {**fields, "messages": said}


def _ends_with_the_user(said: list[Any]) -> bool:
    return bool(said) and isinstance(said[-1], dict) and said[-1].get("role") == "user"


def _is_json(name: str) -> bool:
    return name in _JSON or _MESSAGE.match(name) is not None


def _value_of(name: str, text: str) -> Any:
    if name == "images" and not text.lstrip().startswith("["):
        return _SOURCE_STARTS.split(text)
    return _json_of(text) if name in _JSON else text


def _json_of(text: str) -> Any:
    """Read a field by the parser of a JSON body, which bounds how deep it is nested. Raises BadJson."""
    try:
        return from_json(text)
    except ValueError as wrong:
        raise BadJson from wrong
