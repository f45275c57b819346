"""Puts a fault into modules that are loaded: a forked process begins with everything imported and collected.

Functions get the code of the mutant; module constants that depend on what changed (SQL that is put together once)
are executed again, and replaced wherever another module imported them.
"""

from __future__ import annotations

import ast
import builtins
import gc
import sys
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tests.mutants.mutant import Mutant

Function = ast.FunctionDef | ast.AsyncFunctionDef
Constant = ast.Assign | ast.AnnAssign


class Unfit(Exception):
    """The mutant changes nothing that can be changed in a loaded module."""


class Unreached(Exception):
    """No test of the area loads the mutant's module, so none can notice it."""


class Fatal(Exception):
    """The mutant's module cannot be imported."""


def put(mutant: Mutant, root: Path) -> None:
    """Make this process run the mutant. Raises Unfit, Unreached or Fatal."""
    file = root / mutant.file
    if mutant.file.endswith(".lua"):
        _put_text(file, mutant.text)
        return
    module = sys.modules.get(module_name(mutant.file))
    if module is None:
        raise Unreached
    original = file.read_text()
    owner = owner_of(ast.parse(original), mutant.line)
    if isinstance(owner, str):
        _put_code(file, original, mutant.text, owner)
        _renew_constants(module, ast.parse(mutant.text), {owner} if "." not in owner else set())
    else:
        _renew_constants(module, ast.parse(mutant.text), owner, itself=True)


def module_name(file: str) -> str:
    """Name the module of a file; the Python client's package does not begin at the root."""
    return (
        file.removeprefix("sdk/python/src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    )


def owner_of(tree: ast.Module, line: int) -> str | set[str]:
    """Return the qualified name of the outermost function around a line, or the module constants set there."""
    body: list[ast.stmt] = tree.body
    path: list[str] = []
    while (found := _around(body, line)) is not None:
        if isinstance(found, Function):
            return ".".join([*path, found.name])
        if isinstance(found, ast.ClassDef):
            path.append(found.name)
            body = found.body
        elif isinstance(found, Constant) and not path:
            return names_set(found)
        else:
            break
    raise Unfit("outside functions and constants")


def _around(body: list[ast.stmt], line: int) -> ast.stmt | None:
    return next((each for each in body if each.lineno <= line <= (each.end_lineno or 0)), None)


def names_set(statement: Constant) -> set[str]:
    """Name what an assignment sets."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}


def names_used(node: ast.AST) -> set[str]:
    """Name everything that is read by a plain name."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def dependents(tree: ast.Module, names: set[str]) -> set[str]:
    """Return these names with the functions and constants of the module that use them."""
    known = set(names)
    while True:
        more = set()
        for each in tree.body:
            if isinstance(each, Function) and names_used(each) & known:
                more.add(each.name)
            elif isinstance(each, Constant) and names_used(each) & known:
                more |= names_set(each)
        if more <= known:
            return known
        known |= more


def _put_text(file: Path, text: str) -> None:
    read = Path.read_text

    def read_text(self: Path, *args: Any, **options: Any) -> str:
        return text if self == file else read(self, *args, **options)

    Path.read_text = read_text  # type: ignore[method-assign]


def _put_code(file: Path, original: str, text: str, name: str) -> None:
    old = _codes(compile(original, str(file), "exec", dont_inherit=True))
    new = _codes(compile(text, str(file), "exec", dont_inherit=True))
    # A property has several functions of one name.
    pairs = [pair for pair in zip(old.get(name, []), new.get(name, []), strict=True) if not _same(*pair)]
    if not pairs:
        raise Unfit("changes no code")
    gc.unfreeze()
    for was, becomes in pairs:
        live = [each for each in gc.get_objects() if type(each) is FunctionType and _is(each.__code__, was)]
        if not live:
            raise Unfit("no such function is loaded")
        for function in live:
            try:
                function.__code__ = becomes
            except ValueError as exc:
                raise Unfit(str(exc)) from exc


def _codes(code: CodeType, prefix: str = "") -> dict[str, list[CodeType]]:
    found: dict[str, list[CodeType]] = {}
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found.setdefault(each.co_qualname, []).append(each)
            if "<locals>" not in each.co_qualname and "__qualname__" in each.co_names:
                for name, codes in _codes(each).items():
                    found.setdefault(name, []).extend(codes)
    return found


def _is(live: CodeType, known: CodeType) -> bool:
    return (live.co_filename, live.co_qualname, live.co_firstlineno) == (
        known.co_filename,
        known.co_qualname,
        known.co_firstlineno,
    )


def _same(one: CodeType, other: CodeType) -> bool:
    return _content(one) == _content(other)


def _content(code: CodeType) -> tuple[Any, ...]:
    constants = [
        _content(each) if isinstance(each, CodeType) else (type(each), each) for each in code.co_consts
    ]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_exceptiontable


def _renew_constants(module: ModuleType, tree: ast.Module, names: set[str], *, itself: bool = False) -> None:
    affected = dependents(tree, names)
    space = vars(module)
    for each in tree.body:
        if not isinstance(each, Constant) or each.value is None:
            continue
        mine = names_set(each)
        if not mine & affected or (mine <= names and not itself):
            continue
        was = {name: space.get(name) for name in mine}
        try:
            exec(compile(ast.Module([each], []), str(module.__file__), "exec"), space)
        except Exception as exc:
            raise Fatal from exc
        for name, value in was.items():
            if not hasattr(builtins, name) and type(value) not in {bool, int, type(None)}:
                _replace(name, value, space[name])
            else:
                _replace_imported(module, name, space[name])


def _replace(name: str, value: object, new: object) -> None:
    for each in list(sys.modules.values()):
        if getattr(each, "__dict__", {}).get(name) is value and value is not None:
            vars(each)[name] = new


def _replace_imported(module: ModuleType, name: str, new: object) -> None:
    """Equal numbers are one object: only modules that import the name from this one take the new value."""
    for each in list(sys.modules.values()):
        file = getattr(each, "__file__", None)
        if not file or not getattr(each, "__name__", "").startswith(("server", "tests")):
            continue
        if f"from {module.__name__} import" in Path(file).read_text() and name in vars(each):
            vars(each)[name] = new
