"""The types of the JavaScript SDK: a page in TypeScript compiles with them, and the mistakes of another do not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.parts.typescript import SDK, compiler_in, faults_of

FOLDER = Path(__file__).parents[2] / "parts/sdk"


@pytest.mark.parametrize("name", ["page", "mistakes"])
def test_a_page_in_typescript_compiles_and_mistakes_do_not(name: str, tmp_path: Path) -> None:
    compiler = compiler_in(FOLDER, "make parts")
    assert faults_of(compiler, tmp_path, FOLDER / f"{name}.ts") == []


def test_the_code_of_the_readme_compiles(tmp_path: Path) -> None:
    compiler = compiler_in(FOLDER, "make parts")
    (code,) = re.findall(r"^```ts\n(.*?)^```$", (SDK / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    shown = tmp_path / "shown.ts"
    shown.write_text(f"{code}\nexport {{ heard }};\n")
    assert faults_of(compiler, tmp_path / "compiled", shown) == []


def test_a_mistake_without_its_comment_is_a_fault(tmp_path: Path) -> None:
    """The compiler tells of a comment without a mistake below it, and of a mistake without a comment."""
    compiler = compiler_in(FOLDER, "make parts")
    source = (FOLDER / "mistakes.ts").read_text()
    bare = tmp_path / "bare.ts"
    bare.write_text(re.sub(r"// @ts-expect-error", "//", source))
    faults = faults_of(compiler, tmp_path / "compiled", bare)
    lines = {int(found[1]) for each in faults if (found := re.match(r"bare\.ts\((\d+),", each))}
    expected = [number for number, each in enumerate(source.split("\n"), 1) if "@ts-expect-error" in each]
    assert lines == {number + 1 for number in expected}


def test_the_types_by_hand_describe_no_frame_a_second_time() -> None:
    generated = set(
        re.findall(r"^export (?:interface|type) (\w+)", (SDK / "protocol.d.ts").read_text(), re.MULTILINE)
    )
    by_hand = set(
        re.findall(r"^export (?:interface|type|class) (\w+)", (SDK / "index.d.ts").read_text(), re.MULTILINE)
    )
    assert generated & by_hand == {"MessageMark"}  # It adds what only a client knows.
