"""Edit refuses with a code, in a fixed order: a call that breaks two checks gets the code of the earlier one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.desk import Desk
from tools.changing.target import ARGUMENT_BYTES, FILE_BYTES
from tools.edit.matching import MOST_REPLACED

KEY = "sk-" + "a1b2c3d4" * 4


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def read(desk: Desk, name: str, content: str | bytes) -> Path:
    path = desk.put(name, content)
    desk.read(name)
    return path


def huge(desk: Desk, name: str) -> Path:
    path = desk.put(name, "text")
    os.truncate(path, FILE_BYTES + 1)
    return path


def settings(desk: Desk, text: str = '{"model": "m", "theme": "m"}\n') -> Path:
    (desk.folder / ".claude").mkdir()
    return read(desk, ".claude/settings.json", text)


def test_no_change(desk: Desk) -> None:
    read(desk, "a.txt", "one\n")
    assert desk.refused(desk.edit, "a.txt", "one", "one").code == "no_change"


def test_no_change_where_only_the_line_ends_of_the_two_texts_differ(desk: Desk) -> None:
    read(desk, "a.txt", "one\ntwo\n")
    assert desk.refused(desk.edit, "a.txt", "one\r\ntwo", "one\ntwo").code == "no_change"


@pytest.mark.parametrize("path", ["folder/", ".", "..", "sub/..", "", "~", "a\0b", "https://example.org/x"])
def test_B18_bad_path(desk: Desk, path: str) -> None:
    assert desk.refused(desk.edit, path, "", "new").code == "bad_path"


def test_file_missing_says_how_to_create_it(desk: Desk) -> None:
    refusal = desk.refused(desk.edit, "a.txt", "old", "new")
    assert (refusal.code, "leave old_string empty" in refusal.message) == ("file_missing", True)


def test_B17_a_file_is_not_created_below_a_file_nor_in_a_missing_folder_outside(desk: Desk, tmp_path: Path) -> None:
    desk.put("a.txt", "one\n")
    assert desk.refused(desk.edit, "a.txt/b.txt", "", "new").code == "bad_path"
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    assert desk.refused(desk.edit, outside / "b.txt", "", "new").code == "folder_missing"
    assert not outside.exists()


def test_file_exists(desk: Desk) -> None:
    read(desk, "a.txt", "one\n")
    assert desk.refused(desk.edit, "a.txt", "", "new").code == "file_exists"


def test_B16_is_directory(desk: Desk) -> None:
    (desk.folder / "sub").mkdir()
    assert desk.refused(desk.edit, "sub", "", "new").code == "is_directory"


def test_B16_not_regular(desk: Desk) -> None:
    os.mkfifo(desk.folder / "pipe")
    for path in ("pipe", "/dev/null"):
        assert desk.refused(desk.edit, path, "old", "new").code == "not_regular"
        assert desk.refused(desk.write, path, "new").code == "not_regular"


def test_too_large(desk: Desk) -> None:
    huge(desk, "a.txt")
    assert desk.refused(desk.edit, "a.txt", "text", "new").code == "too_large"
    assert desk.refused(desk.write, "a.txt", "new").code == "too_large"


def test_B20_an_argument_too_large_is_refused_before_the_disk_is_touched(desk: Desk) -> None:
    text = "€" * (ARGUMENT_BYTES // 3 + 1)
    assert desk.refused(desk.edit, "sub/a.txt", "", text).code == "too_large"
    assert desk.refused(desk.write, "sub/a.txt", text).code == "too_large"
    assert list(desk.folder.iterdir()) == []


def test_B19_half_a_character_is_refused_and_nothing_is_written(desk: Desk) -> None:
    path = read(desk, "a.txt", "one\n")
    refusals = [desk.refused(desk.edit, "a.txt", "one", "\ud83d"), desk.refused(desk.write, "a.txt", "x\udca9")]
    assert {refusal.code for refusal in refusals} <= {"bad_text", "invalid_input"}
    assert path.read_text() == "one\n"


def test_binary(desk: Desk) -> None:
    desk.put("a.txt", b"one\0two")
    assert desk.refused(desk.edit, "a.txt", "one", "two").code == "binary"


def test_undecodable_names_the_line(desk: Desk) -> None:
    read(desk, "a.txt", b"one\ncaf\xe9\n")
    refusal = desk.refused(desk.edit, "a.txt", "one", "two")
    assert (refusal.code, "line 2" in refusal.message) == ("undecodable", True)


def test_G1_not_read(desk: Desk) -> None:
    desk.put("a.txt", "one\n")
    refusal = desk.refused(desk.edit, "a.txt", "one", "two")
    assert (refusal.code, "read it first" in refusal.message) == ("not_read", True)


def test_not_found(desk: Desk) -> None:
    read(desk, "a.txt", "one\n")
    assert desk.refused(desk.edit, "a.txt", "other", "two").code == "not_found"


def told_of(desk: Desk, content: str | bytes, old: str) -> str:
    """What the refusal says after its first sentence."""
    path = read(desk, "a.py", content)
    refusal = desk.refused(desk.edit, "a.py", old, "new")
    assert refusal.code == "not_found"
    return refusal.message.removeprefix(f"The text to replace was not found in {path}. ")


def test_not_found_shows_the_files_own_text_where_only_white_space_differs(desk: Desk) -> None:
    told = told_of(desk, "import x\ndef f():\n\treturn  1\n", "def f():\n    return 1")
    own = "Only white space differs; the file has, at lines 2-3:\ndef f():\n\treturn  1\n"
    assert told == f"{own}(The file's text holds U+0009 (tab).)"


def test_not_found_shows_each_place_where_only_white_space_differs(desk: Desk) -> None:
    told = told_of(desk, "a(1,  2)\nx\na(1,\n  2)\n", "a(1, 2)")
    assert told == "Only white space differs; the file has, at line 1:\na(1,  2)\nand at lines 3-4:\na(1,\n  2)"


@pytest.mark.parametrize(
    ("own", "name"),
    [("a\rb", "U+000D (carriage return)"), ("a\u2028b", "U+2028 (line separator)"), ("a\x85b", "U+0085")],
)
def test_not_found_shows_the_files_own_text_where_only_line_ends_differ(desk: Desk, own: str, name: str) -> None:
    told = told_of(desk, own, "a\nb")
    assert told.startswith(f"Only line ends differ; the file has, at line 1:\n{own}\n(The file's text holds {name}")


@pytest.mark.parametrize(("own", "name"), [("a\xa0b", "U+00A0 (no-break space)"), ("a\u200bb", "U+200B")])
def test_not_found_names_what_cannot_be_seen(desk: Desk, own: str, name: str) -> None:
    assert name in told_of(desk, f"{own}\n", "ab")


def test_not_found_shows_the_nearest_lines_with_their_numbers(desk: Desk) -> None:
    told = told_of(desk, "import os\n\ndef first(one):\n    return one + 1\n", "def first(two):\n    return one + 1")
    said = "The nearest is at lines 3-4; copy it exactly, without the numbers:\n"
    assert told == f"{said}     3\tdef first(one):\n     4\t    return one + 1"


def test_not_found_shows_the_line_that_holds_something_similar(desk: Desk) -> None:
    content = "".join(f"value_{n} = {n}\n" for n in range(100)) + "if isinstance(found, Snapshot) and found.lines:\n"
    assert "   101\tif isinstance(found, Snapshot) and" in told_of(desk, content, "isinstance(found, Snapshots)")


def test_not_found_shows_several_places_the_best_one_first(desk: Desk) -> None:
    told = told_of(desk, "make(one, 1)\nother\nmade(one, 2)\n", "made(one, 3)")
    assert told.startswith("The nearest is at line 3 and line 1; ")


def test_not_found_names_characters_that_look_alike(desk: Desk) -> None:
    told = told_of(desk, "# le caf\u0065\u0301 du coin\n", "# le caf\u00e9 du coin")
    assert told.endswith("(The file's text holds U+0301 (combining acute accent); yours holds U+00E9 (latin small letter e with acute).)")  # fmt: skip


def test_not_found_says_so_where_the_numbers_of_a_read_were_copied_along(desk: Desk) -> None:
    assert "Leave them out" in told_of(desk, "one\ntwo\n", "     1\tone\n     2\ttwo\n")


def test_not_found_says_so_where_nothing_is_similar(desk: Desk) -> None:
    assert told_of(desk, "one\n", "quite different") == "Nothing in it is similar. Read it again and copy it exactly."


def test_not_found_never_shows_more_than_fits(desk: Desk) -> None:
    long = "".join(f"{'x' * 500} line {n}\n" for n in range(200))
    assert len(told_of(desk, long, long.replace("line", "row"))) < 20_000
    assert len(told_of(desk, long, long.replace(" line", "line"))) < 20_000


def test_not_unique_shows_the_lines(desk: Desk) -> None:
    path = read(desk, "a.txt", "x = 1\ny\nx = 2\n")
    refusal = desk.refused(desk.edit, "a.txt", "x =", "z")
    said = f"The text to replace stands 2 times in {path} (lines 1, 3). "
    advice = "Give more of what is around it, or set replace_all.\n"
    assert (refusal.code, refusal.message) == ("not_unique", f"{said}{advice}     1\tx = 1\n     3\tx = 2")


def test_not_unique_shows_the_first_of_many_lines(desk: Desk) -> None:
    read(desk, "a.txt", "x\n" * 50_000)
    refusal = desk.refused(desk.edit, "a.txt", "x", "z")
    assert "50000 times" in refusal.message and refusal.message.endswith("    10\tx\n…")


def test_places_too_many_to_be_counted_are_said_to_be_more(desk: Desk) -> None:
    read(desk, "a.txt", "x" * 2_000_000)
    assert "more than 100000 times" in desk.refused(desk.edit, "a.txt", "x", "z").message
    assert "more than 50 times" in desk.refused(desk.edit, "a.txt", "x" * 1_000_000, "z").message


def test_too_many_places_are_not_replaced_at_once(desk: Desk) -> None:
    path = read(desk, "a.txt", "x" * (MOST_REPLACED + 1))
    refusal = desk.refused(desk.edit, "a.txt", "x", "z", replace_all=True)
    assert refusal.code == "too_large" and "change it with a command" in refusal.message
    assert path.read_text() == "x" * (MOST_REPLACED + 1)


def test_file_exists_is_seen_without_opening_the_file(desk: Desk) -> None:
    desk.put("a.txt", b"\0")
    desk.put("b.txt", b"\xff")
    for name in ("a.txt", "b.txt"):
        assert desk.refused(desk.edit, name, "", "new").code == "file_exists"


def test_not_unique_counts_places_that_overlap(desk: Desk) -> None:
    read(desk, "a.txt", "aaa\n")
    assert desk.refused(desk.edit, "a.txt", "aa", "b").code == "not_unique"


def test_settings_invalid(desk: Desk) -> None:
    path = settings(desk)
    before = path.read_text()
    assert desk.refused(desk.edit, path, "}", "").code == "settings_invalid"
    assert desk.refused(desk.write, path, "[]").code == "settings_invalid"
    assert path.read_text() == before


def test_settings_invalid_is_what_the_settings_own_check_says(desk: Desk) -> None:
    from tools.contract import build_tool
    from tools.edit.tool import Edit

    path = settings(desk)

    def check(checked: str, text: str) -> str | None:
        return None if checked != str(path) or "theme" in json.loads(text) else "a theme is needed."

    desk.edit_tool = build_tool(Edit, files=desk.files, check_settings=check)
    assert "a theme is needed." in desk.refused(desk.edit, path, ', "theme": "m"', "").message
    assert desk.edit(path, '"model": "m"', '"model": "n"').kind == "changed"


def test_A36_settings_nested_without_end_are_invalid(desk: Desk) -> None:
    path = settings(desk)
    assert desk.refused(desk.write, path, "[" * 100_000 + "]" * 100_000).code == "settings_invalid"


def test_settings_are_guarded_also_through_a_link(desk: Desk) -> None:
    path = settings(desk)
    (desk.folder / "link").symlink_to(path)
    assert desk.refused(desk.write, "link", "no settings").code == "settings_invalid"


@pytest.mark.parametrize("name", [".mcp.json", ".claude/settings.json"])
def test_secret_in_shared_file(desk: Desk, name: str) -> None:
    (desk.folder / ".claude").mkdir()
    path = read(desk, name, '{"key": ""}\n')
    refusal = desk.refused(desk.edit, name, '""', f'"{KEY}"')
    assert (refusal.code, KEY in refusal.message) == ("secret_in_shared_file", False)
    assert KEY not in path.read_text()


def test_a_secret_that_is_there_already_does_not_hold_up_other_changes(desk: Desk) -> None:
    path = read(desk, ".mcp.json", f'{{"key": "{KEY}", "a": 1}}\n')
    desk.edit(path, '"a": 1', '"a": 2')
    assert '"a": 2' in path.read_text()


def test_a_secret_in_a_file_of_ones_own_is_ones_own_affair(desk: Desk) -> None:
    desk.write(".env", f"KEY={KEY}\n")
    assert KEY in (desk.folder / ".env").read_text()


# Two checks broken at once. Each is (the earlier code, what the file is, old, new, replace_all).
BOTH_BROKEN = {
    "no_change before bad_path": ("no_change", None, "sub/", "x", "x"),
    "bad_path before is_directory": ("bad_path", "folder", "sub/", "", "x"),
    "is_directory before not_found": ("is_directory", "folder", "sub", "old", "x"),
    "file_missing before settings_invalid": ("file_missing", None, ".claude/settings.json", "old", "{"),
    "file_exists before too_large": ("file_exists", "huge", "a.txt", "", "x"),
    "file_exists before binary": ("file_exists", b"one\0two", "a.txt", "", "x"),
    "file_exists before not_read": ("file_exists", b"one", "a.txt", "", "x"),
    "too_large before binary": ("too_large", "huge", "a.txt", "old", "x"),
    "binary before not_read": ("binary", b"one\0two", "a.txt", "old", "x"),
    "undecodable before not_read": ("undecodable", b"caf\xe9", "a.txt", "old", "x"),
    "not_read before not_found": ("not_read", b"one", "a.txt", "old", "x"),
    "not_read before not_unique": ("not_read", b"one one", "a.txt", "one", "x"),
}


@pytest.mark.parametrize("case", BOTH_BROKEN.values(), ids=list(BOTH_BROKEN))
def test_of_two_broken_checks_the_earlier_speaks(
    desk: Desk, case: tuple[str, str | bytes | None, str, str, str]
) -> None:
    code, kind, path, old, new = case
    if kind == "folder":
        (desk.folder / "sub").mkdir()
    elif kind == "huge":
        huge(desk, path)
    elif isinstance(kind, bytes):
        desk.put(path, kind)
    assert desk.refused(desk.edit, path, old, new).code == code


@pytest.mark.parametrize(
    ("later", "old", "text"),
    [("not_found", "never there", "other\n"), ("not_unique", "one", "one\none\n")],
)
def test_stale_speaks_before(desk: Desk, later: str, old: str, text: str) -> None:
    read(desk, "a.txt", "one\n")
    desk.put("a.txt", text)
    desk.same_message = True
    assert desk.refused(desk.edit, "a.txt", old, "x").code == "stale"
    desk.same_message = False
    assert desk.refused(desk.edit, "a.txt", old, "x").code == later


def test_not_found_and_not_unique_speak_before_settings_invalid(desk: Desk) -> None:
    path = settings(desk)
    assert desk.refused(desk.edit, path, "nowhere", "{").code == "not_found"
    assert desk.refused(desk.edit, path, '"m"', "{").code == "not_unique"


def test_settings_invalid_speaks_before_secret_in_shared_file(desk: Desk) -> None:
    path = settings(desk)
    assert desk.refused(desk.edit, path, '"theme": "m"}', KEY).code == "settings_invalid"
