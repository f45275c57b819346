"""The private names of libraries that the server uses are those of docs/private-names.md, and no others."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "private-names.md"
DOCUMENTED = {"_mapping", "_exit"}
_PLAIN = {"Protocol", "Enum", "StrEnum", "Exception", "BaseModel", "TypedDict", "NamedTuple"}
"""Bases of the standard library and pydantic that have no private methods that one would take over."""

ROW = re.compile(r"^\| [\w-]+ \| `([\w.]+)` \| (.+?) \| .+ \|$", re.MULTILINE)


@cache
def sources() -> dict[str, ast.Module]:
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text())
        for path in (ROOT / "server").rglob("*.py")
    }


def own_names(trees: dict[str, ast.Module]) -> set[str]:
    """All names that the server defines: functions, classes, attributes, variables."""
    own: set[str] = set()
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                own.add(node.name)
            elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.attr if isinstance(node, ast.Attribute) else node.id)
    return own


def private_names(tree: ast.Module, own: set[str]) -> Iterator[str]:
    """Yield what a module uses that begins with an underscore and is nowhere defined here."""
    known = own | DOCUMENTED
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            if node.attr not in known:
                yield node.attr
        elif (
            isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith(("server", "__"))
        ):
            if any(part.startswith("_") for part in node.module.split(".")):
                yield node.module
            yield from (each.name for each in node.names if each.name.startswith("_") and each.name[1] != "_")


def overridden_names(file: str, tree: ast.Module) -> Iterator[str]:
    """Yield the private names that a class of a module defines or sets although a base of a library has them."""
    ours = {each.name for each in tree.body if isinstance(each, ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("server"):
            ours |= {each.asname or each.name for each in node.names}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or not (own := set(private_members(node))):
            continue
        # What derives from a class of ours alone cannot name anything of a library that this class has not.
        if {base.id for base in node.bases if isinstance(base, ast.Name)} - ours - _PLAIN == set() and all(
            isinstance(base, ast.Name) for base in node.bases
        ):
            continue
        module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
        bases = [
            each for each in getattr(module, node.name).__mro__ if not each.__module__.startswith("server")
        ]
        inherited = {name for each in bases for name in vars(each)}
        yield from own & inherited


def private_members(tree: ast.ClassDef) -> Iterator[str]:
    """Yield the names with one underscore that a class gives to methods and attributes."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.Name(id=name, ctx=ast.Store())
            ):
                pass
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                pass
            case _:
                continue
        if name.startswith("_") and not name.startswith("__"):
            yield name


def listed() -> set[tuple[str, str]]:
    """The pairs of file and name of the page."""
    return {
        (link.removeprefix("../"), name)
        for name, where in ROW.findall(PAGE.read_text())
        for link in re.findall(r"\]\(([^)]+)\)", where)
        if link.startswith("../")
    }


def test_every_private_name_of_a_library_is_listed() -> None:
    trees = sources()
    own = own_names(trees)
    used = {(file, name) for file, tree in trees.items() for name in private_names(tree, own)}
    assert used - listed() == set()


def test_every_private_name_that_a_class_takes_over_from_a_library_is_listed() -> None:
    taken = {
        (file, name)
        for file, tree in sources().items()
        if not file.endswith("__main__.py") and "/versions/" not in file and not file.endswith("env.py")
        for name in overridden_names(file, tree)
    }
    assert taken - listed() == set()


def test_every_name_that_is_listed_is_used_where_the_list_says() -> None:
    assert listed()
    gone = {(file, name) for file, name in listed() if name not in (ROOT / file).read_text()}
    assert gone == set()
