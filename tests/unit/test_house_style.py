"""The rules of the house that no tool knows: names, sizes, owners of tasks, no sleeping tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# `core` is not among them: in server/loopos it is the name of LoopOS Core.
FORBIDDEN_NAMES = {
    "base", "common", "handler", "handlers", "helper", "helpers", "manager", "managers", "misc",
    "util", "utils",
}  # fmt: skip
FILE_LIMIT, CLASS_LIMIT, FUNCTION_LIMIT, TEST_FILE_LIMIT = 400, 200, 60, 600
SCRIPT_LIMIT = 3000
"""Lines of the demo model's conversations; what judges or extracts serves every model and stands in server/loopos."""
LEFT_OVER = ("TO" + "DO", "FIX" + "ME", "X" + "XX", "NotImplemented" + "Error")


@cache
def sources(*folders: str) -> tuple[Path, ...]:
    """Return the Python files below these folders, migrations (written by a tool) left out."""
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple(path for path in found if "versions" not in path.parts and "node_modules" not in path.parts)


@cache
def parsed(path: Path) -> ast.Module:
    """Parse a file once."""
    return ast.parse(path.read_text(), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Walk over all nodes of a file once."""
    return tuple(ast.walk(parsed(path)))


def ours() -> tuple[Path, ...]:
    """Return what runs in production."""
    return sources("server", "sdk/python")


def functions(found: Iterable[ast.AST]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Walk over every function, however deep."""
    return (node for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def where(path: Path, node: ast.AST | None = None) -> str:
    """Name a place as an editor understands it."""
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


def test_no_file_has_a_name_that_says_nothing():
    named = [path for path in sources("server", "sdk", "tests", "bench") if path.stem in FORBIDDEN_NAMES]
    assert [where(path) for path in named] == []


def test_the_demo_model_stays_a_small_script():
    """Its answers to REST requests (`requests/`) are another thing; its sentences and phrases are data."""
    script = [path for path in sources("server/demo") if path.parent.name != "requests"]
    assert script
    assert sum(len(path.read_text().splitlines()) for path in script) <= SCRIPT_LIMIT


def test_no_file_and_no_function_is_too_long():
    long = [where(path) for path in ours() if len(path.read_text().splitlines()) > FILE_LIMIT]
    long += [where(path) for path in sources("tests") if len(path.read_text().splitlines()) > TEST_FILE_LIMIT]
    for path in ours():
        for node in functions(nodes(path)):
            if (node.end_lineno or 0) - node.lineno >= FUNCTION_LIMIT:
                long.append(f"{where(path, node)} {node.name}")
    assert long == []


def test_no_class_is_too_long():
    long = [
        f"{where(path, node)} {node.name}"
        for path in sources("server")
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and (node.end_lineno or 0) - node.lineno >= CLASS_LIMIT
    ]
    assert long == []


def test_every_module_starts_with_a_sentence():
    silent = [where(path) for path in ours() if not (ast.get_docstring(parsed(path)) or "").strip()]
    assert silent == []


def test_a_class_name_stands_for_one_class():
    """A reader of `Answer` must not have to ask which of six."""
    named: dict[str, list[str]] = {}
    for path in sources("server"):
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                named.setdefault(node.name, []).append(where(path, node))
    assert {name: places for name, places in named.items() if len(places) > 1} == {}


def test_a_constructor_explains_what_it_is_given_or_says_nothing():
    """Its docstring names an argument in backticks, or what it raises; the class says what it is."""
    empty = [
        f"{where(path, each)} {node.name}"
        for path in sources("server")
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
        for each in node.body
        if isinstance(each, ast.FunctionDef) and each.name == "__init__"
        if (text := ast.get_docstring(each)) and "`" not in text and "Raises" not in text
    ]
    assert empty == []


PARTICIPLES = {
    "been", "begun", "born", "broken", "caught", "come", "done", "drawn", "found", "given", "gone", "heard", "held",
    "kept", "known", "left", "lost", "made", "met", "overridden", "paid", "reborn", "rung", "said", "seen", "sent",
    "shown", "spoken", "swept", "taken", "told", "woken", "written",
}  # fmt: skip
PAST_FORMS = {
    "began",
    "came",
    "ended",
    "fell",
    "gave",
    "rang",
    "saw",
    "sank",
    "took",
    "was",
    "went",
    "were",
    "woke",
}
STATES = {
    "absent", "back", "behind", "due", "early", "empty", "forwards", "full", "idle", "incomplete", "late", "missing",
    "over", "ready", "unread", "waits",
}  # fmt: skip
"""Adjectives and adverbs that say how something is, and verbs that say what it does: no order to do it."""

NO_VERBS = {
    "at", "each", "here", "more", "nobody", "nothing", "nowhere", "only", "own", "patiently", "room", "round", "there",
}  # fmt: skip
NO_PARTICIPLES = {"exceed", "feed", "need", "proceed", "seed", "speed", "succeed"}
TAKES_A_PARTICIPLE = {
    "announce", "charge", "close", "end", "flush", "mark", "note", "publish", "raise", "require",
    "send", "serve", "set", "start", "take", "tell", "wait",
}  # fmt: skip
"""Verbs behind which a participle says what is done with, or how it is marked, as in `mark_published`."""

VERBS_IN_ING = {"bring", "ping", "ring"}

OF_LIBRARIES = {"connection_lost", "connection_made", "data_received", "eof_received", "task_done"}
"""The names that asyncio calls."""


def is_participle(word: str) -> bool:
    """Return whether a word is a participle or a past form."""
    return word in PARTICIPLES | PAST_FORMS or (word.endswith("ed") and word not in NO_PARTICIPLES)


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether it is read like an attribute: one that is a claim may be named by a participle."""
    return any(re.search(r"property|setter", ast.unparse(each)) for each in node.decorator_list)


def only_acts(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether it returns nothing, so that it can only act."""
    return isinstance(node.returns, ast.Constant) and node.returns.value is None


def is_no_imperative(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function that acts is named by what was done, by how something is, or by no verb at all.

    One that returns something may be a claim with a participle in it (`is_told`, `was_left`) or a noun, so that of
    those only a participle that stands alone is refused.
    """
    name = node.name.strip("_")
    first, *_, last = [*name.split("_"), *name.split("_")]
    if "_" not in name and is_participle(name):
        return True
    acts = only_acts(node)
    awaited = acts or isinstance(node, ast.AsyncFunctionDef)
    if acts and "_" in name and is_participle(last):
        return first not in TAKES_A_PARTICIPLE and first != "on"
    if acts and name.endswith("ing"):
        return "_" not in name and name not in VERBS_IN_ING
    return (acts and name in STATES | NO_VERBS) or (awaited and name in {"patiently", "waits"})


def test_no_function_that_acts_is_named_by_a_participle_or_by_no_verb():
    """A function that acts is a verb, one that returns something is a noun; a property that is a claim may be one."""
    named = {
        f"{path.relative_to(ROOT)} {node.name}"
        for path in sources("server")
        for node in functions(nodes(path))
        if node.name not in OF_LIBRARIES and not is_property(node) and is_no_imperative(node)
    }
    assert named == set()


def test_each_verb_before_a_participle_is_in_use():
    """The exceptions to the rule on names only become fewer."""
    used = {
        words[0]
        for path in sources("server")
        for node in functions(nodes(path))
        if only_acts(node) and is_participle((words := node.name.strip("_").split("_"))[-1])
    }
    assert used >= TAKES_A_PARTICIPLE


@pytest.mark.parametrize(
    "source",
    [
        "def _swept(self) -> None: ...",
        "async def show_ended(claim) -> None: ...",
        "async def _woken(self) -> bool: ...",
        "async def _caught(driver) -> BaseException | None: ...",
        "async def call_started(self) -> None: ...",
        "def effect_began(self) -> None: ...",
        "def reborn(self) -> None: ...",
        "def missing(self) -> None: ...",
        "async def waits(self) -> None: ...",
        "def writing(self) -> None: ...",
        "async def room(self) -> None: ...",
        "def at(self) -> None: ...",
    ],
)
def test_the_rule_on_names_refuses_participles_and_nouns(source):
    (node,) = functions(ast.walk(ast.parse(source)))
    assert is_no_imperative(node)


@pytest.mark.parametrize(
    "source",
    [
        "def mark_published(self) -> None: ...",
        "def is_told(self) -> bool: ...",
        "async def ping(self) -> None: ...",
        "def feed(self) -> None: ...",
        "def on_revoked(self) -> None: ...",
        "@property\ndef answered(self) -> bool: ...",
        "def opening(self) -> list[Event]: ...",
    ],
)
def test_the_rule_on_names_lets_imperatives_claims_and_nouns_pass(source):
    (node,) = functions(ast.walk(ast.parse(source)))
    assert is_property(node) or not is_no_imperative(node)


def test_no_callback_that_is_kept_is_named_by_a_participle():
    """What is called when something happens is named for that: `on_message`, `on_lost`."""
    named = [
        f"{where(path, node)} {node.target.id if isinstance(node, ast.AnnAssign) else node.arg}"
        for path in sources("server")
        for node in nodes(path)
        if (isinstance(node, ast.arg) and is_participle(node.arg.strip("_")))
        or (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and is_participle(node.target.id)
        )
        if node.annotation is not None and ast.unparse(node.annotation).startswith("Callable")
        if not ast.unparse(node).lstrip("_").startswith("on_")
    ]
    assert named == []


QUESTION_WORDS = {"How", "Is", "What", "When", "Where", "Whether", "Which", "Who", "Whose", "Why"}


def test_the_first_sentence_of_a_module_begins_with_its_subject():
    """A question is none, nor is an activity ("Finding the product …")."""
    firsts = {
        path.relative_to(ROOT).as_posix(): (ast.get_docstring(parsed(path)) or "").split()[0]
        for path in sources("server")
    }
    refused = {path for path, first in firsts.items() if first in QUESTION_WORDS or first.endswith("ing")}
    assert refused == set()


FRAGMENT = re.compile(r"(?:Of|Those|That|So (?:many|long)|Every so (?:many|long)|Its)\b")
"""Beginnings of a docstring that leave out what a number counts, and its unit."""


def values_with_docstrings(found: Iterable[ast.AST]) -> Iterator[ast.Constant]:
    """Walk over the docstrings of constants and fields."""
    for node in found:
        body = getattr(node, "body", None)
        for value, text in pairwise(body if isinstance(body, list) else ()):
            stands = isinstance(value, ast.Assign | ast.AnnAssign) and isinstance(text, ast.Expr)
            if stands and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str):
                yield text.value


def test_the_docstring_of_a_constant_begins_with_its_noun():
    """It says what is counted, in which unit. Those of the product and of the demo model are not judged yet."""
    fragments = [
        f"{where(path, text)} {text.value!s:.60}"
        for path in sources("server")
        if path.relative_to(ROOT).parts[1] not in {"loopos", "demo"}
        for text in values_with_docstrings(nodes(path))
        if FRAGMENT.match(str(text.value).strip())
    ]
    assert fragments == []


@pytest.mark.parametrize(
    ("source", "refused"),
    [
        ('MOST = 4\n"""So many of them."""', True),
        ('class A:\n    name: str\n    """Its name."""', True),
        ('MOST = 4\n"""Every so many times it is asked."""', True),
        ('MOST = 4\n"""Offers of one seller."""', False),
        ('"""Of a module, whose own rule is another."""\nMOST = 4', False),
    ],
)
def test_the_rule_on_constants_refuses_fragments(source: str, refused: bool):
    found = list(values_with_docstrings(ast.walk(ast.parse(source))))
    assert any(FRAGMENT.match(str(each.value)) for each in found) is refused


NO_ORDER = QUESTION_WORDS | {
    "A", "All", "An", "Are", "Each", "Every", "It", "Its", "Nobody", "Nothing", "One", "Something", "The", "They",
}  # fmt: skip
"""First words of a sentence that describes, where a function's docstring gives an order."""


def test_the_docstring_of_a_function_is_an_order():
    """It says what is done or returned. A constructor's is about its arguments, a tool's is for the model."""
    described = [
        f"{where(path, node)} {text.splitlines()[0]}"
        for path in sources("server")
        for node in functions(nodes(path))
        if node.name != "__init__"
        if not any("tool" in ast.unparse(each) for each in node.decorator_list)
        if (text := ast.get_docstring(node))
        if text.split()[0] in NO_ORDER or text.split("\n\n")[0].split(". ")[0].endswith("?")
    ]
    assert described == []


NO_ACTOR = re.compile(r"\b(?:came|everybody|somebody|whoever|whom)\b", re.IGNORECASE)
PROSE = re.compile(r'"""[\s\S]*?"""|# .*')


def test_prose_names_the_actor():
    """Docstrings and comments speak of the client, the caller or the run, and of what it sends."""
    vague = [
        f"{where(path)} {found[0]}"
        for path in ours()
        for text in PROSE.findall(path.read_text())
        if (found := NO_ACTOR.search(text))
    ]
    assert vague == []


def test_every_folder_is_a_package():
    """A folder without `__init__.py` imports all the same, but the contracts on imports do not see it."""
    folders = {path.parent for path in sources("server")}
    assert [where(each) for each in sorted(folders) if not (each / "__init__.py").exists()] == []


def test_every_task_has_an_owner():
    """Ruff bans asyncio's own names; this finds the same call on a loop. A TaskGroup owns its tasks."""
    unowned = [
        where(path, node)
        for path in ours()
        if path not in {ROOT / "server/tasks.py", ROOT / "sdk/python/src/loopwire/tasks.py"}
        for node in nodes(path)
        if isinstance(node, ast.Attribute)
        and node.attr in {"create_task", "ensure_future"}
        and "group" not in ast.unparse(node.value).lower()
    ]
    assert unowned == []


BROAD = {"Exception", "BaseException"}


def broad_catches(found: Iterable[ast.AST]) -> Iterator[tuple[int, int]]:
    """Return first and last line of where everything is caught: an `except`, a `suppress`, an `on=` of `retry`."""
    for node in found:
        if isinstance(node, ast.ExceptHandler):
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            if any(each is None or ast.unparse(each) in BROAD for each in kinds):
                yield node.lineno, node.body[0].lineno - (node.body[0].lineno > node.lineno)
        elif isinstance(node, ast.Call):
            given = [*node.args, *(each.value for each in node.keywords if each.arg == "on")]
            if ast.unparse(node.func) in {"suppress", "contextlib.suppress", "retry"} and any(
                ast.unparse(each) in BROAD for each in given
            ):
                yield node.lineno - 1, node.lineno


def is_explained(lines: list[str], first: int, last: int) -> bool:
    """Return whether a comment of a sentence stands there: more than a switch for a tool."""
    comments = [line.partition("# ")[2] for line in lines[first - 1 : last]]
    return any(len(each.split()) > 4 and not each.startswith(("noqa", "type:")) for each in comments)


def test_every_broad_catch_says_why():
    """Outside of the loops in tasks.py, which say it once."""
    silent = [
        f"{path.relative_to(ROOT)}:{first}"
        for path in sources("server")
        if path != ROOT / "server/tasks.py"
        for first, last in broad_catches(nodes(path))
        if not is_explained(path.read_text().splitlines(), first, last)
    ]
    assert silent == []


def test_a_catch_of_cancellations_raises_again():
    """Those of pacing.py throw the error into the coroutine that waits there."""
    swallowing = [
        where(path, node)
        for path in sources("server")
        if path != ROOT / "server/pacing.py"
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler)
        if node.type is None or "BaseException" in ast.unparse(node.type)
        if not any(isinstance(each, ast.Raise) for each in ast.walk(node))
    ]
    assert swallowing == []


def hand_made_pauses(found: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Return each sleep, or wait with a limit, whose time is jittered or is the pause of a back-off."""
    for node in found:
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {
            "asyncio.sleep",
            "asyncio.timeout",
            "happens_within",
            "sleep",
        }:
            inner = [ast.unparse(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)]
            if any(each.split(".")[-1] in {"jitter", "next_s"} for each in inner):
                yield node


def test_only_the_helpers_for_loops_pause_by_jitter_or_back_off():
    """`repeat` and `retry` in tasks.py own these pauses, and the failures between them."""
    pauses = {
        path: [where(path, node) for node in hand_made_pauses(nodes(path))] for path in sources("server")
    }
    assert len(pauses.pop(ROOT / "server/tasks.py")) > 1
    assert [each for found in pauses.values() for each in found] == []


@pytest.mark.parametrize(
    ("source", "refused"),
    [
        ("try:\n    act()\nexcept Exception:\n    log()", True),
        (
            "try:\n    act()\nexcept Exception:  # noqa: BLE001 - of an old tool, which is gone\n    log()",
            True,
        ),
        (
            "try:\n    act()\nexcept (ValueError, BaseException):\n    log()  # An author's code may raise it.",
            True,
        ),
        ("try:\n    act()\nexcept:\n    # An author's code may raise it.\n    log()", False),
        ("try:\n    act()\nexcept Exception:  # An author's code may raise it.\n    log()", False),
        ("with suppress(Exception):\n    act()", True),
        ("\nretry(act, pauses, on=Exception)", True),
        ("# An author's code may raise it.\nretry(act, pauses, on=Exception)", False),
        ("try:\n    act()\nexcept ValueError:\n    log()", False),
    ],
)
def test_the_rule_on_catching_everything_asks_for_a_sentence(source: str, refused: bool):
    found = list(broad_catches(ast.walk(ast.parse(source))))
    assert any(not is_explained(source.splitlines(), *lines) for lines in found) is refused


def test_no_source_holds_a_word_for_unfinished_work():
    found = [
        f"{where(path)} {word}"
        for path in sources("server", "sdk", "tests", "bench")
        for word in LEFT_OVER
        if word in path.read_text()
    ]
    assert found == []


def test_no_test_sleeps():
    """A test waits for a state (tests/parts/wait.py); a zero sleep only lets others run."""
    sleeping = [
        where(path, node)
        for path in sources("tests/unit", "tests/contract", "tests/integration", "tests/e2e")
        # Most files have no such word, and parsing all of them takes seconds.
        if re.search("sleep|wait_for_timeout", path.read_text())
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith(("sleep", "wait_for_timeout"))
        and not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0)
    ]
    assert sleeping == []


@pytest.mark.parametrize("name", ["server", "tests"])
def test_the_rules_read_the_files_of_server_and_tests(name):
    assert len(sources(name)) > 5
