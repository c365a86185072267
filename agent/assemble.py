"""The composition root: from settings to ports, to tools, to a session. The only place that wires."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from agent.about import About
from agent.bus import Bus
from agent.changes import CommandWindows
from agent.checkpoints.blobs import Blobs
from agent.checkpoints.commands import CommandCheckpoints, CommandPlace
from agent.checkpoints.history import STEPS_FILE, SessionHistory, named_in
from agent.classifier import CHEAP_MODEL, ModelClassifier
from agent.context.instructions import Instructions, read_instructions
from agent.context.reminders import opening_note
from agent.context.system_prompt import PromptParts, build_system_prompt, instructions_message
from agent.conversation import MAX_REQUESTS, Conversation, ConversationParts
from agent.events import MAIN, Notice, TodosChanged, Usage
from agent.folder_trust import FolderTrust
from agent.hooks import SessionHooks, hook_environment
from agent.model.anthropic import AnthropicModel, endpoint_of
from agent.model.base import Model, Request
from agent.model.scripted import ScriptedModel
from agent.policy import Ground, SessionPolicy
from agent.rereading import Rereading
from agent.session import Commands, Session, SessionParts
from agent.settings.locations import home_folder, wanted_state_folder
from agent.settings.merge import Flags, Settings, load_settings
from agent.settings.schema import check_settings
from agent.shell import sandbox_choice, sandbox_of, shell_settings
from agent.store.journal import DiskJournal
from agent.store.mend import mend
from agent.store.records import Records, open_records
from agent.store.sessions import live_session_folders
from agent.tasks import Tasks, bury, numbered_before
from agent.waking import remember_writes
from agent.watching.peers import Peers
from tools.bash.environment import find_program
from tools.bash.git_config import git_config_is_safe
from tools.bash.launcher import SessionLauncher
from tools.classify import Classifier, NoClassifier
from tools.context import Place, Workspace
from tools.contract import PromptOptions
from tools.files import Files
from tools.hooks.runner import Around, HookRunner, Level
from tools.ledger.writes import Writes
from tools.permissions.gate import Answerer, nobody
from tools.pipeline import PipelineParts
from tools.pool import Pool, assemble_pool
from tools.ports import Todo
from tools.registry import Choice, Ports, all_base_tools, enabled_tools
from tools.results import ResultStore
from tools.threads import in_thread

DEFAULT_MODEL = "claude-opus-5-5"

NOT_CONNECTED = (
    "No model is connected: set ANTHROPIC_API_KEY to a key, or ANTHROPIC_BASE_URL to an endpoint that speaks the "
    "Messages API. `agent-tui tour` shows the program without one."
)


class NotConnected(Exception):
    """Neither a key nor an endpoint is set."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a session is to be."""

    folder: str
    flags: Flags = field(default_factory=Flags)
    # None: nothing is asked of a model, as by `agent-tui call`.
    model: Model | None = None
    answerer: Answerer = nobody
    read_only: bool = False
    simple: bool = False
    append_system_prompt: str = ""
    max_requests: int | None = None
    effort: str | None = None
    resume: str | None = None
    resume_latest: bool = False
    # False: the session's records end with it.
    keep: bool = True
    # False: nobody's hooks run, because all that happens is a play.
    hooks: bool = True
    # A person sees what happens and may step in.
    interactive: bool = False


def connected_model(environ: Mapping[str, str]) -> Model:
    endpoint = endpoint_of(environ)
    if not endpoint.usable:
        raise NotConnected(NOT_CONNECTED)
    return AnthropicModel(endpoint)


async def open_session(wanted: Wanted) -> Session:
    """A session with its main conversation; `announce`, then `submit`. Close it when done. Raises SessionError."""
    home = home_folder()
    settings = load_settings(wanted.folder, home, wanted.flags)
    # A long session is much to read.
    records = await in_thread(open_records, wanted.folder, wanted.resume, wanted.resume_latest, wanted.keep)
    bus = Bus(first_seq=records.next_seq)
    bus.listen(records.save_event)
    writes, results = Writes(), ResultStore(Path(records.results_path))
    for path in records.stored_results:
        results.hand_out(path)
    policy = SessionPolicy(
        settings, Ground(wanted.folder, home, wanted.read_only, git_config_is_safe), lambda: results.readable
    )
    launcher = SessionLauncher(lambda: commands.sandbox.state.active and commands.sandbox.state.mechanism == "landlock")
    runner = _hook_runner(wanted.folder, policy, launcher, records, bus)
    source = records.came_by if wanted.model is not None else ""
    hooks = SessionHooks(runner, lambda agent: session.conversations[agent].place.folder, source)
    hooks.use(settings.hooks if wanted.hooks else ())
    history = SessionHistory(Blobs(os.path.join(records.state, "checkpoints")), records.path, _teller(bus))
    # What other sessions must know of, also those that keep nothing.
    shared = Path(records.state) if wanted.keep else wanted_state_folder()
    journal = DiskJournal(str(shared / "journal"), _teller(bus))
    peers = Peers(str(shared / "peers"), records.id, os.path.realpath(wanted.folder))
    commands = _commands(wanted.folder, settings, writes, bus, records, launcher, peers)
    # Before any text is made that speaks of it. To find out may take a moment.
    sandbox_notices = await in_thread(commands.sandbox.notices)
    mended = await in_thread(mend, str(shared / "journal"))
    files = Files(writes, journal, history)
    ports = Ports(
        files=files,
        launcher=launcher,
        outputs=results,
        todos=_Todos(bus),
        tasks=commands.tasks,
        changes=commands.windows,
        sandbox=commands.sandbox,
        shell=lambda: shell_settings(policy.settings, wanted.interactive),
        check_settings=check_settings,
    )
    pool = _pool(wanted, settings, ports)
    trust = FolderTrust(wanted.folder, home, wanted.flags, policy, lambda new, texts: _trust(session, new, texts))
    session = Session(
        SessionParts(records.id, bus, policy, pool, wanted.answerer, files, results, hooks, trust, commands, history),
    )
    _keep_records(session, records, history, journal)
    _keep_commands(session, records, commands, launcher)
    _converse(session, wanted)
    instructions = read_instructions(wanted.folder, home, settings.trusted)
    if wanted.flags.model:
        records.change_model(wanted.flags.model)
    request = records.frozen_request() or _first_request(wanted, settings, pool)
    records.freeze(request)
    session.about = About(request.model, instructions.files)
    session.add(_main_conversation(wanted, settings, session, records, request, instructions))
    for lost in bury(records.events, lambda event, agent: records.add_to_past(bus.emit(event, agent))):
        session.main.remember(lost)
    session.to_announce += (*records.notices, *settings.problems, *settings.notices, *instructions.notices)
    session.to_announce += (*sandbox_notices, *mended)
    return session


def _converse(session: Session, wanted: Wanted) -> None:
    """What only a session with a model needs, for it lasts: settings that are edited meanwhile, and the model's end."""
    if wanted.model is None:
        return
    session.on_close(wanted.model.aclose)
    rereading = Rereading(session.policy, session.rulebook, wanted.flags, session.emit_main)
    rereading.follow(session.watcher)
    session.on_close(rereading.close)


def _commands(
    folder: str, settings: Settings, writes: Writes, bus: Bus, records: Records, launcher: SessionLauncher, peers: Peers
) -> Commands:
    writes.announce = peers.writes
    tasks = Tasks(bus.emit, first=numbered_before(records.events) + 1)
    sandbox = sandbox_of(settings, folder, home_folder(), records.results_path)
    return Commands(CommandWindows(writes, peers), peers, tasks, sandbox, launcher)


def _keep_commands(session: Session, records: Records, commands: Commands, launcher: SessionLauncher) -> None:
    """As long as the session lives."""
    _cover_commands(session, records, commands.windows)
    session.on_close(commands.peers.close)
    session.on_close(launcher.close)
    session.on_close(commands.tasks.close)


def _teller(bus: Bus) -> Callable[[str], None]:
    """Tells the person something, from any thread."""
    loop = asyncio.get_running_loop()

    def tell(text: str) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            loop.call_soon_threadsafe(bus.emit, Notice(text, "warning"))

    return tell


def _keep_records(session: Session, records: Records, history: SessionHistory, journal: DiskJournal) -> None:
    """As long as the session lives; meanwhile what is too old or too much is removed."""
    session.past = records.past
    remember_writes(history.steps(), session.writes)
    for stamped in records.events:
        session.rewinds.heard(stamped)
    session.rewinds.goes_on(records.cut, len(records.messages))
    session.on_close(records.close)
    session.on_close(lambda: in_thread(history.close))
    session.on_close(journal.close)
    sweeping = asyncio.ensure_future(in_thread(_sweep, records, history.blobs))
    session.on_close(lambda: asyncio.wait([sweeping]))


def _cover_commands(session: Session, records: Records, windows: CommandWindows) -> None:
    """What commands change can be taken back, too."""
    policy, folder = session.policy, session.trust.folder
    place = CommandPlace(
        roots=lambda: _workspace(folder, policy.settings).roots,
        own=os.path.realpath(records.state),
        copies=records.path,
        may_ask_git=lambda: policy.trusted or git_config_is_safe(folder),
    )
    checkpoints = CommandCheckpoints(session.history, place)
    windows.cover(checkpoints)
    session.on_close(checkpoints.close)


def _sweep(records: Records, blobs: Blobs) -> None:
    """Remove what all sessions together keep too long or too much of."""
    records.sweep()
    live = live_session_folders(records.sessions)
    blobs.sweep(time.time(), frozenset(hash for path in live for hash in named_in(os.path.join(path, STEPS_FILE))))


def _pool(wanted: Wanted, settings: Settings, ports: Ports) -> Pool:
    coordinator = os.environ.get("AGENT_TUI_COORDINATOR") == "1"
    simple = wanted.simple or os.environ.get("AGENT_TUI_SIMPLE") == "1"
    choice = Choice(simple, coordinator, wanted.read_only, settings.rules)
    return assemble_pool(enabled_tools(all_base_tools(ports, settings.features), choice))


def _main_conversation(
    wanted: Wanted,
    settings: Settings,
    session: Session,
    records: Records,
    request: Request,
    instructions: Instructions,
) -> Conversation:
    parts = ConversationParts(
        agent=MAIN,
        model=wanted.model or ScriptedModel(()),
        request=replace(request, effort=wanted.effort),
        pipeline=lambda emit, apply: PipelineParts(
            tools=session.pool,
            policy=session.policy,
            gate=session.gate,
            agent=MAIN,
            hooks=session.hooks.for_calls(MAIN),
            classifier=_classifier(wanted, settings, session.emit_main),
            results=session.results,
            emit=emit,
            apply_change=apply,
            clock=time.monotonic,
        ),
        emit=session.emit_main,
        place=Place(wanted.folder, home_folder()),
        workspace=_workspace(wanted.folder, settings),
        write_lock=session.write_lock,
        clock=time.monotonic,
        record=records.save_message,
        keep=records.keep_messages,
        hooks=session.hooks,
        opening=_opening(wanted.folder, instructions),
        max_requests=wanted.max_requests or MAX_REQUESTS,
        turn_over=records.turn_over,
        settled=session.settled,
        news=lambda: (*session.tasks.news(MAIN), *session.review.news(), *session.rewinds.news()),
    )
    return Conversation(parts, records.messages, records.seen, records.turns)


def _classifier(wanted: Wanted, settings: Settings, spent: Callable[[Usage], None]) -> Classifier:
    """A scripted model says its lines to the conversation: it is not asked about calls."""
    if not isinstance(wanted.model, AnthropicModel):
        return NoClassifier()
    return ModelClassifier(wanted.model, settings.values.get("classifier.model") or CHEAP_MODEL, spent=spent)


def _first_request(wanted: Wanted, settings: Settings, pool: Pool) -> Request:
    """Model, system prompt and tools: frozen with the conversation's first request."""
    names = frozenset(tool.name for tool in pool.tools)
    options = PromptOptions(names, wanted.read_only)
    prose = tuple((tool.name, tool.prompt(options)) for tool in pool.tools)
    system = build_system_prompt(PromptParts(wanted.folder, prose, wanted.append_system_prompt))
    return Request(settings.model or DEFAULT_MODEL, (), system, pool.definitions(options))


def _opening(folder: str, instructions: Instructions) -> tuple[str, ...]:
    return tuple(text for text in (instructions_message(instructions), opening_note(folder)) if text)


def _workspace(folder: str, settings: Settings) -> Workspace:
    return Workspace((folder, *settings.additional_directories))


def _hook_runner(
    folder: str, policy: SessionPolicy, launcher: SessionLauncher, records: Records, bus: Bus
) -> HookRunner:
    def roots() -> tuple[str, ...]:
        return _workspace(folder, policy.settings).roots

    around = Around(
        shell=lambda: find_program("bash", os.environ, roots()) or "/bin/sh",
        env=lambda: hook_environment(policy.settings, folder),
        fields=lambda: {
            "session_id": records.id,
            "transcript_path": records.messages_path,
            "permission_mode": policy.mode,
        },
    )

    def tell(text: str, level: Level) -> None:
        bus.emit(Notice(text, level))

    return HookRunner(launcher, around, tell)


def _trust(session: Session, settings: Settings, instructions: Instructions) -> None:
    """The folder was trusted while the session runs. What is frozen with a conversation's start stays as it is."""
    before, folder = session.policy.settings, session.trust.folder
    session.policy.take(settings)
    session.hooks.use(settings.hooks)
    session.sandbox.use(sandbox_choice(settings), _workspace(folder, settings).roots)
    for conversation in session.conversations.values():
        conversation.workspace = _workspace(folder, settings)
    session.main.open_with(_opening(folder, instructions))
    session.about = replace(session.about, instructions=instructions.files)
    session.gate.rules_changed("the folder is now trusted")
    found = [*settings.problems, *settings.notices, *instructions.notices, *session.sandbox.notices()]
    for text in found:
        if text not in (*before.problems, *before.notices):
            session.bus.emit(Notice(text, "warning"))
    if (before.model, before.features) != (settings.model, settings.features):
        session.bus.emit(Notice("The model and the features this folder chooses count from the next session on."))


class _Todos:
    """The todo list goes to the bus; whoever shows it keeps it."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    def replace(self, agent: str, todos: tuple[Todo, ...]) -> None:
        self._bus.emit(TodosChanged(tuple(asdict(todo) for todo in todos)), agent)
