"""The frame before Textual: how it looks, what it hears, when it stands aside, and that nothing is lost after it."""

from __future__ import annotations

import os
import string
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from rich.color import Color, ColorSystem

from agent.assemble import DEFAULT_MODEL
from agent.model.anthropic import endpoint_of
from tests.support.emulator import Emulator
from tests.support.starting import let_go, started
from tools.permissions.modes import Mode
from tui.first_frame import Typed
from tui.first_paint import COLORS, MODE_WORDS, FirstPaint
from tui.glance import MODEL, MODES, Glance, glance, is_connected, shown_model

THEMES = Path(__file__).parents[2] / "themes"
TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "ANTHROPIC_API_KEY": "k"}


# -- how it looks


def painted(text: str = "", columns: int = 120, rows: int = 40, **seen: object) -> Emulator:
    view = Glance("/home/x/tidewatch")
    for name, value in seen.items():
        setattr(view, name, value)
    paint = FirstPaint(view, columns, rows)
    screen = Emulator(columns, rows)
    screen.feed(paint.frame().encode())
    if text:
        screen.feed(paint.prompt(text).encode())
    return screen


def test_prompt_and_status_line_stand_where_the_screen_has_them():
    lines = painted().lines()
    assert lines[37] == " ❯   What shall we do?   / commands   @ files   ! shell   ? keys"
    assert lines[39] == f" default  {shown_model(MODEL)}  tidewatch"
    assert not any(lines[:37])


def test_a_small_terminal_has_no_empty_lines_around_the_prompt_and_fewer_words():
    lines = painted(columns=80, rows=24).lines()
    assert lines[22:] == [" ❯   / commands   @ files   ! shell   ? keys", f" default  {shown_model(MODEL)}"]


def test_it_has_the_themes_colours():
    screen = painted(mode="plan")
    assert screen.cell(0, 0).style.ground == "#14161b"
    for row in (36, 37, 38):
        assert screen.cell(row, 0).style.ground == "#6fc3c9"
        assert screen.cell(row, 119).style.ground == "#20242d"
    assert (screen.cell(37, 1).style.color, screen.cell(37, 1).style.bold) == ("#6fc3c9", True)
    assert screen.cell(37, 3).style.ground == "#d9dde5"  # the cursor
    assert screen.cell(37, 5).style.color == "#939cab"
    assert (screen.cell(39, 1).text, screen.cell(39, 1).style.color) == ("p", "#6fc3c9")


def test_typed_text_has_the_cursor_after_it():
    screen = painted("日本 x")
    assert screen.lines()[37] == " ❯ 日本 x"
    assert screen.cell(37, 9).style.ground == "#d9dde5"


def test_the_box_grows_with_its_lines_and_shrinks_again():
    view = Glance("/x")
    paint, screen = FirstPaint(view, 60, 15), Emulator(60, 15)
    screen.feed(paint.frame().encode())
    screen.feed(paint.prompt("\n".join("0123456789")).encode())
    assert screen.lines()[5:14] == ["", " ❯ 2", *(f"   {number}" for number in range(3, 10))]
    screen.feed(paint.prompt("x" * 60).encode())
    assert screen.lines()[11:14] == ["", f" ❯ {'x' * 55}", "   xxxxx"]
    assert screen.cell(11, 0).style.ground == "#14161b"


def test_a_shell_line_has_its_own_mark():
    assert painted("!make").lines()[37] == " ! !make"


def test_ascii_is_all_ascii():
    assert all(line.isascii() for line in painted(ascii=True).lines())
    assert painted(ascii=True).lines()[37].startswith("|> ")


def test_a_name_with_control_characters_moves_nothing():
    assert painted(folder="/x/a\x1b[2Jb").lines()[39].endswith("  a?[2Jb")


@pytest.mark.parametrize("name", [name for name in COLORS if (THEMES / f"{name}.toml").exists()])
def test_its_colours_are_those_of_the_theme(name: str):
    theme = tomllib.loads((THEMES / f"{name}.toml").read_text())
    colors = {**theme, **theme["variables"]}
    assert {role: exact for role, (exact, _) in COLORS[name].items()} == {role: colors[role] for role in COLORS[name]}


@pytest.mark.parametrize("name", COLORS)
def test_its_palette_is_the_one_rich_takes(name: str):
    nearest = {
        role: Color.parse(exact).downgrade(ColorSystem.EIGHT_BIT).number for role, (exact, _) in COLORS[name].items()
    }
    assert {role: number for role, (_, number) in COLORS[name].items()} == nearest


def test_what_it_says_by_heart_is_true():
    assert MODEL == DEFAULT_MODEL
    assert set(MODES) == set(MODE_WORDS) == set(Mode.__args__)
    for environ in ({}, {"ANTHROPIC_BASE_URL": " "}, {"ANTHROPIC_AUTH_TOKEN": "t"}, {"ANTHROPIC_BASE_URL": "http://x"}):
        assert is_connected(environ) == endpoint_of(environ).usable


# -- what it hears


def heard(*pieces: bytes) -> tuple[str, bytes]:
    typed = Typed()
    for piece in pieces:
        typed.take(piece)
    typed.close()
    return typed.text, typed.rest


@pytest.mark.parametrize(
    ("pieces", "text", "rest"),
    [
        ([b"hel", b"lo"], "hello", b""),
        (["grüße 日本".encode()], "grüße 日本", b""),
        ([b"a\xc3", b"\xbcb"], "aüb", b""),
        ([b"a\xe6\x97"], "a", b"\xe6\x97"),
        ([b"a\xff", b"b"], "a", b"\xffb"),
        ([b"abc\x7f\x7fd"], "ad", b""),
        ([b"\x7f\x7fa"], "a", b""),
        ([b"one\ntwo three\x15x"], "one\nx", b""),
        ([b"send this\r", b"and that"], "send this", b"\rand that"),
        ([b"ab\x1b[D", b"\x1b[Dc"], "ab", b"\x1b[D\x1b[Dc"),
        ([b"\x1b[200~a\rb\x1b[201~"], "", b"\x1b[200~a\rb\x1b[201~"),
        ([b"?"], "", b"?"),
        ([b"why?"], "why?", b""),
        ([b"x\x03"], "x", b"\x03"),
    ],
)
def test_plain_typing_is_text_and_the_rest_stays_as_it_came(pieces: list[bytes], text: str, rest: bytes):
    assert heard(*pieces) == (text, rest)


# -- when it stands aside


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "args",
    ["-p", "--print=x", "--help", "--version", "--nonsense", "expalin", "--permission-mode none", "--ascii=no"],
)
def test_a_line_that_is_not_surely_for_the_screen_gets_none(args: str):
    assert glance(args.split(), TERMINAL) is None


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "environ",
    [{"TERM": "dumb"}, {"TERM": "linux"}, {"NO_COLOR": ""}, {"COLORTERM": "", "TERM": "xterm"}],
)
def test_a_terminal_that_cannot_show_it_gets_none(environ: dict[str, str]):
    assert glance([], TERMINAL | environ) is None


@pytest.mark.usefixtures("folder")
def test_flags_are_seen():
    seen = glance(["--theme", "paper", "--model=m", "--permission-mode", "plan", "--ascii", "a task"], TERMINAL)
    assert seen is not None
    assert (seen.theme, seen.model, seen.mode, seen.ascii) == ("paper", "m", "plan", True)


@pytest.mark.usefixtures("folder")
def test_without_a_model_it_says_so():
    seen = glance([], {"TERM": "xterm-256color"})
    assert seen is not None
    assert (seen.model, seen.deep) == ("tour", False)


@pytest.mark.usefixtures("folder")
def test_the_persons_settings_are_seen(a_home_of_its_own: Path):
    config = a_home_of_its_own / ".config/agent-tui"
    config.mkdir(parents=True)
    (config / "settings.json").write_text('{"theme": "paper", "permissions": {"defaultMode" : "acceptEdits"}}')
    seen = glance([], TERMINAL)
    assert seen is not None
    assert (seen.theme, seen.mode, seen.model) == ("paper", "acceptEdits", MODEL)


@pytest.mark.parametrize("name", ["AGENTS.md", ".agent-tui/settings.json", ".mcp.json"])
def test_a_folder_that_brings_something_is_asked_about_first(folder: Path, name: str, a_home_of_its_own: Path):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text('{"theme": "paper", "permissions": {"defaultMode": "plan"}}')
    (folder / ".git").mkdir()
    below = folder / "below"
    below.mkdir()
    assert glance([], TERMINAL) is None
    os.chdir(below)
    assert glance([], TERMINAL) is None
    os.chdir(folder)
    state = a_home_of_its_own / ".local/state/agent-tui"
    state.mkdir(parents=True)
    (state / "trust.json").write_text(f'{{"trusted": ["{folder}"]}}')
    seen = glance([], TERMINAL)
    assert seen is not None
    assert (seen.theme, seen.mode) == ("paper" if "settings" in name else "slate", "default")
    assert glance(["--trust"], TERMINAL) is not None


def test_what_it_loads_is_next_to_nothing():
    source = (
        "import sys; before = set(sys.modules); import tui.first_frame\n"
        "new = {name for name in set(sys.modules) - before if not name.startswith('tui')}\n"
        "assert new <= {'__future__', 'termios'}, new"
    )
    ended = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


# -- in a terminal

TEXTUAL = "TEXTUAL IS HERE"


@pytest.mark.slow
def test_keys_are_shown_before_textual_is_there_and_are_its_text_after(tmp_path: Path):
    with started(tmp_path, held=True) as terminal:
        terminal.wait_for("What shall we do?")
        terminal.press("hällo")
        terminal.wait_for("❯ hällo")
        assert TEXTUAL not in terminal.text()
        let_go(tmp_path)
        terminal.wait_for_all(TEXTUAL, "hällo")
        terminal.press("!")
        terminal.wait_for("hällo!")


@pytest.mark.slow
@pytest.mark.parametrize("answers", [False, True])
def test_no_key_of_forty_is_lost_or_out_of_order(tmp_path: Path, answers: bool):
    keys = (string.ascii_letters + string.digits)[:40]
    with started(tmp_path, answers=answers) as terminal:
        for key in keys:
            terminal.press(key)
            terminal.pump(0.012)
        terminal.wait_for(TEXTUAL)
        terminal.wait_for(keys)


@pytest.mark.slow
def test_what_is_no_text_arrives_in_order_too(tmp_path: Path):
    with started(tmp_path, held=True) as terminal:
        terminal.wait_for("What shall we do?")
        terminal.press("ac\x1b[Db\x05d\r")
        let_go(tmp_path)
        terminal.wait_for("SENT 'abcd'")


@pytest.mark.slow
def test_a_paste_during_the_start_is_one_paste(tmp_path: Path):
    with started(tmp_path, held=True) as terminal:
        terminal.wait_for("What shall we do?")
        terminal.press("\x1b[200~one\rtwo\x1b[201~")
        let_go(tmp_path)
        terminal.wait_for_all(TEXTUAL, "one", "two")
        assert "SENT" not in terminal.text()


@pytest.mark.slow
def test_the_screen_is_never_blank_between_the_frames(tmp_path: Path):
    with started(tmp_path, held=True) as terminal:
        terminal.wait_for("What shall we do?")
        let_go(tmp_path)
        blank: list[int] = []
        while TEXTUAL not in terminal.text():
            if terminal.pump(5) and not terminal.text().strip():
                blank.append(terminal.bytes_written)
        assert blank == []
        assert terminal.written.count(b"\x1b[?1049h") == 1


@pytest.mark.slow
@pytest.mark.parametrize("size", [(59, 20), (80, 14)])
def test_a_small_terminal_waits_for_textual(tmp_path: Path, size: tuple[int, int]):
    with started(tmp_path, size=size) as terminal:
        terminal.wait_for(TEXTUAL)
        assert b"commands" not in terminal.written
        terminal.press("x")
        terminal.wait_for("x")


@pytest.mark.slow
def test_without_colour_it_waits_for_textual_too(tmp_path: Path):
    with started(tmp_path, NO_COLOR="1") as terminal:
        terminal.wait_for(TEXTUAL)
        assert b"commands" not in terminal.written
