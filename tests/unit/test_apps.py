"""Apps come from a file, beside the one that is built in."""

from pathlib import Path

import pytest

from server import apps
from server.services import require_known, services


def test_the_demo_is_the_only_app_without_a_file():
    [only] = apps.load(None).items()
    assert only[0] == "demo" and only[1].service == "submission" and "marketplace" in only[1].context


def test_a_file_adds_apps_and_may_replace_the_demo(tmp_path):
    file = tmp_path / "apps.toml"
    file.write_text('[shop]\nservice = "chat"\ncontext = "Uma loja."\n[demo]\ncontext = "Outra."\n')
    known = apps.load(file)
    assert (known["shop"].service, known["shop"].context, known["demo"].context) == (
        "chat",
        "Uma loja.",
        "Outra.",
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[shop\n", r"^apps\.toml: this is not TOML: .*line 1.*\.$"),
        (
            "[shop]\naprovals = []\n",
            r"^apps\.toml: \[shop\] aprovals: there is no such key; there are .*approvals.*\.$",
        ),
        ("[shop]\ntokens_per_day = 0\n", r"^apps\.toml: \[shop\] tokens_per_day: Input should be .* 1\.$"),
        (
            '[shop]\napprovals = "create_item"\n',
            r"^apps\.toml: \[shop\] approvals: Input should be a valid list\.$",
        ),
        (
            '[shop]\nrequests_per_service = { translator = "often" }\n',
            r"^apps\.toml: \[shop\] requests_per_service: .*'often' is not a rate such as 20/10s.*\.$",
        ),
        ("shop = 3\n", r"^apps\.toml: shop has to be a table, \[shop\]\.$"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_sentence_with_its_place(tmp_path, text, sentence):
    file = tmp_path / "apps.toml"
    file.write_text(text)
    with pytest.raises(apps.AppsError, match=sentence):
        apps.load(file)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path):
    file = tmp_path / "none.toml"
    with pytest.raises(apps.AppsError, match=rf"^LOOPWIRE_APPS: {file} cannot be read: No such file"):
        apps.load(file)


def test_callbacks_are_signed_with_one_secret_or_two(tmp_path):
    secret = "whsec_" + "A" * 32
    file = tmp_path / "apps.toml"
    file.write_text(
        f'[one]\ncallback_secret = "{secret}"\n[two]\ncallback_secret = ["{secret}", "{secret}"]\n'
    )
    known = apps.load(file)
    assert (known["one"].callback_secret, len(known["two"].callback_secret)) == ((secret,), 2)
    for wrong in ("whsec_short", "A" * 32, "whsec_" + "é" * 32):
        file.write_text(f'[one]\ncallback_secret = "{wrong}"\n', encoding="utf-8")
        with pytest.raises(apps.AppsError, match="callback_secret"):
            apps.load(file)


def test_the_example_of_the_documentation_shows_every_key_and_can_be_used(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "apps.md").read_text(encoding="utf-8")
    file = tmp_path / "apps.toml"
    file.write_text(text.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    known = apps.load(file)
    require_known(known, services())
    assert known["demo"].model_fields_set == set(apps.App.model_fields)


def test_the_cores_of_an_app_have_one_form_and_names(tmp_path):
    file = tmp_path / "apps.toml"
    file.write_text(
        '[shop]\ncore_base_url = "HTTPS://Core.Shop.example:443/"\ncore_token_variable = "SHOP_CORE_TOKEN"\n'
        '[shop.other_cores.north]\nbase_url = "http://core.internal:8080/a/"\nprivate_network = true\n'
    )
    cores = apps.load(file)["shop"].cores
    assert {name: each.base_url for name, each in cores.items()} == {
        "": "https://core.shop.example",
        "north": "http://core.internal:8080/a",
    }
    assert cores[""].token_variable == "SHOP_CORE_TOKEN"
    assert apps.load(None)["demo"].cores == {}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('core_base_url = "ftp://core.example"', r"\[shop\]"),
        ('core_base_url = "https://core.example/?a=1"', r"\[shop\]"),
        ('core_base_url = "http://core.example"', "private_network"),
        ('core_base_url = "https://core.example:8443"', "private_network"),
        ('core_token_variable = "A"', "need a core_base_url"),
        ('core_base_url = "https://core.example"\ncore_token_variable = "not a name"', "core_token_variable"),
        (
            'core_base_url = "https://core.example"\n[shop.other_cores.b]\nbase_url = "https://core.example/"',
            "two Cores",
        ),
        ('[shop.other_cores."A B"]\nbase_url = "https://core.example"', "other_cores"),
    ],
)
def test_an_address_of_a_core_that_cannot_be_used_is_a_sentence(tmp_path, text, sentence):
    file = tmp_path / "apps.toml"
    file.write_text(f"[shop]\n{text}\n")
    with pytest.raises(apps.AppsError, match=sentence) as raised:
        apps.load(file)
    assert "pydantic" not in str(raised.value)


def test_an_answer_of_one_service_stands_before_that_of_the_app(tmp_path):
    file = tmp_path / "apps.toml"
    file.write_text(
        '[shop]\nanswers = { cost = { en = "Free." }, safe = { en = "Yes." } }\n'
        'service_answers = { chat = { cost = { en = "Asking is free." } } }\n'
    )
    shop = apps.load(file)["shop"]
    assert shop.context_for("chat")["common_answers"] == {
        "cost": {"en": "Asking is free."},
        "safe": {"en": "Yes."},
    }
    assert shop.context_for("submission")["common_answers"] == shop.answers
