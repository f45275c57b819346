"""HTTP as servers of models speak it, over real connections: kept, torn, silent, too fast, and with TLS."""

import asyncio
import datetime
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from server.agents.model.fast import transport
from server.agents.model.fast.connection import ModelConnection
from server.agents.model.fast.transport import Transport, http_client
from tests.parts.wait import until_async

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
OLA = HEAD + b"Content-Length: 4\r\n\r\nol\xc3\xa1"


class Server:
    """Answers each request with these bytes; None hangs up instead, an event is waited for."""

    def __init__(self, *answers: bytes | asyncio.Event | None, tls: ssl.SSLContext | None = None) -> None:
        self.answers = list(answers)
        self.asked: list[bytes] = []
        self.connections = 0
        self.left = asyncio.Event()
        self._tls = tls
        self.writers: list[asyncio.StreamWriter] = []
        self._tasks: list[asyncio.Task[None]] = []
        self.origin = ""

    async def __aenter__(self) -> "Server":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        port = self._server.sockets[0].getsockname()[1]
        self.origin = f"http{'s' * bool(self._tls)}://localhost:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self.writers:
            writer.transport.abort()
        await asyncio.gather(*self._tasks)

    def say(self, unasked: bytes) -> None:
        """Write on every connection what nobody asked for."""
        for writer in self.writers:
            writer.write(unasked)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        self._tasks.append(asyncio.current_task())
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
                self.asked.append(head + await reader.readexactly(length))
                answer = self.answers.pop(0)
                while isinstance(answer, asyncio.Event):
                    await answer.wait()
                    answer = self.answers.pop(0)
                if answer is None:
                    break
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.left.set()
            writer.close()


@asynccontextmanager
async def client(tls: ssl.SSLContext | None = None) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(transport=Transport(tls), timeout=30.0) as made:
        yield made


async def test_a_connection_serves_one_request_after_the_other() -> None:
    chunks = CHUNKED + b"1\r\na\r\n2;x=y\r\nbc\r\n0\r\nTrailer: x\r\n\r\n"
    early = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OLA
    async with Server(chunks, OLA, early) as server, client() as http:
        texts = [(await http.post(f"{server.origin}/v1?q=á", content=b"{}")).text for _ in range(3)]
        assert texts == ["abc", "olá", "olá"] and server.connections == 1
    assert server.asked[0].startswith(b"POST /v1?q=%C3%A1 HTTP/1.1\r\n") and server.asked[0].endswith(b"{}")


@pytest.mark.parametrize("last", [HEAD + b"Connection: close\r\n\r\nol", HEAD + b"\r\nol"])
async def test_a_connection_with_an_unfinished_answer_is_not_used_again(last: bytes) -> None:
    async with Server(last, None) as server, client() as http:
        async with http.stream("POST", server.origin, content=b"x") as response:
            pieces = response.aiter_raw()
            assert await anext(pieces) == b"ol"
        server.answers = [OLA]
        assert (await http.post(server.origin, content=b"x")).text == "olá"
        assert server.connections == 2


async def test_a_body_without_a_length_ends_with_its_connection() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"\r\nall of it")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server, client() as http:
        port = server.sockets[0].getsockname()[1]
        assert (await http.get(f"http://127.0.0.1:{port}")).text == "all of it"


async def test_a_kept_connection_that_the_server_closed_is_replaced() -> None:
    async with Server(OLA) as server, client() as http:
        await http.post(server.origin, content=b"x")
        server.answers = [None]
        with pytest.raises((httpx2.RemoteProtocolError, httpx2.ReadError)):
            await http.post(server.origin, content=b"x")
        server.answers = [OLA]
        assert (await http.post(server.origin, content=b"x")).text == "olá"


EVIL = HEAD + b"Content-Length: 4\r\n\r\nevil"


@pytest.mark.parametrize(
    "more", [EVIL, EVIL[:9], b"nonsense", b"2\r\n"], ids=["answer", "head", "noise", "chunk"]
)
@pytest.mark.parametrize(
    "answer", [OLA, CHUNKED + b"4\r\nol\xc3\xa1\r\n0\r\n\r\n"], ids=["length", "chunked"]
)
async def test_bytes_after_a_whole_response_are_not_taken_for_the_next(answer: bytes, more: bytes) -> None:
    async with Server(answer + more, OLA) as server, client() as http:
        texts = [(await http.post(server.origin, content=b"x")).text for _ in range(2)]
        assert texts == ["olá", "olá"] and server.connections == 2


async def test_an_idle_connection_on_which_something_comes_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "KEPT_S", 600.0)
    async with Server(OLA) as server, client() as http:
        assert (await http.post(server.origin, content=b"x")).text == "olá"
        server.say(EVIL)
        async with asyncio.timeout(30):
            await server.left.wait()
        server.answers = [OLA]
        assert (await http.post(server.origin, content=b"x")).text == "olá"
        assert server.connections == 2


TORN: list[tuple[bytes, type[Exception]]] = [
    (CHUNKED + b"5\r\nab", httpx2.RemoteProtocolError),
    (HEAD + b"Content-Length: 9\r\n\r\nab", httpx2.RemoteProtocolError),
    (CHUNKED + b"nonsense\r\n", httpx2.RemoteProtocolError),
    (b"HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", httpx2.RemoteProtocolError),
    (b"SSH-2.0-OpenSSH\r\n\r\n", httpx2.RemoteProtocolError),
]


@pytest.mark.parametrize(("answer", "kind"), TORN)
async def test_a_torn_or_invalid_response_raises_its_error(answer: bytes, kind: type[Exception]) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server, client() as http:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(kind):
            await http.get(f"http://127.0.0.1:{port}")


@pytest.mark.parametrize("before", [b"", HEAD, CHUNKED + b"1\r\na\r\n"], ids=["nothing", "a head", "a piece"])
async def test_silence_ends_a_request_and_its_connection(before: bytes) -> None:
    gate = asyncio.Event()
    async with Server(*([before] if before else []), gate) as server, client() as http:
        with pytest.raises(httpx2.ReadTimeout):
            await http.post(server.origin, content=b"x", timeout=httpx2.Timeout(30.0, read=0.2))
        gate.set()
        server.answers = [OLA, OLA]
        assert (await http.post(server.origin, content=b"x")).text == "olá"


async def test_a_stream_that_is_left_is_closed_at_once() -> None:
    async with Server(CHUNKED + b"1\r\na\r\n") as server, client() as http:
        async with http.stream("POST", server.origin, content=b"x") as response:
            assert [await anext(response.aiter_raw())] == [b"a"]
        async with asyncio.timeout(30):
            await server.left.wait()


async def test_a_reader_that_is_slow_slows_the_server_down() -> None:
    size = 8_000_000
    big = HEAD + b"Content-Length: %d\r\n\r\n" % size + b"x" * size
    async with Server(big) as server, client() as http, http.stream("POST", server.origin) as response:
        connection: ModelConnection = response.stream._stream._connection
        await until_async(lambda: connection.paused)
        assert connection.unread_bytes < size / 4
        assert sum([len(piece) async for piece in response.aiter_raw()]) == size


async def test_a_server_that_is_not_there_cannot_be_reached() -> None:
    async with Server() as server:
        gone = server.origin
    async with client() as http:
        with pytest.raises(httpx2.ConnectError):
            await http.get(gone)
        with pytest.raises(httpx2.UnsupportedProtocol):
            await http.get("ftp://127.0.0.1/")


async def test_a_request_on_a_lost_connection_raises_write_error() -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        line, connection = await asyncio.get_running_loop().create_connection(ModelConnection, host, port)
        await until_async(line.is_closing)
        with pytest.raises(httpx2.WriteError):
            await connection.send(b"POST / HTTP/1.1\r\n\r\n", b"", None)


async def test_a_header_with_a_line_break_is_refused_unsent() -> None:
    async with Server(OLA) as server, client() as http:
        with pytest.raises(httpx2.LocalProtocolError):
            await http.get(server.origin, headers={"authorization": "Bearer k\r\nx-evil: 1"})
        assert server.asked == []


def certificate(folder: Path) -> tuple[Path, Path]:
    """Return a key and a certificate for localhost, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, private = folder / "cert.pem", folder / "key.pem"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return pem, private


async def test_a_certificate_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pem, private = certificate(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(pem, private)
    async with Server(OLA, OLA, tls=tls) as server:
        async with client() as http:
            with pytest.raises(httpx2.ConnectError):
                await http.post(server.origin, content=b"x")
        async with client(ssl.create_default_context(cafile=str(pem))) as http:
            assert (await http.post(server.origin, content=b"x")).text == "olá"
            with pytest.raises(httpx2.ConnectError):
                await http.post(server.origin.replace("localhost", "127.0.0.1"), content=b"x")
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
        async with client() as http:
            assert (await http.post(server.origin, content=b"x")).text == "olá"


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "all_proxy"])
async def test_the_transport_of_httpx2_is_used_when_a_proxy_is_set(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def goes() -> Callable[..., object]:
        return type(http_client()._transport)

    for each in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(each, raising=False)
        monkeypatch.delenv(each.upper(), raising=False)
    assert goes() is Transport
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert goes() is httpx2.AsyncHTTPTransport
