"""What the seller keeps for themselves in the middle of a sale: it is no product, no option and no answer."""

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOT_FOUND = ("not in the catalog", "does not have", "não está no catálogo", "não tem")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "I'll keep Zelda for myself"),
        ("en", "actually I'm keeping the games"),
        ("en", "I will keep the dock"),
        ("en", "I want to keep one of the games for myself"),
        ("pt", "fico com o zelda"),
        ("pt", "afinal fico eu com os jogos"),
        ("pt", "vou ficar com a dock"),
        ("pt", "guardo o zelda para mim"),
    ],
)
async def test_what_is_kept_leaves_the_product_the_option_and_the_question(
    harness: RunnerHarness, language: str, said: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(
        harness, language, "switch oled with zelda" if language == "en" else "switch oled", said
    )
    assert not any(each in visitor.replies[-1].text for each in NOT_FOUND)
    assert [each["kind"] for each in visitor.open_blocks()] == ["choices"]
    await visitor.say(yes)
    assert visitor.state["product"] == "Nintendo Switch OLED"
    before = legend(visitor)
    await visitor.say(said)
    assert legend(visitor) == before and not visitor.state.get("options")
    for text in ("standard", "white") if language == "en" else ("padrão", "branco"):
        await visitor.say(text)
    await visitor.say(yes)
    before = legend(visitor)
    reply = await visitor.say(said)
    assert legend(visitor) == before and "error" not in visitor.open_blocks()[0]
    assert not visitor.state.get("answers") and "transfer" not in " ".join(reply.calls)


@pytest.mark.parametrize(
    ("language", "said", "kept", "noted"),
    [
        ("en", "iphone 12 black 128 with box and case", "I'll keep the case for myself", "box."),
        ("en", "iphone 12 black 128 with box, case and charger", "I'm keeping the case", "box, charger."),
        ("en", "iphone 12 black 128 with box and case", "the case is not included after all", "box."),
        ("pt", "iphone 12 preto 128 com caixa e capa", "fico com a capa para mim", "caixa."),
        ("pt", "iphone 12 preto 128 com caixa e capa", "afinal fico com a capa", "caixa."),
        ("pt", "iphone 12 preto 128 com caixa e carregador", "vou ficar com o carregador", "caixa."),
    ],
)
async def test_what_is_kept_is_not_proposed_among_what_goes_with_the_item(
    harness: RunnerHarness, language: str, said: str, kept: str, noted: str
) -> None:
    yes, good, free = ("yes", "good", "free") if language == "en" else ("sim", "bom", "livre")
    visitor = await talk(harness, language, said, yes, yes, good, kept)
    for text in (free, "87", yes, "2022"):
        await visitor.say(text)
    assert legend(visitor).split(": ")[1].startswith(noted)
    assert visitor.open_blocks()[0]["name"] == "smartphones.notes"
