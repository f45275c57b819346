"""The file of a picture: its parts are counted, and a decoder gets only those that it needs for the first frame.

The work of a decoder grows with the parts of a file, not with its bytes: a scan of a JPEG has 42 bytes and costs a
pass over all pixels. Metadata, later frames, and whatever follows the end are left out. What is cut off or wrong
otherwise is kept as it is: the decoder refuses it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from server.errors import ImageUnreadable

MOST_SCANS = 64
"""Scans of a JPEG. Progressive ones of cameras and editors have about 10."""

MOST_SEGMENTS = 1_000
"""Segments of a JPEG, in front of its end. A profile or a depth map of 10 MiB has 160."""

MOST_TABLES = 4_096
"""Bytes of a segment of tables, of a frame or of the head of a scan. All tables of one kind have 2,188."""

MOST_CHUNKS = 10_000
"""Chunks of a PNG or a WebP. 10 MiB in chunks of 4 KiB have 2,560."""

MOST_BLOCKS = 65_536
"""Blocks of a GIF up to the end of its first frame. 10 MiB in blocks of 255 bytes have 41,000."""

MOST_STRAY_BYTES = 1_000
"""Bytes of a GIF between two blocks. Some encoders end a block twice."""

MOST_TAGS = 1_000
"""Tags of EXIF that are looked at for the orientation."""

SEARCHED_AT_ONCE = 65_536
"""Bytes: other threads wait for the end of a search."""

_MARKER = re.compile(rb"\xff[\xc0-\xcf\xd8-\xfe]")
"""What begins a segment: no restart within a scan, and no byte 255 of its data."""

_NEEDED_OF_JPEG = frozenset({0xC0, 0xC1, 0xC2, 0xC4, 0xDA, 0xDB, 0xDD, 0xE0, 0xEE})
"""Frames that are baseline, extended or progressive, tables, scans, and what tells the colours (JFIF, Adobe)."""

_OTHER_FRAMES = frozenset({*range(0xC3, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Lossless, hierarchical and arithmetic ones, which no browser shows. The last cost much for few bytes."""

_START, _END, _SCAN, _APP0, _APP1 = 0xD8, 0xD9, 0xDA, 0xE0, 0xE1
_NEEDED_OF_PNG = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})
_NEEDED_OF_WEBP = frozenset({b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF"})
_ALPHA_AND_ANIMATION = 0x12
_BLOCK = re.compile(rb"[!,;]")
"""What begins an extension, a frame or the end of a GIF."""

_EXIF = b"Exif\0\0"
_ORDERS: Mapping[bytes, Literal["little", "big"]] = {b"II*\0": "little", b"MM\0*": "big"}
_ORIENTATION = 0x0112
_INTEGERS = {1: 1, 3: 2, 4: 4}
"""The bytes of a number, by its type in EXIF."""


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A file without metadata, and the orientation (1 to 8) that they gave; 0 is unknown."""

    data: bytes
    orientation: int


def plain_file(data: bytes) -> PictureFile:
    """Return what a decoder needs of a file, in one pass over it. Raises ImageUnreadable for too many parts."""
    for start, read in _READERS.items():
        if start.match(data):
            return read(data)
    raise ImageUnreadable


def _jpeg(data: bytes) -> PictureFile:
    kept, exif = [data[:2]], b""
    last = scans = 0
    at = 2
    for number, found in enumerate(_markers(data)):
        if last == _SCAN:
            kept.append(data[at : found.start()])
        last = data[found.start() + 1]
        if last in {_START, _END}:
            return PictureFile(b"".join([*kept, found[0]]), _orientation(exif))
        scans += last == _SCAN
        if number >= MOST_SEGMENTS or scans > MOST_SCANS or last in _OTHER_FRAMES:
            raise ImageUnreadable
        at = _end_of_segment(data, found.start())
        if last in _NEEDED_OF_JPEG:
            if last < _APP0 and at - found.start() > MOST_TABLES:
                raise ImageUnreadable
            kept.append(data[found.start() : at])
        elif last == _APP1 and not exif and data.startswith(_EXIF, found.end() + 2):
            exif = data[found.end() + 2 : at]
    if not scans:
        raise ImageUnreadable  # Pillow looks for one in Python, byte by byte.
    tail = data[at:] if last == _SCAN else b""
    return PictureFile(b"".join([*kept, tail]), _orientation(exif))


def _markers(data: bytes) -> Iterator[re.Match[bytes]]:
    """Give the beginning of each segment. What is between two is data of a scan, or nothing that counts."""
    at = 2
    while at < len(data):
        found = _MARKER.search(data, at, at + SEARCHED_AT_ONCE + 1)
        if found:
            yield found
        at = _end_of_segment(data, found.start()) if found else at + SEARCHED_AT_ONCE


def _end_of_segment(data: bytes, start: int) -> int:
    return start + 2 + max(2, int.from_bytes(data[start + 2 : start + 4]))


def _png(data: bytes) -> PictureFile:
    kept, exif = [data[:8]], b""
    for kind, start, end in _chunks(data, 8):
        if kind in _NEEDED_OF_PNG:
            kept.append(data[start:end])
        elif kind == b"eXIf" and not exif:
            exif = data[start + 8 : end - 4]
        if kind == b"IEND":
            break
    return PictureFile(b"".join(kept), _orientation(exif))


def _chunks(data: bytes, at: int) -> Iterator[tuple[bytes, int, int]]:
    """Give the type, the beginning and the end of each chunk of a PNG. Raises ImageUnreadable for too many."""
    for _ in range(MOST_CHUNKS):
        if at >= len(data):
            return
        end = at + 12 + int.from_bytes(data[at : at + 4])
        yield data[at + 4 : at + 8], at, end
        at = end
    raise ImageUnreadable


def _webp(data: bytes) -> PictureFile:
    kept, exif, animated = [], b"", False
    for kind, start, end in _riff_chunks(data, 12):
        if kind == b"VP8X":
            flags = data[start + 8 : start + 9]
            plain = bytes([flags[0] & _ALPHA_AND_ANIMATION]) if flags else b""
            kept += [data[start : start + 8], plain, data[start + 9 : end]]
        elif kind in _NEEDED_OF_WEBP and not (animated and kind == b"ANMF"):
            animated = animated or kind == b"ANMF"
            kept.append(data[start:end])
        elif kind == b"EXIF" and not exif:
            exif = data[start + 8 : end]
    body = b"".join(kept)
    return PictureFile(b"RIFF" + (4 + len(body)).to_bytes(4, "little") + b"WEBP" + body, _orientation(exif))


def _riff_chunks(data: bytes, at: int) -> Iterator[tuple[bytes, int, int]]:
    """Give the type, the beginning and the end of each chunk of a WebP. Raises ImageUnreadable for too many."""
    for _ in range(MOST_CHUNKS):
        if at >= len(data):
            return
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        end = at + 8 + size + size % 2
        yield data[at : at + 4], at, end
        at = end
    raise ImageUnreadable


def _gif(data: bytes) -> PictureFile:
    """Keep the head, the last extension that tells the colour without pixels, and the first frame."""
    at = 13 + _size_of_palette(data[10:11])
    kept = [data[:at]]
    control, blocks = b"", 0
    while (found := _BLOCK.search(data, at, at + MOST_STRAY_BYTES)) and found[0] == b"!":
        at = found.start()
        end, blocks = _end_of_blocks(data, at + 2, blocks)
        if data[at + 1 : at + 2] == b"\xf9":
            control = data[at:end]
        at = end
    if found is None or found[0] == b";":
        raise ImageUnreadable
    at = found.start()
    pixels = at + 11 + _size_of_palette(data[at + 9 : at + 10])
    end, _ = _end_of_blocks(data, pixels, blocks)
    return PictureFile(b"".join([*kept, control, data[at:end], b";"]), 0)


def _size_of_palette(flags: bytes) -> int:
    """Return the bytes of a palette of a GIF, by the byte that announces it."""
    return 6 << (flags[0] & 7) if flags and flags[0] & 0x80 else 0


def _end_of_blocks(data: bytes, at: int, blocks: int) -> tuple[int, int]:
    """Return where blocks of data end, and how many there are with those before. Raises ImageUnreadable."""
    while blocks < MOST_BLOCKS:
        blocks += 1
        size = data[at] if at < len(data) else 0
        at += 1 + size
        if not size:
            return at, blocks
    raise ImageUnreadable


_READERS: Mapping[re.Pattern[bytes], Callable[[bytes], PictureFile]] = {
    re.compile(rb"\xff\xd8\xff"): _jpeg,
    re.compile(rb"\x89PNG\r\n\x1a\n"): _png,
    re.compile(rb"(?s)RIFF.{4}WEBP"): _webp,
    re.compile(rb"GIF8[79]a"): _gif,
}


def _orientation(exif: bytes) -> int:
    """Return the orientation in EXIF data; 0 where they have none or cannot be read."""
    tags = exif.removeprefix(_EXIF)
    order = _ORDERS.get(tags[:4])
    if order is None:
        return 0
    first = int.from_bytes(tags[4:8], order)
    count = int.from_bytes(tags[first : first + 2], order)
    end = min(first + 2 + 12 * min(count, MOST_TAGS), len(tags) - 11)
    for at in range(first + 2, end, 12):
        if int.from_bytes(tags[at : at + 2], order) == _ORIENTATION:
            size = _INTEGERS.get(int.from_bytes(tags[at + 2 : at + 4], order), 0)
            return int.from_bytes(tags[at + 8 : at + 8 + size], order)
    return 0
