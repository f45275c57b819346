"""The item that a message names among other words: which sentence names it, which kind it is of, what a yes takes."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")
WARDROBE, WATCH = "wardrobe ikea pax", "watch"


def offered(visitor: HarnessVisitor) -> list[str]:
    """Return the products of the open block, without the no."""
    blocks = [each for each in visitor.open_blocks() if each["name"] in ("confirm", "product")]
    return [
        each["label"].split(", ", 1)[-1]
        for block in blocks
        for each in block["choices"]
        if each["value"] != "no"
    ]


async def finished(harness: RunnerHarness, language: str, item: str = "fitbit versa 3") -> HarnessVisitor:
    """Return a visitor with a finished item, whose first choices were pressed."""
    visitor = await talk(harness, language, item, "sim" if language == "pt" else "yes")
    for _ in range(12):
        if not (blocks := visitor.open_blocks()):
            return visitor
        block = blocks[-1]
        if block.get("choices"):
            await visitor.click(block["name"], block["choices"][0]["value"])
        else:
            await visitor.say(
                "2022" if "date" in block["name"] else "nada" if language == "pt" else "nothing"
            )
    raise AssertionError("the item is not finished")


@pytest.mark.parametrize(
    ("language", "texts", "product"),
    [
        ("en", (WARDROBE, "Oh I see. And a chest of drawers, Ikea Malm, white, 4 drawers?"), "MALM"),
        ("en", ("i've an ikea wardrobe", "Ah right. And a bookcase, billy?"), "BILLY"),
        ("en", ("Ah ok, never mind. I have a Garmin Forerunner 245",), "Forerunner 245"),
        ("pt", ("mesa de jantar", "deixe lá a mesa. tenho uma poltrona Poäng"), "POÄNG"),
        ("pt", ("trio da chicco", "a minha irmã tem uma Bugaboo Bee 6. é dela mas vendo eu"), "Bee 6"),
        ("en", ("ikea malm chest of drawers, 4 drawers, white",), "MALM"),
        ("pt", ("sofá ektorp de 2 lugares",), "EKTORP"),
        ("en", ("ektorp 3 seater sofa",), "EKTORP"),
        ("en", ("billy bookcase, white, 80 by 28 by 202 cm",), "BILLY"),
        ("en", ("Hi. I've a DeLonghi Magnifica S. How do I ship it, do ye arrange that?",),
         "Magnifica S (ECAM22.110)"),
    ],
)  # fmt: skip
async def test_the_sentence_that_names_the_item_is_looked_up(
    harness: RunnerHarness, language: str, texts: tuple[str, ...], product: str
) -> None:
    assert offered(await talk(harness, language, *texts)) == [product]


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", (WATCH, "None of those, it's a Seiko 5, an automatic")),
        ("en", ("wall clock in walnut",)),
        ("pt", ("Tenho um relógio de parede antigo, em nogueira",)),
        ("pt", ("vendo um despertador",)),
        ("en", ("i have a gaming pc",)),
        ("pt", ("cadeira de escritório Markus",)),
        ("en", ("Oh. It's just a sewing machine, Singer Heavy Duty 4423",)),
        ("pt", ("ola es uma pessoa ou um robo?",)),
        ("en", ("am i talking to a real person",)),
        (
            "pt",
            ("Isto é a primeira vez que vendo alguma coisa pela internet. É de graça pôr aqui um anúncio?",),
        ),
    ],
)
async def test_nothing_of_another_kind_is_offered(
    harness: RunnerHarness, language: str, texts: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *texts)
    assert offered(visitor) == []
    assert "“Oh" not in visitor.replies[-1].text


async def test_headphones_are_no_camera(harness: RunnerHarness) -> None:
    assert "Alpha 7 III" not in offered(await talk(harness, "en", "sony headset pulse 3d"))


@pytest.mark.parametrize(
    ("language", "texts", "product"),
    [
        ("en", ("ps4 slim", "yh slim"), "PlayStation 4 Slim"),
        ("pt", ("trotinete xiaomi 3", "É a Mi 3 sim, chama-se Electric Scooter 3"), "Electric Scooter 3"),
        ("pt", ("hp pavilion", "sim e um pavilion 15 i5"), "Pavilion 15"),
        ("en", ("iphone 12", "yes the 12"), "iPhone 12"),
        ("pt", ("trotinete xiaomi mi 3", "s e essa. pneu de tras novo, carregador incluido"), "Electric Scooter 3"),
        ("en", ("ps4 slim", "y that's it. new fan in it, controller included"), "PlayStation 4 Slim"),
        ("pt", ("macbook air m1 de 8 GB", "É esse. Enganei-me: é o de 16 GB, fui ver agora"), "MacBook Air (M1, 2020)"),
        ("en", ("macbook air m1 8 GB", "That's it. One thing is wrong: it's the 16 GB"), "MacBook Air (M1, 2020)"),
        ("en", ("iphone 12", "yes pro"), None),
        ("en", ("iphone 12", "yes it's the 12 pro"), None),
        ("en", ("iphone 12", "yes that one, face id works n its unlocked. actually its 128gb not 64"), "iPhone 12"),
        ("en", ("gopro hero 9", "yea thats it 2 batterys and a 64gb card, small scratch on the cover"), "HERO9 Black"),
        ("en", ("ikea ektorp sofa", "yes thats the one, small stain on left cushion. no pets no smoke"), "EKTORP"),
        ("pt", ("bugaboo fox", "sim mas diz q e o fox 2 ta"), "Fox"),
        ("pt", ("iphone 12", "é esse mesmo 64gb, sem caixa"), "iPhone 12"),
        ("en", ("iphone 12", "yes, 64"), "iPhone 12"),
        ("en", ("iphone 12", "yes no box"), "iPhone 12"),
        ("en", ("iphone 12", "yes but the screen is cracked"), "iPhone 12"),
        ("pt", ("iphone 12", "sim, o 13"), None),
        ("pt", ("iphone 12", "sim, 13 pro"), None),
        ("pt", ("iphone 12", "sim, afinal é o 13"), None),
        ("en", ("iphone 12", "yes wait, no it's the 13"), None),
        ("en", ("iphone 12", "yes but on the back it says iphone 13 pro"), None),
        ("en", ("iphone 12", "this one is not mine"), None),
    ],
)  # fmt: skip
async def test_a_yes_is_a_yes_unless_another_model_stands_behind_it(
    harness: RunnerHarness, language: str, texts: tuple[str, ...], product: str | None
) -> None:
    visitor = await talk(harness, language, *texts)
    assert visitor.state.get("product") == product


async def test_a_square_is_no_rectangle(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "ikea kallax", "yes", "77 x 77")
    assert "77 × 77 cm" in visitor.open_blocks()[0]["legend"]


@pytest.mark.parametrize("size", ["80 x 28 x 202", "80x202", "80 por 28 por 202"])
async def test_a_size_chooses_the_size(harness: RunnerHarness, size: str) -> None:
    visitor = await talk(harness, "pt", "estante billy", "sim", size)
    assert visitor.state["options"] == {"Medidas": "80 × 28 × 202 cm"}


async def test_a_thing_beside_the_item_is_no_other_product(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "sony a6400 with 16-50 kit lens", "yes", "yes")
    reply = await visitor.say("yes, it's like new. Also I've got a third battery actually so three batteries")
    assert reply.calls == ["validate_protocol_answer"]
    assert "Excellent" in visitor.open_blocks()[0]["legend"]


@pytest.mark.parametrize(
    ("language", "text", "first"),
    [
        ("en", "ok now the bookcase. ikea billy, white", "BILLY"),
        ("en", "and I've a Billy bookcase too, white", "BILLY"),
        ("pt", "tenho também uma ps5 pra vender, posso?", "PlayStation 5"),
        ("pt", "e tenho uma poltrona poang, 15 euros", "POÄNG"),
        ("en", "garmin forerunner 245", "Forerunner 245"),
        ("pt", "agora a ps4", "PlayStation 4"),
    ],
)
async def test_a_second_item_begins_beside_a_finished_one(
    harness: RunnerHarness, language: str, text: str, first: str
) -> None:
    visitor = await finished(harness, language)
    await visitor.say(text)
    assert offered(visitor)[0] == first
    assert "asking_price" not in visitor.state.get("answers", {})


@pytest.mark.parametrize(
    ("language", "text", "product", "later", "told"),
    [
        ("en", "selling canon 250d and a g shock watch", "EOS 250D", ["g shock watch"], ""),
        ("pt", "vendo o iphone 12 da minha filha e o meu macbook air m1", "iPhone 12", ["macbook air m1"], ""),
        ("en", "Hi, two things to sell, an iPhone 12 and a GoPro Hero 9", "iPhone 12", ["GoPro Hero 9"], ""),
        ("pt", "vendo iphone 12, ps5 e nintendo switch", "iPhone 12", ["ps5", "nintendo switch"], ""),
        ("en", "I've a Kallax shelf and an Ektorp sofa to get rid of", "KALLAX", ["Ektorp sofa"], ""),
        ("en", "selling a magnifica s and a nespresso aeroccino 3", "Magnifica S (ECAM22.110)", [], "aeroccino 3”"),
        ("pt", "vendo uma Bimby TM5 e também um berço", "Bimby TM5", [], "«berço» não está no catálogo"),
        ("pt", "queria vender uma elops 520 e também um capacete", "Elops 520", [], ""),
        ("en", "selling a rolex submariner and an iphone 12", "iPhone 12", [], "“rolex submariner”"),
    ],
)  # fmt: skip
async def test_a_second_item_of_a_message_is_kept_for_later(
    harness: RunnerHarness, language: str, text: str, product: str, later: list[str], told: str
) -> None:
    visitor = await talk(harness, language, text)
    reply = visitor.replies[-1].text
    assert offered(visitor) == [product] and ", ".join(later) in reply and told in reply
    assert told or later or "catal" not in reply


async def test_what_is_told_of_a_second_item_is_asked_back_of_that_one(harness: RunnerHarness) -> None:
    visitor = await finished(harness, "en", "fitbit versa 3 black and a dyson v11, bought in march 2021")
    assert visitor.replies[-1].blocks[-1]["suggestions"][0] == "Sell this too: dyson v11"
    assert "2021" not in str(visitor.state["answers"])
    for text in ("dyson v11", "yes", "good", "yes", "30", "yes"):
        await visitor.say(text)
    assert visitor.state["product"] == "V11 Absolute" and "March 2021" in visitor.open_blocks()[0]["legend"]


@pytest.mark.parametrize(
    "text",
    [
        "fitbit charger included",
        "i also have the charger",
        "I have an extra strap too",
        "I have a scratch on it",
    ],
)
async def test_an_accessory_of_a_finished_item_is_no_second_item(harness: RunnerHarness, text: str) -> None:
    visitor = await finished(harness, "en")
    reply = await visitor.say(text)
    assert "get_catalog" not in reply.calls


async def test_a_price_while_another_item_is_looked_for_is_of_the_finished_one(
    harness: RunnerHarness,
) -> None:
    visitor = await finished(harness, "pt")
    await visitor.say("quero vender outro artigo")
    await visitor.say("preço 50 euros")
    assert "50 €" in visitor.open_blocks()[0]["legend"].replace("\u00a0", " ")


async def test_an_item_before_this_one_is_told_to_stay(harness: RunnerHarness) -> None:
    visitor = await finished(harness, "en")
    assert "Only the item on this card" in (await visitor.say("go back to the camera")).text
