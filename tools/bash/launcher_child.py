"""The process that starts commands for a session: run as `python -I -S launcher_child.py` with a socket as stdin.

Standard library only, single-threaded, so that forking is safe and cheap. The launcher forks a keeper for each command,
one ahead of need, and the keeper spawns the command. Both are child subreapers where the system knows that (Linux):
whatever a command leaves behind, also in a session of its own or forked twice, becomes the keeper's child and is found
there.

Each command has its own socket between its keeper and us. We read from it `{"pid"}` or `{"error"}`, later `{"exit",
"leftovers"}`, the latter as they were called. We write one byte to it to end the command politely. When it closes,
because we closed it or because we are gone, however we went, the keeper kills the command and all its descendants at
once. The launcher does the same with everything when its own socket closes.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

GRACE_SECONDS = 0.7
# Processes that cannot be killed (another user's, or stuck in the kernel) are not waited for longer than this.
HOPELESS_SECONDS = 10.0

# Said at the start of the launcher: commands will be put inside by Landlock.
CONFINES = "--confines"
# Where a command finds what is handed to it at its start.
FEED = 3

# argv, folder, env, output; in a sandbox also the rules for Landlock, or what is fed to the program that builds it
Request = dict[str, Any]

# What the spare keeper says to the launcher, with its process id before it.
TAKEN, GONE = b"t", b"g"
WORD = struct.Struct("!ic")
SAMPLE_BYTES = 8_192
# As much of what a process was called is told.
NAME_BYTES = 80
# Spares that end before they have a command, one after the other; then something is wrong here, and we give up.
SPARES_LOST = 5


def main() -> None:
    control = _stand_apart()
    become_subreaper = _subreaper()
    become_subreaper()
    if CONFINES in sys.argv:
        _landlock()
    wake = _Wake()
    heard, say = os.pipe()
    keepers: set[int] = set()
    word, lost = TAKEN, 0
    while word != GONE and lost < SPARES_LOST:
        spare = os.fork()
        if spare == 0:
            become_subreaper()
            _wait_for_work(control, say)
            os._exit(0)
        keepers.add(spare)
        word = b""
        while not word and spare in keepers:
            if wake.child_changed_before(heard):
                lost += 1 if _reap_keepers(keepers).get(spare) else 0
            else:
                speaker, said = WORD.unpack(os.read(heard, WORD.size))
                # A quick keeper may have taken its command and ended before we listened: its word is not this one's,
                # or two keepers would wait for one request.
                word = said if speaker == spare or said == GONE else b""
        lost = 0 if word else lost
    _kill_all()


def _wait_for_work(control: socket.socket, say: int) -> None:
    """The life of a keeper: forked before it is needed, so that no command waits for it."""
    wake = _Wake()
    with contextlib.suppress(OSError):  # out of descriptors or of memory: then it is slower
        _warm_up()
    asked = _next_request(control)
    control.close()
    if asked is None:
        os.write(say, WORD.pack(os.getpid(), GONE))
    else:
        # The launcher forks the next spare on this word: it shall not compete with the start of the command.
        _keep(*asked, wake, lambda: os.write(say, WORD.pack(os.getpid(), TAKEN)))


def _warm_up() -> None:
    """Take a request for nothing: the memory that needs is shared until it is touched, and now nobody waits for it."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        body = json.dumps({"argv": [], "folder": "/", "env": dict(os.environ), "output": os.devnull}).encode()
        socket.send_fds(ours, [struct.pack("!I", len(body))], [ours.fileno()])
        # Short of what could fill the socket, which nobody empties yet.
        ours.sendall(body[:SAMPLE_BYTES])
        ours.shutdown(socket.SHUT_WR)
        asked = _next_request(theirs)
        if asked is not None:
            asked[1].close()
        _reap()
        _tell(ours, {"pid": 0})


def _stand_apart() -> socket.socket:
    """Away from the terminal's process group and from the folder we were started in; the socket away from stdin."""
    # Whoever started us may have handed down more than we want to hand on.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    with contextlib.suppress(PermissionError):  # already the leader of its group
        os.setsid()
    os.chdir("/")
    return control


def _next_request(control: socket.socket) -> tuple[Request, socket.socket] | None:
    """The next command and its socket; None when the session is gone."""
    try:
        head, fds, _flags, _address = socket.recv_fds(control, 4, 1)
        if len(head) < 4 or not fds:
            return None
        os.set_inheritable(fds[0], False)
        body = _read_exactly(control, struct.unpack("!I", head)[0])
    except OSError:
        return None
    return (json.loads(body), socket.socket(fileno=fds[0])) if body is not None else None


def _read_exactly(source: socket.socket, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        part = source.recv(size - len(parts))
        if not part:
            return None
        parts += part
    return bytes(parts)


# -- the keeper of one command


def _keep(request: Request, ours: socket.socket, wake: _Wake, taken: Callable[[], object]) -> None:
    try:
        pid = _start(request)
    except OSError as error:
        _tell(ours, {"error": f"{error.strerror}: {error.filename or request['argv'][0]}", "errno": error.errno})
        taken()
        return
    _tell(ours, {"pid": pid})
    taken()
    code: int | None = None
    while code is None:
        ended_by_itself = wake.child_changed_before(ours)
        code = _reap().codes.get(pid) if ended_by_itself else _end_tree(pid, politely=_was_asked(ours))
    leftovers = _end_leftovers(pid)
    _tell(ours, {"exit": code, "leftovers": leftovers})


def _start(request: Request) -> int:
    """Run the command: own session, no terminal, no input, its output in its file. Raises what kept it from running."""
    output = os.open(request["output"], os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    os.chdir(request["folder"])
    actions: list[tuple[int, int, int]] = [(os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, output, 2)]
    if request.get("feed"):
        actions.append((os.POSIX_SPAWN_DUP2, _fed(bytes.fromhex(request["feed"])), FEED))
    if request.get("rules"):
        # This keeper goes inside itself, and all it starts with it: from now on it only waits for that and ends it.
        _landlock().restrict(request["rules"])
    try:
        return os.posix_spawn(
            request["argv"][0],
            request["argv"],
            request["env"],
            file_actions=actions,
            setsid=True,
            # Python ignores these; a command expects to be ended by them.
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
    finally:
        os.close(output)
        os.chdir("/")


def _fed(content: bytes) -> int:
    """A descriptor from which this is read, short as it is."""
    read, write = os.pipe()
    os.write(write, content)
    os.close(write)
    return read


@functools.cache
def _landlock() -> Any:
    """`tools/sandbox/landlock.py`, which this isolated program finds by its place alone."""
    from importlib.util import module_from_spec, spec_from_file_location

    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sandbox", "landlock.py")
    spec = spec_from_file_location("landlock", path)
    assert spec is not None and spec.loader is not None, "a file that ends in .py has a loader"
    landlock = module_from_spec(spec)
    spec.loader.exec_module(landlock)
    return landlock


def _tell(listener: socket.socket, message: dict[str, Any]) -> None:
    body = json.dumps(message).encode()
    with contextlib.suppress(OSError):  # nobody listens any more
        listener.sendall(struct.pack("!I", len(body)) + body)


def _was_asked(ours: socket.socket) -> bool:
    """True for the byte that asks for a polite end, False when the other side is gone."""
    try:
        return bool(ours.recv(1))
    except OSError:
        return False


# -- ending


def _end_leftovers(pid: int) -> list[str]:
    """End what a finished command left running; what that was. No child of ours, no descendant at all."""
    if sys.platform == "linux" and not _reap().others_live:
        return []
    names = [_name_of(left) for left in _descendants(os.getpid())]
    _end_tree(pid, politely=True)
    return [name for name in names if name]


def _name_of(pid: int) -> str:
    """How a process was called; nothing for one that has ended and waits to be collected."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read(NAME_BYTES).decode(errors="replace").split("\0")
    except OSError:
        return ""
    return " ".join("".join(char if char.isprintable() else "?" for char in word) for word in words).strip()


def _end_tree(pid: int, *, politely: bool) -> int:
    """End all descendants of this keeper; returns the exit code of `pid`."""
    codes: dict[int, int] = {}
    if politely:
        _signal_all(pid, signal.SIGTERM)
        # A stopped process hears nothing until it goes on.
        _signal_all(pid, signal.SIGCONT)
        deadline = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < deadline:
            ended = _reap()
            codes |= ended.codes
            if not ended.others_live:
                return codes.get(pid, 0)
            time.sleep(0.01)
    codes |= _kill_all(pid)
    return codes.get(pid, -signal.SIGKILL)


def _kill_all(group: int = 0) -> dict[int, int]:
    """Kill until nobody is left: a process may fork between our look and our signal. Returns the exit codes."""
    codes: dict[int, int] = {}
    pause, deadline = 0.002, time.monotonic() + HOPELESS_SECONDS
    while time.monotonic() < deadline:
        _signal_all(group, signal.SIGKILL)
        ended = _reap()
        codes |= ended.codes
        if not ended.others_live:
            break
        time.sleep(pause)
        pause = min(pause * 2, 0.1)
    return codes


def _signal_all(group: int, number: int) -> None:
    for pid in _descendants(os.getpid()):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
    # Where there is no /proc to walk, the group is all we know.
    if group and sys.platform != "linux":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def _children() -> dict[int, list[int]]:
    """Who is whose child, of all processes."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        if name.isdigit():
            children.setdefault(_parent_of(name), []).append(int(name))
    return children


def _descendants(root: int, apart_from: frozenset[int] = frozenset()) -> list[int]:
    """`apart_from`: processes that are left out, with all that is theirs."""
    children = _children()
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = [pid for pid in children.get(waiting.pop(), ()) if pid not in apart_from]
        found += below
        waiting += below
    return found


def _parent_of(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name in brackets may itself hold brackets and blanks: what counts comes after the last one.
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0


class _Ended:
    """The exit codes of the children that ended, negative for a signal, and whether any still live."""

    def __init__(self, codes: dict[int, int], *, others_live: bool) -> None:
        self.codes = codes
        self.others_live = others_live


def _reap() -> _Ended:
    codes: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return _Ended(codes, others_live=False)
        if pid == 0:
            return _Ended(codes, others_live=True)
        codes[pid] = os.waitstatus_to_exitcode(status)


def _reap_keepers(keepers: set[int]) -> dict[int, int]:
    """The exit codes of those that ended. When a keeper was killed, what it kept comes to us, and is nobody's: end it,
    also what it forks meanwhile."""
    ended = _reap().codes
    keepers.difference_update(ended)
    if not any(ended.values()):
        return ended
    deadline = time.monotonic() + HOPELESS_SECONDS
    while (strays := _descendants(os.getpid(), frozenset(keepers))) and time.monotonic() < deadline:
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)
        keepers.difference_update(_reap().codes)
    return ended


# -- waiting, and what only Linux has


class _Wake:
    """Waits for a socket and for the end of children at once."""

    def __init__(self) -> None:
        self._read, write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(write, False)
        signal.signal(signal.SIGCHLD, _note)
        old = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        if old != -1:
            os.close(old)

    def child_changed_before(self, source: socket.socket | int) -> bool:
        """Blocks; True when a child ended, False when there is something to read from `source`."""
        ready, _, _ = select.select([self._read, source], [], [])
        if self._read not in ready:
            return False
        os.read(self._read, 4096)
        return True


def _note(_number: int, _frame: object) -> None:
    """The wakeup pipe does the work; a handler must be there for it to be written."""


def _subreaper() -> Callable[[], object]:
    """What makes the calling process adopt the orphans among its descendants."""
    if sys.platform != "linux":
        return lambda: None
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    pr_set_child_subreaper = 36
    return lambda: prctl(pr_set_child_subreaper, 1, 0, 0, 0)


if __name__ == "__main__":
    main()
