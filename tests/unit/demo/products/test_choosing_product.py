"""A product that is chosen by what people say of it: variants, facts before a yes, questions beside, leaving."""

from datetime import UTC, datetime

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def talk(harness: RunnerHarness, language: str, *texts: str) -> tuple[HarnessVisitor, str]:
    visitor = await harness.visitor(language)
    for text in texts:
        reply = await visitor.say(text)
    return visitor, reply.text


def shown(visitor: HarnessVisitor) -> list[str]:
    """Return the products of the open block, without the no."""
    return [
        each["label"].split(", ", 1)[-1]
        for each in visitor.open_blocks()[0]["choices"]
        if each["value"] != "no"
    ]


@pytest.mark.parametrize(
    ("language", "texts", "product"),
    [
        ("en", ["ok but it's the airpods pro second gen"], "AirPods Pro 2"),
        ("pt", ["airpods pro segunda geração"], "AirPods Pro 2"),
        ("en", ["airpods pro", "yes", "no wait, it's the second generation, do you have that one?"], "AirPods Pro 2"),
        ("pt", ["airpods pro", "sim", "afinal são os de segunda geração"], "AirPods Pro 2"),
        ("en", ["iphone 12", "yes", "actually it's the pro max"], "iPhone 12 Pro Max"),
        ("en", ["ipad", "it says 10th generation on the settings page"], "iPad (2022)"),
        ("pt", ["ipad", "diz 9.ª geração nas definições"], "iPad (2021)"),
        ("pt", ["tenho uma airfryer philips", "é a essential, aquela mais pequena"], "Airfryer Essential (HD9252)"),
        ("en", ["airfryer philips", "the essential one, the smaller"], "Airfryer Essential (HD9252)"),
        ("en", ["Sony a6000 with kit lens", "sorry it's actually the a6400, not the a6000"], "Alpha 6400"),
        ("pt", ["Sony a6000", "afinal é a a6400 e não a a6000"], "Alpha 6400"),
        ("en", ["kindle or ipad, which sells better?", "kindle paperwhite", "the 2021 one, how much do you think?"],
         "Kindle Paperwhite (2021)"),
        ("en", ["iphone 12", "it's not the 12, it's the 13"], "iPhone 13"),
        ("en", ["garmin forerunner 245", "nearly, mine is the 245 Music, the one that holds songs"], "Forerunner 245"),
        ("pt", ["iphone 12", "quase, o meu é o 12 mini"], "iPhone 12 mini"),
    ],
)  # fmt: skip
async def test_a_variant_is_found_beside_what_is_on_offer(
    harness: RunnerHarness, language: str, texts: list[str], product: str
) -> None:
    visitor, said = await talk(harness, language, *texts)
    assert shown(visitor) == [product]
    assert not any(each in said for each in ("not in the catalog", "No exact", "não está", "Não encontrei"))


@pytest.mark.parametrize(
    ("language", "offered", "texts"),
    [
        ("en", "iphone 12", ["bosch drill"]),
        ("pt", "iphone 12", ["berbequim bosch"]),
        ("en", "galaxy phones", ["north face jacket"]),
    ],
)
async def test_what_is_not_sold_here_is_not_taken_for_what_is_on_offer(
    harness: RunnerHarness, language: str, offered: str, texts: list[str]
) -> None:
    visitor, said = await talk(harness, language, offered, *texts)
    assert any(each in said for each in ("The catalog does not have", "is not in the catalog", "não"))
    (offer,) = visitor.open_blocks()
    assert offer["name"] in ("confirm", "product") and "drill" not in str(offer["choices"]).casefold()
    assert visitor.state.get("product_id") is None


@pytest.mark.parametrize(
    ("language", "product", "said", "price", "year"),
    [
        ("pt", "Canon 250D", "comprei em 2021 e quero 400€ por ela", "400", "2021"),
        ("pt", "canon eos 250d", "custa 400€ e tem 2 anos", "400", str(datetime.now(UTC).year - 2)),
        ("en", "canon eos 250d", "bought it in 2021, I'd want 400 euros", "400", "2021"),
        ("en", "canon eos 250d", "it works fine and I'm asking 350 euros", "350", ""),
    ],
)
async def test_facts_instead_of_a_yes_are_kept_and_the_product_stays(
    harness: RunnerHarness, language: str, product: str, said: str, price: str, year: str
) -> None:
    yes = "sim" if language == "pt" else "yes"
    visitor, told = await talk(harness, language, product, said)
    assert shown(visitor) == ["EOS 250D"]
    assert "catálogo" not in told and "catalog" not in told
    options = ("só o corpo", "preto") if language == "pt" else ("body only", "black")
    for text in (yes, *options, yes, "bom" if language == "pt" else "good", yes, "12000", yes):
        await visitor.say(text)
    block = visitor.open_blocks()[0]
    assert block["name"] == "cameras.purchase_date" and (not year or year in block["legend"])
    for text in (yes if year else "2020", "nada" if language == "pt" else "nothing"):
        await visitor.say(text)
    assert price in visitor.open_blocks()[0]["legend"]


async def test_facts_told_at_the_options_are_said_to_be_kept(harness: RunnerHarness) -> None:
    said = "it's in great shape, bought in march 2021, no box but the charger goes with it"
    _, told = await talk(harness, "en", "iphone 13", "yes", said)
    assert "is kept and comes up again" in told
    _, told = await talk(harness, "en", "bugaboo bee 5, black", "yes", said)
    assert "is kept and comes up again" in told


@pytest.mark.parametrize(
    ("language", "offered", "said"),
    [
        ("pt", "quero vender um telemóvel mas não sei o modelo, é samsung", "tem três câmaras atrás"),
        ("pt", "galaxy samsung", "tem ecrã curvo"),
        ("en", "samsung phone", "it has three cameras at the back"),
    ],
)
async def test_a_remark_of_what_it_has_keeps_the_list(
    harness: RunnerHarness, language: str, offered: str, said: str
) -> None:
    visitor, _ = await talk(harness, language, offered)
    before = shown(visitor)
    await visitor.say(said)
    assert shown(visitor) == before


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ["Brompton folding bike", "no, none of those. i give up on the bike then, thanks"]),
        ("en", ["ikea dining table and 4 chairs", "forget it, I'll try somewhere else"]),
        ("en", ["ikea dining table", "leave it"]),
        ("en", ["iphone 12", "no thanks, I'll sell it elsewhere"]),
        ("en", ["dyson airwrap", "ok thanks, that's all"]),
        ("pt", ["berbequim bosch a bateria, o carregador avariou", "ok, então mais nada"]),
        ("pt", ["iphone", "vou tentar noutro sítio, obrigado"]),
        ("pt", ["iphone 12", "não, desisto"]),
        ("pt", ["iphone 12", "é melhor não, fica para a próxima"]),
        ("pt", ["forno elétrico", "deixe estar"]),
    ],
)
async def test_leaving_is_understood_before_a_product_is_chosen(
    harness: RunnerHarness, language: str, texts: list[str]
) -> None:
    visitor, said = await talk(harness, language, *texts)
    assert ("It stops here" if language == "en" else "Fica por aqui") in said
    assert not visitor.replies[-1].calls


@pytest.mark.parametrize(
    ("language", "texts", "answer", "product"),
    [
        ("pt", ["como é que me pagam? quero vender um apple watch se 2"], "diz-lho a loja", "Apple Watch SE (2022)"),
        ("pt", ["iphone 12, como é que me pagam?"], "diz-lho a loja", "iPhone 12"),
        ("en", ["how do I get paid? I want to sell an iphone 12"], "the shop tells you", "iPhone 12"),
        ("en", ["airpods pro, how do i know I won't get scammed?"], "", "AirPods Pro"),
    ],
)  # fmt: skip
async def test_a_product_beside_a_question_is_found_and_the_question_answered(
    harness: RunnerHarness, language: str, texts: list[str], answer: str, product: str
) -> None:
    visitor, said = await talk(harness, language, *texts)
    assert shown(visitor) == [product] and answer in said


@pytest.mark.parametrize(
    ("language", "texts", "answer", "value"),
    [
        ("pt", ["ipad 9", "sim", "wifi só, e quanto me dão por ele?"], "preço", "Wi-Fi"),
        ("en", ["ipad 9", "yes", "silver, and how much can I get?"], "prices", "Silver"),
        ("en", ["iphone 12", "yes", "128, how do you pay?"], "the shop tells you", "128 GB"),
    ],
)
async def test_a_value_beside_a_question_is_taken_and_the_question_answered(
    harness: RunnerHarness, language: str, texts: list[str], answer: str, value: str
) -> None:
    visitor, said = await talk(harness, language, *texts)
    assert value in visitor.state["options"].values() and answer in said


@pytest.mark.parametrize(
    ("language", "texts", "value"),
    [
        ("en", ["garmin forerunner 245", "yes", "not the music one", "yes"], "Without Music"),
        ("en", ["garmin forerunner 245", "yes", "it's not the music version", "yes"], "Without Music"),
        ("pt", ["garmin forerunner 245", "sim", "sem ser o music", "sim"], "Sem Music"),
        ("pt", ["ipad 9", "sim", "não é o de 64", "sim"], "256 GB"),
    ],
)
async def test_the_value_that_is_left_is_asked_back(
    harness: RunnerHarness, language: str, texts: list[str], value: str
) -> None:
    visitor, _ = await talk(harness, language, *texts)
    assert value in visitor.state["options"].values()


async def test_the_values_that_are_left_are_named(harness: RunnerHarness) -> None:
    visitor, said = await talk(harness, "pt", "iphone 12", "sim", "64", "não é o preto")
    assert "Branco, Vermelho, Verde, Azul ou Roxo" in said and "Cor" not in visitor.state["options"]


@pytest.mark.parametrize(
    ("language", "texts", "name"),
    [
        ("en", ["north face jacket"], "north face jacket"),
        ("en", ["macbook air", "and a dyson airwrap?"], "dyson airwrap"),
        ("pt", ["livros", "então não dá para vender livros?"], "livros"),
        ("pt", ["berbequim bosch", "e uma rebarbadora?"], "rebarbadora"),
    ],
)
async def test_goods_that_are_not_sold_here_are_told_so(
    harness: RunnerHarness, language: str, texts: list[str], name: str
) -> None:
    _, said = await talk(harness, language, *texts)
    assert name in said and "label" not in said and "etiqueta" not in said
    assert not any(
        each in said for each in ("no information", "not known", "não tenho informação", "não se sabe")
    )


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "Boa tarde, tenho aqui um MacBook Air que era da minha filha. É de 2020, com o chip M1"),
        ("en", "I have a MacBook Air from my daughter. It's from 2020 with the M1 chip"),
    ],
)
async def test_a_second_sentence_about_a_part_does_not_replace_the_product(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor, _ = await talk(harness, language, said)
    assert shown(visitor) == ["MacBook Air (M1, 2020)"]


@pytest.mark.parametrize("said", ["era da delonghi", "é da delonghi, já a tenho há 3 anos"])
async def test_a_brand_chooses_from_a_list_of_a_category(harness: RunnerHarness, said: str) -> None:
    visitor, _ = await talk(harness, "pt", "máquina de café", said)
    assert shown(visitor) == ["Magnifica S (ECAM22.110)", "Dedica (EC685)"]


async def test_an_edition_of_the_product_keeps_it_and_is_chosen(harness: RunnerHarness) -> None:
    visitor, _ = await talk(harness, "pt", "ps5", "a digital")
    assert shown(visitor) == ["PlayStation 5"]
    await visitor.say("sim")
    assert "Digital" in visitor.state["options"].values()


async def test_an_english_button_has_no_portuguese_name(harness: RunnerHarness) -> None:
    visitor, _ = await talk(harness, "en", "echo dot 4")
    reply = await visitor.say(visitor.open_blocks()[0]["choices"][0]["label"])
    assert "several versions" in reply.text


@pytest.mark.parametrize(
    ("language", "texts", "quoted"),
    [
        ("en", ["want to sel my dji mini 2 fly more combo 3 batterys n bag, crashd once"], "“dji mini 2 fly more”"),
        ("en", ["I want to sell the monitor too, its a dell u2415"], "“dell u2415”"),
        ("en", ["airfryer xl", "no neither, it's the XL, model HD9270"], "“HD9270”"),
        ("en", ["its a replica rolex submariner got it in turkey"], "only the genuine product"),
        ("pt", ["bugaboo fox", "não, atenção, é a Fox 2, e foi em março que a comprámos"], "«Fox 2»"),
        ("en", ["i want to sell my phone"], "Write its brand or model, and the list gets shorter"),
        ("en", ["north face nuptse puffer jacket mens medium black, no rips, zip works. want 150 for it"],
         "“north face nuptse puffer jacket”"),
        ("pt", ["tenho uma guitarra eletrica squier stratocaster affinity sunburst com saco, quero cento e setenta"],
         "«guitarra eletrica squier stratocaster affinity»"),
        ("en", ["so u dont take drones?"], "No, “drones”"),
        ("en", ["do u take jackets or clothes at all"], "No, “jackets clothes”"),
        ("pt", ["vcs compram impressoras? tenho uma hp deskjet 2720 mas ta sem tinta"], "Não, «impressoras»"),
        ("pt", ["impressora hp", "entao nao aceitam impressoras nenhumas?"], "Não, «impressoras»"),
        ("en", ["do you take laptops?"], "Yes, that can be sold here. "),
        ("pt", ["aceitam bicicletas?"], "Sim, isso pode vender-se aqui. "),
    ],
)  # fmt: skip
async def test_a_few_words_are_quoted_and_a_kind_is_answered_yes_or_no(
    harness: RunnerHarness, language: str, texts: list[str], quoted: str
) -> None:
    _, said = await talk(harness, language, *texts)
    assert quoted in said


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("en", "do u want photos", "picture button"),
        ("pt", "querem fotos?", "botão"),
        ("en", "yeah, can i talk to someone real tho", "A program answers"),
        ("en", "I have an old monitor too, could I sell that with it?", "one item at a time"),
        ("en", "whats that? no idea", "Body only or"),
    ],
)
async def test_a_question_beside_an_open_one_is_answered_for_what_it_is(
    harness: RunnerHarness, language: str, text: str, answer: str
) -> None:
    yes = "sim" if language == "pt" else "yes"
    visitor, said = await talk(harness, language, "canon eos 250d", yes, text)
    assert answer in said and visitor.open_blocks()


async def test_a_product_named_in_capitals_of_its_own_is_an_exact_match(harness: RunnerHarness) -> None:
    _, said = await talk(harness, "en", "camera", "it says eos 250d. my bad")
    assert "does not have" not in said and "not in the catalog" not in said
