"""The faults that are put into Python: mutmut's operators, and a few that it does not have.

mutmut changes expressions. What it lacks is what wears out or comes in the wrong order: a statement that is
missing, two statements in the other order, one condition of several that is dropped, a clause of a query.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import libcst as cst
import libcst.matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators, operator_string

from tests.mutants.mutant import Mutant

Operator = Callable[[Any], Iterable[cst.CSTNode]]

CLAUSES = {"where", "order_by", "limit", "with_for_update", "on_conflict_do_nothing", "distinct"}
LOG = m.Expr(m.Call(func=m.Attribute(value=m.Name("log"))))
CALL = m.Expr(m.Call() | m.Await(m.Call()))
STORE = m.Assign(targets=[m.AssignTarget(m.Attribute() | m.Subscript())])
ACTS = m.SimpleStatementLine(body=[CALL | STORE | m.AugAssign() | m.Del()])
READS = m.Attribute() | m.Subscript() | m.Call(args=[m.AtLeastN(n=1)]) | m.NamedExpr() | m.Await() | m.Yield()
KEEPS = m.Assign(targets=[m.AssignTarget(m.Attribute(value=m.Name("self")))])
DELETES = m.SimpleStatementLine(body=[m.Del()])
OWN_ATTRIBUTE = m.Attribute(value=m.Name("self"))
ALIAS = m.Assign(
    targets=[m.AssignTarget(m.Name(m.MatchRegex(r"_?[A-Z][a-z]\w*")))],
    value=m.Subscript() | m.BinaryOperation(),
) | m.Assign(value=m.Call(func=m.Name("TypeVar")))
FLAG = m.Assign(value=m.Name("True") | m.Name("False"))
"""A flag is turned round by another operator. With None in the place of False it says the same to all who ask it."""
SCOPES = cst.FunctionDef | cst.ClassDef
LEAVES = m.SimpleStatementLine(body=[m.Raise() | m.Return(value=None)])
LOGS = m.SimpleStatementLine(body=[LOG])


def remove_statement(node: cst.SimpleStatementLine) -> Iterator[cst.CSTNode]:
    """Leave out what acts without a result: a call, an assignment to an attribute, a raise, an early return."""
    if _acts(node) or m.matches(node, LEAVES):
        yield node.with_changes(body=[cst.Pass()])


def swap_statements(node: cst.IndentedBlock) -> Iterator[cst.CSTNode]:
    """Let two neighbours that act happen in the other order."""
    for place, (first, second) in enumerate(zip(node.body, node.body[1:], strict=False)):
        if _acts(first) and _acts(second) and not _are_independent(first, second):
            yield node.with_changes(body=[*node.body[:place], second, first, *node.body[place + 2 :]])


def drop_operand(node: cst.BooleanOperation) -> Iterator[cst.CSTNode]:
    """Forget one side of `and` and `or`."""
    yield _within(node.left)
    yield _within(node.right)


def fix_condition(node: cst.If | cst.While) -> Iterator[cst.CSTNode]:
    """Take a branch always or never."""
    if isinstance(node, cst.If):
        yield node.with_changes(test=cst.Name("True"))
    yield node.with_changes(test=cst.Name("False"))


def drop_clause(node: cst.Call) -> Iterator[cst.CSTNode]:
    """Take a clause out of a query."""
    if isinstance(node.func, cst.Attribute) and node.func.attr.value in CLAUSES:
        yield node.func.value


def swap_extreme(node: cst.Call) -> Iterator[cst.CSTNode]:
    """Take the largest for the smallest."""
    swapped = {"min": "max", "max": "min"}
    if isinstance(node.func, cst.Name) and node.func.value in swapped:
        yield node.with_changes(func=cst.Name(swapped[node.func.value]))


def change_size(node: cst.Integer | cst.Float) -> Iterator[cst.CSTNode]:
    """Set a constant of ten or more to nothing, or to a thousand times as much: one more of it is no fault."""
    for size in (0, 1000):
        yield node.with_changes(value=repr(node.evaluated_value * size))


def _is_size(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Integer | cst.Float) and node.evaluated_value >= 10


def _acts(node: cst.CSTNode) -> bool:
    return m.matches(node, ACTS) and not m.matches(node, LOGS)


def _are_independent(first: cst.CSTNode, second: cst.CSTNode) -> bool:
    """Return whether the order of two lines has no visible effect.

    Each only sets or deletes attributes of its own, or one does and the other makes a new one without reading any.
    """
    if _touches(first) & _touches(second):
        return False
    return (_only_keeps(first) or _only_keeps(second)) and (_only_makes(first) and _only_makes(second))


def _touches(node: cst.CSTNode) -> set[str]:
    """Name the attributes of `self` that a line reads, sets or deletes."""
    return {each.attr.value for each in m.findall(node, OWN_ATTRIBUTE) if isinstance(each, cst.Attribute)}


def _only_keeps(node: cst.CSTNode) -> bool:
    """Return whether the line sets an attribute to a value at hand, or deletes of an attribute what it names."""
    if m.matches(node, DELETES):
        return not m.findall(node, m.Call(func=~m.Name("len")) | m.Await())
    return any(not m.findall(each.value, READS) for each in m.findall(node, KEEPS))


def _only_makes(node: cst.CSTNode) -> bool:
    """Return whether the line keeps, or sets an attribute to what a class or function of the module makes of values.

    It reads no attribute of its own, waits for nothing, and gives itself to none.
    """
    if _only_keeps(node):
        return True
    return any(
        not m.findall(each.value, m.Name("self") | m.Await() | m.Yield() | m.NamedExpr())
        for each in m.findall(node, KEEPS)
    )


def _within(node: cst.BaseExpression) -> cst.BaseExpression:
    """Keep an operand in brackets, so that what stands around it does not take it apart."""
    return node if node.lpar else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


OWN: list[tuple[Any, Operator]] = [
    (cst.SimpleStatementLine, remove_statement),
    (cst.IndentedBlock, swap_statements),
    (cst.BooleanOperation, drop_operand),
    (cst.If, fix_condition),
    (cst.While, fix_condition),
    (cst.Call, drop_clause),
    (cst.Call, swap_extreme),
]

# A string is a text that people read, or a name whose change every test of its kind sees.
OPERATORS: list[tuple[Any, Operator]] = [
    *((kind, operator) for kind, operator in mutation_operators if operator is not operator_string),
    *OWN,
]


class _Collector(cst.CSTVisitor):
    """Applies every operator to every node outside annotations, decorators and log lines."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str, cst.CSTNode, cst.CSTNode]] = []
        self._within = 0

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._within -= isinstance(original_node, SCOPES)

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Annotation | cst.Decorator) or m.matches(node, LOG | ALIAS):
            return False
        if isinstance(node, cst.Call) and m.matches(node.func, m.Name("len") | m.Name("isinstance")):
            return False
        self._within += isinstance(node, SCOPES)
        is_size = not self._within and _is_size(node)
        for kind, operator in OPERATORS:
            name = operator.__name__.removeprefix("operator_")
            if isinstance(node, kind) and not (name == "assignment" and m.matches(node, FLAG)):
                apply = change_size if is_size and name == "number" else operator
                self.found += [(self._line(node, new), name, node, new) for new in apply(node)]
        return True

    def _line(self, node: cst.CSTNode, new: cst.CSTNode) -> int:
        if isinstance(node, cst.IndentedBlock) and isinstance(new, cst.IndentedBlock):
            pairs = zip(node.body, new.body, strict=False)
            node = next((old for old, other in pairs if old is not other), node)
        return int(self.get_metadata(PositionProvider, node).start.line)


class Mutants:
    """All mutants of one Python file, made when they are asked for."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        wrapper = MetadataWrapper(cst.parse_module(text))
        collector = _Collector()
        wrapper.visit(collector)
        self._module, self._found = wrapper.module, collector.found

    def kinds(self, line: int) -> list[str]:
        """Name the operators that fit this line."""
        return sorted({kind for at, kind, _, _ in self._found if at == line})

    def draw(self, line: int, kind: str, chance: random.Random) -> Mutant:
        """Make one of the mutants of an operator in this line."""
        _, _, old, new = chance.choice([each for each in self._found if each[:2] == (line, kind)])
        changed = self._module.deep_replace(old, new)
        assert isinstance(changed, cst.Module)
        return Mutant(self._file, line, kind, changed.code)
