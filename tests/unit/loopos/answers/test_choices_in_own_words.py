"""Answers to a choice in a seller's own words: a mark is no break, what lacks is a no, and a promise stays one."""

from datetime import date

import pytest

from server.loopos.answers import ProbableAnswer, Refused
from server.loopos.answers.judges.answer_judge import judge_with_remark
from server.loopos.tools.questions.early_facts import ToldFact
from tests.unit.loopos.phrases.judged import question

TODAY = date(2026, 3, 14)
SCREEN, STRAPS = "smartphones.screen", "car-seats.straps"
LOCK, CABLES = "smartphones.account_lock", "consoles.cables"
COFFEE, CONDITION = "coffee-machines.works", "smartphones.condition"
DRIFT = "nintendo-switch.drift"


def read(element: str, said: str, language: str) -> str:
    """Return what is asked back, or stored behind an equals sign."""
    judged = judge_with_remark(question(element), said, language, TODAY)
    if isinstance(judged, Refused):
        return judged.code
    return judged.guess.shown if isinstance(judged, ProbableAnswer) else f"={judged.shown}"


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (SCREEN, "pt", "tem um risquinho no canto do ecrã", "Sim (tem um risquinho no canto do ecrã)"),
        (SCREEN, "pt", "bom, 1 risco no ecra e 1 mossa no canto", "Sim (1 risco no ecra e 1 mossa no canto)"),
        (
            SCREEN,
            "pt",
            "Não não, o ecrã está inteiro e responde bem, é só mesmo o risquinho no canto",
            "Sim (só mesmo o risquinho no canto)",
        ),
        (SCREEN, "en", "scratched but you cant really see it", "Yes (scratched"),
        (SCREEN, "en", "the bottom left is cracked and its not responding", "No (the bottom"),
        (SCREEN, "en", "lots of scratches, touch doesnt work", "No (lots"),
        (SCREEN, "en", "has scratches and a crack", "No (has scratches and a crack)"),
        (SCREEN, "pt", "não tem riscos", "Sim"),
        (STRAPS, "pt", "Não não, estão bons, só têm nódoas", "Sim (só têm nódoas)"),
        (STRAPS, "en", "the buckle is stiff and stained", "Yes (the buckle is stiff and stained)"),
    ],
)
def test_a_mark_leaves_a_thing_whole(element: str, language: str, said: str, shown: str) -> None:
    assert read(element, said, language).startswith(shown)


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (LOCK, "en", "still on my icloud, ill sign out when sold", "No, but I can remove the account"),
        (LOCK, "en", "still signed into my icloud but i'll sign out before posting it", "No, but I can"),
        (CABLES, "en", "power cable and HDMI. no usb charging cable though", "No (no usb charging cable"),
        (CABLES, "pt", "hdmi e corrente sim. usb do comando não", "Não (usb do comando não)"),
        (CABLES, "en", "hdmi and power", "Yes"),
        ("laptops.charger", "en", "Charger included, though it is not the original", "No (Charger included"),
        (
            "laptops.charger",
            "en",
            "The original plug yes, but the cable is a new one from Anker",
            "Yes (the cable",
        ),
        (
            "cameras.sensor",
            "en",
            "There are a couple of dust specks on the sensor, the lens is clean",
            "Dust only",
        ),
        ("cameras.sensor", "pt", "a lente ta limpa so tem um bocado de po no sensor", "Só pó"),
        ("coffee-machines.descaled", "en", "my son in law did it at Easter and again in October", "Yes"),
        ("furniture.screws", "en", "al there xept 1 foot is wobly", "Yes (1 foot is wobly)"),
        ("furniture.screws", "en", "all there except two screws", "No (all there except two screws)"),
        ("car-seats.label", "en", "think so?? theres an orange sticker says R129", "Yes"),
    ],
)
def test_what_is_there_and_what_is_not_is_asked_back(
    element: str, language: str, said: str, shown: str
) -> None:
    assert read(element, said, language).startswith(shown)


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        (
            COFFEE,
            "en",
            "Oh yes, it makes coffee without any problems at all. I have one daily.",
            "Yes, every",
        ),
        (
            COFFEE,
            "en",
            "Coffee is perfect, it's only the frother that spits a bit",
            "It works, with faults (it",
        ),
        ("laptops.works", "en", "the E key occasionally sticks", "It works, with faults (the E key"),
        (
            "audio.works",
            "en",
            "hmm actually the mic is a bit crackly on calls, sound is fine",
            "It works, with faults (the mic is a bit crackly on calls)",
        ),
        (
            CONDITION,
            "pt",
            "Está excelente. Hmm, não, se calhar é mais bom, tem uns riscos no ecrã",
            "Bom (tem uns riscos no ecrã)",
        ),
        (CONDITION, "en", "excellent, no more than two years old", "Excellent"),
        (
            CONDITION,
            "en",
            "its lowkey mint tbf, like a couple scuffs on top",
            "Good (a couple scuffs on top)",
        ),
        (CONDITION, "en", "faer i gess, arms is scrathced up", "Fair"),
        (CONDITION, "en", "good but just say bit faded on the back", "Good (bit faded on the back)"),
        (DRIFT, "pt", "so o joycon esquerdo é q tá com drift", "Não, desvia o esquerdo"),
    ],
)
def test_a_state_is_what_was_said_last_of_it(element: str, language: str, said: str, shown: str) -> None:
    assert read(element, said, language).startswith(shown)


def test_a_remark_that_only_repeats_its_option_is_left_out() -> None:
    assert read(DRIFT, "left one drifts a bit btw", "en") == "No, the left one drifts"


@pytest.mark.parametrize(
    ("element", "language", "said", "shown"),
    [
        ("car-seats.manual", "en", "no but its online", "=No (its online)"),
        ("car-seats.label", "en", "yep i can read it", "=Yes"),
        ("audio.box", "en", "I'm afraid not, it was lost when we moved house.", "=No"),
        ("audio.box", "en", "no but i have the pouch", "No (but i have the pouch)"),
        (LOCK, "en", "no but i can log out", "No, but I can remove the account"),
    ],
)
def test_a_yes_or_no_with_nothing_against_it_is_sure(
    element: str, language: str, said: str, shown: str
) -> None:
    assert read(element, said, language) == shown


@pytest.mark.parametrize(
    ("element", "whole", "language", "said", "value"),
    [
        (
            "bicycles.frame",
            "bicycles.condition",
            "en",
            "looked after, although the main frame has a scratch near the hinge and the rear brake wants adjusting",
            "scratches",
        ),
        (
            "bicycles.ready",
            "bicycles.condition",
            "en",
            "the main frame has a scratch and the rear brake wants adjusting",
            "service",
        ),
        (DRIFT, "consoles.condition", "pt", "bué fixe, so o joycon esquerdo é q tá com drift", "left"),
        (COFFEE, "coffee-machines.condition", "pt", "já disse, tudo a funcionar. bom", "all"),
        ("tablets.condition", "tablets.condition", "pt", "está como novo, liga bem", "A"),
        ("tablets.condition", "tablets.condition", "pt", "ipad mini 6 quase novo", "A"),
        (
            "vacuums.condition",
            "vacuums.condition",
            "en",
            "works great no issues so id call it good",
            "B",
        ),
        (
            "laptops.condition",
            "laptops.condition",
            "en",
            "macbook air, battery not great, small scratch on the lid",
            "B",
        ),
        ("laptops.works", "laptops.condition", "en", "macbook air, battery not great", "partly"),
        ("laptops.works", "laptops.condition", "en", "works perfect, battery not great", "all"),
        ("bicycles.ready", "bicycles.condition", "en", "brompton bike, works perfect", "yes"),
        ("bicycles.ready", "bicycles.condition", "en", "brompton bike, brakes fine", "yes"),
    ],
)
def test_what_was_told_early_is_proposed(
    element: str, whole: str, language: str, said: str, value: str
) -> None:
    told = ToldFact(question(element), language, whole=question(whole))
    for _ in told.read(said):
        pass
    assert told.value is not None and told.value.value == value


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("tablets.condition", "pt", "o som está bom"),
        ("tablets.condition", "pt", "está bom tempo"),
        ("vacuums.condition", "en", "the battery is like new"),
        ("vacuums.condition", "en", "perfect, that's fine"),
        ("vacuums.condition", "en", "cracked bin, small scratch on top"),
    ],
)
def test_words_of_a_part_or_of_the_talk_grade_no_item(element: str, language: str, said: str) -> None:
    told = ToldFact(question(element), language, whole=question(element))
    for _ in told.read(said):
        pass
    assert told.value is None
