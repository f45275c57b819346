"""The memory that a picture takes: at most what one client may take at once, measured in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from server.errors import ImageUnreadable
from server.images import read_image
from server.images.picture import LONGEST_SIDE, MOST_PIXELS_OF_WEBP, MOST_SIDE, QUALITIES
from tests.parts.sampled import later, pairs

ROOT = Path(__file__).parents[3]
MOST_MIB = 245
"""256 without the request, whose body has 10 MiB."""

CHILD = """
import asyncio, os, sys
from pathlib import Path
from server.images import read_image

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(each.split()[1]) for each in lines if each.startswith("VmHWM")) // 1024

while size := sys.stdin.buffer.readline():
    data = sys.stdin.buffer.read(int(size))
    if os.fork() == 0:
        before = peak()
        picture = asyncio.run(read_image(data))
        print(picture.width, picture.height, peak() - before, flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
"""
"""Reads each picture in a fork of its own, whose peak begins with what it holds then."""


@pytest.fixture(scope="module")
def measuring() -> Iterator[subprocess.Popen[bytes]]:
    """Yield the process that reads pictures: the server's modules are loaded once for all of them."""
    argv = [sys.executable, "-c", CHILD]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        yield process


def turned() -> Image.Exif:
    """Return EXIF data of a picture that is to be turned by 90 degrees."""
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif


def written(image: Image.Image, kind: str, **options: object) -> bytes:
    """Return the bytes of a picture."""
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def largest(kind: str, mode: str) -> bytes:
    """Return a turned picture of one colour with as many pixels as may be."""
    size = (5_000, MOST_PIXELS_OF_WEBP // 5_000) if kind == "WEBP" else (5_000, 4_999)
    more: dict[str, object] = {
        "JPEG": {"progressive": True, "subsampling": 0},
        "PNG": {"compress_level": 1},
        "WEBP": {"method": 0},
    }.get(kind, {})
    if mode == "P":
        more["transparency"] = 3
    return written(Image.new(mode, size, 3 if mode == "P" else "olive"), kind, exif=turned(), **more)


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        later("PNG", "RGBA"),
        later("PNG", "P"),
        later("GIF", "P"),
        ("JPEG", "RGB"),
        later("JPEG", "CMYK"),
        ("WEBP", "RGBA"),
    ],
)
def test_the_largest_picture_takes_no_more_than_one_client_may(
    measuring: subprocess.Popen[bytes], kind: str, mode: str
) -> None:
    data = largest(kind, mode)
    assert measuring.stdin is not None and measuring.stdout is not None
    measuring.stdin.write(b"%d\n%b" % (len(data), data))
    measuring.stdin.flush()
    *size, took = map(int, measuring.stdout.readline().split())
    assert max(size) == LONGEST_SIDE
    assert took <= MOST_MIB


@pytest.mark.parametrize(
    ("kind", "mode", "size", "told"),
    [
        ("WEBP", "RGB", (5_000, MOST_PIXELS_OF_WEBP // 5_000 + 1), "As a JPEG or PNG it may have 25"),
        ("PNG", "1", (1, MOST_SIDE + 1), "a side of more than"),
        ("PNG", "1", (MOST_SIDE + 1, 1), "a side of more than"),
    ],
    ids=["WebP", "narrow", "wide"],
)
async def test_a_picture_whose_decoder_takes_more_is_refused(
    kind: str, mode: str, size: tuple[int, int], told: str
) -> None:
    data = written(Image.new(mode, size), kind)
    with pytest.raises(ImageUnreadable, match=told):
        await read_image(data)


@pytest.mark.parametrize(
    ("mode", "size"),
    pairs(["RGB", "RGBA", "LA", "P"], [(1_700, 900), (900, 1_700), (1_000, 1_500), (3, 2)]),
)
async def test_a_picture_that_is_reduced_by_rows_is_the_same(mode: str, size: tuple[int, int]) -> None:
    """All but the last have more pixels than are made narrow at once."""
    image = Image.linear_gradient("L").resize(size).convert("RGB")
    image.paste("teal", (0, 0, size[0] // 3, size[1] // 2))
    alpha = Image.radial_gradient("L").resize(size)
    if mode in ("RGBA", "LA"):
        image = Image.merge(mode, [*image.convert(mode[:-1]).split(), alpha])
    ground = Image.new("RGBA", size, "white")
    whole = Image.alpha_composite(ground, image.convert("RGBA")).convert("RGB")
    if mode == "P":
        image = image.quantize(64)
        whole = image.convert("RGB")
    whole.thumbnail((LONGEST_SIDE, LONGEST_SIDE), reducing_gap=None)
    picture = await read_image(written(image, "PNG"))
    found = Image.open(BytesIO(picture.data))
    wanted = Image.open(BytesIO(written(whole, "JPEG", quality=QUALITIES[0], optimize=True)))
    assert found.size == wanted.size
    assert found.mode == wanted.mode == "RGB"
    differences = ImageChops.difference(found, wanted).getextrema()
    assert max(most for _, most in differences) <= 16
