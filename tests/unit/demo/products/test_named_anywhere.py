"""The product that a message names anywhere, or again; the thing that is refused; a value among other words."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk
from tests.unit.demo.products.test_named_items import finished, offered

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("language", "text", "product"),
    [
        (
            "pt",
            "Olá boa tarde! Olhe, eu queria vender o telemóvel que era do meu filho, ele agora comprou um novo e este "
            "ficou para aqui na gaveta. É um iPhone 13 azul, acho que tem 128 GB, só tem um risquinho no canto do "
            "ecrã que quase não se nota.",
            "iPhone 13",
        ),
        (
            "pt",
            "Bom dia! Queria vender a minha batedeira, que já não tenho idade para bolos todos os dias. É uma "
            "KitchenAid Artisan, vermelha, daquelas boas de pé. Foi o meu marido que me deu.",
            "Artisan 4,8 L (5KSM175)",
        ),
        ("pt", "fixe obrigado. e tb tenho uma switch lite amarela pa vender", "Nintendo Switch Lite"),
        (
            "en",
            "got 2 things to sell: sony wh-1000xm4 headphones in silver (120) and a lawnmower",
            "WH-1000XM4",
        ),
    ],
)
async def test_a_product_named_anywhere_in_a_message_is_found(
    harness: RunnerHarness, language: str, text: str, product: str
) -> None:
    assert offered(await talk(harness, language, text)) == [product]


@pytest.mark.parametrize(
    ("language", "text", "named"),
    [
        ("pt", "uma mesa de jantar em madeira com 6 cadeiras", "«mesa de jantar»"),
        ("pt", "máquina de lavar roupa Bosch, 7kg, 150€", "«máquina de lavar roupa Bosch»"),
        ("pt", "e uma secretária do ikea também dá?", "«secretária do ikea»"),
        ("en", "lawnmower, flymo", "“lawnmower”"),
        ("en", "bugaboo fox 3 pram, we bought it when my daughter was born, now she's 2", "“bugaboo fox 3”"),
    ],
)
async def test_what_is_not_sold_is_named_by_its_head(
    harness: RunnerHarness, language: str, text: str, named: str
) -> None:
    assert named in (await talk(harness, language, text)).replies[-1].text


@pytest.mark.parametrize(
    ("language", "text", "named"),
    [
        ("pt", "e uma secretaria do ikea tambem da?", "«secretaria do ikea»"),
        ("pt", "nao e nada disso, quero vender tambem uma secretaria", "«secretaria»"),
        ("en", "and the flymo lawnmower now", "“flymo lawnmower”"),
        ("en", "my rabbit cage and a rabbit too", "“rabbit cage, rabbit”"),
    ],
)
async def test_a_next_item_behind_a_finished_one_is_looked_up(
    harness: RunnerHarness, language: str, text: str, named: str
) -> None:
    visitor = await finished(harness, language)
    reply = (await visitor.say(text)).text
    assert named in reply and "de cada vez" not in reply and "at a time" not in reply


@pytest.mark.parametrize(
    ("language", "another"), [("pt", "Quero vender outro artigo"), ("en", "I want to sell another item")]
)
async def test_another_item_behind_a_finished_one_is_just_asked_for(
    harness: RunnerHarness, language: str, another: str
) -> None:
    visitor = await finished(harness, language)
    reply = (await visitor.say(another)).text
    assert "de cada vez" not in reply and "at a time" not in reply
    await visitor.say("lawnmower, flymo")
    also = (
        "afinal tambem quero vender um iPhone 12" if language == "pt" else "actually i also sell an iphone 12"
    )
    await visitor.say(also)
    await visitor.say("sim" if language == "pt" else "yes")
    assert [each.status for each in await visitor.items()] == ["complete"]


async def test_what_was_named_first_is_found_again_with_its_options(harness: RunnerHarness) -> None:
    first = "Quero vender um iPhone 12 de 64gb azul"
    left = "Hmm, afinal não, vendo antes a minha máquina de café, uma Nespresso Vertuo"
    back = "Pensando melhor vou mesmo vender o iPhone, preciso do dinheiro. A máquina fica"
    visitor = await talk(harness, "pt", first, left, back)
    assert offered(visitor) == ["iPhone 12"]
    assert "**64 GB** e **Azul**" in (await visitor.say("sim")).text


async def test_the_options_of_an_item_that_was_left_come_back(harness: RunnerHarness) -> None:
    said = ("iphone 12 128gb blue", "yes", "yes", "actually wait, ill sell my iphone 11 instead. black 64gb")
    visitor = await talk(harness, "en", *said, "yes", "yes", "yes")
    await visitor.say("nah forget that, she doesnt want it after all. ill sell the 12 like i said first")
    assert offered(visitor) == ["iPhone 12"]
    await visitor.say("yes")
    assert visitor.state["options"] == {"Storage": "128 GB", "Colour": "Blue"}


def proposed(visitor: HarnessVisitor) -> str:
    """Return what the open question has understood."""
    return str(visitor.open_blocks()[-1].get("legend"))


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", ("iphone 12", "yes", "128", "blu like i said"), "Blue"),
        ("en", ("ipad air 4 wifi", "yes", "64 like i said, grey"), "Space grey"),
        (
            "pt",
            (
                "Quero vender um iPhone 12",
                "sim",
                "64",
                "Espera, fui ver nas definições e afinal é de 128. E é azul",
                "Ai não, esse era o do meu namorado. O meu é o de 64, deixa estar como estava",
            ),
            "64 GB",
        ),
    ],
)
async def test_a_value_among_other_words_is_proposed(
    harness: RunnerHarness, language: str, said: tuple[str, ...], value: str
) -> None:
    assert value in proposed(await talk(harness, language, *said))


@pytest.mark.parametrize(
    ("language", "edition"), [("en", "Pokémon Scarlet and Violet"), ("pt", "Pokémon Scarlet e Violet")]
)
async def test_the_words_of_an_edition_are_no_colour(
    harness: RunnerHarness, language: str, edition: str
) -> None:
    white, yes = ("branca", "sim") if language == "pt" else ("white", "yes")
    visitor = await talk(harness, language, f"nintendo switch oled {white}", yes, edition)
    assert edition in visitor.state["options"].values() and visitor.state["reference"]


async def test_a_second_item_keeps_its_options_and_its_price(harness: RunnerHarness) -> None:
    text = "got 2 things to sell: sony wh-1000xm4 headphones in silver (120) and an ipad air 4 64gb grey wifi (250)"
    visitor = await talk(
        harness, "en", text, "yes", "yes", "good", "yes", "yes", "10", "yes", "03/2022", "none"
    )
    assert "€120" in proposed(visitor)
    await visitor.say("yes")
    await visitor.say("Sell this too: ipad air 4 wifi")
    await visitor.say("yes")
    assert "64 GB" in proposed(visitor)


async def test_the_item_that_is_sold_is_not_offered_again(harness: RunnerHarness) -> None:
    first = "Tenho um carrinho de bebé Bugaboo Fox 2 que a minha filha já não usa, e um ovo da Maxi-Cosi. Aceitam?"
    visitor = await talk(harness, "pt", first, "o CabrioFix", "sim")
    for _ in range(12):
        if not (blocks := visitor.open_blocks()):
            break
        block = blocks[-1]
        if block.get("choices"):
            await visitor.click(block["name"], block["choices"][0]["value"])
        else:
            await visitor.say("nada")
    cards = [each for reply in visitor.replies for each in reply.blocks if each["kind"] == "card"]
    assert all("ovo" not in step for card in cards for step in card.get("suggestions", []))


@pytest.mark.parametrize(
    ("language", "text", "product"),
    [
        (
            "en",
            "got 2 things: macbook air m1 8/256 space grey, uk keyboard, E key sticks now and then, no box",
            "MacBook Air (M1, 2020)",
        ),
        ("pt", "Magnifica S da delonghi, uns 3000 cafés, o vaporizador pinga", "Magnifica S (ECAM22.110)"),
    ],
)
async def test_memory_and_counts_are_no_part_of_a_name(
    harness: RunnerHarness, language: str, text: str, product: str
) -> None:
    visitor = await talk(harness, language, text)
    (block,) = visitor.open_blocks()
    assert (block["name"], block["choices"][0]["label"].split(", ", 1)[1]) == ("confirm", product)


@pytest.mark.parametrize(
    ("language", "lacking", "named"),
    [
        ("en", "I want to sell my IKEA Kivik sofa. I have the receipt from May 2020", "IKEA MALM chest of drawers"),
        ("pt", "quero vender um sofá IKEA Kivik. Tenho a fatura de maio de 2020", "cómoda IKEA MALM"),
    ],
)  # fmt: skip
async def test_what_was_told_of_a_product_that_is_lacking_is_not_told_of_another(
    harness: RunnerHarness, language: str, lacking: str, named: str
) -> None:
    visitor = await talk(harness, language, lacking, named)
    heard = [said for _, said in visitor.state["_private"]["heard"]]
    assert heard == [named]
