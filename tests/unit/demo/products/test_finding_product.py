"""The product that a seller means is found and its options chosen: years, variants, refusals, two questions at once."""

import pytest

from server.loopos.rows import Found, Match
from server.loopos.tools.drafts.product_searches import of_told_year, written_name
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

in_a_loop = pytest.mark.asyncio(loop_scope="module")


async def last_reply(harness: RunnerHarness, language: str, *texts: str) -> tuple[HarnessVisitor, str]:
    """Say these texts; return the visitor and the answer to the last."""
    visitor = await talk(harness, language, *texts[:-1])
    return visitor, (await visitor.say(texts[-1])).text


def shown(visitor: HarnessVisitor) -> list[str]:
    """Return the labels of the open block."""
    return [each["label"] for block in visitor.open_blocks() for each in block["choices"]]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Yes, that's it."),
        ("en", "that's it, yes"),
        ("en", "that's it"),
        ("en", "ok, that is the one"),
        ("pt", "é isso mesmo"),
        ("pt", "sim, é isso."),
        ("pt", "isso mesmo, obrigado"),
    ],
)
@in_a_loop
async def test_a_whole_yes_confirms_though_it_could_close(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "gopro hero9", said)
    assert visitor.state["product"] == "HERO9 Black"


@pytest.mark.parametrize(
    ("language", "said"), [("en", "that's all"), ("en", "nothing else"), ("pt", "mais nada")]
)
@in_a_loop
async def test_a_farewell_stays_one(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, "gopro hero9", said)
    assert "product" not in visitor.state


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "the M1 one, space grey, 8GB, 512 GB"),
        ("en", "it's the 2020 one, 8 GB of RAM and 512GB"),
        ("pt", "o M1, cinzento sideral, 8 GB, 512 GB"),
        ("pt", "o de 2020, 8 GB de RAM, 512 GB"),
    ],
)
@in_a_loop
async def test_one_of_a_list_that_is_named_beside_its_sizes_is_confirmed(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "macbook air", said)
    assert visitor.state["product"] == "MacBook Air (M1, 2020)"


@in_a_loop
async def test_the_value_that_was_said_last_counts(harness: RunnerHarness) -> None:
    texts = (
        "macbook air",
        "the M1 one, space grey, 8GB, 512 GB",
        "yes. wait, checked, the disk is 256 not 512",
    )
    visitor = await talk(harness, "en", *texts)
    assert "256 GB" in legend(visitor)
    await visitor.say("yes")
    assert visitor.state["options"] == {"Memory": "8 GB", "Storage": "256 GB", "Colour": "Space grey"}


@in_a_loop
async def test_a_puzzled_word_before_a_statement_is_no_question(harness: RunnerHarness) -> None:
    _, said = await last_reply(
        harness, "en", "macbook pro", "what? it is the macbook air m1, just with 256 GB"
    )
    assert "program" not in said and "MacBook Air (M1, 2020)" in said


@pytest.mark.parametrize(
    ("language", "texts", "offered"),
    [
        ("pt", ["samsung galaxy a52", "e o a52 normal, sem ser o 5g"], False),
        ("pt", ["samsung galaxy a52", "e o a52 normal, sem ser o 5g", "nao, o meu é o 4g"], False),
        (
            "pt",
            ["samsung galaxy a52", "e o a52 normal, sem ser o 5g", "entao o a52 nao da para vender aqui?"],
            False,
        ),
        ("pt", ["samsung galaxy a52", "não é o 5g", "samsung galaxy a52 4g"], False),
        ("en", ["samsung a52", "no, not the 5G", "what about the a52 then"], False),
        ("en", ["samsung galaxy a52", "no", "a samsung galaxy a52"], False),
        ("pt", ["samsung galaxy a52", "não é o 5g", "afinal é o galaxy a52s 5g"], True),
        ("en", ["samsung galaxy a52"], True),
    ],
)
@in_a_loop
async def test_a_refused_product_is_offered_again_only_by_its_whole_name(
    harness: RunnerHarness, language: str, texts: list[str], offered: bool
) -> None:
    visitor = await talk(harness, language, *texts)
    assert any("A52s" in each for each in shown(visitor)) == offered
    assert offered or len(shown(visitor)) == 0


@pytest.mark.parametrize(
    ("language", "text", "quoted"),
    [
        ("en", "I would like to sell my DJI Mini 2 Fly More Combo drone, grey, bought on Amazon in June 2021. It comes "
         "with three batteries. It has done about 20 flights and flies fine, no crashes.", "“DJI Mini 2 Fly More”"),
        ("pt", "Quero vender a minha Makita DHP453, comprada em 2020. Já fez uns 30 furos e ainda fura bem.",
         "«Makita DHP453»"),
    ],
)  # fmt: skip
@in_a_loop
async def test_the_name_behind_the_wish_to_sell_is_quoted(
    harness: RunnerHarness, language: str, text: str, quoted: str
) -> None:
    _, said = await last_reply(harness, language, text)
    assert quoted in said


@pytest.mark.parametrize(
    ("language", "text", "answers"),
    [
        ("en", "Do you take any drones at all? And if I sell something, when do I get paid?",
         ("No, “drones”", "how you are paid")),
        ("en", "Do you take strollers? And when do I get paid?", ("Yes, that can be sold here", "how you are paid")),
        ("pt", "Aceitam guitarras? E quando é que me pagam?", ("«guitarras»", "recebe o dinheiro")),
        ("pt", "compram bicicletas? e quando é que me pagam?", ("isso pode vender-se aqui", "recebe o dinheiro")),
        ("en", "when do I get paid?", ("how you are paid",)),
        ("en", "do you take guitars?", ("No, “guitars”",)),
    ],
)  # fmt: skip
@in_a_loop
async def test_two_questions_get_two_answers_and_none_twice(
    harness: RunnerHarness, language: str, text: str, answers: tuple[str, ...]
) -> None:
    _, said = await last_reply(harness, language, text)
    assert [said.count(each) for each in answers] == [1] * len(answers)


@pytest.mark.parametrize(
    ("language", "texts", "products"),
    [
        ("pt", ["tenho aqui uma aparafusadora Bosch Professional GSR 12V-15, isso compram?"], []),
        ("pt", ["roomba", "Não, isso é um aspirador. É uma aparafusadora da Bosch."], []),
        ("en", ["roomba", "no, that's a vacuum. Mine is a drill by Bosch"], []),
        ("pt", ["bicicleta", "não, isso é uma trotinete. A minha é uma bicicleta Triban"], ["RC 120", "RC 500"]),
        ("en", ["stroller", "no, that's a Bugaboo Fox, in grey"], ["Aluminium", "Black"]),
        ("pt", ["tenho um carrinho de bebé Chicco para vender", "nao", "e carrinhos doutra marca tao a aceitar?"],
         ["Fox", "Bee 5"]),
    ],
)  # fmt: skip
@in_a_loop
async def test_what_is_said_of_the_guess_is_no_wish(
    harness: RunnerHarness, language: str, texts: list[str], products: list[str]
) -> None:
    visitor = await talk(harness, language, *texts)
    assert shown(visitor)[: max(1, len(products))] == products


@pytest.mark.parametrize(
    ("language", "text", "product"),
    [
        ("en", "Lenovo ThinkPad T480, 16 GB, 256 GB SSD, i5", "ThinkPad T480"),
        ("pt", "Lenovo ThinkPad T480 i5-8350U, 16 GB RAM, 512GB SSD, Windows 11", "ThinkPad T480"),
        (
            "pt",
            "Kindle Paperwhite de 2021, preto, de 8 GB, com publicidade, ecrã sem riscos",
            "Kindle Paperwhite (2021)",
        ),
        ("en", "a macbook air from 2020, 8gb", "MacBook Air (M1, 2020)"),
        ("pt", "tenho um macbook air de 2022 meia-noite", "MacBook Air (M2, 2022)"),
        ("en", "roomba i7", "Roomba i7"),
    ],
)
@in_a_loop
async def test_a_product_that_is_told_by_more_than_its_name_is_proposed_alone(
    harness: RunnerHarness, language: str, text: str, product: str
) -> None:
    visitor = await talk(harness, language, text)
    assert len(shown(visitor)) == 2 and shown(visitor)[0].endswith(product)


@pytest.mark.parametrize(
    ("message", "year"),
    [
        ("kindle paperwhite de 2021", "2021"),
        ("the 2018 paperwhite, bought in 2021", "2018"),
        ("kindle paperwhite comprado em 2021", ""),
        ("bought my kindle paperwhite in June 2021", ""),
        ("kindle paperwhite de maio de 2021", ""),
        ("kindle paperwhite", ""),
    ],
)
def test_the_year_of_a_purchase_is_not_that_of_the_model(message: str, year: str) -> None:
    names = ("Kindle Paperwhite (2021)", "Kindle Paperwhite (2018)")
    matches = [
        Match(place, name, 1, "Amazon", 11, "Tablets", 0.85, exact=False) for place, name in enumerate(names)
    ]
    found = of_told_year(Found(2, matches), message)
    assert (found[0] if found else "") == (f"Amazon Kindle Paperwhite ({year})" if year else "")


@pytest.mark.parametrize(
    ("message", "query", "name"),
    [
        ("e o a52 normal, sem ser o 5g", "a52 normal", "a52"),
        ("uma aparafusadora da Bosch", "aparafusadora Bosch", "aparafusadora da Bosch"),
        ("a normal", "normal", "normal"),
    ],
)
def test_a_word_for_the_plain_model_is_no_part_of_the_name(message: str, query: str, name: str) -> None:
    assert written_name(message, query) == name


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "pt",
            [
                "uma bicicleta elétrica Xpto Z9",
                "e não há maneira de a vender aqui na mesma? avisam quando houver?",
            ],
        ),
        ("pt", ["berbequim makita", "posso vender na mesma?"]),
        ("pt", ["berbequim makita", "podem avisar-me quando aceitarem?"]),
        (
            "en",
            ["makita drill", "is there no way to sell it here anyway? will you let me know when it's there?"],
        ),
        ("en", ["makita drill", "can you notify me when you take them?"]),
    ],
)
@in_a_loop
async def test_a_wish_for_what_is_not_in_the_catalog_is_answered_without_a_search(
    harness: RunnerHarness, language: str, texts: list[str]
) -> None:
    _, said = await last_reply(harness, language, *texts)
    assert ("no notices" if language == "en" else "não se enviam avisos") in said


@pytest.mark.parametrize(
    ("language", "texts", "asked"),
    [
        ("en", ["nintendo switch oled", "yes", "just the normal one. when do i get paid btw?"], "Standard"),
        ("pt", ["nintendo switch oled", "sim", "a normal. e quando é que recebo?"], "Padrão"),
        ("pt", ["ipad air 2020 azul", "sim"], "Azul-celeste"),
        ("en", ["airpods max, blue", "yes"], "Sky blue"),
        ("en", ["iphone 12 black 128", "yes", "ok, but it is white"], "White"),
    ],
)
@in_a_loop
async def test_a_value_that_was_told_is_proposed(
    harness: RunnerHarness, language: str, texts: list[str], asked: str
) -> None:
    visitor = await talk(harness, language, *texts)
    assert asked in legend(visitor)


@pytest.mark.parametrize(
    "said", ["ipad air 2020 com capa azul", "ipad air 2020 sem cor azul no ecrã", "ipad air 2020"]
)
@in_a_loop
async def test_the_colour_of_an_accessory_is_not_proposed(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", said, "sim")
    assert "celeste" not in legend(visitor)


@pytest.mark.parametrize(
    ("language", "texts", "created"),
    [
        ("pt", ["iphone 12 preto 128", "sim", "pode ser. tem a bateria a 88"], True),
        ("en", ["iphone 12 black 128", "yes", "fine, battery's at 88"], True),
        ("en", ["iphone 12 black 128", "yes", "ok, wait"], False),
        ("pt", ["iphone 12 preto 128", "sim", "pode ser, mas é o branco"], False),
        ("pt", ["iphone 12 preto 128", "sim", "tem a bateria a 88"], False),
    ],
)
@in_a_loop
async def test_a_yes_with_a_fact_behind_it_creates_the_item(
    harness: RunnerHarness, language: str, texts: list[str], created: bool
) -> None:
    visitor = await talk(harness, language, *texts)
    assert ("reference" in visitor.state) == created


@in_a_loop
async def test_a_fact_behind_the_yes_is_asked_back_at_its_question(harness: RunnerHarness) -> None:
    texts = "iphone 12 preto 128", "sim", "pode ser. tem a bateria a 88", "excelente", "sim"
    assert "88\xa0%" in legend(await talk(harness, "pt", *texts))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Also I can talk to a person?"),
        ("en", "could i also speak to someone?"),
        ("pt", "também posso falar com uma pessoa?"),
    ],
)
@in_a_loop
async def test_a_wish_for_a_person_is_answered(harness: RunnerHarness, language: str, said: str) -> None:
    _, told = await last_reply(harness, language, said)
    assert ("A program answers" if language == "en" else "programa") in told


@pytest.mark.parametrize(
    ("language", "said", "told", "near"),
    [
        ("en", "Galaxy Tab S7 FE", "Galaxy Tab S7 FE", "Galaxy Tab"),
        ("en", "i have a galaxy s21 fe to sell", "galaxy s21 fe", "Galaxy S21"),
        ("pt", "tenho um galaxy tab s6 lite para vender", "galaxy tab s6 lite", "Galaxy Tab"),
        ("pt", "galaxy watch 3", "galaxy watch 3", "Galaxy Watch"),
        ("en", "pixel 4a", "pixel 4a", "Pixel"),
        ("en", "moto g9", "moto g9", ""),
        ("pt", "vendo um lenovo tab m10", "lenovo tab m10", ""),
    ],
)
@in_a_loop
async def test_a_model_that_the_catalog_lacks_is_told_plainly_and_nothing_of_another_kind_is_offered(
    harness: RunnerHarness, language: str, said: str, told: str, near: str
) -> None:
    visitor = await talk(harness, language, said)
    text = visitor.replies[-1].text
    assert told in text
    assert any(
        each in text for each in ("does not have", "is not in the catalog", "não tem", "não está no catálogo")
    )
    assert all(each.startswith(("Yes, ", "Sim, ", "No", "Não", near)) for each in shown(visitor))
    assert bool(shown(visitor)) == bool(near)


@pytest.mark.parametrize(
    ("language", "texts", "told", "untold"),
    [
        (
            "pt",
            ("é o Clara HD preto", "Kobo e-reader", "Não, o meu não é o Libra, é o Clara HD"),
            "«Clara HD»",
            "caixa",
        ),
        ("en", ("its a stand up paddle board, sup, from decathlon",), "paddle board", "Bimby"),
        ("en", ("drill Bosch with two batteries and a case, barely used",), "drill", "Bimby"),
        ("en", ("the 50mm f/1.8 STM lens, Canon",), "lens", "EOS"),
        ("en", ("It's the Ektorp footstool, beige",), "Ektorp footstool", "versions"),
        (
            "en",
            ("It's the Ektorp footstool", "None of those, this one is the footstool"),
            "not in the catalog",
            "Is it",
        ),
        ("pt", ("mesa de cabeceira HEMNES",), "cabeceira HEMNES", "versões"),
        ("pt", ("ektorp", "sim", "Nenhum destes, este é o pufe, não é um sofá"), "«pufe»", "criado"),
        (
            "pt",
            ("rockrider 540", "posso vender a bicicleta mesmo não estando no catálogo?"),
            "Aqui só se vende",
            "«",
        ),
        (
            "pt",
            ("é uma mesa", "Não, a minha não é do IKEA, é grande. Não dá mesmo para pôr?"),
            "Aqui só",
            "LACK",
        ),
        ("es", ("vendo un taladro bosch",), "móviles", "«móviles»"),
    ],
)
@in_a_loop
async def test_what_is_not_sold_is_refused_at_once(
    harness: RunnerHarness, language: str, texts: tuple[str, ...], told: str, untold: str
) -> None:
    _, text = await last_reply(harness, language, *texts)
    assert told in text
    assert untold not in text


@pytest.mark.parametrize(
    ("language", "said", "name"),
    [
        ("en", "nikon d3500 and 35mm lens f/1.8", "D3500"),
        ("en", "canon eos m50 with 15-45mm lens", "EOS M50"),
        ("pt", "canon m50 com lente 15-45", "EOS M50"),
        ("pt", "sofá ektorp com pufe", "EKTORP"),
        ("en", "switch lite", "Nintendo Switch Lite"),
    ],
)
@in_a_loop
async def test_a_product_with_a_piece_beside_it_is_found(
    harness: RunnerHarness, language: str, said: str, name: str
) -> None:
    visitor, text = await last_reply(harness, language, said)
    assert name in shown(visitor)[0]
    assert "does not have" not in text


@pytest.mark.parametrize(
    ("language", "texts", "told"),
    [
        ("en", ("ektorp", "yes", "It's the two seater, as I said"), "'2 seats'"),
        ("en", ("ektorp", "yes", "3 seater"), "'3 seats'"),
        ("pt", ("ektorp", "sim", "é o de dois lugares"), "'2 lugares'"),
        ("pt", ("sofá ektorp de três lugares", "sim"), "3 lugares"),
        ("en", ("Dell XPS 13 9310 i7 16gb ram 512 ssd", "yes"), "'16 GB', 'Storage': '512 GB'"),
        ("en", ("XPS 13 9310, i7-1165G7, 512 GB SSD and 16 GB RAM", "yes"), "'16 GB', 'Storage': '512 GB'"),
        ("pt", ("iphone xr", "sim", "espera fui ver, afinal sao 128gb"), "128 GB"),
    ],
)
@in_a_loop
async def test_a_version_is_read_as_people_write_it(
    harness: RunnerHarness, language: str, texts: tuple[str, ...], told: str
) -> None:
    visitor, text = await last_reply(harness, language, *texts)
    assert told in f"{text} {legend(visitor)} {visitor.state.get('options')}"


@pytest.mark.parametrize(
    "said", ["iphone 11 with 4gb ram", "XPS 13 9310 with an 8gb ssd", "iphone 11, 64 songs on it"]
)
@in_a_loop
async def test_a_size_of_another_part_is_no_value(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", said, "yes")
    assert not visitor.state.get("options")
