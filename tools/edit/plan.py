"""What an Edit would do, after its checks in their order, cheapest first. Every refusal has its code.

no_change, bad_path - file_missing, file_exists, is_directory, not_regular, too_large - binary, undecodable, not_read,
stale, not_found, not_unique - settings_invalid, secret_in_shared_file. (Deny rules speak before any file is looked at;
that is the pipeline's affair.)
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace

from tools.changing.change import Change
from tools.changing.target import (
    OF_SESSION,
    Target,
    credited_to,
    is_of_session,
    is_persons,
    is_stale,
    last_seen,
    named,
    opened,
    refuse_no_folder,
    refuse_stale,
    refuse_too_large,
    size_of,
)
from tools.context import ToolContext
from tools.contract import ToolError
from tools.diffs import changed_ranges
from tools.edit.matching import Places, places_of, replacements
from tools.edit.nearest import hint, lines_of, shown_lines
from tools.ledger.seen import SeenFile
from tools.regular import read_whole
from tools.short import line_words
from tools.textfile import LONGEST_MARK, MARK, MARKS, TextFile, refuse_no_characters, with_lf

# Of the places where somebody else changed a file.
RANGES_NAMED = 5


@dataclass(frozen=True, slots=True)
class Wish:
    """What the model wants, with line ends as they are matched; `given` is the new text as it came."""

    path: str
    old: str
    new: str
    everywhere: bool
    given: str


def plan_edit(wish: Wish, ctx: ToolContext) -> Change:
    if wish.old == wish.new:
        raise ToolError("old_string and new_string are the same; there is nothing to change.", "no_change")
    target = named(wish.path, ctx, wish.old + wish.new)
    refuse_no_characters(wish.old + wish.new, "The text")
    size = size_of(target)
    if size is None:
        return _created(target, wish, ctx)
    if not wish.old and not _holds_no_text(target, size):
        raise _not_empty(target)
    refuse_too_large(target, size)
    target = opened(target)
    assert target.file is not None, "an existing file was opened"
    if target.file.encoding.mark and wish.old.startswith(MARK) and wish.old not in target.text:
        # The mark is not part of the text shown; a model that sends it all the same means the start of the file.
        wish = replace(wish, old=wish.old.removeprefix(MARK), new=wish.new.removeprefix(MARK))
    if not wish.old:
        return _filled(target, wish, ctx)
    seen = last_seen(target, ctx)
    if is_stale(target, seen):
        return _rebased(target, wish, seen, ctx)
    return _replaced(target, wish, _places(target, wish))


def wish_of(path: str, old: str, new: str, everywhere: bool) -> Wish:
    return Wish(path, with_lf(old), with_lf(new), everywhere, new)


def _created(target: Target, wish: Wish, ctx: ToolContext) -> Change:
    if wish.old:
        message = f"{target.path} does not exist. To create it, leave old_string empty; else look for it with Glob."
        raise ToolError(message, "file_missing")
    refuse_no_folder(target, ctx)
    return Change(target, TextFile(wish.given))


def _filled(target: Target, wish: Wish, ctx: ToolContext) -> Change:
    """Without an old text only an empty file may be filled."""
    if target.text:
        raise _not_empty(target)
    seen = last_seen(target, ctx)
    if is_stale(target, seen):
        raise refuse_stale(target, seen, ctx, "it is empty now")
    assert target.file is not None, "an existing file was opened"
    return Change(target, target.file.rewritten(wish.given))


def _holds_no_text(target: Target, size: int) -> bool:
    """Nothing, or a byte order mark alone. A larger file is not opened to find out."""
    return size == 0 or (size <= LONGEST_MARK and read_whole(target.path)[0] in MARKS)


def _not_empty(target: Target) -> ToolError:
    message = f"{target.path} exists and is not empty; give the text to replace, or use Write for the whole file."
    return ToolError(message, "file_exists")


def _rebased(target: Target, wish: Wish, seen: SeenFile, ctx: ToolContext) -> Change:
    """Somebody changed the file: the edit goes into the new text only where it is apart from their change."""
    before = seen.snapshot.text
    places = places_of(target.text, wish.old, wish.everywhere)
    if before is None or not places.starts:
        raise refuse_stale(target, seen, ctx, "the text to replace is no longer known to be there")
    if len(places.starts) > 1 and not wish.everywhere:
        raise refuse_stale(target, seen, ctx, "the text to replace is no longer unique")
    changed = [_around(first, last) for first, last in changed_ranges(before, target.text)]
    if _touch(_lines_of_places(target.text, places.starts, len(wish.old)), changed):
        raise refuse_stale(target, seen, ctx, "their change touches the text you replace")
    where = line_words(changed, RANGES_NAMED) if changed else "its line ends or encoding"
    who, kept = "Somebody else had changed the file", "theirs"
    if command := credited_to(target, ctx):
        who, kept = f"While your command `{command}` ran, the file changed", "that change"
    elif is_persons(target, ctx):
        who = "The person had changed the file"
    elif is_of_session(target, ctx):
        who, kept = f"{OF_SESSION.capitalize()} had changed the file", "that change"
    note = f"{who} ({where}); the edit is made in the current text, {kept} stays."
    return replace(_replaced(target, wish, places), note=note, rebased=True)


def _lines_of_places(text: str, places: list[int], length: int) -> list[tuple[int, int]]:
    """The first and last line of each place, counted on from the one before: there may be very many."""
    found: list[tuple[int, int]] = []
    line, counted = 1, 0
    for at in places:
        line += text.count("\n", counted, at)
        counted = at
        found.append((line, line + text.count("\n", at, at + length - 1)))
    return found


def _touch(ranges: list[tuple[int, int]], others: list[tuple[int, int]]) -> bool:
    """Whether any of these ranges shares a line with any of the others; both are in order."""
    starts = [start for start, _ in others]
    for first, last in ranges:
        # The others do not overlap but by one line, so only the last ones that begin in time can reach here.
        candidates = others[: bisect_right(starts, last)][-2:]
        if any(first <= end for _, end in candidates):
            return True
    return False


def _around(first: int, last: int) -> tuple[int, int]:
    """The lines a change touches; a removal touches those on both sides of it."""
    return (max(first - 1, 1), first) if last < first else (first, last)


def _places(target: Target, wish: Wish) -> Places:
    places = places_of(target.text, wish.old, wish.everywhere)
    if not places.starts:
        message = f"The text to replace was not found in {target.path}. {hint(target.text, wish.old)}"
        raise ToolError(message, "not_found")
    if len(places.starts) > 1 and not wish.everywhere:
        where = lines_of(target.text, places.starts)
        message = f"The text to replace stands {places.number} times in {target.path} ({where}). "
        message += "Give more of what is around it, or set replace_all.\n"
        raise ToolError(message + shown_lines(target.text, places.starts), "not_unique")
    return places


def _replaced(target: Target, wish: Wish, places: Places) -> Change:
    assert target.file is not None, "an existing file was opened"
    if places.more:
        message = f"The text to replace stands {places.number} times in {target.path}; change it with a command."
        raise ToolError(message, "too_large")
    after = target.file.replaced(replacements(target.text, places.starts, wish.old, wish.new))
    if after == target.file:
        raise ToolError("The edit would leave the file as it is; there is nothing to change.", "no_change")
    return Change(target, after)
