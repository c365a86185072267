"""From bytes to the text a model sees, and back without touching what was not changed.

The text shown has no byte order mark and its lines end in \\n; the file keeps its encoding, its mark and the line
ends of every part that stays. VT, FF, NEL, U+2028 and a lone CR are data.
"""

from __future__ import annotations

import codecs
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tools.contract import ToolError

SNIFFED_BYTES = 8_192
MARK = "\ufeff"
MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LONGEST_MARK = max(map(len, MARKS))

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
)


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the text is stored: the codec's name, and the mark the file begins with."""

    codec: str = "utf-8"
    mark: bytes = b""


class Replacement(NamedTuple):
    """The characters from `start` to `end` of the text give way to `new`, whose lines end as the text's."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class TextFile:
    """`stored` has the file's own line ends; `text` is what is shown and matched."""

    stored: str
    encoding: Encoding = Encoding()

    @property
    def text(self) -> str:
        return with_lf(self.stored)

    @property
    def data(self) -> bytes:
        return self.encoding.mark + self.stored.encode(self.encoding.codec)

    @property
    def newline(self) -> str:
        """The line end most lines have; with a tie, the one seen first."""
        crlf = self.stored.count("\r\n")
        lf = self.stored.count("\n") - crlf
        if crlf == lf:
            first = self.stored.find("\n")
            return "\r\n" if first > 0 and self.stored[first - 1] == "\r" else "\n"
        return "\r\n" if crlf > lf else "\n"

    @property
    def mixed(self) -> bool:
        return 0 < self.stored.count("\r\n") < self.stored.count("\n")

    def replaced(self, replacements: Sequence[Replacement]) -> TextFile:
        """With the replacements made, which are in order and apart; everything else stays byte for byte."""
        newline = self.newline
        # Where, in the text shown, the line ends are that take two characters in the file.
        long_ends = [at - n for n, at in enumerate(_all(self.stored, "\r\n"))]
        parts: list[str] = []
        done = 0
        for one in replacements:
            parts.append(self.stored[done : one.start + bisect_left(long_ends, one.start)])
            parts.append(one.new.replace("\n", newline))
            done = one.end + bisect_left(long_ends, one.end)
        parts.append(self.stored[done:])
        after = "".join(parts)
        # A mark that was sent along with the first line is not a second one.
        twice = self.encoding.mark and after.startswith(MARK) and not self.stored.startswith(MARK)
        return TextFile(after.removeprefix(MARK) if twice else after, self.encoding)

    def rewritten(self, content: str) -> TextFile:
        """With new content throughout, in the file's own encoding and line ends."""
        text = content.removeprefix(MARK) if self.encoding.mark else content
        if "\n" in self.stored:
            text = with_lf(text).replace("\n", self.newline)
        return TextFile(text, self.encoding)


def decode(data: bytes, name: str) -> TextFile:
    """The file's text, or a refusal: binary, or undecodable."""
    encoding = sniff(data[:SNIFFED_BYTES], name)
    try:
        return TextFile(data[len(encoding.mark) :].decode(encoding.codec), encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = (
            f"{name} is not valid {encoding.codec.upper()} (first at line {line}), so a change could damage it. "
            "Change it with a command that works on bytes."
        )
        raise ToolError(message, "undecodable") from None


def sniff(head: bytes, name: str) -> Encoding:
    """The encoding, judged by a file's first bytes; binary ones are refused, whatever the name ends in."""
    kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")
    if head.startswith(codecs.BOM_UTF16_LE) and not head.startswith(codecs.BOM_UTF32_LE):
        return Encoding("utf-16-le", codecs.BOM_UTF16_LE)
    if head.startswith(codecs.BOM_UTF16_BE):
        return Encoding("utf-16-be", codecs.BOM_UTF16_BE)
    if kind or b"\0" in head:
        message = f"{name} is {kind or 'a binary file'}, not text; use a command that understands it."
        raise ToolError(message, "binary")
    return Encoding("utf-8", codecs.BOM_UTF8 if head.startswith(codecs.BOM_UTF8) else b"")


def with_lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def refuse_no_characters(text: str, what: str) -> None:
    """Half a surrogate pair cannot be written to any file."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ToolError(
            f"{what} holds half a surrogate pair, which is no character; write it again.", "bad_text"
        ) from None


def line_at(text: str, position: int) -> int:
    """The number, from 1, of the line that holds this character."""
    return text.count("\n", 0, position) + 1


def count_lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") if text else 0)


def _all(text: str, wanted: str) -> list[int]:
    found: list[int] = []
    at = text.find(wanted)
    while at >= 0:
        found.append(at)
        at = text.find(wanted, at + len(wanted))
    return found
