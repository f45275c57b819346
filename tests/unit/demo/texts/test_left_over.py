"""The words of a message that its answer has not used: they are told, and what they correct is corrected."""

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PT = ("iphone 12 64gb azul", "sim", "sim", "bom", "sim", "85", "sim", "há uns 2 anos")
EN = ("iphone 12 64gb blue", "yes", "yes", "good", "yes", "85", "yes", "about 2 years ago")
BATTERY, DATE, NOTES = "smartphones.battery_health", "smartphones.purchase_date", "smartphones.notes"


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        ("en", "yes, and I replaced the battery last year please", "I replaced the battery last year"),
        ("pt", "sim, e perdi o manual", "perdi o manual"),
        ("pt", "sim, não te esqueças que vem de casa sem fumadores", "vem de casa sem fumadores"),
    ],
)
async def test_words_behind_a_yes_that_no_field_takes_are_asked_at_the_last_text(
    harness: RunnerHarness, language: str, said: str, kept: str
) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN))
    reply = await visitor.say(said)
    assert "did not use" not in reply.text and "não foi usado" not in reply.text
    assert visitor.state["answers"][DATE] == "2024"
    await visitor.say("charger" if language == "en" else "carregador")
    assert f"{visitor.state['answers'][NOTES]}; {kept}" in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "talk_beside"),
    [
        ("en", "yep, dad paid for my birthday", "dad paid for my birthday"),
        ("pt", "sim, o meu primo trouxe-o de Lyon", "o meu primo trouxe-o de Lyon"),
    ],
)
async def test_talk_behind_a_yes_is_told_and_not_asked(
    harness: RunnerHarness, language: str, said: str, talk_beside: str
) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN))
    assert talk_beside in (await visitor.say(said)).text
    await visitor.say("charger" if language == "en" else "carregador")
    assert talk_beside not in str(visitor.open_blocks()) + str(visitor.state["answers"])


@pytest.mark.parametrize("said", ["yes roughly", "yes, black friday deal", "yep from amazon"])
async def test_noise_behind_a_yes_is_neither_told_nor_asked(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *EN)
    assert "did not use" not in (await visitor.say(said)).text
    await visitor.say("charger")
    assert visitor.state["answers"][NOTES] == "charger" and visitor.state["status"] == "complete"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        *(
            (("en", each))
            for each in ("yes", "yes thanks", "yes, that's right", "yes it works fine", "yep, 2024")
        ),
        *(
            (("en", each))
            for each in ("yes, as I said", "yeah I think so", "yes, that's it, thank you very much")
        ),
        *(
            (("pt", each))
            for each in ("sim", "sim, obrigado", "sim, é isso", "sim, funciona bem", "sim, 2024")
        ),
        *(
            (("pt", each))
            for each in ("sim, como já disse", "acho que sim", "sim, é isso mesmo, muito obrigada")
        ),
    ],
)
async def test_courtesy_behind_a_yes_is_not_told(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN))
    text = (await visitor.say(said)).text
    assert "did not use" not in text and "não foi usado" not in text
    assert visitor.state["answers"][DATE] == "2024"


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("en", "my cousin sold it to me", "Answer yes or no"),
        ("pt", "foi o meu primo que mo vendeu", "Responda sim ou não"),
        ("en", "charger", "is kept and comes up again"),
        ("pt", "caixa e carregador", "fica guardado e volta a aparecer"),
    ],
)
async def test_a_message_beside_which_the_answer_still_waits_is_told(
    harness: RunnerHarness, language: str, said: str, told: str
) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN))
    before = legend(visitor)
    assert told in (await visitor.say(said)).text
    assert legend(visitor) == before and DATE not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "sim, mas afinal a bateria é 82"),
        ("pt", "sim, afinal a bateria está a 82"),
        ("pt", "sim mas afinal a bateria está nos 82%"),
        ("pt", "sim. enganei-me na bateria, é 82"),
        ("en", "yes, but the battery is actually 82"),
        ("en", "yes but actually the battery's at 82"),
        ("en", "yes. actually battery is 82%"),
        ("en", "yep, actually battery health is 82"),
        ("en", "yes. I got the battery wrong, it's 82"),
    ],
)
async def test_a_yes_with_a_correction_behind_it_is_both(
    harness: RunnerHarness, language: str, said: str
) -> None:
    """The answer that waited is kept, and the earlier one is corrected or asked back."""
    visitor = await talk(harness, language, *(PT if language == "pt" else EN))
    await visitor.say(said)
    assert visitor.state["answers"][DATE] == "2024"
    if visitor.open_blocks()[0]["name"] == BATTERY:
        assert "82" in legend(visitor)
        await visitor.say("sim" if language == "pt" else "yes")
    assert visitor.state["answers"][BATTERY].startswith("82")
    assert visitor.open_blocks()[0]["name"] == NOTES


async def test_a_correction_behind_a_yes_is_no_note_beside_the_answer(harness: RunnerHarness) -> None:
    visitor = await talk(
        harness, "pt", *PT[:6], "está um bocado riscado mas sim", "sim, mas afinal a bateria é 82"
    )
    assert "82" not in visitor.state["answers"].get("smartphones.screen", "")
    assert "82" in legend(visitor)


@pytest.mark.parametrize(
    ("language", "first", "said", "yes"),
    [
        ("en", "iphone 12 64gb blue, back has a dent, asking 200", "charger", "yes"),
        ("en", "iphone 12 64gb blue, back has a dent, asking 200", "charger", "yes that's it"),
        ("pt", "iphone 12 64gb azul, tem uma mossa atrás, peço 200 euros", "carregador", "sim"),
        ("pt", "iphone 12 64gb azul, tem uma mossa atrás, peço 200 euros", "carregador", "sim, é isso"),
    ],
)
async def test_a_yes_to_an_addition_is_a_confirmation(
    harness: RunnerHarness, language: str, first: str, said: str, yes: str
) -> None:
    """Nothing was corrected, and the question that comes was not asked before."""
    start = PT if language == "pt" else EN
    visitor = await talk(harness, language, first, *start[1:], start[1], said)
    assert visitor.open_blocks()[0]["name"] == NOTES
    text = (await visitor.say(yes)).text
    assert ";" in visitor.state["answers"][NOTES] and visitor.open_blocks()[0]["name"] == "asking_price"
    for wrong in ("Corrected", "Changed", "still", "corrigido", "Alterado", "continua", "Falta ainda"):
        assert wrong not in text


async def test_what_is_lost_is_said_once_beside_what_is_there(harness: RunnerHarness) -> None:
    said = (
        "selling my delonghi magnifica s, frother spits, box and booklet included, lost the measuring spoon"
    )
    visitor = await talk(harness, "en", said, "yes", "black", "good")
    for text in ("it works but the frother spits", "yes", "yes", "3000", "yes", "november 2021"):
        await visitor.say(text)
    assert "box and booklet included; lost the measuring spoon" in legend(visitor)
    assert legend(visitor).count("booklet") == 1
