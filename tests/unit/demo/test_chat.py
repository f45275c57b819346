"""The general assistant: the tool for each question, and the named source of each answer."""

import re

import pytest

from tests.unit.demo.harness import RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHOP = "Loja em Coimbra. Recolha em casa, pagamento em dois dias."

CASES = [
    ("pt", "olá", [], "catálogo|procura"),
    ("pt", "aceitam portáteis?", ["search_catalog"], "(?i)catálogo"),
    ("pt", "têm iphones?", ["search_catalog"], "iPhone 12"),
    ("pt", "existe a bimby tm5 no catálogo?", ["search_catalog"], "Bimby TM5"),
    ("pt", "compram aviões?", ["search_catalog"], "não tem|Não há"),
    ("pt", "que artigos tenho?", ["list_my_items"], "artigos"),
    ("pt", "mostra as minhas conversas", ["list_my_conversations"], "conversas"),
    ("pt", "como é o envio?", ["get_business_context"], "Segundo a loja.*Coimbra"),
    ("pt", "olá, como devolvo uma encomenda?", ["get_business_context"], "Segundo a loja"),
    ("en", "hello, how do I return an order?", ["get_business_context"], "According to the shop"),
    ("en", "do you take phones?", ["search_catalog"], "(?i)6\\d .*some of them"),
    ("pt", "aceitam telemóveis?", ["search_catalog"], "(?i)6\\d .*alguns"),
    ("pt", "quando pagam?", ["get_business_context"], "Segundo a loja"),
    ("pt", "quanto vale o meu iphone?", [], "preços"),
    ("pt", "conta uma piada", [], "fora|informação"),
    ("pt", "és parvo", [], "importa|artigo"),
    ("pt", "quero vender um iPhone 12", ["get_catalog"], "iPhone 12"),
    ("en", "hello", [], "catalog"),
    ("en", "do you take laptops?", ["search_catalog"], "catalog"),
    ("en", "do you buy spaceships?", ["search_catalog"], "does not have|no “"),
    ("en", "what can I sell here?", ["search_catalog"], "The catalog has \\d\\d+ products. Some of them"),
    (
        "en",
        "What can I sell here, and how does it work?",
        ["search_catalog"],
        "The catalog has \\d\\d+ products",
    ),
    ("pt", "O que posso vender aqui e como funciona?", ["search_catalog"], "No catálogo há \\d\\d+ produtos"),
    ("pt", "o que posso vender aqui?", ["search_catalog"], "No catálogo há \\d\\d+ produtos"),
    ("en", "which conversations did I have?", ["list_my_conversations"], "conversations"),
    ("pt", "que conversas tive?", ["list_my_conversations"], "conversas"),
    ("pt", "que artigos tenho?", ["list_my_items"], "artigos"),
    ("en", "what items do I have?", ["list_my_items"], "items"),
    ("en", "show me my conversations", ["list_my_conversations"], "conversations"),
    ("en", "how does shipping work?", ["get_business_context"], "According to the shop"),
    ("en", "how much is it worth?", [], "prices"),
    ("en", "what can you do?", [], "catalog|Ask"),
    ("en", "I want to sell my Galaxy S21", ["get_catalog"], "Galaxy S21"),
]


@pytest.mark.parametrize(("language", "text", "calls", "says"), CASES)
async def test_a_question_is_answered_by_the_tool_that_knows(
    harness: RunnerHarness, language: str, text: str, calls: list[str], says: str
) -> None:
    visitor = await harness.visitor(language, "chat", loopos_core_context=SHOP)
    reply = await visitor.say(text)
    assert reply.calls == calls
    assert re.search(says, reply.text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "arrange another pick-up please"),
        ("en", "can I book one more pick-up?"),
        ("pt", "quero marcar outra recolha"),
        ("pt", "marcar mais uma recolha"),
    ],
)
async def test_another_pick_up_is_arranged_like_the_first(
    harness: RunnerHarness, language: str, text: str
) -> None:
    visitor = await harness.visitor(language, "chat")
    reply = await visitor.say(text)
    assert reply.calls == ["ask_user"]


@pytest.mark.parametrize(
    ("language", "first", "onward", "end"),
    [
        ("en", "what can I sell here?", ("Continue", "more", "more please"), "Those were all of them"),
        ("pt", "o que posso vender aqui?", ("Continuar", "mais"), "Eram todos"),
        ("en", "do you take tablets?", ("Continue", "more"), "Those were all of them"),
    ],
)
async def test_continue_goes_on_with_the_list(
    harness: RunnerHarness, language: str, first: str, onward: tuple[str, ...], end: str
) -> None:
    visitor = await harness.visitor(language, "chat")
    said = [await visitor.say(first)]
    total = int(re.findall(r"\d+", said[0].text)[0])
    while end not in said[-1].text:
        said.append(await visitor.say(onward[len(said) % len(onward)]))
        assert len(said) <= total
    named = [name for reply in said for name in re.findall(r"(?m)^- (.*)$", reply.text)]
    assert len(named) == len(set(named)) == total


async def test_without_a_word_from_the_shop_nothing_is_made_up(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("pt", "chat")
    reply = await visitor.say("qual é a morada da loja?")
    assert reply.calls == ["get_business_context"]
    assert "não" in reply.text


async def test_a_sale_starts_in_the_chat_and_ends_with_an_item_that_the_chat_can_show(
    harness: RunnerHarness,
) -> None:
    visitor = await harness.visitor("en", "chat", loopos_core_context=SHOP)
    reply = await visitor.say("I want to sell my Bimby TM5")
    assert reply.handoffs == ["identification"]
    reply = await visitor.say("how does shipping work?")
    assert reply.handoffs == ["chat"]
    await visitor.say("sell my Bimby TM5")
    await visitor.say("yes")
    for _ in range(20):
        if visitor.state.get("status") == "complete":
            break
        block = visitor.open_blocks()[-1]
        await visitor.say(block["choices"][0]["label"] if "choices" in block else "2021")
    reply = await visitor.say("what items do I have?")
    assert reply.handoffs == ["chat"]
    assert reply.calls == ["list_my_items"]
    assert visitor.state["reference"] in str(reply.blocks)
