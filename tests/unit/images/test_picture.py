"""The reading of pictures: other bytes are refused, and a kept picture has a size and no metadata."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image, ImageDraw, ImageOps

from server.errors import ImageUnreadable
from server.images import read_image
from server.images.picture import LONGEST_SIDE
from server.store.conversations.blobs import MAX_BYTES


def written(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    """Return the bytes of a picture."""
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def noise(width: int, height: int) -> Image.Image:
    """Return what no encoder makes small."""
    return Image.effect_noise((width, height), 120).convert("RGB")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
async def test_every_format_becomes_a_jpeg(kind: str) -> None:
    picture = await read_image(written(Image.new("RGB", (300, 200), "navy"), kind))
    assert (picture.width, picture.height) == (300, 200)
    again = Image.open(BytesIO(picture.data))
    assert (again.format, again.mode, again.size) == ("JPEG", "RGB", (300, 200))


@pytest.mark.parametrize("mode", ["1", "L", "P", "CMYK", "RGBA", "LA", "I;16"])
async def test_a_picture_of_every_colour_mode_becomes_rgb(mode: str) -> None:
    kind = {"CMYK": "JPEG"}.get(mode, "PNG")
    picture = await read_image(written(Image.new(mode, (40, 30)), kind))
    assert Image.open(BytesIO(picture.data)).mode == "RGB"


async def test_transparent_pixels_become_white() -> None:
    picture = await read_image(written(Image.new("RGBA", (20, 20), (0, 0, 0, 0))))
    assert Image.open(BytesIO(picture.data)).getpixel((10, 10)) == (255, 255, 255)


async def test_no_metadata_is_left_and_the_picture_stands_as_it_was_taken() -> None:
    image = Image.new("RGB", (60, 40), "white")
    ImageDraw.Draw(image).rectangle((0, 0, 10, 40), fill="black")
    exif = Image.Exif()
    exif[0x0112], exif[0x010E], exif[0x9286] = 6, "home of Ana", "secret"
    picture = await read_image(written(image, "JPEG", exif=exif, comment=b"secret", quality=95))
    assert b"secret" not in picture.data
    assert b"Ana" not in picture.data
    assert (picture.width, picture.height) == (40, 60)
    assert not Image.open(BytesIO(picture.data)).getexif()


async def test_a_large_picture_is_made_small_and_fits_into_a_blob() -> None:
    picture = await read_image(written(noise(3000, 2000), "JPEG", quality=95))
    assert max(picture.width, picture.height) == LONGEST_SIDE
    assert len(picture.data) <= MAX_BYTES


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
async def test_every_orientation_is_put_upright(kind: str, orientation: int) -> None:
    image = Image.new("RGB", (60, 40), "white")
    ImageDraw.Draw(image).rectangle((0, 0, 20, 10), fill="black")
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = written(image, kind, exif=exif)
    wanted = ImageOps.exif_transpose(Image.open(BytesIO(data)))
    picture = await read_image(data)
    found = Image.open(BytesIO(picture.data))
    assert found.size == wanted.size
    corners = [(x, y) for x in (2, found.width - 3) for y in (2, found.height - 3)]
    assert [found.getpixel(at)[0] > 128 for at in corners] == [wanted.getpixel(at)[0] > 128 for at in corners]


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG."""
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def with_exif(exif: bytes, kind: str) -> bytes:
    """Return a good picture with these bytes as its EXIF data."""
    image = Image.new("RGB", (60, 40), "navy")
    if kind == "PNG":
        data = written(image)
        at = data.index(b"IDAT") - 4
        return data[:at] + chunk(b"eXIf", exif) + data[at:]
    if kind == "JPEG":
        data = written(image, "JPEG", dpi=(72, 72))
        marker = b"Exif\0\0" + exif
        return data[:2] + b"\xff\xe1" + struct.pack(">H", len(marker) + 2) + marker + data[2:]
    return written(image, kind, exif=exif)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize(
    "exif",
    [b"II*\0", b"I", b"junk", b"Exif\0\0II*\0", b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06"],
)
async def test_broken_exif_data_do_not_refuse_a_good_picture(kind: str, exif: bytes) -> None:
    picture = await read_image(with_exif(exif, kind))
    assert (picture.width, picture.height) == (60, 40)


@pytest.mark.parametrize(
    "fault", [struct.error, ZeroDivisionError, OverflowError, AttributeError, RecursionError, MemoryError]
)
async def test_whatever_a_decoder_raises_means_that_it_is_no_picture(
    monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(Image, "open", fail)
    with pytest.raises(ImageUnreadable):
        await read_image(GOOD)


def bomb(width: int, height: int) -> bytes:
    """Return a PNG whose header promises many pixels, with next to nothing behind it."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0" * 100_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


GOOD = written(Image.new("RGB", (64, 64), "red"), "JPEG")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        b"\xff\xd8\xff\xe0" + b"\0" * 100,
        GOOD[:100],
        GOOD[: len(GOOD) // 2],
        bomb(5_001, 5_000),
        bomb(60_000, 60_000),
        bomb(2_000, 2_000),
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%PDF-1.7",
        written(Image.new("RGB", (8, 8)), "TIFF"),
        written(Image.new("RGB", (8, 8)), "BMP"),
    ],
    ids=[
        "nothing",
        "text",
        "a start",
        "a head",
        "half",
        "25 MP",
        "a bomb",
        "no data",
        "svg",
        "pdf",
        "tiff",
        "bmp",
    ],
)
async def test_broken_oversized_and_unsupported_pictures_are_refused(data: bytes) -> None:
    with pytest.raises(ImageUnreadable):
        await read_image(data)


async def test_the_first_frame_of_an_animation_is_read() -> None:
    frames = [Image.new("RGB", (30, 30), colour) for colour in ("red", "blue")]
    film = written(frames[0], "GIF", save_all=True, append_images=frames[1:])
    picture = await read_image(film)
    red, _, blue = Image.open(BytesIO(picture.data)).getpixel((15, 15))
    assert red > 200
    assert blue < 60
