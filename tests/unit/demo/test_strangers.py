"""Strangers who sell by chatting: each of the table is understood, and nothing that they did not say is stored."""

import json

import pytest

from tests.parts.sampled import is_whole
from tests.unit.demo.harness import RunnerHarness
from tests.unit.demo.strangers_read import converse, faults, strangers

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(240)]

LANGUAGES, EACH, MOST_UNMET = ("pt", "en"), [63, 68], 5


@pytest.mark.parametrize("language", LANGUAGES)
async def test_strangers_are_handled_and_no_wrong_value_is_stored(
    harness: RunnerHarness, language: str
) -> None:
    """`make test` lets each third one talk, 44 of them, and `make conformance` all."""
    unmet, wrong, better = [], [], []
    for person in strangers(language)[:: 1 if is_whole() else 3]:
        visitor = await harness.visitor(language)
        await converse(person, visitor)
        missing, harm = faults(person, visitor)
        wrong += [f"{person.name}: {each}" for each in harm]
        if missing and not person.reason:
            unmet.append(f"{person.name}: {missing}")
        if person.reason and not missing and not harm:
            better.append(person.name)
    assert not wrong
    assert not unmet, "\n".join(unmet)
    assert not better, "these are handled now: take their reason out of the table"


async def test_the_table_has_its_people_of_each_language_and_few_that_are_not_handled() -> None:
    people = [person for language in LANGUAGES for person in strangers(language)]
    assert [len(strangers(language)) for language in LANGUAGES] == EACH
    assert len({person.name for person in people}) == len(people)
    assert all(person.outcome for person in people)
    assert sum(bool(person.reason) for person in people) <= MOST_UNMET


async def test_no_line_tells_of_a_question_that_was_never_shown(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    await visitor.say("ipad mini 6 purple 64 wifi only")
    reply = await visitor.say("yes")
    assert reply.calls.count("select_option") > 1, "several values are asked back in one run"
    blocks = [each["content"] for each in visitor.transcript.messages if each.get("activityType") == "block"]
    assert [each["legend"] for each in blocks if each["status"] == "closed"] == []
    assert len(visitor.open_blocks()) == 1


async def test_an_early_answer_is_asked_back_and_not_stored_before_a_yes(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("pt")
    for text in (
        "iphone 12 preto de 128 gb, bateria a 87, comprado em março de 2022",
        "sim",
        "sim",
        "bom",
        "sim",
    ):
        await visitor.say(text)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "smartphones.battery_health" and "87" in asked["legend"]
    assert "smartphones.battery_health" not in visitor.state["answers"], (
        "nothing is stored before it is confirmed"
    )
    await visitor.say("não, é 81")
    assert visitor.state["answers"]["smartphones.battery_health"].startswith("81")


async def test_a_refused_answer_keeps_the_value_that_is_asked_back(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("pt")
    for text in ("iphone 12 preto de 128", "sim", "sim", "tem umas marcas", "xpto fgh"):
        await visitor.say(text)
    (asked,) = visitor.open_blocks()
    assert asked["choices"][0]["value"] == "answer:right"
    await visitor.say("acho q sim")
    assert visitor.state["answers"] == {"smartphones.condition": "Bom"}


async def test_a_hedged_yes_does_not_refuse_the_item(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    for text in ("iphone 12 black 128", "yes", "yes", "good", "it is locked", "i think so"):
        await visitor.say(text)
    assert visitor.state["status"] == "draft"
    (asked,) = visitor.open_blocks()
    assert asked["choices"][0]["value"] == "answer:right"
    await visitor.say("yes")
    assert visitor.state["status"] == "refused"


async def test_a_fault_that_is_said_alone_is_asked_back_with_its_words(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("pt")
    for text in ("iphone 12 preto de 128", "sim", "sim", "bom", "sim ta livre", "87", "pequeno risco"):
        await visitor.say(text)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "smartphones.screen" and "Sim (pequeno risco)" in asked["legend"]
    await visitor.say("sim")
    assert visitor.state["answers"]["smartphones.screen"] == "Sim (pequeno risco)"


async def test_doubtful_options_of_the_first_message_are_asked_back_in_turn(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("pt")
    await visitor.say("quero vender um iphone 12, acho que é preto e talvez 128 gb")
    asked = []
    for _ in range(3):
        await visitor.say("sim")
        asked.append([each.get("legend") for each in visitor.open_blocks()])
    assert asked[:2] == [["Percebi: 128 GB. Certo?"], ["Percebi: Preto. Certo?"]]
    assert visitor.state["options"] == {"Armazenamento": "128 GB", "Cor": "Preto"}


async def test_a_second_item_is_offered_when_the_first_is_done(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("pt")
    reply = await visitor.say("quero vender uma bimby tm5 e uma bicicleta")
    assert "bicicleta" in reply.text
    for text in ("sim", "excelente", "sim", "em bom estado", "sim", "2019", "nada", "sim"):
        await visitor.say(text)
    (card,) = [each for each in visitor.replies[-1].blocks if each["kind"] == "card"]
    assert card["suggestions"] == ["Vender também: bicicleta", "Quero vender outro artigo"]
    reference = visitor.state["reference"]
    reply = await visitor.say("Vender também: bicicleta")
    assert any("bicicleta" in str(block).lower() or "Elops" in str(block) for block in reply.blocks)
    items = await visitor.items()
    assert [each.reference for each in items] == [reference]
    (card,) = [
        each["content"]
        for each in visitor.transcript.messages
        if each.get("activityType") == "block" and each["content"]["kind"] == "card"
    ]
    assert card["status"] == "answered", "nothing on it is offered any more"


@pytest.mark.parametrize(
    ("language", "said", "later"),
    [
        ("pt", "quero vender uma bicicleta e uma cadeira auto e um carrinho", ["cadeira auto", "carrinho"]),
        ("en", "i want to sell an iphone 12 and a bike", ["bike"]),
        ("en", "i have a switch and a ps4, switch first", ["ps4"]),
        ("pt", "tenho uma switch e uma ps4, primeiro a switch", ["ps4"]),
        ("en", "i have a switch and a ps4 charger, switch first", []),
        ("en", "i have an iphone 12 and a case", []),
        ("en", "iphone 12 with a case and a charger", []),
        ("pt", "quero vender um iphone 12 e uma capa", []),
        ("pt", "iphone 12 e um bocado riscado", []),
    ],
)
async def test_only_further_items_of_the_catalog_are_kept_for_later(
    harness: RunnerHarness, language: str, said: str, later: list[str]
) -> None:
    visitor = await harness.visitor(language)
    reply = await visitor.say(said)
    (told,) = [
        json.loads(each["output"])
        for each in reply.result.items
        if each.get("type") == "function_call_output" and "later" in each["output"]
    ][:1]
    assert told["later"] == later


async def test_a_refused_answer_asks_the_question_again_in_its_place(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("pt")
    for text in ("iphone 12 preto de 128", "sim", "sim", "xpto fgh"):
        await visitor.say(text)
    for text, error in (("xpto fgh outra vez", True), ("quem és tu?", False)):
        before = next(each["id"] for each in visitor.transcript.messages[::-1] if "again_of" in str(each))
        await visitor.say(text)
        (asked,) = visitor.open_blocks()
        assert ("error" in asked) == error, text
        assert asked.get("again_of") == (before if error else None), "an aside refuses nothing"
    await visitor.say("bom")
    assert visitor.state["answers"] == {"smartphones.condition": "Bom"}
    shown = [each["content"] for each in visitor.transcript.messages if each.get("activityType") == "block"]
    assert [each["status"] for each in shown if each.get("name") == "smartphones.condition"] == [
        *["closed"] * 3,
        "answered",
    ]
