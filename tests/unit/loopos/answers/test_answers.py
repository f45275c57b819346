"""Typed answers in both languages: which choice they mean, and whether they answer a question."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from server.languages import LANGUAGES
from server.loopos.answers import (
    NO_PRICE,
    REFUSALS,
    Element,
    ElementOption,
    Refused,
    Text,
    Valid,
    pick,
    validate,
    validate_click,
)
from server.loopos.answers.amounts.asking_price import judge_price
from server.loopos.answers.words import is_unknown, likeness
from server.words import say
from tests.parts.sampled import examples

TODAY = date(2026, 11, 20)
STORAGE = ["64 GB", "128 GB", "256 GB"]
COLOURS = [
    ("Preto", "Black"),
    ("Branco", "White"),
    ("Vermelho", "Red"),
    ("Verde", "Green"),
    ("Azul", "Blue"),
    ("Roxo", "Purple"),
]
GREENS = ["Cinzento sideral", "Prateado", "Dourado", "Verde meia-noite", "Verde", "Cinzento"]
KITS = [("Só o corpo", "Body only"), ("XC 15-45 mm", "XC 15-45 mm"), ("XF 18-55 mm", "XF 18-55 mm")]
SIZES = ["XS", "S", "M", "M/L", "L", "XL"]
SWITCHES = ["Nintendo Switch", "Nintendo Switch OLED", "Nintendo Switch Lite"]
PHONES = ["iPhone 12", "iPhone SE (2020)", "iPhone X"]
CONDITION = [("Excelente", "Excellent"), ("Bom", "Good"), ("Razoável", "Fair"), ("Mau", "Poor")]
LOCK = [
    ("Não, está livre", "No, it is free"),
    ("Sim, bloqueado", "Yes, locked"),
    ("Sim, mas posso retirar a conta", "Yes, but I can remove the account"),
]
ACCIDENT = [
    ("Não", "No"),
    ("Sim, esteve num acidente", "Yes, it was in an accident"),
    ("Sim, a estrutura está partida", "Yes, the frame is broken"),
    ("Não sei", "I don't know"),
]
WORKS = [
    ("Sim, tudo funciona", "Yes, everything works"),
    ("Funciona, com defeitos", "It works, with faults"),
    ("Não funciona", "It does not work"),
]
FRAME = [
    ("Não", "No"),
    ("Só riscos na pintura", "Only scratches in the paint"),
    ("Amolgado", "Dented"),
    ("Rachado ou soldado", "Cracked or welded"),
]
CONFIRM = [("Sim, é um iPhone 12", "Yes, it is an iPhone 12"), ("Não, é outro", "No, it is another")]
DRAWERS = ["2 gavetas", "3 gavetas", "4 gavetas", "6 gavetas"]
LENGTHS = ["64 GB", "640 GB"]
TERABYTES = ["512 GB", "1 TB", "2 TB"]


@pytest.mark.parametrize(
    ("said", "labels", "meant"),
    [
        # Names, however they are written.
        ("128 GB", STORAGE, 1),
        ("128gb", STORAGE, 1),
        ("128", STORAGE, 1),
        ("o de 128", STORAGE, 1),
        ("128 gigas, acho", STORAGE, 1),
        ("the 256 one", STORAGE, 2),
        ("256GB please", STORAGE, 2),
        ("azul", COLOURS, 4),
        ("AZUL", COLOURS, 4),
        ("o azul", COLOURS, 4),
        ("the blue one", COLOURS, 4),
        ("é a preta", COLOURS, 0),
        ("vermlho", COLOURS, 2),
        ("purpel", COLOURS, 5),
        ("quero o verde, por favor", COLOURS, 3),
        ("I think it's white", COLOURS, 1),
        ("verde", GREENS, 4),
        ("o verde meia noite", GREENS, 3),
        ("midnight", GREENS, None),
        ("cinzento", GREENS, 5),
        ("cinzento sideral", GREENS, 0),
        ("sideral", GREENS, 0),
        ("so o corpo", KITS, 0),
        ("body only", KITS, 0),
        ("apenas corpo", KITS, 0),
        ("18-55", KITS, 2),
        ("a lente 15-45", KITS, 1),
        ("xf", KITS, 2),
        ("m", SIZES, 2),
        ("L", SIZES, 4),
        ("tamanho M/L", SIZES, 3),
        ("size XL", SIZES, 5),
        ("razoavel", CONDITION, 2),
        ("está razoável", CONDITION, 2),
        ("excelent", CONDITION, 0),
        ("poor", CONDITION, 3),
        ("1 tb", TERABYTES, 1),
        ("2tb", TERABYTES, 2),
        ("4 gavetas", DRAWERS, 2),
        ("2", DRAWERS, 0),
        ("número 2", DRAWERS, 0),
        ("switch oled", SWITCHES, 1),
        ("a lite", SWITCHES, 2),
        ("Nintendo Switch", SWITCHES, 0),
        ("iphone 12", PHONES, 0),
        ("o x", PHONES, 2),
        # Numbers mean themselves only.
        ("64", LENGTHS, 0),
        ("640", LENGTHS, 1),
        ("6", LENGTHS, None),
        ("512", STORAGE, None),
        ("640", STORAGE, None),
        ("iphone 13", PHONES, None),
        # Places.
        ("a segunda", COLOURS, 1),
        ("the second one", COLOURS, 1),
        ("o primeiro", STORAGE, 0),
        ("third", STORAGE, 2),
        ("o último", COLOURS, 5),
        ("the last one", COLOURS, 5),
        ("a penúltima", COLOURS, 4),
        ("second to last", COLOURS, 4),
        ("2", COLOURS, 1),
        ("nº 3", COLOURS, 2),
        ("n.º 3", COLOURS, 2),
        ("número 3", COLOURS, 2),
        ("#3", COLOURS, 2),
        ("option 3", COLOURS, 2),
        ("a 4ª", COLOURS, 3),
        ("the 4th", COLOURS, 3),
        ("7", COLOURS, None),
        ("a nona", COLOURS, None),
        ("a primeira ou a segunda", COLOURS, [0, 1]),
        ("a segunda opção", COLOURS, 1),
        ("the last one please", COLOURS, 5),
        ("sim, a segunda", COLOURS, 1),
        ("the second one, white", COLOURS, 1),
        # No places, though an ordinal is in it.
        ("give me a second", CONDITION, None),
        ("give me a second to check", CONDITION, None),
        ("um segundo", CONDITION, None),
        ("dá-me um segundo", CONDITION, None),
        ("just a second", CONDITION, None),
        ("one second please", CONDITION, None),
        ("this is the last time", CONDITION, None),
        ("it is my second phone", CONDITION, None),
        ("foi o meu primeiro telemóvel", CONDITION, None),
        ("my first one broke, I bought another", CONDITION, None),
        ("second tab says hello", CONDITION, None),
        ("it is a 2nd hand phone", CONDITION, None),
        # What is denied is not chosen.
        ("não, 128", STORAGE, 1),
        ("no, 128", STORAGE, 1),
        ("não o azul, o verde", COLOURS, 3),
        ("not the blue, the green one", COLOURS, 3),
        ("não é azul", COLOURS, None),
        # Yes and no.
        ("sim", CONFIRM, 0),
        ("é esse", CONFIRM, 0),
        ("that's the one", CONFIRM, 0),
        ("claro", CONFIRM, 0),
        ("isso mesmo", CONFIRM, 0),
        ("yes", CONFIRM, 0),
        ("yep", CONFIRM, 0),
        ("não", CONFIRM, 1),
        ("nope", CONFIRM, 1),
        ("não é esse", CONFIRM, 1),
        ("não", LOCK, 0),
        ("está livre", LOCK, 0),
        ("não está bloqueado", LOCK, 0),
        ("sim", LOCK, [1, 2]),
        ("sim, está bloqueado", LOCK, 1),
        ("bloqueado", LOCK, 1),
        ("sim, mas consigo retirar a conta", LOCK, 2),
        ("yes", LOCK, [1, 2]),
        ("it is locked", LOCK, 1),
        ("não", ACCIDENT, 0),
        ("não, nunca esteve num acidente", ACCIDENT, 0),
        ("nunca esteve num acidente", ACCIDENT, 0),
        ("no, never", ACCIDENT, 0),
        ("sim, esteve num acidente", ACCIDENT, 1),
        ("sim, partida", ACCIDENT, 2),
        ("sim", ACCIDENT, [1, 2]),
        ("não sei", ACCIDENT, 3),
        ("I don't know", ACCIDENT, 3),
        ("não funciona", WORKS, 2),
        ("não", WORKS, 2),
        ("sim", WORKS, 0),
        ("com defeitos", WORKS, 1),
        ("tudo funciona", WORKS, 0),
        ("não", FRAME, 0),
        ("não, só riscos", FRAME, 1),
        ("só uns riscos", FRAME, 1),
        ("não tem riscos", FRAME, 0),
        ("it is cracked", FRAME, 3),
        # Several fit, or none does.
        ("verde ou azul", COLOURS, [3, 4]),
        ("black or white", COLOURS, [0, 1]),
        ("switch", SWITCHES, [0, 1, 2]),
        ("iphone", PHONES, [0, 1, 2]),
        ("não sei", STORAGE, None),
        ("skip", STORAGE, None),
        ("qual é a diferença?", STORAGE, None),
        ("qual é o azul?", COLOURS, None),
        ("bicicleta", COLOURS, None),
        ("ontem comprei pão fresco depois vi neve sideral", GREENS, None),
        ("azulissimamente", COLOURS, None),
        ("brancamente", COLOURS, None),
        ("", COLOURS, None),
        ("?!", COLOURS, None),
        ("azul", [], None),
        ("azul", ["Azul", "Azul"], [0, 1]),
    ],
)
def test_a_typed_answer_means_one_of_the_choices(said: str, labels: list[str], meant: object):
    assert pick(said, labels) == meant


def element(kind: str, **limits: object) -> Element:
    """Return a question of one kind."""
    return Element(id="x", kind=kind, label=Text("Pergunta", "Question"), **limits)  # type: ignore[arg-type]


BATTERY = element("number", unit=Text("%", "%"), min=0, max=100)
SHOTS = element(
    "number", unit=Text("disparos", "shots"), unit_one=Text("disparo", "shot"), min=0, max=2_000_000
)
PLAIN = element("number", min=-50)
PAST = element("date", not_in_future=True)
ANY_DATE = element("date")
BOX = element("boolean")
NOTES = element("text", max_length=20)
REFERENCE = element(
    "text", pattern="[0-9A-Z]{4}-[0-9]{4}", hint=Text("Por exemplo 7S26-0020.", "For example 7S26-0020.")
)
STATE = element(
    "select", options=tuple(ElementOption(v, Text(*t)) for v, t in zip("ABCD", CONDITION, strict=True))
)
LOCKED = element(
    "select",
    required=True,
    options=tuple(
        ElementOption(v, Text(*t), v == "locked")
        for v, t in zip(("free", "locked", "later"), LOCK, strict=True)
    ),
)
CRASH = element(
    "select",
    required=True,
    options=tuple(ElementOption(str(i), Text(*t), i > 0) for i, t in enumerate(ACCIDENT)),
)


@pytest.mark.parametrize(
    ("question", "said", "language", "value", "shown"),
    [
        (SHOTS, "12000", "pt", 12000, "12\u00a0000\u00a0disparos"),
        (SHOTS, "12 000", "pt", 12000, "12\u00a0000\u00a0disparos"),
        (SHOTS, "12\u00a0000", "PT-PT", 12000, "12\u00a0000\u00a0disparos"),
        (SHOTS, "12.000", "pt", 12000, "12\u00a0000\u00a0disparos"),
        (SHOTS, "12,000", "en", 12000, "12,000\u00a0shots"),
        (SHOTS, "1.234.567", "pt", 1234567, "1\u00a0234\u00a0567\u00a0disparos"),
        (SHOTS, "1200", "pt", 1200, "1200\u00a0disparos"),
        (SHOTS, "cerca de 1200 disparos", "pt", 1200, "1200\u00a0disparos"),
        (SHOTS, "about 1,200 shots", "en", 1200, "1,200\u00a0shots"),
        (SHOTS, "0", "pt", 0, "0\u00a0disparos"),
        (SHOTS, "1", "pt", 1, "1\u00a0disparo"),
        (SHOTS, "one shot", "en", 1, "1\u00a0shot"),
        (SHOTS, "two", "en", 2, "2\u00a0shots"),
        (SHOTS, "só dois", "pt", 2, "2\u00a0disparos"),
        (SHOTS, "nenhum", "pt", 0, "0\u00a0disparos"),
        (SHOTS, "cento e vinte e três disparos", "pt", 123, "123\u00a0disparos"),
        (SHOTS, "one hundred and twenty", "en", 120, "120\u00a0shots"),
        (SHOTS, "nine hundred", "en", 900, "900\u00a0shots"),
        (SHOTS, "seventeen", "en", 17, "17\u00a0shots"),
        (BATTERY, "oitenta e sete por cento", "pt", 87, "87\u00a0%"),
        (BATTERY, "eighty-seven", "en", 87, "87%"),
        (BATTERY, "87 %", "pt", 87, "87\u00a0%"),
        (BATTERY, "87%", "en", 87, "87%"),
        (BATTERY, "87 por cento", "pt", 87, "87\u00a0%"),
        (BATTERY, "a bateria está a 87%", "pt", 87, "87\u00a0%"),
        (BATTERY, "87,5", "pt", 87.5, "87,5\u00a0%"),
        (BATTERY, "87.5 percent", "en", 87.5, "87.5%"),
        (PLAIN, "-3", "pt", -3, "-3"),
        (PLAIN, "1.234,56", "pt", 1234.56, "1234,56"),
        (PLAIN, "1,234.56", "en", 1234.56, "1,234.56"),
        (PLAIN, "0.125", "en", 0.125, "0.125"),
        (PAST, "março de 2022", "pt", "2022-03", "março de 2022"),
        (PAST, "Março 2022", "pt", "2022-03", "março de 2022"),
        (PAST, "em março de 2022", "en", "2022-03", "March 2022"),
        (PAST, "March 2022", "en", "2022-03", "March 2022"),
        (PAST, "in mar 2022", "pt", "2022-03", "março de 2022"),
        (PAST, "03/2022", "pt", "2022-03", "março de 2022"),
        (PAST, "3-2022", "en", "2022-03", "March 2022"),
        (PAST, "2022-03", "en", "2022-03", "March 2022"),
        (PAST, "2022-03-14", "pt", "2022-03-14", "14 de março de 2022"),
        (PAST, "14/3/2022", "pt", "2022-03-14", "14 de março de 2022"),
        (PAST, "14.03.22", "en", "2022-03-14", "14 March 2022"),
        (PAST, "4/3/2022", "en", "2022-03-04", "4 March 2022"),
        (PAST, "3/14/2022", "en", "2022-03-14", "14 March 2022"),
        (PAST, "14 de março de 2022", "pt", "2022-03-14", "14 de março de 2022"),
        (PAST, "March 14th, 2022", "en", "2022-03-14", "14 March 2022"),
        (PAST, "the 14th of March 2022", "en", "2022-03-14", "14 March 2022"),
        (PAST, "1.º de maio de 2021", "pt", "2021-05-01", "1 de maio de 2021"),
        (PAST, "14/3/98", "pt", "1998-03-14", "14 de março de 1998"),
        (PAST, "2022", "pt", "2022", "2022"),
        (PAST, "comprei em 2022", "pt", "2022", "2022"),
        (PAST, "hoje", "pt", "2026-11-20", "20 de novembro de 2026"),
        (PAST, "yesterday", "en", "2026-11-19", "19 November 2026"),
        (PAST, "novembro de 2026", "pt", "2026-11", "novembro de 2026"),
        (PAST, "2026", "pt", "2026", "2026"),
        (PAST, "no ano passado", "pt", "2025", "2025"),
        (PAST, "last month", "en", "2026-10", "October 2026"),
        (PAST, "há 2 anos", "pt", "2024", "2024"),
        (PAST, "comprei há dois anos", "pt", "2024", "2024"),
        (PAST, "11 months ago", "en", "2025-12", "December 2025"),
        (PAST, "este mês", "pt", "2026-11", "novembro de 2026"),
        (ANY_DATE, "05/2031", "pt", "2031-05", "maio de 2031"),
        (PAST, "29/2/2024", "pt", "2024-02-29", "29 de fevereiro de 2024"),
        (BOX, "sim", "pt", True, "Sim"),
        (BOX, "Sim, tenho", "pt", True, "Sim"),
        (BOX, "tenho", "pt", True, "Sim"),
        (BOX, "yes", "en", True, "Yes"),
        (BOX, "I do have it", "en", True, "Yes"),
        (BOX, "tenho a caixa, mas não o cabo", "pt", True, "Sim"),
        (BOX, "não", "pt", False, "Não"),
        (BOX, "não, tem 2 riscos", "pt", False, "Não"),
        (BOX, "nao tenho", "pt", False, "Não"),
        (BOX, "I don't have it", "en", False, "No"),
        (BOX, "no", "en", False, "No"),
        (BOX, "acho que não", "pt", False, "Não"),
        (BOX, "perdi-a", "pt", False, "Não"),
        (BOX, "não sei", "pt", None, "Não sei"),
        (NOTES, " com carregador ", "pt", "com carregador", "com carregador"),
        (NOTES, "saltar", "pt", None, "Não sei"),
        (NOTES, "skip", "en", None, "I don't know"),
        (REFERENCE, "7S26-0020", "pt", "7S26-0020", "7S26-0020"),
        (BATTERY, "don't know", "en", None, "I don't know"),
        (PAST, "não me lembro", "pt", None, "Não sei"),
        (STATE, "bom", "pt", "B", "Bom"),
        (STATE, "good", "pt", "B", "Bom"),
        (STATE, "C", "en", "C", "Fair"),
        (STATE, "a primeira", "en", "A", "Excellent"),
        (STATE, "skip", "en", None, "I don't know"),
        (LOCKED, "free", "en", "free", "No, it is free"),
        (LOCKED, "sim, bloqueado", "pt", "locked", "Sim, bloqueado"),
        (CRASH, "não sei", "pt", "3", "Não sei"),
    ],
)
def test_an_answer_counts_and_is_shown_in_the_language(
    question: Element, said: str, language: str, value: object, shown: str
):
    answer = validate(question, said, language, TODAY)
    assert isinstance(answer, Valid), answer
    assert (answer.value, answer.shown) == (value, shown)
    assert type(answer.value) is type(value)
    assert answer.skipped is (value is None)


def required(question: Element) -> Element:
    """Return the same question, but it must be answered."""
    return Element(id="x", kind=question.kind, label=question.label, required=True, options=question.options)


@pytest.mark.parametrize(
    ("question", "said", "code"),
    [
        (SHOTS, "twelve thousand", "number_only"),
        (SHOTS, "two or three", "number_only"),
        (SHOTS, "vinte dez", "number_only"),
        (SHOTS, "uma hora e meia", "number_only"),
        (SHOTS, "hundred two hundred", "number_only"),
        (SHOTS, "muitos", "number_only"),
        (SHOTS, "10 a 12", "number_only"),
        (SHOTS, "10-12", "number_only"),
        (SHOTS, "D3500", "number_only"),
        (SHOTS, "3 anos", "number_only"),
        (SHOTS, "9" * 30, "number_only"),
        (SHOTS, "-1", "too_small"),
        (SHOTS, "2 000 001", "too_large"),
        (BATTERY, "101", "too_large"),
        (BATTERY, "100,5 %", "too_large"),
        (required(BATTERY), "não sei", "required"),
        (PAST, "março", "year_missing"),
        (PAST, "14 de março", "year_missing"),
        (PAST, "December 2026", "date_in_future"),
        (PAST, "2027", "date_in_future"),
        (PAST, "21/11/2026", "date_in_future"),
        (PAST, "31/02/2022", "not_a_date"),
        (PAST, "13/2022", "not_a_date"),
        (PAST, "2021 ou 2022", "not_a_date"),
        (PAST, "há muito tempo", "not_a_date"),
        (PAST, "1022", "not_a_date"),
        (PAST, "12000", "not_a_date"),
        (PAST, "14 2022", "not_a_date"),
        (PAST, "há 3 dias atrás de casa", "not_a_date"),
        (PAST, "há 300000 anos", "not_a_date"),
        (PAST, "há 3 semanas", "not_a_date"),
        (required(PAST), "don't know", "required"),
        (BOX, "no, 5400", "number_beside"),
        (BOX, "sim, 87", "number_beside"),
        (BOX, "talvez", "yes_or_no"),
        (BOX, "azul", "yes_or_no"),
        (BOX, "...", "yes_or_no"),
        (required(BOX), "não sei", "required"),
        (NOTES, "x" * 21, "too_long"),
        (NOTES, "   ", "empty"),
        (NOTES, "\x00\x07", "empty"),
        (required(NOTES), "skip", "required"),
        (REFERENCE, "7S26", "pattern"),
        (STATE, "amarelo", "not_an_option"),
        (LOCKED, "sim", "ambiguous"),
        (LOCKED, "não sei", "required"),
        (LOCKED, "12", "not_an_option"),
        (element("info"), "sim", "not_a_question"),
        (element("warning"), "sim", "not_a_question"),
    ],
)
def test_an_answer_is_refused_with_what_to_write_instead(question: Element, said: str, code: str):
    for language in ("pt", "en"):
        answer = validate(question, said, language, TODAY)
        assert isinstance(answer, Refused), answer
        assert (answer.code, answer.key) == (code, f"answer.{code}")
        assert answer.text_in(language)
        assert "{" not in answer.text.pt + answer.text.en


def test_choosing_a_deal_breaker_says_so():
    assert [o.deal_breaker for o in LOCKED.options] == [False, True, False]
    locked, free = (validate(LOCKED, said, "pt", TODAY) for said in ("bloqueado", "livre"))
    assert isinstance(locked, Valid)
    assert isinstance(free, Valid)
    assert locked.deal_breaker
    assert not free.deal_breaker


def test_a_click_is_the_value_of_its_choice_whatever_the_words_of_another_are():
    options = (
        ElementOption("no", Text("Sim", "Yes")),
        ElementOption("yes", Text("Não, está banida", "No, it is banned")),
    )
    question = replace(element("select"), options=options)
    for option in options:
        for language in ("pt", "en"):
            found = validate_click(question, option.value, language, TODAY)
            assert found == Valid(option.value, option.label.text_in(language))


def test_a_refusal_names_a_number_that_would_pass():
    assert validate(SHOTS, "muitos", "pt", TODAY) == Refused("number_only", {"example": "12000"})
    answer = validate(BATTERY, "boa", "pt", TODAY)
    assert isinstance(answer, Refused)
    assert answer.text_in("pt") == "Escreva só o número, por exemplo 87."
    assert isinstance(validate(element("number", min=500_000), "x", "pt", TODAY), Refused)


def test_an_ambiguous_answer_names_what_fits():
    answer = validate(LOCKED, "yes", "en", TODAY)
    assert isinstance(answer, Refused)
    assert answer.text_in("en") == "Which of these: “Yes, locked”; “Yes, but I can remove the account”?"


def test_every_refusal_is_a_short_sentence_in_both_languages():
    for text in REFUSALS.values():
        assert text.pt != text.en
        assert all(10 < len(each) <= 120 and each[-1] in ".?}" for each in (text.pt, text.en))


def test_an_element_is_read_from_data_in_one_or_two_languages():
    raw = {
        "id": 7,
        "class": "Protocol::Element::Input::Select",
        "attributes": {"label": "Estado", "required": True, "hint": {"pt": "Olhe bem.", "en": "Look well."}},
        "options": [
            {"value": "A", "label": "Excelente"},
            {"value": "D", "label": "Mau", "deal_breaker": True},
        ],
    }
    read = Element.of(raw)
    assert (read.id, read.kind, read.required, read.asks) == ("7", "select", True, True)
    assert read.class_name == "Protocol::Element::Input::Select"
    assert read.label.text_in("en") == "Estado"
    assert read.hint is not None
    assert read.hint.text_in("en-GB") == "Look well."
    assert [option.deal_breaker for option in read.options] == [False, True]


SIDES = ["42 × 147 cm", "77 × 77 cm", "77 × 147 cm", "147 × 147 cm"]


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("its 4 by 2 so the tall one, 77x147", 2),
        ("77 por 147", 2),
        ("the 77 by 77", 1),
        ("147x147", 3),
        ("42 x 147 i think", 0),
        ("not the 77x147", None),
        ("147x77", 2),
        ("77x77 or 77x147", None),
    ],
)
def test_a_width_and_a_height_name_the_size_that_has_both(said: str, place: int | None):
    picked = pick(said, SIDES)
    assert (picked if isinstance(picked, int) else None) == place


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("azul", "azul", 1.0),
        ("64", "640", 0.0),
        ("preta", "preto", 0.9),
        ("vermlho", "vermelho", 0.8),
        ("bom", "mau", 0.0),
    ],
)
def test_likeness_of_two_words_lies_between_0_and_1(one: str, other: str, alike: float):
    assert likeness(one, other) == likeness(other, one) == alike


@settings(max_examples=examples(300), deadline=None)
@given(st.text(max_size=120), st.lists(st.text(max_size=20), max_size=6))
@example("mas: but", [""])
@example("7" * 8000, ["1", "2"])
def test_any_text_picks_places_that_exist(said: str, labels: list[str]):
    picked = pick(said, labels)
    places = [] if picked is None else [picked] if isinstance(picked, int) else picked
    assert all(0 <= place < len(labels) for place in places)
    assert not isinstance(picked, list) or len(picked) > 1


@pytest.mark.parametrize(
    "question", [SHOTS, PLAIN, PAST, BOX, NOTES, REFERENCE, STATE], ids=lambda each: each.kind
)
@given(said=st.text(max_size=80) | st.from_regex(r"[0-9 .,/-]{1,24}", fullmatch=True))
@settings(max_examples=examples(200), deadline=None)
def test_any_text_is_judged(question: Element, said: str):
    for language in ("pt", "en"):
        answer = validate(question, said, language, TODAY)
        assert answer.shown if isinstance(answer, Valid) else answer.text_in(language)


@given(st.integers(min_value=0, max_value=2_000_000), st.sampled_from(["pt", "en"]))
def test_a_number_as_it_is_shown_is_read_back(number: int, language: str):
    shown = validate(SHOTS, str(number), language, TODAY)
    assert isinstance(shown, Valid)
    assert validate(SHOTS, shown.shown, language, TODAY) == shown


@given(st.dates(min_value=date(1950, 1, 1), max_value=TODAY), st.sampled_from(["pt", "en"]))
def test_a_date_as_it_is_shown_is_read_back(day: date, language: str):
    shown = validate(PAST, day.isoformat(), language, TODAY)
    assert isinstance(shown, Valid)
    assert validate(PAST, shown.shown, language, TODAY) == shown
    assert validate(PAST, day.strftime("%d/%m/%Y"), language, TODAY) == shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_yes_that_was_clicked_in_another_language_counts(language):
    """The page may have been switched since the button was drawn."""
    for word in ("Sim", "Yes", "Sí", "Oui", "Ja"):
        found = validate_click(element("boolean"), word, language, TODAY)
        assert isinstance(found, Valid)
        assert found.value is True
    for word in ("Sem preço", "No price", "Sin precio", "Sans prix", "Ohne Preis"):
        assert judge_price(word, language) == Valid(None, NO_PRICE.text_in(language))
    for each in LANGUAGES:
        assert is_unknown(say("choice.later", each))
        assert is_unknown(say("choice.unsure", each))
