"""Yes and no as people say them to `… Is that right?`."""

import pytest

from server.loopos.answers import confirms


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Oh, I see. Yes, that's right."),
        ("en", "yes sorry that's correct"),
        ("en", "exactly that"),
        ("en", "got it, yes"),
        ("en", "ah right ok yes thats it"),
        ("en", "ok i see, exactly"),
        ("pt", "ah ok, percebi. sim, é isso"),
        ("pt", "pois, está certo"),
        ("pt", "já percebi, sim"),
        ("pt", "mm sim"),
        ("pt", "ah desculpe, é isso mesmo"),
    ],
)
def test_a_yes_behind_other_words_is_a_yes(language: str, said: str) -> None:
    assert confirms(said, language) == (True, "")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "ah no no, not that"),
        ("en", "nah that's not it"),
        ("en", "oh i see. no"),
        ("en", "I don't think so"),
        ("en", "not really"),
        ("en", "probably not"),
        ("pt", "ah percebi. não"),
        ("pt", "acho que não"),
        ("pt", "penso que não"),
        ("pt", "não me parece"),
        ("pt", "não não é isso"),
    ],
)
def test_a_no_behind_other_words_is_a_no(language: str, said: str) -> None:
    assert confirms(said, language) == (False, "")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Oh, I see."),
        ("en", "mm"),
        ("en", "got it"),
        ("en", "i see scratches"),
        ("en", "i see no scratches"),
        ("en", "i don't think it has been descaled"),
        ("pt", "percebi"),
        ("pt", "ah ok percebi"),
        ("pt", "acho que não foi lavado"),
    ],
)
def test_words_that_were_heard_are_neither(language: str, said: str) -> None:
    assert confirms(said, language)[0] is None


@pytest.mark.parametrize(
    ("language", "said", "rest"),
    [
        ("en", "No need to change it, midnight is right.", "midnight is right."),
        ("en", "there's no need to change that", ""),
        ("en", "you don't have to change anything", ""),
        ("en", "midnight is right", "midnight"),
        ("en", "midnight is correct, thanks", "midnight, thanks"),
        ("pt", "Não é preciso mudar, preto está certo.", "preto esta certo."),
        ("pt", "não precisa de alterar nada", ""),
    ],
)
def test_who_wants_nothing_changed_agrees(language: str, said: str, rest: str) -> None:
    assert confirms(said, language) == (True, rest)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "no, midnight is right"),
        ("en", "not sure which is right"),
        ("en", "none of that is right"),
        ("en", "no need to change the battery, it is new"),
        ("pt", "não é preciso mudar a bateria"),
    ],
)
def test_words_that_only_look_like_it_are_no_yes(language: str, said: str) -> None:
    assert confirms(said, language)[0] is not True
