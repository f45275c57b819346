"""The clauses of a text that name something of an item are kept whole; everything else is talk."""

import pytest

from server.loopos.answers.amounts.prices_in_notes import take_price
from server.loopos.answers.amounts.purchase_dates import told_shop
from server.loopos.answers.clauses.item_facts import (
    fact_runs,
    is_measure,
    is_term,
    item_facts,
    says_marks,
    whole_clause,
)
from server.loopos.answers.clauses.joined_parts import without_shorter_parts

TALK = (
    "never done this before; Before I start; a list; Makes lovely coffee",
    "wtf n",
    "claro jogo fortnite td os dias, bjs. n tem ban nenhum",
    "Então vamos ao ovo; a minha irmã; Já não sei onde anda, ponha que não",
    "eu perguntei se a minha morada aparece no anúncio",
    "thats not much",
    "Ponha isso já",
    "keria",
    "pronto",
    "agora os sony",
    "i can remove it ffs",
    "though it is not the original",
    "which is slightly loose",
    "not the mini",
    "the accessories",
    "ps4 slim 1tb",
    "qual escolho",
    "bought from before",
    "A máquina fica",
    "Foi o meu marido que me deu",
    "daquelas boas de pé",
    "that is correct. By the way",
    "i alredy told u",
    "Almost",
    "comprei em outubro de 2020",
    "comprei no natal",
    "please do not put the shop in the advert",
    "tudo a funcionar",
    "ya funfa tudo",
    "ye screens fine",
    "E gostaria de receber",
)


@pytest.mark.parametrize("text", TALK)
def test_talk_names_nothing_of_an_item(text: str) -> None:
    assert item_facts(text) == ""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The rear brake wants adjusting", "The rear brake wants adjusting"),
        (
            "i alredy told u, the cat scratched the left arm, 1 foot is wobbly, collection only, smoke free home",
            "the cat scratched the left arm, 1 foot is wobbly, collection only, smoke free home",
        ),
        ("unlocked", "unlocked"),
        ("Há um gato, mas ninguém fuma", "Há um gato, mas ninguém fuma"),
        ("we have a cat but nobody smokes", "we have a cat but nobody smokes"),
        ("maximum capacity 89%", "maximum capacity 89%"),
        ("comprei na worten em 2020", "comprei na worten em 2020"),
        ("uns 2 comandos, um com drift", "uns 2 comandos, um com drift"),
        ("refurbished off back market", "refurbished off back market"),
        (
            "plug is original, cable is a new one from Anker",
            "plug is original, cable is a new one from Anker",
        ),
        ("no hdmi", "no hdmi"),
        ("three batteries, one original", "three batteries, one original"),
        ("the measuring spoon is lost", "the measuring spoon is lost"),
        ("that is correct. By the way, the strap is new", "the strap is new"),
        (
            "Charger included, though it is not the original",
            "Charger included, though it is not the original",
        ),
        (
            "Everything works except that the letter E key sticks now and then.",
            "the letter E key sticks now and then",
        ),
    ],
)
def test_a_fact_is_kept_whole(text: str, kept: str) -> None:
    assert item_facts(text) == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "ooh it's pretty good I'd say dear, a few scratches on the cup tray",
            "a few scratches on the cup tray",
        ),
        ("its lowkey mint tbf, like a couple scuffs on top", "a couple scuffs on top"),
        ("Já voltei; só a capota tem um rasgãozinho de lado", "só a capota tem um rasgãozinho de lado"),
        ("Não me lembro o que trazia; Falta a tampa", "Falta a tampa"),
        ("It works but the frother spits", "the frother spits"),
        ("jogo fortnite td os dias, bjs. n tem ban nenhum", ""),
        ("funfa tudo", ""),
    ],
)
def test_brackets_have_no_talk(text: str, kept: str) -> None:
    assert says_marks(text) == kept


@pytest.mark.parametrize(
    ("text", "fault", "whole"),
    [
        ("preta. 2 comandos, um com drift", "drift", "2 comandos, um com drift"),
        (
            "the rubber on the grip, which is slightly loose",
            "which is slightly loose",
            "the rubber on the grip, which is slightly loose",
        ),
    ],
)
def test_a_fault_is_no_half_clause(text: str, fault: str, whole: str) -> None:
    assert whole_clause(text, fault) == whole


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "The rear brake wants adjusting. I am now asking 650 euros.",
            "The rear brake wants adjusting.",
        ),
        ("box; 120 euros then", "box"),
        ("caixa, levo 130 por ela", "caixa"),
        ("sempre andou com capa e que quero 180 euros", "sempre andou com capa"),
        ("always in a case and that I want 180 euros", "always in a case"),
        ("caixa e cabo. E gostaria de receber 100 euros", "caixa e cabo."),
        ("I no longer have the box. I should be glad of £140 for it.", "I no longer have the box."),
    ],
)
def test_the_whole_sentence_of_a_price_goes(text: str, left: str) -> None:
    assert take_price(text, "en", None).rest == left


def test_who_sold_a_part_is_no_shop() -> None:
    assert told_shop("the cable is a new one from Anker") == ""
    assert told_shop("the 128gb one from before") == ""


@pytest.mark.parametrize(
    "text", ["sim os 2 lados na boa, bateria dura tipo 20h", "comprei em 2020, na verdade em 2021"]
)
def test_an_idiom_is_no_shop(text: str) -> None:
    assert told_shop(text) == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "o carregador; joycon esquerdo; joycon esquerdo c drift; só o joycon esquerdo é q tá com drift",
            "o carregador; joycon esquerdo c drift",
        ),
        ("box; no box; the box", "box; no box"),
        ("left pad; left pad drifts; right pad", "left pad drifts; right pad"),
        ("", ""),
    ],
)
def test_a_part_whose_words_stand_in_another_is_left_out(text: str, left: str) -> None:
    assert without_shorter_parts(text) == left


@pytest.mark.parametrize(
    "said",
    [
        "a altura é 101",
        "the height is 101",
        "tem elevador",
        "used with two children",
        "usado com dois filhos",
    ],
)
def test_a_measure_and_how_an_item_was_used_are_facts(said: str) -> None:
    assert fact_runs(f"iphone 12, {said}") == [said]
    assert is_term(said) or is_measure(said)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("We live on the second floor, but there is a lift.", ["there is a lift"]),
        ("third floor with lift", ["third floor with lift"]),
        ("2.º andar com elevador", ["2.º andar com elevador"]),
        ("I have the invoice as well", ["I have the invoice as well"]),
        ("the charger works as well", []),
    ],
)
def test_a_lift_and_an_invoice_are_facts(text: str, facts: list[str]) -> None:
    assert [each.strip(" .") for each in fact_runs(text)] == facts
