"""A session: one stream of events out, a few commands in.

It owns what all its conversations share: the bus, the gate with every open question, the rules, the record of what we
wrote, the watcher and the write lock. What happens between turns is no special case: it goes to the same bus.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from typing import Any, Self

from agent.about import About
from agent.bus import Bus
from agent.changes import CommandWindows
from agent.checkpoints.history import SessionHistory
from agent.checkpoints.rewinds import RewindParts, Rewinds
from agent.conversation import Conversation
from agent.events import MAIN, Event, ModeChanged, Notice, Stamped, TurnEnded
from agent.folder_trust import FolderTrust
from agent.hooks import SessionHooks
from agent.outside import Around, Heard, Outside
from agent.policy import SessionPolicy
from agent.review.review import Review, ReviewParts, Turned
from agent.rulebook import Rulebook
from agent.tasks import Tasks
from agent.waking import Waking
from agent.watch import Watcher
from agent.watching.known import known_as_shown
from agent.watching.peers import Peers
from agent.watching.trouble import Trouble
from tools.bash.git_config import git_config_is_safe
from tools.events import CallEvent, PermissionRequest, PermissionRequested, ToolFinished
from tools.files import Files
from tools.permissions.gate import Answer, Answerer, Gate
from tools.permissions.modes import Mode
from tools.pipeline import ToolUse
from tools.pool import Pool
from tools.ports import Launcher
from tools.results import ResultStore
from tools.sandbox.sandbox import SessionSandbox


@dataclass(frozen=True, slots=True)
class Commands:
    """What all commands of a session share: what they change, who else is told that they run, what of them goes on
    alone, what they run in and who starts them."""

    windows: CommandWindows
    peers: Peers
    tasks: Tasks
    sandbox: SessionSandbox
    launcher: Launcher


@dataclass(frozen=True, slots=True)
class SessionParts:
    """What a session is made of; `assemble.py` puts it together."""

    id: str
    bus: Bus
    policy: SessionPolicy
    pool: Pool
    answerer: Answerer
    files: Files
    results: ResultStore
    hooks: SessionHooks
    # Asks for the person's trust in the folder, and gives it.
    trust: FolderTrust
    commands: Commands
    history: SessionHistory


class Session:
    def __init__(self, parts: SessionParts) -> None:
        self.id = parts.id
        self.bus = parts.bus
        self.policy = parts.policy
        self.pool = parts.pool
        self.results = parts.results
        self.hooks = parts.hooks
        self.writes = parts.files.writes
        self.trust = parts.trust
        # What happened to files.
        self.history = parts.history
        self.history.turn = lambda: self.main.turns if MAIN in self.conversations else 0
        self._own_calls: set[str] = set()
        self._own_lines = 0
        self.gate = Gate(self._emit_call, self._own_or(parts.answerer))
        self.rulebook = Rulebook(parts.policy, self.gate.rules_changed)
        self.conversations: dict[str, Conversation] = {}
        # What others do to its files.
        self.outside = self._outside(parts)
        self.watcher = Watcher(self.writes, self.outside.take, self._watching_changed)
        self.tasks = parts.commands.tasks
        # Its state is a sentence, for whoever asks how commands run here.
        self.sandbox = parts.commands.sandbox
        parts.commands.windows.watch(self.watcher, self.outside.settled)
        self._lock = asyncio.Lock()
        self._turn: asyncio.Task[TurnEnded] | None = None
        self._closing = AsyncExitStack()
        # What was found while it was opened, before anybody could hear it.
        self.to_announce: list[str] = []
        # What was shown before, where the session is resumed.
        self.past: Callable[[], Sequence[Stamped]] = tuple
        self.about = About()
        # What the person does with the changes of the session.
        self.review = Review(
            ReviewParts(
                parts.history,
                parts.files,
                parts.commands.launcher,
                parts.trust.folder,
                self._lock,
                lambda: parts.policy.trusted,
                self._turned,
            )
        )
        self._waking = Waking(self.watcher, self.outside)
        # Returns once what others did so far is told.
        self.settled = self._waking.settled
        # And going back to before one of their messages.
        self.rewinds = Rewinds(self._rewind_parts(parts))
        parts.bus.listen(self._heard)

    # -- commands

    def announce(self, *more: str) -> None:
        """Tell what was found while opening: broken settings, records that are not kept. Call it once you listen."""
        for text in filter(None, (*self.to_announce, *more)):
            self.bus.emit(Notice(text, "warning"))
        self.to_announce.clear()
        self.wake()
        self.hooks.start()

    def wake(self) -> None:
        """Look, once, for what others did to files that it knew while it was closed. Call it once you listen."""
        self._waking.begin(self.main.seen, self.history.steps())

    def submit(self, text: str) -> None:
        """A message of the person: starts a turn, or waits for the current calls."""
        self.watcher.person_is_here()
        self.wake()
        if self.busy:
            self.main.queue(text)
        else:
            self._turn = self.main.start(text)
            self._turn.add_done_callback(self._turn_ended)

    def interrupt(self) -> None:
        """Stop the turn and keep what was done."""
        self.hooks.interrupt()
        for conversation in self.conversations.values():
            conversation.interrupt()

    def cancel(self, call_id: str) -> bool:
        return any(conversation.cancel(call_id) for conversation in self.conversations.values())

    def decide(self, request_id: str, revision: int, answer: Answer) -> bool:
        """Answer a question; False when the answer is void (an old revision, already answered, no longer open)."""
        return self.gate.answer(request_id, revision, answer)

    def background(self, call_id: str) -> bool:
        """Let a running command go on in the background; False where there is none by that id, or it cannot go."""
        return self.tasks.move(call_id)

    async def stop_task(self, task_id: str) -> None:
        """End a task of the background with all it started."""
        if self.tasks.get(task_id) is not None:
            await self.tasks.stop(task_id, "by the person")

    def take_back(self) -> str:
        """The queued messages as one text, for the person to write anew."""
        return "\n".join(self.main.take_back())

    async def run_shell(self, command: str) -> None:
        """A `!` line: the person's own command, so nobody is asked; the model hears of it with the next message."""
        self._own_lines += 1
        # What they type themselves runs as it would in their own terminal.
        outside = {"dangerously_disable_sandbox": True} if self.sandbox.state.active else {}
        use = ToolUse(f"shell-{self._own_lines}", "Bash", {"command": command, **outside})
        self._own_calls.add(use.id)
        answered = (await self.main.run_calls([use]))[0]
        content = answered.fitted.content
        said = content if isinstance(content, str) else str(content)
        self.main.remember(f"The person ran `{command}` themselves:\n{said}")

    def set_mode(self, mode: Mode) -> bool:
        if not self.policy.set_mode(mode):
            self.bus.emit(Notice(f"{mode} can only be chosen when the program was started with it.", "warning"))
            return False
        self.bus.emit(ModeChanged(mode))
        self.gate.rules_changed(f"the mode is now {mode}")
        return True

    # -- state

    @property
    def main(self) -> Conversation:
        return self.conversations[MAIN]

    @property
    def busy(self) -> bool:
        return self._turn is not None and not self._turn.done()

    def add(self, conversation: Conversation) -> None:
        self.conversations[conversation.agent] = conversation
        conversation.seen.wrote_last = self.writes.wrote_last

    async def turn_ended(self) -> TurnEnded | None:
        """Wait for the current turn, if there is one."""
        return await self._turn if self._turn is not None else None

    def write_lock(self) -> AbstractAsyncContextManager[Any]:
        """One at a time may change the worktree, whichever conversation it belongs to."""
        return self._lock

    def on_close(self, close: Callable[[], Any]) -> None:
        """What is to be closed with the session, last first. `close` may be a coroutine function."""
        self._closing.push_async_callback(_finish, close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        self.interrupt()
        if self._turn is not None:
            await asyncio.gather(self._turn, return_exceptions=True)
        await self._waking.close()
        self.watcher.close()
        await self.outside.close()
        self._closing.push_async_callback(self.hooks.end)
        await self._closing.aclose()
        self.bus.close()

    # -- inside

    def _rewind_parts(self, parts: SessionParts) -> RewindParts:
        return RewindParts(
            parts.history,
            parts.files,
            self._lock,
            lambda: self.main,
            lambda: self.busy,
            self.tasks.all,
            self._rewound,
            self.emit_main,
        )

    def _turn_ended(self, _: object) -> None:
        self.policy.turn_ended()
        self.hooks.turn_ended()

    def _own_or(self, answerer: Answerer) -> Answerer:
        def answer(request: PermissionRequest) -> Answer | None:
            return Answer("once") if request.call_id in self._own_calls else answerer(request)

        return answer

    def emit_main(self, event: Event) -> None:
        self.bus.emit(event, MAIN)

    def _emit_call(self, event: CallEvent, agent: str) -> None:
        self.bus.emit(event, agent)

    def _heard(self, stamped: Stamped) -> None:
        """Keep up with what the calls learned of files, and with what can be gone back to."""
        self.rewinds.heard(stamped)
        match stamped.event:
            case PermissionRequested(request):
                # Not at once: an answerer may speak first, and then nobody waits.
                asyncio.get_running_loop().call_soon(self._tell_hooks_of_question, request)
            case ToolFinished():
                self._follow_known(stamped.agent)
            case _:
                return

    def _tell_hooks_of_question(self, request: PermissionRequest) -> None:
        if any(pending.request.id == request.id and not pending.answered for pending in self.gate.waiting):
            self.hooks.question_waits(request)

    def _follow_known(self, agent: str) -> None:
        conversation = self.conversations.get(agent)
        for path in conversation.seen.paths() if conversation is not None else ():
            seen = conversation.seen.get(path) if conversation is not None else None
            if seen is not None and self.watcher.follow(path, known_as_shown(seen.snapshot)):
                self.history.keep_file_soon(path, seen.snapshot.hash)

    def _watching_changed(self, trouble: Trouble) -> None:
        level = "warning" if trouble.word.startswith("not") else "info"
        self.bus.emit(Notice(trouble.sentence or "Files are watched again.", level))

    def _outside(self, parts: SessionParts) -> Outside:
        def background() -> str:
            running = self.tasks.running()
            return running[0].title if running else ""

        def may_ask_git(folder: str) -> bool:
            return parts.policy.trusted or git_config_is_safe(folder)

        commands = parts.commands
        around = Around(commands.windows, parts.history, commands.peers, background, may_ask_git)
        heard = Heard(parts.bus.emit, self.gate.file_changed, self.gate.rests_on, self.hooks.file_changed)
        return Outside(around, heard, self.conversations)

    def _turned(self, turned: Turned) -> None:
        """The person took something back, or put it back: nobody else's change, and none the model made."""
        self.bus.emit(Notice(f"{turned.path}: {turned.words}"))
        self._changed_by_person(turned.path, turned.hash, "changed by you in the review")

    def _rewound(self, path: str, hash: str | None) -> None:
        self._changed_by_person(path, hash, "you went back to before a message")

    def _changed_by_person(self, path: str, hash: str | None, what: str) -> None:
        self.gate.file_changed(path, what)
        for conversation in self.conversations.values():
            if hash is not None:
                conversation.seen.credit_person(path, hash)


async def _finish(close: Callable[[], Any]) -> None:
    closed = close()
    if asyncio.iscoroutine(closed):
        await closed
