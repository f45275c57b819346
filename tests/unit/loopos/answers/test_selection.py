"""An option that a model selects counts only where the seller's messages have it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pytest

from server.loopos.answers import ProbableAnswer, Refused, SideRemark, Valid, judge_selection
from server.loopos.answers.element import Element, ElementOption, Text
from server.loopos.tools.options import suggested_value
from tests.unit.loopos.phrases.judged import question

TODAY = date(2026, 11, 22)
IPHONE_12, STORAGE, COLOUR = 1001, 11, 12


OTHERS = {
    STORAGE: ("Cor", "Colour", "Preto", "Black", "Branco", "White", "Azul", "Blue", "Verde", "Green"),
    COLOUR: ("Armazenamento", "Storage", "64 GB", "128 GB", "256 GB"),
}


@dataclass(frozen=True)
class Named:
    """A value of an option, as far as the suggestion reads it."""

    name: str


def outcome(
    value: str, *messages: str, language: str = "pt", is_asked: bool = False, is_open: bool = False
) -> str:
    """`=`, `?` or the code of the refusal, of a value of the iPhone 12; the newest message is the first."""
    kind = STORAGE if value.endswith("GB") else COLOUR
    element = question(f"{IPHONE_12}/{kind}")
    option = next(each for each in element.options if value in (each.label.pt, each.label.en))
    beside = SideRemark("iPhone 12 Apple", ("Telemóveis", "Smartphones", *OTHERS[kind]))
    judged = judge_selection(
        element, option.value, messages, language, TODAY, beside=beside, is_asked=is_asked, is_open=is_open
    )
    if isinstance(judged, Refused):
        return judged.code
    assert isinstance(judged, Valid) or judged.guess.value == option.value
    return "?" if isinstance(judged, ProbableAnswer) else "="


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("128 GB", ["sim", "Quero vender um iPhone 12 preto de 128"]),
        ("Preto", ["sim", "Quero vender um iPhone 12 preto de 128"]),
        ("64 GB", ["iphone 12 azul de 64gb, com caixa"]),
        ("Preto", ["preto sem caixa"]),
        ("Preto", ["black with a white case"]),
        ("Branco", ["afinal é branco", "iphone 12 preto"]),
        ("Branco", ["não é preto, é branco", "iphone 12 preto"]),
        ("64 GB", ["de 64 GB, com cartão de 128"]),
    ],
)
def test_a_value_that_the_seller_said_is_sure(value: str, messages: list[str]) -> None:
    assert outcome(value, *messages) == "="


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("128 GB", "acho que 128"),
        ("128 GB", "128 ou 256?"),
        ("Preto", "preto?"),
        ("Azul", "azulinho"),
        ("Azul", "da cor do mar"),
    ],
)
def test_a_doubtful_value_is_asked_back_when_its_option_was_asked_for(value: str, message: str) -> None:
    assert outcome(value, message, is_asked=True) == "?"


@pytest.mark.parametrize("message", ["não sei", "qual é a diferença?", "sim", "ok", "?", "...", ""])
def test_a_value_that_the_seller_did_not_mention_is_not_said(message: str) -> None:
    assert outcome("128 GB", message, is_asked=True) == "not_said"


@pytest.mark.parametrize(
    ("value", "messages", "code"),
    [
        ("256 GB", ["iphone 12"], "not_said"),
        ("256 GB", ["sim", "iphone 12"], "not_said"),
        ("128 GB", ["vendo por 128 euros"], "not_said"),
        ("128 GB", ["não é o de 128"], "not_said"),
        ("128 GB", ["o segundo"], "not_said"),
        ("64 GB", ["128 GB"], "said_otherwise"),
        ("64 GB", ["128"], "not_said"),
        ("Preto", ["afinal é branco", "iphone 12 preto"], "said_otherwise"),
        ("128 GB", ["de 64 GB, com cartão de 128"], "said_otherwise"),
        ("128 GB", [], "not_said"),
    ],
)
def test_a_guess_of_the_model_is_refused(value: str, messages: list[str], code: str) -> None:
    assert outcome(value, *messages) == code


def test_a_place_in_the_list_counts_where_the_list_was_asked() -> None:
    assert outcome("128 GB", "o segundo", is_asked=True) == "="


def test_the_part_of_a_longer_label_is_not_the_shorter_one() -> None:
    element = question("1017/14")
    both = {each.label.pt: each.value for each in element.options}
    for label, value in both.items():
        judged = judge_selection(
            element, value, [f"o ipad com {label}"], "pt", TODAY, beside=SideRemark("iPad Air")
        )
        assert isinstance(judged, Valid), label


SURE_IN_AN_OPENING = """
pt | 128 GB | quero vender um iPhone 12 preto de 128
pt | Preto | quero vender um iPhone 12 preto de 128
pt | 128 GB | iphone 12 128gb preto
pt | Preto | iphone 12 128gb preto
en | 128 GB | I want to sell a black iPhone 12 with 128 GB
en | Preto | I want to sell a black iPhone 12 with 128 GB
pt | Azul | tenho um iphone 12 azul com 64 gb para vender
pt | 64 GB | tenho um iphone 12 azul com 64 gb para vender
pt | 128 GB | iphone 12 128
pt | Verde | bom dia, quero vender um iphone 12 verde
pt | 256 GB | iPhone 12 (256 GB, branco)
pt | Branco | iPhone 12 (256 GB, branco)
pt | Preto | é um telemóvel preto
pt | Preto | iphone 12 preto e com carregador
pt | 64 GB | iPhone 12 azul e de 64
pt | 128 GB | o armazenamento é 128
en | 128 GB | it has 128 GB of storage
en | Preto | got a black iphone 12 128gb to get rid of
en | 128 GB | got a black iphone 12 128gb to get rid of
en | Azul | hi, I have a blue iPhone 12 for sale
en | 64 GB | I have an iPhone 12 64 for sale
en | Preto | my iphone is black with a white case
pt | Preto | é da minha mãe, um iphone 12 preto
pt | 64 GB | enganei-me, é branco e de 64
pt | Azul | espera, é o azul
pt | Preto | iphone 12 preto em bom estado
en | Preto | it's black, like new
en | 128 GB | black iPhone 12 in good condition, 128GB
"""
ASKED_IN_AN_OPENING = """
pt | 128 GB | iphone 12 por 128 gb
en | 128 GB | iphone 12 for 128 gb
pt | 128 GB | vendo iphone 12 por 128 gb
en | 128 GB | iphone 12 with less than 128 gb
pt | 128 GB | iphone 12 com menos de 128 gb
pt | Preto | iPhone 12, tem uma mancha preta
pt | 128 GB | iPhone 12, peço 128
en | 128 GB | iPhone 12, I want 128 for it
en | Preto | black scratches on the back
pt | Preto | com moldura preta
pt | 128 GB | vendo por 128
pt | 128 GB | rua das flores 128
pt | 128 GB | tenho 128 fotos
pt | 64 GB | 64 GB livres
pt | Preto | quero trocar por um preto
pt | Verde | luz verde acesa
pt | 128 GB | 128
pt | 128 GB | iphone 12 por 128
pt | 128 GB | iphone 12 azul, 128
pt | 128 GB | iphone 12 com cartão de 128 GB
pt | 64 GB | cartão de memória com 64 GB
pt | Preto | iphone 12 com capa e carregador preto
pt | Preto | vai com a capa, é preta
pt | Preto | a moldura ficou preta
pt | Azul | tem um risco azul
pt | Branco | o ecrã mostra uma linha branca
pt | Vermelho | a bateria aparece a vermelho
pt | 128 GB | moro no 128
pt | 256 GB | iphone 12, o meu primo tem 256 GB
pt | Branco | quero trocar o meu iphone 12 por um branco
en | 128 GB | it has 128 pictures on it
en | 64 GB | 64 GB are used
en | Preto | it comes with a charger, it is black
en | Azul | the screen turns blue
en | Verde | a green line on the display
en | Branco | a white spot near the camera
en | 256 GB | offers from 256
en | 128 GB | my address is 128 Hill Road
en | Preto | she has a black one
en | Preto | I will swap it for a black one
en | Preto | the box is black
en | Preto | it has black on it
en | Branco | I want a white one
en | Branco | I'd like a white one
pt | Branco | quero um iphone 12 branco
pt | 128 GB | vendo o iphone 12 a 128
pt | 128 GB | tenho 128
pt | 128 GB | iphone 12 por 128 gb
pt | 64 GB | iphone 12 azul com caixa, 64gb
"""
NOTHING_SAID = """
pt | Branco | tem capa preta e branca
en | Preto | black and white case
en | Preto | iphone 12 with a black, scratched case
en | Preto | in good condition, black case
pt | 128 GB | iphone 12 128€
pt | 64 GB | bateria a 64%
pt | 128 GB | vendo por 128 euros
en | 128 GB | I want $128 for it
en | 64 GB | battery at 64%
pt | Preto | não é preto
pt | Azul | iphone 12 com capa preta
en | Preto | sim
"""
SURE_AS_AN_ANSWER = """
pt | 128 GB | tenho 128
en | 128 GB | i have 128
pt | 128 GB | tem 128 gb
pt | Preto | quero o preto
en | Preto | I want the black one
en | Branco | mine is white
pt | 256 GB | é de 256 gb
pt | 128 GB | 128
pt | 128 GB | tenho 128
pt | 128 GB | o de 128
en | 128 GB | mine has 128
pt | 128 GB | 128 por favor
pt | 128 GB | 128 preto
pt | Preto | preto
pt | Preto | é o preto
pt | Preto | a preta
en | 64 GB | it's 64 gigs
en | Preto | 128 in black
en | Azul | the blue one
"""
ASKED_AS_AN_ANSWER = """
en | Preto | I want a black one
en | Preto | i'd like black
pt | Preto | quero um preto
pt | Preto | queria preto
pt | 128 GB | iphone 12 por 128 gb
pt | 128 GB | por 128 gb
en | 128 GB | iphone 12 for 128 gb
en | 128 GB | i want 128
pt | 128 GB | menos de 128
pt | 128 GB | quase 128
en | 128 GB | at least 128 gb
en | Azul | it was blue until I painted it
en | Azul | blue, but now it is black
pt | Azul | azul antes, agora preto
pt | Preto | o carregador é preto
pt | 128 GB | peço 128
pt | 128 GB | por 128
pt | 128 GB | quero 128
pt | 128 GB | por 128 gb
pt | Preto | quero um preto
pt | Preto | tem uma mancha preta
pt | Preto | quero trocar por um preto
en | 128 GB | I want 128 for it
en | Preto | I want a black one
en | Preto | I would like black, I want it black
en | Preto | black scratches
"""
NOT_SAID_AS_AN_ANSWER = """
pt | Preto | capa preta
pt | Preto | tem a capa preta
en | Preto | a black and white case
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


@pytest.mark.parametrize(
    ("language", "value", "message", "expected"),
    [
        (*row, expected)
        for table, expected in [
            (SURE_IN_AN_OPENING, "="),
            (ASKED_IN_AN_OPENING, "?"),
            (NOTHING_SAID, "not_said"),
        ]
        for row in rows(table)
    ],
)
def test_a_value_of_an_opening_is_sure_where_each_word_is_accounted_for(
    language: str, value: str, message: str, expected: str
) -> None:
    assert outcome(value, message, language=language) == expected


@pytest.mark.parametrize(
    ("language", "value", "message", "expected"),
    [
        (*row, expected)
        for table, expected in [
            (SURE_AS_AN_ANSWER, "="),
            (ASKED_AS_AN_ANSWER, "?"),
            (NOT_SAID_AS_AN_ANSWER, "not_said"),
        ]
        for row in rows(table)
    ],
)
def test_an_answer_to_the_question_of_the_option_is_sure_where_each_word_is_accounted_for(
    language: str, value: str, message: str, expected: str
) -> None:
    assert outcome(value, message, language=language, is_asked=True) == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [("128 GB", "yeah thats it. black n 128 gb"), ("Preto", "yeah thats it. 128 gb n black")],
)
def test_an_n_between_two_values_joins_them(value: str, message: str) -> None:
    assert outcome(value, message, language="en") == outcome(
        value, message.replace(" n ", " and "), language="en"
    )
    assert outcome(value, message, language="en") in ("=", "?")


@pytest.mark.parametrize("language", ["pt", "en"])
def test_a_refused_value_is_not_said_to_be_unsaid(language: str) -> None:
    assert Refused("not_said").text_in(language) in ("Escolha uma das opções.", "Choose one of the options.")


@pytest.mark.parametrize(
    ("heard", "language", "suggested"),
    [
        ("black headphones. sorry, not black", "en", None),
        ("auscultadores preto. desculpe, não é preto", "pt", None),
        ("it is not white, black", "en", "Black"),
    ],
)
def test_a_value_that_is_taken_back_is_not_suggested(
    heard: str, language: str, suggested: str | None
) -> None:
    values = [Named("Black" if language == "en" else "Preto"), Named("White")]
    found = suggested_value(values, heard, language)
    assert (found.name if found else None) == suggested


def test_a_number_without_its_unit_corrects_an_option_only_while_one_is_asked_for() -> None:
    assert outcome("256 GB", "não, 256", is_open=True) == "="
    assert outcome("256 GB", "não, 256") == "?"


def test_a_value_that_two_options_have_needs_the_name_of_its_option() -> None:
    element = question(f"{IPHONE_12}/{STORAGE}")
    beside = SideRemark("iPhone 12", ("Memória", "64 GB"))
    value = next(each.value for each in element.options if each.label.pt == "64 GB")
    said = {"iphone 12 64 GB": ProbableAnswer, "iphone 12 com 64 GB de armazenamento": Valid}
    for message, expected in said.items():
        assert isinstance(judge_selection(element, value, [message], "pt", TODAY, beside=beside), expected)


KITS = Element(
    "option:16",
    "select",
    Text("Conjunto", "Kit"),
    required=True,
    options=tuple(
        ElementOption(value, Text(*names))
        for value, *names in (
            ("1", "Só o corpo", "Body only"),
            ("2", "XC 15-45 mm", "XC 15-45 mm"),
            ("3", "XF 18-55 mm", "XF 18-55 mm"),
        )
    ),
)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Tenho uma X-T30 II com a objetiva 18-55, comprada em 2022", ProbableAnswer),
        ("I sell an X-T30 II with the 18-55 lens", ProbableAnswer),
        ("X-T30 II com a objetiva 15-45", Refused),
        ("X-T30 II com a objetiva 18-55 que comprei em 2022 e quase nao uso", ProbableAnswer),
        ("X-T30 II, a 18-55 não tenho", Refused),
        ("X-T30 II sem a 18-55", Refused),
        ("X-T30 II, comprada com 55 disparos em 18 dias", Refused),
    ],
)
def test_the_numbers_of_an_option_in_a_row_are_asked_back(message: str, expected: type) -> None:
    assert isinstance(judge_selection(KITS, "3", ["sim", message], "pt", TODAY), expected)


def test_the_newest_numbers_in_a_row_decide() -> None:
    messages = ["afinal é a 15-45", "X-T30 II com a objetiva 18-55"]
    assert isinstance(judge_selection(KITS, "3", messages, "pt", TODAY), Refused)
    assert not isinstance(judge_selection(KITS, "2", messages, "pt", TODAY), Refused)


@pytest.mark.parametrize(
    ("language", "heard", "suggested"),
    [
        ("en", "garmin with music", "Music"),
        ("en", "garmin, no music", None),
        ("pt", "sem music", None),
        ("en", "music, not sure", "Music"),
        ("pt", "vendo no preto", "Preto"),
    ],
)
def test_a_denied_word_suggests_no_value(language: str, heard: str, suggested: str | None) -> None:
    values = [Named("Without Music"), Named("Music"), Named("Preto")]
    found = suggested_value(values, heard, language)
    assert (found.name if found else None) == suggested
