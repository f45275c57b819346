"""Answers with something more in them: one part excepted, a word taken back, a rough yes, a range of percentages."""

from datetime import date

import pytest

from server.loopos.answers import ProbableAnswer, Refused, confirms, judge
from server.loopos.answers.element import Element, ElementOption, Text
from server.text_reading.wishes.ways_back import takes_back

TODAY = date(2026, 3, 14)
WORKS = Element(
    "works",
    "select",
    Text("A consola liga e funciona?", "Does the console start and work?"),
    required=True,
    options=(
        ElementOption("all", Text("Sim, tudo funciona", "Yes, everything works")),
        ElementOption("partly", Text("Funciona, com defeitos", "It works, with faults")),
        ElementOption("none", Text("Não funciona", "It does not work"), deal_breaker=True),
    ),
)
SCREEN = Element("screen", "boolean", Text("O ecrã está inteiro?", "Is the screen intact?"), required=True)
GENUINE = Element(
    "genuine",
    "select",
    Text("O artigo é original da marca?", "Is the item a genuine product of the brand?"),
    required=True,
    options=(
        ElementOption("yes", Text("Sim, é original", "Yes, it is genuine")),
        ElementOption("no", Text("Não, é uma imitação", "No, it is a copy"), deal_breaker=True),
    ),
)
HEALTH = Element(
    "health",
    "number",
    Text("Qual é a saúde da bateria?", "What is the battery health?"),
    required=False,
    unit=Text("%", "%"),
    min=1,
    max=100,
)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "works, its only that left joycon"),
        ("en", "everything works, it's just the left stick"),
        ("en", "works fine but only the right button doesn't"),
        ("pt", "funciona, só aquele comando é que não"),
        ("pt", "funciona tudo, é só o comando esquerdo"),
        ("pt", "sim, só o botão do volume é que não"),
    ],
)
def test_one_part_excepted_works_with_faults(language: str, said: str) -> None:
    judged = judge(WORKS, said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value == "partly"


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "works fine, only the box is missing"), ("pt", "funciona, só a caixa é que não tenho")],
)
def test_an_accessory_excepted_is_no_fault(language: str, said: str) -> None:
    judged = judge(WORKS, said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value == "all"


@pytest.mark.parametrize(
    "said",
    [
        "hmm no wait",
        "wait, no",
        "no wait",
        "wait that's wrong",
        "espera, não",
        "não espera",
        "espera aí, isso está mal",
    ],
)
def test_a_message_that_only_takes_back_is_no_answer(said: str) -> None:
    assert takes_back(said)
    for element in (SCREEN, WORKS):
        assert isinstance(judge(element, said, "pt", TODAY), Refused)
    assert confirms(said, "pt") == (False, "")


@pytest.mark.parametrize("said", ["no", "não", "wait", "no wait it was december", "espera, não tem caixa"])
def test_a_message_that_says_more_or_less_does_not_take_back(said: str) -> None:
    assert not takes_back(said)


@pytest.mark.parametrize(
    "said",
    [
        "por aí sim",
        "mais ou menos isso",
        "sim, mais ou menos",
        "é por aí",
        "por volta disso",
        "yeah around that",
        "close enough",
        "roughly yes",
        "about there",
        "yeah something like that",
    ],
)
def test_a_rough_yes_agrees(said: str) -> None:
    assert confirms(said, "pt") == confirms(said, "en") == (True, "")


@pytest.mark.parametrize("said", ["mais ou menos", "roughly", "more like 90", "no, not around that"])
def test_other_rough_words_do_not_agree(said: str) -> None:
    assert confirms(said, "en")[0] is not True


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "between 80 and 85"),
        ("en", "80-85%"),
        ("pt", "entre 80 e 85"),
        ("pt", "entre os 80 e os 85 acho"),
    ],
)
def test_of_two_percentages_it_is_asked_which(language: str, said: str) -> None:
    judged = judge(HEALTH, said, language, TODAY)
    assert isinstance(judged, Refused) and judged.code == "ambiguous"


@pytest.mark.parametrize(
    ("language", "said"), [("en", "it went from 100 to 88"), ("pt", "passou de 100 a 88")]
)
def test_a_percentage_that_fell_is_asked_back_at_its_end(language: str, said: str) -> None:
    judged = judge(HEALTH, said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value == 88


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "originais claro, mas a factura ja nao a tenho"),
        ("pt", "original com certeza, falta a caixa"),
        ("en", "genuine obviously"),
    ],
)
def test_what_affirms_behind_its_word_is_a_yes_to_be_asked_back(language: str, said: str) -> None:
    judged = judge(GENUINE, said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value == "yes"


GRADES = Element(
    "condition",
    "select",
    Text("Em que estado está?", "What condition is it in?"),
    required=True,
    options=tuple(
        ElementOption(value, Text(pt, en))
        for value, pt, en in (
            ("A", "Excelente", "Excellent"),
            ("B", "Bom", "Good"),
            ("C", "Razoável", "Fair"),
            ("D", "Mau", "Poor"),
        )
    ),
)


@pytest.mark.parametrize(
    ("language", "said"), [("en", "good, wait no, fair"), ("pt", "bom, não espera, razoável")]
)
def test_a_grade_taken_back_is_not_the_one_proposed(language: str, said: str) -> None:
    judged = judge(GRADES, said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value == "C"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "it works, plays fine, dont know about the exact speed"),
        ("en", "it works, don't know how old the fan is"),
        ("pt", "funciona, não sei é a idade da ventoinha"),
    ],
)
def test_an_answer_stands_before_what_its_seller_does_not_know(language: str, said: str) -> None:
    judged = judge(WORKS, said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and judged.guess.value == "all"


def test_who_does_not_know_answers_nothing() -> None:
    assert judge(WORKS, "no, I don't know", "en", TODAY) == Refused("required")


@pytest.mark.parametrize(
    ("language", "said"), [("en", "the price is 450, not 480"), ("pt", "o preço é 450 negociavel, nao 480")]
)
def test_a_corrected_price_is_no_no(language: str, said: str) -> None:
    assert judge(SCREEN, said, language, TODAY) == Refused("yes_or_no")
