"""A click puts right what was understood: another answer of the question, or the answer without the words beside it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.demo.harness import HarnessVisitor, Reply, RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

RIGHT, WRONG, ALONE = "answer:right", "answer:wrong", "answer:alone"
VACUUM = {"en": ("dyson v11 absolute", "yes"), "pt": ("dyson v11 absolute", "sim")}
PHONE = {
    "en": ("iphone 12 black 128", "yes", "yes"),
    "pt": ("iphone 12 preto 128", "sim", "sim"),
}
CAMERA = {
    "en": ("canon eos 250d with 18-55, black", "yes", "yes"),
    "pt": ("canon eos 250d com 18-55, preta", "sim", "sim"),
}
FAULTY = {
    "en": "good but the battery is a bit tired, missing the wall mount",
    "pt": "bom mas a bateria está fraca",
}
CONDITION = "vacuums.condition"


def choices(visitor: HarnessVisitor) -> list[tuple[str, str]]:
    """Return the values and labels of the only question that waits."""
    (asked,) = visitor.open_blocks()
    return [(each["value"], each["label"]) for each in asked["choices"]]


async def press(visitor: HarnessVisitor, label: str) -> Reply:
    """Click the choice of this label in the only question that waits."""
    (asked,) = visitor.open_blocks()
    choice: dict[str, Any] = next(each for each in asked["choices"] if each["label"] == label)
    return await visitor.click(choice.get("name") or asked["name"], choice["value"], label)


@pytest.mark.parametrize(
    ("language", "labels", "said"),
    [
        ("en", ["Yes, that is it", "Only “Good”", "Excellent", "Fair", "Poor"], "Fair"),
        ("pt", ["Sim, é isso", "Só «Bom»", "Excelente", "Razoável", "Mau"], "Razoável"),
    ],
)
async def test_another_answer_is_stored_by_one_click(
    harness: RunnerHarness, language: str, labels: list[str], said: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], FAULTY[language])
    assert [label for _, label in choices(visitor)] == labels
    assert [value for value, _ in choices(visitor)] == [RIGHT, ALONE, "A", "C", "D"]
    await press(visitor, said)
    assert visitor.state["answers"] == {CONDITION: said}
    assert visitor.open_blocks()[0]["name"] == "vacuums.works"


@pytest.mark.parametrize(
    ("language", "label", "stored"), [("en", "Only “Good”", "Good"), ("pt", "Só «Bom»", "Bom")]
)
async def test_an_answer_is_taken_without_the_words_beside_it(
    harness: RunnerHarness, language: str, label: str, stored: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], FAULTY[language])
    await press(visitor, label)
    assert visitor.state["answers"] == {CONDITION: stored}
    works, nothing = ("works", "nothing") if language == "en" else ("funciona", "nada")
    await visitor.say(works)
    await press(visitor, choices(visitor)[0][1])
    for said in ("40", "yes" if language == "en" else "sim", "2021", nothing):
        await visitor.say(said)
    assert visitor.state["status"] == "complete" and not visitor.open_blocks()
    assert visitor.state["answers"]["vacuums.notes"] == nothing


@pytest.mark.parametrize(
    ("language", "label", "stored"), [("en", "Only “Good”", "Good"), ("pt", "Só «Bom»", "Bom")]
)
async def test_the_label_of_a_choice_may_be_typed(
    harness: RunnerHarness, language: str, label: str, stored: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], FAULTY[language], label)
    assert visitor.state["answers"] == {CONDITION: stored}


@pytest.mark.parametrize(
    ("language", "told", "label", "stored"),
    [
        ("en", "i guess not", "The answer is “Yes”", "Yes"),
        ("en", "i guess yes", "The answer is “No”", "No"),
        ("pt", "acho que não", "A resposta é «Sim»", "Sim"),
        ("pt", "acho que sim", "A resposta é «Não»", "Não"),
    ],
)
async def test_a_yes_or_no_is_turned_by_one_click(
    harness: RunnerHarness, language: str, told: str, label: str, stored: str
) -> None:
    good = "good" if language == "en" else "bom"
    visitor = await talk(harness, language, *CAMERA[language], good, told)
    assert [each for _, each in choices(visitor)][1:] == [label]
    await press(visitor, label)
    assert visitor.state["answers"]["cameras.works"] == stored
    assert visitor.open_blocks()[0]["name"] != "cameras.works"


@pytest.mark.parametrize(("language", "told"), [("en", "i guess yes"), ("pt", "acho que sim")])
async def test_a_typed_no_to_a_yes_asks_the_question_again(
    harness: RunnerHarness, language: str, told: str
) -> None:
    good, no = ("good", "no") if language == "en" else ("bom", "não")
    visitor = await talk(harness, language, *CAMERA[language], good, told, no)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "cameras.works" and RIGHT not in dict(choices(visitor))


@pytest.mark.parametrize(
    ("language", "told", "label"),
    [("en", "it is probably free", "No, it is locked"), ("pt", "acho que está livre", "Não, está bloqueado")],
)
async def test_a_clicked_answer_that_ends_the_sale_is_asked_back(
    harness: RunnerHarness, language: str, told: str, label: str
) -> None:
    good = "good" if language == "en" else "bom"
    visitor = await talk(harness, language, *PHONE[language], good, told)
    await press(visitor, label)
    assert visitor.state["status"] == "draft" and label in legend(visitor)
    await press(visitor, choices(visitor)[1][1])
    assert visitor.state["status"] == "draft" and "smartphones.account_lock" in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said", "label", "stored"),
    [
        ("en", ("iphone 12", "yes", "maybe 128"), "256 GB", {"Storage": "256 GB"}),
        ("pt", ("iphone 12", "sim", "acho que 128"), "256 GB", {"Armazenamento": "256 GB"}),
        ("en", ("iphone 12", "yes", "maybe 128"), "None of these", {}),
        ("pt", ("iphone 12", "sim", "acho que 128"), "Nenhum destes", {}),
    ],
)
async def test_another_value_of_an_option_is_taken_by_one_click(
    harness: RunnerHarness, language: str, said: tuple[str, ...], label: str, stored: dict[str, str]
) -> None:
    visitor = await talk(harness, language, *said)
    assert choices(visitor)[0][0] == RIGHT and WRONG not in dict(choices(visitor))
    await press(visitor, label)
    assert visitor.state["options"] == stored
    assert legend(visitor) == ("Colour" if language == "en" else "Cor")


@pytest.mark.parametrize(
    ("language", "said", "label"),
    [("en", "actually the colour is maybe white", "Red"), ("pt", "afinal talvez seja branco", "Vermelho")],
)
async def test_an_option_of_an_item_is_corrected_by_one_click(
    harness: RunnerHarness, language: str, said: str, label: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language], said)
    await press(visitor, label)
    assert label in visitor.state["options"].values()


FINE = {"en": ("good", "everything works"), "pt": ("bom", "tudo funciona")}
FIGURES = {
    "en": ("about 40 i guess", "40", "min"),
    "pt": ("uns 40 talvez", "40", "min"),
}


@pytest.mark.parametrize(("sent", "stored"), [("40", "40"), ("35", "35")])
@pytest.mark.parametrize("language", ["en", "pt"])
async def test_a_figure_stands_in_a_field_and_is_sent_as_it_is_or_edited(
    harness: RunnerHarness, language: str, sent: str, stored: str
) -> None:
    told, value, unit = FIGURES[language]
    visitor = await talk(harness, language, *VACUUM[language], *FINE[language], told)
    (asked,) = visitor.open_blocks()
    assert (asked["kind"], asked["value"], asked["unit"]) == ("form", value, unit)
    assert asked["confirm"] == {
        "value": RIGHT,
        "label": "Yes, that is it" if language == "en" else "Sim, é isso",
    }
    await visitor.click(asked["name"], sent)
    assert visitor.state["answers"]["vacuums.battery_minutes"] == f"{stored}\u00a0min"


@pytest.mark.parametrize(
    ("language", "said", "is_stored"),
    [("en", "yes", True), ("pt", "Sim, é isso", True), ("en", "no", False), ("pt", "não", False)],
)
async def test_a_figure_is_confirmed_or_denied_by_words_too(
    harness: RunnerHarness, language: str, said: str, is_stored: bool
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], *FINE[language], FIGURES[language][0], said)
    assert ("vacuums.battery_minutes" in visitor.state["answers"]) is is_stored
    assert "confirm" not in visitor.open_blocks()[0]


@pytest.mark.parametrize(
    ("language", "said", "value", "sent", "stored"),
    [
        ("en", "christmas 2020", "December 2020", "December 2020", "December 2020"),
        ("en", "christmas 2020", "December 2020", "November 2020", "November 2020"),
        ("pt", "natal de 2020", "dezembro de 2020", "novembro de 2020", "novembro de 2020"),
    ],
)
async def test_a_date_is_edited_in_its_field(
    harness: RunnerHarness, language: str, said: str, value: str, sent: str, stored: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(harness, language, *VACUUM[language], *FINE[language], "40", yes, said)
    (asked,) = visitor.open_blocks()
    assert asked["value"] == value
    await visitor.click(asked["name"], sent)
    assert visitor.state["answers"]["vacuums.purchase_date"] == stored


@pytest.mark.parametrize(("sent", "stored"), [("1,250", "€1,250"), ("1100", "€1,100")])
async def test_a_price_is_edited_in_its_field(harness: RunnerHarness, sent: str, stored: str) -> None:
    done = ("40", "yes", "2021", "nothing", "maybe 1.250 for it")
    visitor = await talk(harness, "en", *VACUUM["en"], *FINE["en"], *done)
    (asked,) = visitor.open_blocks()
    assert (asked["kind"], asked["value"], asked["unit"]) == ("form", "1,250", "€")
    await visitor.click(asked["name"], sent)
    assert visitor.state["answers"]["asking_price"] == stored


@pytest.mark.parametrize(
    ("language", "said", "label", "fault"),
    [
        (
            "en",
            "yep everything works, only the charger is loose",
            "Yes, everything works",
            "charger is loose",
        ),
        (
            "pt",
            "funciona bem sim, aspira tudo, so o filtro é q foge",
            "Funciona, com defeitos",
            "filtro é q foge",
        ),
    ],
)
async def test_another_answer_to_whether_it_works_is_stored_alone_and_the_fault_asked_later(
    harness: RunnerHarness, language: str, said: str, label: str, fault: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], {"en": "good", "pt": "bom"}[language], said)
    await press(visitor, label)
    assert visitor.state["answers"]["vacuums.works"] == label
    for text in (
        "40 min",
        "yes" if language == "en" else "sim",
        "2021",
        "no" if language == "en" else "nada",
    ):
        await visitor.say(text)
    asked = [each["legend"] for each in visitor.open_blocks() if "legend" in each]
    assert fault in f"{asked} {visitor.state['answers']}"
