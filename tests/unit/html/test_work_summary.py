"""The work of the agents is one sentence, which claims no more than was done."""

from __future__ import annotations

import pytest

from server.html.work_summary import work_sentence
from server.words import FOLDER, Words

WORDS = Words(FOLDER)


def call(name, *, args=None, result=None):
    return {"name": name, "args": args or {}, "result": result or {}, "status": "done"}


def option(name, value="1", **more):
    return call("select_option", args={"name": name, "value": value}, **more)


@pytest.mark.parametrize(
    ("calls", "pt", "en"),
    [
        ([call("search_catalog")], "Procurou no catálogo", "Searched the catalog"),
        (
            [call("search_catalog"), option("cor"), option("ano")],
            "Procurou no catálogo e guardou 2 opções",
            "Searched the catalog and kept 2 options",
        ),
        ([option("cor"), option("cor")], "Guardou a opção", "Kept the option"),
        (
            [call("get_catalog"), call("search_catalog", args={"query": "a"}), call("confirm_product")],
            "Procurou no catálogo e confirmou o produto",
            "Searched the catalog and confirmed the product",
        ),
        ([call("estimate_repair")] * 2, "Usou Estimate repair", "Used Estimate repair"),
        ([call("a"), call("b"), call("c")], "Usou 3 ferramentas", "Used 3 tools"),
        (
            [call("web_search"), option("cor", result={"code": "confirm"})],
            "Pesquisou na web",
            "Searched the web",
        ),
        ([option("cor", result={"code": "confirm"})], "Não guardou a opção", "Did not keep the option"),
        (
            [
                call(each)
                for each in (
                    "web_search",
                    "get_catalog",
                    "confirm_product",
                    "create_item",
                    "list_my_items",
                    "x",
                )
            ],
            "Pesquisou na web, procurou no catálogo, confirmou o produto e mais 3 passos",
            "Searched the web, searched the catalog, confirmed the product and 3 more steps",
        ),
    ],
)
def test_a_turn_is_told_in_the_words_of_its_tools(calls, pt, en):
    assert work_sentence(calls, WORDS, "pt") == pt
    assert work_sentence(calls, WORDS, "en") == en
