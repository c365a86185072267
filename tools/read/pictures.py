"""Pictures, made small enough for the model. Blocking; called in a thread.

How many pixels a picture says it has is looked at before any of them is decoded.
"""

from __future__ import annotations

import base64
import io
import warnings
from types import ModuleType
from typing import TYPE_CHECKING

from tools.contract import ToolError
from tools.read.shown import Image, Picture

if TYPE_CHECKING:
    from PIL.Image import Image as Decoded

# What the model looks at is never larger than this; more would only be sent, not seen.
LONGEST_SIDE = 1_568
PIXELS_PER_TOKEN = 750
PICTURE_TOKENS = 1_600
# As sent, before it is written as text.
PICTURE_BYTES = 512 << 10
MOST_PIXELS = 89_000_000

# What the API takes as it is, and what else can be made into it.
_SENT_AS_IT_IS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
_DECODED = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
# A JPEG with more pictures behind the first, as telephones make them.
_SAME = {"MPO": "JPEG"}
_JPEG_QUALITIES = (85, 70, 50, 30)
_PLAIN_MODES = ("1", "L", "P", "RGB", "RGBA")
_ORIENTATION = 0x0112


def image_of(data: bytes, name: str) -> Image:
    """The picture in these bytes; a ToolError where there is none, or too much of one."""
    pillow = _pillow()
    try:
        with pillow.open(io.BytesIO(data), formats=_DECODED) as opened:
            width, height = opened.size
            if width * height > MOST_PIXELS:
                raise _too_many_pixels(name)
            frames = int(getattr(opened, "n_frames", 1))
            format = _SAME.get(opened.format or "", opened.format or "")
            picture = _as_it_is(opened, data, frames) or picture_of(_decoded(opened), lossless=format != "JPEG")
            return Image(format=format, width=width, height=height, frames=frames, picture=picture)
    except (pillow.DecompressionBombError, pillow.DecompressionBombWarning):
        raise _too_many_pixels(name) from None
    except pillow.UnidentifiedImageError:
        raise _broken(name, "its header is not whole") from None
    except (OSError, SyntaxError, ValueError, EOFError, MemoryError, IndexError) as error:
        raise _broken(name, str(error)) from None


def picture_of(decoded: Decoded, *, lossless: bool) -> Picture:
    """Small enough in pixels and in bytes. Lossless keeps letters sharp; where it takes too much, it gives way."""
    decoded.thumbnail(_fitting(*decoded.size))
    if lossless and len(png := _encoded(decoded, "PNG")) <= PICTURE_BYTES:
        return _picture(png, "image/png", decoded)
    flat = _on_white(decoded)
    while True:
        for quality in _JPEG_QUALITIES:
            jpeg = _encoded(flat, "JPEG", quality)
            if len(jpeg) <= PICTURE_BYTES:
                return _picture(jpeg, "image/jpeg", flat)
        flat.thumbnail((flat.width // 2, flat.height // 2))


def _as_it_is(opened: Decoded, data: bytes, frames: int) -> Picture | None:
    """The file's own bytes, where they need no change; they are decoded all the same, or nobody knew if they can be."""
    media_type = _SENT_AS_IT_IS.get(opened.format or "")
    fits = len(data) <= PICTURE_BYTES and opened.size == _fitting(*opened.size)
    if media_type is None or not fits or frames > 1 or opened.mode not in _PLAIN_MODES:
        return None
    if opened.getexif().get(_ORIENTATION, 1) != 1:
        return None
    opened.load()
    return _picture(data, media_type, opened)


def _decoded(opened: Decoded) -> Decoded:
    """Upright, and in colours that can be written."""
    from PIL import ImageOps

    # A JPEG can be decoded at an eighth of its size, which takes an eighth of the time.
    opened.draft("RGB", _fitting(*opened.size))
    upright = ImageOps.exif_transpose(opened)
    if upright.mode in ("L", "RGB", "RGBA"):
        return upright
    transparent = "A" in upright.mode or "transparency" in upright.info
    return upright.convert("RGBA" if transparent else "RGB")


def scale_that_fits(width: float, height: float) -> float:
    """By which a picture of that size is as large as one may be shown."""
    return min(LONGEST_SIDE / max(width, height), (PICTURE_TOKENS * PIXELS_PER_TOKEN / (width * height)) ** 0.5)


def _fitting(width: int, height: int) -> tuple[int, int]:
    """The size a picture is shown in, in the same proportions."""
    scale = min(1.0, scale_that_fits(width, height))
    return max(1, int(width * scale)), max(1, int(height * scale))


def _on_white(decoded: Decoded) -> Decoded:
    if decoded.mode != "RGBA":
        return decoded.convert("RGB")
    ground = _pillow().new("RGB", decoded.size, "white")
    ground.paste(decoded, mask=decoded.getchannel("A"))
    return ground


def _encoded(decoded: Decoded, format: str, quality: int = 0) -> bytes:
    out = io.BytesIO()
    decoded.save(out, format, **({"quality": quality} if quality else {}))
    return out.getvalue()


def _picture(data: bytes, media_type: str, decoded: Decoded) -> Picture:
    return Picture(
        media_type=media_type,
        width=decoded.width,
        height=decoded.height,
        base64=base64.b64encode(data).decode("ascii"),
    )


def _pillow() -> ModuleType:
    """Imported late. A bomb is no matter for a warning, and what else it warns of must not land on the screen."""
    from PIL import Image as pillow

    warnings.filterwarnings("ignore", module=r"PIL\.")
    warnings.simplefilter("error", pillow.DecompressionBombWarning)
    return pillow


def _too_many_pixels(name: str) -> ToolError:
    message = f"{name} has more than {MOST_PIXELS // 1_000_000} million pixels. Make it smaller with a command first."
    return ToolError(message, "too_large")


def _broken(name: str, why: str) -> ToolError:
    message = f"{name} begins like an image but cannot be decoded ({why}). Look at it with a command."
    return ToolError(message, "binary")
