"""The way back to an item that is not finished: after an honest no, and from another item that is begun before it."""

import pytest

from server.html.next_step_buttons import leads_of, ways_back_of
from tests.unit.demo.harness import RunnerHarness, legend, talk

BEGUN = {
    "pt": ("vendo um iphone 12 preto 128gb", "sim", "sim"),
    "en": ("I sell a black iPhone 12 with 128gb", "yes", "yes"),
}
CONDITION = {"pt": "Em que estado está o telemóvel?", "en": "What condition is the phone in?"}
ANOTHER = {"pt": "outro artigo", "en": "another item"}
UNSOLD = {"pt": "uma cadeira markus", "en": "a markus chair"}
WAYS_BACK = [
    ("pt", "continuar"),
    ("pt", "Voltar ao iPhone 12 ({reference})"),
    ("en", "continue"),
    ("en", "Back to iPhone 12 ({reference})"),
]


@pytest.mark.parametrize(("language", "said"), WAYS_BACK)
async def test_after_a_no_the_way_back_shows_the_open_question(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *BEGUN[language], ANOTHER[language], UNSOLD[language])
    reference = visitor.state["reference"]
    offered = ways_back_of(visitor.transcript, "submission")
    assert not visitor.open_blocks() and "lead.continue" not in leads_of(visitor.transcript, "submission")
    assert offered == ({"product": "iPhone 12", "reference": reference},)
    reply = await visitor.say(said.format(reference=reference))
    assert legend(visitor) == CONDITION[language] and "get_catalog" not in reply.calls
    assert visitor.state["reference"] == reference


@pytest.mark.parametrize(("language", "said"), [("pt", "continuar"), ("en", "continue")])
async def test_after_a_no_the_product_without_an_item_is_gone_on_with(
    harness: RunnerHarness, language: str, said: str
) -> None:
    begun = BEGUN[language][:2]
    visitor = await talk(harness, language, *begun, ANOTHER[language], UNSOLD[language], said)
    assert visitor.state["product"] == "iPhone 12" and visitor.open_blocks()[-1]["name"] == "options"
