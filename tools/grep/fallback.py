"""A search without ripgrep: our own program, that is told the same and writes the same.

It runs in a process of its own, because Python's expressions can take for ever and cannot be interrupted. What it
does not do: expressions that only ripgrep knows, and files above 64 MiB. What only Python knows it refuses.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from tools.contract import ToolError
from tools.grep.expression import expression
from tools.grep.ripgrep import ALSO_SKIPPED, FAILED, LINE_BYTES
from tools.grep.tool import GrepInput
from tools.grep.types import names_of_type
from tools.search.child import our_own
from tools.search.ignore import Rules, is_ignored, read_line
from tools.search.patterns import PathTest, path_test
from tools.search.root import Root
from tools.search.walk import quietly_end_with_the_reader, walk

LARGEST_FILE = 64 * 1_048_576
# Ripgrep looks at so much at a time; what it saw before the first NUL it has told already.
LOOKED_AT_ONCE = 65_536
_NO_TEXT = re.compile("[\udc80-\udcff]+")


def command(input: GrepInput, root: Root) -> list[str]:
    asked = input.model_dump(by_alias=True, exclude={"path", "head_limit", "offset"})
    return our_own("tools.grep.fallback", json.dumps(asked), root.target if root.is_file else "")


def main(arguments: Sequence[str]) -> None:
    quietly_end_with_the_reader()
    asked, file = GrepInput.model_validate(json.loads(arguments[0])), arguments[1]
    try:
        looked_for = expression(asked.pattern, ignore_case=asked.ignore_case, multiline=asked.multiline)
        wanted = _wanted(asked)
    except ToolError as error:
        sys.stderr.write(error.message)
        sys.exit(FAILED)
    some_unreadable = False
    for name in [file] if file else walk(os.getcwd(), ALSO_SKIPPED):
        if not file and not wanted(name):
            continue
        try:
            text = _text_of(name)
        except OSError:
            some_unreadable = True
            continue
        if text is not None:
            _write(name.removeprefix("./"), text, looked_for, asked, is_alone=bool(file))
    sys.stdout.flush()
    sys.exit(FAILED if some_unreadable else 0)


def _wanted(asked: GrepInput) -> PathTest:
    tests: list[PathTest] = []
    if asked.type:
        of_type = [path_test(name) for name in names_of_type(asked.type)]
        tests.append(lambda path: any(test(path) for test in of_type))
    if asked.glob and asked.glob.startswith("!"):
        tests.append(_left_in(asked.glob[1:]))
    elif asked.glob:
        tests.append(path_test(asked.glob))
    return lambda path: all(test(path) for test in tests)


def _left_in(unwanted: str) -> PathTest:
    """What is unwanted is as in an ignore file: with a folder goes all that lies in it."""
    path_test(unwanted)  # says what is wrong with the pattern
    rules = (Rules("", (tuple(read_line(unwanted)), (), (), ())),)

    def test(path: str) -> bool:
        folders = (path[:at] for at, char in enumerate(path) if char == "/")
        return not (is_ignored(path, False, rules) or any(is_ignored(folder, True, rules) for folder in folders))

    return test


def _text_of(name: str) -> str | None:
    """What a file holds; None for what is too large."""
    with open(name, "rb") as file:
        if os.fstat(file.fileno()).st_size > LARGEST_FILE:
            return None
        data = file.read(LARGEST_FILE)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    return data.removeprefix(codecs.BOM_UTF8).decode(errors="surrogateescape")


class _File:
    """A text and where its lines start. Lines end at \\n only."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.removesuffix("\n").split("\n") if text else []
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def matches(self, looked_for: re.Pattern[str], multiline: bool) -> Iterator[range]:
        """The lines of each match, counted from 0."""
        if not multiline:
            found = (number for number, line in enumerate(self.lines) if _holds(line.removesuffix("\r"), looked_for))
            yield from (range(number, number + 1) for number in found)
            return
        for match in looked_for.finditer(self.text):
            first = self._line_at(match.start())
            if first < len(self.lines):
                yield range(first, self._line_at(max(match.start(), match.end() - 1)) + 1)

    def _line_at(self, place: int) -> int:
        return bisect_right(self.starts, place) - 1


def _holds(line: str, looked_for: re.Pattern[str]) -> bool:
    """Lines end at a carriage return, too, as far as matches go."""
    return any(_part_holds(part, looked_for) for part in line.split("\r"))


def _part_holds(part: str, looked_for: re.Pattern[str]) -> bool:
    """No match holds a byte that is no text, so each part between such bytes is searched for itself."""
    if part.isascii() or not (gaps := list(_NO_TEXT.finditer(part))):
        return looked_for.search(part) is not None
    starts, ends = [0, *(gap.end() for gap in gaps)], [*(gap.start() for gap in gaps), len(part)]
    return any(looked_for.search(part, start, end) for start, end in zip(starts, ends, strict=True))


def _write(name: str, text: str, looked_for: re.Pattern[str], asked: GrepInput, *, is_alone: bool) -> None:
    """A file that is searched alone was meant, whatever it is; among others one that is no text is passed over."""
    path = b"./" + os.fsencode(name)
    nul = text.find("\0")
    if nul >= 0 and not is_alone:
        whole_looks = nul - nul % LOOKED_AT_ONCE if asked.output_mode != "count" else 0
        text = text[: text.rfind("\n", 0, whole_looks) + 1]
    file = _File(text)
    matches = file.matches(looked_for, asked.multiline)
    if is_alone and 0 <= nul < LOOKED_AT_ONCE and asked.output_mode == "content":
        if next(matches, None) is not None:
            sys.stdout.buffer.write(b'%s: binary file matches (found "\\0" byte around offset %d)\n' % (path, nul))
    else:
        sys.stdout.buffer.writelines(_records(path + b"\0", file, matches, asked))
    sys.stdout.buffer.flush()


def _records(path: bytes, file: _File, matches: Iterator[range], asked: GrepInput) -> Iterator[bytes]:
    match asked.output_mode:
        case "files_with_matches":
            if next(matches, None) is not None:
                yield path
        case "count":
            if number := sum(1 for _ in matches):
                yield path + b"%d\n" % number
        case "content":
            hits = {number for lines in matches for number in lines}
            for number in _with_context(hits, len(file.lines), asked):
                mark = b":" if number in hits else b"-"
                yield path + b"%d%s%s\n" % (number + 1, mark, _cut(file.lines[number]))


def _with_context(hits: set[int], total: int, asked: GrepInput) -> list[int]:
    around = asked.around or 0
    before = around if asked.before is None else asked.before
    after = around if asked.after is None else asked.after
    return sorted({n for hit in hits for n in range(max(0, hit - before), min(total, hit + after + 1))})


def _cut(line: str) -> bytes:
    """As much as the reader can need: it cuts by characters."""
    return line[:LINE_BYTES].encode(errors="surrogateescape")
