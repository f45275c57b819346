"""Templates are compiled once in a process, and again when their source is another one."""

from __future__ import annotations

from server.html.templates import template_environment


def test_a_second_environment_of_a_folder_compiles_nothing_again(tmp_path, monkeypatch):
    (tmp_path / "a.html").write_text("{{ word }}")
    first, second = template_environment(tmp_path), template_environment(tmp_path)
    assert first.get_template("a.html").render(word="<b>\x00") == "&lt;b&gt;"
    monkeypatch.setattr(second, "compile", None)
    assert second.get_template("a.html").render(word="two") == "two"


def test_a_template_that_was_edited_is_drawn_as_it_is_now(tmp_path):
    file = tmp_path / "a.html"
    file.write_text("before")
    assert template_environment(tmp_path).get_template("a.html").render() == "before"
    file.write_text("after")
    assert template_environment(tmp_path).get_template("a.html").render() == "after"


def test_folders_with_the_same_names_keep_their_own_templates(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.html").write_text(name)
    drawn = [template_environment(tmp_path / name).get_template("a.html").render() for name in ("one", "two")]
    assert drawn == ["one", "two"]
