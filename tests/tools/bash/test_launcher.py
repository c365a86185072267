from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.support.commands import RUNAWAY_COUNT, RUNAWAYS, is_alive, pids_in, wait_for, wait_until
from tools.bash.launcher import SessionLauncher
from tools.contract import ToolError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

ENV = {"PATH": "/usr/bin:/bin"}


def with_launcher(work: Callable[[SessionLauncher], Awaitable[None]]) -> None:
    async def run() -> None:
        launcher = SessionLauncher()
        try:
            await work(launcher)
        finally:
            await launcher.close()

    asyncio.run(run())


def shell(command: str) -> tuple[str, ...]:
    return ("/bin/sh", "-c", command)


def test_output_and_errors_go_to_the_file_and_the_exit_code_comes_back(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        output = tmp_path / "out"
        command = await launcher.start(shell("echo one; echo two >&2; exit 3"), str(tmp_path), ENV, str(output))
        assert await command.wait() == 3
        assert output.read_text() == "one\ntwo\n"
        assert stat.S_IMODE(output.stat().st_mode) == 0o600

    with_launcher(work)


def test_a_signal_is_a_negative_exit_code(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        command = await launcher.start(shell("kill -SEGV $$"), str(tmp_path), ENV, str(tmp_path / "out"))
        assert await command.wait() == -signal.SIGSEGV

    with_launcher(work)


def test_D4_a_command_has_no_terminal_no_input_and_a_session_of_its_own(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        output = tmp_path / "out"
        script = (
            "import os,sys; print(os.getsid(0) == os.getpid(), sys.stdin.read() == '', os.listdir('/proc/self/fd'))"
        )
        argv = (sys.executable, "-I", "-c", script)
        command = await launcher.start(argv, str(tmp_path), ENV, str(output))
        assert await command.wait() == 0
        # Besides the three there is only the folder that is being listed.
        assert output.read_text() == "True True ['0', '1', '2', '3']\n"

    with_launcher(work)


def test_a_command_is_ended_by_a_broken_pipe_as_usual(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        argv = ("/bin/bash", "-c", "yes | head -1; echo ${PIPESTATUS[0]}")
        command = await launcher.start(argv, str(tmp_path), ENV, str(tmp_path / "out"))
        await command.wait()
        assert (tmp_path / "out").read_text() == f"y\n{128 + signal.SIGPIPE}\n"

    with_launcher(work)


def test_the_output_does_not_follow_a_link(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(ToolError, match="not started"):
            await launcher.start(shell("echo x"), str(tmp_path), ENV, str(tmp_path / "out"))
        assert not (tmp_path / "elsewhere").exists()

    with_launcher(work)


@pytest.mark.parametrize(("argv", "folder"), [(("/bin/no-such-program",), "."), (("/bin/true",), "no-such-folder")])
def test_what_cannot_start_says_why_and_the_next_command_runs(tmp_path: Path, argv: tuple[str], folder: str) -> None:
    async def work(launcher: SessionLauncher) -> None:
        with pytest.raises(ToolError, match="No such file or directory"):
            await launcher.start(argv, str(tmp_path / folder), ENV, str(tmp_path / "out"))
        command = await launcher.start(("/bin/true",), str(tmp_path), ENV, str(tmp_path / "out"))
        assert await command.wait() == 0

    with_launcher(work)


def test_many_commands_run_at_once(tmp_path: Path) -> None:
    async def one(launcher: SessionLauncher, number: int) -> int:
        output = str(tmp_path / f"out{number}")
        command = await launcher.start(shell(f"echo {number}; exit {number}"), str(tmp_path), ENV, output)
        return await command.wait()

    async def work(launcher: SessionLauncher) -> None:
        assert await asyncio.gather(*(one(launcher, number) for number in range(12))) == list(range(12))
        assert [(tmp_path / f"out{number}").read_text() for number in range(12)] == [f"{n}\n" for n in range(12)]

    with_launcher(work)


def test_D6_what_a_command_leaves_in_the_background_is_ended_with_it(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        everybody_wrote = "while [ $(ls *.pid | wc -l) -lt 4 ]; do :; done; exit 7"
        command = await launcher.start(shell(RUNAWAYS + everybody_wrote), str(tmp_path), ENV, str(tmp_path / "out"))
        assert await command.wait() == 7
        assert len(command.leftovers) == RUNAWAY_COUNT
        assert all("sleep 300" in name for name in command.leftovers), command.leftovers
        assert [is_alive(pid) for pid in pids_in(tmp_path)] == [False] * RUNAWAY_COUNT

    with_launcher(work)


def test_ending_a_command_ends_its_runaways_too(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        command = await launcher.start(shell(RUNAWAYS + "sleep 300"), str(tmp_path), ENV, str(tmp_path / "out"))
        await wait_for(lambda: len(pids_in(tmp_path)) == RUNAWAY_COUNT)
        await command.end()
        assert not any(is_alive(pid) for pid in (command.pid, *pids_in(tmp_path)))

    with_launcher(work)


def test_a_command_is_first_asked_to_end(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        politely = "trap 'echo tidy > tidied; exit 0' TERM; touch ready; while :; do sleep 0.01; done"
        command = await launcher.start(shell(politely), str(tmp_path), ENV, str(tmp_path / "out"))
        await wait_for((tmp_path / "ready").exists)
        await command.end()
        assert (tmp_path / "tidied").read_text() == "tidy\n"

    with_launcher(work)


def test_a_command_that_does_not_listen_or_is_stopped_is_killed(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        deaf = "trap '' TERM; touch ready; while :; do sleep 0.01; done"
        command = await launcher.start(shell(deaf), str(tmp_path), ENV, str(tmp_path / "out"))
        await wait_for((tmp_path / "ready").exists)
        os.kill(command.pid, signal.SIGSTOP)
        await command.end()
        assert not is_alive(command.pid)

    with_launcher(work)


def test_waiting_can_be_cancelled_and_taken_up_again(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        wait_for_go = "while [ ! -e go ]; do sleep 0.01; done; exit 5"
        command = await launcher.start(shell(wait_for_go), str(tmp_path), ENV, str(tmp_path / "out"))
        waiting = asyncio.ensure_future(command.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        (tmp_path / "go").touch()
        assert await command.wait() == 5

    with_launcher(work)


def test_a_launcher_that_died_is_replaced_and_what_it_started_goes_on(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        wait_for_go = "while [ ! -e go ]; do sleep 0.01; done"
        first = await launcher.start(shell(wait_for_go), str(tmp_path), ENV, str(tmp_path / "out"))
        process = launcher.process_id
        assert process is not None
        os.kill(process, signal.SIGKILL)
        await wait_for(lambda: not is_alive(process))
        second = await launcher.start(("/bin/true",), str(tmp_path), ENV, str(tmp_path / "out"))
        assert await second.wait() == 0
        (tmp_path / "go").touch()
        assert await first.wait() == 0

    with_launcher(work)


def test_when_a_keeper_is_killed_the_command_answers_with_an_error_and_its_processes_end(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        kills_its_keeper = RUNAWAYS + "while [ $(ls *.pid | wc -l) -lt 4 ]; do :; done; kill -KILL $PPID; sleep 300"
        command = await launcher.start(shell(kills_its_keeper), str(tmp_path), ENV, str(tmp_path / "out"))
        with pytest.raises(ToolError, match="lost"):
            await command.wait()
        await wait_for(lambda: not any(is_alive(pid) for pid in (command.pid, *pids_in(tmp_path))))
        after = await launcher.start(("/bin/true",), str(tmp_path), ENV, str(tmp_path / "out"))
        assert await after.wait() == 0

    with_launcher(work)


def test_a_launcher_whose_spares_all_die_gives_up_instead_of_forking_for_ever(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        await (await launcher.start(("/bin/true",), str(tmp_path), ENV, str(tmp_path / "out"))).wait()
        process = launcher.process_id
        assert process is not None

        def gone_after_its_spares() -> bool:
            children = Path(f"/proc/{process}/task/{process}/children")
            with contextlib.suppress(OSError):
                for pid in children.read_text().split():
                    os.kill(int(pid), signal.SIGKILL)
            return not is_alive(process)

        await wait_for(gone_after_its_spares)
        after = await launcher.start(("/bin/true",), str(tmp_path), ENV, str(tmp_path / "out"))
        assert await after.wait() == 0

    with_launcher(work)


def test_closing_ends_everything_that_still_runs(tmp_path: Path) -> None:
    async def work(launcher: SessionLauncher) -> None:
        await launcher.start(shell(RUNAWAYS + "sleep 300"), str(tmp_path), ENV, str(tmp_path / "out"))
        await wait_for(lambda: len(pids_in(tmp_path)) == RUNAWAY_COUNT)

    with_launcher(work)
    wait_until(lambda: not any(is_alive(pid) for pid in pids_in(tmp_path)))


SESSION = """
import asyncio, json, sys
from tools.bash.launcher import SessionLauncher

async def main():
    launcher = SessionLauncher()
    folder, command = sys.argv[1:]
    started = await launcher.start(("/bin/sh", "-c", command), folder, {"PATH": "/usr/bin:/bin"}, folder + "/out")
    print(json.dumps([started.pid, launcher.process_id]), flush=True)
    await started.wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_a_session_that_was_killed(tmp_path: Path, ending: signal.Signals) -> None:
    root = Path(__file__).parents[3]
    argv = [sys.executable, "-c", SESSION, str(tmp_path), RUNAWAYS + "sleep 300"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=root, text=True) as session:
        assert session.stdout is not None
        pids = json.loads(session.stdout.readline())
        wait_until(lambda: len(pids_in(tmp_path)) == RUNAWAY_COUNT)
        session.send_signal(ending)
    wait_until(lambda: not any(is_alive(pid) for pid in (*pids, *pids_in(tmp_path))))
