"""One file out of many: a script with the modules that it imports, and a style sheet with those that it imports.

A browser asks for a module only once it has read the one that imports it. A bundle avoids these round trips. The
text of the files is unchanged, except for comments; each module keeps a scope of its own. Syntax that these expressions
do not know (a default export, a module that imports itself over others) fails the start; no wrong script is served.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Mapping

Read = Callable[[str], str]
"""Returns the text of the file at an address of this site."""

_IMPORT = re.compile(
    r'^(?:import (?:\{([^{}]*)\} from )?|export \{((?:(?! as )[^{}])*)\} from )"([^"]+)";\n', re.MULTILINE
)
"""An import, or names that are passed on as they are: what is taken, what is passed on, and from where."""
_EXPORT = re.compile(r"^export (?=(?:async function\*?|function\*?|class|const) (\w+)\b)", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import\b(?! ?\(|\.)|export\b).*", re.MULTILINE)
_LATER = re.compile(r'\bimport\("([^"]+)"\)')
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_SCRIPT_COMMENT = re.compile(r"^[ \t]*(?:/\*\*[\s\S]*?\*/|//.*)\n", re.MULTILINE)
_SHEET_IMPORT = re.compile(r'^@import "([^"]+)";\n', re.MULTILINE)
_SHEET_SPACE = re.compile(r'"[^"]*"|\s*([{};])\s*|([:,])\s+')
_SHEET_COMMENT = re.compile(r"/\*[\s\S]*?\*/\n?")


class BundleError(ValueError):
    """A file contains something that a bundle cannot have."""


def imports_of(text: str) -> list[str]:
    """Return what a script imports, as it names it."""
    return [name for *_, name in _IMPORT.findall(text)]


def modules_of(entry: str, read: Read) -> dict[str, str]:
    """Return the texts of the module at this address and of all that it imports at once, by their addresses."""
    found: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        address = waiting.pop()
        if address not in found:
            found[address] = read(address)
            waiting += [_address_of(address, name) for name in imports_of(found[address])]
    return found


def imported_later(modules: Mapping[str, str]) -> set[str]:
    """Return the addresses of what these modules import by `import()`."""
    return {_address_of(address, name) for address, text in modules.items() for name in _LATER.findall(text)}


def script_bundle(
    entry: str, read: Read, *, offered: Collection[str] = (), taken: Collection[str] = ()
) -> str:
    """Return a module that does and exports what the module at this address does, with all that it imports.

    The modules stand in the order in which a browser would run them. `import.meta.url` is the entry's in each of them.
    What is imported later, by `import()`, is a bundle too. A bundle takes the modules of `taken` from the one that
    imports it, which has `offered` them: each runs once, and its variables are the same in both.
    """
    modules = _Modules(posixpath.dirname(entry), read, offered, taken)
    number, exported = modules.add(entry, ())
    given = f"export const {{ {', '.join(exported)} }} = $m{number};\n" if exported else ""
    place = "globalThis.$loopwire ??= {};\n" if offered or taken else ""
    return "".join([place, *modules.parts, given])


def sheet_bundle(address: str, read: Read, over: tuple[str, ...] = ()) -> str:
    """Return a style sheet with the ones that it imports in their places. All must lie in one folder."""
    if address in over:
        raise BundleError(f"{address} imports itself.")

    def fill(found: re.Match[str]) -> str:
        name = _address_of(address, found[1])
        if posixpath.dirname(name) != posixpath.dirname(address):
            raise BundleError(
                f"{address} imports a sheet of another folder, where its addresses would differ."
            )
        return sheet_bundle(name, read, (*over, address))

    return _SHEET_IMPORT.sub(fill, leave_out(_SHEET_COMMENT, read(address), '"'))


def compact_sheet(text: str) -> str:
    """Leave out the space around what ends, parts and encloses declarations, but for what is inside a text."""
    return _SHEET_SPACE.sub(lambda found: found[1] or found[2] or found[0], text)


def leave_out(comment: re.Pattern[str], text: str, quote: str) -> str:
    """Leave the comments out, but for what looks like one inside a text: an odd number of quotes stands before it."""
    parts: list[str] = []
    end = quotes = 0
    for found in comment.finditer(text):
        before = text[end : found.start()]
        quotes += before.count(quote)
        inside = quotes % 2 == 1
        parts += [before, found[0] if inside else ""]
        quotes += found[0].count(quote) if inside else 0
        end = found.end()
    return "".join([*parts, text[end:]])


class _Modules:
    """The modules of a bundle: each with its number and the names that it exports."""

    def __init__(self, folder: str, read: Read, offered: Collection[str], taken: Collection[str]) -> None:
        self.parts: list[str] = []
        self._folder = folder
        self._read = read
        self._offered = offered
        self._taken = taken
        self._known: dict[str, tuple[int, list[str]]] = {}

    def add(self, address: str, over: tuple[str, ...]) -> tuple[int, list[str]]:
        """Add a module after those that it imports; return its number and what it exports."""
        if address in over:
            raise BundleError(f"{address} imports itself over {over[-1]}.")
        if address not in self._known:
            text = self._read(address)
            passed = ",".join(names for _, names, _ in _IMPORT.findall(text))
            exported = [*_EXPORT.findall(text), *_names_in(passed)]
            if address in self._taken:
                number = len(self._known)
                self._known[address] = number, exported
                self.parts.append(f"const $m{number} = {_place(address)};\n")
                return self._known[address]
            lines = [
                self._line(
                    address, names or passed_on, self.add(_address_of(address, name), (*over, address))
                )
                for names, passed_on, name in _IMPORT.findall(text)
            ]
            body = leave_out(_SCRIPT_COMMENT, _EXPORT.sub("", _IMPORT.sub("", text)), "`")
            if unknown := _UNKNOWN.search(body):
                raise BundleError(f"{address}: {unknown[0]}")
            body = _LATER.sub(lambda found: self._later(address, found[1]), body)
            number = len(self._known)
            self._known[address] = number, exported
            given = f"return {{ {', '.join(exported)} }};\n" if exported else ""
            whole = _without_indents(f"{''.join(lines)}{body}{given}")
            self.parts.append(f"const $m{number} = (() => {{\n{whole}}})();\n")
            if address in self._offered:
                self.parts.append(f"{_place(address)} = $m{number};\n")
        return self._known[address]

    def _later(self, address: str, name: str) -> str:
        """Return how a module imports another one later: by the address of that from the folder of the bundle."""
        path = posixpath.relpath(_address_of(address, name), self._folder)
        return f'import("{path if path.startswith(".") else f"./{path}"}")'

    @staticmethod
    def _line(address: str, names: str, module: tuple[int, list[str]]) -> str:
        """Return how a module takes from another one what it imports of it."""
        number, exported = module
        taken = _names_in(names)
        if missing := [name for name in taken if name.split()[0] not in exported]:
            raise BundleError(f"{address} imports {', '.join(missing)}, which nothing exports.")
        return (
            f"const {{ {', '.join(name.replace(' as ', ': ') for name in taken)} }} = $m{number};\n"
            if taken
            else ""
        )


def _names_in(text: str) -> list[str]:
    """Return the names of a list between braces."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _without_indents(text: str) -> str:
    """Leave out what lines begin with, but for a module with a text of several lines."""
    if any(line.count("`") % 2 for line in text.splitlines()):
        return text
    return _INDENT.sub("", text).replace("\n\n", "\n")


def _place(address: str) -> str:
    """Return the expression for where a bundle offers a module."""
    return f'$loopwire["{address.removeprefix("/static/")}"]'


def _address_of(address: str, name: str) -> str:
    """Return the address of what a file names by a relative or an absolute address."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(address), name))
