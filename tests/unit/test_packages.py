"""Each package of the server is kernel, edge or product as a decision says, and a wide folder stands in another."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/decisions/0016-edges-of-the-product-know-the-core.md"
WIDTHS = ROOT / "docs/decisions/0017-a-wide-folder-is-named-with-its-width.md"
MOST_MODULES = 13
LONG_CLASS = 195
CONTRACTS = {
    each["id"]: each
    for each in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}


def named(row: str) -> set[str]:
    """Read the packages of a row of the decision's table."""
    (cell,) = re.findall(rf"^\| {row} \| (.+?) \|", PAGE.read_text(), re.MULTILINE)
    return set(re.findall(r"`(\w+)`", cell))


def of_contract(id: str, field: str = "source_modules") -> set[str]:
    """Read the packages of a contract on imports."""
    return {name.removeprefix("server.") for name in CONTRACTS[id][field]}


def test_a_wide_folder_stands_in_the_decision_with_its_width() -> None:
    rows = re.findall(r"^\| `(server[\w/]*)` \| (\d+) \|", WIDTHS.read_text(), re.MULTILINE)
    folders = [folder for folder in (ROOT / "server").rglob("*") if folder.is_dir()]
    modules = {
        folder.relative_to(ROOT).as_posix(): sum(path.name != "__init__.py" for path in folder.glob("*.py"))
        for folder in (ROOT / "server", *folders)
        if folder.relative_to(ROOT).as_posix() != "server/store/migrations/versions"
    }
    assert {folder: int(count) for folder, count in rows} == {
        folder: count for folder, count in modules.items() if count > MOST_MODULES
    }


def test_a_class_near_the_limit_stands_in_the_decision() -> None:
    (sentence,) = re.findall(
        r"^Eleven classes have 195 lines.*?\.$", WIDTHS.read_text(), re.MULTILINE | re.DOTALL
    )
    trees = [ast.parse(path.read_text()) for path in (ROOT / "server").rglob("*.py")]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    long = {each.name for each in classes if (each.end_lineno or 0) - each.lineno + 1 >= LONG_CLASS}
    assert set(re.findall(r"`(\w+)`", sentence)) == long
    assert len(long) == 11


def test_each_package_is_kernel_edge_or_product() -> None:
    packages = {each.parent.name for each in (ROOT / "server").glob("*/__init__.py")}
    rows = [named("kernel"), named("edges of the product"), named("product")]
    assert sorted(name for row in rows for name in row) == sorted(packages | {"app"})


def test_the_contracts_hold_kernel_and_edges() -> None:
    assert of_contract("product") == named("kernel")
    assert of_contract("product", "forbidden_modules") == {"demo", "loopos"}
    assert of_contract("edges") == named("edges of the product")


def test_services_and_loopos_may_import_no_module_of_agents() -> None:
    folder = ROOT / "server/agents"
    modules = {each.stem for each in folder.glob("*.py")} - {"__init__"}
    packages = {each.parent.name for each in folder.glob("*/__init__.py")}
    forbidden = of_contract("authors", "forbidden_modules") - {"agents", "openai"}
    assert forbidden == {f"agents.{name}" for name in modules | packages}
    assert of_contract("authors") == {"services", "loopos"}


def test_an_edge_may_import_of_loopos_what_the_decision_names() -> None:
    folder = ROOT / "server/loopos"
    modules = {each.stem for each in folder.glob("*.py")} | {
        each.parent.name for each in folder.glob("*/__init__.py")
    }
    allowed = {"__init__", "core", "cores", "pictures", "remote", "requests"}
    forbidden = {name.removeprefix("loopos.") for name in of_contract("edges", "forbidden_modules")}
    assert {name for name in forbidden if "." not in name} - {"demo"} == modules - allowed
