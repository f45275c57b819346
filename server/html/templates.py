"""The templates of a folder, each compiled once in a process however many renderers draw with it."""

from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket

from server.protocol.plain_text import plain_text


class _Compiled(BytecodeCache):
    """The code of each template, with the checksum of the source that it was compiled from."""

    def __init__(self) -> None:
        self._codes: dict[str, tuple[str, Any]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take the code of this very source, if there is any."""
        checksum, code = self._codes.get(bucket.key, ("", None))
        bucket.code = code if checksum == bucket.checksum else None

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of this source, and none of an older one."""
        self._codes[bucket.key] = bucket.checksum, bucket.code


_compiled = _Compiled()


def _without_control(value: Any) -> Any:
    """Return what a template shows without control characters, which rows of an older version may still hold."""
    return plain_text(value) if type(value) is str else value


def template_environment(folder: Path) -> Environment:
    """Return the templates of a folder, with everything in them escaped and no name unknown."""
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_without_control,
        bytecode_cache=_compiled,
    )
    # Data for scripts in few bytes. `<`, `>`, `&` and `'` are escaped besides.
    short = {"sort_keys": True, "ensure_ascii": False, "separators": (",", ":")}
    environment.policies["json.dumps_kwargs"] = short
    return environment
