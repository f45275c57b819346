"""The pictures that a request names: what is no picture is told as that, whatever characters it is made of."""

from __future__ import annotations

import asyncio
import base64
import tracemalloc
from io import BytesIO
from threading import Lock

import pytest
from PIL import Image

from server.callbacks import Guard
from server.callbacks.guard import MOST_URL, parse_url
from server.errors import ImageUnreadable, RateLimited, Unavailable, UrlNotAllowed
from server.images import Picture, images_of, picture, read_image
from server.limit_counters import HeldShare, WaitingPictures
from tests.parts.images import png
from tests.parts.wait import until_async


def held() -> HeldShare:
    """Return the share of a caller who may hold much."""
    return HeldShare(WaitingPictures(10**9, 10**9), "a")


@pytest.mark.parametrize("text", ["é", "AAAAé", "!!!", "A", "\ud83d", "\N{FULLWIDTH EQUALS SIGN}"])
async def test_a_data_url_that_is_no_base64_is_refused_as_one(text: str) -> None:
    with pytest.raises(ImageUnreadable, match="not base64"):
        await images_of([f"data:image/png;base64,{text}"], Guard(), held())


@pytest.mark.parametrize("address", ["http://shop.example:8080/a.png", "https://shop.example:8443/a.png"])
async def test_a_picture_is_fetched_at_the_port_of_its_scheme_alone(address: str) -> None:
    with pytest.raises(UrlNotAllowed, match="port 80 or https at port 443"):
        await images_of([address], Guard(), held())


async def test_base64_without_the_head_of_a_data_url_is_told_what_is_missing() -> None:
    bare = base64.b64encode(png()).decode()
    for text in (bare, "-_" * 40, "\n".join(bare[at : at + 76] for at in range(0, len(bare), 76))):
        with pytest.raises(ImageUnreadable, match="begin with data:image"):
            await images_of([text], Guard(), held())
    for text in ("a chair", "//cdn.example/" + "a" * 100):
        with pytest.raises((UrlNotAllowed, ImageUnreadable)):
            await images_of([text], Guard(), held())


class CountedDecoder:
    """Reads pictures as the server does, and counts how many are read at once."""

    def __init__(self) -> None:
        self.begun = self.most = self._now = 0
        self._lock = Lock()
        self._read = picture._read

    def read(self, data: bytes) -> Picture:
        """Read one."""
        with self._lock:
            self.begun += 1
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            return self._read(data)
        finally:
            with self._lock:
                self._now -= 1


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> CountedDecoder:
    """Count what is read, with a room for this test's loop."""
    decoder = CountedDecoder()
    monkeypatch.setattr(picture, "_read", decoder.read)
    monkeypatch.setattr(picture, "ROOM", asyncio.Semaphore(picture.AT_ONCE))
    return decoder


def large() -> bytes:
    """Return a picture that takes a while: one of as many pixels as may be."""
    written = BytesIO()
    Image.new("RGB", (5_000, 5_000)).save(written, "PNG")
    return written.getvalue()


async def test_what_is_still_decoded_for_nobody_keeps_its_room(counted: CountedDecoder) -> None:
    data = large()
    for number in range(picture.AT_ONCE + 1):
        reading = asyncio.create_task(read_image(data))
        await until_async(lambda number=number: counted.begun > number)  # type: ignore[misc]
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
    assert (await read_image(data)).width == picture.LONGEST_SIDE
    assert (counted.begun, counted.most) == (picture.AT_ONCE + 2, picture.AT_ONCE)


async def test_no_picture_is_decoded_behind_one_that_is_wrong(counted: CountedDecoder) -> None:
    url = "data:image/png;base64," + base64.b64encode(large()).decode()
    with pytest.raises(ImageUnreadable):
        await images_of(["data:;base64,AA==", url], Guard(), held())
    assert (await images_of([url], Guard(), held()))[0].width == picture.LONGEST_SIDE
    assert (counted.begun, counted.most) == (2, picture.AT_ONCE)


async def test_who_is_cancelled_before_its_turn_begins_no_thread(counted: CountedDecoder) -> None:
    tasks = [asyncio.create_task(read_image(b"none")) for _ in range(5)]
    await asyncio.sleep(0)
    for each in tasks:
        each.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(each, asyncio.CancelledError) for each in ends)
    with pytest.raises(ImageUnreadable):
        await read_image(b"none")
    assert counted.begun == 2


async def serving(body: bytes) -> tuple[asyncio.Server, str]:
    """Serve a picture; return the server and its place."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    return server, f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_a_picture_is_counted_from_its_arrival_until_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that was fetched too; the turn is the test's until it has looked."""
    turn = asyncio.Semaphore(0)
    monkeypatch.setattr(picture, "ROOM", turn)
    body = png()
    pictures = WaitingPictures(2 * len(body), 3 * len(body))
    server, place = await serving(body)

    async def read(caller: str) -> list[Picture]:
        with pictures.share(caller) as share:
            return await images_of([f"http://{place}/a.png"], Guard([place]), share)

    async with server:
        waiting = [asyncio.create_task(read(caller)) for caller in "aab"]
        await until_async(lambda: pictures.total == 3 * len(body))
        with pytest.raises(RateLimited) as of_caller:
            await read("a")
        with pytest.raises(Unavailable) as of_all:
            await read("c")
        assert of_caller.value.retry_after and of_all.value.retry_after
        assert (pictures.total, pictures.callers) == (3 * len(body), 2)
        waiting[0].cancel()
        await asyncio.gather(waiting[0], return_exceptions=True)
        assert pictures.total == 2 * len(body)
        turn.release()
        assert [each[0].width for each in await asyncio.gather(*waiting[1:])] == [40, 40]
    assert (pictures.total, pictures.callers) == (0, 0)


async def test_a_picture_for_which_there_is_no_thread_gives_its_room_back(
    monkeypatch: pytest.MonkeyPatch, counted: CountedDecoder
) -> None:
    def none_left(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(asyncio.get_running_loop(), "run_in_executor", none_left)
        for _ in range(picture.AT_ONCE + 1):
            with pytest.raises(Unavailable) as refused:
                await read_image(png())
            assert refused.value.retry_after
    assert (await read_image(png())).width == 40


async def test_the_head_of_a_data_url_is_looked_for_in_little_memory() -> None:
    """Each parameter that was tried kept 120 bytes, so that 1 MB took 62."""
    address = "data:" + ";a" * 500_000
    tracemalloc.start()
    try:
        with pytest.raises(UrlNotAllowed):
            await images_of([address], Guard(), held())
        took = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert took < 500_000


async def test_an_address_that_is_too_long_is_read_no_further() -> None:
    class Address(str):
        __slots__ = ()

        def isascii(self) -> bool:
            pytest.fail("was read")

    with pytest.raises(UrlNotAllowed):
        parse_url(Address("https://a.example/" + "a" * MOST_URL))
