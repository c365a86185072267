"""Calls through the real pipeline: fake tools made with `build_tool`, a policy to be changed at will, a real gate."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from tests.support.patience import PATIENCE
from tools.classify import Classifier, NoClassifier
from tools.context import Place, ToolContext, Workspace
from tools.contract import VALID, AnyTool, ContextChange, Preview, Tool, ToolResult, Validation, Verdict, build_tool
from tools.events import CallEvent, PermissionRequested, PermissionUpdated, ToolFinished, ToolQueued, ToolStarted
from tools.executor import Executor, message_of
from tools.hooks import SILENT_AFTER, SILENT_BEFORE, AfterWord, BeforeWord, HookedCall, Hooks, NoHooks
from tools.inputs import ToolInput, ToolOutput
from tools.ledger.seen import Seen
from tools.permissions.decide import Call, World, denied_by_rule, reason_of
from tools.permissions.gate import Answer, Answerer, Gate, Pending, nobody
from tools.permissions.modes import Mode
from tools.permissions.past import PastCall, PastCalls
from tools.permissions.rules import Kind, RuleSet, Source, parse_rule
from tools.permissions.subjects import CommandSubject, PathSubject, Subject
from tools.permissions.suggest import suggest_stops
from tools.pipeline import Answered, Pipeline, PipelineParts, ToolUse, progress_of
from tools.pool import assemble_pool
from tools.results import ResultStore

E = TypeVar("E")


# -- fake tools


class FakeInput(ToolInput):
    text: str = ""
    path: str | None = None
    command: str | None = None
    # What the tool itself says of its permission; "pass" leaves it to the rules.
    says: Literal["allow", "ask", "deny", "pass"] = "allow"


class FakeOutput(ToolOutput):
    text: str


Work = Callable[[FakeInput, ToolContext], Awaitable["ToolResult[FakeOutput] | str"]]
Look = Callable[[FakeInput, ToolContext], Awaitable[Any]]


async def echo(input: FakeInput, ctx: ToolContext) -> str:
    return f"did {input.text}"


@dataclass
class Fake(Tool[FakeInput, FakeOutput]):
    """A tool whose every part can be given. `work` is its call, `look` its validation, `shows` its preview."""

    name: str = "Fake"
    safe: bool = False
    reads: bool = False
    work: Work = echo
    look: Look | None = None
    shows: Look | None = None
    aliases: tuple[str, ...] = ()
    max_result_chars: int | None = 1_000
    interrupt_behavior: Literal["block", "cancel"] = "block"
    touches_nothing: bool = False
    should_defer: bool = False
    destructive: bool = False
    judged_text: str = ""
    search_hint = "a tool for tests"
    Input = FakeInput
    Output = FakeOutput
    seen_inputs: list[FakeInput] = field(default_factory=list)

    def __hash__(self) -> int:
        return id(self)

    def is_read_only(self, input: FakeInput) -> bool:
        return self.reads

    def is_concurrency_safe(self, input: FakeInput) -> bool:
        return self.safe

    def is_destructive(self, input: FakeInput) -> bool:
        return self.destructive

    def permission_subjects(self, input: FakeInput, place: Place) -> tuple[Subject, ...]:
        self.seen_inputs.append(input)
        if input.command is not None:
            return (CommandSubject(input.command, (input.command,), (input.command,)),)
        return (PathSubject(input.path, "read" if self.reads else "edit"),) if input.path is not None else ()

    def check_permissions(self, input: FakeInput, place: Place) -> Verdict | None:
        return None if input.says == "pass" else Verdict(input.says, f"The tool says {input.says}.")

    def classifier_text(self, input: FakeInput) -> str:
        return self.judged_text

    async def validate_input(self, input: FakeInput, ctx: ToolContext) -> Validation:
        self.seen_inputs.append(input)
        return VALID if self.look is None else await self.look(input, ctx)

    async def preview(self, input: FakeInput, ctx: ToolContext) -> Preview:
        self.seen_inputs.append(input)
        return await super().preview(input, ctx) if self.shows is None else await self.shows(input, ctx)

    async def call(self, input: FakeInput, ctx: ToolContext) -> ToolResult[FakeOutput]:
        self.seen_inputs.append(input)
        done = await self.work(input, ctx)
        return ToolResult(FakeOutput(text=done)) if isinstance(done, str) else done

    def to_result_block(self, data: FakeOutput) -> str:
        return data.text


def fake(**parts: Any) -> Fake:
    return build_tool(Fake, **parts)


class Stage:
    """Work that ends when the test says so: `end` lets one call's work go on, named by its `text`."""

    def __init__(self) -> None:
        self.running: list[str] = []
        self.began: list[str] = []
        self.most_at_once = 0
        self._ends: dict[str, asyncio.Future[str | BaseException]] = {}

    async def __call__(self, input: FakeInput, ctx: ToolContext) -> str:
        self.running.append(input.text)
        self.began.append(input.text)
        self.most_at_once = max(self.most_at_once, len(self.running))
        try:
            how = await self._end_of(input.text)
        finally:
            self.running.remove(input.text)
        if isinstance(how, BaseException):
            raise how
        return how

    def end(self, name: str, how: str | BaseException = "done") -> None:
        self._end_of(name).set_result(how)

    def _end_of(self, name: str) -> asyncio.Future[str | BaseException]:
        return self._ends.setdefault(name, asyncio.get_running_loop().create_future())


# -- what stands around a call


@dataclass
class FreePolicy:
    """Implements `tools.asking.Policy` with real rules that a test changes as it goes."""

    folder: str
    mode: Mode = "default"
    version: int = 1
    rules: RuleSet = field(default_factory=RuleSet)
    granted: list[tuple[Answer, tuple[str, ...]]] = field(default_factory=list)
    cannot_save: Exception | None = None
    past: PastCalls = field(default_factory=PastCalls)
    readable: Callable[[], frozenset[str]] = frozenset

    def add_rule(self, text: str, kind: Kind) -> None:
        self.rules = self.rules.plus(parse_rule(text, kind, Source("session", self.folder)))
        self.version += 1

    def set_mode(self, mode: Mode) -> None:
        self.mode = mode
        self.version += 1

    def world(self, place: Place, hook: Verdict | None = None) -> World:
        return World(
            folder=place.folder,
            home=place.home,
            workspace_roots=(self.folder,),
            rules=self.rules,
            mode=self.mode,
            hook=hook,
            trusted=True,
            readable_files=self.readable(),
        )

    def denial(self, call: Call, place: Place) -> Validation | None:
        word = denied_by_rule(call, self.world(place))
        return None if word is None else Validation(f"{call.tool} was denied: {reason_of(word)}", "denied")

    def suggestions(self, call: Call, place: Place) -> tuple[tuple[str, ...], ...]:
        return suggest_stops(call, self.world(place))

    def decided(self, past: PastCall) -> None:
        self.past.remember(past)

    async def grant(self, answer: Answer, suggested: tuple[str, ...]) -> None:
        if answer.kind != "once" and self.cannot_save is not None:
            raise self.cannot_save
        self.granted.append((answer, suggested))
        if answer.kind != "once":
            for text in answer.rules or suggested:
                self.add_rule(text, "allow")


@dataclass
class SaidHooks:
    """Hooks that say what a test gave them: before one call after the other, the last for all that follow."""

    befores: list[BeforeWord | Exception] = field(default_factory=list)
    after_word: AfterWord | Exception = SILENT_AFTER
    failure_word: AfterWord | Exception = SILENT_AFTER
    question_word: BeforeWord | Exception = SILENT_BEFORE
    heard: list[tuple[str, HookedCall, Any]] = field(default_factory=list)

    async def before(self, call: HookedCall) -> BeforeWord:
        self.heard.append(("before", call, None))
        word = SILENT_BEFORE
        if self.befores:
            word = self.befores.pop(0) if len(self.befores) > 1 else self.befores[0]
        return _said(word)

    async def on_question(self, call: HookedCall) -> BeforeWord:
        self.heard.append(("on_question", call, None))
        return _said(self.question_word)

    async def after(self, call: HookedCall, output: Mapping[str, Any]) -> AfterWord:
        self.heard.append(("after", call, output))
        return _said(self.after_word)

    async def after_failure(self, call: HookedCall, error: str) -> AfterWord:
        self.heard.append(("after_failure", call, error))
        return _said(self.failure_word)


def _said(word: E | Exception) -> E:
    if isinstance(word, Exception):
        raise word
    return word


# -- a session of calls


class Rig:
    """A session's gate, policy, results and events, and as many conversations in it as a test wants."""

    def __init__(self, folder: Path, *tools: AnyTool, hooks: Hooks | None = None, answerer: Answerer = nobody) -> None:
        self.folder = folder
        self.tools = assemble_pool(tools)
        self.policy = FreePolicy(str(folder))
        self.events: list[tuple[str, CallEvent]] = []
        self.gate = Gate(lambda event, agent: self.events.append((agent, event)), answerer)
        self.hooks: Hooks = hooks or NoHooks()
        self.classifier: Classifier = NoClassifier()
        self.results = ResultStore(folder / "state" / "results")
        self.policy.readable = lambda: self.results.readable
        self.now = 0.0
        self.lock = asyncio.Lock()
        self.executors: list[Executor] = []

    def talk(self, agent: str = "main") -> Talk:
        return Talk(self, agent)

    # -- what was seen

    def of(self, kind: type[E]) -> list[E]:
        return [event for _, event in self.events if isinstance(event, kind)]

    def finished(self, call_id: str) -> ToolFinished:
        (found,) = [event for event in self.of(ToolFinished) if event.id == call_id]
        return found

    @property
    def started(self) -> list[str]:
        return [event.id for event in self.of(ToolStarted)]

    @property
    def queued(self) -> dict[str, str]:
        return {event.id: event.why for event in self.of(ToolQueued)}

    @property
    def asked(self) -> list[str]:
        """The calls whose questions are open, oldest first."""
        return [pending.request.call_id for pending in self.gate.waiting]

    def question(self, call_id: str) -> Pending:
        (found,) = [pending for pending in self.gate.waiting if pending.request.call_id == call_id]
        return found

    def revisions(self, call_id: str) -> list[PermissionRequested | PermissionUpdated]:
        asked = [event for _, event in self.events if isinstance(event, PermissionRequested | PermissionUpdated)]
        return [event for event in asked if event.request.call_id == call_id]

    # -- what the person does

    def answer(self, call_id: str, kind: Any, **more: Any) -> bool:
        pending = self.question(call_id)
        return self.gate.answer(pending.request.id, pending.revision, Answer(kind, **more))


class Talk:
    """One conversation: its pipeline, its folder, what it has seen, and the executor of its reply."""

    def __init__(self, rig: Rig, agent: str) -> None:
        self.rig = rig
        self.agent = agent
        self.seen = Seen()
        self.place = Place(str(rig.folder), str(rig.folder))
        self.changes: list[ContextChange] = []
        self.pipeline = Pipeline(
            PipelineParts(
                tools=rig.tools,
                policy=rig.policy,
                gate=rig.gate,
                agent=agent,
                hooks=rig.hooks,
                classifier=rig.classifier,
                results=rig.results,
                emit=self._emit,
                apply_change=self._apply,
                clock=lambda: rig.now,
            )
        )
        self.executor = Executor(self.pipeline, self.context, lambda: rig.lock)

    def add(self, call_id: str, tool: str = "Fake", **input: Any) -> None:
        self.executor.add(ToolUse(call_id, tool, {"text": call_id, **input}))

    def state(self, call_id: str) -> str:
        return self.executor.states[call_id]

    async def answers(self) -> dict[str, Answered]:
        async with asyncio.timeout(PATIENCE):
            answers = await self.executor.answers()
        assert [answer.use.id for answer in answers] == list(self.executor.states), "the model's order, one each"
        return {answer.use.id: answer for answer in answers}

    def context(self, use: ToolUse) -> ToolContext:
        return ToolContext(
            call_id=use.id,
            agent=self.agent,
            parent_message="message-1",
            place=self.place,
            workspace=Workspace((str(self.rig.folder),)),
            seen=self.seen,
            progress=progress_of(use, self._emit),
            may_i=lambda tool, input: self.pipeline.permits(use, tool, input, self.context(use)),
            clock=lambda: self.rig.now,
        )

    def _emit(self, event: CallEvent) -> None:
        self.rig.events.append((self.agent, event))

    def _apply(self, change: ContextChange) -> None:
        self.changes.append(change)
        if change.folder is not None:
            self.place = replace(self.place, folder=change.folder)


def one_call(rig: Rig, tool: str = "Fake", raw: Any = None, **input: Any) -> Answered:
    """A single call from its block to its answer."""

    async def all_of_it() -> Answered:
        talk = rig.talk()
        talk.executor.add(ToolUse("c1", tool, {"text": "c1", **input} if raw is None else raw))
        return (await talk.answers())["c1"]

    return asyncio.run(all_of_it())


def text_of(answered: Answered) -> str:
    content = answered.fitted.content
    return content if isinstance(content, str) else "\n".join(str(block.get("text", "")) for block in content)


def message(answers: Mapping[str, Answered], rig: Rig) -> list[dict[str, Any]]:
    return message_of(list(answers.values()), rig.results)[0]


async def until(condition: Callable[[], Any]) -> None:
    """Let others work until this is so."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.0005)


async def settled(turns: int = 30) -> None:
    """Let everything that can go on without the test go on: for what must not happen. Counts turns, not time."""
    for _ in range(turns):
        await asyncio.sleep(0)


def exactly_one_end_each(events: Iterable[CallEvent], ids: Iterable[str]) -> bool:
    ends = Counter(event.id for event in events if isinstance(event, ToolFinished))
    return ends == Counter(ids)
