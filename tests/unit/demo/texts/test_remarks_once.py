"""A question is repeated, a fault beside a missing number is kept, and each remark is asked once."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE = {
    "en": ("iphone 12 64gb black", "yes", "yes", "good", "yes"),
    "pt": ("iphone 12 64gb preto", "sim", "sim", "bom", "sim"),
}
HEADPHONES = {
    "en": ("sony wh-1000xm4 black", "yes", "yes", "good", "genuine", "yes", "20"),
    "pt": ("sony wh-1000xm4 preto", "sim", "sim", "bom", "sim", "sim", "20"),
}


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        (
            "en",
            "no, sorry, what was the question?",
            "The question is: Is the screen intact and does it respond",
        ),
        ("pt", "não, desculpa, qual era a pergunta?", "A pergunta é: O ecrã está inteiro e responde bem"),
        ("pt", "não, espera, o que perguntaste?", "A pergunta é: O ecrã está inteiro e responde bem"),
    ],
)
async def test_the_open_question_is_repeated(
    harness: RunnerHarness, language: str, said: str, told: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language], "87", said)
    assert visitor.replies[-1].text.startswith(told) and legend(visitor)[:8] in told
    assert "smartphones.screen" not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said", "number", "unknown", "asked"),
    [
        ("en", "the battery is dead", "Write the number only", "I don't know", "the battery is dead"),
        ("en", "it's shot", "Write the number only", "I don't know", "it's shot"),
        ("pt", "a bateria morreu", "Escreva só o número", "não sei", "a bateria morreu"),
    ],
)
async def test_a_fault_beside_a_missing_number_is_kept(
    harness: RunnerHarness, language: str, said: str, number: str, unknown: str, asked: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language], said)
    assert number in visitor.replies[-1].text
    for each in (unknown, "yes" if language == "en" else "sim", "03/2021"):
        await visitor.say(each)
    await visitor.say("a case" if language == "en" else "capa")
    shown = legend(visitor)
    assert asked in shown and shown.count(asked) == 1
    assert "battery" in shown.casefold() or "bateria" in shown.casefold()


@pytest.mark.parametrize(
    ("language", "box", "remark"),
    [
        ("en", "yes but it comes with a third party cable", "third party cable"),
        ("en", "just the pouch, with a spare cable inside", "spare cable"),
        ("pt", "sim mas o cabo é de outra marca", "outra marca"),
    ],
)
async def test_a_remark_that_stands_beside_an_answer_is_not_asked_again(
    harness: RunnerHarness, language: str, box: str, remark: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(harness, language, *HEADPHONES[language], box, yes, "03/2021")
    assert remark in visitor.state["answers"]["audio.box"]
    assert remark not in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("bugaboo bee 5 black, clean, 300 euros", "yes", "yes", "good", "yes")),
        ("en", ("bugaboo bee 5 black", "yes", "yes", "good", "clean", "yes")),
        ("pt", ("bugaboo bee 5 preto", "sim", "sim", "bom", "limpo", "sim")),
    ],
)
async def test_clean_is_kept_for_the_question_that_has_it(
    harness: RunnerHarness, language: str, said: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *said)
    assert ("Limpos" if language == "pt" else "Clean") in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "first"),
    [
        ("en", "clean", "iphone 12 64gb black"),
        ("pt", "limpo", "iphone 12 64gb preto"),
        ("en", "", "iphone 12 64gb black, clean"),
    ],
)
async def test_clean_is_kept_for_the_last_text_where_no_question_has_it(
    harness: RunnerHarness, language: str, said: str, first: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    told = (yes, *PHONE[language][2:], "87", yes, *filter(None, [said]), "03/2021", "a case")
    visitor = await talk(harness, language, first, *told)
    assert (said or "clean") in legend(visitor)


LAPTOP = {
    "en": ("macbook air m1 2020 8gb 256gb space grey", "yes", "yes"),
    "pt": ("macbook air m1 2020 8gb 256gb cinzento sideral", "sim", "sim"),
}


@pytest.mark.parametrize(
    ("language", "remark", "answers", "text", "shown"),
    [
        (
            "en",
            "Battery health is 84%, it's on windows 11 and it's a UK keyboard",
            ("good", "yes", "143", "uk", "yes", "yes", "2021"),
            "It's the i7, silver, windows 11 and the battery health is 84%. No box",
            "It's the i7, silver, windows 11 and the battery health is 84%. No box",
        ),
        (
            "pt",
            "a bateria está a 84%, tem uma capa preta",
            ("bom", "sim", "143", "português", "sim", "sim", "2021"),
            "a bateria está a 84%, traz a caixa e o manual",
            "tem uma capa preta; a bateria está a 84%, traz a caixa e o manual",
        ),
    ],
)
async def test_what_is_typed_is_never_replaced_by_what_was_told_before(
    harness: RunnerHarness, language: str, remark: str, answers: tuple[str, ...], text: str, shown: str
) -> None:
    visitor = await talk(harness, language, *LAPTOP[language], remark, *answers, text)
    said = {str(each.get("value")) for each in visitor.open_blocks()}
    assert shown in {*said, str(visitor.state["answers"].get("laptops.notes")).rstrip(".")}
