"""The blocks of a Markdown text, found line by line while it is written.

The result does not depend on the pieces of a text: a line is put into its place as soon as its
beginning tells which, and never moved again, except the head of a table, which is a paragraph until the line below it
is there. A beginning that does not tell is at most two thousand characters long; then the line is text. So the work
for a piece is bounded by the block that it is of, and a whole text costs as much at once as piece by piece.

The rules are CommonMark's and GitHub's for paragraphs, headings, rules, code in fences, quotes, lists and tables.
Different are: code is never marked by its indent alone, an address is never named in another block than its link, and
lists are alike with and without blank lines in them.
"""

from server.html.markdown_lines import (
    MOST_MARKS,
    ItemMark,
    Opening,
    QuoteMark,
    Undecided,
    alignments_of,
    indent_of,
    is_underline,
    may_underline,
    opening_of,
)
from server.html.open_blocks import Leaf, OpenBlocks

MOST_DEPTH = 16
"""The deepest nesting of boxes; each level of a list is two. Deeper content is text."""

MOST_WORK = 6_000
"""The cost that the blocks of one text may have together; the rest of the text is shown as plain text."""

WORK_OF_LINE = 2


class MarkdownBlocks(OpenBlocks):
    """Reads a text in pieces."""

    def append(self, text: str) -> bool:
        """Read a piece that only goes on with its line; False, and nothing is read, when it does more than that."""
        if not self._placed or ("\n" in text and not self._is_rest):
            return False
        self._line.append(text)
        return True

    def feed(self, text: str) -> None:
        """Read the next piece."""
        at = 0
        while not self._is_rest and (end := text.find("\n", at)) >= 0:
            self._write(text[at:end])
            at = end
            if not self._is_rest:
                self._end_line()
                at += 1
        self._write(text[at:])

    def finish(self) -> None:
        """Close what is open: the text is whole. The bare mark of a list's next line is left out."""
        line = "".join(self._line)
        if self._is_rest and self.leaf is not None:
            self.leaf.lines = [line]
        elif self._placed or (line and not self._is_bare_mark(line)):
            self._end_line()
        self._close_boxes(1)

    def _is_bare_mark(self, line: str) -> bool:
        mark = opening_of(line.lstrip(" \t"), complete=True, interrupts=False)
        is_code = self.leaf is not None and self.leaf.kind == "code"
        if self._is_first or is_code or not isinstance(mark, ItemMark) or mark.rest.strip(" \t"):
            return False
        numbered = any(each.kind == "list" and each.start is not None for each in self.boxes)
        return mark.start is None or numbered

    # Lines.

    def _write(self, text: str) -> None:
        if not text:
            return
        self._line.append(text)
        if self._placed:
            self._added.append(text)
        elif not (self._is_blank and _is_blank(text)):
            self._place("".join(self._line), complete=False)

    def _end_line(self) -> None:
        """Put a whole line into its place, and close what ends with it."""
        if not self._placed:
            self._place("".join(self._line), complete=True)
        self._is_first = False
        self._work += WORK_OF_LINE
        if self._is_rest:
            self._write("\n")
            return
        if self._placed and self.leaf is not None:
            self.leaf.lines.append("".join(self._line))
        self._line, self._placed, self._is_blank = [], False, False
        if self.leaf is not None and self.leaf.kind in ("heading", "row"):
            self._close_leaf()

    def _place(self, line: str, *, complete: bool) -> None:
        """Put a line into its block, as soon as its beginning decides which."""
        if self._work > MOST_WORK:
            self._close_boxes(1)
            self._open_leaf(Leaf("rest"), line)
            return
        depth, rest = self._match(line)
        self._is_blank = _is_blank(rest)
        if self._is_blank:
            if complete:
                self._end_paragraph(depth)
            return
        leaf = self.leaf
        if leaf is not None and leaf.kind == "code" and depth == len(self.boxes):
            self._go_on_with_code(leaf, rest, complete=complete)
            return
        is_inside = leaf is not None and leaf.kind == "paragraph" and depth == len(self.boxes)
        if is_inside and may_underline(rest):
            if complete and not self._underline(rest):
                self._open(depth, rest, complete=True)
            elif not complete:
                return
        else:
            self._open(depth, rest, complete=complete)

    def _match(self, line: str) -> tuple[int, str]:
        """Return how many of the open boxes a line is in, and what it says there."""
        depth = 1
        for box in self.boxes[1:]:
            indent = indent_of(line)
            if box.kind == "quote":
                if indent > 3 or line[indent : indent + 1] != ">":  # noqa: PLR2004  # columns
                    break
                line = line[indent + 1 :].removeprefix(" ")
            elif box.kind == "item":
                if indent < box.width and indent < len(line):
                    break
                line = line[box.width :]
            depth += 1
        return depth, line

    def _end_paragraph(self, depth: int) -> None:
        """Read a blank line: it ends a paragraph, a quote whose mark it has not, and a table; a list may go on."""
        if self.leaf is not None and self.leaf.kind == "code" and depth == len(self.boxes):
            self._added.append("\n" if self.leaf.lines else "")
            self._line, self._placed = [""], True
            return
        self._close_boxes(depth)
        if self.boxes[-1].kind == "table":
            self._close_boxes(len(self.boxes) - 1)

    def _go_on_with_code(self, leaf: Leaf, rest: str, *, complete: bool) -> None:
        mark = rest.strip(" \t")
        if len(rest) <= MOST_MARKS and not mark.strip(leaf.marks[0]):
            if not complete:
                return
            if len(mark) >= len(leaf.marks) and indent_of(rest) <= 3:  # noqa: PLR2004  # columns
                self._close_leaf()
                return
        self._say(rest[min(leaf.indent, indent_of(rest)) :])

    def _underline(self, line: str) -> bool:
        """Make a table or a heading of the open paragraph when this line below it says so; return whether it does."""
        leaf = self.leaf
        if leaf is None:
            return False
        alignments = alignments_of(line, leaf.lines[-1])
        if alignments is not None and len(self.boxes) < MOST_DEPTH:
            head = leaf.lines.pop()
            self._work += self._work_of(Leaf("row", [head]))
            self._close_leaf()
            self._open_box("table", head=head, alignments=alignments)
            return True
        level = is_underline(line)
        if level:
            leaf.kind, leaf.level = "heading", level
            self._close_leaf()
        return bool(level)

    # Blocks.

    def _open(self, depth: int, rest: str, *, complete: bool) -> None:
        """Open the boxes and the leaf that a line begins, or go on with the open paragraph."""
        inside = self.leaf is not None and self.leaf.kind == "paragraph" and depth == len(self.boxes)
        marks: list[QuoteMark | ItemMark] = []
        while True:
            first = opening_of(rest, complete=complete, interrupts=inside and not marks)
            if isinstance(first, Undecided):
                return
            if not isinstance(first, QuoteMark | ItemMark) or depth + len(marks) >= MOST_DEPTH:
                break
            marks.append(first)
            rest = first.rest
            if not rest.strip(" \t"):
                if not complete:
                    return
                break
        self._put(depth, marks, None if marks and first is marks[-1] else first, rest)

    def _put(self, depth: int, marks: list[QuoteMark | ItemMark], first: Opening, rest: str) -> None:
        is_text = not marks and (first is None or isinstance(first, QuoteMark | ItemMark))
        if is_text and self.leaf is not None and self.leaf.kind == "paragraph":
            self._say(rest.lstrip(" \t"))  # An item may continue without the marks of its boxes.
            return
        self._leave(depth, marks, is_text=is_text)
        for each in marks:
            self._open_mark(each)
        if rest.strip(" \t"):
            self._begin(None if isinstance(first, QuoteMark | ItemMark) else first, rest)


def _is_blank(text: str) -> bool:
    return not text.strip(" \t")
