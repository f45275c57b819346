"""The prices of models, and what the tokens of a run cost by them; a model without a price costs something unknown.

Amounts are whole billionths of a currency's unit: sums of them are exact in both databases.
"""

import tomllib
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from server import patterns
from server.errors import CannotStart

NANO = 1_000_000_000
"""Parts of a unit, such as a dollar, in which a cost is counted."""

DEMO_MODEL = "demo"
UNREPORTED = "unreportedCalls"
"""The number of calls without a report of tokens by the model's server: their cost is unknown."""

_BUILT_IN = Path(__file__).with_name("prices.toml")
_TOKENS = 1_000_000
_SNAPSHOT = patterns.compile(r"[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|latest)")

Amount = Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=6)]


class PricesError(CannotStart):
    """The file of prices cannot be used; the message says where and why."""


class Price(BaseModel):
    """The prices of a million tokens of a model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Amount
    output: Amount
    cached_input: Amount | None = None
    """Without it what is read from a cache costs what other input does."""
    currency: str = Field("USD", pattern="^[A-Z]{3}$")
    as_of: date | None = None
    source: str = ""

    def nano(self, usage: Mapping[str, Any]) -> int:
        """Return the cost of a usage; its cached tokens are a part of its input, its reasoning of its output."""
        read, written = int(usage.get("inputTokens", 0)), int(usage.get("outputTokens", 0))
        cached = min(int(usage.get("cachedInputTokens", 0)), read)
        of_cache = self.input if self.cached_input is None else self.cached_input
        total = (read - cached) * self.input + cached * of_cache + written * self.output
        return round(total * NANO / _TOKENS)


_FREE = Price(input=Decimal(0), output=Decimal(0))


class Prices:
    """A table of prices by the names of models."""

    def __init__(self, table: Mapping[str, Price]) -> None:
        """Take this `table`; the demo model is free in any."""
        self._table = {**table, DEMO_MODEL: _FREE}

    def price_of(self, model: str) -> Price | None:
        """Return the price with the longest name that fits; None is unknown."""
        fitting = [name for name in self._table if _fits(name, model)]
        return self._table[max(fitting, key=len)] if fitting else None

    def with_cost(self, usage: Mapping[str, Any]) -> dict[str, Any]:
        """Return a usage with its `costNano` and `currency`; without them where the price or the tokens are unknown."""
        price = self.price_of(str(usage.get("model", "")))
        if price is None or usage.get(UNREPORTED):
            return dict(usage)
        return {**usage, "costNano": price.nano(usage), "currency": price.currency}


def _fits(name: str, model: str) -> bool:
    if name.endswith("*"):
        return model.startswith(name[:-1])
    return model == name or (model.startswith(name) and _SNAPSHOT.fullmatch(model, len(name)) is not None)


def load(path: Path | None) -> Prices:
    """Read the prices of a TOML file, one table a model; without one those that come with Loopwire."""
    path = path or _BUILT_IN
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except OSError as error:
        raise PricesError(f"LOOPWIRE_PRICES: {path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise PricesError(f"{path.name}: this is not TOML: {error}.") from error
    return Prices({name: _price(path.name, name, table) for name, table in tables.items()})


def _price(file: str, name: str, table: object) -> Price:
    if not isinstance(table, dict):
        raise PricesError(f"{file}: {name} has to be a table, [{name}].")
    try:
        return Price.model_validate(table)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(each) for each in fault["loc"])
        raise PricesError(f'{file}: ["{name}"] {place}: {fault["msg"]}.') from error
