"""Replies to a text that waits for a yes: what only agrees, what speaks to who asks, and what contradicts the text."""

import pytest

from server.loopos.answers.amounts.prices_in_notes import take_price
from server.loopos.answers.clauses.contradicted_parts import without_contradicted
from server.loopos.answers.clauses.item_facts import whole_clause
from server.loopos.answers.clauses.text_replies import approves_text, without_asides
from server.loopos.answers.clauses.whole_text_wishes import read_whole_text
from server.loopos.answers.wishes.things_taken_back import tells_why_gone


@pytest.mark.parametrize(
    ("message", "agrees"),
    [
        ("Agora sim, está tudo certo.", True),
        ("sim, agora está", True),
        ("está ótimo assim, obrigado", True),
        ("now its right", True),
        ("yes thats perfect now", True),
        ("Yes that is fine", True),
        ("looks good to me", True),
        ("por mim está bem", True),
        ("está quase", False),
        ("no its not right", False),
        ("is it right now?", False),
        ("good with the box", False),
        ("box", False),
    ],
)
def test_a_reply_that_only_agrees_is_told_from_an_addition(message: str, agrees: bool) -> None:
    assert approves_text(message) is agrees


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ("No box or receipt, sorry", "No box or receipt"),
        ("sem caixa, desculpe", "sem caixa"),
        ("Está quase. Acrescente só a capa, se faz favor", "Acrescente só a capa"),
        ("almost right, add that it has a stand please", "add that it has a stand"),
        ("as i said, box and cable. thanks!", "box and cable"),
        ("como já disse tem caixa, obrigada", "tem caixa"),
        ("oh wait found the cable lol so its included", "found the cable so its included"),
        ("thanks", "thanks"),
        ("box and cable", "box and cable"),
    ],
)
def test_words_to_who_asks_do_not_stand_in_a_text(message: str, left: str) -> None:
    assert without_asides(message) == left


@pytest.mark.parametrize(
    ("text", "words", "left"),
    [
        ("box and cable", "No box or receipt", "cable"),
        ("fatura e caixa, tbm cabo", "sem caixa", "fatura e cabo"),
        ("box, the audio cable i lost", "found the audio cable so its included", "box"),
        ("caixa e cabo; sem carregador", "afinal tenho o carregador", "caixa e cabo"),
        ("box with a dent, cable", "box included", "box with a dent, cable"),
        ("box and cable", "a small scratch on the back", "box and cable"),
        (
            "case; the audio cable is missing",
            "the USB-C cable is included",
            "case; the audio cable is missing",
        ),
        ("a caixa; falta o cabo de áudio", "afinal tenho o cabo USB", "a caixa; falta o cabo de áudio"),
        ("the case, the audio cable", "no USB-C cable", "the case, the audio cable"),
        ("a caixa; falta o cabo", "afinal tenho o cabo USB", "a caixa"),
    ],
)
def test_a_part_that_new_words_contradict_goes(text: str, words: str, left: str) -> None:
    assert without_contradicted(text, words) == left


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("no not xm5. just write got it from the sony shop", "got it from the sony shop"),
        ("escreve só fatura e cabo", "fatura e cabo"),
        ("não é isso, mete só fatura", "fatura"),
        ("put just box and cable", "box and cable"),
        ("can you just write box and cable", "box and cable"),
        ("just put the price 110", ""),
        ("acrescente só que tem fatura", ""),
    ],
)
def test_words_behind_just_write_are_all_of_the_text(message: str, text: str) -> None:
    assert read_whole_text(message, is_refusable=True, is_waiting=True) == text


@pytest.mark.parametrize(
    ("message", "rest"),
    [
        ("yes but make the price 210", "yes"),
        ("its 210 euro now", ""),
        ("sim mas muda o preço para 180", "sim"),
        ("põe o preço a 150, com caixa", "com caixa"),
    ],
)
def test_a_price_leaves_no_words_of_its_wish(message: str, rest: str) -> None:
    assert take_price(message, "en", None).rest == rest


@pytest.mark.parametrize(
    ("clause", "is_reason"),
    [
        ("deitei fora", True),
        ("i threw it out", True),
        ("perdi-a", True),
        ("lost it when we moved", True),
        ("tem um risco", False),
        ("the lid is lost", False),
    ],
)
def test_a_clause_that_says_why_a_thing_is_gone_is_no_fact(clause: str, is_reason: bool) -> None:
    assert tells_why_gone(clause) is is_reason


@pytest.mark.parametrize(
    ("text", "fault", "whole"),
    [
        (
            "O depósito tem uma racha pequena em cima mas não verte",
            "O depósito tem uma racha pequena em cima",
            "O depósito tem uma racha pequena em cima mas não verte",
        ),
        (
            "the tank has a small crack but it doesn't leak, box included",
            "the tank has a small crack",
            "the tank has a small crack but it doesn't leak",
        ),
        ("the tank has a small crack but the box is there", "the tank has a small crack", ""),
    ],
)
def test_what_a_fault_does_not_cause_stands_beside_it(text: str, fault: str, whole: str) -> None:
    assert whole_clause(text, fault) == (whole or fault)
