"""One hook as a real process: what it finds, and that a bad one holds nobody up and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.support.commands import RUNAWAY_COUNT, RUNAWAYS, is_alive, pids_in, wait_for, wait_until
from tools.bash.environment import for_command
from tools.bash.launcher import SessionLauncher
from tools.hooks import run as running
from tools.hooks.run import Job, Ran, run_hook

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

T = TypeVar("T")


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the files of hooks lie meanwhile."""
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    return tmp_path / "scratch"


def with_launcher(work: Callable[[SessionLauncher], Awaitable[T]]) -> T:
    async def run() -> T:
        launcher = SessionLauncher()
        try:
            return await work(launcher)
        finally:
            await launcher.close()

    return asyncio.run(run())


def job(folder: Path, command: str, env: Mapping[str, str] | None = None, **more: Any) -> Job:
    fields: dict[str, Any] = {"input": "{}\n", "timeout": 10.0, **more}
    return Job("/bin/bash", command, folder=str(folder), env=env or {"PATH": "/usr/bin:/bin"}, **fields)


def run(folder: Path, command: str, **more: Any) -> Ran:
    slow: list[None] = []
    return with_launcher(lambda launcher: run_hook(launcher, job(folder, command, **more), lambda: slow.append(None)))


def test_it_finds_its_input_on_stdin_and_its_outputs_are_kept_apart(tmp_path: Path, scratch: Path) -> None:
    ran = run(tmp_path, "cat; echo bad >&2; pwd; exit 3", input='{"tool_name": "Bash"}\n')
    assert (ran.exit_code, ran.out, ran.err) == (3, f'{{"tool_name": "Bash"}}\n{tmp_path}\n', "bad\n")
    assert 0 < ran.seconds < 10 and ran.trouble == ""
    assert list(scratch.iterdir()) == []


def test_D4_it_has_no_terminal_and_a_session_of_its_own(tmp_path: Path) -> None:
    script = "import os; print(os.getsid(0) == os.getpid(), os.isatty(0), sorted(os.listdir('/proc/self/fd')))"
    ran = run(tmp_path, f'exec {sys.executable} -I -c "{script}"')
    assert ran.out == "True False ['0', '1', '2', '3']\n"


def test_D1_our_credentials_and_D2_what_changes_a_shell_do_not_reach_it(tmp_path: Path) -> None:
    env = for_command({**os.environ, "ANTHROPIC_API_KEY": "secret", "BASH_ENV": str(tmp_path / "trap"), "MINE": "1"})
    (tmp_path / "trap").write_text("echo trapped\n")
    ran = run(tmp_path, "env", env=env)
    assert "MINE=1" in ran.out
    assert "secret" not in ran.out and "trapped" not in ran.out


def test_a_hook_that_never_reads_its_input_blocks_nobody(tmp_path: Path) -> None:
    ran = run(tmp_path, "echo done", input="x" * 10_000_000)
    assert (ran.exit_code, ran.out) == (0, "done\n")


def test_a_hook_that_closes_everything_is_heard_by_its_exit_code(tmp_path: Path) -> None:
    assert run(tmp_path, "exec 0<&- 1>&- 2>&-; exit 2").exit_code == 2


def test_a_hanging_hook_is_ended_after_its_time_with_all_it_started(tmp_path: Path, scratch: Path) -> None:
    async def work(launcher: SessionLauncher) -> Ran:
        return await run_hook(launcher, job(tmp_path, RUNAWAYS + "echo begun; sleep 300", timeout=3.0), lambda: None)

    ran = with_launcher(work)
    assert (ran.exit_code, ran.trouble) == (None, "it was ended after 3 s.")
    assert ran.out == "begun\n"
    wait_until(lambda: not any(is_alive(pid) for pid in pids_in(tmp_path)))
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("where", ["", " >&2"])
def test_a_babbling_hook_is_ended_and_only_the_beginning_is_read(tmp_path: Path, where: str, scratch: Path) -> None:
    ran = run(tmp_path, f"yes 'so much to say'{where}")
    assert ran.exit_code is None and "printed more than" in ran.trouble
    assert len(ran.out + ran.err) == running.READ_BYTES
    assert list(scratch.iterdir()) == []


def test_megabytes_of_a_hook_that_ends_are_not_all_read(tmp_path: Path) -> None:
    ran = run(tmp_path, "head -c 3000000 /dev/zero | tr '\\0' x; exit 2")
    assert (ran.exit_code, len(ran.out)) == (2, running.READ_BYTES)


def test_what_it_prints_need_not_be_text(tmp_path: Path) -> None:
    assert run(tmp_path, r"printf '\377\376\0{'").out == "\ufffd\ufffd\0{"


@pytest.mark.parametrize(
    ("command", "code"), [("kill -SEGV $$", -signal.SIGSEGV), ("no-such-program-here", 127), ("exit 1", 1)]
)
def test_a_crash_is_an_exit_code(tmp_path: Path, command: str, code: int) -> None:
    assert run(tmp_path, command).exit_code == code


@pytest.mark.parametrize("what", ["too long for a shell", "in a folder that is gone"])
def test_one_that_cannot_be_started_says_why(tmp_path: Path, what: str) -> None:
    ran = run(tmp_path, "x" * 200_000) if what == "too long for a shell" else run(tmp_path / "gone", "true")
    assert ran.exit_code is None and "not started" in ran.trouble


def test_a_slow_hook_is_told_of_once_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SLOW_SECONDS", 0.05)

    async def work(launcher: SessionLauncher) -> None:
        told = asyncio.Event()
        wait_for_go = job(tmp_path, "while [ ! -e go ]; do sleep 0.01; done")
        hook = asyncio.ensure_future(run_hook(launcher, wait_for_go, told.set))
        await told.wait()
        (tmp_path / "go").touch()
        assert (await hook).exit_code == 0

    with_launcher(work)


def test_cancelling_ends_it_with_all_it_started(tmp_path: Path, scratch: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        hook = asyncio.ensure_future(run_hook(launcher, job(tmp_path, RUNAWAYS + "sleep 300"), lambda: None))
        await wait_for(lambda: len(pids_in(tmp_path)) == RUNAWAY_COUNT)
        hook.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hook
        assert not any(is_alive(pid) for pid in pids_in(tmp_path))
        assert list(scratch.iterdir()) == []

    with_launcher(work)


def test_cancelling_at_any_moment_leaves_no_file_and_no_process(tmp_path: Path, scratch: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        for moment in range(20):
            hook = asyncio.ensure_future(run_hook(launcher, job(tmp_path, "echo $$ > $$.pid; sleep 300"), lambda: None))
            for _ in range(moment):
                # Work of threads goes on meanwhile, so the moments differ from run to run.
                await asyncio.sleep(0.001)
            hook.cancel()
            with pytest.raises(asyncio.CancelledError):
                await hook
        await wait_for(lambda: list(scratch.iterdir()) == [])
        await wait_for(lambda: not any(is_alive(pid) for pid in pids_in(tmp_path)))

    with_launcher(work)


SESSION = """
import asyncio, sys
from tools.bash.launcher import SessionLauncher
from tools.hooks.run import Job, run_hook

folder, command = sys.argv[1:]
env = {"PATH": "/usr/bin:/bin"}
job = Job("/bin/bash", command, "{}", folder, env, 60.0)
asyncio.run(run_hook(SessionLauncher(), job, lambda: None))
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_no_hook_outlives_a_session_that_was_killed(tmp_path: Path, ending: signal.Signals) -> None:
    root = Path(__file__).parents[3]
    argv = [sys.executable, "-c", SESSION, str(tmp_path), RUNAWAYS + "sleep 300"]
    with subprocess.Popen(argv, cwd=root, env={**os.environ, "TMPDIR": str(tmp_path)}) as session:
        wait_until(lambda: len(pids_in(tmp_path)) == RUNAWAY_COUNT)
        session.send_signal(ending)
    wait_until(lambda: not any(is_alive(pid) for pid in pids_in(tmp_path)))


def test_its_files_are_private(tmp_path: Path) -> None:
    ran = run(tmp_path, "stat -c %a $(dirname $(readlink /proc/self/fd/0)); stat -Lc %a /proc/self/fd/1")
    assert ran.out.split() == ["700", "600"]
