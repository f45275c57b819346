"""Two corrections in one sentence about a finished item: one is taken or asked back, and the other is after it."""

import pytest

from tests.unit.demo.harness import RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

BATTERY = "smartphones.battery_health"
EN = ("iphone 12 black 128", "yes", "yes", "good", "free", "87", "yes", "march 2022", "case and cable")
PT = ("iphone 12 preto de 128", "sim", "sim", "bom", "sim ta livre", "87", "sim", "março 2022", "capa e cabo")


@pytest.mark.parametrize(
    ("language", "price", "said", "after"),
    [
        ("en", "180 euros", "sorry, make the price 170, the battery is 82", ("170", "82", "Black")),
        ("en", "180 euros", "change the price to 160 and the colour to blue", ("160", "87", "Blue")),
        ("en", "", "change the price to 160 and the colour to blue", ("160", "87", "Blue")),
        (
            "pt",
            "250 euros",
            "afinal ponha o preço a 230 e a bateria é 81, enganei-me",
            ("230", "81", "Preto"),
        ),
        ("pt", "250 euros", "afinal ponha o preço a 170", ("170", "87", "Preto")),
        ("en", "180 euros", "sorry, the battery is 82", ("180", "82", "Black")),
        ("pt", "", "150 euros, e a cor não é preto é azul", ("150", "87", "Azul")),
        ("pt", "", "quero 300 euros e a bateria está a 85", ("300", "85", "Preto")),
        ("pt", "", "quero 200 euros, a bateria é 82 e a cor é azul", ("200", "82", "Azul")),
        ("pt", "", "a bateria é 81 e não 87, e peço 200 euros", ("200", "81", "Preto")),
        ("en", "", "I'd like 450 euros, and the battery is 80 not 87", ("450", "80", "Black")),
        ("en", "", "it's blue, not black, and I want 220 euros", ("220", "87", "Blue")),
        ("en", "", "450 for it, and the battery is actually 79", ("450", "79", "Black")),
    ],
)
async def test_both_are_taken(
    harness: RunnerHarness, language: str, price: str, said: str, after: tuple[str, str, str]
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT), *filter(None, [price]), said):
        await visitor.say(text)
    for _ in visitor.open_blocks() * 3:
        if visitor.open_blocks():
            await visitor.say("yes" if language == "en" else "sim")
    answers, options = visitor.state["answers"], visitor.state["options"].values()
    assert after[0] in answers["asking_price"]
    assert after[1] in answers[BATTERY]
    assert after[2] in options
    assert visitor.state["status"] == "complete"


@pytest.mark.parametrize(
    ("language", "said", "date"),
    [
        ("en", "60 euros, bought dec 2021 by the way", "December 2021"),
        ("en", "60 euros and I bought it in dec 2021", "December 2021"),
        ("pt", "60 euros e foi comprado em maio de 2019", "maio de 2019"),
    ],
)
@pytest.mark.parametrize("is_open", [False, True])
async def test_a_date_beside_a_price_is_taken_too(
    harness: RunnerHarness, language: str, said: str, date: str, is_open: bool
) -> None:
    visitor = await harness.visitor(language)
    for text in EN if language == "en" else PT:
        await visitor.say(text)
    if is_open:
        await visitor.click("change", "asking_price")
    await visitor.say(said)
    while visitor.open_blocks():
        await visitor.say("yes" if language == "en" else "sim")
    assert visitor.state["answers"]["smartphones.purchase_date"] == date
    assert "60" in visitor.state["answers"]["asking_price"]


@pytest.mark.parametrize(
    ("language", "said", "beside"),
    [
        ("pt", "450 euros. está como novo e vai com a mala", "capa e cabo; vai com a mala"),
        ("en", "200 euros, and my sister has the receipt", "my sister has the receipt"),
    ],
)
async def test_a_fact_beside_a_price_is_asked_at_the_last_text(
    harness: RunnerHarness, language: str, said: str, beside: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT), said, "yes" if language == "en" else "sim"):
        reply = await visitor.say(text)
    assert beside in str(reply.blocks) and visitor.state["price"]


@pytest.mark.parametrize(
    ("language", "said", "battery", "notes"),
    [
        (
            "en",
            "200 euros and the battery is 82, and there's no box",
            "82%",
            "case and cable; there's no box",
        ),
        (
            "pt",
            "200 euros, a bateria é 82 e não tem caixa",
            "82\N{NO-BREAK SPACE}%",
            "capa e cabo; não tem caixa",
        ),
        (
            "en",
            "200 euros, the case was bought in 2023",
            "87%",
            "case and cable; the case was bought in 2023",
        ),
    ],
)
async def test_a_figure_and_a_fact_beside_a_price_are_both_asked_behind_it(
    harness: RunnerHarness, language: str, said: str, battery: str, notes: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT), said):
        await visitor.say(text)
    while visitor.open_blocks():
        await visitor.say("yes" if language == "en" else "sim")
    answers = visitor.state["answers"]
    assert (answers[BATTERY], answers["smartphones.notes"]) == (battery, notes)
    assert "2022" in answers["smartphones.purchase_date"]


@pytest.mark.parametrize("said", ["200 euros, obrigado", "200 euros e pronto", "quero 200 euros por ele"])
async def test_courtesy_beside_a_price_is_not_named(harness: RunnerHarness, said: str) -> None:
    visitor = await harness.visitor("pt")
    for text in PT:
        await visitor.say(text)
    assert "ainda não mudou nada" not in (await visitor.say(said)).text


@pytest.mark.parametrize(
    ("language", "last", "said"),
    [
        ("en", "case and cable", "250, or is that too much?"),
        ("en", "case, and how much will I get?", "250, or is that too much?"),
        ("pt", "capa e cabo", "250 euros, ou é demais?"),
        ("pt", "capa, e quanto é que me pagam?", "250 euros, é muito?"),
    ],
)
async def test_a_price_with_a_question_is_asked_back_and_the_question_is_answered(
    harness: RunnerHarness, language: str, last: str, said: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (EN if language == "en" else PT)[:-1]:
        await visitor.say(text)
    reply = await visitor.say(last)
    is_asked = last.endswith("?")
    assert [each["name"] for each in visitor.open_blocks()] == ["asking_price"] * is_asked
    assert "The catalog has no prices" not in reply.text and "não vem do catálogo" not in reply.text
    told = (await visitor.say(said)).text
    assert any(each in told for each in ("You set the price", "O preço é consigo"))
    assert ("Similar ones" if language == "en" else "Parecidos neste estado") in told
    await visitor.say("yes" if language == "en" else "sim")
    assert "250" in visitor.state["answers"]["asking_price"]


@pytest.mark.parametrize(
    ("language", "said", "price"),
    [
        ("en", "make it 170", "170"),
        ("en", "hmm, make it 170. ta", "170"),
        ("en", "make that 170 instead", "170"),
        ("en", "put it at 170", "170"),
        ("pt", "põe 170", "170"),
        ("pt", "hmm, faz 170. obrigado", "170"),
        ("pt", "mete 170 então", "170"),
    ],
)
async def test_a_bare_figure_that_is_put_at_a_finished_item_is_its_price(
    harness: RunnerHarness, language: str, said: str, price: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT), "200 euros", said):
        await visitor.say(text)
    if visitor.open_blocks():
        assert [each["name"] for each in visitor.open_blocks()] == ["asking_price"]
        await visitor.say("yes" if language == "en" else "sim")
    assert price in visitor.state["answers"]["asking_price"]
