"""A yes to a proposed answer, and one that says the opposite of it, which is a yes to the question itself."""

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

PHONE = {
    "pt": ("iphone 12 preto de 128", "sim", "sim"),
    "en": ("iphone 12 black 128", "yes", "yes"),
}


@pytest.mark.parametrize(
    ("language", "answers", "broken", "said", "shown"),
    [
        (
            "pt",
            ("bom", "sim ta livre", "87"),
            "está rachado num canto",
            "Sim, está inteiro, só tem um risquinho no canto",
            "Percebi: Sim (só tem um risquinho no canto). Certo?",
        ),
        (
            "en",
            ("good", "yes its free", "87"),
            "cracked in the corner",
            "yes, it's intact, just a scratch in the corner",
            "I understood: Yes (just a scratch in the corner). Is that right?",
        ),
    ],
)
async def test_a_yes_and_the_opposite_of_a_proposed_no_are_a_yes(
    harness: RunnerHarness, language: str, answers: tuple[str, ...], broken: str, said: str, shown: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language], *answers, broken, said)
    assert legend(visitor) == shown


async def test_a_yes_with_words_about_something_else_is_a_yes(harness: RunnerHarness) -> None:
    visitor = await talk(
        harness,
        "en",
        *("macbook air m1 space grey 8 GB 256 GB", "yes", "yes", "good", "the E key occasionally sticks"),
        "Yes, that is correct. By the way, the battery is at 86 percent now, I checked this morning.",
    )
    known = visitor.state["answers"]["laptops.works"]
    assert known == "It works, with faults (the E key occasionally sticks)"


async def test_the_remark_beside_a_changed_grade_stays(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *PHONE["en"], "good, the back is cracked", "yes")
    await visitor.click("change", "smartphones.condition")
    await visitor.click("smartphones.condition", "D", "Poor")
    assert legend(visitor) == "I understood: Poor (the back is cracked). Is that right?"
    await visitor.say("yes")
    assert visitor.state["answers"]["smartphones.condition"] == "Poor (the back is cracked)"
