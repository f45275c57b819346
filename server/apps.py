"""The apps whose pages hold conversations, and what each is about: `demo` is built in, others come from a TOML file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from server.errors import CannotStart

DEMO = "demo"


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
        return {DEMO: BUILT_IN} | {key: App.model_validate(table) for key, table in tables.items()}
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise AppsError(f"{path.name}: {error}") from error
