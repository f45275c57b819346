"""Pictures that tests send, and forms with files as a browser or Deep Chat writes them."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from io import BytesIO
from uuid import uuid4

from PIL import Image


def png(colour: str = "red", size: tuple[int, int] = (40, 30)) -> bytes:
    """Return a picture of one colour."""
    out = BytesIO()
    Image.new("RGB", size, colour).save(out, "PNG")
    return out.getvalue()


def noisy_png(size: tuple[int, int] = (400, 400)) -> bytes:
    """Return a picture that cannot be compressed."""
    out = BytesIO()
    Image.effect_noise(size, 100).save(out, "PNG")
    return out.getvalue()


def inline(data: bytes, kind: str = "image/png") -> str:
    """Return a data URL."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def form(
    fields: Mapping[str, str], files: Sequence[bytes], name: str = "files"
) -> tuple[bytes, dict[str, str]]:
    """Return a multipart form: its body, and the header that goes with it."""
    mark = f"form{uuid4().hex}"
    parts = [
        f'--{mark}\r\ncontent-disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
        for key, value in fields.items()
    ]
    disposition = f'content-disposition: form-data; name="{name}"; filename="a.png"'
    head = f"--{mark}\r\n{disposition}\r\ncontent-type: image/png\r\n\r\n"
    parts += [head.encode() + data + b"\r\n" for data in files]
    body = b"".join([*parts, f"--{mark}--\r\n".encode()])
    return body, {"content-type": f"multipart/form-data; boundary={mark}"}
