"""The log of a page as a browser would have it: fragments are put where they say, text grows, rows fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from tests.integration.ws.visitor import Frame

_VOID = {"br", "hr", "img", "input", "link", "meta", "progress-bar"}


@dataclass(eq=False)
class Node:
    """An element."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    @property
    def id(self) -> str:
        """Return its id."""
        return str(self.attributes.get("id") or "")

    @property
    def classes(self) -> set[str]:
        """Return its classes."""
        return set(str(self.attributes.get("class") or "").split())

    def below(self) -> Iterator[Node]:
        """Yield every element in it."""
        for each in self.children:
            if isinstance(each, Node):
                yield each
                yield from each.below()

    def find(self, id: str) -> Node | None:
        """Return the element of this id."""
        return next((each for each in self.below() if each.id == id), None)

    def parent_of(self, node: Node) -> Node | None:
        """Return the element that holds another one directly."""
        return next((each for each in (self, *self.below()) if node in each.children), None)

    def plain(self) -> Any:
        """Return what two equal pages have in common: no blanks between elements, attributes in any order."""
        text: list[Any] = []
        for each in self.children:
            if isinstance(each, Node):
                text.append(each.plain())
            elif text and isinstance(text[-1], str):
                text[-1] += each
            else:
                text.append(each)
        shown = [" ".join(each.split()) if isinstance(each, str) else each for each in text]
        return self.tag, sorted(self.attributes.items()), [each for each in shown if each != ""]


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("root")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        self._open[-1].children.append(node)
        if tag not in _VOID:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        for place in range(len(self._open) - 1, 0, -1):
            if self._open[place].tag == tag:
                del self._open[place:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def parsed(html: str) -> Node:
    """Return a piece of HTML under a root of its own."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


@dataclass
class Painting:
    """`#log` and what happens to it, as `log.js` and `rows.js` do it."""

    log: Node = field(default_factory=lambda: Node("div", {"id": "log"}))

    def take(self, frame: Frame) -> None:
        """Apply one frame of an HTML socket."""
        if frame.get("type") == "snapshot":
            self.log.children = self._rows(parsed(frame.get("content") or ""))
            return
        event = frame.get("event", {})
        if event.get("type") == "TEXT_MESSAGE_CONTENT":
            place = self.log.find(f"text-{event['messageId']}")
            text = frame.get("swap") == "beforeend"
            if place is not None and (text or "content" not in frame):
                place.children += parsed(frame["content"]).children if text else [event["delta"]]
            if text:
                return
        if "content" in frame:
            self._place(frame["target"].removeprefix("#"), parsed(frame["content"]))

    def rows(self) -> list[tuple[str, Any]]:
        """Return its rows in order, each with its id."""
        return [(each.id, each.plain()) for each in self.log.children if isinstance(each, Node)]

    def _place(self, target: str, fresh: Node) -> None:
        new = self._rows(fresh)
        if target == "log":
            self.log.children = new
            return
        if new and isinstance(new[0], Node) and "row-steps" in new[0].classes:
            self._fold(new)
        elif (known := self.log.find(target)) is not None:
            self._swap(known, new)
        elif target.startswith("row-"):
            self.log.children += new
        for partial in fresh.children:
            if isinstance(partial, Node) and partial.tag == "hx-partial":
                known = self.log.find(str(partial.attributes["hx-target"]).removeprefix("#"))
                if known is not None and partial.attributes["hx-swap"] == "beforeend":
                    known.children += self._rows(partial)
                elif known is not None:
                    self._swap(known, self._rows(partial))

    def _fold(self, new: list[Node | str]) -> None:
        """Rows that a folded row holds make room for it."""
        held = {each.id for row in new if isinstance(row, Node) for each in (row, *row.below()) if each.id}
        inside = [
            each
            for each in self.log.children
            if isinstance(each, Node)
            and any("row" in one.classes and one.id in held for one in (each, *each.below()))
        ]
        if not inside:
            self.log.children += new
            return
        self._swap(inside[0], new)
        self.log.children = [each for each in self.log.children if each not in inside[1:]]

    def _swap(self, known: Node, new: list[Node | str]) -> None:
        parent = self.log.parent_of(known)
        assert parent is not None
        place = parent.children.index(known)
        parent.children[place : place + 1] = new

    @staticmethod
    def _rows(root: Node) -> list[Node | str]:
        return [
            each
            for each in root.children
            if isinstance(each, Node) and each.tag != "hx-partial" and each.id != "stepper"
        ]


def page_rows(html: str) -> list[tuple[str, Any]]:
    """Return the rows of a whole page."""
    log = parsed(html).find("log")
    assert log is not None
    return [(each.id, each.plain()) for each in log.children if isinstance(each, Node)]
