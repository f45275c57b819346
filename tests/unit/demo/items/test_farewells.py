"""Thanks and goodbyes at a finished item, and answers that say yes or how it is in other words."""

import pytest

from server.loopos.answers import Refused, judge
from tests.unit.demo.harness import RunnerHarness, legend, talk
from tests.unit.demo.products.test_named_items import finished
from tests.unit.loopos.phrases.judged import TODAY, question


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("pt", "obrigado, fico a espera"),
        ("pt", "não, está tudo bem. era só para agradecer"),
        ("pt", "desculpe a demora, obrigado"),
        ("pt", "não, deixe estar assim. obrigado e adeus"),
        ("en", "cheers, I'll wait to hear from you"),
        ("en", "thanks for your help, sorry for all the questions!"),
        ("en", "Thank you, you've been very kind. Goodbye"),
        ("en", "ta mate, bye"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_goodbye_corrects_nothing(harness: RunnerHarness, language: str, text: str) -> None:
    visitor = await finished(harness, language)
    reply = await visitor.say(text)
    assert not reply.blocks and not reply.calls
    assert "completo" in reply.text or "complete" in reply.text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Muito obrigada! E agora, o que acontece?", "registado"),
        ("Obrigada! E agora posso juntar fotos?", "imagem"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_question_behind_thanks_is_answered(harness: RunnerHarness, text: str, told: str) -> None:
    visitor = await finished(harness, "pt")
    assert told in (await visitor.say(text)).text


@pytest.mark.parametrize(
    ("language", "texts", "shown"),
    [
        ("en", ("Let me look... it says January 2019",), "January 2019"),
        ("pt", ("deixe-me ver... diz 03/2019",), "março de 2019"),
        ("pt", ("só para levantar em Setúbal", "2019", "nada"), "só para levantar em Setúbal"),
        ("en", ("it has 4 heads", "2019", "no box"), "no box; it has 4 heads"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_fact_is_no_farewell_and_no_wait(
    harness: RunnerHarness, language: str, texts: tuple[str, ...], shown: str
) -> None:
    """What is no answer to the open question is asked at the last text."""
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    visitor = await talk(harness, language, "dyson v8 absolute", yes, good, yes, "20", yes, *texts)
    assert shown in legend(visitor)


@pytest.mark.parametrize(
    ("language", "text", "shown"),
    [
        ("en", "thanks. by the way its in york, can you put that", "watches.notes"),
        ("pt", "está ótimo, obrigada! só falta dizer cinza", "watches.notes"),
        ("en", "thanks, I forgot to say that it smells of smoke", "watches.notes"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_thanks_with_a_fact_do_not_drop_it(
    harness: RunnerHarness, language: str, text: str, shown: str
) -> None:
    visitor = await finished(harness, language)
    reply = await visitor.say(text)
    assert [each["name"] for each in reply.blocks] == [shown]


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        ("coffee-machines.works", "en", "It makes lovely coffee, no trouble at all", "Yes, everything works"),
        ("scooters.battery", "en", "like i said about 70% of what it was", "Lasts less"),
        ("scooters.battery", "pt", "uns 70% do que era", "Dura menos"),
        ("furniture.screws", "en", "all there", "Yes"),
        ("watches.purchase_date", "pt", "natal do ano passado", "dezembro de 2025"),
        ("watches.purchase_date", "pt", "no natal de há dois anos", "dezembro de 2024"),
        ("watches.purchase_date", "en", "christmas last year", "December 2025"),
        ("furniture.floor", "en", "ground floor", "0"),
        ("furniture.floor", "pt", "2.º andar", "2"),
    ],
)
def test_the_answer_is_read(element: str, language: str, said: str, shown: str) -> None:
    judged = judge(question(element), said, language, TODAY)
    assert not isinstance(judged, Refused)
    assert getattr(judged, "guess", judged).shown == shown


@pytest.mark.parametrize(("language", "said"), [("en", "it's got a cable, no battery"), ("pt", "é com fio")])
def test_a_cord_leaves_no_minutes_to_count(language: str, said: str) -> None:
    judged = judge(question("vacuums.battery_minutes"), said, language, TODAY)
    assert not isinstance(judged, Refused) and getattr(judged, "guess", judged).skipped


@pytest.mark.asyncio(loop_scope="module")
async def test_a_vacuum_with_a_cord_is_asked_for_no_battery(harness: RunnerHarness) -> None:
    visitor = await finished(harness, "en", "Miele C3 vacuum")
    assert set(visitor.state["answers"]) == {
        f"corded-vacuums.{each}" for each in ("condition", "works", "purchase_date", "notes")
    }
