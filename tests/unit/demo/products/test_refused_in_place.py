"""An answer that is none marks the open card where it stands; a question beside it is answered first."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")


def _open(visitor: HarnessVisitor) -> dict[str, str]:
    (asked,) = visitor.open_blocks()
    return asked


@pytest.mark.parametrize(
    ("language", "before", "said"),
    [
        ("en", ("iphone 12", "yes"), "xpto fgh"),
        ("pt", ("iphone 12", "sim"), "xpto fgh"),
        ("en", ("iphone 12", "yes"), "yes"),
        ("en", ("iphone 12", "yes", "64"), "blurple"),
    ],
)
async def test_an_answer_that_is_none_leaves_the_card_where_it_stands(
    harness: RunnerHarness, language: str, before: tuple[str, ...], said: str
) -> None:
    visitor = await talk(harness, language, *before)
    first = _open(visitor)
    await visitor.say(said)
    again = _open(visitor)
    assert again.get("again_of") == first["id"] and again["legend"] == first["legend"]
    assert "error" in again


@pytest.mark.parametrize(
    ("language", "before", "said"),
    [
        ("en", ("iphone 12", "yes"), "who are you?"),
        ("pt", ("iphone 12", "sim"), "quem és tu?"),
        ("en", ("iphone 12", "yes"), "lol"),
        ("en", ("iphone 12", "yes"), "thanks"),
        ("pt", ("iphone 12", "sim"), "obrigada!"),
        ("en", ("iphone 12",), "who are you?"),
    ],
)
async def test_a_question_or_small_talk_refuses_nothing(
    harness: RunnerHarness, language: str, before: tuple[str, ...], said: str
) -> None:
    visitor = await talk(harness, language, *before)
    await visitor.say(said)
    assert not {"again_of", "error"} & _open(visitor).keys()


async def test_the_next_option_is_marked_by_no_answer_to_the_one_before(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iphone 12", "yes", "xpto fgh", "64")
    assert not {"again_of", "error"} & _open(visitor).keys()


@pytest.mark.parametrize(
    ("language", "before", "said", "quoted"),
    [
        ("pt", "iphone", "torradeira", "torradeira"),
        ("en", "iphone", "zzz qq", "zzz qq"),
        ("en", "dyson v11", "yxwv", "yxwv"),
    ],
)
async def test_words_that_are_no_product_mark_the_products_where_they_stand(
    harness: RunnerHarness, language: str, before: str, said: str, quoted: str
) -> None:
    visitor = await talk(harness, language, before)
    first = _open(visitor)
    await visitor.say(said)
    again = _open(visitor)
    assert again.get("again_of") == first["id"] and again["choices"] == first["choices"]
    assert quoted in again["error"]
    await visitor.say(said)
    assert _open(visitor).get("again_of") == again["id"]


async def test_a_product_that_is_found_is_no_refused_answer(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iphone", "zzz qq", "iphone 11")
    assert not {"again_of", "error"} & _open(visitor).keys()


OPTIONS = {"en": ("iphone 12", "yes"), "pt": ("iphone 12", "sim")}
REVIEW = {"en": ("iphone 12 64 black", "yes"), "pt": ("iphone 12 64 preto", "sim")}
ITEM = {"en": (*OPTIONS["en"], "64", "black"), "pt": (*OPTIONS["pt"], "64", "preto")}
BATTERY = {"en": (*ITEM["en"], "good", "yes, it is free"), "pt": (*ITEM["pt"], "bom", "sim, está livre")}
YES_OR_NO = {"en": "Answer yes or no", "pt": "Responda sim ou não"}


@pytest.mark.parametrize(
    ("language", "before", "told"),
    [
        ("en", REVIEW["en"], YES_OR_NO["en"]),
        ("pt", REVIEW["pt"], YES_OR_NO["pt"]),
        ("en", (*REVIEW["en"], "no"), "Choose what changes"),
        ("pt", (*REVIEW["pt"], "não"), "Escolha o que muda"),
        ("en", (*OPTIONS["en"], "maybe 128"), YES_OR_NO["en"]),
        ("pt", (*OPTIONS["pt"], "talvez 128"), YES_OR_NO["pt"]),
        ("en", (*ITEM["en"], "probably good"), YES_OR_NO["en"]),
        ("pt", (*ITEM["pt"], "talvez bom"), YES_OR_NO["pt"]),
        ("en", (*BATTERY["en"], "about 80 or so"), YES_OR_NO["en"]),
        ("pt", (*BATTERY["pt"], "talvez 80 ou 81"), YES_OR_NO["pt"]),
    ],
)
async def test_what_waits_for_a_yes_is_marked_where_it_stands_and_kept(
    harness: RunnerHarness, language: str, before: tuple[str, ...], told: str
) -> None:
    visitor = await talk(harness, language, *before)
    for _ in range(2):
        first = _open(visitor)
        await visitor.say("xpto fgh")
        again = _open(visitor)
        assert again.get("again_of") == first["id"] and again["legend"] == first["legend"]
        assert again["error"].startswith(told)
        assert [again.get(each) for each in ("choices", "value", "confirm")] == [
            first.get(each) for each in ("choices", "value", "confirm")
        ]


@pytest.mark.parametrize(
    ("language", "before", "told", "kept"),
    [
        ("en", (*OPTIONS["en"], "maybe 128"), ("understand", "no answer"), "128 GB"),
        ("pt", (*OPTIONS["pt"], "talvez 128"), ("percebi", "não responde"), "128 GB"),
        ("en", (*ITEM["en"], "probably good"), ("understand", "no answer"), "Good"),
        ("pt", (*ITEM["pt"], "talvez bom"), ("percebi", "não responde"), "Bom"),
    ],
)
async def test_the_reply_says_that_the_words_were_not_read_and_a_yes_keeps_the_guess(
    harness: RunnerHarness, language: str, before: tuple[str, ...], told: tuple[str, ...], kept: str
) -> None:
    visitor = await talk(harness, language, *before)
    said = (await visitor.say("xpto fgh")).text
    assert any(each in said for each in told) and "xpto" not in said
    await visitor.say("sim" if language == "pt" else "yes")
    assert kept in {**visitor.state.get("options", {}), **(visitor.state.get("answers") or {})}.values()


@pytest.mark.parametrize(
    ("language", "before", "said"),
    [
        ("en", REVIEW["en"], "who are you?"),
        ("pt", REVIEW["pt"], "quem és tu?"),
        ("en", REVIEW["en"], "lol"),
        ("en", (*REVIEW["en"], "no"), "who are you?"),
        ("en", (*OPTIONS["en"], "maybe 128"), "who are you?"),
        ("pt", (*OPTIONS["pt"], "talvez 128"), "não sei"),
        ("en", (*ITEM["en"], "probably good"), "who are you?"),
        ("pt", (*ITEM["pt"], "talvez bom"), "lol"),
    ],
)
async def test_a_question_or_small_talk_marks_nothing_that_waits_for_a_yes(
    harness: RunnerHarness, language: str, before: tuple[str, ...], said: str
) -> None:
    visitor = await talk(harness, language, *before)
    await visitor.say(said)
    assert not {"again_of", "error"} & _open(visitor).keys()


@pytest.mark.parametrize("language", ["en", "pt"])
async def test_what_the_catalog_lacks_is_told_before_the_one_question_of_the_offer(
    harness: RunnerHarness, language: str
) -> None:
    visitor = await talk(harness, language, "iphone 12")
    said = (await visitor.say("xpto fgh")).text
    assert "xpto fgh" in said and said.count("?") == 1 and said.count(". ") == 1


@pytest.mark.parametrize(("language", "untrue"), [("en", "below"), ("pt", "abaixo")])
async def test_a_question_that_stays_is_not_called_below(
    harness: RunnerHarness, language: str, untrue: str
) -> None:
    visitor = await talk(harness, language, *ITEM[language])
    for _ in range(2):
        assert untrue not in (await visitor.say("lol")).text


@pytest.mark.parametrize(
    ("language", "before", "said"),
    [
        ("en", ("iphone 12", "yes", "64 i think"), "xpto fgh"),
        ("en", ("iphone 12 64 black", "yes", "yes", "good", "yes", "about 80 i think"), "xpto fgh"),
    ],
)
async def test_a_marked_card_folds_where_it_stands_when_its_yes_is_pressed(
    harness: RunnerHarness, language: str, before: tuple[str, ...], said: str
) -> None:
    """A page draws the answered question in the row of the first one, so that no row of it stays open."""
    visitor = await talk(harness, language, *before)
    first = _open(visitor)
    await visitor.say(said)
    marked = _open(visitor)
    await visitor.click(marked["name"], "answer:right")
    assert marked["id"] not in {each["id"] for each in visitor.open_blocks()}
    shown = {
        each["id"]: each["content"]
        for each in visitor.transcript.messages
        if each.get("activityType") == "block"
    }
    assert shown[marked["id"]]["status"] == "answered" and shown[marked["id"]]["again_of"] == first["id"]
