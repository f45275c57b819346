"""A free text that is proposed or written, as a seller answers it by typing or sends it from its field."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTES = "smartphones.notes"
PHONE = {
    "en": ("iphone 12 black 128", "yes", "yes", "good", "yes", "yes", "87", "yes", "2021"),
    "pt": ("iphone 12 preto 128", "sim", "sim", "bom", "sim", "sim", "87", "sim", "2021"),
}
WITH = {"en": " with ", "pt": " com "}


async def _proposed(harness: RunnerHarness, language: str, text: str, *said: str) -> HarnessVisitor:
    """Return a visitor to whom this text was proposed, and who answered so."""
    first, *others = PHONE[language]
    visitor = await talk(harness, language, f"{first}{WITH[language]}{text}", *others)
    assert text in str(_field(visitor)["value"])
    for each in said:
        await visitor.say(each)
    return visitor


async def _written(harness: RunnerHarness, language: str, text: str, *said: str) -> HarnessVisitor:
    """Return a visitor whose item is finished with this text, and who said so then."""
    visitor = await talk(harness, language, *PHONE[language], text, *said)
    assert _kept(visitor) == text
    return visitor


def _field(visitor: HarnessVisitor) -> dict[str, object]:
    (asked,) = [each for each in visitor.open_blocks() if each["kind"] == "form"]
    assert asked["name"] == NOTES
    return asked


def _kept(visitor: HarnessVisitor) -> str | None:
    value = visitor.state["answers"].get(NOTES)
    return None if value is None else str(value)


async def test_what_is_sent_from_the_field_is_kept_as_it_was_sent(harness: RunnerHarness) -> None:
    visitor = await _written(harness, "pt", "a caixa e o cabo; falta a tampa", "250 euros")
    await visitor.click("change", NOTES, "Alterar: Em falta, trocado e notas")
    text = "Falta a tampa anti-salpicos. Leva as varas. Faço 200 € a quem vier buscar."
    reply = await visitor.click(NOTES, text)
    assert _kept(visitor) == text and text.rstrip(".") in reply.text
    assert not [each for each in visitor.open_blocks() if each["kind"] in ("form", "choices")]


@pytest.mark.parametrize(
    "text",
    [
        "Falta o cabo. Traz a caixa e o livro. A tampa tem uns risquinhos mas está inteira",
        "Não tem caixa, tira o resto. Retire o cabo, a capa não é para pôr",
        "a caixa. sim, podes tirar a capa do texto",
        "o cabo? não, só a caixa",
    ],
)
async def test_what_is_sent_from_the_field_of_a_proposed_text_is_no_wish(
    harness: RunnerHarness, text: str
) -> None:
    visitor = await _proposed(harness, "pt", "caixa e cabo")
    await visitor.click(NOTES, text)
    assert _kept(visitor) == text


@pytest.mark.parametrize(
    ("language", "text", "said", "whole"),
    [
        (
            "pt",
            "caixa e cabo",
            "Não, isso do meu marido não é para pôr! Ponha: falta a tampa, leva as varas, e duas taças (inox e vidro).",
            "falta a tampa, leva as varas, e duas taças (inox e vidro)",
        ),
        (
            "pt",
            "caixa e cabo",
            "não, escreva assim: leva a caixa e o cabo, não leva a ficha da parede",
            "leva a caixa e o cabo, não leva a ficha da parede",
        ),
        (
            "pt",
            "carregador e capa",
            "n mano tira a capa e o wtf lol. é: carregador, jogo zelda totk, sem dock nem hdmi",
            "carregador, jogo zelda totk, sem dock nem hdmi",
        ),
        ("en", "box and cable", "write only this: box, cable, protector", "box, cable, protector"),
        (
            "en",
            "box",
            "no. phone only, no box. works on any network",
            "phone only, no box. works on any network",
        ),
        (
            "en",
            "the box and the strap",
            "No. Three batteries (one Canon, two Patona), Patona charger, strap. Shoe cover missing. No original box",
            "Three batteries (one Canon, two Patona), Patona charger, strap. Shoe cover missing. No original box",
        ),
        (
            "en",
            "the box",
            "no, comes with a case and charger, bought refurbished off back market",
            "comes with a case and charger, bought refurbished off back market",
        ),
    ],
)
async def test_what_a_message_says_that_the_text_shall_be_is_asked_back_alone(
    harness: RunnerHarness, language: str, text: str, said: str, whole: str
) -> None:
    visitor = await _proposed(harness, language, text, said)
    assert _field(visitor)["value"] == whole and _kept(visitor) is None
    await visitor.say("yes" if language == "en" else "sim")
    assert _kept(visitor) == whole


@pytest.mark.parametrize(
    ("language", "text", "said", "left"),
    [
        ("pt", "caixa e cabo; pronto", 'apague o "pronto" das notas', "caixa e cabo"),
        ("pt", "caixa e cabo", "muda as notas para: caixa, cabo e película", "caixa, cabo e película"),
        ("en", "no box; Battery health is 88%", "Please remove: Battery health is 88%", "no box"),
        (
            "en",
            "no box, can remove it ffs, can remove the account",
            'remove "can remove it ffs, can remove the account"',
            "no box",
        ),
        (
            "en",
            "box; add bought new feb 2023",
            'in the notes it says "add bought new", can you take out the word add',
            "box; bought new feb 2023",
        ),
        (
            "pt",
            "a caixa, o cabo e a capa",
            "olhe afinal a capa o meu filho quer ficar com ela, tire a capa por favor",
            "a caixa, o cabo",
        ),
        (
            "pt",
            "a bolsa, a correia e o carregador",
            "Desculpe o incómodo, mas afinal a bolsa fica comigo. Podia retirá-la, se faz favor?",
            "a correia e o carregador",
        ),
        (
            "pt",
            "a correia, o carregador, duas baterias e a caixa",
            "Não. Inclui apenas a correia, o carregador e uma bateria. Não tem caixa nem manual.",
            "Inclui apenas a correia, o carregador e uma bateria. Não tem caixa nem manual",
        ),
        (
            "pt",
            "só a bateria, sem carregador",
            "olha afinal ja encontrei o carregador, poe la isso",
            "só a bateria, sem carregador",
        ),
        (
            "pt",
            "só a bateria, sem carregador",
            'não. tira o "sem carregador" e poe bateria e carregador, o resto fica igual',
            "só a bateria, sem carregador",
        ),
    ],
)
async def test_a_wish_at_a_written_text_is_never_added_to_it(
    harness: RunnerHarness, language: str, text: str, said: str, left: str
) -> None:
    visitor = await _written(harness, language, text, said)
    assert _field(visitor)["value"] == left and _kept(visitor) == text


async def test_what_is_not_to_stand_there_goes_from_a_proposed_text(harness: RunnerHarness) -> None:
    said = "Ai, a parte da morada não é para pôr no anúncio, por favor. O resto está certo."
    visitor = await _proposed(
        harness, "pt", "caixa e cabo, morada Rua das Flores 3".split(",", maxsplit=1)[0], "não"
    )
    await visitor.click(NOTES, "caixa e cabo; morada Rua das Flores 3")
    await visitor.say(said)
    assert _field(visitor)["value"] == "caixa e cabo"


@pytest.mark.parametrize(
    ("language", "text", "said", "more"),
    [
        ("en", "the box", "add original case", "the box; original case"),
        ("en", "the box", "can i add the case too i got the case", "the box; the case"),
        (
            "en",
            "the box",
            "yes and add bought new feb 2023, smoke free home",
            "the box; bought new feb 2023, smoke free home",
        ),
        (
            "en",
            "the box",
            "Almost. You have left out that the rear brake wants adjusting.",
            "the box; the rear brake wants adjusting",
        ),
        ("pt", "a caixa", "e também a capa", "a caixa; a capa"),
    ],
)
async def test_an_addition_adds_the_thing_alone_and_is_asked_back(
    harness: RunnerHarness, language: str, text: str, said: str, more: str
) -> None:
    visitor = await _proposed(harness, language, text, said)
    assert _field(visitor)["value"] == more and _kept(visitor) is None


async def test_a_request_to_take_something_out_is_no_question(harness: RunnerHarness) -> None:
    said = "Desculpe o incómodo, mas afinal a bolsa fica comigo. Podia retirá-la, se faz favor?"
    visitor = await _written(harness, "pt", "a bolsa, a correia e o carregador", said)
    assert _field(visitor)["value"] == "a correia e o carregador"
    assert "informação" not in visitor.replies[-1].text
    reply = await visitor.say("pode tirar a correia?")
    assert _field(visitor)["value"] == "o carregador" and "informação" not in reply.text


async def test_a_yes_with_a_word_that_tells_nothing_is_a_yes(harness: RunnerHarness) -> None:
    visitor = await _proposed(harness, "pt", "caixa e cabo", "sim pronto")
    assert _kept(visitor) == "caixa e cabo"


@pytest.mark.parametrize(
    ("language", "said"), [("pt", "Caixa, cabo e carregador"), ("en", "Box, cable and charger")]
)
async def test_what_is_typed_where_a_text_is_open_again_takes_its_place(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await _written(harness, language, "Caixa e cabo")
    await visitor.click("change", NOTES)
    await visitor.say(said)
    assert _field(visitor)["value"] == said and _kept(visitor) == "Caixa e cabo"


@pytest.mark.parametrize("said", ["esquece", "deixa estar"])
async def test_a_change_that_is_called_off_keeps_the_text(harness: RunnerHarness, said: str) -> None:
    visitor = await _written(harness, "pt", "Caixa e cabo")
    await visitor.click("change", NOTES, "Alterar: Em falta, trocado e notas")
    await visitor.say(said)
    assert _kept(visitor) == "Caixa e cabo"
    assert not [each for each in visitor.open_blocks() if each["kind"] in ("form", "choices")]


@pytest.mark.parametrize("said", ["no leave it actually, keep the chip in", "no, leave it"])
async def test_an_option_that_is_asked_back_without_its_note_stays(harness: RunnerHarness, said: str) -> None:
    condition, *others = "good, chip on the corner", *PHONE["en"][4:]
    visitor = await talk(harness, "en", *PHONE["en"][:3], condition, *others, "phone only, no box")
    before = dict(visitor.state["answers"])
    await visitor.say("leave out the bit about the chip")
    await visitor.say(said)
    assert visitor.state["answers"] == before
    assert not [each for each in visitor.open_blocks() if each["kind"] in ("form", "choices")]


async def test_a_text_is_told_as_a_whole_when_it_is_changed(harness: RunnerHarness) -> None:
    text = "Original box included. The black controller drifts. 1TB. Small scratch on the left"
    visitor = await _written(harness, "en", text)
    await visitor.click("change", NOTES)
    reply = await visitor.click(NOTES, f"{text}. Never opened.")
    assert f"{text}. Never opened" in reply.text
    reply = await visitor.click("change", NOTES)
    assert reply.text.count("“") == reply.text.count("”") and ".." not in reply.text


LONG = {"en": "box, charger and cable", "pt": "caixa, carregador e cabo"}


@pytest.mark.parametrize("start", [_proposed, _written])
@pytest.mark.parametrize(
    ("language", "said", "left"),
    [
        ("en", "leave only box and charger", "box and charger"),
        ("en", "please keep just the box", "the box"),
        ("en", "delete all of that and just write box", "box"),
        ("en", "remove the last part", "box"),
        ("pt", "deixa so caixa e carregador", "caixa e carregador"),
        ("pt", "apaga isso tudo e escreve só caixa", "caixa"),
        ("pt", "tira a primeira parte", "carregador e cabo"),
    ],
)
async def test_a_command_about_the_text_edits_it(
    harness: RunnerHarness,
    language: str,
    said: str,
    left: str,
    start: Callable[..., Awaitable[HarnessVisitor]],
) -> None:
    visitor = await start(harness, language, LONG[language], said)
    assert _field(visitor)["value"] == left


@pytest.mark.parametrize(
    ("language", "text", "said", "left"),
    [
        (
            "en",
            "box and charger. the glass has a small scratch",
            "remove the last sentence",
            "box and charger",
        ),
        ("pt", "caixa e carregador. o vidro tem um risco", "tira a última frase", "caixa e carregador"),
    ],
)
async def test_a_sentence_is_named_by_its_place(
    harness: RunnerHarness, language: str, text: str, said: str, left: str
) -> None:
    visitor = await _written(harness, language, text, said)
    assert _field(visitor)["value"] == left
