"""One search from its input to what it found, by ripgrep where there is one and by our own program where not."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tools.contract import ToolError
from tools.grep import fallback, ripgrep
from tools.grep.found import GrepOutput
from tools.grep.reading import Reading, files_of
from tools.grep.tool import GrepInput
from tools.search.child import DEADLINE_SECONDS, Ended, run
from tools.search.patterns import PathTest, path_test
from tools.search.ripgrep import find_rg
from tools.search.root import Root

MOST_ENTRIES = 10_000

# Hears now and then how much was found so far.
Tell = Callable[[int], None]


async def search(
    input: GrepInput,
    root: Root,
    workspace: tuple[str, ...],
    seconds: float = DEADLINE_SECONDS,
    tell: Tell | None = None,
) -> GrepOutput:
    rg = find_rg(workspace)
    ends = time.monotonic() + seconds
    if rg is not None and not root.is_file and input.offset < MOST_ENTRIES:
        reading = Reading(input.output_mode, _wanted(input, root), MOST_ENTRIES)
        ended = await _read([rg, *ripgrep.arguments(input, root)], root, reading, seconds, tell)
        if not ended.stopped:
            reading.sort()
            return _output(input, root, reading, ended, input.offset)
    # So much is found that it must come in order, or nobody could tell where the next page goes on.
    reading = Reading(input.output_mode, _wanted(input, root), _limit(input), input.offset)
    argv = [rg, *ripgrep.arguments(input, root, in_order=True)] if rg else fallback.command(input, root)
    ended = await _read(argv, root, reading, max(0.0, ends - time.monotonic()), tell)
    return _output(input, root, reading, ended, 0)


async def _read(argv: Sequence[str], root: Root, reading: Reading, seconds: float, tell: Tell | None) -> Ended:
    ended = await run(argv, root.folder, reading.take, seconds, (lambda: tell(len(reading.entries))) if tell else None)
    _refuse_failure(ended, found=bool(reading.entries))
    return ended


def _output(input: GrepInput, root: Root, reading: Reading, ended: Ended, passed_over: int) -> GrepOutput:
    shown = reading.entries[passed_over : passed_over + _limit(input)]
    return GrepOutput(
        mode=input.output_mode,
        files=files_of(shown, input.output_mode, root),
        line_numbers=input.line_numbers,
        context=bool(input.before or input.after or input.around),
        offset=input.offset,
        truncated=ended.stopped or len(reading.entries) > passed_over + len(shown),
        timed_out=ended.timed_out,
        some_unreadable=ended.exit_code == ripgrep.FAILED,
        matches_unshown=reading.matches_unshown,
    )


def _limit(input: GrepInput) -> int:
    return min(input.head_limit or MOST_ENTRIES, MOST_ENTRIES)


def _wanted(input: GrepInput, root: Root) -> PathTest | None:
    narrowed = not root.is_file and input.glob and not input.glob.startswith("!")
    return path_test(input.glob) if narrowed and input.glob else None


def _refuse_failure(ended: Ended, found: bool) -> None:
    """What went wrong is never told as "no matches"."""
    if found or ended.stopped:
        return
    if ended.timed_out:
        raise ToolError("The search took too long. Give a `path` further down, or a simpler pattern.", "timed_out")
    if ended.message:
        raise ToolError(
            ripgrep.in_words(ended.message), "invalid_input" if ended.exit_code == ripgrep.FAILED else "failed"
        )
    if ended.exit_code < 0:
        raise ToolError(f"The search was ended by signal {-ended.exit_code}. Narrow it and try again.", "failed")
