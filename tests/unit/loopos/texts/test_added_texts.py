"""Words that are added to a text: without the instruction around them, each thing once; where it was bought."""

from __future__ import annotations

import pytest

from server.loopos.answers.amounts.purchase_dates import told_payment, told_shop
from server.loopos.answers.clauses.change_requests import added_words
from server.loopos.answers.clauses.joined_parts import add_parts, without_answer_words, without_noted


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("and mario kart 8, you forgot that", "mario kart 8"),
        ("the charger too, and you forgot the strap", "the charger too; the strap"),
        ("yes and it has the charger, that's missing too", "it has the charger"),
        ("the accessories bit lost the dock and the box, pls put them back", "the dock and the box"),
        ("e falta dizer que tem publicidade e que dura 3 semanas", "tem publicidade e dura 3 semanas"),
        ("o resto está certo, mas a tampa tem um risco", "a tampa tem um risco"),
        ("falta a caixa, põe lá", "a caixa"),
        ("não, o que falta escrever é: processador i5", "processador i5"),
        ("falta a caixa", "falta a caixa"),
        ("the box is missing", "the box is missing"),
        ("no box", "no box"),
        ("não tem caixa", "não tem caixa"),
        ("no the battery was replaced", "the battery was replaced"),
        ("that is missing", ""),
        ("o resto está certo", ""),
        ("Notes: also add oatmeal cover", "oatmeal cover"),
        ("Notas: acrescente também a capa", "a capa"),
        ("and the notes miss the tiny scuff on the side", "the tiny scuff on the side"),
        ("tá a faltar nas notas o risco", "o risco"),
        ("tá a faltar o risco na lateral", "risco na lateral"),
        ("o texto não diz que a capa está rasgada", "a capa está rasgada"),
        ("the notes don't say that the case is torn", "the case is torn"),
        ("not in the notes: the torn case", "the torn case"),
        ("the scuff on the lid is not in the notes", "the scuff on the lid"),
        ("o risco na tampa não está nas notas", "o risco na tampa"),
        ("nao é falta, o processador é i5", "o processador é i5"),
        ("it's not missing, the processor is an i5", "the processor is an i5"),
    ],
)
def test_an_instruction_around_added_words_is_left_out(message: str, words: str) -> None:
    assert added_words(message) == words


@pytest.mark.parametrize(
    ("text", "words", "whole"),
    [
        ("the dock and the box", "mario kart 8", "the dock and the box; mario kart 8"),
        ("the dock and the box", "the box and the dock", "the box and the dock"),
        ("the box; dock", "the box, the charger and a case", "the box; dock; the charger and a case"),
        ("the cable", "two batteries, the cable. No box", "two batteries, the cable. No box"),
        ("two batteries; cable", "it has two batteries as well", "two batteries; cable"),
        ("no box", "the box", "no box; the box"),
        ("the rain cover", "the rain cover is torn", "the rain cover; the rain cover is torn"),
    ],
)
def test_words_are_added_to_a_text_once(text: str, words: str, whole: str) -> None:
    assert add_parts(text, words, 300) == (whole, [])


@pytest.mark.parametrize(
    ("message", "shop"),
    [
        ("march 2021 from argos in leeds, no reciept tho", "bought from argos in leeds"),
        ("março 2022 na worten", "comprei na worten"),
        ("na Amazon.es em janeiro de 2022", "comprei na Amazon.es"),
        ("new from worten in lisbon", "bought from worten in lisbon"),
        ("xmas 2022 at currys", "bought at currys"),
        ("bought it new from the Apple shop in October 2020", "bought new from the Apple shop"),
        ("comprei nova na Worten em 2020", "comprei nova na Worten"),
        ("foi em março de 2016, na loja do Porto, custou mil euros", "comprei na loja do Porto"),
        ("it was march 2016, at the shop in Leeds", "bought at the shop in Leeds"),
        ("2021, at home", ""),
        ("comprado no continente em 2019", "comprado no continente"),
        ("got it from my brother in 2020", "got from my brother"),
        ("bought it at christmas 2021", ""),
        ("comprei no natal de 2020", ""),
        ("2021 no box", ""),
        ("bought in 2021 from new", ""),
        ("replaced the pads at apple in 2022", ""),
        ("battery at 87%", ""),
    ],
)
def test_where_a_thing_was_bought_is_read_beside_when(message: str, shop: str) -> None:
    assert told_shop(message) == shop


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        (
            "é essa (a caixa já não tenho); a 28-70 (e duas baterias)",
            "a caixa já não tenho; a 28-70 (e duas baterias)",
        ),
        ("Certo (ainda tenho a fatura); preta", "ainda tenho a fatura; preta"),
        ("preta; (e junto a correia)", "preta; junto a correia"),
        ("yeah charger's included; yep torn", "charger's included; torn"),
        ("sim, a caixa; sim so riscos", "a caixa; so riscos"),
        ("that's the one (no receipt); right side scratched", "no receipt; right side scratched"),
        ("pneus trocados em março, sem pedais; faltam só os pedais", "pneus trocados em março, sem pedais"),
        ("o cabo, a capa também; ofereço a capa também", "o cabo; ofereço a capa também"),
        ("no box; the box is missing; box of cables", "no box; box of cables"),
        ("certo dia caiu; no canto tem um risco", "certo dia caiu; no canto tem um risco"),
    ],
)
def test_a_text_of_answers_says_each_thing_once_and_begins_with_no_yes(text: str, bare: str) -> None:
    assert without_answer_words(text) == bare


@pytest.mark.parametrize(
    ("text", "note", "left"),
    [
        (
            "tenho o carregador, a caixa não, mas tenho a fatura",
            "a caixa não",
            "tenho o carregador, tenho a fatura",
        ),
        ("I have the charger, no box, but I have the bill", "no box", "I have the charger, I have the bill"),
    ],
)
def test_a_but_goes_with_what_stood_before_it(text: str, note: str, left: str) -> None:
    assert without_noted(text, [note], facts=True) == left


@pytest.mark.parametrize(
    ("message", "paid"),
    [
        ("foi em 2016, custou mais de mil euros na altura", "custou mais de mil euros na altura"),
        ("march 2020, it cost 1,200 new", "it cost 1,200 new"),
        ("2020, i paid 300 for it", "i paid 300 for it"),
        ("2020, paid 50 for a new battery", ""),
        ("2020, paguei 40 de portes", ""),
        ("2020", ""),
    ],
)
def test_what_was_paid_is_read_beside_when(message: str, paid: str) -> None:
    assert told_payment(message) == paid
