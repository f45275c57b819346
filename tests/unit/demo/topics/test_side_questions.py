"""Side questions that are easily taken for another one: each has its own short answer, and the open question stays."""

import pytest

from server.loopos.common_answers import PRODUCT_ANSWERS
from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

COST = {"cost": {"en": "Listing an item is free.", "pt": "Criar o anúncio é grátis."}}


@pytest.mark.parametrize(
    ("language", "asked", "topic"),
    [
        ("en", "is it free?", "cost"),
        ("en", "who pays the shipping?", "send"),
        ("en", "how much is shipping?", "send"),
        ("en", "how much does the delivery cost?", "send"),
        ("en", "how long does it take?", "time"),
        ("en", "do I need the box?", "matters"),
        ("en", "do I need the receipt?", "matters"),
        ("en", "can I sell without the charger?", "matters"),
        ("en", "what if it doesn't sell?", "sold"),
        ("pt", "é grátis?", "cost"),
        ("pt", "quem paga os portes?", "send"),
        ("pt", "quanto custa o envio?", "send"),
        ("pt", "quanto são os portes?", "send"),
        ("pt", "quanto tempo demora?", "time"),
        ("pt", "preciso da caixa?", "matters"),
        ("pt", "é preciso a fatura?", "matters"),
        ("pt", "e se não vender?", "sold"),
    ],
)
async def test_a_side_question_has_its_answer_at_the_product_the_options_and_the_questions(
    harness: RunnerHarness, language: str, asked: str, topic: str
) -> None:
    visitor = await harness.visitor(language, common_answers=COST)
    answer = {**PRODUCT_ANSWERS, **COST}[topic][language]
    yes = "yes" if language == "en" else "sim"
    for before in ("iphone 12", yes, "128", "black" if language == "en" else "preto"):
        await visitor.say(before)
        waits = [(each["name"], each.get("legend")) for each in visitor.open_blocks()]
        reply = await visitor.say(asked)
        assert answer in reply.text, before
        assert [(each["name"], each.get("legend")) for each in visitor.open_blocks()] == waits
    assert not visitor.state.get("answers")


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("en", "who pays the shipping?", "do you come and collect it?"),
        ("pt", "quem paga os portes?", "vêm cá buscar?"),
    ],
)
async def test_the_same_answer_to_two_questions_is_said_twice(
    harness: RunnerHarness, language: str, first: str, second: str
) -> None:
    visitor = await talk(harness, language, "iphone 12", "yes" if language == "en" else "sim", first, second)
    answer = PRODUCT_ANSWERS["send"][language]
    assert all(answer in each.text for each in visitor.replies[-2:])


@pytest.mark.parametrize(
    ("language", "asked", "answer"),
    [
        ("en", "does the building have a lift?", ("not known here", "no information")),
        ("pt", "o prédio tem elevador?", ("não se sabe aqui", "não tenho informação")),
    ],
)
async def test_what_this_chat_does_not_know_is_said_in_one_honest_sentence(
    harness: RunnerHarness, language: str, asked: str, answer: tuple[str, ...]
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(
        harness, language, "iphone 12 black 128" if language == "en" else "iphone 12 preto 128", yes, yes
    )
    before = visitor.open_blocks()[0]["name"]
    reply = await visitor.say(asked)
    assert any(each in reply.text for each in answer)
    assert visitor.open_blocks()[0]["name"] == before


ASKED_ELSEWHERE = [
    ("en", "did you note the chain thing?", "is shown at the last question"),
    ("pt", "apontaste a cena da corrente?", "aparece na última pergunta"),
    ("en", "what about the guitar, cant list it at all?", "Only what is in the catalog"),
    ("pt", "e a guitarra, não dá para pôr à venda?", "Aqui só se vende o que está no catálogo"),
    ("en", "Who will see my answers, and is my name public?", "Only this browser"),
    ("pt", "Quem vai ver as minhas respostas, e o meu nome é público?", "este navegador"),
    ("en", "is it safe to sell here? how do you protect me from scams?", "Nothing is bought"),
    ("pt", "e se me burlarem?", "Nada é comprado"),
    ("en", "do I need the receipt?", "Whether it is needed"),
    ("pt", "Preciso de ter a fatura?", "Se é preciso"),
    ("pt", "onde é que isso vem escrito?", "em aberto"),
]


@pytest.mark.parametrize(("language", "asked", "answer"), ASKED_ELSEWHERE)
async def test_a_question_at_an_item_has_the_answer_to_what_it_surely_asks(
    harness: RunnerHarness, language: str, asked: str, answer: str
) -> None:
    safe = {"en": "Nothing is bought.", "pt": "Nada é comprado."}
    visitor = await harness.visitor(language, common_answers={"safe": safe})
    for each in ("GoPro HERO9", "yes" if language == "en" else "sim"):
        await visitor.say(each)
    waits = visitor.open_blocks()[-1]["name"]
    reply = await visitor.say(asked)
    assert answer in reply.text
    assert PRODUCT_ANSWERS["send"][language] not in reply.text
    assert visitor.open_blocks()[-1]["name"] == waits
    assert not visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "E traz a gaveta que falta? Não, essa perdeu-se. Também faltam os parafusos"),
        ("pt", "Tem os parafusos? Não, perderam-se. Falta uma prateleira"),
        ("en", "Does it come with the missing drawer? No, that one got lost. The screws are missing too"),
    ],
)
async def test_a_question_that_its_writer_answers_has_no_other_answer(
    harness: RunnerHarness, language: str, said: str
) -> None:
    first = (
        ("malm branco 4 gavetas", "sim", "bom")
        if language == "pt"
        else ("malm white 4 drawers", "yes", "good")
    )
    visitor = await talk(harness, language, *first)
    reply = await visitor.say(said)
    told = [PRODUCT_ANSWERS[topic][language] for topic in ("time", "matters", "warranty")]
    assert not any(each in reply.text for each in told)
    assert "não se sabe aqui" not in reply.text and "not known here" not in reply.text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "oof no idea mate, two a day for 5 years so maybe 3500?"),
        ("pt", "não faço ideia, uns dois por dia, talvez uns 3500?"),
    ],
)
async def test_a_guess_with_a_question_mark_is_asked_back(
    harness: RunnerHarness, language: str, said: str
) -> None:
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    first = "magnifica s black" if language == "en" else "magnifica s preta"
    visitor = await talk(harness, language, first, yes, yes, good, yes, yes, said)
    (block,) = [each for each in visitor.open_blocks() if each["name"] == "coffee-machines.coffees"]
    assert "500" in block["legend" if "legend" in block else "label"]
    assert "coffee-machines.coffees" not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "lacking", "asked"),
    [
        ("en", "I want to sell an IKEA Pax wardrobe", "What IKEA furniture can I sell here then?"),
        ("en", "I want to sell an IKEA Pax wardrobe", "What furniture do you take?"),
        ("pt", "Quero vender um roupeiro Pax do IKEA", "Que móveis é que aceitam?"),
    ],
)
async def test_a_question_what_of_a_kind_is_taken_shows_that_kind(
    harness: RunnerHarness, language: str, lacking: str, asked: str
) -> None:
    visitor = await talk(harness, language, lacking, asked)
    assert PRODUCT_ANSWERS["allowed"][language] not in visitor.replies[-1].text
    assert "KALLAX" in [each["label"] for each in visitor.open_blocks()[0]["choices"]]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "I'd like to get around 120 euros for my Apple Watch Series 6, is that possible here?"),
        ("pt", "Quero 120 euros pelo meu Apple Watch Series 6, isso é possível aqui?"),
    ],
)
async def test_a_question_whether_a_price_is_possible_has_the_answer_about_prices(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, said)
    assert PRODUCT_ANSWERS["price"][language] in visitor.replies[-1].text
    assert "Apple Watch Series 6" in visitor.replies[-1].text


@pytest.mark.parametrize(
    ("language", "said", "answer"),
    [
        ("pt", "Qual é a diferença entre os dois? O meu esvazia-se sozinho.", "só se sabe o nome"),
        ("en", "What's the difference between the two? Mine empties itself.", "only the name and the brand"),
    ],
)
async def test_a_difference_asked_before_a_remark_is_not_known(
    harness: RunnerHarness, language: str, said: str, answer: str
) -> None:
    visitor = await talk(harness, language, "roomba", said)
    assert answer in visitor.replies[-1].text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            "No idea, it's an action camera. By the way the USB-C cable is missing and I don't have the box.",
        ),
        ("pt", "Não faço ideia, é uma câmara de ação. Já agora falta o cabo USB-C e não tenho a caixa."),
    ],
)
async def test_what_kind_the_item_is_begins_no_other_one(
    harness: RunnerHarness, language: str, said: str
) -> None:
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    visitor = await talk(harness, language, "GoPro HERO9", yes, good, yes, said)
    assert visitor.open_blocks()[-1]["name"] == "cameras.sensor"
    assert visitor.state["product"] == "HERO9 Black"
