"""Values that the catalog does not have of an option: told of, left out of the item, and kept with its last text."""

from typing import Any

import pytest

from server.loopos.core import EmbeddedCore, ItemRefused
from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

NONE = {"en": "None of these", "pt": "Nenhum destes"}


def labels(visitor: Any) -> list[str]:
    """Return the labels of the choices that are open."""
    return [choice["label"] for block in visitor.open_blocks() for choice in block.get("choices", ())]


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", ("fitbit versa 3 in purple", "yes"), "purple"),
        ("en", ("fitbit versa 3", "yes", "mine is purple"), "purple"),
        ("en", ("iphone 12 black", "yes", "it's a 100"), "100"),
        ("en", ("iphone 12 black 512gb", "yes"), "512gb"),
        ("en", ("iphone 13 128gb orange", "yes"), "orange"),
        ("en", ("macbook air m1 512 32gb", "yes"), "32gb"),
        ("en", ("iphone 12 black 128", "yes", "no, it's orange"), "orange"),
        ("pt", ("nintendo switch", "sim", "é roxa"), "roxa"),
        ("pt", ("fitbit versa 3", "sim", "é cor de mel clarinho. Nem preto nem castanho!"), "mel clarinho"),
        ("pt", ("fitbit versa 3. É cor de mel e está como nova", "sim"), "mel"),
        ("en", ("fitbit versa 3. It's oatmeal coloured", "yes"), "oatmeal"),
        ("pt", ("iphone 12 64 laranja", "sim"), "laranja"),
        ("pt", ("iphone 11 preto", "sim", "32"), "32"),
        ("pt", ("iphone 12 preto 128", "sim", "não, é laranja"), "laranja"),
    ],
)
async def test_a_value_that_the_catalog_lacks_is_told_of_with_none_to_click(
    harness: RunnerHarness, language: str, said: tuple[str, ...], value: str
) -> None:
    visitor = await talk(harness, language, *said[:-1])
    reply = await visitor.say(said[-1])
    assert f"“{value}”" in reply.text or f"«{value}»" in reply.text
    assert labels(visitor)[0] == NONE[language]
    assert not await visitor.items()


@pytest.mark.parametrize(
    ("language", "said", "options"),
    [
        ("en", ("fitbit versa 3", "yes", "none of these"), 0),
        ("en", ("iphone 12 black", "yes", "it's none of them"), 1),
        ("en", ("fitbit versa 3", "yes", "purple", "purple"), 0),
        ("en", ("fitbit versa 3 in purple", "yes", "yes"), 0),
        ("pt", ("iphone 12 preto", "sim", "nenhuma dessas"), 1),
        ("pt", ("iphone 12 preto", "sim", "32", "é de 32"), 1),
        ("en", ("fitbit versa 3", "yes", "The case is oatmeal, I don't see that on the list"), 0),
        ("pt", ("fitbit versa 3", "sim", "é cor de mel, não a vejo na lista"), 0),
    ],
)
async def test_an_option_that_has_none_of_the_values_is_left_out_of_the_item(
    harness: RunnerHarness, language: str, said: tuple[str, ...], options: int
) -> None:
    visitor = await talk(harness, language, *said)
    (item,) = await visitor.items()
    assert len(item.options) == options


async def test_what_the_seller_called_it_is_asked_back_with_the_last_text(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "fitbit versa 3 in purple", "yes", "none of these")
    for text in ("good", "yes", "yes", "no marks", "no", "2021", "none"):
        await visitor.say(text)
    assert visitor.open_blocks()[0]["legend"] == "I understood: Colour: purple. Is that right?"
    await visitor.say("yes")
    assert visitor.state["answers"]["watches.notes"] == "Colour: purple"


@pytest.mark.parametrize(
    ("language", "said", "legend"),
    [
        ("en", ("fitbit versa 3", "yes", "It is oatmeal, I can't find that on the list"), "Colour: oatmeal"),
        ("pt", ("fitbit versa 3. É cor de mel", "sim", "nenhuma dessas"), "Cor: mel"),
    ],
)
async def test_a_colour_that_is_named_after_a_thing_is_kept_for_the_last_text(
    harness: RunnerHarness, language: str, said: tuple[str, ...], legend: str
) -> None:
    visitor = await talk(harness, language, *said)
    yes, good, no = ("yes", "good", "no") if language == "en" else ("sim", "bom", "não")
    for text in (good, yes, yes, "no marks" if language == "en" else "Sem marcas", no, "2021", no):
        await visitor.say(text)
    assert legend in visitor.open_blocks()[0]["legend"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("fitbit versa 3 with a purple strap", "yes")),
        ("en", ("fitbit versa 3", "yes", "i don't know")),
        ("en", ("iphone 12 white, selling for 256 euros with a 32gb microsd card", "yes")),
        ("pt", ("iphone 12 branco, tem uma capa laranja", "sim")),
        ("pt", ("fitbit versa 3, com bracelete cor de mel", "sim")),
        ("en", ("fitbit versa 3, it's the original colour", "yes")),
        ("pt", ("fitbit versa 3. É cor de origem", "sim")),
        ("pt", ("iphone 12 branco", "sim", "quanto tempo demora?")),
    ],
)
async def test_what_is_of_another_thing_is_no_value_that_the_catalog_lacks(
    harness: RunnerHarness, language: str, said: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *said)
    assert labels(visitor)[-1] == NONE[language]
    assert not await visitor.items()


async def test_an_option_of_an_item_is_left_out_later_and_chosen_again(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iphone 12 black 128", "yes", "yes", "the colour is wrong")
    (block,) = visitor.open_blocks()
    await visitor.click(block["name"], "0", "None of these")
    (item,) = await visitor.items()
    assert len(item.options) == 1
    await visitor.say("the colour is wrong")
    await visitor.say("white")
    (item,) = await visitor.items()
    assert "Branco" in item.options.values()


async def test_a_core_that_needs_each_option_is_told_of_with_a_way_out(
    harness: RunnerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: Any, **__: Any) -> None:
        raise ItemRefused("option_missing")

    monkeypatch.setattr(EmbeddedCore, "create_item", refuse)
    visitor = await talk(harness, "en", "fitbit versa 3 in purple", "yes")
    reply = await visitor.say("none of these")
    assert "it needs a value of the catalog" in reply.text
    assert labels(visitor)[-1] == "No, another one"
    assert "None of these" not in labels(visitor)
    reply = await visitor.say("none of these")
    assert labels(visitor)[-1] == "No, another one"
    await visitor.click("change", "product", "No, another one")
    assert visitor.state.get("product") is None
