"""The blocks of a Markdown text that are open: boxes in one another, and the text in the innermost."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from server.html.markdown_lines import Fence, Heading, ItemMark, Opening, QuoteMark, Rule

WORK_OF_BOX = 5

LeafKind = Literal["paragraph", "heading", "rule", "code", "row", "rest"]
BoxKind = Literal["root", "quote", "list", "item", "table"]


@dataclass(eq=False, slots=True)
class Box:
    """A block with blocks in it. `number` counts the boxes of a text."""

    kind: BoxKind
    number: int
    parent: "Box | None" = None
    marker: str = ""
    start: int | None = None
    width: int = 0
    head: str = ""
    alignments: tuple[str, ...] = ()


@dataclass(eq=False, slots=True)
class Leaf:
    """A block with text in it."""

    kind: LeafKind
    lines: list[str] = field(default_factory=list)
    level: int = 0
    marks: str = ""
    indent: int = 0
    language: str = ""
    box: Box | None = None

    @property
    def text(self) -> str:
        """Return its content."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class MarkdownStep:
    """A box was opened or closed, or a leaf is whole."""

    verb: Literal["open", "close", "leaf"]
    block: Box | Leaf


class OpenBlocks:
    """The open blocks, and their changes since the last reading: steps, and text that was added to the open leaf."""

    def __init__(self, work_of: Callable[[Leaf], int]) -> None:
        """`work_of` estimates what it costs to draw a leaf."""
        self.leaf: Leaf | None = None
        self.boxes = [Box("root", 0)]
        self._work_of = work_of
        self._work = 0
        self._made = 0
        self._steps: list[MarkdownStep] = []
        self._added: list[str] = []
        self._renewed = False
        self._line: list[str] = []
        """The open line: the raw text until it has a block, then its content there."""
        self._placed = False
        self._is_blank = False
        """Whether the open line, which has no block yet, says nothing in the boxes that it is in."""
        self._is_first = True

    def pop_changes(self) -> tuple[list[MarkdownStep], str, bool]:
        """Take what is new: steps, the text added to the open leaf, and whether that is another leaf than before."""
        taken = self._steps, "".join(self._added), self._renewed
        self._steps, self._added, self._renewed = [], [], False
        return taken

    @property
    def _is_rest(self) -> bool:
        return self.leaf is not None and self.leaf.kind == "rest"

    def _leave(self, depth: int, marks: list[QuoteMark | ItemMark], *, is_text: bool) -> None:
        """Close what the next line is not in."""
        self._close_boxes(depth)
        last, mark = self.boxes[-1], marks[0] if marks else None
        ends = not is_text if last.kind == "table" else last.kind == "list" and not _is_of(last, mark)
        if ends:
            self._close_boxes(len(self.boxes) - 1)

    def _open_mark(self, mark: QuoteMark | ItemMark) -> None:
        if isinstance(mark, QuoteMark):
            self._open_box("quote")
            return
        if self.boxes[-1].kind != "list":
            self._open_box("list", marker=mark.kind, start=mark.start)
        self._open_box("item", width=mark.width)

    def _begin(self, first: Opening, rest: str) -> None:
        """Open the leaf that a line begins."""
        match first:
            case Fence():
                self._open_leaf(Leaf("code", marks=first.marks, indent=first.indent, language=first.language))
            case Heading():
                self._open_leaf(Leaf("heading", level=first.level), first.text)
            case Rule():
                self._open_leaf(Leaf("rule"))
                self._close_leaf()
            case _:
                is_row = self.boxes[-1].kind == "table"
                self._open_leaf(Leaf("row" if is_row else "paragraph"), rest.lstrip(" \t"))

    def _open_leaf(self, leaf: Leaf, text: str | None = None) -> None:
        leaf.box = self.boxes[-1]
        self.leaf = leaf
        self._added, self._renewed = [], True
        if text is not None:
            self._line, self._placed = [text], True
            self._added.append(text)

    def _say(self, text: str) -> None:
        """Continue the open leaf in a new line."""
        self._added.append("\n" + text if self.leaf is not None and self.leaf.lines else text)
        self._line, self._placed = [text], True

    def _close_leaf(self) -> None:
        leaf, self.leaf = self.leaf, None
        if leaf is None:
            return
        self._added, self._renewed = [], True
        if leaf.lines or leaf.kind in ("code", "rule"):
            self._work += self._work_of(leaf)
            self._steps.append(MarkdownStep("leaf", leaf))

    def _open_box(
        self,
        kind: BoxKind,
        *,
        marker: str = "",
        start: int | None = None,
        width: int = 0,
        head: str = "",
        alignments: tuple[str, ...] = (),
    ) -> None:
        self._made += 1
        self._work += WORK_OF_BOX
        box = Box(kind, self._made, self.boxes[-1], marker, start, width, head, alignments)
        self.boxes.append(box)
        self._steps.append(MarkdownStep("open", box))
        self._added, self._renewed = [], True

    def _close_boxes(self, depth: int) -> None:
        """Close boxes until so many are open."""
        self._close_leaf()
        while len(self.boxes) > depth:
            self._steps.append(MarkdownStep("close", self.boxes.pop()))
            self._added, self._renewed = [], True


def _is_of(box: Box, mark: QuoteMark | ItemMark | None) -> bool:
    """Return whether this mark begins an item of the list."""
    return isinstance(mark, ItemMark) and box.marker == mark.kind
