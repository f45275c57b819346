"""Reading and streaming, without a store: names, places, facts, and that no text at all breaks the script."""

import json
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.agents.model.response_events import pieces
from server.demo import Call, Say, answer
from server.demo.conversation_view import ConversationView
from server.demo.lines import LINES
from server.demo.option_view import Kind, OptionView, other_product
from server.demo.reading import MOST_LETTERS, intents, matching
from server.demo.reading.matching import fact, match, ordinal, pick, tidy
from server.demo.reading.query import query_of
from server.languages import detect_language
from server.text_reading.words.typos import near

PT, EN = LINES["pt"], LINES["en"]

SIZES, COLOURS = ["64 GB", "128 GB", "256 GB"], ["Preto", "Branco", "Azul", "Verde"]


@pytest.mark.parametrize(
    ("text", "labels", "place"),
    [
        ("128", SIZES, 1),
        ("o segundo", SIZES, 1),
        ("2", SIZES, 1),
        ("o maior", SIZES, 2),
        ("the blue one", COLOURS, 2),
        ("não é preto, é azul", COLOURS, 2),
        ("bramco", COLOURS, 1),
        ("a segunda", COLOURS, 1),
        ("um segundo", COLOURS, None),
        ("just a second", COLOURS, None),
        ("it is my first", COLOURS, None),
        ("512", SIZES, None),
        ("roxo", COLOURS, None),
        ("640", ["64 GB"], None),
    ],
)
def test_a_text_means_one_label_or_none(text: str, labels: list[str], place: int | None) -> None:
    assert pick(text, labels).one == place


@pytest.mark.parametrize(
    ("text", "labels", "ignore", "place"),
    [
        ("quero vender um iPhone 12 preto de 128", SIZES, "iPhone 12", 1),
        ("quero vender um iPhone 12 preto de 128", COLOURS, "iPhone 12", 0),
        ("iPhone 64", SIZES, "iPhone 64", None),
        ("preto ou branco", COLOURS, "", None),
        ("não é preto", COLOURS, "", None),
        ("tamanho m", ["S", "M"], "", 1),
    ],
)
def test_a_fact_counts_only_beyond_doubt(
    text: str, labels: list[str], ignore: str, place: int | None
) -> None:
    assert fact(text, labels, ignore) == place


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Quero vender um iPhone 12 preto de 128", "iPhone 12"),
        ("I'd like to sell my black Galaxy S21 with 256 GB", "Galaxy S21"),
        ("vendo Bimby TM5 por 400€", "Bimby TM5"),
        ("bom dia", ""),
        (
            "Hi! I have a Nintendo Switch OLED, with a dock, two games and a carrying case to sell",
            "Nintendo Switch OLED",
        ),
        ("tenho um iPhone 12 e um carregador para vender", "iPhone 12"),
        ("iPhone 12 with original charger, box", "iPhone 12"),
        ("Nespresso Inissia, vai com o aeroccino", "Nespresso Inissia"),
        ("a iPhone 12 case", "iPhone 12 case"),
        ("capa para iPhone 12", "capa iPhone 12"),
        ("a Delta Qool, red, and an iPhone 11 to sell", "Delta Qool"),
    ],
)
def test_the_product_query_holds_only_the_words_that_identify_the_product(text: str, query: str) -> None:
    assert query_of(text) == query


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("is a Canon 250D worth anything? comes with two lenses", "canon 250d"),
        ("iPhone 12. how much is it worth?", "iPhone 12"),
        ("what is it worth? it is a Bimby", "Bimby"),
        ("how much is it worth?", ""),
    ],
)
def test_the_product_whose_price_is_asked_is_looked_for(text: str, query: str) -> None:
    named = query_of(intents.without_price(text))
    assert named.startswith(query)
    assert bool(matching.content(named)) == bool(query)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("quero vender isto", "pt"),
        ("I want to sell it", "en"),
        ("iPhone 12", None),
        ("128", None),
        ("não", "pt"),
    ],
)
def test_the_language_shows_in_small_words(text: str, language: str | None) -> None:
    assert detect_language(text) == language


@settings(deadline=None)
@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz 0123456789", min_size=1, max_size=12), min_size=1))
def test_a_label_means_itself(labels: list[str]) -> None:
    for place, label in enumerate(labels):
        if tidy(label):
            assert place in match(label, labels).strong


@settings(deadline=None)
@given(st.text(max_size=200))
def test_words_streamed_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text


@settings(deadline=None)
@given(st.text(max_size=30), st.integers(1, 9))
def test_a_place_lies_within_the_list(text: str, count: int) -> None:
    place = ordinal(text, count)
    assert place is None or 0 <= place < count


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=80),
    st.sampled_from(["get_catalog", "get_product_options", "create_item", "search_catalog"]),
)
def test_no_text_breaks_the_script(text: str, tool: str) -> None:
    acts = answer("Language of the conversation: pt", [{"role": "user", "content": text}], [tool], [])
    assert acts
    assert all(isinstance(act, Say | Call) for act in acts)


def test_an_answer_to_a_schema_fits_the_schema() -> None:
    schema = {
        "type": "object",
        "properties": {
            "decision": {"enum": ["A", "B"]},
            "score": {"type": "number"},
            "why": {"type": "string"},
        },
    }
    (act,) = answer(None, "choose", [], [], schema)
    assert act == Say('{"decision": "A", "score": 0, "why": "demo"}')


def test_both_languages_have_the_same_lines_with_the_same_blanks() -> None:
    assert PT.keys() == EN.keys()
    for key, lines in PT.items():
        assert len(lines) >= 1
        blanks = {part for text in lines for part in text.split("{")[1:]}
        others = {part for text in EN[key] for part in text.split("{")[1:]}
        assert {each.split("}")[0] for each in blanks} == {each.split("}")[0] for each in others}, key


@pytest.mark.parametrize("lines", [PT, EN])
def test_nobody_shouts_or_apologises(lines: dict[str, tuple[str, ...]]) -> None:
    for texts in lines.values():
        for text in texts:
            assert "!" not in text
            assert not any(word in text.casefold() for word in ("desculp", "lament", "sorry", "apolog"))


def test_a_pick_up_in_the_past_is_asked_for_again() -> None:
    asked = {"type": "function_call", "call_id": "c", "name": "ask_user", "arguments": '{"message": "When?"}'}
    given = json.dumps({"date": "2020-01-01", "window": "09:00-13:00", "email": "a@example.org"})
    told = {"type": "function_call_output", "call_id": "c", "output": given}
    items = [{"role": "user", "content": "arrange a pick-up"}, asked, told]
    said, again = answer(None, items, ["search_catalog", "ask_user"], [])
    assert isinstance(said, Say) and "Esse dia já passou" in said.text
    assert isinstance(again, Call) and again.arguments["message"] == "When?"
    assert again.arguments["questions"]["properties"]["date"]["formatMinimum"] > "2026-01-01"


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "unit", ["e sim ", "isso mesmo ", "e isso mesmo ", "thank you very much ", "that one "]
)
def test_a_yes_that_goes_on_and_on_is_read_once(unit: str):
    """Each way to divide it would double the time: forty of them would not end in a lifetime."""
    assert intents.whole("sim " + unit * 40, "yes")
    assert not intents.whole("sim " + unit * 40 + "zzz", "yes")


def test_blanks_behind_a_counted_kind_are_read_once() -> None:
    # By the square of their number this takes minutes.
    assert query_of(f"two iphones{' ' * 200_000}x") == "two iphones x"


def test_a_yes_before_another_word_is_read_once() -> None:
    # By the square of its length the search is broken off.
    assert not intents.whole("sim " * 8_000 + "x", "yes")


def test_a_word_that_is_repeated_is_compared_with_the_labels_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def note(words: Sequence[str], others: Iterable[str]) -> list[str]:
        compared.extend(words)
        return near(words, others)

    monkeypatch.setattr(matching, "near", note)
    assert match("vermelho " * 1_000, ["Preto", "Vermelho escuro", "Azul-marinho", "Cinzento"]).one == 1
    assert len(compared) == 1


OPTIONS = OptionView("iPhone 12", (Kind(1, "Cor", ((1, "Preto"), (2, "Branco")), None),))


def test_another_product_is_named_by_a_figure_or_a_capital_on_its_line() -> None:
    assert other_product("afinal é um Galaxy", OPTIONS)
    assert other_product("afinal é um galaxy s20", OPTIONS)
    assert not other_product("afinal é um engano\nDepois digo", OPTIONS)
    assert other_product("afinal o iphone é o 13. O preço é 150", OPTIONS)
    assert not other_product("Sim, o iphone veio da loja. Afinal o preço fica 150", OPTIONS)
    assert not other_product("Yes, my iPhone is from Apple. Actually let's make the price 150", OPTIONS)


def test_a_line_is_read_once_for_what_may_be_a_name() -> None:
    # By the square of its length the search is broken off.
    assert not other_product("é um abc " * 5_000, OPTIONS)


@pytest.mark.timeout(20)
def test_an_article_or_a_step_that_is_repeated_is_read_in_one_way() -> None:
    """Each could be read in two ways, which doubled the time with each: thirty took a quarter of an hour."""
    assert query_of("a Delta Qool, " + "a " * 500 + "b").startswith("Delta Qool")
    assert query_of("iPhone 12 with " + "the a " * 300 + "charger") == "iPhone 12"
    assert intents.whole("voltar" + " one step" * 200, "back")
    assert not intents.whole("voltar" + " one step" * 200 + " x", "back")


def read(text: str) -> str:
    view = ConversationView("", [{"role": "user", "content": text}], (), ())
    return view.message.text


def test_a_decision_reads_the_beginning_of_a_very_long_message() -> None:
    listing = "Muito estimado, sempre com capa. " * 60 + "Vendo um iPhone 12 preto."
    assert read(listing) == listing and query_of(read(listing)).startswith("iPhone 12")
    assert read("ab. " * 2_000) == ("ab. " * 2_000)[:MOST_LETTERS]
    assert len(read("\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 8_000)) == MOST_LETTERS


def test_thousands_of_digits_are_no_place_in_a_list() -> None:
    assert ordinal("9" * 8_000, 5) is None
    assert ordinal("0" * 8_000, 5) is None
    assert ordinal("02", 5) == 1


@pytest.mark.parametrize(
    ("tools", "line"),
    [
        (["get_catalog", "confirm_product"], "product=a:b"),
        (["get_catalog", "confirm_product"], "product=1:x"),
        (["get_catalog", "confirm_product"], 'more="\N{SUPERSCRIPT TWO}"'),
        (["get_catalog", "confirm_product"], f"more={'9' * 5_000}"),
        (["get_product_protocol", "validate_protocol_answer", "change_item"], "change=option:x"),
        (["get_product_protocol", "validate_protocol_answer", "change_item"], f"option:1={'9' * 5_000}"),
        (["get_product_protocol", "validate_protocol_answer"], 'option:1="\N{SUPERSCRIPT TWO}"'),
    ],
)
def test_a_forged_click_is_one_that_is_not_understood(tools: list[str], line: str) -> None:
    shown = {"type": "function_call", "call_id": "c", "name": tools[0], "arguments": "{}"}
    told = {"type": "function_call_output", "call_id": "c", "output": json.dumps({"next": None})}
    items = [
        {"role": "user", "content": "x"},
        shown,
        told,
        {"role": "user", "content": f"x\n[answer {line} block=b]"},
    ]
    acts = answer(None, items, tools, [])
    assert acts
    assert not any("\N{SUPERSCRIPT TWO}" in str(each) or "999" in str(each) for each in acts)


def test_a_number_for_a_tool_of_the_page_has_few_digits() -> None:
    spec = {"required": ["count"], "properties": {"count": {"type": "integer"}}}
    message = [{"role": "user", "content": "scroll colour " + "9" * 400}]
    (act,) = answer(None, message, ["search_catalog", "scrollColour"], [], None, {"scrollColour": spec})
    assert act == Call("scrollColour", {"count": 999_999_999_999_999})


def test_a_thing_of_the_message_that_is_kept_is_no_stop() -> None:
    assert intents.leaves("já não quero vender, fico com ele") and intents.leaves(
        "I changed my mind, I'm keeping it"
    )
    assert not intents.leaves("são dois comandos. e afinal o FIFA 23 não vai, fico com ele")
    assert not intents.leaves("the game isn't included after all, I'm keeping it")


def test_them_is_a_second_item_only_beside_a_word_for_more() -> None:
    assert intents.inside("can I sell them too?", "second_sale")
    assert not intents.inside("is it ok to sell them if the ear pads are replacements?", "second_sale")
