"""A seller's words find the product that they mean, similar ones when it is not there, and nothing off topic."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.loopos.catalog.search import CONFIDENT, brand_named, category_named, rank, search
from server.loopos.seed import Catalog, load_catalog
from tests.parts.sampled import examples

CATALOG = load_catalog()


def names(query: str) -> list[str]:
    return [CATALOG.product_by_id[match.product_id].name for match in rank(CATALOG, query)]


def category(key: str) -> int:
    return next(each.id for each in CATALOG.categories if each.key == key)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("iPhone 12", "iPhone 12"),
        ("IPHONE 12!!", "iPhone 12"),
        ("iphone12", "iPhone 12"),
        ("i phone 12", "iPhone 12"),
        ("iphnoe 12", "iPhone 12"),
        ("ifone 12", "iPhone 12"),
        ("aifone doze", "iPhone 12"),
        ("iphone twelve", "iPhone 12"),
        ("quero vender um iPhone 12 preto de 128GB", "iPhone 12"),
        ("I want to sell my purple apple iphone 12, 64 gb", "iPhone 12"),
        ("tenho dois iphone 12 para vender por 300 euros", "iPhone 12"),
        ("iPhone 12 comprado em 2021 com 87% de bateria", "iPhone 12"),
        ("iphone 10", "iPhone X"),
        ("iphone xr", "iPhone XR"),
        ("iphone 13", "iPhone 13"),
        ("iphone treze pro", "iPhone 13 Pro"),
        ("iPhone 13 Pro Max 256 GB", "iPhone 13 Pro Max"),
        ("iphone 8 plus 64gb", "iPhone 8 Plus"),
        ("iphone 8 plus a charger", "iPhone 8"),
        ("iphone 15 plus", "iPhone 15 Plus"),
        ("pixel 6", "Pixel 6"),
        ("samsung galaxy s22 ultra preto", "Galaxy S22 Ultra"),
        ("x box one x", "Xbox One X"),
        ("xbox one", "Xbox One"),
        ("sofá ektorp de 3 lugares", "EKTORP"),
        ("samsung s21", "Galaxy S21"),
        ("telemóvel huawei p30 lite", "P30 lite"),
        ("xt30 ii", "X-T30 II"),
        ("Fuji X-T30 II com a 18-55", "X-T30 II"),
        ("x t30 mark ii", "X-T30 II"),
        ("canon 250d", "EOS 250D"),
        ("a7iii", "Alpha 7 III"),
        ("wh1000xm4", "WH-1000XM4"),
        ("ps5", "PlayStation 5"),
        ("ps 5 digital", "PlayStation 5"),
        ("play station cinco", "PlayStation 5"),
        ("switch oled", "Nintendo Switch OLED"),
        ("nitendo swich oled", "Nintendo Switch OLED"),
        ("nintendo switch", "Nintendo Switch"),
        ("xbox series x", "Xbox Series X"),
        ("bimby tm5", "Bimby TM5"),
        ("Thermomix TM5", "Bimby TM5"),
        ("bimbi tm 5", "Bimby TM5"),
        ("tenho uma bicicleta Elops 520 da B'Twin que já não uso", "Elops 520"),
        ("btwin elops 520", "Elops 520"),
        ("maquina de café delonghi magnifica s", "Magnifica S (ECAM22.110)"),
        ("kitchen aid artisan 5ksm175 vermelha", "Artisan 4,8 L (5KSM175)"),
        ("bugabu fox", "Fox"),
        ("carrinho fox", "Fox"),
        ("trip trap", "Tripp Trapp"),
        ("poang", "POÄNG"),
        ("estante ikea billy 80x28x202", "BILLY"),
        ("macbook air m1", "MacBook Air (M1, 2020)"),
        ("asus zenbook 14 ux425", "ZenBook 14 (UX425)"),
        ("steam deck 256gb", "Steam Deck"),
        ("apple watch se 44mm gps", "Apple Watch SE (2020)"),
        ("nintendo switch oled with dock and carrying case", "Nintendo Switch OLED"),
        ("iphone 12 e uma capa", "iPhone 12"),
        ("playstation 5 plus two controllers", "PlayStation 5"),
    ],
)
def test_a_model_that_is_named_is_found_first_and_exactly(query: str, name: str):
    best = rank(CATALOG, query)[0]
    assert CATALOG.product_by_id[best.product_id].name == name
    assert best.exact
    assert best.score >= CONFIDENT
    assert [match.exact for match in rank(CATALOG, query)].count(True) == 1


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("fuji xt30", "X-T30 II"),
        ("bimbi", "Bimby TM5"),
        ("thermomix", "Bimby TM5"),
        ("nitendo swich olde", "Nintendo Switch"),
        ("ipad air", "iPad Air (2020)"),
        ("iphone se", "iPhone SE (2020)"),
        ("airpods", "AirPods Pro"),
        ("kindle", "Kindle (2022)"),
        ("yoyo", "YOYO2"),
        ("portátil dell xps", "XPS 13 (9310)"),
    ],
)
def test_a_family_or_a_part_of_a_name_finds_its_models(query: str, name: str):
    best = rank(CATALOG, query)[0]
    assert CATALOG.product_by_id[best.product_id].name == name
    assert best.score >= CONFIDENT


@pytest.mark.parametrize(
    "query",
    [
        "iphone 17",
        "iphone quatro",
        "iphone 17 pro",
        "iphone 5s",
        "iphone 5",
        "iphone 12 ultra",
        "iphone 11 mini",
        "iphone xr pro",
        "iphone se 2016",
        "galaxy s25",
        "samsung s25",
        "galaxy s23 plus",
        "redmi note 11 pro",
        "poco f3",
        "ipad air 2",
        "ipad 3",
        "ipad pro 10.5",
        "x-t30 iii",
        "sony a7 iv",
        "bose qc25",
        "playstation 2",
        "ps5 pro",
        "nintendo switch 3",
        "xbox one elite",
        "quest 3s",
        "bimby tm7",
        "thermomix tm21",
        "elops 900",
        "bugaboo bee 3",
        "apple watch series 10",
        "gopro hero 10",
        "dyson v12",
        "garmin forerunner 265",
        "huawei p20 lite",
        "capa para iphone 12",
        "iphone 12 case",
        "case and charger for iphone 12",
        "carregador do macbook air m1",
        "comando ps5",
        "capa de telemóvel",
        "phone case",
        "samsung iphone 12",
    ],
)
def test_another_model_is_at_most_similar(query: str):
    """A wrong number, variant, brand, or a thing for the product: never exact, never proposed."""
    matches = rank(CATALOG, query)
    assert not any(match.exact for match in matches)
    assert all(match.score < CONFIDENT for match in matches)


@pytest.mark.parametrize(
    "query", ["iphone 17", "galaxy s25", "nintendo switch 3", "bimby tm7", "iphone 12 ultra"]
)
def test_similar_models_are_offered_for_one_that_is_missing(query: str):
    assert rank(CATALOG, query)


@pytest.mark.parametrize(
    ("query", "nearest", "key"),
    [
        ("Galaxy Tab S7 FE", "Galaxy Tab S7", "tablets"),
        ("tab s7 fe", "Galaxy Tab S7", "tablets"),
        ("Galaxy Tab S6 Lite", "Galaxy Tab S7", "tablets"),
        ("Galaxy S21 FE", "Galaxy S21", "smartphones"),
        ("samsung a14", "Galaxy A53 5G", "smartphones"),
        ("galaxy watch 3", "Galaxy Watch5", "watches"),
        ("galaxy buds fe", "Galaxy Buds2", "audio"),
        ("telemóvel samsung a14", "Galaxy S21", "smartphones"),
        ("sony wh-ch510", "WH-1000XM4", "audio"),
        ("xiaomi 11t", "Redmi Note 11", "smartphones"),
        ("kindle oasis", "Kindle (2022)", "e-readers"),
        ("aspirador dyson v6", "V11 Absolute", "vacuums"),
    ],
)
def test_only_products_of_the_kind_and_brand_are_near_to_a_model_that_is_missing(
    query: str, nearest: str, key: str
):
    found = [CATALOG.product_by_id[match.product_id] for match in rank(CATALOG, query)]
    assert found[0].name == nearest
    assert {each.category_id for each in found} == {category(key)}
    assert {each.brand_id for each in found} == {found[0].brand_id}


@pytest.mark.parametrize(
    "query",
    ["moto g9", "motorola e5", "lenovo tab m10", "pixel tablet", "pixel watch", "samsung tv", "philips 3200"],
)
def test_a_model_of_whose_kind_and_brand_there_is_nothing_finds_nothing(query: str):
    assert names(query) == []


@pytest.mark.parametrize("query", ["e-reader", "leitor de livros", "ebook reader", "my old ereader"])
def test_an_e_reader_is_no_tablet(query: str):
    assert set(names(query)) == {
        "Kindle (2022)",
        "Kindle Paperwhite (2018)",
        "Kindle Paperwhite (2021)",
        "Libra 2",
    }


@pytest.mark.parametrize(
    "query",
    [
        "o tempo amanhã",
        "comida",
        "carta de condução",
        "porco",
        "óculos de sol",
        "leite",
        "mesa de jantar",
        "stronger",
        "a stable generation",
        "what's the weather tomorrow",
        "bitcoin",
        "carro",
        "quero vender o meu carro",
        "sell my car",
        "casa",
        "apartamento com cozinha",
        "sapatos nike",
        "livro",
        "pizza",
        "vw golf",
        "seat ibiza",
        "receita de bolo",
        "série de televisão",
        "meta de vendas",
        "delta airlines",
        "qual é a capital de portugal",
        "preciso de ajuda",
        "olá, bom dia",
        "12",
        "2020",
        "x",
        "!!!",
        "📱",
        "",
        " ",
    ],
)
def test_a_query_about_things_outside_the_catalog_finds_nothing(query: str):
    assert rank(CATALOG, query) == []


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("telemóvel", "smartphones"),
        ("telemovel usado", "smartphones"),
        ("phone", "smartphones"),
        ("máquina fotográfica", "cameras"),
        ("makina fotografica", "cameras"),
        ("I want to sell my old camera", "cameras"),
        ("bicicleta", "bicycles"),
        ("bycicle", "bicycles"),
        ("my bike", "bicycles"),
        ("carrinho de bebé", "strollers"),
        ("pushchair", "strollers"),
        ("cadeira para o carro", "car-seats"),
        ("car seat", "car-seats"),
        ("máquina de café", "coffee-machines"),
        ("relógio", "watches"),
        ("estante", "furniture"),
        ("headphones", "audio"),
        ("laptop", "laptops"),
        ("consola", "consoles"),
        ("vacuum cleaner", "vacuums"),
        ("trotinete elétrica", "scooters"),
    ],
)
def test_a_word_for_a_category_finds_all_of_it_and_nothing_else(query: str, key: str):
    found = {match.product_id for match in rank(CATALOG, query)}
    lineages = {each.id: {up.id for up in CATALOG.lineage(each.category_id)} for each in CATALOG.products}
    assert found == {product for product, lineage in lineages.items() if category(key) in lineage}
    assert not any(match.exact for match in rank(CATALOG, query))


@pytest.mark.parametrize(
    ("query", "brand"),
    [
        ("canon", "Canon"),
        ("Fuji", "Fujifilm"),
        ("bugaboo", "Bugaboo"),
        ("ikea", "IKEA"),
        ("stoke", "Stokke"),
        ("de longhi", "De'Longhi"),
        ("dolce gusto", "Nescafé Dolce Gusto"),
    ],
)
def test_a_brand_alone_finds_what_it_made(query: str, brand: str):
    brand_id = brand_named(CATALOG, brand)
    assert {match.product_id for match in rank(CATALOG, query)} == {
        product.id for product in CATALOG.products if product.brand_id == brand_id
    }


@pytest.mark.parametrize(
    ("query", "score"), [("canon", 0.5), ("headphones", 0.45), ("headphones sony", 0.65)]
)
def test_a_brand_or_a_category_that_nothing_contradicts_counts_whole(query: str, score: float):
    assert {match.score for match in rank(CATALOG, query)} == {score}


@pytest.mark.parametrize(
    ("query", "brand", "key"),
    [
        ("makina de cafe delonghi", "De'Longhi", "coffee-machines"),
        ("telefone samsung", "Samsung", "smartphones"),
        ("samsung tablet", "Samsung", "tablets"),
        ("headphones sony", "Sony", "audio"),
        ("relógio casio", "Casio", "watches"),
        ("carrinho bugaboo", "Bugaboo", "strollers"),
    ],
)
def test_a_query_of_brand_and_category_finds_what_has_both(query: str, brand: str, key: str):
    found = [CATALOG.product_by_id[match.product_id] for match in rank(CATALOG, query)]
    wanted = [
        each
        for each in CATALOG.products
        if (each.brand_id, each.category_id) == (brand_named(CATALOG, brand), category(key))
    ]
    assert len(wanted) > 1
    assert sorted(each.id for each in found) == sorted(each.id for each in wanted)


def test_a_filter_narrows_and_lists_without_words():
    apple = brand_named(CATALOG, "apple")
    phones = rank(CATALOG, "", category=category("smartphones"), brand=apple)
    assert {CATALOG.product_by_id[each.product_id].name for each in phones} >= {"iPhone 12", "iPhone X"}
    assert all(each.brand_id == apple for each in phones)
    assert rank(CATALOG, "iphone 12", category=category("bicycles")) == []
    assert len(rank(CATALOG, "", category=category("kitchen"))) == len(
        [
            p
            for p in CATALOG.products
            if p.category_id in map(category, ("coffee-machines", "food-processors", "air-fryers"))
        ]
    )


def test_pages_are_parts_of_the_whole():
    whole = rank(CATALOG, "telemóvel")
    pages = [search(CATALOG, "telemóvel", limit=5, offset=offset) for offset in range(0, len(whole), 5)]
    assert [match for page in pages for match in page] == whole


def test_every_product_is_found_by_its_title_and_by_each_alias():
    missed = []
    for product in CATALOG.products:
        for said in (CATALOG.title(product.id), *product.aliases):
            found = rank(CATALOG, said)
            if not found or (found[0].product_id, found[0].exact) != (product.id, True):
                missed.append(said)
    assert missed == []


@pytest.mark.parametrize("each", CATALOG.categories, ids=lambda each: each.key)
def test_every_category_is_known_by_its_names(each):
    assert category_named(CATALOG, each.name.pt) == each.id
    assert category_named(CATALOG, each.name.en.upper()) == each.id
    assert category_named(CATALOG, each.key) == each.id


@pytest.mark.parametrize("each", CATALOG.brands, ids=lambda each: each.name)
def test_every_brand_is_known_by_its_name(each):
    assert brand_named(CATALOG, each.name) == each.id


def test_an_unknown_brand_or_category_is_none():
    assert brand_named(CATALOG, "Canyon") is None
    assert category_named(CATALOG, "sapatos") is None
    assert category_named(CATALOG, "bikes") == category("bicycles")


@settings(max_examples=examples(150), deadline=None)
@given(st.text(max_size=600))
def test_any_text_gives_sorted_scores_between_0_and_1(query: str):
    matches = rank(CATALOG, query)
    assert all(0 < match.score <= 1 for match in matches)
    assert matches == sorted(matches, key=lambda match: (not match.exact, -match.score, match.product_id))


def test_a_catalog_without_products_finds_nothing():
    empty = Catalog((), (), (), (), (), "none")
    assert rank(empty, "iphone 12") == []
