"""A size in a word or a letter, and the correction of an option behind an answer or behind the yes to a price."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend

pytestmark = pytest.mark.asyncio(loop_scope="module")

ESSENZA = (
    "nespresso essenza mini preta", "sim", "sim", "bom", "sim", "sim", "não sei", "sim", "fevereiro 2022",
    "60 cápsulas e a caixa original. queria 40€",
)  # fmt: skip


async def _after(harness: RunnerHarness, language: str, *texts: str) -> HarnessVisitor:
    visitor = await harness.visitor(language)
    for text in texts:
        await visitor.say(text)
    return visitor


@pytest.mark.parametrize(
    ("language", "said", "size"),
    [
        ("en", "medium", "M"),
        ("en", "it's a medium", "M"),
        ("en", "size medium", "M"),
        ("en", "the small one", "S"),
        ("en", "extra large", "XL"),
        ("pt", "médio", "M"),
        ("pt", "é o grande", "L"),
        ("pt", "tamanho pequeno", "S"),
        ("pt", "extra grande", "XL"),
        ("en", "S please", "S"),
        ("en", "S, thanks", "S"),
        ("en", "yes S", "S"),
        ("en", "M pls", "M"),
        ("pt", "sim, S", "S"),
        ("pt", "S, obrigado", "S"),
        ("pt", "s por favor", "S"),
    ],
)
async def test_a_word_for_a_size_is_its_letter(
    harness: RunnerHarness, language: str, said: str, size: str
) -> None:
    visitor = await _after(harness, language, "trek fx 2", "yes" if language == "en" else "sim", said)
    assert list(visitor.state["options"].values()) == [size]


@pytest.mark.parametrize("said", ["it has a small scratch", "a big bell is on it"])
async def test_a_size_of_another_thing_is_no_size_of_the_product(harness: RunnerHarness, said: str) -> None:
    visitor = await _after(harness, "en", "trek fx 2", "yes", said)
    assert not visitor.state.get("options")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "o tamanho está mal, é L"),
        ("pt", "afinal o tamanho é o grande"),
        ("pt", "o tamanho não é M, é L"),
        ("pt", "enganei-me no tamanho, é o grande"),
        ("en", "the size is wrong, it's L"),
        ("en", "wrong size, it's a large"),
        ("en", "change the size to L"),
    ],
)
async def test_a_size_that_is_called_wrong_is_corrected(
    harness: RunnerHarness, language: str, said: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await _after(harness, language, "trek fx 2 size M", yes, yes, said)
    assert list(visitor.state["options"].values()) == ["L"]


@pytest.mark.parametrize(
    ("language", "said", "answer"),
    [
        ("pt", "sim, mas o tamanho é L afinal", "Sim"),
        ("pt", "sim. ah e o tamanho é L afinal", "Sim"),
        ("en", "yes. oh and the size is actually L", "Yes"),
        ("en", "no damage. sorry, the size is wrong, it's L", "Yes"),
    ],
)
async def test_a_correction_behind_an_answer_is_taken_after_it(
    harness: RunnerHarness, language: str, said: str, answer: str
) -> None:
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    visitor = await _after(harness, language, "trek fx 2 size M", yes, yes, good, said)
    while "option" in visitor.open_blocks()[0]["name"] or len(visitor.state["answers"]) < 2:
        await visitor.say(yes)
    assert list(visitor.state["options"].values()) == ["L"]
    assert visitor.state["answers"]["bicycles.frame"] == answer


async def test_a_text_keeps_its_words_without_the_correction(harness: RunnerHarness) -> None:
    visitor = await _after(harness, "en", "iphone 12 black 128", "yes", "yes", "good", "free", "87", "yes")
    await visitor.say("march 2022")
    await visitor.say("case and cable. oh and it's blue actually, not black")
    await visitor.say("yes")
    assert visitor.state["answers"]["smartphones.notes"] == "case and cable"
    assert visitor.state["options"]["Colour"] == "Blue"


@pytest.mark.parametrize(
    "said",
    [
        "pode ser. ah, e é a vermelha afinal, a preta é a da minha mãe",
        "sim. ah e a cor é vermelha afinal",
        "isso mesmo, e afinal a cor é vermelha",
    ],
)
async def test_a_correction_behind_the_yes_to_a_price_is_taken(harness: RunnerHarness, said: str) -> None:
    visitor = await _after(harness, "pt", *ESSENZA, said)
    if visitor.open_blocks():
        await visitor.say("sim")
    assert visitor.state["options"] == {"Cor": "Vermelho"}
    assert "40" in visitor.state["answers"]["asking_price"]


@pytest.mark.parametrize(
    ("said", "beside"),
    [
        ("sim, e afinal não levo a caixa", "afinal não levo a caixa"),
        ("pode ser. mas está na casa da minha mãe", "está na casa da minha mãe"),
    ],
)
async def test_other_words_behind_the_yes_to_a_price_are_asked_to_be_added(
    harness: RunnerHarness, said: str, beside: str
) -> None:
    visitor = await _after(harness, "pt", *ESSENZA)
    await visitor.say(said)
    assert beside in legend(visitor) and "40" in visitor.state["answers"]["asking_price"]


@pytest.mark.parametrize("said", ["sim, obrigado", "sim, 40 euros está bem", "isso mesmo. obrigada"])
async def test_courtesy_behind_the_yes_to_a_price_is_not_named(harness: RunnerHarness, said: str) -> None:
    visitor = await _after(harness, "pt", *ESSENZA)
    assert "ainda não mudou nada" not in (await visitor.say(said)).text
    assert visitor.state["status"] == "complete"


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "yes both"), ("en", "yes to both"), ("pt", "sim, os dois"), ("pt", "sim, ambos")],
)
async def test_a_yes_to_both_confirms_what_is_shown(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await _after(harness, language, "trek fx 2 size M", "yes" if language == "en" else "sim")
    await visitor.say(said)
    assert visitor.state["options"] and visitor.state["item_id"]
