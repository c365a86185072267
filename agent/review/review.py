"""The session's changes as the person looks through them: kept, taken back, put back, commented on.

What is written goes through the one writer, on the file as it is by then: where others changed it meanwhile, the lines
are looked for in what it holds now, and nothing is done where they meet. Lines of others are never touched.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from agent.checkpoints.steps import History
from agent.context.reminders import one_line
from agent.review.git import NOT_TRUSTED, GitRefused, Repository, find_repository
from agent.review.hunks import FileChanges, Hunk, changes_of, unread
from agent.review.lines import Edit, lines_of, rebased, with_edits
from agent.review.staging import Kept, Staged, commit, stage
from tools.contract import ToolError
from tools.files import KEPT_BYTES, Files, hash_bytes
from tools.ports import Launcher
from tools.regular import look, read_whole
from tools.short import counted
from tools.threads import in_thread, to_the_end

BUSY = "A call is changing files just now; take it back when that has ended."
Key = tuple[object, ...]


class NotDone(Exception):
    """What the person wanted and did not get: a sentence that says why and what to do."""


@dataclass(frozen=True, slots=True)
class Splice:
    """A change to be made in a file that held `made_on`: an edit of its lines, or the whole of it. None: no file."""

    path: str
    made_on: bytes | None
    edit: Edit | None = None
    whole: bytes | None = None


@dataclass(frozen=True, slots=True)
class Turned:
    """What the person did to a file: `hash` is what it holds now, `words` say which lines that was about."""

    path: str
    hash: str | None
    words: str
    back: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A hunk as it stands in the review. `forth`, where it was taken back: what puts it back."""

    path: str
    key: Key
    hunk: Hunk
    kept: bool = False
    forth: Splice | None = None
    comment: str = ""

    @property
    def undone(self) -> bool:
        return self.forth is not None


@dataclass(frozen=True, slots=True)
class FileItems:
    changes: FileChanges
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class ReviewParts:
    """What a review works with. `turned` is told of each file the person changed; `lock` is the session's own."""

    history: History
    files: Files
    launcher: Launcher
    folder: str
    lock: asyncio.Lock
    trusted: Callable[[], bool]
    turned: Callable[[Turned], None]


class Review:
    """`look` reads files: not for the loop's thread."""

    def __init__(self, parts: ReviewParts) -> None:
        self._parts = parts
        self._kept: set[Key] = set()
        self._undone: dict[Key, Item] = {}
        self._comments: dict[Key, tuple[str, Item]] = {}
        # What the model has not heard of yet.
        self._news: dict[Key, Turned] = {}

    # -- looking

    def paths(self) -> list[str]:
        """All files of the session that anything happened to, in the order of their first change."""
        return list(dict.fromkeys(step.path for step in self._parts.history.steps()))

    def look(self, path: str) -> FileItems:
        """What became of a file, as it is on the disk now."""
        steps = self._parts.history.steps(path)
        try:
            now, seen_at = _held(path)
            changes = changes_of(steps, self._parts.history.content, now, seen_at)
        except ToolError as error:
            changes = unread(steps, error.message)
        items = [self._item(path, key, hunk) for key, hunk in _keyed(changes)]
        there = {(item.hunk.removed, item.hunk.added) for item in items}
        for item in list(self._undone.values()):
            # Made again by somebody: then it is no longer taken back.
            if item.path == path and (item.hunk.removed, item.hunk.added) not in there:
                items.append(replace(item, comment=self._comment(item.key)))
        return FileItems(changes, tuple(sorted(items, key=lambda item: (item.hunk.was, item.hunk.at))))

    def again(self, found: FileItems) -> FileItems:
        """The same, with what the person has decided of it since; no file is read."""
        marked = (replace(one, kept=one.key in self._kept, comment=self._comment(one.key)) for one in found.items)
        return FileItems(found.changes, tuple(marked))

    def _item(self, path: str, key: Key, hunk: Hunk) -> Item:
        return Item(path, key, hunk, key in self._kept, None, self._comment(key))

    def _comment(self, key: Key) -> str:
        return self._comments[key][0] if key in self._comments else ""

    # -- keeping and commenting

    def keep(self, item: Item) -> bool:
        """Keep it, or no longer; whether it is kept now. Raises NotDone."""
        _refuse_others(item)
        if item.undone:
            raise NotDone("It was taken back; u puts it back first.")
        self._kept ^= {item.key}
        return item.key in self._kept

    def comment(self, item: Item, words: str) -> None:
        """Empty words take the comment away."""
        if words.strip():
            self._comments[item.key] = (words.strip(), item)
        else:
            self._comments.pop(item.key, None)

    @property
    def comments(self) -> int:
        return len(self._comments)

    def take_comments(self, short: Callable[[str], str]) -> str:
        """All comments as one message for the model; from then on they are said."""
        said = [f"- {_place(item, short)}: {words}" for words, item in self._comments.values()]
        self._comments.clear()
        return "\n".join(["On the changes of this session:", *said])

    # -- taking back

    async def take_back(self, changes: FileChanges, item: Item) -> None:
        """The lines are as they were at the start. Raises NotDone."""
        _refuse_others(item)
        if changes.lost:
            raise NotDone(f"It cannot be taken back: {changes.unread}.")
        forth = await self._splice(_backwards(changes, item.hunk), item, back=True)
        self._kept.discard(item.key)
        self._undone[item.key] = replace(item, kept=False, forth=forth)

    async def put_back(self, item: Item) -> None:
        """What was taken back is there again. Raises NotDone."""
        assert item.forth is not None, "only what was taken back can be put back"
        await self._splice(item.forth, item, back=False)
        self._undone.pop(item.key, None)

    def news(self) -> tuple[str, ...]:
        """What the model is to hear with its next message; once."""
        news, self._news = self._news, {}
        if not news:
            return ()
        lines = [f"- {one_line(one.path)}: {one.words}" for one in news.values()]
        said = "The person changed files themselves, in the review of your changes. It is meant so; leave it:"
        return ("\n".join([said, *lines]),)

    async def _splice(self, splice: Splice, item: Item, back: bool) -> Splice:
        if self._parts.lock.locked():
            raise NotDone(BUSY)
        async with self._parts.lock:
            try:
                inverse, turned = await to_the_end(lambda: self._write(splice, back))
            except ToolError as error:
                raise NotDone(error.message) from None
        if item.key in self._news:
            # There and back again before anybody heard of it.
            del self._news[item.key]
        else:
            self._news[item.key] = turned
        self._parts.turned(turned)
        return inverse

    def _write(self, splice: Splice, back: bool) -> tuple[Splice, Turned]:
        """What takes it back again, and what was done. Raises NotDone and ToolError."""
        files, path = self._parts.files, splice.path
        call_id = f"review-{len(self._parts.history.steps()) + 1}"
        with files.turn(path):
            now, _ = _held(path)
            after, inverse, words = _planned(splice, now, back)
            if after is None:
                assert now is not None, "what is to go is there"
                files.remove(path, expected=hash_bytes(now), call_id=call_id)
            else:
                with files.parents(path):
                    files.write(path, after, expected=None if now is None else hash_bytes(now), call_id=call_id)
        return inverse, Turned(path, None if after is None else hash_bytes(after), words, back)

    # -- staging

    def kept(self) -> tuple[list[Kept], list[str]]:
        """What is kept, by file; and files of which it cannot be staged, with the reason. It reads files."""
        found: list[Kept] = []
        left_out: list[str] = []
        for path in dict.fromkeys(str(key[0]) for key in self._kept):
            looked = self.look(path)
            hunks = [item.hunk for item in looked.items if item.kept]
            if looked.changes.lost:
                left_out.append(f"{path}: {looked.changes.unread}")
            elif hunks:
                found.append(_kept(looked.changes, hunks))
        return found, left_out

    async def stage(self) -> Staged:
        """The kept hunks into git's index. Raises NotDone."""
        return await self._to_git(lambda repository, kept: in_thread(stage, repository, kept))

    async def commit(self, message: str) -> Staged:
        """The kept hunks as a commit of their own. Raises NotDone."""
        return await self._to_git(lambda repository, kept: commit(repository, kept, message, self._parts.launcher))

    async def _to_git(self, work: Callable[[Repository, list[Kept]], Awaitable[Staged]]) -> Staged:
        kept, left_out = await in_thread(self.kept)
        if not kept:
            raise NotDone("; ".join(left_out) or "Nothing is kept yet: k keeps a hunk.")
        try:
            repository = await in_thread(self._repository)
            done = await work(repository, kept)
        except GitRefused as problem:
            raise NotDone(str(problem)) from None
        return replace(done, left_out=(*left_out, *done.left_out))

    def _repository(self) -> Repository:
        """In a thread. Raises GitRefused."""
        repository = find_repository(self._parts.folder)
        if not self._parts.trusted() and not repository.runs_nothing_of_its_own(hooks=True):
            raise GitRefused(NOT_TRUSTED)
        return repository


def _held(path: str) -> tuple[bytes | None, float]:
    """What the file holds now, and since when. What is no file any more, a folder for instance, holds nothing."""
    try:
        there = look(path)
        if there is not None and there.st_size > KEPT_BYTES:
            raise ToolError(f"larger than {KEPT_BYTES >> 20} MiB", "too_large")
        if there is not None:
            data, stat = read_whole(path)
            return data, stat.st_mtime
    except ToolError as error:
        if error.code not in ("file_missing", "is_directory", "not_regular"):
            raise
    return None, time.time()


def _keyed(changes: FileChanges) -> Iterator[tuple[Key, Hunk]]:
    """What tells a hunk from the others, also after the lines around it have moved."""
    counted: Counter[Key] = Counter()
    for hunk in changes.hunks:
        key: Key = (changes.path, hunk.removed, hunk.added, tuple(step.number for step in hunk.steps))
        counted[key] += 1
        yield (*key, counted[key]), hunk


def _backwards(changes: FileChanges, hunk: Hunk) -> Splice:
    if hunk.whole:
        return Splice(changes.path, changes.now, whole=changes.start)
    return Splice(changes.path, changes.now, hunk.back)


def _planned(splice: Splice, now: bytes | None, back: bool) -> tuple[bytes | None, Splice, str]:
    """What the file is to hold, what takes it back again, and what that is in words. Raises NotDone."""
    if splice.edit is None:
        if now != splice.made_on:
            raise NotDone("The file was changed meanwhile: look at what is there now.")
        words = "it is gone" if splice.whole is None else "it is there again" if now is None else "all of it"
        return splice.whole, Splice(splice.path, splice.whole, whole=now), f"{words}, {_as(back)}"
    if now is None:
        raise NotDone("The file was deleted meanwhile: there is nothing to take this out of.")
    lines = lines_of(now)
    edits = rebased([splice.edit], lines_of(splice.made_on), lines)
    if edits is None:
        raise NotDone("These lines were changed meanwhile: look at what is there now.")
    if not edits:
        raise NotDone("It is so already.")
    (edit,) = edits
    after = b"".join(with_edits(lines, edits))
    inverse = Edit(edit.first, edit.first + len(edit.new), lines[edit.first : edit.last])
    return after, Splice(splice.path, after, inverse), _in_words(edit, back)


def _in_words(edit: Edit, back: bool) -> str:
    """By the numbers of the file as it is afterwards."""
    if not edit.new:
        return f"{counted(edit.last - edit.first, 'line')} taken out after line {edit.first}, {_as(back)}"
    first, last = edit.first + 1, edit.first + len(edit.new)
    return f"{f'line {first}' if first == last else f'lines {first}-{last}'}, {_as(back)}"


def _as(back: bool) -> str:
    return "as it was before your change" if back else "again as you had changed it"


def _refuse_others(item: Item) -> None:
    if item.hunk.whose == "others":
        raise NotDone("Somebody else made this: it stays as it is.")
    if item.hunk.whose == "mixed":
        raise NotDone("Somebody else changed these lines, too: they stay as they are. e opens them in the editor.")


def _kept(changes: FileChanges, hunks: Sequence[Hunk]) -> Kept:
    if any(hunk.whole for hunk in hunks):
        return Kept(changes.path, changes.start, changes.now, len(hunks), whole=bool(changes.unread))
    kept = b"".join(with_edits(lines_of(changes.start), [hunk.forth for hunk in hunks]))
    return Kept(changes.path, changes.start, kept, len(hunks))


def _place(item: Item, short: Callable[[str], str]) -> str:
    hunk = item.hunk
    first, last = hunk.at + 1, hunk.at + len(hunk.added)
    where = f"line {first}" if last <= first else f"lines {first}-{last}"
    whole = ", the whole file" if hunk.whole else f", {where}"
    return one_line(short(item.path)) + whole + (", which I took back" if item.undone else "")
