"""The results of a search: the kept fields of each page, and the pages that a model's own search names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from agents import Agent, WebSearchTool

from server.agents.tools.search_server import SearchResult, SearchServer, is_web_address, read_results
from server.agents.tools.web_search import WebSearch, addresses_in, web_search
from tests.unit.agents.teams import Bench

LONGEST = "https://shop.example/" + "x" * (2_048 - len("https://shop.example/"))


@pytest.mark.parametrize("address", ["http://a", "https://a.example:8443/b?c=d#e", "https://[::1]/", LONGEST])
def test_an_address_of_the_web_can_be_shown(address: str) -> None:
    assert is_web_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "https://",
        "https:///path",
        "ftp://a.example/",
        "javascript:alert(1)",
        "https://user@a.example/",
        "https://a.example/b c",
        "https://a.example/\x85",
        'https://a.example/"',
        "https://[::1/",
        LONGEST + "x",
    ],
)
def test_an_address_of_another_form_is_no_web_address(address: str) -> None:
    assert not is_web_address(address)


def test_titles_and_texts_are_words_of_a_bounded_length() -> None:
    found = {"url": "https://a.example", "title": "t" * 201, "content": "c" * 501}
    assert read_results({"results": [found]}) == [SearchResult("https://a.example", "t" * 200, "c" * 500)]
    marked = {**found, "title": "<b>" * 600 + "late", "content": "1 &lt; 2 &gt;\n<i>3</i> half \ud83d"}
    (read,) = read_results({"results": [marked]})
    assert (read.title, read.text) == ("", "1 3 half \ufffd")
    assert read.to_json() == {"url": "https://a.example", "title": "", "text": "1 3 half \ufffd"}


def test_the_first_eight_addresses_are_kept_once_each() -> None:
    pages = [{"url": f"https://a.example/{n // 2}", "title": f"{n}"} for n in range(40)]
    assert [each.title for each in read_results({"results": pages})] == [f"{2 * n}" for n in range(8)]


@pytest.mark.parametrize("found", [None, [], {}, {"results": None}, {"results": {"url": "https://a"}}])
def test_a_response_without_search_results_is_refused(found: Any) -> None:
    with pytest.raises(ValueError, match="no results"):
        read_results(found)


def test_a_models_own_search_names_what_it_read_and_quotes() -> None:
    searched = SimpleNamespace(
        action=SimpleNamespace(sources=[{"url": "https://a"}, {"no": 1}, {"url": 7}], url="https://b")
    )
    assert addresses_in(searched) == ["https://a", "https://b"]
    quoted = SimpleNamespace(
        content=[
            SimpleNamespace(annotations=[SimpleNamespace(url="https://c"), SimpleNamespace(url="ftp://d")]),
            SimpleNamespace(annotations=None),
            SimpleNamespace(),
        ]
    )
    assert addresses_in(quoted) == ["https://c"]
    assert addresses_in(SimpleNamespace(action=SimpleNamespace(sources=None), content=None)) == []


@pytest.mark.parametrize(
    ("search", "has"),
    [
        (WebSearch(), []),
        (WebSearch(by_model=True), [WebSearchTool]),
        (WebSearch(server=SearchServer("http://search.example"), by_model=True), [type(web_search)]),
    ],
    ids=["none", "the model's", "the operator's"],
)
def test_a_search_becomes_what_the_installation_has(search: WebSearch, has: list[type]) -> None:
    (look, *_) = Bench().tools()
    team: Any = {
        "one": Agent(name="one", tools=[look, web_search]),
        "two": Agent(name="two", tools=[look]),
    }
    search.fit(team)
    assert [type(each) for each in team["one"].tools] == [type(look), *has]
    assert team["two"].tools == [look]
    search.ask_for_sources(team)
    own = WebSearchTool in has
    assert team["one"].model_settings.response_include == (
        ["web_search_call.action.sources"] if own else None
    )
    assert team["two"].model_settings.response_include is None
    assert search.resources() == ({} if search.server is None else {SearchServer: search.server})
