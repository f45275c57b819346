"""Values of the options that are said once more, or put in place of another one, while a question is open."""

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

MAC = ("macbook air m1 8gb 256gb prateado", "sim", "sim")
PIXIE = ("nespresso pixie", "sim", "metal")


@pytest.mark.parametrize(
    ("texts", "said", "kept"),
    [(MAC, "8 de ram", "8 GB"), (MAC, "tem 8 gb de ram", "8 GB"), (PIXIE, "ponha metal", "Metal")],
)
async def test_a_chosen_value_stays_and_answers_nothing_else(
    harness: RunnerHarness, texts: tuple[str, ...], said: str, kept: str
) -> None:
    visitor = await talk(harness, "pt", *texts)
    before = legend(visitor)
    text = (await visitor.say(said)).text
    assert "não foi dit" not in text and "não existe" not in text and "Escolha uma" not in text
    assert legend(visitor) == before and not visitor.state["answers"]
    assert kept in visitor.state["options"].values()


@pytest.mark.parametrize(
    ("texts", "said", "changed"),
    [
        (("macbook air m1 16gb 256gb prateado", "sim", "sim"), "8 de ram", "8 GB"),
        (("macbook air m1 16gb 256gb prateado", "sim", "sim"), "afinal são 8 de ram", "8 GB"),
        (("nespresso pixie", "sim", "vermelho"), "ponha metal", "Metal"),
        (("nespresso pixie", "sim", "vermelho", "bom"), "põe metal", "Metal"),
    ],
)
async def test_another_value_takes_its_place(
    harness: RunnerHarness, texts: tuple[str, ...], said: str, changed: str
) -> None:
    visitor = await talk(harness, "pt", *texts)
    before = legend(visitor)
    await visitor.say(said)
    assert changed in visitor.state["options"].values() and legend(visitor) == before


async def test_memory_that_was_told_is_known_at_another_option(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", "macbook air m1 8gb 256gb", "sim")
    text = (await visitor.say("8 de ram")).text
    assert "não existe" not in text and "não foi vendido" not in text
    assert legend(visitor) == "Cor" and visitor.state["options"]["Memória"] == "8 GB"


MEMORY = ("macbook air m1 256 gb cinzento sideral", "sim")


@pytest.mark.parametrize(
    ("language", "said", "options"),
    [
        ("pt", (*MEMORY, "ja disse, 8 gigas"), {"Memória": "8 GB", "Armazenamento": "256 GB"}),
        ("pt", (*MEMORY, "são 8 gigas"), {"Memória": "8 GB", "Armazenamento": "256 GB"}),
        ("pt", ("vendo um macbook air m1, tem 8 gigas e 256 de disco", "sim"),
         {"Memória": "8 GB", "Armazenamento": "256 GB"}),
        ("pt", ("macbook air m1", "sim", "tem 8 gigas e 256 de disco"), {"Memória": "8 GB", "Armazenamento": "256 GB"}),
        ("en", ("macbook air m1 256 gb", "yes", "I told you, 8 gigs"), {"Memory": "8 GB", "Storage": "256 GB"}),
        ("en", ("I sell a macbook air m1, it has 8 gigs and 256 of disk", "yes"),
         {"Memory": "8 GB", "Storage": "256 GB"}),
    ],
)  # fmt: skip
async def test_a_size_in_gigas_is_of_the_option_that_has_it(
    harness: RunnerHarness, language: str, said: tuple[str, ...], options: dict[str, str]
) -> None:
    visitor = await talk(harness, language, *said)
    assert options.items() <= visitor.state["options"].items()
