"""What a file is, judged by its first bytes: its name may say anything."""

from __future__ import annotations

from typing import Literal

Kind = Literal["image", "pdf", "other"]

HEAD_BYTES = 64

_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")


def kind_of(head: bytes) -> Kind:
    webp = head.startswith(b"RIFF") and head[8:12] == b"WEBP"
    # Words may begin like a bitmap; its two reserved fields are no words.
    bitmap = head.startswith(b"BM") and head[6:10] == bytes(4)
    if head.startswith(_IMAGES) or webp or bitmap:
        return "image"
    return "pdf" if head.startswith(b"%PDF-") else "other"
