"""Sentences that tell to change a finished item: each value is asked back for the field that its clause names."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

EN = (
    "iphone 12 black 128",
    "yes",
    "yes",
    "good",
    "free",
    "87",
    "yes",
    "march 2022",
    "case and cable",
    "180 euros",
)
PT = (
    "iphone 12 preto de 128",
    "sim",
    "sim",
    "bom",
    "sim ta livre",
    "87",
    "sim",
    "março 2022",
    "capa e cabo",
    "180€",
)
SEAT = (
    "Maxi-Cosi Pebble Plus",
    "sim",
    "sim",
    "bom",
    "05/2021",
    "sim",
    "sim",
    "não",
    "capa de origem",
    "70 euros",
)
NOTES, DATE, BATTERY = "smartphones.notes", "smartphones.purchase_date", "smartphones.battery_health"


async def _finished(harness: RunnerHarness, language: str) -> HarnessVisitor:
    visitor = await talk(harness, language, *(EN if language == "en" else PT))
    assert visitor.state["status"] == "complete" and not visitor.open_blocks()
    return visitor


@pytest.mark.parametrize(
    ("language", "said", "after"),
    [
        (
            "en",
            "accessories should just say a case, and the date says march, should be October",
            {NOTES: "a case", DATE: "October 2022"},
        ),
        (
            "en",
            "the date should be October, and the notes should only say two cases",
            {NOTES: "two cases", DATE: "October 2022"},
        ),
        (
            "en",
            "the notes should say a case, and the battery should be 80",
            {NOTES: "a case", BATTERY: "80%"},
        ),
        (
            "pt",
            "as notas deviam dizer só capa, e a data diz março, devia ser outubro",
            {NOTES: "capa", DATE: "outubro de 2022"},
        ),
        (
            "pt",
            "a data devia ser outubro, e nas notas devia estar capa e carregador",
            {NOTES: "capa e carregador", DATE: "outubro de 2022"},
        ),
        (
            "pt",
            "as notas ficam «só a capa». a bateria: põe só 81",
            {NOTES: "só a capa", BATTERY: "81\u00a0%"},
        ),
    ],
)
async def test_each_field_gets_its_own_value_after_a_yes(
    harness: RunnerHarness, language: str, said: str, after: dict[str, str]
) -> None:
    visitor = await _finished(harness, language)
    before = dict(visitor.state["answers"])
    await visitor.say(said)
    assert visitor.state["answers"] == before
    for _ in after:
        await visitor.say("yes" if language == "en" else "sim")
    assert visitor.state["answers"] == before | after
    assert not visitor.open_blocks()


SCOOTER = ("xiaomi m365", "yes", "good", "yes", "1200", "lasts as new", "yes", "2022", "nothing")
TROTINETE = ("xiaomi m365", "sim", "bom", "sim", "1200", "dura como nova", "sim", "2022", "nada")
KILOMETRES, BOUGHT = "scooters.kilometres", "scooters.purchase_date"


@pytest.mark.parametrize(
    ("language", "said", "name", "value"),
    [
        ("pt", "km são 1300", KILOMETRES, "1300\u00a0km"),
        ("pt", "afinal são 1300 km", KILOMETRES, "1300\u00a0km"),
        ("en", "it's 1300 km", KILOMETRES, "1,300\u00a0km"),
        ("en", "not 1200, 1300", KILOMETRES, "1,300\u00a0km"),
        ("pt", "é 1300 e não 1200", KILOMETRES, "1300\u00a0km"),
        ("pt", "afinal foi em maio de 2021", BOUGHT, "maio de 2021"),
        ("en", "it was in may 2021 actually", BOUGHT, "May 2021"),
        ("pt", "o carregador afinal não vai", "scooters.charger", "Não"),
        ("pt", "afinal a bateria dura menos", "scooters.battery", "Dura menos"),
        ("en", "the battery lasts less actually", "scooters.battery", "Lasts less"),
    ],
)
async def test_a_value_corrects_the_one_answer_that_it_can_be_of(
    harness: RunnerHarness, language: str, said: str, name: str, value: str
) -> None:
    visitor = await talk(harness, language, *(SCOOTER if language == "en" else TROTINETE), said)
    before = dict(visitor.replies[-2].result.state["answers"])
    if visitor.open_blocks():
        assert visitor.state["answers"] == before
        await visitor.say("yes" if language == "en" else "sim")
    assert visitor.state["answers"] == before | {name: value}
    assert not visitor.open_blocks() and visitor.state.get("price") is None


@pytest.mark.parametrize(
    ("language", "said"), [("pt", "afinal são 3 anos"), ("en", "its 3 years old actually")]
)
async def test_an_age_corrects_the_date(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *(SCOOTER if language == "en" else TROTINETE), said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == BOUGHT and asked["confirm"]["value"] == "answer:right"


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize(
    ("language", "said", "name", "value"),
    [
        ("en", "sorry it was march 2018 actually", BOUGHT, "March 2018"),
        ("en", "thx, oh its 1.3k km not 1.2k", KILOMETRES, "1,300\u00a0km"),
        ("pt", "afinal são 1300 km e não 1200", KILOMETRES, "1300\u00a0km"),
        ("pt", "obrigada, afinal são 1300 km e não 1200", KILOMETRES, "1300\u00a0km"),
        ("pt", "foi em maio de 2021, afinal", BOUGHT, "maio de 2021"),
    ],
)
async def test_a_date_or_a_number_with_its_unit_is_no_price(
    harness: RunnerHarness, language: str, said: str, name: str, value: str, is_kept: bool
) -> None:
    first, *told = SCOOTER if language == "en" else TROTINETE
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(harness, language, f"{first}, 75 euros", *told, *([yes] if is_kept else []), said)
    assert [each["name"] for each in visitor.open_blocks()] == [name]
    await visitor.say(yes)
    assert visitor.state["answers"][name] == value
    assert [each["name"] for each in visitor.open_blocks()] == ([] if is_kept else ["asking_price"])
    assert is_kept == ("75" in str(visitor.state.get("price")))


async def test_a_number_of_another_answer_is_no_note(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *TROTINETE[:-1], "os km são 1300")
    assert [each["name"] for each in visitor.open_blocks()] == [KILOMETRES]


@pytest.mark.parametrize(
    ("language", "said", "added"),
    [
        ("pt", "faltou dizer que é preto, e obrigada", "é preto"),
        (
            "pt",
            "falta dizer que o vidro é novo e que a bateria foi trocada",
            "o vidro é novo e a bateria foi trocada",
        ),
        ("pt", "só falta a cor preta nas notas", "cor preta"),
        ("pt", "o telemóvel é preto mate, acrescente às notas", "o telemóvel é preto mate"),
        ("en", "I forgot to say the back cover was replaced, thanks", "the back cover was replaced"),
        ("en", "can you add to the notes that it comes from a clean home", "it comes from a clean home"),
        ("en", "add a spare cover to the notes please", "a spare cover"),
    ],
)
async def test_what_is_missing_is_asked_to_be_added(
    harness: RunnerHarness, language: str, said: str, added: str
) -> None:
    visitor = await _finished(harness, language)
    before = visitor.state["answers"][NOTES]
    await visitor.say(said)
    assert [each["name"] for each in visitor.open_blocks()] == [NOTES]
    await visitor.say("yes" if language == "en" else "sim")
    assert visitor.state["answers"][NOTES] == f"{before}; {added}"


async def test_an_instruction_is_not_written_beside_an_answer(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *SEAT[:5])
    reply = await visitor.say("sim, isso está certo. só falta a cor cinzenta nas notas")
    assert "«cor cinzenta»" in reply.text
    await visitor.say("não, escreva só Sim")
    assert visitor.state["answers"]["car-seats.label"] == "Sim"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "top, obrigadão!"),
        ("pt", "obrigadinha, filha"),
        ("pt", "não é para vender outra. está bem assim, obrigada menina"),
        ("pt", "não quero vender mais nada"),
        ("en", "I don't want to sell another one, it's fine like this, thanks"),
        ("en", "not selling anything else"),
    ],
)
async def test_thanks_sell_nothing_more(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await _finished(harness, language)
    reply = await visitor.say(said)
    assert not reply.handoffs and not visitor.open_blocks()
    assert ("O artigo está completo" if language == "pt" else "The item is complete") in reply.text


@pytest.mark.parametrize(
    ("language", "said", "left"),
    [
        ("pt", 'tire o "cabo" do fim, filha', "capa"),
        ("pt", "tire o cabo do princípio", "capa"),
        ("en", 'remove the word "cable" from the accessories', "case"),
        ("en", "take the cable out of the notes", "case"),
    ],
)
async def test_a_part_is_taken_out_and_no_item_is_looked_for(
    harness: RunnerHarness, language: str, said: str, left: str
) -> None:
    visitor = await _finished(harness, language)
    assert not (await visitor.say(said)).handoffs
    await visitor.say("yes" if language == "en" else "sim")
    assert visitor.state["answers"][NOTES] == left
