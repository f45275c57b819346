"""Of a long first message the name of the thing is looked for and quoted, and no clause that tells of it."""

import pytest

from server.demo.reading.query import queries_of
from tests.unit.demo.harness import RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

_FRIDGE = (
    "frigorífico Samsung de 2019, a luz de dentro não acende, era da minha avó, "
    "a pessoa tem de subir ao 3º andar, 150€"
)
_DRYER = (
    "tumble dryer, hotpoint, 5 years old, door seal worn, works otherwise, "
    "the buyer has to carry it down the stairs, 60"
)


@pytest.mark.parametrize(
    ("language", "said", "quoted"),
    [
        ("pt", _FRIDGE, "«frigorífico Samsung»"),
        ("en", _DRYER, "“tumble dryer”"),
        ("en", "do you buy fridges?", "“fridges”"),
        (
            "pt",
            "máquina de lavar roupa Bosch, pessoa tem de a vir buscar a Setúbal, 80 euros",
            "«máquina de lavar roupa Bosch»",
        ),
    ],
)
async def test_a_short_name_is_quoted(harness: RunnerHarness, language: str, said: str, quoted: str) -> None:
    visitor = await harness.visitor(language)
    reply = await visitor.say(said)
    assert quoted in reply.text and not reply.blocks


@pytest.mark.parametrize(
    ("language", "said", "other", "product"),
    [
        (
            "pt",
            "tenho um iphone 12 preto 128 para vender, tenho também uma máquina de lavar loiça, "
            "mas essa fica para outra altura",
            "máquina de lavar loiça",
            "iPhone 12",
        ),
        (
            "en",
            "selling an iphone 12 black 128, i have a dishwasher too but that one is for another time",
            "dishwasher",
            "iPhone 12",
        ),
        (
            "pt",
            "Quero vender a bicicleta elops 520, o travão de trás chia um pouco, foi do meu filho, "
            "também tenho um trotinete xiaomi",
            "trotinete xiaomi",
            "Elops 520",
        ),
    ],
)
async def test_another_item_of_the_first_message_is_named(
    harness: RunnerHarness, language: str, said: str, other: str, product: str
) -> None:
    visitor = await harness.visitor(language)
    reply = await visitor.say(said)
    assert other in reply.text and product in reply.text


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("xbox, fridge and a lamp", "xbox"),
        ("hi, my bosch washing machine doesn't spin, 100", "bosch washing machine spin"),
        ("Delonghi Magnifica, the steam wand clogs sometimes, it was my mum's", "Delonghi Magnifica"),
        ("bimby tm5, a tampa está rachada, era da minha tia, só em mão no Porto", "bimby tm5"),
        ("dyson v10, battery only lasts 10 minutes, I live in Kent", "dyson v10"),
    ],
)
async def test_a_clause_that_tells_of_the_item_is_no_part_of_its_name(said: str, query: str) -> None:
    assert queries_of(said)[0] == query
