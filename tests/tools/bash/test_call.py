from __future__ import annotations

import asyncio
import os
import resource
import stat
import sys
from pathlib import Path

import pytest

from tests.support.commands import RUNAWAY_COUNT, RUNAWAYS, bash_in, is_alive, pids_in, run_command, wait_for
from tools.bash import run as running
from tools.bash.data import BashOutput, BashProgress
from tools.bash.tool import Bash
from tools.context import ToolContext
from tools.contract import ContextChange, ToolError
from tools.inputs import ToolOutput

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

BASH = Bash.__new__(Bash)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def said(data: BashOutput) -> str:
    return BASH.to_result_block(data)


def test_the_result_is_the_output_with_errors_in_their_place(folder: Path) -> None:
    result = run_command("echo one; echo two >&2; echo three", folder)
    assert said(result.data) == "one\ntwo\nthree"
    assert (result.data.exit_code, result.data.total_lines, result.data.total_bytes) == (0, 3, 14)
    assert result.stored_at is None


def test_an_exit_code_stands_at_the_end_and_is_no_failure(folder: Path) -> None:
    assert said(run_command("echo half; exit 3", folder).data) == "half\nExit code 3"
    assert said(run_command("kill -KILL $$", folder).data) == "(no output)\nEnded by SIGKILL"


def test_a_code_that_is_no_failure_is_explained(folder: Path) -> None:
    assert said(run_command("grep x /dev/null", folder).data) == "(no output)\nExit code 1 (nothing found)"


def test_T38_no_output_is_said_so(folder: Path) -> None:
    assert said(run_command("true", folder).data) == "(no output)"


def test_T39_bytes_that_are_no_text_are_replaced(folder: Path) -> None:
    assert run_command(r"printf 'caf\xe9\x00.'", folder).data.output == "caf\ufffd\0."


def test_D5_long_output_comes_as_head_and_tail_and_all_of_it_is_in_a_private_file(folder: Path) -> None:
    result = run_command("seq 1 20000", folder)
    text = said(result.data)
    assert len(text) <= Bash.max_result_chars
    assert text.startswith("1\n2\n") and text.endswith("\n20000")
    assert result.stored_at == result.data.stored and result.data.truncated
    assert f"the whole output is in {result.data.stored}" in text
    assert Path(result.data.stored).read_text() == "".join(f"{n}\n" for n in range(1, 20001))
    assert stat.S_IMODE(os.stat(result.data.stored).st_mode) == 0o600


def test_D5_memory_does_not_grow_with_the_output(folder: Path) -> None:
    run_command("true", folder)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    data = run_command("head -c 50000000 /dev/zero | tr '\\0' x", folder).data
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert data.total_bytes == 50_000_000 and data.truncated
    assert grown < 10_000, f"{grown} KiB more"


def test_D5_a_command_that_writes_too_much_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "QUOTA_BYTES", 1_000_000)
    with pytest.raises(ToolError, match="it wrote") as raised:
        run_command("yes", folder)
    assert raised.value.code == "too_large"


def test_D5_a_process_that_keeps_the_output_open_does_not_hold_up_the_result(folder: Path) -> None:
    data = run_command("sleep 300 & echo $! > a.pid; echo done", folder).data
    assert data.output == "done\n"
    assert "1 process it left running was ended: `" in said(data)
    assert not is_alive(pids_in(folder)[0])


def test_D6_what_was_left_running_is_ended_and_named(folder: Path) -> None:
    everybody_wrote = "while [ $(ls *.pid | wc -l) -lt 4 ]; do :; done"
    data = run_command(RUNAWAYS + everybody_wrote, folder).data
    assert f"{RUNAWAY_COUNT} processes it left running were ended: " in data.note and "sleep 300" in data.note
    assert not any(is_alive(pid) for pid in pids_in(folder))


def test_a_timeout_ends_all_it_started_and_tells_the_output_so_far(folder: Path) -> None:
    with pytest.raises(ToolError) as raised:
        run_command(f"echo working; {RUNAWAYS} sleep 300", folder, timeout=700)
    assert raised.value.code == "timed_out"
    assert "ended after 0.7 s" in raised.value.message and raised.value.message.endswith("working")
    assert len(pids_in(folder)) == RUNAWAY_COUNT
    assert not any(is_alive(pid) for pid in pids_in(folder))


def test_cancelling_ends_all_it_started(folder: Path) -> None:
    async def work(bash: Bash, ctx: ToolContext) -> None:
        calling = asyncio.ensure_future(bash.call(bash.parse_input({"command": RUNAWAYS + "sleep 300"}), ctx))
        await wait_for(lambda: len(pids_in(folder)) == RUNAWAY_COUNT)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert not any(is_alive(pid) for pid in pids_in(folder))

    bash_in(folder, work)


def test_a_command_that_is_stopped_soon_has_shown_what_it_said(folder: Path) -> None:
    shown: list[ToolOutput] = []

    async def work(bash: Bash, ctx: ToolContext) -> None:
        command = "echo begun; touch there; sleep 300"
        calling = asyncio.ensure_future(bash.call(bash.parse_input({"command": command}), ctx))
        await wait_for((folder / "there").exists)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling

    bash_in(folder, work, shown)
    (last,) = shown
    assert isinstance(last, BashProgress) and last.lines == ("begun",)


def test_D4_a_command_that_reads_gets_an_end_and_does_not_hang(folder: Path) -> None:
    assert run_command("cat; read x; echo $?", folder).data.output == "1\n"
    assert run_command("tty; test -t 0; echo $?", folder).data.output == "not a tty\n1\n"


def test_D7_the_clock_starts_when_it_runs(folder: Path) -> None:
    async def work(bash: Bash, ctx: ToolContext) -> BashOutput:
        parsed = bash.parse_input({"command": "sleep 0.1; echo done", "timeout": 5_000})
        await bash.validate_input(parsed, ctx)
        await bash.preview(parsed, ctx)
        return (await bash.call(parsed, ctx)).data

    assert bash_in(folder, work).output == "done\n"


def test_progress_shows_the_last_lines_once_it_takes_a_while(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "PROGRESS_AFTER_SECONDS", 0.1)
    monkeypatch.setattr(running, "LOOK_SECONDS", 0.02)
    shown: list[ToolOutput] = []

    async def work(bash: Bash, ctx: ToolContext) -> None:
        command = "seq 1 100; while [ ! -e go ]; do sleep 0.01; done"
        calling = asyncio.ensure_future(bash.call(bash.parse_input({"command": command}), ctx))
        await wait_for(lambda: bool(shown))
        (folder / "go").touch()
        await calling

    bash_in(folder, work, shown)
    first = shown[0]
    assert isinstance(first, BashProgress)
    assert first.lines == tuple(str(n) for n in range(81, 101))
    assert (first.total_lines, first.total_bytes) == (100, 292)


def test_a_quick_command_shows_no_progress(folder: Path) -> None:
    shown: list[ToolOutput] = []

    async def work(bash: Bash, ctx: ToolContext) -> None:
        await bash.call(bash.parse_input({"command": "echo x"}), ctx)

    bash_in(folder, work, shown)
    assert shown == []


def test_cd_lasts_inside_the_workspace(folder: Path) -> None:
    (folder / "src").mkdir()
    result = run_command("cd src && pwd", folder)
    assert result.context_change == ContextChange(folder=str(folder / "src"))
    assert result.data.folder == str(folder / "src") and result.data.note == ""


@pytest.mark.parametrize(
    "command", ["cd src; exit 3", "cd src; false", "set -eu; cd src; set -C; nope", "cd src; (cd /)"]
)
def test_cd_lasts_however_the_command_ends(folder: Path, command: str) -> None:
    (folder / "src").mkdir()
    result = run_command(command, folder)
    assert result.context_change == ContextChange(folder=str(folder / "src"))


def test_cd_out_of_the_workspace_is_undone_with_a_note(folder: Path) -> None:
    result = run_command("cd / && pwd", folder)
    assert result.context_change is None
    assert result.data.output == "/\n" and result.data.folder == str(folder)
    assert "/ lies outside the workspace" in said(result.data)


def test_cd_through_a_link_out_of_the_workspace_is_undone(folder: Path) -> None:
    (folder / "way-out").symlink_to("/usr")
    assert run_command("cd way-out", folder).context_change is None


def test_a_workspace_opened_by_a_link_keeps_its_name(tmp_path: Path, folder: Path) -> None:
    (folder / "src").mkdir()
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert run_command("cd src", link).context_change == ContextChange(folder=str(link / "src"))
    assert run_command("true", link).context_change is None


def test_the_command_s_own_traps_and_exit_codes_work(folder: Path) -> None:
    data = run_command("trap 'echo bye' EXIT; exit 4", folder).data
    assert (data.output, data.exit_code) == ("bye\n", 4)


def test_nothing_of_how_the_folder_is_learnt_reaches_the_command(folder: Path) -> None:
    data = run_command('echo "[$BASH_ENV][$AGENT_TUI_FOLDER]"; env | grep -c AGENT_TUI; ls "$PWD"', folder).data
    assert data.output == "[][]\n0\n"
    assert sorted(os.listdir(folder.parent / "project-results")) == [os.path.basename(data.stored)]


def test_a_syntax_error_is_told_as_bash_tells_it(folder: Path) -> None:
    data = run_command("echo (", folder).data
    assert data.exit_code == 2
    assert "syntax error" in data.output and "trap" not in data.output


def test_D1_our_credentials_do_not_reach_a_command_and_others_stay(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "secret-too")
    monkeypatch.setenv("GH_TOKEN", "the-person-s")
    output = run_command("env; cat /proc/$PPID/environ | tr '\\0' '\\n'", folder).data.output
    assert "secret" not in output
    assert "GH_TOKEN=the-person-s" in output


def test_D2_what_changes_a_shell_behind_its_back_is_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "evil.sh").write_text("echo evil")
    for name in ("BASH_ENV", "ENV", "PROMPT_COMMAND"):
        monkeypatch.setenv(name, str(folder / "evil.sh"))
    monkeypatch.setenv("PS4", "$(echo evil >&2)")
    assert "evil" not in run_command("set -x; true", folder).data.output


def test_nobody_is_asked_and_no_pager_turns(folder: Path) -> None:
    data = run_command("echo $GIT_TERMINAL_PROMPT $PAGER $GIT_PAGER $TERM", folder).data
    assert data.output == "0 cat cat dumb\n"


def test_D3_a_program_in_the_workspace_does_not_stand_in_for_the_shell(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bash", "ls"):
        (folder / name).write_text("#!/bin/sh\necho evil\n")
        (folder / name).chmod(0o755)
    for first in (str(folder), ".", ""):
        monkeypatch.setenv("PATH", f"{first}:/usr/bin:/bin")
        assert "evil" not in run_command("ls /; timeout 5 ls /", folder).data.output


def test_A29_a_folder_that_is_gone_is_an_error_that_says_so(folder: Path) -> None:
    with pytest.raises(ToolError, match="No such file or directory"):
        run_command("ls", folder / "gone")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"command": "  \n"}, "empty"),
        ({"command": "echo \0"}, "NUL"),
        ({"command": "echo " + "x" * 140_000}, "too long"),
        ({"command": "ls", "timeout": 0}, "above 0"),
        ({"command": "ls", "timeout": -5}, "above 0"),
        ({"command": "ls", "run_in_background": True}, "background"),
    ],
)
def test_T18_what_cannot_be_run_is_refused_before_anybody_is_asked(
    folder: Path, more: dict[str, object], words: str
) -> None:
    with pytest.raises(ToolError, match=words) as raised:
        run_command(folder=folder, **more)  # pyright: ignore[reportArgumentType] (the inputs are of many kinds)
    assert raised.value.code == "invalid_input"


def test_T16_half_a_surrogate_pair_is_refused(folder: Path) -> None:
    with pytest.raises(ToolError) as raised:
        run_command("echo \ud800", folder)
    assert raised.value.code == "invalid_input"


def test_T18_a_timeout_above_the_longest_is_the_longest(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.bash.tool.LONGEST_TIMEOUT_MS", 100)
    with pytest.raises(ToolError, match=r"ended after 0\.1 s"):
        run_command("sleep 300", folder, timeout=99_999_999)
