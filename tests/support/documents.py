"""Pictures, PDFs and notebooks, made by hand, so that a test says exactly what is in them."""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Sequence
from random import Random
from typing import Any


def picture(
    width: int, height: int, format: str = "PNG", mode: str = "RGB", *, noise: bool = False, **how: Any
) -> bytes:
    """Of one colour, or of noise, which no format makes smaller."""
    from PIL import Image

    if noise:
        made = Image.frombytes(mode, (width, height), Random(1).randbytes(width * height * len(mode)))
    else:
        made = Image.new(mode, (width, height), 128 if len(mode) == 1 else (200, 30, 30, 255)[: len(mode)])
    out = io.BytesIO()
    made.save(out, format, **how)
    return out.getvalue()


def png_that_says(width: int, height: int) -> bytes:
    """A picture's header with next to nothing behind it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


def pdf(pages: Sequence[str], size: tuple[int, int] = (612, 792), *, claimed: int | None = None) -> bytes:
    """A page for each text, empty ones without any; `claimed` is how many pages it says it has."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {claimed if claimed is not None else count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for index, text in enumerate(pages):
        shown = " T* ".join(f"({line}) Tj" for line in text.split("\n")) if text else ""
        drawn = f"BT /F1 12 Tf 14 TL 72 {size[1] - 72} Td {shown} ET" if text else "0 0 m"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size[0]} {size[1]}] /Contents {5 + 2 * index} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    return _pdf_of(objects)


def notebook(*cells: dict[str, Any], minor: int = 5, indent: int | None = 1, **metadata: Any) -> str:
    """As Jupyter writes it."""
    whole = {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": minor}
    return json.dumps(whole, indent=indent, ensure_ascii=False) + "\n"


def code(source: str, *outputs: dict[str, Any], id: str | None = None) -> dict[str, Any]:
    identity = {"id": id} if id is not None else {}
    lines = source.splitlines(keepends=True)
    return {
        "cell_type": "code", "execution_count": 1, **identity, "metadata": {}, "outputs": list(outputs), "source": lines,
    }  # fmt: skip


def markdown(source: str, id: str | None = None) -> dict[str, Any]:
    identity = {"id": id} if id is not None else {}
    return {"cell_type": "markdown", **identity, "metadata": {}, "source": source.splitlines(keepends=True)}


def _pdf_of(objects: Sequence[str]) -> bytes:
    out = b"%PDF-1.4\n"
    places: list[int] = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    return out + f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
