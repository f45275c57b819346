"""The messages of a run for Deep Chat: buttons stand last, and nothing of a value is markup."""

from __future__ import annotations

import re
from typing import Any

from server.html.deep_chat import block_text, deep_chat_messages

CHOICES = {"kind": "choices", "status": "open", "legend": "Cor", "choices": [{"label": "Preto"}]}
CARD = {
    "kind": "card",
    "title": "iPhone <12>",
    "reference": "LW-1",
    "pairs": [{"label": "Cor", "value": "a*b*"}, {"label": "Está livre?", "value": "Sim"}],
}


def text_message(text: str, id: str = "m1") -> dict[str, Any]:
    return {"role": "assistant", "id": id, "content": text}


def shown(block: dict[str, Any]) -> dict[str, Any]:
    return {"role": "activity", "activityType": "block", "id": "b1", "content": block}


def test_buttons_stand_behind_all_that_was_said_since_they_go_when_another_message_comes() -> None:
    told = deep_chat_messages([text_message("Qual?"), shown(CHOICES), text_message("Escolha.", "m2")], "pt")
    assert [each["text"] for each in told] == ["Qual?", "Escolha."]
    assert "html" not in told[0]
    assert re.findall(r">(\w+)</button>", told[1]["html"]) == ["Preto"]


def test_a_card_stays_where_it_was_shown_and_the_buttons_follow_it() -> None:
    told = deep_chat_messages([text_message("Aqui:"), shown(CARD), shown(CHOICES)], "pt")
    assert "iPhone &lt;12&gt;" in told[0]["html"]
    assert "<b>Cor</b>: a*b*" in told[0]["html"]
    assert "<b>Está livre?</b> Sim" in told[0]["html"]
    assert "temporary" not in told[0]["html"]
    assert "temporary" in told[1]["html"]
    assert [each["text"] for each in told] == ["Aqui:", ""]


def test_each_of_many_choices_has_its_button() -> None:
    many = {**CHOICES, "choices": [{"label": f"Cor {n}"} for n in range(500)]}
    (told,) = deep_chat_messages([shown(many)], "pt")
    assert re.findall(r">Cor (\d+)</button>", told["html"]) == [str(n) for n in range(500)]


def test_what_html_alone_says_has_an_empty_text_which_the_element_does_not_draw() -> None:
    assert [each["text"] for each in deep_chat_messages([shown(CARD), shown(CARD)], "pt")] == ["", ""]


def test_an_approval_says_what_it_is_about() -> None:
    block = {"kind": "approval", "status": "open", "message": "Criar?", "pairs": CARD["pairs"]}
    (told,) = deep_chat_messages([shown(block)], "pt")
    assert told["text"] == "Criar?\n\n- Cor: **a\\*b\\***\n- Está livre? **Sim**"
    assert told["html"].count("<button") == 2


def test_a_text_that_is_known_is_not_said_again_but_says_what_its_block_need_not() -> None:
    (told,) = deep_chat_messages([text_message("Qual?"), shown(CHOICES)], "pt", {"m1": "Qual?"})
    assert (set(told), told["text"]) == ({"text", "role", "html"}, "")
    (told,) = deep_chat_messages([text_message("Qual é?")], "pt", {"m1": "Qual?"})
    assert told["text"] == "Qual é?"


def test_a_stream_of_text_has_the_same_as_markdown() -> None:
    assert block_text(CARD, "pt", "Aqui:") == (
        "**iPhone \\<12\\>** LW-1\n\n- Cor: **a\\*b\\***\n- Está livre? **Sim**"
    )
    assert block_text(CHOICES, "pt", "Qual?") == "- Preto"
    assert block_text(CHOICES, "pt", "") == "**Cor**\n\n- Preto"
    rows = {"kind": "list", "legend": "Artigos", "rows": [{"title": "A", "note": "b"}, {"title": "C"}]}
    assert block_text(rows, "pt", "") == "**Artigos**\n\n- A · b\n- C"
    picture = {"kind": "image", "source": "/x", "alt": "um [telefone]"}
    assert block_text(picture, "pt", "") == "um \\[telefone\\]"


def test_the_last_question_says_what_is_kept_and_offers_what_is_not() -> None:
    asked = {"kind": "form", "status": "open", "legend": "O que traz?", "position": 5}
    block = {**asked, "kept": CARD["pairs"], "unused": [{"value": "a roda chia", "label": "a roda chia"}]}
    rows = "- Cor: **a\\*b\\***\n- Está livre? **Sim**"
    assert block_text(block, "pt", "") == f"{rows}\n\n**O que traz?**\n\n- + a roda chia"
    (told,) = deep_chat_messages([shown(block)], "pt")
    assert ">+ a roda chia</button>" in told["html"]
