"""Blocks in the language of their reader: known texts, texts with values, and what stays as it was written."""

import ast
import re
from pathlib import Path

import pytest

from server.html.known_texts import BLOCK_WORDS, MOST_FRAMED, KnownTexts
from server.languages import LANGUAGES, LOCALES, Language
from server.loopos.answers.refusals import Refused
from server.loopos.shown_texts import shown_texts
from server.protocol import blocks
from server.words import FOLDER, Words

SERVER = Path(__file__).parents[3] / "server"

TEXTS: list[dict[Language, str]] = [
    {"pt": "Estado", "en": "Condition", "es": "Estado", "fr": "État", "de": "Zustand"},
    {"pt": "Bom", "en": "Good", "es": "Bueno", "fr": "Bon", "de": "Gut"},
    {"pt": "Percebi: {answer}. É?", "en": "I understood: {answer}. Is it?"},
    {"pt": "{count} a", "en": "{count} b"},
]
QUESTION = {
    "kind": "choices",
    "name": "phone.condition",
    "legend": "Estado",
    "choices": [{"value": "Bom", "label": "Bom", "note": "Bom"}, {"value": "7", "label": "Assim-assim"}],
    "position": 2,
    "status": "open",
}


@pytest.fixture
def known() -> KnownTexts:
    return KnownTexts([((), TEXTS)])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_is_found_in_any_language(known, language):
    for text in TEXTS[1].values():
        assert known.translate(text, language) == TEXTS[1][language]


def test_a_text_that_is_not_known_stays(known):
    assert known.translate("bom", "en") == "bom"
    assert known.translate("3 a", "en") == "3 a", "too little stands beside the value to recognise it"


def test_the_values_in_a_text_are_translated_too(known):
    assert known.translate("Percebi: Bom. É?", "en") == "I understood: Good. Is it?"
    assert known.translate("Percebi: sei lá {x}. É?", "en") == "I understood: sei lá {x}. Is it?"
    assert known.translate("Percebi: Bom. É?", "fr") == "Percebi: Bom. É?"


LISTING: list[dict[Language, str]] = [
    {
        "pt": "Escolha uma das opções: {options}.",
        "en": "Choose one of the options: {options}.",
        "de": "Wählen Sie eine der Optionen: {options}.",
    },
    {"pt": "Cor", "en": "Colour", "de": "Farbe"},
    {"pt": "Branco", "en": "White", "de": "Weiß"},
    {"pt": "Azul", "en": "Blue", "de": "Blau"},
]
OPTIONS = {
    "pt": "Escolha uma das opções: «Branco»; «Azul»; «Oops».",
    "en": "Choose one of the options: “White”; “Blue”; “Oops”.",
    "de": "Wählen Sie eine der Optionen: „Weiß“; „Blau“; „Oops“.",
}
"""An error that lists options, of which one has no translation."""


@pytest.mark.parametrize("stored", OPTIONS)
@pytest.mark.parametrize("language", OPTIONS)
def test_an_error_that_lists_options_has_each_of_them_in_the_language_of_the_page(stored, language):
    known = KnownTexts([((), LISTING)])
    choices = [{"label": each[stored]} for each in LISTING[2:]]
    block = {"legend": LISTING[1][stored], "choices": choices, "error": OPTIONS[stored]}
    assert known.block_in(block, language)["error"] == OPTIONS[language]


def test_a_listed_option_that_stands_for_two_is_decided_by_what_is_around_it():
    known = KnownTexts([((), [*LISTING[:1], *COLOURS]), ((), FINISHES)])
    error = "Choose one of the options: “White”."
    shown = {"Colour": "Branco", "Finish": "Branca"}
    for legend, name in shown.items():
        block = {"legend": legend, "error": error}
        assert known.block_in(block, "pt")["error"] == f"Escolha uma das opções: «{name}»."


def test_a_value_that_is_not_quoted_is_no_list():
    known = KnownTexts([((), LISTING)])
    told = "Escolha uma das opções: {}."
    for value in ("Branco; Azul", "«Branco; Azul", "«"):
        said = known.translate(told.format(value), "en")
        assert said == f"Choose one of the options: {value}."


def test_a_question_changes_its_words_and_not_what_a_click_sends(known):
    shown = known.block_in(QUESTION, "en")
    assert shown["legend"] == "Condition"
    assert shown["choices"][0] == {"value": "Bom", "label": "Good", "note": "Good"}
    assert shown["choices"][1] == {"value": "7", "label": "Assim-assim"}
    assert known.block_in(shown, "pt") == QUESTION


def test_a_block_whose_heading_is_not_known_stays_whole(known):
    own = {**QUESTION, "legend": "Wie geht es?"}
    assert known.block_in(own, "en") == own


def test_the_answer_typed_into_a_form_is_not_translated(known):
    typed = {"kind": "form", "legend": "Estado", "answer": {"value": "Bom", "label": "Bom"}}
    assert known.block_in(typed, "en") == {**typed, "legend": "Condition"}


def test_labels_and_values_of_a_card_are_translated(known):
    card = {"kind": "card", "tag": "Estado", "title": "Bom", "pairs": [{"label": "Estado", "value": "Bom"}]}
    assert known.block_in(card, "en")["pairs"] == [{"label": "Condition", "value": "Good"}]


COLOURS: list[dict[Language, str]] = [{"pt": "Cor", "en": "Colour"}, {"pt": "Branco", "en": "White"}]
FINISHES: list[dict[Language, str]] = [{"pt": "Acabamento", "en": "Finish"}, {"pt": "Branca", "en": "White"}]
BOUGHT: dict[Language, str] = {"pt": "Quando o comprou?", "en": "When did you buy it?"}
AMBIGUOUS = {
    "Controller": "en es fr pt",
    "Lila": "de en es fr pt",
}
"""The texts of the catalog that stay as they are stored in these languages: they stand for several of them."""


@pytest.mark.parametrize(("heading", "shown"), [("Colour", "Branco"), ("Finish", "Branca")])
def test_a_text_that_stands_for_two_is_decided_by_what_is_around_it(heading, shown):
    known = KnownTexts([((), COLOURS), ((), FINISHES)])
    block = {"legend": heading, "choices": [{"label": "White"}]}
    assert known.block_in(block, "pt")["choices"] == [{"label": shown}]


def test_a_text_that_stands_for_two_stays_where_nothing_decides():
    known = KnownTexts([((), COLOURS), ((), FINISHES)])
    assert known.translate("White", "pt") == "White"
    assert known.translate("White", "en") == "White"
    both = {"legend": "White", "choices": [{"label": "Finish"}, {"label": "Colour"}]}
    assert known.block_in(both, "pt") == {
        "legend": "White",
        "choices": [{"label": "Acabamento"}, {"label": "Cor"}],
    }


def test_the_name_of_a_question_decides_what_it_is_called():
    known = KnownTexts(
        [(["phone.bought"], [BOUGHT]), (["bike.bought"], [{**BOUGHT, "pt": "Quando a comprou?"}])]
    )
    block = {"name": "bike.bought", "legend": "When did you buy it?"}
    assert known.block_in(block, "pt")["legend"] == "Quando a comprou?"


@pytest.fixture(scope="module")
def shipped() -> KnownTexts:
    return KnownTexts([*shown_texts(), ((), Words(FOLDER).translations(*BLOCK_WORDS))])


def test_a_condition_is_not_taken_for_a_button(shipped):
    assert shipped.translate("Correct", "en") == "Fair"


def test_the_texts_of_the_catalog_are_drawn_rightly_or_as_they_are_stored(shipped):
    """A question is decided by the name of its block alone, an option type by all its values."""
    found: dict[str, set[Language]] = {}
    for names, texts in shown_texts():
        plain = [each for each in texts if "{" not in each["en"]]
        for stored in LANGUAGES:
            for known in plain:
                beside = [known] if names else plain
                around = {*names[:1], *(each[stored] for each in beside)}
                for language in LANGUAGES:
                    drawn = shipped.translate(known[stored], language, around)
                    assert drawn in (known[language], known[stored])
                    if drawn != known[language]:
                        found.setdefault(known[stored], set()).add(language)
    assert {text: " ".join(sorted(languages)) for text, languages in found.items()} == AMBIGUOUS


def test_what_people_pass_on_is_in_the_language_of_the_page(known):
    card = {"kind": "card", "tag": "Estado", "share": "iPhone 12 · Apple\nEstado: Bom\n640 €\nLW-1: Bom: Bom"}
    told = "iPhone 12 · Apple\nCondition: Good\n640 €\nLW-1: Bom: Bom"
    assert known.block_in(card, "en")["share"] == told
    assert known.block_in({**card, "tag": "Oops"}, "en")["share"] == card["share"]


def test_a_value_that_people_pass_on_is_decided_by_its_name():
    known = KnownTexts([((), COLOURS), ((), FINISHES), ((), [{"pt": "Criado", "en": "Created"}])])
    card = {"kind": "card", "tag": "Created", "share": "iPhone\nFinish: White"}
    assert known.block_in(card, "pt")["share"] == "iPhone\nAcabamento: Branca"


WORDS = Words(FOLDER)
KEYS = WORDS.all("pt", "").keys()
BLOCKS = {kind.__name__ for kind in blocks.KINDS.values()} | {"Choice", "Field", "Pair"}
"""The classes that blocks are made of."""
STORED = re.compile(r'"((?:block|card|choice|price|version)\.[a-z_.]+|approval\.(?:ask|page|tool\.[a-z_]+))"')
"""Keys of words that are stored, wherever they are named."""
DRAWN = SERVER / "html"
"""What stands there draws pages, in the language of the reader."""


def server_files() -> list[Path]:
    """Return the files of the server that may store a block."""
    return [path for path in sorted(SERVER.rglob("*.py")) if not path.is_relative_to(DRAWN)]


def keys_in_blocks(text: str) -> set[str]:
    """Return the keys of words that are named where a block, or a part of one, is made."""
    made = (
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in BLOCKS
    )
    said = (each.value for node in made for each in ast.walk(node) if isinstance(each, ast.Constant))
    return {each for each in said if isinstance(each, str) and each in KEYS}


def test_every_word_that_a_block_is_stored_with_is_translated():
    texts = [path.read_text(encoding="utf-8") for path in server_files()]
    said = {key for text in texts for key in STORED.findall(text)}
    said |= {key for text in texts for key in keys_in_blocks(text)}
    said |= {key for key in KEYS if key.startswith("approval.tool.")}
    assert {"version.kept", "approval.page", "card.complete"} <= said
    assert said <= set(BLOCK_WORDS)
    assert set(BLOCK_WORDS) <= KEYS


def test_a_word_is_found_where_a_block_is_made():
    assert keys_in_blocks('show(blocks.Notice(title=say("version.kept", "pt"), text="a.b"))') == {
        "version.kept"
    }


@pytest.mark.parametrize("code", ["not_an_option", "ambiguous"])
@pytest.mark.parametrize("stored", LANGUAGES)
def test_the_options_of_a_refusal_are_in_the_language_of_the_page(shipped, code, stored):
    colours = ["Cor", "Preto", "Branco", "Azul"]

    def block_in(language: Language) -> dict[str, object]:
        legend, *names = (shipped.translate(each, language, colours) for each in colours)
        options = "; ".join(map(LOCALES[language].quotes.format, names))
        error = Refused(code, {"options": options}).text_in(language)
        return {"legend": legend, "error": error, "choices": [{"label": each} for each in names]}

    for language in LANGUAGES:
        assert shipped.block_in(block_in(stored), language) == block_in(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_notice_of_a_version_is_in_the_language_of_the_page(shipped, language):
    for stored in LANGUAGES:
        notice = blocks.Notice(title=WORDS.say(stored, "version.kept")).to_content()
        assert shipped.block_in(notice, language)["title"] == WORDS.say(language, "version.kept")


def test_several_values_are_looked_for_in_a_text_of_four_thousand_characters_at_most() -> None:
    """In one of this length the search for three values would take years."""
    known = KnownTexts([((), [{"pt": "Entre {a} e {b} e {c} euros", "en": "From {a} to {b} to {c} euro"}])])
    value = "x" * (MOST_FRAMED - len("Entre  e 2 e 3 euros"))
    assert known.translate(f"Entre {value} e 2 e 3 euros", "en") == f"From {value} to 2 to 3 euro"
    for text in (f"Entre {value}x e 2 e 3 euros", "Entre" + " e " * 100_000):
        assert known.translate(text, "en") == text


def test_one_value_may_have_any_length(known):
    value = "x" * 100_000
    assert known.translate(f"Percebi: {value}. É?", "en") == f"I understood: {value}. Is it?"
