"""Messages at an offer that do more than choose: they ask, wait, refuse all of it, or name one more item."""

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

IPHONE = ("iphone 12", "yes", "64 blue")
MACHINE = ("i want to sell a delonghi dedica", "yes", "black", "good")


def labels(blocks: list[dict]) -> list[str]:
    return [each["label"].split(", ", 1)[-1] for each in blocks[0]["choices"]]


@pytest.mark.parametrize(
    ("language", "texts", "product"),
    [
        ("en", ["i want to sell a console", "Fair enough. What about a Switch OLED, the white one? "
                "Left joycon drifts a bit, otherwise sound. Got the box. 190."], "Nintendo Switch OLED"),
        ("en", ["What about a Switch OLED? Left joycon drifts a bit."], "Nintendo Switch OLED"),
        ("pt", ["Que tal uma Bimby TM5? A tampa está riscada. Tenho os livros."], "Bimby TM5"),
        ("en", ["Makes sense. How about my bimby tm6? The lid has a scratch."], "Bimby TM6"),
    ],
)  # fmt: skip
async def test_a_product_that_is_proposed_as_a_question_is_looked_for(
    harness: RunnerHarness, language: str, texts: list[str], product: str
) -> None:
    visitor = await talk(harness, language, *texts)
    assert product in labels(visitor.open_blocks())
    assert "not in the catalog" not in visitor.replies[-1].text


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("en", "wait i must look", "Take your time"),
        ("en", "hold on, gotta check", "Take your time"),
        ("en", "hang on a sec i should measure it", "Take your time"),
        ("pt", "espera tenho q ver", "Com calma"),
        ("pt", "pera deixa ver", "Com calma"),
        ("pt", "calma, vou so confirmar", "Com calma"),
    ],
)
@pytest.mark.parametrize("before", [("bimby",), ("iphone 12", "yes", "64 blue", "good", "free")])
async def test_who_has_to_look_first_takes_the_time_and_nothing_changes(
    harness: RunnerHarness, language: str, text: str, said: str, before: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *before)
    asked = visitor.open_blocks()[0]["name"]
    reply = await visitor.say(text)
    assert said in reply.text or "Take your time" in reply.text
    assert visitor.open_blocks()[0]["name"] == asked


@pytest.mark.parametrize("text", ["i need to get rid of my iphone 12", "i have to get rid of an iphone 12"])
async def test_who_gets_rid_of_a_thing_sells_it(harness: RunnerHarness, text: str) -> None:
    visitor = await talk(harness, "en", text)
    assert "iPhone 12" in labels(visitor.open_blocks())


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("pt", "É a TM5. Mas diga-me, isto é seguro? Os meus dados ficam com quem?"),
        ("pt", "a TM5. quem fica com a minha morada?"),
        ("en", "The TM5. But who gets my address?"),
    ],
)
async def test_a_product_is_taken_beside_a_question_about_data(
    harness: RunnerHarness, language: str, text: str
) -> None:
    visitor = await talk(harness, language, "bimby", text)
    assert ("fica guardado" if language == "pt" else "is stored") in visitor.replies[-1].text
    assert "TM6" not in str(visitor.open_blocks())


@pytest.mark.parametrize(
    "text",
    ["ok. isto e seguro? quem fica com a minha morada", "tao a pedir morada ou n? o q fazem c os meus dados"],
)
async def test_a_question_about_data_leaves_the_list(harness: RunnerHarness, text: str) -> None:
    visitor = await talk(harness, "pt", "bimby", text)
    assert "fica guardado" in visitor.replies[-1].text
    assert len(labels(visitor.open_blocks())) == 3


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("pt", "Boa tarde. Queria vender a minha Bimby, mas antes queria saber se isto é seguro."),
        ("pt", "Vendo uma bimby. Antes disso gostava de saber quem vê os meus dados"),
    ],
)
async def test_a_wish_to_know_is_no_name_of_the_product(
    harness: RunnerHarness, language: str, text: str
) -> None:
    visitor = await talk(harness, language, text)
    assert len(labels(visitor.open_blocks())) == 3
    assert "«" not in visitor.replies[-1].text


@pytest.mark.parametrize(
    ("language", "text", "missed"),
    [
        ("pt", "bem entao vendo a cama de viagem ou assim.. q coisas de bebe aceitam?", "cama de viagem"),
        ("en", "I want to sell a travel cot. Do you take baby things?", "travel cot"),
    ],
)
async def test_a_kind_that_is_asked_about_says_nothing_of_an_item_that_is_not_there(
    harness: RunnerHarness, language: str, text: str, missed: str
) -> None:
    visitor = await talk(harness, language, text)
    assert missed in visitor.replies[-1].text
    assert not any(each in visitor.replies[-1].text for each in ("Sim, isso", "Yes, that can"))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("pt", "naa a minha é a 540 mesmo, nenhuma dessas"),
        ("en", "none of those, mine is the tm21"),
        ("en", "nah mine's the 540, none of these"),
    ],
)
async def test_a_model_that_is_none_of_the_list_is_not_offered_the_list_again(
    harness: RunnerHarness, language: str, text: str
) -> None:
    visitor = await talk(harness, language, "bimby", text)
    assert ("não está no catálogo" if language == "pt" else "not in the catalog") in visitor.replies[-1].text


@pytest.mark.parametrize("text", ["essa ya", "essa", "é essa sim"])
async def test_a_pointer_is_a_yes_to_the_one_product(harness: RunnerHarness, text: str) -> None:
    visitor = await talk(harness, "pt", "nintendo switch oled", text)
    assert legend(visitor) != "Produto"


@pytest.mark.parametrize(
    ("language", "before", "text", "later"),
    [
        ("en", IPHONE, "good. I would also like to sell my Bose headphones afterwards, is that possible?",
         "Bose headphones"),
        ("pt", IPHONE, "Bom estado. Também queria vender a minha Bimby TM5 a seguir, posso?", "Bimby TM5"),
        ("en", IPHONE, "good, can i sell my kindle paperwhite after this one?", "kindle paperwhite"),
    ],
)  # fmt: skip
async def test_an_item_that_is_wished_for_later_is_kept_and_the_answer_counts(
    harness: RunnerHarness, language: str, before: tuple[str, ...], text: str, later: str
) -> None:
    visitor = await talk(harness, language, *before, text)
    assert ("one item at a time" if language == "en" else "um artigo de cada vez") in visitor.replies[-1].text
    assert legend(visitor) in ("Is the phone free of accounts?", "O telemóvel está livre de contas?")
    rest = ("free", "87", "yes", "2022", "nothing", "200 euros") if language == "en" else (
        "livre", "87", "sim", "2022", "nada", "200 euros")  # fmt: skip
    for each in rest:
        await visitor.say(each)
    assert any(later in each for each in visitor.replies[-1].blocks[-1]["suggestions"])


@pytest.mark.parametrize(
    "text", ["good. can I sell it without the box?", "good. i also want to sell the charger with it"]
)
async def test_a_part_is_no_item_for_later(harness: RunnerHarness, text: str) -> None:
    visitor = await talk(harness, "en", *IPHONE, text)
    for each in ("good", "free", "87", "yes", "2022", "nothing", "200 euros"):
        await visitor.say(each)
    assert "Sell this too" not in str(visitor.replies[-1].blocks)


@pytest.mark.parametrize(
    "text",
    [
        "cofee is fine, frother weak. can i talk to a real person pls",
        "coffee is fine but the frother is weak. can I speak to a human?",
    ],
)
async def test_who_asks_for_a_person_has_answered_too(harness: RunnerHarness, text: str) -> None:
    visitor = await talk(harness, "en", *MACHINE, text)
    assert "A program answers" in visitor.replies[-1].text
    assert "It works, with faults" in legend(visitor)


@pytest.mark.parametrize(
    ("language", "first", "said"),
    [
        ("en", "selling my bugaboo fox 3, forest green canopy", "its the fox 3, is that the same listing?"),
        ("pt", "vendo o meu carrinho bugaboo fox 3", "é o fox 3, é o mesmo anúncio?"),
    ],
)
async def test_the_name_that_was_not_found_said_again_with_a_question_leaves_the_offer_open(
    harness: RunnerHarness, language: str, first: str, said: str
) -> None:
    visitor = await talk(harness, language, first)
    before = labels(visitor.open_blocks())
    reply = await visitor.say(said)
    assert labels(visitor.open_blocks()) == before
    assert "draft" not in reply.text and "rascunho" not in reply.text


@pytest.mark.parametrize(
    ("language", "first", "said"),
    [
        ("en", "philips airfryer xxl, black", "is it safe to sell here? how do you protect me from scams?"),
        ("pt", "airfryer XXL da Philips, preta", "é seguro vender aqui? como me protegem de burlas?"),
    ],
)
async def test_a_question_about_safety_at_an_offer_looks_for_no_product(
    harness: RunnerHarness, language: str, first: str, said: str
) -> None:
    visitor = await talk(harness, language, first)
    before = labels(visitor.open_blocks())
    await visitor.say(said)
    (block,) = visitor.open_blocks()
    assert labels([block]) == before and not block.get("error")
