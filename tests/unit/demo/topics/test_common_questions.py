"""A common question, a wish to wait and a wish for a person are answered, and what was asked stays open."""

import json
from itertools import zip_longest

import pytest

from server.agents.model.providers import OneModel
from server.apps import BUILT_IN
from server.demo import DemoModel
from server.demo.conversation_view import ConversationView
from server.demo.lines import LINES, line
from server.demo.reading import intents
from server.loopos.common_answers import ANSWERS_LINE, PRODUCT_ANSWERS
from tests.parts.sampled import later
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness
from tests.unit.demo.judging import known
from tests.unit.demo.utterances import STATES

pytestmark = pytest.mark.timeout(180)

in_a_loop = pytest.mark.asyncio(loop_scope="module")

PT = {
    "espera, tenho de ir buscar": "wait",
    "só um momento": "wait",
    "vou pensar, obrigado": "wait",
    "já volto": "wait",
    "deixe-me ver na caixa": "wait",
    "quero falar com uma pessoa": "person",
    "Há alguém aí com quem possa falar?": "person",
    "como posso falar com alguém da loja?": "person",
    "quem és tu?": "who",
    "estou a falar com um robô?": "who",
    "é seguro?": "safe",
    "isto é uma burla?": "safe",
    "isto é grátis?": "cost",
    "tenho de pagar alguma coisa?": "cost",
    "quanto custa anunciar?": "cost",
    "o que acontece aos meus dados?": "data",
    "quem vê esta conversa?": "data",
    "como apago tudo?": "delete",
    "quero apagar os meus dados": "delete",
    "posso mandar uma foto?": "photo",
    "como envio as fotografias?": "photo",
    "quanto tempo demora isto?": "time",
    "são muitas perguntas?": "time",
    "falam inglês?": "language",
    "não quero vender, quero comprar": "buy",
    "há alguém com quem eu possa falar ao telefone?": "person",
    "tenho de enviar ou vêm buscar?": "send",
    "quem paga os portes?": "send",
    "quando é que me pagam?": "paid",
    "como recebo o dinheiro?": "paid",
    "e se mudar de ideias?": "returns",
    "o que acontece agora?": "after",
    "o que posso vender aqui?": "allowed",
    "o que aceitam aqui?": "allowed",
    "que coisas posso vender?": "allowed",
    "quanto tempo fica o anúncio?": "shown",
    "e quanto tempo demora a aparecer no site?": "shown",
    "quem a comprar pode vir buscá-la a Viseu?": "send",
    "quem trata da entrega?": "send",
    "devo mencionar o risco?": "matters",
    "deixa-me ir ver à gaveta": "wait",
    "faz mal não ter caixa?": "matters",
    "tenho de apagar os dados antes de vender?": "erase",
}
EN = {
    "hold on": "wait",
    "wait, I have to look at the box": "wait",
    "give me a minute please": "wait",
    "I'll check": "wait",
    "let me think about it": "wait",
    "brb": "wait",
    "I want to speak to a human": "person",
    "can I talk to a real person please?": "person",
    "is there anyone there?": "person",
    "who are you?": "who",
    "are you a robot?": "who",
    "am I talking to a person?": "who",
    "is this safe?": "safe",
    "can I trust this site?": "safe",
    "is it free?": "cost",
    "do I have to pay for this?": "cost",
    "how much does listing it cost?": "cost",
    "what happens to my data": "data",
    "who can see this conversation?": "data",
    "how do I delete everything": "delete",
    "please delete my account": "delete",
    "can I send you a photo?": "photo",
    "do you want pictures?": "photo",
    "how long does it take?": "time",
    "how many questions are there?": "time",
    "can you speak English?": "language",
    "can I buy one here?": "buy",
    "agent please": "person",
    "who sees my data if I type it here?": "data",
    "can I continue tomorrow?": "wait",
    "how do i send it": "send",
    "do I have to post it or does someone collect?": "send",
    "how long does it take to get paid?": "paid",
    "is it paypal or bank transfer?": "paid",
    "what's your returns policy?": "returns",
    "can you also tell me what happens next?": "after",
    "what can I sell here?": "allowed",
    "what things do you accept?": "allowed",
    "how long does the ad stay up?": "shown",
    "shall I mention the scratch?": "matters",
    "can one send such a thing?": "send",
    "it would have to be collected, would it not?": "send",
    "can I talk to someone": "person",
    "does it matter that the box is missing?": "matters",
    "do I need to wipe it first?": "erase",
    "whats your commission?": "cost",
}
OTHERS = [
    "espera, é o de 128",
    "wait, it's the 64 GB one",
    "não, espera, azul",
    "um iPhone 12",
    "a bike",
    "is it safe to meet the buyer?",
    "quanto vale?",
    "how much is it worth?",
    "perdi a caixa",
    "foi um momento de loucura comprar isto",
    "the language is set to English",
    "tem uma foto riscada no ecrã",
    "I deleted everything on it",
    "sim, apaguei tudo",
    "it is free of locks",
    "está livre",
    "sem custos",
    "tem problema na bateria",
    "is 250 ok? i ask 250",
    "ainda não recebi a fatura",
    "how much do you pay me",
    "what can I write here?",
    "o que posso escrever?",
    "quanto tempo dura a bateria?",
    "how long does the battery last?",
    "posso vender um piano?",
    "pessoa de família usou-o",
]
LANGUAGES = {language: lines["languages"][0] for language, lines in LINES.items()}
"""The demo model understands fewer languages than the built-in answer names."""
ANSWERED = {**PRODUCT_ANSWERS, **BUILT_IN.answers, "language": LANGUAGES}
"""The answers by topic, in each language."""
EVERY = 4
EARLY = ("one", "en:number")
"""States that `make test` looks at; `make conformance` the others too."""

ASKED = [each for each in STATES if each.removeprefix("en:") not in ("start", "refused", "done", "text")]


@pytest.mark.parametrize(("text", "topic"), [*PT.items(), *EN.items()])
def test_a_common_question_is_known_by_its_words(text: str, topic: str) -> None:
    assert intents.topic(text) == topic


@pytest.mark.parametrize("text", OTHERS)
def test_answers_product_names_and_price_questions_are_no_common_question(text: str) -> None:
    assert intents.topic(text) is None


def mixed(texts: dict[str, str], rest: bool) -> list[tuple[str, str]]:
    """Return each fourth of the texts or the others, never two of one answer in a row: it is not said twice."""
    by_topic = [
        [each for each in texts.items() if each[1] == topic] for topic in dict.fromkeys(texts.values())
    ]
    turns = [each for turn in zip_longest(*by_topic) for each in turn if each is not None]
    chosen = [each for place, each in enumerate(turns) if bool(place % EVERY) is rest]
    said = [str(ANSWERED.get(topic, topic)) for _, topic in chosen]
    return [each for place, each in enumerate(chosen) if not place or said[place] != said[place - 1]]


async def visitor_at(harness: RunnerHarness, state: str) -> HarnessVisitor:
    visitor = await harness.visitor(
        "en" if state.startswith("en:") else "pt", **BUILT_IN.context_for("submission")
    )
    for text in STATES[state]:
        await visitor.say(text)
    return visitor


@pytest.mark.parametrize(
    "rest",
    [pytest.param(False, id="each fourth"), later(True, id="the others")],
)
@pytest.mark.parametrize("state", [each if each in EARLY else later(each) for each in ASKED])
@in_a_loop
async def test_the_answer_is_given_and_the_question_stays_open(
    harness: RunnerHarness, state: str, rest: bool
) -> None:
    language = "en" if state.startswith("en:") else "pt"
    visitor = await visitor_at(harness, state)
    before, opened = known(visitor), visitor.open_blocks()[-1]
    for text, topic in mixed(EN if language == "en" else PT, rest):
        reply = await visitor.say(text)
        assert ANSWERED[topic][language] in reply.text, (text, reply.text)
        assert known(visitor) == before
        now = visitor.open_blocks()[-1]
        assert [now.get(each) for each in ("kind", "name", "choices", "label")] == [
            opened.get(each) for each in ("kind", "name", "choices", "label")
        ]


@pytest.mark.parametrize("state", [later("text"), "en:text"])
@in_a_loop
async def test_it_is_answered_beside_a_text_that_waits_to_be_sent(harness: RunnerHarness, state: str) -> None:
    language = state[:2] if state.startswith("en:") else "pt"
    visitor = await visitor_at(harness, state)
    before, opened = known(visitor), visitor.open_blocks()[-1]["name"]
    asked = {
        "pt": {
            "o que posso vender aqui?": "allowed",
            "posso falar com alguém?": "person",
            "isto é grátis?": "cost",
        },
        "en": {"what can I sell here?": "allowed", "can I talk to someone": "person", "is it free?": "cost"},
    }
    for text, topic in asked[language].items():
        assert ANSWERED[topic][language] in (await visitor.say(text)).text
        assert known(visitor) == before and visitor.open_blocks()[-1]["name"] == opened
        assert not visitor.open_blocks()[-1].get("error")


@pytest.mark.parametrize(
    ("state", "text"),
    [
        ("start", "o que posso vender aqui?"),
        ("one", "o que posso vender aqui?"),
        ("ready", "o que posso vender aqui?"),
        ("ready", "o que aceitam?"),
        ("select", "o que posso vender aqui?"),
        ("done", "o que posso vender aqui?"),
        ("en:ready", "what can I sell here?"),
        ("en:done", "what can I sell here?"),
    ],
)
@in_a_loop
async def test_what_is_sold_here_is_answered_at_each_stage(
    harness: RunnerHarness, state: str, text: str
) -> None:
    visitor = await visitor_at(harness, state)
    language = state[:2] if state.startswith("en:") else "pt"
    assert ANSWERED["allowed"][language] in (await visitor.say(text)).text


@pytest.mark.parametrize(
    ("language", "text", "topics"),
    [
        ("pt", "quanto tempo fica o anuncio? e quem trata da entrega", ["shown", "send"]),
        ("en", "how long does the ad stay up? and who pays the postage?", ["shown", "send"]),
    ],
)
@in_a_loop
async def test_two_questions_of_a_message_are_both_answered(
    harness: RunnerHarness, language: str, text: str, topics: list[str]
) -> None:
    visitor = await visitor_at(harness, "en:select" if language == "en" else "select")
    reply = await visitor.say(text)
    assert all(ANSWERED[each][language] in reply.text for each in topics)
    assert not visitor.open_blocks()[-1].get("error")


def test_an_answer_that_the_instructions_lack_is_not_invented() -> None:
    told = ANSWERS_LINE + json.dumps({"data": {"pt": "Fica aqui."}}, ensure_ascii=False)
    items = [{"role": "user", "content": "o que acontece aos meus dados?"}]
    view = ConversationView(f"Language of the conversation: pt\n{told}", items, (), ())
    assert line(view, "topic:data") == "Fica aqui."
    assert line(view, "topic:cost") == line(view, "no_info")


@in_a_loop
async def test_where_a_real_model_answers_its_provider_is_named(harness: RunnerHarness) -> None:
    provider = OneModel(DemoModel(delay=0), "test-model", demo=False)
    visitor = await RunnerHarness(harness.store, harness.core, provider=provider).visitor("en")
    reply = await visitor.say("what happens to my data?")
    assert "The messages also go to the provider of the model" in reply.text
    assert "Only this browser" not in reply.text


@in_a_loop
async def test_before_a_product_is_named_the_answer_leads_to_it(harness: RunnerHarness) -> None:
    visitor = await visitor_at(harness, "start")
    # Here no operator can come, and the answer is the one that says so.
    asked = [("quero falar com uma pessoa", "person", ["call_person"]), ("isto é grátis?", "cost", [])]
    for text, topic, calls in asked:
        reply = await visitor.say(text)
        assert BUILT_IN.answers[topic]["pt"] in reply.text and reply.calls == calls


@in_a_loop
async def test_a_product_after_an_opening_word_is_found(harness: RunnerHarness) -> None:
    for text, name in [("just kidding. a nintendo switch", "Nintendo Switch"), ("fine. dyson v11", "V11")]:
        reply = await (await visitor_at(harness, "en:start")).say(text)
        assert name in reply.text


@in_a_loop
async def test_another_model_of_the_same_number_is_told_as_one(harness: RunnerHarness) -> None:
    reply = await (await visitor_at(harness, "start")).say("vou vender um redmi note 10")
    assert "«redmi note 10»" in reply.text and "Redmi Note 10 Pro" in reply.text


@in_a_loop
async def test_the_numbers_of_the_two_buttons_answer_a_yes_or_no(harness: RunnerHarness) -> None:
    visitor = await visitor_at(harness, "one")
    await visitor.say("1")
    assert visitor.state["product"] == "iPhone 12"
    visitor = await visitor_at(harness, "en:one")
    reply = await visitor.say("2")
    assert visitor.state.get("product") is None and "iPhone 12?" not in reply.text


@in_a_loop
async def test_a_changed_mind_among_the_options_leads_back_to_the_products(harness: RunnerHarness) -> None:
    visitor = await visitor_at(harness, "en:storage")
    reply = await visitor.say("I changed my mind, it's a bike")
    assert reply.handoffs == ["identification"] and visitor.open_blocks()[-1]["name"] == "product"
