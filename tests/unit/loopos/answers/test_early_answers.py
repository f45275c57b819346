"""The answers that a seller gives before their question: a clause that names what is asked is asked back later."""

from __future__ import annotations

import pytest

from tests.unit.loopos.phrases.judged import question
from tests.unit.loopos.phrases.told import told_fact


@pytest.mark.parametrize(
    ("element", "language", "messages", "shown"),
    [
        ("laptops.keyboard", "en", ["yes create it. UK keyboard and battery health is 88%"], "English (UK)"),
        ("laptops.keyboard", "pt", ["teclado português"], "Português"),
        (
            "nintendo-switch.drift",
            "pt",
            ["bom, o joycon esquerdo desvia"],
            "Não, desvia o esquerdo (o joycon esquerdo desvia)",
        ),
        ("laptops.keyboard", "pt", ["sim. falta uma tecla no teclado"], None),
        ("laptops.charger", "en", ["no box, charger included"], "Yes"),
        ("laptops.charger", "en", ["You've lost the charger, put it back"], "Yes"),
        ("laptops.charger", "pt", ["o carregador perdi"], "Não (o carregador perdi)"),
        ("scooters.charger", "en", ["fair i suppose, and ive lost the charger"], "No (ive lost the charger)"),
        ("scooters.charger", "pt", ["fez 400 km, leva carregador. 210 euros"], "Sim"),
        ("scooters.charger", "pt", ["sem carregador"], "Não"),
        ("vacuums.charger", "en", ["ive got the dock and charger but no box"], "Yes"),
        ("scooters.battery", "en", ["the battery lasts less"], "Lasts less"),
        ("scooters.battery", "pt", ["a bateria é de lítio"], None),
        ("coffee-machines.descaled", "pt", ["Bom. Foi descalcificada no mês passado"], "Sim"),
        ("coffee-machines.descaled", "en", ["I descale it every month"], "Yes"),
        ("coffee-machines.descaled", "en", ["never descaled"], "No"),
        ("coffee-machines.descaled", "pt", ["bom, descalcifiquei o mês passado"], "Sim"),
        ("coffee-machines.descaled", "pt", ["nunca descalcifiquei"], "Não"),
        ("audio.box", "pt", ["com estojo"], "Sim"),
        ("audio.box", "en", ["I have it just in case"], None),
        ("high-chairs.harness", "pt", ["E afinal não tem cinto, enganei-me"], "Não"),
        ("food-processors.accessories", "pt", ["falta me a espatula"], "Não (falta me a espatula)"),
        ("food-processors.accessories", "en", ["the spatula is missing"], "No (the spatula is missing)"),
        ("food-processors.accessories", "pt", ["não falta nada"], "Sim"),
        ("food-processors.accessories", "pt", ["falta a caixa"], None),
        ("food-processors.accessories", "pt", ["falta-lhe um bocado de tinta"], None),
        ("food-processors.accessories", "pt", ["falta dizer o preço"], None),
        ("food-processors.accessories", "pt", ["falta pouco para a garantia acabar"], None),
        ("kitchen.parts", "en", ["the lid is missing"], "No (the lid is missing)"),
        ("furniture.screws", "en", ["good, nothing missing"], "Yes"),
        ("furniture.screws", "en", ["the box is missing"], None),
        ("tablets.screen", "pt", ["um galaxy tab a8 cinza 64gb, ecra impecavel"], "Sem marcas"),
        ("watches.glass", "en", ["the glass is cracked"], "Cracked"),
        ("audio.box", "en", ["no box"], "No"),
        ("bicycles.invoice", "pt", ["sem fatura"], "Não"),
        ("bicycles.upgrades", "pt", ["bom, tem pneus novos"], "pneus novos"),
        ("strollers.carrycot", "en", ["selling bugaboo fox 2 with bassinet and seat"], "Yes"),
        ("strollers.smoke_free", "pt", ["casa sem fumo"], "Sim"),
        ("cameras.sensor", "pt", ["a lente está limpa sem fungos"], "Sim, nada visível"),
        ("bicycles.frame", "pt", ["serve bem, quadro sem amolgadelas"], "Sim"),
        ("consoles.banned", "en", ["everything else works, wifi and online fine"], "Yes"),
        ("consoles.banned", "en", ["I bought it online, played online a lot"], None),
        ("furniture.screws", "en", ["all screws included"], "Yes"),
        ("scooters.kilometres", "pt", ["afinal são 240 km", "fez 400 km"], "240 km"),
        (
            "scooters.kilometres",
            "pt",
            ["isso. olhe enganei-me, são 240 km e não 400", "fez 400 km"],
            "240 km",
        ),
        ("scooters.kilometres", "pt", ["são 240 km", "fez 400 km"], None),
        ("consoles.purchase_date", "en", ["64gb, got it at Argos in March 2022 and my kids"], "March 2022"),
        ("bicycles.purchase_date", "pt", ["preta, custou 450 em junho de 2021, está boa"], "junho de 2021"),
        ("bicycles.purchase_date", "pt", ["uma tripp trapp branca de 2018, vai com"], "2018"),
        ("bicycles.purchase_date", "pt", ["espera, foi em outubro de 2017", "é de 2018"], "outubro de 2017"),
        ("bicycles.purchase_date", "pt", ["a minha é a de 2021", "comprei em maio de 2022"], "maio de 2022"),
        ("bicycles.purchase_date", "pt", ["comprámos a bicicleta em 2019"], "2019"),
        ("bicycles.purchase_date", "pt", ["comprei a bateria nova em 2023"], None),
        ("bicycles.purchase_date", "pt", ["foi em março de 2021 que a comprámos"], "março de 2021"),
        ("bicycles.purchase_date", "en", ["i have it since 03/2021"], "March 2021"),
        (
            "bicycles.purchase_date",
            "en",
            ["wait, it was 2020 we got it, in June!", "bought 2021"],
            "June 2020",
        ),
        (
            "bicycles.purchase_date",
            "pt",
            [*(f"sim, está tudo bom, {each}" for each in "abcdefghijklmnopqrstuvwxyz"), "comprei em 2019"],
            "2019",
        ),
        ("coffee-machines.coffees", "pt", ["máquina de café ECAM 22.110.B preta"], None),
        ("strollers.accessories", "pt", ["a roda de trás direita está gasta"], None),
        ("bicycles.purchase_date", "en", ["sorry i meant 2020", "bought in 2021"], "2020"),
        ("consoles.purchase_date", "en", ["xbox series s, white. bout it dec 2021. 190"], "December 2021"),
        ("consoles.purchase_date", "en", ["xbox series s, its about 2021"], None),
        ("consoles.purchase_date", "pt", ["switch oled branca, comprie em dez 2021"], "dezembro de 2021"),
        ("car-seats.made", "pt", ["cadeira cybex, comprei em 2020"], None),
        ("car-seats.made", "en", ["cybex seat, bought in 2020"], None),
        ("bicycles.purchase_date", "pt", ["2020, não 2019", "comprei em 2019"], "2020"),
        ("bicycles.purchase_date", "pt", ["pneus trocados em 2023, comprei pneus novos em 2024"], None),
    ],
)
def test_an_answer_said_early_is_asked_back(
    element: str, language: str, messages: list[str], shown: str | None
) -> None:
    """The newest message stands first; one that corrects an older one is the only one that counts."""
    told = told_fact(question(element), messages, language)
    assert (told.shown.replace("\N{NO-BREAK SPACE}", " ") if told else None) == shown
