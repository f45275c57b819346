"""The file of a picture: too many parts are refused, honest ones are read, and a decoder gets what it needs."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image, ImageDraw

from server.errors import ImageUnreadable
from server.images import read_image
from server.images.picture_files import (
    MOST_BLOCKS,
    MOST_CHUNKS,
    MOST_SCANS,
    MOST_SEGMENTS,
    PictureFile,
    plain_file,
)

EXIF = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
"""An orientation alone: turned by 90 degrees."""


def written(kind: str, size: tuple[int, int] = (60, 40), **options: object) -> bytes:
    """Return a picture with something in it."""
    image = Image.new("RGB", size, "navy")
    ImageDraw.Draw(image).ellipse((5, 5, 30, 30), fill="orange")
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def segment(marker: int, data: bytes) -> bytes:
    """Return a segment of a JPEG."""
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def chunk(kind: bytes, data: bytes = b"") -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def riff(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a WebP."""
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def webp(*chunks: bytes) -> bytes:
    """Return a WebP of these chunks."""
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def with_scans(number: int, size: tuple[int, int] = (60, 40)) -> bytes:
    """Return a progressive JPEG in grey whose last scan is there so often."""
    out = BytesIO()
    Image.new("L", size, 90).save(out, "JPEG", progressive=True)
    data = out.getvalue()
    last = data.rindex(b"\xff\xda")
    return data[:last] + data[last:-2] * number + b"\xff\xd9"


def pixels(data: bytes) -> bytes:
    """Return what Pillow decodes."""
    return Image.open(BytesIO(data)).convert("RGBA").tobytes()


def behind_head(kind: str, parts: bytes) -> bytes:
    """Return a picture that has these parts where metadata stand."""
    data = written(kind)
    at = {"JPEG": 2, "PNG": 33, "WEBP": 12, "GIF": data.index(b",")}[kind]
    return data[:at] + parts + data[at:]


@pytest.mark.parametrize(
    "data",
    [
        with_scans(MOST_SCANS + 1),
        behind_head("JPEG", segment(0xE1, b"Exif\0\0") * MOST_SEGMENTS),
        behind_head("JPEG", segment(0xFE, b"") * MOST_SEGMENTS),
        behind_head("JPEG", segment(0xDB, bytes(5_000))),
        behind_head("PNG", chunk(b"tEXt", b"a\0b") * MOST_CHUNKS),
        behind_head("PNG", chunk(b"IDAT") * MOST_CHUNKS),
        behind_head("GIF", b"!\xfe\0" * MOST_BLOCKS),
        behind_head("GIF", b"!\xfe" + b"\1a" * MOST_BLOCKS + b"\0"),
        behind_head("WEBP", riff(b"XMP ", b"") * MOST_CHUNKS),
        written("JPEG").replace(b"\xff\xc0", b"\xff\xca"),
    ],
    ids=["scans", "exif", "comments", "table", "texts", "data", "extensions", "blocks", "riff", "arithmetic"],
)
async def test_a_file_of_too_many_parts_is_refused_before_a_decoder_sees_it(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Image, "open", lambda *_, **__: pytest.fail("was decoded"))
    with pytest.raises(ImageUnreadable):
        await read_image(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xd8" + b"\xff" * (10 * 1024 * 1024 - 2),
        b"\xff\xd8\xff\xe0\0\2" + bytes(1_000_000),
        written("JPEG").partition(b"\xff\xda")[0] + bytes(1_000_000),
    ],
    ids=["fill", "zeros", "zeros behind tables"],
)
async def test_a_jpeg_without_a_scan_is_refused_before_a_decoder_looks_for_one(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pillow reads what is between two segments one byte after the other, in Python: 10 MiB take 5 s."""
    monkeypatch.setattr(Image, "open", lambda *_, **__: pytest.fail("was decoded"))
    with pytest.raises(ImageUnreadable):
        await read_image(data)


def test_what_stands_behind_a_last_segment_is_left_out() -> None:
    data = written("JPEG", progressive=True)[:-2] + segment(0xDD, b"\0\0")
    assert plain_file(data + b"\xff" * 1_000_000).data == data


async def test_a_picture_of_a_quarter_million_scans_is_refused_at_once() -> None:
    """Each costs 24 ms of a decoder."""
    data = with_scans(200_000, (5_000, 5_000))
    assert len(data) < 10 * 1024 * 1024
    with pytest.raises(ImageUnreadable):
        await read_image(data)


def in_small_chunks() -> bytes:
    """Return a PNG whose data are in chunks of 1 byte."""
    data = written("PNG")
    at = data.index(b"IDAT") - 4
    size = int.from_bytes(data[at : at + 4])
    parts = b"".join(chunk(b"IDAT", bytes([each])) for each in data[at + 8 : at + 8 + size])
    return data[:at] + parts + data[at + 12 + size :]


def film(kind: str) -> bytes:
    """Return a film of 30 frames, the first of them with transparent pixels."""
    first = Image.new("RGBA", (60, 40), (200, 0, 0, 255))
    first.paste((0, 0, 0, 0), (10, 10, 30, 30))
    frames = [Image.new("RGBA", (60, 40), (0, each, 200, 255)) for each in range(29)]
    out = BytesIO()
    first.save(out, kind, save_all=True, append_images=frames, lossless=True)
    return out.getvalue()


HONEST = {
    "progressive": written("JPEG", progressive=True),
    "optimized": written("JPEG", optimize=True, subsampling=0),
    "restarts": written("JPEG", restart_marker_blocks=1),
    "a profile of 8 MB": behind_head("JPEG", segment(0xE2, b"ICC_PROFILE\0" + bytes(65_000)) * 125),
    "a depth map": behind_head(
        "JPEG", segment(0xE1, b"http://ns.adobe.com/xmp/\0" + b"\xff\xda" * 30_000) * 120
    ),
    "a large thumbnail": behind_head("JPEG", segment(0xE0, b"JFXX\0\x10" + bytes(6_000) + written("JPEG"))),
    "a film behind it": written("JPEG") + b"\xff\xda\0\2" * 5_000,
    "two pictures": written("JPEG") * 2,
    "filled": written("JPEG").replace(b"\xff\xdb", b"\xff\xff\xff\xdb"),
    "most scans": with_scans(MOST_SCANS - 10),
    "small chunks": in_small_chunks(),
    "much text": behind_head("PNG", chunk(b"tEXt", b"a\0b") * 1_000),
    "animated PNG": film("PNG"),
    "GIF": written("GIF"),
    "a comment": behind_head("GIF", b"!\xfe" + (b"\xff" + b"," * 255) * 4_000 + b"\0"),
    "a block ended twice": behind_head("GIF", b"!\xfe\1a\0\0\0"),
    "animated GIF": film("GIF"),
    "WebP": written("WEBP"),
    "WebP with a profile": written("WEBP", lossless=True, icc_profile=b"profile", xmp=b"text"),
    "animated WebP": film("WEBP"),
}


@pytest.mark.parametrize("name", HONEST)
async def test_an_honest_file_is_decoded_as_before_without_its_metadata(name: str) -> None:
    data = HONEST[name]
    plain = plain_file(data)
    assert pixels(plain.data) == pixels(data)
    assert len(plain.data) < 10_000
    found = Image.open(BytesIO(plain.data))
    assert not {"exif", "icc_profile", "xmp", "comment"} & set(found.info)
    assert getattr(found, "n_frames", 1) == 1
    assert plain_file(plain.data) == PictureFile(plain.data, 0)
    assert (await read_image(data)).width == 60


def test_a_picture_of_a_printer_keeps_its_colours() -> None:
    out = BytesIO()
    Image.new("CMYK", (60, 40), (10, 200, 30, 40)).save(out, "JPEG")
    assert pixels(plain_file(out.getvalue()).data) == pixels(out.getvalue())


@pytest.mark.parametrize(
    ("data", "orientation"),
    [
        (written("JPEG", exif=b"Exif\0\0" + EXIF), 6),
        (written("PNG", exif=EXIF), 6),
        (written("WEBP", exif=EXIF), 6),
        (written("WEBP", exif=b"Exif\0\0" + EXIF), 6),
        (written("PNG", exif=b"II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\3\0\0\0"), 3),
        (written("PNG", exif=b"II*\0\x08\0\0\0\1\0\x12\1\4\0\1\0\0\0\3\0\0\0"), 3),
        (written("PNG", exif=b"II*\0\x08\0\0\0\1\0\x12\1\2\0\1\0\0\0\3\0\0\0"), 0),
        (written("PNG", exif=b"MM\0*" + b"\xff" * 200_000), 0),
        (written("GIF"), 0),
    ],
)
def test_the_orientation_is_read_of_each_format(data: bytes, orientation: int) -> None:
    assert plain_file(data).orientation == orientation


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP"])
async def test_a_file_that_is_cut_off_anywhere_is_read_or_refused_as_unreadable(kind: str) -> None:
    """So is one of which a byte is wrong."""
    data = written(kind)
    for at in range(0, len(data), 7):
        for broken in (data[:at], data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]):
            try:
                picture = await read_image(broken)
            except ImageUnreadable:
                continue
            assert picture.width > 0
