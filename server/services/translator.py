"""Translator: catalog texts in one or more other languages, under the keys of the request."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticKnownError

from server import patterns
from server.agents import RequestContract, RunLimits, Service, Team
from server.loopos.requests.agents import request_agent
from server.loopos.requests.fields import Name, OpenRequest
from server.words import say

AGENT = "loop_os_ai_translator_agent"
MOST_TEXTS, MOST_LOCALES, MOST_CHARACTERS = 500, 20, 60_000

_LOCALE = patterns.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")


def _require_locale(text: str) -> str:
    if not _LOCALE.fullmatch(text):
        raise ValueError("a language code such as en or pt-PT is required")
    return text


Locale = Annotated[str, Field(max_length=16), AfterValidator(_require_locale)]
Key = Annotated[str, Field(min_length=1, max_length=200)]


class TranslatorRequest(OpenRequest):
    """Texts and the languages that are wanted."""

    source_locale: Locale = Field(description="The language of the texts, as `en`.")
    target_locale: Locale | None = Field(None, description="One language; or give `target_locales`.")
    target_locales: (
        Annotated[list[Locale], Field(min_length=1, max_length=MOST_LOCALES, fail_fast=True)] | None
    ) = None
    context: Name = Field(description="Where the texts stand, as `Catalog` or `Product`.")
    data: Annotated[
        dict[Key, Annotated[str, Field(max_length=8_000)]], Field(min_length=1, max_length=MOST_TEXTS)
    ] = Field(description="The texts by key; the keys come back unchanged.")

    @field_validator("data", mode="before")
    @classmethod
    def _has_few_texts(cls, value: object) -> object:
        """Refuse too many texts before they are judged: a fault for each of them costs more than its bytes."""
        if isinstance(value, Mapping) and len(value) > MOST_TEXTS:
            sizes = {"field_type": "Dictionary", "max_length": MOST_TEXTS, "actual_length": len(value)}
            raise PydanticKnownError("too_long", sizes)
        return value

    @field_validator("target_locale", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        """Read a field that was left empty as one that is not there."""
        return None if value == "" else value

    @model_validator(mode="before")
    @classmethod
    def _one_is_enough(cls, value: object) -> object:
        """Read an empty list beside a single language as none."""
        if isinstance(value, Mapping) and value.get("target_locale") and value.get("target_locales") == []:
            return {name: each for name, each in value.items() if name != "target_locales"}
        return value

    @model_validator(mode="after")
    def _has_target(self) -> Self:
        """Refuse a request that names no language, and one with more text than one answer holds."""
        if not self.targets:
            raise ValueError("target_locale or target_locales is required")
        if sum(map(len, self.data.values())) * len(self.targets) > MOST_CHARACTERS:
            raise ValueError(
                f"the texts times the languages are over {MOST_CHARACTERS} characters; send them in parts"
            )
        return self

    @property
    def targets(self) -> tuple[str, ...]:
        """Return the wanted languages, each once; both fields count."""
        single = [self.target_locale] if self.target_locale else []
        return tuple(dict.fromkeys([*single, *(self.target_locales or [])]))

    def for_models(self) -> dict[str, Any]:
        """Return what the agent reads: all wanted languages as one list."""
        told = super().for_models()
        told.pop("target_locale", None)
        return {**told, "target_locales": list(self.targets)}


class TranslatedText(BaseModel):
    """One text in one language."""

    locale: str
    key: str
    text: str
    untranslated: SkipJsonSchema[bool] = False
    """Whether the demo model has left the text as it was. No model sees the field."""


class TranslatorAnswer(BaseModel):
    """Every text in every language."""

    texts: list[TranslatedText]


class Translations(BaseModel):
    """The translations of a context, by locale and key."""

    context: str
    data: dict[str, dict[str, str]]


class TranslatorResponse(BaseModel):
    """The translated texts."""

    translations: Translations
    untranslated: dict[str, list[str]] | None = Field(
        None,
        description="By locale the keys whose texts were left as they are; missing where there are none.",
    )


def _check(request: TranslatorRequest, _agent: str, answer: dict[str, Any]) -> None:
    given = Counter((each["locale"], each["key"]) for each in answer["texts"])
    missing = [
        (locale, key) for locale in request.targets for key in request.data if (locale, key) not in given
    ]
    if missing:
        some = ", ".join(f"{key} in {locale}" for locale, key in missing[:5])
        raise ValueError(f"{len(missing)} texts are missing, among them {some}")


def _complete(request: TranslatorRequest, _facts: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Order the texts by locale and key, as they were asked for; others are left out."""
    known = {(each["locale"], each["key"]): each["text"] for each in response["texts"]}
    data = {locale: {key: known[locale, key] for key in request.data} for locale in request.targets}
    left = {(each["locale"], each["key"]) for each in response["texts"] if each.get("untranslated")}
    untranslated = {
        locale: keys
        for locale in request.targets
        if (keys := [key for key in request.data if (locale, key) in left])
    }
    more = {"untranslated": untranslated} if untranslated else {}
    return {"translations": {"context": request.context, "data": data}, **more}


def _read(request: TranslatorRequest, response: dict[str, Any], language: str) -> list[tuple[str, str]]:
    """Return each text with its translations; one that was left as it is has a word that says so."""
    data = response["translations"]["data"]
    left = response.get("untranslated") or {}

    def line(locale: str, key: str) -> str:
        text = f"{locale}: {data[locale][key]}" if len(data) > 1 else data[locale][key]
        return f"{text} ({say('translation.left', language)})" if key in left.get(locale, ()) else text

    return [(text, "\n".join(line(each, key) for each in data)) for key, text in request.data.items()]


def team() -> Team:
    """Return the one agent."""
    return {AGENT: request_agent("translator", "translator", TranslatorAnswer)}


service = Service(
    name="translator",
    start=AGENT,
    agents=team,
    limits=RunLimits(seconds=120, model_calls=4, tool_calls=1),
    client_tools=False,
    contract=RequestContract(
        path="/loopos_ai_translator",
        request=TranslatorRequest,
        response=TranslatorResponse,
        summary="Translates catalog texts into one or more languages, under the keys of the request.",
        example={
            "source_locale": "en",
            "target_locales": ["pt", "es"],
            "context": "Catalog",
            "data": {
                "product_6_name": "iPhone 12",
                "option_type_2_name": "Colour",
                "option_value_3_name": "Black",
            },
        },
        route=lambda _: (AGENT,),
        check=_check,
        complete=_complete,
        about=lambda request: next(iter(request.data.values())),
        read=_read,
        notes=(
            "`target_locale` and `target_locales` may both be given; one language has the same nested shape.",
            "Locales come back as they were written, as `pt_PT`.",
            "The demo model knows a glossary of catalog words. It leaves a text as it is where the glossary lacks a"
            " part of it, and names its key in `untranslated`; a name (`product_6_name`, `brand_1_name`) may stay.",
            f"The texts times the languages are at most {MOST_CHARACTERS} characters.",
        ),
    ),
)
