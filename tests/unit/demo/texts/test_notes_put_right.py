"""Corrections of the notes that are proposed, as sellers type them: a buyer reads no word of the correction."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTES = "smartphones.notes"
EN = ("iphone 12 black 128, comes with box and cable", "yes", "yes", "good", "free", "87", "yes", "2022")
PT = ("vendo iphone 12 preto 128, com fatura e caixa", "sim", "sim", "bom", "livre", "87", "sim", "2022")


async def _proposed(harness: RunnerHarness, language: str) -> HarnessVisitor:
    visitor = await harness.visitor(language)
    for text in EN if language == "en" else PT:
        await visitor.say(text)
    assert ("box and cable" if language == "en" else "fatura e caixa") in legend(visitor)
    return visitor


@pytest.mark.parametrize(
    ("language", "said", "notes"),
    [
        ("en", "No box or receipt, sorry", "cable; no box or receipt"),
        ("en", "no, just write box and case", "box and case"),
        ("en", "almost, add that its unlocked please", "box and cable; its unlocked"),
        ("pt", "espera afinal a caixa nao tenho, deitei fora", "fatura"),
        ("pt", "nao, tira a caixa", "fatura"),
        ("pt", "mete só fatura e cabo", "fatura e cabo"),
        (
            "pt",
            "Está quase. Acrescente só que o vidro não tem riscos, se faz favor",
            "fatura e caixa; o vidro não tem riscos",
        ),
    ],
)
async def test_a_correction_leaves_only_what_a_buyer_reads(
    harness: RunnerHarness, language: str, said: str, notes: str
) -> None:
    visitor = await _proposed(harness, language)
    reply = await visitor.say(said)
    assert f": {notes}. " in legend(visitor)
    assert "«nao»" not in reply.text
    await visitor.say("Agora sim, está tudo certo." if language == "pt" else "now its right")
    assert visitor.state["answers"][NOTES] == notes


@pytest.mark.parametrize(
    ("language", "said", "notes"),
    [
        ("en", "yes but make the price 210, i want it gone", "box and cable"),
        ("pt", "sim mas muda o preço para 210", "fatura e caixa"),
    ],
)
async def test_a_yes_beside_a_price_takes_both(
    harness: RunnerHarness, language: str, said: str, notes: str
) -> None:
    visitor = await _proposed(harness, language)
    await visitor.say(said)
    assert visitor.state["answers"][NOTES] == notes
    if "asking_price" not in visitor.state["answers"]:
        assert "210" in legend(visitor)


async def test_a_question_for_the_price_leaves_nothing_in_the_notes(harness: RunnerHarness) -> None:
    visitor = await _proposed(harness, "en")
    await visitor.say("where do i put the price? its 210 euro now")
    assert ": box and cable. " in legend(visitor)


async def test_a_sentence_that_opens_the_sale_is_no_note(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    for text in (
        "hey sellign my sony wh1000 xm5 hedphones",
        "oh no sory its the xm4 not xm5",
        "yes",
        "black",
        "excellent",
        "yes",
        "yes everything works",
        "10 hours",
        "yes",
        "2022",
    ):
        await visitor.say(text)
    await visitor.say("no not xm5. just write got it from the sony shop, asking 110")
    assert ": got it from the sony shop. " in legend(visitor)


async def test_a_denied_thing_does_not_read_as_one_of_a_list(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("pt")
    shown = list[str]()
    for text in (
        "vendo bugaboo fox, vai com capa de chuva e adaptadores, a alcofa não está incluída",
        *("sim", "preta", "bom", "sim", "limpos", "sim", "2022", "sim", "sim"),
    ):
        await visitor.say(text)
        shown.append(str(visitor.open_blocks()))
    assert any("capa de chuva e adaptadores; a alcofa não está incluída" in each for each in shown)
