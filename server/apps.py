"""The apps whose pages hold conversations, and what each is about: `demo` is built in, others come from a TOML file."""

import base64
import binascii
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from server.errors import CannotStart

DEMO = "demo"
PREFIX = "whsec_"
"""How secrets of callbacks begin, by Standard Webhooks."""

SECRET_BYTES = range(24, 65)


class AppsError(CannotStart):
    """The file of apps cannot be used; the message says where and why."""


class App(BaseModel):
    """One embedding customer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    service: str = Field("submission", description="The service of a conversation that names none.")
    context: str = Field(
        "",
        max_length=8_000,
        description="LoopOS's loopos_core_context: the business in words, for the agents.",
    )
    approvals: tuple[str, ...] = Field((), description="Tools that ask the person before each call.")
    callback_secret: tuple[str, ...] = Field(
        (),
        max_length=2,
        description="What callbacks are signed with: whsec_…, two while one replaces the other.",
    )
    tokens_per_day: int | None = Field(None, ge=1, description="Tokens of all conversations in a day (UTC).")
    visitor_tokens_per_day: int | None = Field(None, ge=1, description="Tokens of one visitor in a day.")
    session_tokens_per_day: int | None = Field(
        2_000_000, ge=1, description="Tokens of one conversation in a day."
    )

    @field_validator("callback_secret", mode="before")
    @classmethod
    def _one_or_two(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("callback_secret")
    @classmethod
    def _are_keys(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse at the start what would sign with less than 24 bytes."""
        for each in value:
            try:
                key = base64.b64decode(each.removeprefix(PREFIX), validate=True)
            except binascii.Error:
                key = b""
            if not each.startswith(PREFIX) or len(key) not in SECRET_BYTES:
                raise ValueError(f"a callback_secret is {PREFIX} and the base64 of 24 to 64 bytes")
        return value


BUILT_IN = App(
    context=(
        "Loopwire Demo is a second-hand marketplace in Portugal. It takes used phones, tablets, computers, cameras, "
        "consoles, audio, watches, bicycles, kitchen appliances, baby items and furniture that are in its catalog. "
        "Items are listed by their owners in a conversation: product, options, item, questions about its condition. "
        "Listing is free. The demo neither buys nor ships anything, suggests no prices, and keeps what is written "
        "in the database of this installation only."
    )
)


def load(path: Path | None) -> Mapping[str, App]:
    """Read the apps of a TOML file, one table each, beside the built-in demo; a table `demo` replaces that one."""
    if path is None:
        return {DEMO: BUILT_IN}
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AppsError(f"LOOPWIRE_APPS: {path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise AppsError(f"{path.name}: this is not TOML: {error}.") from error
    return {DEMO: BUILT_IN} | {name: _app(path.name, name, table) for name, table in tables.items()}


def _app(file: str, name: str, table: object) -> App:
    if not isinstance(table, dict):
        raise AppsError(f"{file}: {name} has to be a table, [{name}].")
    try:
        return App.model_validate(table)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        place = f"{file}: [{name}] {'.'.join(str(each) for each in fault['loc'])}"
        if fault["type"] == "extra_forbidden":
            raise AppsError(
                f"{place}: there is no such key; there are {', '.join(App.model_fields)}."
            ) from error
        why = fault["msg"].removeprefix("Value error, ").replace("tuple", "list")
        raise AppsError(f"{place}: {why}.") from error
