"""A fault of another thing than the one that is asked about, and a thing that is missing, are no answer to it."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer, Refused
from server.loopos.answers.judges.answer_judge import judge_with_remark
from tests.unit.loopos.phrases.judged import TODAY, question

VACUUM, CONSOLE, ROBOT = "vacuums.works", "consoles.works", "food-processors.works"
BOWL, STYLUS, PHONE, TABLET = (
    "food-processors.bowl",
    "turntables.stylus",
    "smartphones.screen",
    "tablets.screen",
)


def read(element: str, said: str, language: str) -> tuple[object, str]:
    """Return the value that is asked back or kept, and what is shown; None and the code where it is refused."""
    judged = judge_with_remark(question(element), said, language, TODAY)
    if isinstance(judged, Refused):
        return None, judged.code
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return guess.value, guess.shown


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "the bin is fine, all heads there except the crevice tool"),
        ("en", "the brush head is missing"),
        ("en", "everything there except the charger"),
        ("en", "every tool included bar the little brush"),
        ("pt", "o depósito está bom, tem as escovas todas menos a fina"),
        ("pt", "tem tudo menos o carregador"),
        ("pt", "vem com tudo menos a escova pequena, o depósito tá bom"),
        ("pt", "perdi o bocal das frinchas"),
    ],
)
def test_what_is_missing_says_nothing_of_whether_it_works(language: str, said: str) -> None:
    assert read(VACUUM, said, language) == (None, "not_an_option")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "works great, just missing the crevice tool"),
        ("en", "works great missing the crevice tool"),
        ("en", "the charger is missing but it works"),
        ("en", "all good, the charger is missing"),
        ("pt", "sim, só falta o bocal das frinchas"),
        ("pt", "funciona bem falta o bocal fino"),
        ("pt", "perdi o bocal mas funciona bem"),
        ("pt", "aspira bem, falta o tubo"),
    ],
)
def test_what_works_without_a_tool_works(language: str, said: str) -> None:
    value, shown = read(VACUUM, said, language)
    assert value == "all" and "(" not in shown


@pytest.mark.parametrize(
    ("element", "language", "said", "beside"),
    [
        (VACUUM, "pt", "funciona mas falta força", "falta força"),
        (VACUUM, "en", "works but cuts out, and the crevice tool is missing", "cuts out"),
        (VACUUM, "pt", "tem tudo a funcionar menos a escova", "menos a escova"),
        (CONSOLE, "pt", "funciona tudo menos o leitor", "menos o leitor"),
        ("audio.works", "en", "the sound is missing on one side", "missing on one side"),
    ],
)
def test_what_lacks_in_its_working_is_a_fault(element: str, language: str, said: str, beside: str) -> None:
    value, shown = read(element, said, language)
    assert value == "partly" and beside in shown


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("pt", "o drift é só no comando", None),
        ("en", "the drift is only in the controller", None),
        ("pt", "o comando é que tem drift", None),
        ("pt", "só nos comandos é que há folga", None),
        ("en", "no, only the controller drifts", None),
        ("pt", "não, o drift é só no comando", None),
        ("pt", "a consola funciona, o drift é só no comando", "all"),
        ("en", "works great, drift's only on one controller", "all"),
        ("pt", "nao. um comando tem drift, a consola funciona", "partly"),
        ("en", "console works fine, one controller drifts", "partly"),
    ],
)
def test_a_fault_of_a_controller_alone_is_none_of_the_console(
    language: str, said: str, value: str | None
) -> None:
    assert read(CONSOLE, said, language)[0] == value


@pytest.mark.parametrize(
    ("language", "said", "beside"),
    [
        ("pt", "motor funciona, aquecimento não funciona", "aquecimento não funciona"),
        ("en", "motor yes, heating not", "heating not"),
        ("en", "motor yes but the heating does not work", "heating does not work"),
        ("en", "motor works (heating doesn't)", "heating doesn't"),
        ("pt", "o motor não, o aquecimento sim", "o motor não"),
    ],
)
def test_one_of_two_that_does_not_work_is_a_fault(language: str, said: str, beside: str) -> None:
    value, shown = read(ROBOT, said, language)
    assert value == "partly" and beside in shown


@pytest.mark.parametrize(
    "said",
    [
        "o motor sim, funciona (aquecimento não tem)",
        "o motor sim, o aquecimento não tem",
        "O motor trabalha lindamente, nem faz barulho a mais. Aquecimento ela não tem, filho.",
    ],
)
def test_what_a_machine_does_not_have_is_no_fault_of_it(said: str) -> None:
    value, shown = read(ROBOT, said, "pt")
    assert value == "all" and "não tem" in shown


@pytest.mark.parametrize(
    ("element", "language", "said", "value"),
    [
        (BOWL, "en", "crack in the measuring cup", None),
        (BOWL, "en", "measuring cup cracked", None),
        (BOWL, "en", "the lid is missing", None),
        (BOWL, "pt", "o copo medidor tem uma racha", None),
        (BOWL, "pt", "o copo medida está rachado", None),
        (BOWL, "pt", "só o copo medidor é que tem uma racha", None),
        (BOWL, "en", "the bowl is fine, the measuring cup has a crack", "good"),
        (BOWL, "en", "there's a crack in the measuring cup, bowl itself perfect", "good"),
        (BOWL, "pt", "a taça está boa, o copo medidor é que está rachado", "good"),
        (BOWL, "pt", "o copo está rachado", "broken"),
        (BOWL, "en", "small crack in the rim", "broken"),
        (BOWL, "en", "cracked when it fell", "broken"),
        (STYLUS, "en", "the stylus is fine, the lid is broken", None),
        (STYLUS, "pt", "a agulha está boa, a tampa está rachada", "good"),
        (STYLUS, "en", "tip is broken", "missing"),
        ("scooters.battery", "en", "the charger is damaged", None),
        ("car-seats.accident", "en", "the cup holder is broken", None),
        ("car-seats.accident", "pt", "partiu-se o suporte do copo", None),
        ("car-seats.accident", "en", "the frame is cracked", "broken"),
    ],
)
def test_a_part_has_no_fault_of_a_thing_of_another_name(
    element: str, language: str, said: str, value: str | None
) -> None:
    assert read(element, said, language)[0] == value


@pytest.mark.parametrize(
    ("element", "language", "said", "value"),
    [
        (PHONE, "pt", "ecrã ok, vidro traseiro rachado", True),
        (PHONE, "en", "screen's fine, crack in the back", True),
        (PHONE, "en", "back glass cracked", None),
        (PHONE, "en", "perfect, back's cracked tho", True),
        (PHONE, "en", "just the camera glass is cracked, screen intact", True),
        (PHONE, "en", "the screen protector is cracked, not the screen", None),
        (PHONE, "pt", "só o vidro da câmara está rachado", None),
        (PHONE, "pt", "a película está rachada, o ecrã não", None),
        (TABLET, "pt", "só a película é que está riscada", None),
        (TABLET, "pt", "ecrã bom, traseira rachada", "clean"),
        (TABLET, "en", "fine, but the back glass is cracked", "clean"),
        (TABLET, "pt", "vidro traseiro rachado", None),
    ],
)
def test_a_crack_in_the_back_leaves_the_screen_whole(
    element: str, language: str, said: str, value: object
) -> None:
    judged, shown = read(element, said, language)
    assert judged == value and "(" not in shown


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("coffee-machines.works", "pt", "tem uma marca de queimado na base"),
        ("kitchen.works", "pt", "tem uma mancha de queimado por cima"),
        ("laptops.works", "en", "a burn mark near the charging port"),
        (TABLET, "pt", "tem uma mancha de queimado"),
    ],
)
def test_a_burn_mark_breaks_nothing(element: str, language: str, said: str) -> None:
    assert read(element, said, language) == (None, "not_an_option")


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        (
            "en",
            "battery is a bit tired but good otherwise, missing the wall mount",
            "Good (battery is a bit tired; missing the wall mount)",
        ),
        ("en", "scratched lid but good otherwise", "Good (scratched lid)"),
        ("en", "good, no wall mount though", "Good (no wall mount)"),
        ("en", "otherwise good, the lid is scratched", "Good (the lid is scratched)"),
        (
            "pt",
            "a bateria está cansada mas de resto está bom, falta o suporte",
            "Bom (a bateria está cansada; falta o suporte)",
        ),
    ],
)
def test_otherwise_is_no_remark(language: str, said: str, shown: str) -> None:
    assert read("vacuums.condition", said, language)[1] == shown


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "no idea, sorry"),
        ("en", "no idea mate, it's my mum's"),
        ("en", "no idea mate but it's barely used"),
        ("en", "haven't a clue tbh, never looked"),
        ("pt", "não faço a mínima ideia, era do meu filho"),
        ("pt", "sei lá quantos, muitos"),
        ("pt", "nem ideia disso"),
    ],
)
def test_who_does_not_know_a_number_may_skip_it(language: str, said: str) -> None:
    value, shown = read("cameras.shutter_count", said, language)
    assert value is None and shown in ("I don't know", "Não sei")
    assert read("scooters.kilometres", said, language) == (None, "required")


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("scooters.works", "en", "no idea mate, it was my brothers"),
        ("consoles.works", "pt", "não faço ideia se liga"),
        (PHONE, "en", "no idea what you mean"),
    ],
)
def test_who_has_no_idea_says_neither_yes_nor_no(element: str, language: str, said: str) -> None:
    assert read(element, said, language) == (None, "required")


@pytest.mark.parametrize(
    ("element", "said", "value"),
    [
        ("scooters.kilometres", "no idea but about 500", 500),
        ("consoles.controllers", "no idea, two I think", 2),
    ],
)
def test_a_number_behind_such_words_is_read(element: str, said: str, value: int) -> None:
    assert read(element, said, "en")[0] == value


CHARGER = "vacuums.charger"


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        (
            "pt",
            "mini escova motorizada, tubo, carregador e suporte de parede. falta o bocal de fendas",
            True,
        ),
        ("pt", "tenho carregador, falta o tubo", True),
        ("pt", "falta a base, tenho o carregador", True),
        ("pt", "falta o carregador", False),
        ("en", "charger and dock, missing the crevice tool", True),
        ("en", "tubes, brushes and charger. the crevice tool is missing", True),
        ("en", "the charger is missing", False),
    ],
)
def test_another_thing_that_is_missing_leaves_the_one_that_is_there(
    language: str, said: str, value: bool
) -> None:
    assert read(CHARGER, said, language)[0] is value


@pytest.mark.parametrize(
    ("element", "language", "said"),
    [
        ("vacuums.battery_minutes", "pt", "nao tem. perdi"),
        ("vacuums.battery_minutes", "en", "it doesn't have one. lost it"),
        ("laptops.battery_cycles", "pt", "não tem, perdi"),
        ("laptops.battery_cycles", "en", "doesn't have it, lost"),
    ],
)
def test_a_thing_that_is_lost_is_no_figure(element: str, language: str, said: str) -> None:
    assert read(element, said, language) == (None, "number_only")
