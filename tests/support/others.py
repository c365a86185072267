"""Somebody else at the same files: a process of its own that appends, saves, formats, renames, deletes and touches.

It writes lines nobody else writes, `theirs 17`, and says at the end which of them must stand where, and every content
it ever left. Started with a seed, the names of the files and how many things to do; it works in its own folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import time
from contextlib import suppress

LONGEST_PAUSE = 0.012


class Other:
    def __init__(self, seed: int, names: list[str]) -> None:
        self._random = random.Random(seed)
        self._names = names
        self._lines = 0
        # What it wrote, neither took away itself nor gave up with its file.
        self.stands: dict[str, set[str]] = {name: set() for name in names}
        self.left: set[str] = set()
        self.emptied: set[str] = set()

    def act(self) -> None:
        act = self._random.choice(
            (self.append, self.append, self.save, self.save, self.overwrite, self.format, self.touch)
            + (self.move, self.delete) * (self._random.random() < 0.5)
        )
        with suppress(FileNotFoundError):
            act(self._random.choice(self._names))

    def append(self, name: str) -> None:
        line = self._line()
        with open(name, "ab+") as file:
            file.seek(0)
            before = file.read()
            if not before:  # it may have come to be just now
                self._leaves(b"")
            self._pause()
            file.write((b"" if before.endswith(b"\n") or not before else b"\n") + line)
        self.stands[name].add(line.decode())
        self._leaves(before + line)

    def save(self, name: str) -> None:
        """As most editors do: beside it, then in its place."""
        self._replace(name, self._with_a_line(name))

    def overwrite(self, name: str) -> None:
        """As the others do: emptied, then filled in pieces."""
        self._fill(name, self._with_a_line(name))

    def format(self, name: str) -> None:
        """No line is lost, their ends are made another."""
        lines = _read(name).split(b"\n")
        end = self._random.choice((b"", b" ", b";"))
        text = b"\n".join(line.rstrip(b" ;") + (end if line else b"") for line in lines)
        self._pause()
        (self._fill if self._random.random() < 0.5 else self._replace)(name, text)

    def touch(self, name: str) -> None:
        os.utime(name)

    def move(self, name: str) -> None:
        other = self._random.choice(self._names)
        if other != name:
            self._leaves(_read(name))
            os.rename(name, other)
            self.stands[other] = self.stands[name]
            self._gone(name)
            # A rewind may have taken it away by now.
            with suppress(FileNotFoundError):
                self._leaves(_read(other))

    def delete(self, name: str) -> None:
        os.unlink(name)
        self._gone(name)

    def _gone(self, name: str) -> None:
        self.stands[name] = set()
        self.emptied.add(name)

    def _with_a_line(self, name: str) -> bytes:
        try:
            lines = _read(name).splitlines(keepends=True)
        except FileNotFoundError:
            lines = []
        line = self._line()
        lines.insert(self._random.randint(0, len(lines)), line)
        self._pause()
        self.stands[name].add(line.decode())
        return b"".join(lines)

    def _replace(self, name: str, data: bytes) -> None:
        with open(f".{name}.swp", "wb") as file:
            file.write(data)
        self._leaves(data)
        os.replace(f".{name}.swp", name)

    def _fill(self, name: str, data: bytes) -> None:
        half = self._random.randint(0, len(data))
        for part in (b"", data[:half], data):
            self._leaves(part)
        with open(name, "wb", buffering=0) as file:
            self._pause()
            file.write(data[:half])
            self._pause()
            file.write(data[half:])

    def _leaves(self, data: bytes) -> None:
        self.left.add(hashlib.sha256(data).hexdigest())

    def _line(self) -> bytes:
        self._lines += 1
        return b"theirs %d\n" % self._lines

    def _pause(self) -> None:
        if self._random.random() < 0.5:
            time.sleep(self._random.random() ** 2 * LONGEST_PAUSE)


def _read(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read()


def main(seed: str, names: str, acts: str) -> None:
    other = Other(int(seed), names.split(","))
    for _ in range(int(acts)):
        other.act()
        other._pause()
    stands = {name: sorted(line.strip() for line in lines) for name, lines in other.stands.items()}
    print(json.dumps({"stands": stands, "left": sorted(other.left), "emptied": sorted(other.emptied)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
