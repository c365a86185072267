"""The rules of an edit over random files: the same outcome and the same bytes as the plain reference has."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.desk import Desk
from tests.tools.edit.reference import FOLD, Edited, edited
from tools.contract import ToolError

# Little enough that places repeat, overlap and touch; with all that other programs take for a line end, or normalise.
PIECES = ["a", "a", "a", "b", "ab", " ", "\t", "\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\ufeff"]
PIECES += ["\u00e9", "e\u0301", "\u212b", "\U0001f44d", "$&", "\\1", '"', "'", "\u201c", "\u2019", "\u2033", "`"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
STORED = st.sampled_from([("", "utf-8"), ("\ufeff", "utf-8"), ("\ufeff", "utf-16-le"), ("\ufeff", "utf-16-be")])
ODD = st.sampled_from([None, b"", b"caf\xe9", b"a\0b", b"\xff\xfea", b"\xed\xa0\x80", b"\x89PNG\r\n\x1a\n\0"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    mark, codec = draw(STORED)
    return (mark + draw(TEXTS)).encode(codec)


@st.composite
def wishes(draw: st.DrawFn) -> tuple[bytes | None, str, str, bool]:
    """A file, and an edit of something that most often stands in it."""
    before = draw(st.one_of(files(), files(), files(), ODD))
    text = (before or b"").decode("utf-16" if before and before[:1] in (b"\xff", b"\xfe") else "utf-8", "replace")
    start = draw(st.integers(0, len(text)))
    standing = text[start : start + draw(st.sampled_from([1, 1, 2, 4, 0]))]
    old = draw(st.sampled_from([standing, standing.replace("\r\n", "\n"), straight(standing), draw(TEXTS)]))
    return (
        before,
        old,
        draw(st.sampled_from([*(draw(TEXTS) for _ in range(3)), old, "", old + "x"])),
        draw(st.booleans()),
    )


def straight(text: str) -> str:
    return "".join(FOLD.get(character, character) for character in text)


def really_edited(before: bytes | None, old: str, new: str, everywhere: bool) -> Edited:
    """Read, then Edit, on a real file."""
    with tempfile.TemporaryDirectory() as folder:
        desk, path = Desk(Path(folder)), Path(folder, "a.txt")
        if before is not None:
            path.write_bytes(before)
        outcome = "ok"
        try:
            desk.read("a.txt")
        except ToolError:
            assert before is None or b"\0" in before or b"\xff" in before or b"\xfe" in before
        try:
            desk.edit("a.txt", old, new, replace_all=everywhere)
        except ToolError as error:
            outcome = error.code
        return Edited(outcome, path.read_bytes() if path.exists() else None)


@settings(max_examples=200)
@given(wishes())
@example((None, "", "a\r\nb\n", False))
@example((b"", "", "a\r\nb\n", False))
@example((b"\xef\xbb\xbfa\n", "a", "\ufeffb", False))
@example((b"a\n", "\ufeffa", "b", False))
@example((b"aaaa", "aaa", "X", False))
@example(("\ufeffb\n\ufeffb c".encode(), "\ufeffb", "x", False))
@example((b"a\nb\r\n", "a", "x\ny", False))
@example((b"\r\r\n", "\r\r\n", "\r\r\nx", False))
def test_R1_to_R13_an_edit_ends_as_the_reference_says_byte_for_byte(wish: tuple[bytes | None, str, str, bool]) -> None:
    wanted, real = edited(*wish), really_edited(*wish)
    if not wanted.folded:
        assert real == wanted
    elif wanted.outcome == "not_unique":
        assert real == Edited("not_unique", wish[0])
    else:
        # Of the new quotes only the style is open.
        assert real.outcome in ("ok", "no_change")
        assert folded(real.after) == folded(wanted.after)


def folded(data: bytes | None) -> str:
    assert data is not None
    return straight(data.decode("utf-16" if data[:1] in (b"\xff", b"\xfe") else "utf-8"))
