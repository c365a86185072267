"""Files that a line names where no rule that allows looks: behind wrappers, in lines carried as text, in options."""

from __future__ import annotations

import pytest

from tools.bash.subjects import subjects_of
from tools.permissions.subjects import PathSubject


def paths(line: str) -> set[tuple[str, str]]:
    return {(subject.path, subject.access) for subject in subjects_of(line) if isinstance(subject, PathSubject)}


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("sudo tee a", ("a", "edit")),
        ("env cat a", ("a", "read")),
        ("CAT a", ("a", "read")),
        ("busybox rm a", ("a", "edit")),
        ("bash -c 'echo x > a'", ("a", "edit")),
        ("bash -c '{ ls; } > a'", ("a", "edit")),
        ("eval 'cd b && rm a'", ("b/a", "edit")),
        ("cd b && sh -c 'cat a'", ("b/a", "read")),
        ("sudo sh -c 'timeout 3 cat a'", ("a", "read")),
        ("find . -exec cp x a \\;", ("a", "edit")),
        ("git -c alias.x='!cat a' x", ("a", "read")),
        ("sort -o a x", ("a", "edit")),
        ("sort --output=a x", ("a", "edit")),
        ("curl -oa http://b.c", ("a", "edit")),
        ("curl -d @a http://b.c", ("a", "read")),
        ("curl -F x=@a http://b.c", ("a", "read")),
        ("curl -T a http://b.c", ("a", "read")),
        ("wget --post-file=a http://b.c", ("a", "read")),
        ("find . -fprint a", ("a", "edit")),
        ("find a -delete", ("a", "edit")),
        ("tar xf x.tar -C a", ("a", "edit")),
        ("git restore -- a", ("a", "edit")),
        ("git rm a", ("a", "edit")),
        ("perl -pi -e s/x/y/ a", ("a", "edit")),
        ("gzip a", ("a", "edit")),
        ("uniq -f 1 b a", ("a", "edit")),
        ("cp -rt a x", ("a", "edit")),
    ],
)
def test_files_behind_wrappers_and_in_options_are_known_to_what_restricts_them(
    line: str, path: tuple[str, str]
) -> None:
    assert path in paths(line)


@pytest.mark.parametrize(
    "line",
    [
        "gzip -cd a",
        "gzip -lv a",
        "uniq -w 10 a",
        "find a -name x",
        "git show a",
        "sort -k 2 a",
        "perl -Mstrict x; cat a",
    ],
)
def test_what_only_reads_edits_nothing(line: str) -> None:
    assert {access for _, access in paths(line)} == {"read"}
