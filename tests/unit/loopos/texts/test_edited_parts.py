"""The part of a text that a wish means, a text typed anew, and what a text says that must not turn to its opposite."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer, Refused, Valid, cut_text, judge
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.clauses.joined_parts import add_parts, tells_anew
from server.loopos.answers.clauses.private_names import without_names
from server.loopos.answers.judges.answer_judge import judge_with_remark
from tests.unit.loopos.phrases.judged import TODAY, question

WORKS = "food-processors.works"


@pytest.mark.parametrize(
    ("text", "said", "left"),
    [
        ("pad. was my brother's, two cables", "remove the bit about my brother", "pad. two cables"),
        ("two cables, was repaired by a shop. pad", "take out the part about the repair", "two cables, pad"),
        ("two cables, was repaired by a shop. pad", "don't mention the repair", "two cables, pad"),
        ("capa e base, era do Pedro e quase nova", "tira a parte do Pedro", "capa e base, quase nova"),
        ("capa riscada. comando, cabo", "tira o que eu disse sobre os riscos na capa", "comando, cabo"),
        ("scratch on the lid, scratch on the base", "remove the scratch on the lid because it polished out",
         "scratch on the base"),
        ("scratch on the lid, scratch on the base", "remove the scratch", None),
        ("used with my brother, who scratched the lid; cable", "remove the part about my brother", None),
        ("two cables", "remove the bit about my sister", None),
    ],
)  # fmt: skip
def test_the_part_that_is_meant_goes_and_none_where_it_is_not_clear(
    text: str, said: str, left: str | None
) -> None:
    assert cut_text(text, said) == left


@pytest.mark.parametrize(
    ("text", "words", "is_anew"),
    [
        ("pad, two cables. my brother's old one, he used it a year", "pad and two cables. used a year", True),
        ("capa e base isofix, era do meu filho", "capa, base isofix e o saco", True),
        ("the case, two cables", "the case is torn", False),
        ("black case; cable", "the black case has a scratch", False),
        ("o cabo; duas baterias; o saco", "também o cabo e duas baterias", False),
    ],
)
def test_a_text_typed_anew_is_told_from_an_addition(text: str, words: str, is_anew: bool) -> None:
    assert tells_anew(words, text) is is_anew
    assert (add_parts(text, words, 300, whole=True)[0] == words) is is_anew


def test_a_sentence_keeps_all_things_that_it_says_something_of() -> None:
    said = "a capa e a base estão riscadas"
    assert add_parts("capa; era do meu filho", said, 300)[0] == f"capa; era do meu filho; {said}"


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("era do meu filho Tomás, quase nova", "era do meu filho, quase nova"),
        ("a minha mulher Ana usou pouco", "a minha mulher usou pouco"),
        ("it was my son Tom's", "it was my son's"),
        ("my wife Anna used it", "my wife used it"),
        ("my brother Nintendo Switch case", "my brother Nintendo Switch case"),
        ("bought by my sister Monday", "bought by my sister Monday"),
        ("my dad bought it", "my dad bought it"),
    ],
)
def test_a_private_name_behind_a_word_of_kinship_is_left_out(text: str, public: str) -> None:
    assert without_names(text) == public
    judged = judge(question("consoles.games"), text, "en", TODAY)
    assert judged == (Valid(text, text) if public == text else ProbableAnswer(Valid(public, public)))


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        ("pt", "tem a varoma, o cesto e a espátula", "inclui a varoma, o cesto e a espátula"),
        ("en", "it has the varoma and the basket", "includes the varoma and the basket"),
        ("pt", "falta a espátula, tem a varoma", None),
        ("pt", "não tem a espátula", None),
        ("pt", "tem a lâmina partida", None),
        ("en", "has a new blade", None),
        ("en", "has to be cleaned", None),
        ("pt", "tem de ser limpa", None),
    ],
)
def test_what_is_there_is_not_what_is_missing(language: str, said: str, shown: str | None) -> None:
    judged = judge(question("food-processors.missing"), said, language, TODAY)
    assert judged == (ProbableAnswer(Valid(shown, shown)) if shown else Valid(said, said))


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        ("en", "no dents only light scratches", "It works, with faults (no dents only light scratches)"),
        ("en", "no damage other than a crack in the bowl",
         "It works, with faults (no damage other than a crack in the bowl)"),
        ("en", "works fine apart from the heating", "It works, with faults (the heating)"),
        ("en", "not broken but the button sticks", "It works, with faults (the button sticks)"),
        ("pt", "não está avariada mas o botão prende", "Funciona, com defeitos (o botão prende)"),
        ("pt", "funciona tudo menos o aquecimento", "Funciona, com defeitos (funciona tudo menos o aquecimento)"),
        ("pt", "nada de mal a não ser o ecrã que pisca",
         "Funciona, com defeitos (nada de mal a não ser o ecrã que pisca)"),
        ("en", "the hose isn't cracked anymore, i replaced it", None),
        ("en", "it was leaking but i fixed it, doesnt leak now", None),
        ("pt", "a mangueira já não está rachada, troquei", None),
        ("pt", "vertia mas arranjei, já não verte", None),
    ],
)  # fmt: skip
def test_a_contrast_is_never_read_as_its_opposite(language: str, said: str, shown: str | None) -> None:
    judged = judge_with_remark(question(WORKS), said, language, TODAY)
    if shown is None:
        assert isinstance(judged, Refused) and judged.code == "not_an_option"
    else:
        assert isinstance(judged, ProbableAnswer) and judged.guess.shown == shown


def test_a_plain_no_to_work_is_still_one() -> None:
    judged = judge_with_remark(question(WORKS), "no, it does not turn on", "en", TODAY)
    assert not isinstance(judged, Refused)
    assert fault_clauses("no, the screen is cracked") == ["the screen is cracked"]
