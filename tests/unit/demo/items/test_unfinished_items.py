"""The way back to an item that is not finished: after an honest no, and from another item that is begun before it."""

import pytest

from server.html.next_step_buttons import leads_of, ways_back_of
from server.text_reading.wishes.switch_wishes import asked_after, wished_first
from tests.unit.demo.harness import RunnerHarness, legend, talk

BEGUN = {
    "pt": ("vendo um iphone 12 preto 128gb", "sim", "sim"),
    "en": ("I sell a black iPhone 12 with 128gb", "yes", "yes"),
}
CONDITION = {"pt": "Em que estado está o telemóvel?", "en": "What condition is the phone in?"}
ANOTHER = {"pt": "outro artigo", "en": "another item"}
UNSOLD = {"pt": "uma cadeira markus", "en": "a markus chair"}
WAYS_BACK = [
    ("pt", "continuar"),
    ("pt", "Voltar ao iPhone 12 ({reference})"),
    ("en", "continue"),
    ("en", "Back to iPhone 12 ({reference})"),
]


@pytest.mark.parametrize(("language", "said"), WAYS_BACK)
async def test_after_a_no_the_way_back_shows_the_open_question(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *BEGUN[language], ANOTHER[language], UNSOLD[language])
    reference = visitor.state["reference"]
    offered = ways_back_of(visitor.transcript, "submission")
    assert not visitor.open_blocks() and "lead.continue" not in leads_of(visitor.transcript, "submission")
    assert offered == ({"product": "iPhone 12", "reference": reference},)
    reply = await visitor.say(said.format(reference=reference))
    assert legend(visitor) == CONDITION[language] and "get_catalog" not in reply.calls
    assert visitor.state["reference"] == reference


@pytest.mark.parametrize(("language", "said"), [("pt", "continuar"), ("en", "continue")])
async def test_after_a_no_the_product_without_an_item_is_gone_on_with(
    harness: RunnerHarness, language: str, said: str
) -> None:
    begun = BEGUN[language][:2]
    visitor = await talk(harness, language, *begun, ANOTHER[language], UNSOLD[language], said)
    assert visitor.state["product"] == "iPhone 12" and visitor.open_blocks()[-1]["name"] == "options"


BOTH = {
    "pt": ("vendo um iphone 12 preto 128gb e uma ps5", "sim", "sim"),
    "en": ("iphone 12 black 128gb and a ps5", "yes", "yes"),
}
YES, NO = {"pt": "sim", "en": "yes"}, {"pt": "não", "en": "no"}
SWITCHES = [
    ("pt", "posso fazer primeiro a ps5?"),
    ("pt", "quero vender agora a ps5"),
    ("pt", "e a ps5 quando é?"),
    ("en", "can i do the ps5 first"),
    ("en", "do the ps5 now, phone later"),
    ("en", "and the ps5?"),
]


@pytest.mark.parametrize(("language", "said"), SWITCHES)
async def test_another_item_that_is_begun_first_keeps_the_open_one(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *BOTH[language], said)
    reference = visitor.state["reference"]
    (asked,) = visitor.open_blocks()
    assert "ps5" in visitor.replies[-1].text and [each["value"] for each in asked["choices"]] == [
        "ps5",
        "stay",
    ]
    await visitor.click("switch", "ps5")
    await visitor.say(YES[language])
    assert visitor.state["product"] == "PlayStation 5"
    (item,) = await visitor.items()
    assert (item.reference, item.status) == (reference, "draft")
    assert visitor.state["earlier"] == [{"product": "iPhone 12", "reference": reference}]
    await visitor.say(f"{'volta ao' if language == 'pt' else 'back to'} {reference}")
    assert legend(visitor) == CONDITION[language]


@pytest.mark.parametrize(("language", "said"), SWITCHES)
async def test_the_open_item_goes_on_where_the_other_one_does_not_begin(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *BOTH[language], said, NO[language])
    assert legend(visitor) == CONDITION[language] and visitor.state["answers"] == {}


@pytest.mark.parametrize(("language", "said"), SWITCHES)
async def test_a_product_without_an_item_waits_for_the_one_that_is_begun_first(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *BOTH[language][:2], said, YES[language], YES[language])
    assert visitor.state["product"] == "PlayStation 5"
    assert list(visitor.state["_private"]["later"]) == ["Apple iPhone 12"]


@pytest.mark.parametrize(
    ("language", "said", "name"),
    [
        ("pt", "quero vender agora a cadeira markus", "cadeira markus"),
        ("pt", "e a cadeira markus do ikea quando é?", "cadeira markus do ikea"),
        ("en", "can we do the markus chair first", "markus chair"),
        ("en", "i want to sell a car", "car"),
    ],
)
async def test_a_named_thing_that_is_not_sold_here_leaves_the_question_open(
    harness: RunnerHarness, language: str, said: str, name: str
) -> None:
    visitor = await talk(harness, language, *BEGUN[language], said)
    told = f"«{name}» não está no catálogo" if language == "pt" else f"“{name}” is not in the catalog"
    assert told in visitor.replies[-1].text
    assert legend(visitor) == CONDITION[language] and visitor.state["answers"] == {}


@pytest.mark.parametrize(
    ("language", "said"),
    [("pt", "posso fazer primeiro a ps5?"), ("en", "do the ps5 now, bike later")],
)
async def test_a_product_that_is_asked_about_waits_for_the_one_that_is_begun_first(
    harness: RunnerHarness, language: str, said: str
) -> None:
    first = "trek marlin 5 e uma ps5" if language == "pt" else "trek marlin 5 bike and a ps5"
    visitor = await talk(harness, language, first, said, YES[language])
    assert visitor.state["product"] == "PlayStation 5"
    assert "marlin" in " ".join(visitor.state["_private"]["later"])


@pytest.mark.parametrize(
    ("language", "first", "said"),
    [
        ("pt", "iphone 12 e uma ps5", "sim mas e a ps5??"),
        ("pt", "iphone 12 e uma bicicleta", "sim, e a bicicleta?"),
        ("en", "iphone 12 and a bike", "yes but what about the bike?"),
    ],
)
async def test_a_yes_counts_where_the_other_item_is_asked_after(
    harness: RunnerHarness, language: str, first: str, said: str
) -> None:
    visitor = await talk(harness, language, first, said)
    assert visitor.state["product"] == "iPhone 12" and visitor.open_blocks()[0]["name"] == "switch"
    assert ("fica à espera" if language == "pt" else "waits until") in visitor.replies[-1].text


@pytest.mark.parametrize(
    ("language", "first", "said"),
    [
        ("pt", "vendo um iphone 11 e uma bicicleta", "esquece a bicicleta"),
        ("en", "selling an iphone 11 and a bike", "forget the bike"),
    ],
)
async def test_an_item_that_is_dropped_confirms_no_other(
    harness: RunnerHarness, language: str, first: str, said: str
) -> None:
    visitor = await talk(harness, language, first, said)
    assert "product" not in visitor.state and visitor.open_blocks()[0]["name"] == "confirm"
    assert not visitor.state["_private"]["later"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "impressora HP deskjet 2720, e um tablet mas isso fica para depois"),
        ("en", "hp deskjet 2720 printer, and a tablet but that is for later"),
    ],
)
async def test_the_second_of_two_is_gone_on_with_where_the_first_is_not_sold(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, said)
    text = visitor.replies[-1].text
    assert "2720" in text and "tablet mas" not in text and visitor.open_blocks()[0]["name"] == "product"


@pytest.mark.parametrize(
    "said",
    [
        "i want to sell it with the box",
        "quero vender com a caixa",
        "the screen first cracked in 2020",
        "a caixa agora está rasgada",
        "it works now",
        "I'd like to sell my Kindle afterwards",
    ],
)
def test_an_answer_names_no_item_to_begin(said: str) -> None:
    assert not wished_first(said) and not asked_after(said)
