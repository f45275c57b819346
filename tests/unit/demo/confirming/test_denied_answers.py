"""Answers that a seller denied: none is proposed again by the same reading, and nobody stays in front of one."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

BOWL = ("bimby tm6", "sim", "bom", "sim")
CONSOLE = {
    "pt": ("ps5 com leitor", "sim", "sim", "bom"),
    "en": ("ps5 disc", "yes", "yes", "good"),
}
PHONE = {
    "pt": ("iphone 12 preto 128", "sim", "sim"),
    "en": ("iphone 12 black 128", "yes", "yes"),
}
ASKS = {"pt": "Percebi", "en": "I understood"}


def error(visitor: HarnessVisitor) -> str:
    (block,) = visitor.open_blocks()
    return str(block["error"])


@pytest.mark.parametrize(
    ("language", "begun", "said", "denied"),
    [
        (
            "pt",
            BOWL,
            ("está rachada", "está um bocado rachada"),
            "Partida ou em falta",
        ),
        (
            "pt",
            CONSOLE["pt"],
            ("um comando tem drift", "é um comando com drift"),
            "Funciona, com defeitos",
        ),
        (
            "en",
            CONSOLE["en"],
            ("one controller drifts", "i said one controller drifts"),
            "It works, with faults",
        ),
    ],
)
async def test_a_denied_answer_is_not_proposed_again(
    harness: RunnerHarness, language: str, begun: tuple[str, ...], said: tuple[str, str], denied: str
) -> None:
    visitor = await talk(harness, language, *begun, said[0])
    assert denied in legend(visitor)
    await visitor.say("não" if language == "pt" else "no")
    await visitor.say(said[1])
    assert ASKS[language] not in legend(visitor)
    assert denied in error(visitor)
    for _ in range(3):
        before = error(visitor)
        await visitor.say(said[1])
        assert ASKS[language] not in legend(visitor) and error(visitor) != before


@pytest.mark.parametrize(
    ("language", "said"), [("en", "no, only the controller drifts"), ("pt", "não, o drift é só no comando")]
)
async def test_a_denial_with_the_same_words_proposes_it_no_more(
    harness: RunnerHarness, language: str, said: str
) -> None:
    first = "the drift is only on the controller" if language == "en" else "o drift é só no comando"
    visitor = await talk(harness, language, *CONSOLE[language], first, said)
    assert ASKS[language] not in legend(visitor)


@pytest.mark.parametrize("said", ["it works, with faults: the fan is loud", "it works with faults"])
async def test_a_denied_answer_that_is_named_is_taken(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *CONSOLE["en"], "the drift is only on the controller", "no", said)
    known = visitor.state["answers"].get("consoles.works", "")
    assert "It works, with faults" in (known or legend(visitor))


async def test_a_no_to_the_words_beside_an_answer_denies_only_them(harness: RunnerHarness) -> None:
    begun = ("bom mas o vidro tem um risco", "não, o risco é na moldura")
    visitor = await talk(harness, "pt", *PHONE["pt"], *begun)
    assert "Bom" in legend(visitor) and "moldura" in legend(visitor)


async def test_words_of_a_denied_answer_are_asked_to_be_added_at_the_end(harness: RunnerHarness) -> None:
    said = ("o copo medida está rachado", "não", "o copo medida é que está rachado", "em bom estado")
    visitor = await talk(harness, "pt", *BOWL, *said, "sim", "2022", "nada")
    assert "copo medida" in legend(visitor) and "rachado" in legend(visitor)


async def test_after_three_messages_the_question_can_be_left(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *CONSOLE["en"], "hmm the fan makes noise maybe")
    for said in ("what is this for?", "the cat is nice"):
        (block,) = visitor.open_blocks()
        assert not block.get("unsure")
        await visitor.say(said)
    (block,) = visitor.open_blocks()
    assert ASKS["en"] in block["legend"]
    await visitor.click(block["name"], block["unsure"]["value"], block["unsure"]["label"])
    assert legend(visitor) != block["legend"]
    assert "consoles.works" not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "acho que não"),
        ("pt", "penso que não tenho"),
        ("pt", "acho que não tenho"),
        ("en", "I don't think so"),
        ("en", "i dont think i have them"),
        ("en", "probably not"),
    ],
)
async def test_who_thinks_not_is_asked_back_a_no(harness: RunnerHarness, language: str, said: str) -> None:
    begun = (
        (*BOWL[:3], *BOWL[3:], "em bom estado") if language == "pt" else ("bimby tm6", "yes", "good", "yes")
    )
    begun = begun if language == "pt" else (*begun, "good condition")
    visitor = await talk(harness, language, *begun, said)
    assert ("Não" if language == "pt" else "No.") in legend(visitor)
    await visitor.say("acho que não" if language == "pt" else "i don't think so")
    assert ("Não" if language == "pt" else "No.") in legend(visitor)
    await visitor.say("sim" if language == "pt" else "yes")
    assert visitor.state["answers"]["food-processors.accessories"] in ("Não", "No")


async def test_a_yes_that_is_doubted_becomes_a_no_that_is_asked_back(harness: RunnerHarness) -> None:
    visitor = await talk(
        harness, "en", "bimby tm6", "yes", "good", "yes", "good condition", "i think so", "i don't think so"
    )
    assert "No." in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said"), [("en", "nothing else"), ("en", "that's all"), ("pt", "mais nada")]
)
async def test_no_more_to_say_keeps_the_text_that_waits(
    harness: RunnerHarness, language: str, said: str
) -> None:
    begun = {
        "pt": (*BOWL, "em bom estado", "sim, a tampa tem um risco", "sim", "2022"),
        "en": (
            "bimby tm6",
            "yes",
            "good",
            "display has a scratch",
            "everything works",
            "good condition",
            "yes",
            "2020",
        ),
    }
    visitor = await talk(harness, language, *begun[language])
    fault = "risco" if language == "pt" else "scratch"
    for _ in range(2):
        if visitor.open_blocks():
            await visitor.say(said)
    assert fault in str(visitor.state["answers"])
