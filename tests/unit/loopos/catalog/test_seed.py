"""The shipped catalog is complete, and the loader names the faults of an incomplete one."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from server.languages import LANGUAGES
from server.loopos.answers import Element, ElementOption, ProbableAnswer, Valid, judge, validate_click
from server.loopos.answers.element import KINDS
from server.loopos.answers.words import clauses, polarity
from server.loopos.seed import FOLDER, Catalog, CatalogError, load_catalog
from tests.parts.sampled import one_of

LONGEST_TITLE = 40
"""Characters: two lines beside an answer on a phone."""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(FOLDER, tmp_path / "seed", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return tmp_path / "seed"


def edit(folder: Path, name: str, change: Callable[[Any], None]) -> None:
    path = folder / name
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def named(catalog: Catalog, name: str) -> int:
    return next(product.id for product in catalog.products if product.name == name)


def test_the_catalog_is_large_enough_to_be_searched(catalog: Catalog):
    assert len(catalog.products) >= 70
    assert len(catalog.brands) >= 28
    assert len({product.category_id for product in catalog.products}) >= 9
    assert {product.brand_id for product in catalog.products} == set(catalog.brand_by_id)


def choices(catalog: Catalog) -> list[tuple[Element, ElementOption]]:
    """Return each question that offers choices, with each of them."""
    shared = [each for _, elements in catalog.protocols for each in elements]
    own = [each for product in catalog.products for each in product.elements]
    return [(element, option) for element in (*shared, *own) for option in element.options]


def test_each_question_has_a_short_name_for_the_card(catalog: Catalog):
    shared = [each for _, elements in catalog.protocols for each in elements if each.asks]
    asked = [*shared, *(each for product in catalog.products for each in product.elements if each.asks)]
    assert [each.id for each in asked if each.title is None] == []
    lengths = {len(each.heading.text_in(language)) for each in asked for language in LANGUAGES}
    assert max(lengths) <= LONGEST_TITLE


@pytest.mark.parametrize(("language", "yes"), [("pt", "sim"), ("en", "yes")])
def test_no_question_refuses_the_item_at_a_yes(catalog: Catalog, language: str, yes: str):
    """Each question is worded so that a yes is the good answer, in its own words and as the judge reads a bare one."""
    breakers = [each for each in choices(catalog) if each[1].deal_breaker]
    assert len({element.id for element, _ in breakers}) >= 20
    assert [
        (element.id, option.value)
        for element, option in breakers
        if option.label.text_in(language).lower().startswith(yes)
    ] == []
    wrong = []
    for element, _ in breakers:
        judgement = judge(element, yes, language, date(2026, 7, 1))
        read = judgement.guess if isinstance(judgement, ProbableAnswer) else judgement
        if isinstance(read, Valid) and read.deal_breaker:
            wrong.append(element.id)
    assert wrong == []


@pytest.mark.parametrize("language", ["pt", "en"])
def test_a_click_on_a_choice_is_that_choice(catalog: Catalog, language: str):
    wrong = []
    for element, option in choices(catalog):
        found = validate_click(element, option.value, language, date(2026, 11, 22))
        if not isinstance(found, Valid) or found.value != option.value:
            wrong.append((element.id, option.value, found))
    assert wrong == []


@pytest.mark.parametrize("language", one_of(3, ["es", "fr", "de"]))
def test_the_label_of_a_choice_is_that_choice_in_a_language_that_is_not_read(catalog: Catalog, language: str):
    today, refusing = date(2026, 11, 22), 0
    for element, option in choices(catalog):
        judged = judge(element, option.label.text_in(language), language, today)
        if option.deal_breaker:
            refusing += 1
            assert isinstance(judged, ProbableAnswer) and judged.guess == Valid(
                option.value, option.label.text_in(language), True
            )
        else:
            assert judged == Valid(option.value, option.label.text_in(language), False)
    assert refusing >= 20


def test_the_value_of_a_choice_says_no_other_thing_than_its_label(catalog: Catalog):
    """A caller may send the value as a text: a value "no" whose label is "Yes" would be stored as its opposite."""
    for element, option in choices(catalog):
        says = polarity(clauses(option.label.en)[0])
        assert (option.value, says) not in {("yes", False), ("no", True)}, (element.id, option.label.en)


@pytest.mark.parametrize(
    ("name", "brand"),
    [
        ("iPhone 12", "Apple"),
        ("X-T30 II", "Fujifilm"),
        ("Bimby TM5", "Vorwerk"),
        ("Elops 520", "B'Twin"),
        ("Nintendo Switch OLED", "Nintendo"),
        ("Magnifica S (ECAM22.110)", "De'Longhi"),
        ("Fox", "Bugaboo"),
        ("iPad Air (2020)", "Apple"),
        ("PlayStation 5", "Sony"),
    ],
)
def test_known_products_are_there_under_their_brand(catalog: Catalog, name: str, brand: str):
    product = catalog.product_by_id[named(catalog, name)]
    assert catalog.brand_by_id[product.brand_id].name == brand


def test_an_iphone_12_comes_in_the_variants_that_were_sold(catalog: Catalog):
    storage, colour = catalog.choices(named(catalog, "iPhone 12"))
    assert storage.option_type.name.pt == "Armazenamento"
    assert [value.name.en for value in storage.values] == ["64 GB", "128 GB", "256 GB"]
    assert [value.name.en for value in colour.values] == ["Black", "White", "Red", "Green", "Blue", "Purple"]


def test_some_product_has_so_many_values_that_not_all_are_shown_at_once(catalog: Catalog):
    assert max(len(c.values) for p in catalog.products for c in catalog.choices(p.id)) >= 9


def test_phones_and_cameras_ask_in_every_class(catalog: Catalog):
    for name in ("iPhone 12", "X-T30 II"):
        assert {element.kind for element in catalog.protocol(named(catalog, name))} == set(KINDS.values())


def test_every_product_has_questions_and_a_condition_from_a_to_d(catalog: Catalog):
    for product in catalog.products:
        elements = catalog.protocol(product.id)
        (condition,) = [element for element in elements if element.id.endswith(".condition")]
        assert [option.value for option in condition.options] == ["A", "B", "C", "D"]
        assert 5 <= len(elements) <= 9, product.name


def test_a_products_own_question_comes_before_the_closing_notice(catalog: Catalog):
    elements = catalog.protocol(named(catalog, "Bimby TM5"))
    assert [each.id for each in elements][-2:] == ["bimby-tm5.cook_key", "food-processors.blade"]


@pytest.mark.parametrize(
    ("category", "value"),
    [
        ("smartphones", "locked"),
        ("car-seats", "accident"),
        ("car-seats", "broken"),
        ("watches", "no"),
        ("bicycles", "cracked"),
    ],
)
def test_answers_that_exclude_an_item_are_deal_breakers(catalog: Catalog, category: str, value: str):
    category_id = next(each.id for each in catalog.categories if each.key == category)
    options = [o for e in dict(catalog.protocols)[category_id] for o in e.options if o.value == value]
    assert any(option.deal_breaker for option in options)


def test_a_title_says_the_brand_once(catalog: Catalog):
    assert catalog.title(named(catalog, "iPhone 12")) == "Apple iPhone 12"
    assert catalog.title(named(catalog, "Nintendo Switch")) == "Nintendo Switch"
    assert catalog.title(named(catalog, "New Nintendo 3DS XL")) == "New Nintendo 3DS XL"


def test_the_checksum_follows_the_data(catalog: Catalog, copy: Path):
    assert load_catalog(copy).checksum == catalog.checksum
    edit(copy, "brands.json", lambda raw: raw["brands"][0].update(name="Apple Inc."))
    assert load_catalog(copy).checksum != catalog.checksum


def _set(path: str, value: Any) -> Callable[[Any], None]:
    """Change one member, named like `products.0.brand_id`."""
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]

    def change(raw: Any) -> None:
        for step in way:
            raw = raw[step]
        raw[last] = value

    return change


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("brands.json", _set("brands.1.id", 101), "brand id 101 is there twice"),
        ("brands.json", _set("brands.1.name", "APPLE"), "brand name apple is there twice"),
        ("brands.json", _set("brands.0.name", ""), "the name of brand 101 lacks a language"),
        ("categories.json", _set("categories.1.id", 1), "category id 1 is there twice"),
        ("categories.json", _set("categories.0.parent_id", 99), "has the ancestor 99, which does not exist"),
        ("categories.json", _set("categories.0.parent_id", 10), "category 1 is its own ancestor"),
        ("categories.json", _set("categories.0.name.en", " "), "the name of category 1 lacks a language"),
        ("options.json", _set("option_types.0.id", 12), "option type id 12 is there twice"),
        ("options.json", _set("option_types.0.values.0.id", 2002), "option value id 2002 is there twice"),
        ("options.json", _set("option_types.0.values.0.name.pt", ""), "option value 2001 lacks a language"),
        (
            "items/smartphones.json",
            _set("category_id", 98),
            "protocol names category 98, which does not exist",
        ),
        ("items/smartphones.json", _set("category_id", 11), "protocol of category 11 is there twice"),
        ("items/smartphones.json", _set("products.0.brand_id", 9), "names brand 9, which does not exist"),
        (
            "items/smartphones.json",
            _set("products.0.options.0.option_type_id", 7),
            "option type 7, which does not",
        ),
        (
            "items/smartphones.json",
            _set("products.0.options.0.option_value_ids", [1]),
            "option value 1 is none of",
        ),
        ("items/smartphones.json", _set("products.0.options.0.option_value_ids", []), "has no values"),
        (
            "items/smartphones.json",
            _set("products.0.options.0.option_value_ids", [2005, 2005]),
            "2005 is there twice",
        ),
        (
            "items/smartphones.json",
            _set("products.0.options.1.option_type_id", 11),
            "option type 11 is there twice",
        ),
        ("items/smartphones.json", _set("protocol.1.options", []), "fewer than two options"),
        ("items/cameras.json", _set("protocol.4.attributes.depends_on", [99]), "depends on option type 99"),
        (
            "items/smartphones.json",
            _set("protocol.0.options", [{"value": "a", "label": "A"}]),
            "and is no select",
        ),
        (
            "items/smartphones.json",
            _set("protocol.0.attributes.required", True),
            "asks nothing and is required",
        ),
        (
            "items/smartphones.json",
            _set("protocol.0.attributes.hint.en", ""),
            "the hint of element smartphones.before",
        ),
        (
            "items/smartphones.json",
            _set("protocol.1.id", "smartphones.before"),
            "smartphones.before is there twice",
        ),
        ("items/smartphones.json", _set("protocol.3.attributes.min", 200), "a minimum above its maximum"),
        (
            "items/smartphones.json",
            _set("protocol.6.attributes.pattern", "("),
            "a pattern that cannot be read",
        ),
        (
            "items/smartphones.json",
            _set("protocol.1.class", "Protocol::Element::Input::Colour"),
            "missing or has",
        ),
        ("items/smartphones.json", _set("products.0.description", {"pt": "Só"}), "missing or has"),
    ],
)
def test_a_faulty_catalog_is_refused_with_a_reason(
    copy: Path, name: str, change: Callable[[Any], None], fault: str
):
    edit(copy, name, change)
    with pytest.raises(CatalogError, match=re.escape(fault)):
        load_catalog(copy)


def test_a_file_that_is_not_json_is_named(copy: Path):
    (copy / "brands.json").write_text("{")
    with pytest.raises(CatalogError, match=r"brands\.json: is not JSON"):
        load_catalog(copy)


def test_a_catalog_error_names_all_faults_at_once(copy: Path):
    edit(copy, "brands.json", _set("brands.1.id", 101))
    edit(copy, "items/tablets.json", _set("products.0.category_id", 1))
    edit(copy, "options.json", _set("option_types.0.id", 12))
    with pytest.raises(CatalogError) as caught:
        load_catalog(copy)
    assert len(caught.value.faults) >= 2
