"""The contract of a service that answers requests: the fields of a request and its answer, and the agents that answer.

A request is a run of a session like a message is. Its agents see the request as one JSON object, and each answers
with one object of its own type (`output_type` of the agent); together these are the response.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from server.agents.context import Json, RunContext
from server.protocol.codec import encode_json
from server.protocol.plain_text import LONGEST, plain_value

MOST_IMAGES = 8

MOST_OPEN_BYTES = 64 * 1024
"""Bytes of JSON of one object with keys of the caller's own: a model reads it, or every run of the session loads it."""

LARGEST = 10**300
"""The largest number of such an object. JSON itself knows neither NaN nor an infinity, and PostgreSQL takes neither."""

PATHS = "/loopos_ai_"
"""The beginning of the paths of services, by which the web process knows what its backend answers."""

NO_NAMES = frozenset({"null", "undefined", "NaN", "None", "[object Object]"})
"""What programs write for a name that they do not have: as a name it would be that of many callers."""

NOT_FOR_MODELS = frozenset(
    {"callback_url", "conversation", "images", "session_extra_data", "session_id", "user"}
)
"""Fields of a request that say how it is handled, and nothing about what is asked."""


def require_small(value: Json) -> Json:
    """Refuse an object whose JSON is over `MOST_OPEN_BYTES`, or has a number that not every reader of JSON can hold."""
    if len(encode_json(value).encode()) > MOST_OPEN_BYTES:
        raise ValueError(f"as JSON this object has more than {MOST_OPEN_BYTES // 1024} KiB")
    level: list[Any] = [value]
    while level:
        if not all(abs(each) <= LARGEST for each in level if isinstance(each, int | float)):
            raise ValueError("a number of this object is no finite one, or has more than 300 digits")
        level = _values_below(level)
    return value


def _values_below(level: list[Any]) -> list[Any]:
    """Return what the lists and objects among these values hold."""
    below: list[Any] = []
    for each in level:
        if isinstance(each, dict):
            below += each.values()
        elif isinstance(each, list):
            below += each
    return below


def without_nulls(value: object) -> object:
    """Return an object without its fields that are null: to an optional field null means its default."""
    if not isinstance(value, Mapping):
        return value
    return {name: each for name, each in value.items() if each is not None}


OpenObject = Annotated[dict[str, Any], AfterValidator(require_small)]
"""An object with keys of the caller's own."""


class ServiceRequest(BaseModel):
    """The fields that every request may have; others are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    language: Annotated[str, Field(max_length=16)] = Field(
        "PT-PT", description="Language of the texts in the answer, as PT-PT or en-US."
    )
    session_id: Annotated[str, Field(min_length=1, max_length=128)] | None = Field(
        None, description="The caller's own name of the conversation that the request belongs to."
    )
    conversation: bool = Field(
        False, description="Whether the agents read the earlier requests of the session."
    )
    callback_url: Annotated[str, Field(max_length=2048)] | None = Field(
        None, description="The answer is posted there, and the request is answered by 202."
    )
    images: Annotated[list[str], Field(max_length=MOST_IMAGES)] = Field(
        [], description="http(s) addresses or base64 data URLs of pictures."
    )
    session_extra_data: OpenObject | None = Field(
        None, description="Data of the caller, stored with the session for its tools; at most 64 KiB of JSON."
    )
    error: Annotated[str, Field(max_length=4000)] | None = Field(
        None, description="The error of an earlier attempt."
    )

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        """Drop nulls, fields that no request has, and control characters: a database does not take all of them.

        Pictures have none.
        """
        given = without_nulls(value)
        if not isinstance(given, Mapping):
            return given
        return {
            name: each if name == "images" else plain_value(each, LONGEST)
            for name, each in given.items()
            if name in cls.model_fields
        }

    @field_validator("callback_url", mode="before")
    @classmethod
    def _has_an_address(cls, value: object) -> object:
        """Read an address that was left empty as none."""
        return None if value == "" else value

    @field_validator("session_id", mode="before")
    @classmethod
    def _has_a_name(cls, value: object) -> object:
        """Read an empty name, and one that says that there is none, as none."""
        return None if isinstance(value, str) and (not value or value in NO_NAMES) else value

    def for_models(self) -> Json:
        """Return what the agents read: the fields that say what is asked, without those that say nothing."""
        return self.model_dump(mode="json", exclude=set(NOT_FOR_MODELS), exclude_none=True)


Prepare = Callable[[RunContext, Any], Awaitable[Json]]
Check = Callable[[Any, str, Json], None]
Complete = Callable[[Any, Json, Json], Json]


async def prepare_nothing(run: RunContext, request: Any) -> Json:
    """Return no facts beside the request."""
    return {}


def check_nothing(request: Any, agent: str, answer: Json) -> None:
    """Accept every answer that has the right type."""


def complete_nothing(request: Any, facts: Json, response: Json) -> Json:
    """Return the response as it is."""
    return response


@dataclass(frozen=True)
class RequestContract:
    """The request and the response of a service over REST."""

    path: str
    """The path to which requests are posted, as `/loopos_ai_decision`; it begins with `PATHS`."""
    request: type[ServiceRequest]
    response: type[BaseModel]
    summary: str
    """One sentence for the documents: what the service is for."""
    example: Json
    """A request that works as it is."""
    route: Callable[[Any], Sequence[str]]
    """The agents that answer a request, in their order; each of them is asked. Raises ValueError with a sentence
    where none can."""
    prepare: Prepare = prepare_nothing
    """Gives facts that the agents read beside the request."""
    check: Check = check_nothing
    """Judges the answer of an agent, which has the right type. Raises ValueError with a sentence for the agent."""
    complete: Complete = complete_nothing
    """Makes the response of the agents' answers, by rules and by the facts; their `sources` are the addresses that
    searches of this run have found."""
    private: frozenset[str] = frozenset()
    """Names of fields of request and response that no conversation, log or trace contains."""
    examples: Mapping[str, Json] = field(default_factory=dict)
    """The example in other languages, by their code, for the page's form."""
    about: Callable[[Any], str] | None = None
    """Names what a request is about, for the title of its conversation; else its first field does."""
    read: Callable[[Any, Json, str], Sequence[tuple[str, str]]] | None = None
    """Gives what people read of a response as pairs of a label and a text, by request, response and language; else
    each field is such a pair."""
    form: bool = True
    """Whether the page offers a form."""
    pictures: Sequence[str] = ()
    """Names of the pictures that the form asks for, as `front`; the first one is required where `images` is."""
    notes: Sequence[str] = field(default=())
    """Further sentences of the documents."""

    def example_in(self, language: str) -> Json:
        """Return the example in a language, or in the one that it is written in."""
        return self.examples.get(language, self.example)

    def __post_init__(self) -> None:
        if not self.path.startswith(PATHS):
            raise ValueError(f"the path {self.path!r} of a service has to begin with {PATHS}")
