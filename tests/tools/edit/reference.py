"""The rules of an edit once more, as slowly and plainly as they can be written, to hold the real one against.

A file is a list of pairs: a character as it is matched, and the characters it has in the file. Of the rule about
quotes only where it matches is here; how the new quotes look is not.
"""

from __future__ import annotations

from typing import NamedTuple

BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
FOLD = {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'}


class Edited(NamedTuple):
    """`after` is what the file holds then, None where there is none. `folded`: found only with its quotes folded."""

    outcome: str
    after: bytes | None
    folded: bool = False


def edited(before: bytes | None, old: str, new: str, everywhere: bool) -> Edited:
    if as_matched(old) == as_matched(new):
        return Edited("no_change", before)
    if before is None:
        return Edited("file_missing", None) if old else Edited("ok", new.encode())
    if not old and before not in (b"", *(mark for mark, _ in BOMS)):
        return Edited("file_exists", before)
    mark, codec = next(((mark, codec) for mark, codec in BOMS if before.startswith(mark)), (b"", "utf-8"))
    if not mark and b"\0" in before:
        return Edited("binary", before)
    try:
        stored = before[len(mark) :].decode(codec)
    except UnicodeDecodeError:
        return Edited("undecodable", before)
    if as_matched(old) not in as_matched(stored):
        old, new = without_mark(old, mark), without_mark(new, mark) if old[:1] == "\ufeff" else new
    outcome, after, folded = edited_text(stored, old, new, everywhere)
    if not stored.startswith("\ufeff"):
        after = without_mark(after, mark)
    return Edited(outcome, mark + after.encode(codec), folded)


def edited_text(stored: str, old: str, new: str, everywhere: bool) -> tuple[str, str, bool]:
    if not old:
        return ("file_exists", stored, False) if stored else ("ok", new, False)
    pairs, wanted = in_pairs(stored), as_matched(old)
    places = found(pairs, wanted)
    folded = not places
    if folded:
        places = found([(FOLD.get(seen, seen), own) for seen, own in pairs], "".join(FOLD.get(c, c) for c in wanted))
    if not places:
        return "not_found", stored, False
    if len(places) > 1 and not everywhere:
        return "not_unique", stored, folded
    after = put_in(pairs, places, len(wanted), as_matched(new).replace("\n", main_line_end(pairs)))
    return ("no_change" if after == stored else "ok"), after, folded


def without_mark(text: str, mark: bytes) -> str:
    return text.removeprefix("\ufeff") if mark else text


def as_matched(text: str) -> str:
    return "".join(seen for seen, _ in in_pairs(text))


def in_pairs(text: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    while text:
        size = 2 if text[:2] == "\r\n" else 1
        pairs.append(("\n" if size == 2 else text[0], text[:size]))
        text = text[size:]
    return pairs


def main_line_end(pairs: list[tuple[str, str]]) -> str:
    ends = [own for seen, own in pairs if seen == "\n"]
    if ends.count("\n") == ends.count("\r\n"):
        return ends[0] if ends else "\n"
    return max(("\n", "\r\n"), key=ends.count)


def found(pairs: list[tuple[str, str]], wanted: str) -> list[int]:
    text = [seen for seen, _ in pairs]
    return [at for at in range(len(text)) if text[at : at + len(wanted)] == list(wanted)]


def put_in(pairs: list[tuple[str, str]], places: list[int], size: int, text: str) -> str:
    made, at = "", 0
    while at < len(pairs):
        if at in places:
            made += text
            at += size
        else:
            made += pairs[at][1]
            at += 1
    return made
