"""Commands inside, for real: what they may write and see, what they cannot reach, by each mechanism this machine has."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import context
from tests.support.commands import is_alive, pids_in
from tests.support.sandbox import MECHANISMS, Ground, only
from tools.bash.data import BashOutput
from tools.bash.launcher import SessionLauncher
from tools.bash.tool import Bash
from tools.results import ResultStore
from tools.sandbox.sandbox import SessionSandbox

PYTHON = sys.executable


@pytest.fixture(params=MECHANISMS)
def mechanism(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    only(request.param, monkeypatch)
    return request.param


@pytest.fixture
def ground(mechanism: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    ground = Ground(tmp_path)
    monkeypatch.setenv("TMPDIR", str(ground.temp))
    return ground


def run(ground: Ground, command: str, sandbox: SessionSandbox | None = None, **more: Any) -> BashOutput:
    async def work() -> BashOutput:
        launcher = SessionLauncher()
        try:
            bash = Bash(launcher, ResultStore(ground.state / "results"), sandbox=sandbox or ground.sandbox())
            input = bash.parse_input({"command": command, **more})
            return (await bash.call(input, context(ground.work))).data
        finally:
            await launcher.close()

    return asyncio.run(work())


def test_writing_works_in_the_workspace_and_in_the_temporary_folder(ground: Ground) -> None:
    data = run(
        ground, "mkdir d && echo x > d/a && mv d/a b && ln -s b c && cat c && echo y > $TMPDIR/t && mv $TMPDIR/t d/"
    )
    assert (data.output, data.exit_code, data.sandboxed, data.blocked) == ("x\n", 0, True, "")
    assert (ground.work / "d" / "t").read_text() == "y\n"


def test_writing_elsewhere_fails_and_the_sandbox_is_named(ground: Ground) -> None:
    (ground.outside / "kept").write_text("kept\n")
    outside = ground.outside
    for command in (
        f"echo x > {outside}/new",
        f"echo x > {outside}/kept",
        f"rm {outside}/kept",
        f"mv {outside}/kept .",
        f"mkdir {outside}/d",
        f"truncate -s 0 {outside}/kept",
        f"ln -s {outside} out && echo x > out/new",
        f"echo x >> {ground.home}/.profile",
    ):
        data = run(ground, command)
        assert data.exit_code == 1 and "The sandbox seems to have kept it from writing outside" in data.blocked, command
        assert "dangerously_disable_sandbox" in data.blocked
    assert os.listdir(outside) == ["kept"] and (outside / "kept").read_text() == "kept\n"


def test_the_same_command_works_outside_of_it(ground: Ground) -> None:
    command = f"echo x > {ground.outside}/new"
    assert run(ground, command).exit_code == 1
    data = run(ground, command, dangerously_disable_sandbox=True)
    assert (data.exit_code, data.sandboxed) == (0, False)
    assert (ground.outside / "new").read_text() == "x\n"


def test_secrets_and_our_own_state_cannot_be_read_and_all_else_can(ground: Ground) -> None:
    home, state = ground.home, ground.state
    (ground.work / "link").symlink_to(home / ".ssh")
    for command in (f"cat {home}/.ssh/id", "cat link/id", f"cat /proc/self/root{home}/.ssh/id", f"cat {state}/record"):
        data = run(ground, command)
        assert data.exit_code == 1 and "the key" not in data.output and "ours" not in data.output, command
    assert run(ground, f"cat {home}/notes").output == "plain\n"


def test_stored_outputs_can_be_read_inside(ground: Ground) -> None:
    (earlier := ground.state / "results" / "1.txt").write_text("said\n")
    assert run(ground, f"cat {earlier}").output == "said\n"
    assert run(ground, f"echo more >> {earlier}").exit_code == 1


def test_there_is_no_network(ground: Ground) -> None:
    tries = (
        "socket.create_connection(('127.0.0.1', 9), 1)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
        "socket.socket(socket.AF_INET6, socket.SOCK_STREAM).connect(('2001:db8::1', 80))",
    )
    for tried in tries:
        data = run(ground, f'{PYTHON} -c "import socket; {tried}"')
        assert data.exit_code == 1 and "Error" in data.output, tried


def test_a_connection_that_fails_names_the_sandbox(ground: Ground) -> None:
    data = run(ground, "echo 'curl: (6) Could not resolve host: example.org' >&2; exit 6")
    assert "kept it from the network" in data.blocked


def test_sockets_of_other_programs_are_out_of_reach(ground: Ground) -> None:
    async def talk() -> str:
        path = str(ground.work / "engine.sock")

        async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"way out")
            writer.close()

        async with await asyncio.start_unix_server(serve, path):
            connect = "s = socket.socket(socket.AF_UNIX); s.connect('engine.sock'); print(s.recv(9))"
            return (await asyncio.to_thread(run, ground, f'{PYTHON} -c "import socket; {connect}"')).output

    said = asyncio.run(talk())
    assert "PermissionError" in said and "way out" not in said


def test_programs_may_still_talk_among_themselves(ground: Ground) -> None:
    pool = "import multiprocessing as m; m.Lock(); print(m.Pool(2).map(abs, [-1, -2]))"
    assert run(ground, f'{PYTHON} -c "{pool}"; echo a | cat; cat <(echo b)').output == "[1, 2]\na\nb\n"


def test_the_network_can_be_opened_and_the_rest_stays_closed(ground: Ground) -> None:
    async def talk() -> BashOutput:
        async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"hello\n")
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            connect = f"s = socket.create_connection(('127.0.0.1', {port})); print(s.recv(9).decode())"
            command = f'{PYTHON} -c "import socket; {connect}"; echo x > {ground.outside}/new'
            return await asyncio.to_thread(run, ground, command, ground.sandbox(network=True))

    data = asyncio.run(talk())
    assert data.output.startswith("hello") and data.exit_code == 1
    assert not (ground.outside / "new").exists()


def test_cd_lasts_and_the_devices_everybody_uses_are_there(ground: Ground) -> None:
    data = run(ground, "mkdir d; cd d; echo n > /dev/null; head -c 2 /dev/urandom | wc -c; echo e >> /dev/stderr")
    assert (data.output, data.folder) == ("2\ne\n", str(ground.work / "d"))


def test_other_processes_cannot_be_ended_from_inside(ground: Ground) -> None:
    data = run(ground, f"kill -0 {os.getpid()}")
    assert data.exit_code == 1


def test_a_privilege_cannot_be_gained_inside(ground: Ground) -> None:
    assert run(ground, "grep NoNewPrivs /proc/self/status").output == "NoNewPrivs:\t1\n"


def test_D6_nothing_outlives_a_command_in_the_sandbox(ground: Ground, mechanism: str) -> None:
    data = run(ground, "setsid sleep 300 & echo $! > a.pid; echo done")
    assert data.output == "done\n"
    if mechanism == "landlock":
        assert "sleep 300" in data.note
        assert not is_alive(pids_in(ground.work)[0])
    else:
        # Its numbers are those of its own space: what it started is found by what it is.
        assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and _runs_in(pid, ground.work)]


def _runs_in(pid: str, folder: Path) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/cwd") == str(folder)
    except OSError:
        return False


def test_a_timeout_ends_it_like_any_other(ground: Ground) -> None:
    from tools.contract import ToolError

    with pytest.raises(ToolError, match=r"ended after 0\.3 s") as raised:
        run(ground, "sleep 300 & sleep 300", timeout=300)
    assert raised.value.code == "timed_out"
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and _runs_in(pid, ground.work)]


def test_what_stands_in_for_our_settings_goes_with_the_last_command_that_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only("bubblewrap", monkeypatch)
    ground = Ground(tmp_path)
    monkeypatch.setenv("TMPDIR", str(ground.temp))
    box = ground.sandbox()

    async def work() -> None:
        launcher = SessionLauncher()
        bash = Bash(launcher, ResultStore(ground.state / "results"), sandbox=box)
        ctx = context(ground.work)
        try:
            # While the first still runs the second begins and ends.
            slow = "touch begun; while [ ! -e go ]; do sleep 0.01; done; echo {} > .agent-tui/settings.json"
            first = asyncio.ensure_future(bash.call(bash.parse_input({"command": slow}), ctx))
            while not (ground.work / "begun").exists():
                await asyncio.sleep(0.005)
            await bash.call(bash.parse_input({"command": "echo {} > .claude/settings.json; touch go"}), ctx)
            assert (await first).data.exit_code == 0
        finally:
            await launcher.close()

    asyncio.run(work())
    assert sorted(os.listdir(ground.work)) == ["begun", "go"]


def test_what_others_obey_in_the_workspace_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("bubblewrap", monkeypatch)
    ground = Ground(tmp_path)
    monkeypatch.setenv("TMPDIR", str(ground.temp))
    (ground.work / ".git" / "hooks").mkdir(parents=True)
    (ground.work / ".git" / "config").write_text("[core]\n")
    for command in ("echo x > .git/hooks/pre-commit", "echo x >> .git/config", "mv .git/hooks h", "rm -r .git/hooks"):
        data = run(ground, command)
        assert data.exit_code == 1 and data.blocked, command
    assert run(ground, "echo x > .git/index && git rev-parse --git-dir").exit_code in (0, 128)
    run(ground, "mkdir -p .agent-tui && echo '{}' > .agent-tui/settings.local.json")
    assert not {".agent-tui", ".claude"} & {*os.listdir(ground.work)}, "nor does anything come to be that we would obey"
    assert os.listdir(ground.work / ".git" / "hooks") == []


MOVES = {
    "the repository is moved away and copied back": "mv .git g; cp -r g .git; echo x > .git/hooks/pre-commit",
    "a repository without hooks gets some": "mkdir .git/hooks; echo x > .git/hooks/pre-commit",
    "the settings are to be taken from elsewhere": "mkdir evil; echo x > evil/config; echo ../evil > .git/commondir",
    "a folder above it is moved": "cd ../..; mv deep d; cp -r d deep; echo x > deep/work/.git/hooks/pre-commit",
}


@pytest.mark.parametrize("command", MOVES.values(), ids=MOVES)
def test_what_git_obeys_cannot_be_put_in_place_by_a_detour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    only("bubblewrap", monkeypatch)
    ground = Ground(tmp_path / "deep")
    # The workspace lies in the temporary folder, as it may.
    monkeypatch.setattr(ground, "temp", tmp_path)
    git = ground.work / ".git"
    git.mkdir()
    if not command.startswith("mkdir .git/hooks"):
        (git / "hooks").mkdir()
    (git / "config").write_text("[core]\n")
    run(ground, command)
    hooks = os.listdir(git / "hooks") if (git / "hooks").exists() else []
    assert (hooks, (git / "config").read_text()) == ([], "[core]\n")
    assert not (git / "commondir").exists()


def test_a_worktree_goes_on_pointing_where_it_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("bubblewrap", monkeypatch)
    ground = Ground(tmp_path)
    (ground.work / ".git").write_text("gitdir: /there\n")
    assert run(ground, "echo gitdir: evil > .git").exit_code == 1
    run(ground, "mv .git g; echo gitdir: evil > .git")
    assert (ground.work / ".git").read_text() == "gitdir: /there\n"
