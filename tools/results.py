"""How much of a result the model gets, and where the rest is kept.

A result over its limit goes to a private file and the model gets a preview and the path; Read alone bounds itself and
is never stored (a stored Read would be read again). When the disk does not take it, the model is told what is lost.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tools.contract import EFFECTIVE_RESULT_CHARS, ResultContent, ToolError

BATCH_CHARS = 200_000
RESULT_BYTES = 400_000
PREVIEW_CHARS = 2_000
NO_OUTPUT = "(no output)"
# What the words around a preview take, at most about.
WORDS_CHARS = 300
STORE_QUOTA_BYTES = 2 * 1024**3
STORE_AGE_SECONDS = 30 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Fitted:
    """What the model gets of a result; `stored` is the file with the whole of it, `cut`: this is not the whole."""

    content: ResultContent
    stored: str | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class BatchItem:
    call_id: str
    fitted: Fitted
    # Read bounds itself and is left alone.
    exempt: bool = False


class ResultStore:
    """The results of one session: private files with random names, outside the repository.

    Only paths handed out here are readable without asking; a path that some text merely claims gives no access.
    """

    def __init__(self, folder: Path) -> None:
        # The real path: what is shown to the model must be one spelling, and the one that may be read.
        self.folder = Path(os.path.realpath(folder))
        self._handed_out: set[str] = set()

    def new_output(self, call_id: str) -> str:
        """A new, empty, private file for a command's output."""
        try:
            path, fd = self._create()
        except OSError as error:
            why = f"The output of a command could not be stored ({error.strerror}): {self.folder}"
            raise ToolError(f"{why}. Nothing was run; tell the person to make room there.", "failed") from None
        os.close(fd)
        self._handed_out.add(path)
        return path

    def keep(self, text: str) -> str | None:
        """Store a text; None when the disk does not take it (nothing half-written stays)."""
        try:
            path, fd = self._create()
        except OSError:
            return None
        try:
            # A full disk may show only when the file is closed.
            with open(fd, "w", encoding="utf-8", errors="replace", newline="") as file:
                file.write(text)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(path)
            return None
        self._handed_out.add(path)
        return path

    def hand_out(self, path: str) -> None:
        """Make a file of an earlier run of this session readable again. Links and files elsewhere are not."""
        if os.path.dirname(path) == str(self.folder) and not os.path.islink(path):
            self._handed_out.add(path)

    @property
    def readable(self) -> frozenset[str]:
        return frozenset(self._handed_out)

    def _create(self) -> tuple[str, int]:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = str(self.folder / f"{secrets.token_hex(12)}.txt")
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        return path, os.open(path, flags, 0o600)


def fit(content: ResultContent, declared: int | None, store: ResultStore, stored_at: str | None = None) -> Fitted:
    """One result within its own limit. `stored_at`: the file that already holds it all."""
    if not is_over(content, declared):
        return Fitted(content, stored_at)
    if declared is None:
        text = _text_of(content)
        return Fitted(_with_text(content, f"{preview_of(text)}\n\n[{_size(text)} Ask for a part of it.]"), cut=True)
    return _stored(content, store, stored_at)


def is_over(content: ResultContent, declared: int | None) -> bool:
    """Whether a result is over its limit in characters, or over the wall in bytes behind it, which holds for all."""
    text = _text_of(content)
    if declared is not None and len(text) > min(declared, EFFECTIVE_RESULT_CHARS):
        return True
    return len(text) * 4 > RESULT_BYTES and len(text.encode(errors="replace")) > RESULT_BYTES


def fit_batch(items: Sequence[BatchItem], store: ResultStore, limit: int = BATCH_CHARS) -> list[Fitted]:
    """The results of one message within the budget of the whole: the largest go to disk first.

    Where there are so many that even their previews would be too much together, the previews are shorter.
    """
    fitted = [item.fitted for item in items]
    sizes = [len(_text_of(one.content)) for one in fitted]
    total = sum(sizes)
    shown = max(0, min(PREVIEW_CHARS, limit // max(1, len(items)) - WORDS_CHARS))
    candidates = [index for index, item in enumerate(items) if not item.exempt and not item.fitted.cut]
    for index in sorted(candidates, key=lambda index: -sizes[index]):
        if total <= limit or sizes[index] <= shown + WORDS_CHARS:
            break
        fitted[index] = _stored(fitted[index].content, store, fitted[index].stored, shown)
        total += len(_text_of(fitted[index].content)) - sizes[index]
    return fitted


def preview_of(text: str, chars: int = PREVIEW_CHARS) -> str:
    """Head and tail, with how much is missing between them."""
    half = chars // 2
    missing = len(text) - 2 * half
    tail = text[len(text) - half :]
    return f"{text[:half]}\n… {missing} characters not shown …\n{tail}" if missing > 0 else text


def sweep(sessions: Path, now: float, live: frozenset[str], quota: int = STORE_QUOTA_BYTES) -> int:
    """Remove the oldest stored results over the age or the quota; never one of a live session. Returns how many."""
    files = sorted(_result_files(sessions))
    total, removed = sum(size for _, size, _ in files), 0
    for mtime, size, path in files:
        if total <= quota and now - mtime <= STORE_AGE_SECONDS:
            break
        if path.parent.parent.name in live:
            continue
        with contextlib.suppress(OSError):
            path.unlink()
            total, removed = total - size, removed + 1
    return removed


def _stored(content: ResultContent, store: ResultStore, stored_at: str | None, chars: int = PREVIEW_CHARS) -> Fitted:
    text = _text_of(content)
    path = stored_at or store.keep(text)
    if path is None:
        where = "The rest could not be stored (the disk is full or read-only) and is lost; ask for less."
    else:
        where = f"The whole is in {path}; use Read with offset and limit, or Grep, on that file."
    return Fitted(_with_text(content, f"{preview_of(text, chars)}\n\n[{_size(text)} {where}]"), path, cut=True)


def _size(text: str) -> str:
    return f"The result has {len(text)} characters."


def _with_text(content: ResultContent, text: str) -> ResultContent:
    """The same content with this in place of its texts; pictures and the like stay."""
    if isinstance(content, str):
        return text
    return [{"type": "text", "text": text}, *(block for block in content if block.get("type") != "text")]


def sendable(content: ResultContent) -> ResultContent:
    """A content the API takes: never empty, no blank text in it, and nothing that cannot be encoded."""
    if isinstance(content, str):
        return readable(content) if content and not content.isspace() else NO_OUTPUT
    blocks = [{**block, "text": readable(block["text"])} if block.get("type") == "text" else block for block in content]
    return [block for block in blocks if block.get("type") != "text" or block["text"].strip()] or NO_OUTPUT


def readable(text: str) -> str:
    """The text with halves of surrogate pairs (bytes of file names that are no text) replaced by a mark."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def _text_of(content: ResultContent) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", "")) for block in content if block.get("type") == "text")


def _result_files(sessions: Path) -> list[tuple[float, int, Path]]:
    found: list[tuple[float, int, Path]] = []
    for path in sessions.glob("*/*/results/*.txt"):
        # Another program of ours may be sweeping too.
        with contextlib.suppress(OSError):
            info = path.lstat()
            if stat.S_ISREG(info.st_mode):
                found.append((info.st_mtime, info.st_size, path))
    return found


def with_note(fitted: Fitted, note: str) -> Fitted:
    """The same result with a text for the model behind it (a hook's, or what the person changed)."""
    if not note:
        return fitted
    if isinstance(fitted.content, str):
        return replace(fitted, content=f"{fitted.content}\n\n{note}" if fitted.content else note)
    extra: list[dict[str, Any]] = [*fitted.content, {"type": "text", "text": note}]
    return replace(fitted, content=extra)
