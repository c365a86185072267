"""Small Protocols for what only some tools need. `agent/assemble.py` hands them over when it builds those tools.

The one writer of files (`tools.files.Files`) and the launcher of commands are such ports too; they live beside what
they do and are named here so that a reader finds them all in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import asyncio


@dataclass(frozen=True, slots=True)
class Todo:
    content: str
    status: str
    active_form: str = ""


class TodoBoard(Protocol):
    """Where a conversation's todo list is kept."""

    def replace(self, agent: str, todos: tuple[Todo, ...]) -> None: ...


class RunningCommand(Protocol):
    """A command the launcher started. `wait` may be cancelled; then call `end`."""

    @property
    def pid(self) -> int: ...

    @property
    def leftovers(self) -> tuple[str, ...]:
        """Once it has ended: the processes it left running, as they were called; they were ended with it."""
        ...

    async def wait(self) -> int:
        """The exit code, negative for a signal."""
        ...

    async def end(self) -> None:
        """End it and all its descendants: politely, then not."""
        ...


class Launcher(Protocol):
    """Starts commands outside this process, so that they end when we do, however we end."""

    async def start(
        self, argv: tuple[str, ...], folder: str, env: Mapping[str, str], output: str, confined: Confined | None = None
    ) -> RunningCommand:
        """Run `argv` with stdin from /dev/null and stdout and stderr appended to the file `output`.

        `confined` takes the place of `argv`, and is how it runs in the sandbox.
        """
        ...


class OutputFiles(Protocol):
    """Where the outputs of commands are stored: private files in the session's results folder."""

    def new_output(self, call_id: str) -> str: ...


TaskState = Literal["running", "ended", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Task:
    """Something that goes on in the background, as it is now. Its output grows in the file `output`."""

    id: str
    title: str
    output: str
    # When it began and when it was over, in seconds since the epoch.
    started: float
    kind: Literal["shell", "agent"] = "shell"
    state: TaskState = "running"
    ended: float | None = None
    # Negative for the signal that ended it; None while it runs, and where nobody knows.
    exit_code: int | None = None
    # Who or what stopped it, or why it failed.
    why: str = ""
    # What it left running when it ended by itself, which was ended with it.
    left: tuple[str, ...] = ()
    sandboxed: bool = False

    @property
    def over(self) -> bool:
        return self.state != "running"


@dataclass(frozen=True, slots=True)
class NewTask:
    """What is known of a command when it goes to the background. `afterwards` is done when it has ended."""

    title: str
    output: str
    agent: str
    call: str
    sandboxed: bool = False
    # How long it has run before, in seconds.
    ran: float = 0.0
    afterwards: Callable[[], None] = lambda: None


class Tasks(Protocol):
    """What goes on in the background of a session. It ends with the session, never with a turn."""

    def adopt(self, command: RunningCommand, new: NewTask) -> Task:
        """From now on somebody else waits for this command: it may run as long as it likes."""
        ...

    def get(self, id: str) -> Task | None: ...

    def all(self) -> tuple[Task, ...]: ...

    def told(self, id: str) -> None:
        """The model has just been shown the task as it is now: it needs no further word of that."""
        ...

    async def over(self, id: str, seconds: float) -> Task:
        """The task once it is over, or as it is after so long."""
        ...

    async def stop(self, id: str, why: str) -> Task:
        """End it and all it started; the task as it then is."""
        ...

    def movable(self, call_id: str) -> AbstractContextManager[asyncio.Event]:
        """While this is open the call may be sent to the background; the event is set when it is."""
        ...


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a command changed. The lines are not counted where the text of before or after is not known."""

    path: str
    added: int | None = None
    removed: int | None = None
    deleted: bool = False


class ChangeWindow(Protocol):
    @property
    def changed(self) -> tuple[ChangedFile, ...]:
        """Once it is closed: what the command changed of the files this session knows."""
        ...


class Changes(Protocol):
    """Finds what commands change, and credits it to them, so that nobody takes it for somebody else's."""

    def window(self, call_id: str, agent: str, command: str) -> AbstractAsyncContextManager[ChangeWindow]:
        """Open it before the command starts: what changes until it is closed counts as the command's doing."""
        ...


@dataclass(frozen=True, slots=True)
class SandboxState:
    """Whether commands run in a sandbox, and in one sentence how, or why not.

    `asks_less`: what stays inside is allowed unasked. `missing`: it is wanted, and cannot be had here. `lacks`: what of
    all that is wanted cannot be had, in the two or three words of a status line.
    """

    active: bool
    sentence: str
    mechanism: Literal["bubblewrap", "landlock", "seatbelt", ""] = ""
    asks_less: bool = False
    missing: bool = False
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class Confined:
    """How a command is started inside: its argv, what the launcher does before it starts, what is tidied afterwards."""

    argv: tuple[str, ...]
    # Of `tools/sandbox/landlock.py`; None where the argv does it all.
    rules: Mapping[str, object] | None = None
    # Handed to the command at descriptor 3.
    feed: bytes = b""
    # Empty folders that stand in for what must not be made, for as long as it runs.
    stand_ins: tuple[str, ...] = ()
    # Files that are taken away should it have made them.
    unwanted: tuple[str, ...] = ()


class Sandbox(Protocol):
    @property
    def state(self) -> SandboxState: ...

    def confine(self, argv: tuple[str, ...], roots: tuple[str, ...], own_files: tuple[str, ...]) -> Confined:
        """Writing only in `roots`, in the temporary folder and to `own_files`. It looks at the disk."""
        ...

    def release(self, confined: Confined) -> None:
        """The command has ended: tidy up after it."""
        ...

    def blame(self, output: str) -> str:
        """What the sandbox seems to have kept a failed command from, as a sentence; empty where nothing hints at it."""
        ...
