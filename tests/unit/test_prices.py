"""Prices: the price of a model, the cost of tokens by it, and unknown prices."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from server import prices

TABLE = """
["gpt-4.1"]
input = 2.00
cached_input = 0.50
output = 8.00
["gpt-4.1-mini"]
input = 0.40
output = 1.60
["gpt*"]
input = 1
output = 1
currency = "EUR"
"""


@pytest.fixture
def table(tmp_path: Path) -> prices.Prices:
    """Return the table above, read from its file."""
    (tmp_path / "prices.toml").write_text(TABLE)
    return prices.load(tmp_path / "prices.toml")


@pytest.mark.parametrize(
    ("model", "output"),
    [
        ("gpt-4.1", 8),
        ("gpt-4.1-2025-04-14", 8),
        ("gpt-4.1-mini", 1.6),
        ("gpt-4.1-mini-2025-04-14", 1.6),
        ("gpt-4.1-nano", 1),
        ("gpt-9", 1),
        ("demo", 0),
        ("llama", None),
        ("my-gpt-4.1", None),
    ],
)
def test_a_model_has_the_price_of_the_longest_name_that_fits(
    table: prices.Prices, model: str, output: float | None
) -> None:
    price = table.price_of(model)
    assert (None if price is None else float(price.output)) == output


def test_without_a_family_another_model_that_begins_alike_has_no_price() -> None:
    assert prices.load(None).price_of("gpt-4.1-mini") is None
    assert prices.load(None).price_of("gpt-4.1-2025-04-14") is not None


def test_cached_tokens_are_a_part_of_the_input_and_have_a_price_of_their_own(table: prices.Prices) -> None:
    usage = {"model": "gpt-4.1", "inputTokens": 1000, "cachedInputTokens": 400, "outputTokens": 10}
    assert table.with_cost(usage)["costNano"] == 600 * 2000 + 400 * 500 + 10 * 8000
    assert table.with_cost({**usage, "model": "gpt-4.1-mini"})["costNano"] == 1000 * 400 + 10 * 1600


def test_an_unknown_model_has_no_cost_and_a_free_one_costs_0(table: prices.Prices) -> None:
    spent = {"inputTokens": 1000, "outputTokens": 10}
    assert "costNano" not in table.with_cost({"model": "llama", **spent})
    assert "costNano" not in table.with_cost({"model": "gpt-4.1", **spent, prices.UNREPORTED: 1})
    assert table.with_cost({"model": "demo", **spent})["costNano"] == 0
    assert table.with_cost({}) == {}


def test_the_prices_that_come_with_loopwire_say_of_when_and_from_where_they_are() -> None:
    shipped = tomllib.loads((Path(prices.__file__).with_name("prices.toml")).read_text())
    assert all(each["as_of"] and each["source"] for each in shipped.values())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[gpt\n", r"^p\.toml: this is not TOML: .*\.$"),
        ("gpt = 1\n", r"^p\.toml: gpt has to be a table, \[gpt\]\.$"),
        ("[gpt]\ninput = 1\n", r'^p\.toml: \["gpt"\] output: Field required\.$'),
        ("[gpt]\ninput = -1\noutput = 1\n", r'^p\.toml: \["gpt"\] input: .*greater than or equal to 0\.$'),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(text)
    with pytest.raises(prices.PricesError, match=sentence):
        prices.load(file)
    with pytest.raises(prices.PricesError, match="cannot be read"):
        prices.load(tmp_path / "none.toml")
