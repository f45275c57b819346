"""Apps come from a file, beside the one that is built in."""

from pathlib import Path

import pytest

from server import apps
from server.services import require_known, services


def test_without_a_file_there_is_the_demo_and_it_says_what_it_is():
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
