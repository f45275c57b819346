"""An MCP server for tests, by the official package: tools that work, and tools that do what no server should.

`python mcp_server.py FOLDER` speaks stdio; `python mcp_server.py FOLDER PORT` streamable HTTP at /mcp. What it does
is written to files of the folder, a line each.
"""

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp_words import CANARY

folder = Path(sys.argv[1])
server = MCPServer("shop")


def note(file: str, line: str) -> None:
    """Write down what happened."""
    with (folder / file).open("a") as out:
        out.write(f"{line}\n")


@server.tool()
async def forecast(city: str) -> str:
    """Say how the weather will be."""
    note("called", f"forecast {city}")
    return f"Rain in {city}. <script>alert(1)</script>\x1b[31m"


@server.tool()
async def book(room: str) -> str:
    """Book a room."""
    note("called", f"book {room}")
    return f"Booked {room}."


@server.tool()
async def hidden() -> str:
    """Do what the app has not allowed."""
    note("called", "hidden")
    return "done"


@server.tool()
async def fail(why: str) -> str:
    """Fail."""
    note("called", "fail")
    raise ValueError(f"{why} {CANARY}")


@server.tool()
async def hang(whole: bool) -> str:
    """Say nothing for ever; the whole server, or this call."""
    note("called", "hang")
    if whole:
        while True:
            pass
    await asyncio.sleep(3600)
    return "never"


@server.tool()
async def die() -> str:
    """End in mid-call."""
    note("called", "die")
    os._exit(3)


@server.tool()
async def flood(mib: int) -> str:
    """Answer with much."""
    note("called", "flood")
    return "x" * (mib << 20)


def _print_junk() -> None:
    while True:
        os.write(babbling, b"not a message\n" * 1000)


@server.tool()
async def babble() -> str:
    """Print lines that are no messages, without end, also when the call is given up."""
    note("called", "babble")
    threading.Thread(target=_print_junk, daemon=True).start()
    return str(await asyncio.Event().wait())


@server.tool()
async def variables() -> str:
    """Say which variables the server has got."""
    return ",".join(sorted(os.environ))


if __name__ == "__main__":
    note("started", f"{os.getpid()} {os.environ.get('SHOP_TOKEN', '')}")
    babbling = os.dup(1)
    if len(sys.argv) > 2:
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        child = subprocess.Popen(["sleep", "3600"])
        note("started", f"{child.pid} child")
        server.run()
