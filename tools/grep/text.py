"""What was found as the text the model reads: the lines a person knows from grep, and notes on what is missing."""

from __future__ import annotations

from collections.abc import Iterator

from tools.grep.found import FoundFile, FoundLine, GrepOutput


def as_text(data: GrepOutput) -> str:
    match data.mode:
        case "files_with_matches":
            lines = [file.path for file in data.files]
        case "count":
            lines = [f"{file.path}:{file.count}" for file in data.files]
        case "content":
            lines = list(_content(data))
    return "\n".join([*(lines or [_nothing(data)]), *_notes(data)])


def _content(data: GrepOutput) -> Iterator[str]:
    before: tuple[str, int] | None = None
    for file in data.files:
        for line in file.lines:
            if data.context and before is not None and before != (file.path, line.number - 1):
                yield "--"
            before = (file.path, line.number)
            yield _line(file, line, data.line_numbers)


def _line(file: FoundFile, line: FoundLine, numbered: bool) -> str:
    mark = ":" if line.matches else "-"
    number = f"{line.number}{mark}" if numbered else ""
    return f"{file.path}{mark}{number}{line.text}"


def _nothing(data: GrepOutput) -> str:
    if data.matches_unshown:
        return "The file is no text, so its lines are not shown; but it does match."
    return f"Nothing more after the first {data.offset}." if data.offset else "No matches found."


def _notes(data: GrepOutput) -> Iterator[str]:
    if data.truncated:
        yield f"(There is more. Go on with offset {data.offset + data.entries}, or narrow the search.)"
    if data.timed_out:
        yield "(The time was up before everything was searched. Give a `path` further down, or a `glob`.)"
    if data.some_unreadable:
        yield "(Some files could not be read and were not searched.)"
