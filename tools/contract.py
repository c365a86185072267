"""The contract every tool keeps, with defaults that fail closed.

A tool is one class in one folder. It declares data wherever it can and says nothing about the screen (that is its
view's affair) or about rules (that is the gate's). `build_tool` is the only way to make one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, NamedTuple, ParamSpec, TypeVar, cast

from pydantic import ValidationError

from tools.blocks import Blocks, line
from tools.context import Place, ToolContext
from tools.inputs import NoProgress, ToolInput, ToolOutput, sentence_for
from tools.permissions.subjects import Subject
from tools.view import ToolView

I = TypeVar("I", bound=ToolInput)  # noqa: E741 (the contract reads as Tool[I, O])
O = TypeVar("O", bound=ToolOutput)  # noqa: E741 (the contract reads as Tool[I, O])
P = ParamSpec("P")
T = TypeVar("T", bound="AnyTool")

SUMMARY_CHARS = 50
EFFECTIVE_RESULT_CHARS = 50_000

# What the API takes as the content of a tool_result: text, or a list of content blocks.
ResultContent = str | list[dict[str, Any]]


class ToolError(Exception):
    """An expected failure: a sentence the model can act on, and the code of the step that failed."""

    def __init__(self, message: str, code: str = "failed") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class Validation(NamedTuple):
    """The answer of `validate_input`: fine, or a sentence and a code."""

    message: str = ""
    code: str = ""

    @property
    def ok(self) -> bool:
        return not self.code


VALID = Validation()


class Verdict(NamedTuple):
    """A tool's own word on its permission. Passing (None) leaves it to the general system."""

    kind: Literal["allow", "ask", "deny"]
    reason: str


@dataclass(frozen=True, slots=True)
class Ground:
    """A file a preview rests on: its real path and the hash of its bytes, None where there was no file."""

    path: str
    hash: str | None


@dataclass(frozen=True, slots=True)
class Preview:
    """What the person is asked about, and what it rests on."""

    blocks: Blocks
    ground: tuple[Ground, ...] = ()


class ContextChange(NamedTuple):
    """What a call changes for those after it. Only calls that run alone may."""

    folder: str | None = None


@dataclass(frozen=True, slots=True)
class ToolResult(Generic[O]):
    data: O
    # Texts for the model that go with the results, after them.
    extra_messages: tuple[str, ...] = ()
    context_change: ContextChange | None = None
    mcp_meta: Mapping[str, Any] | None = None
    # The file that already holds the whole output (a command's), so that storing it again is not needed.
    stored_at: str | None = None


@dataclass(frozen=True, slots=True)
class PromptOptions:
    """What a tool's texts may depend on: fixed when a conversation starts."""

    tool_names: frozenset[str] = field(default_factory=frozenset[str])
    read_only: bool = False


class Tool(Generic[I, O]):
    """The base class that carries the defaults. Whatever could do harm defaults to no."""

    name: str
    aliases: tuple[str, ...] = ()
    # 3 to 10 words that the name does not say, for the search of deferred tools.
    search_hint: str = ""
    Input: ClassVar[type[ToolInput]]
    Output: ClassVar[type[ToolOutput]]
    Progress: ClassVar[type[ToolOutput]] = NoProgress
    # Required. None: the tool bounds its result itself and it is never stored.
    max_result_chars: int | None
    view: ToolView = ToolView()
    # Where prompt.md lies: `Path(__file__).with_name("prompt.md")`.
    prompt_file: Path | None = None
    strict: bool = False
    input_examples: tuple[Mapping[str, Any], ...] = ()
    should_defer: bool = False
    always_load: bool = False
    interrupt_behavior: Literal["block", "cancel"] = "block"
    # True for tools that touch nothing themselves: allowed in every mode; what they start is judged.
    touches_nothing: bool = False
    # True for tools whose paths cannot be known before they run (commands): nothing may overtake them.
    may_touch_anything: bool = False

    # -- identity

    def user_facing_name(self, input: I) -> str:
        return self.name

    def summary(self, input: I) -> str:
        """At most 50 characters, for groups, the status line, the queue and the title."""
        return self.name

    # -- text for the model

    def description(self, options: PromptOptions) -> str:
        """One or two sentences, for the API's tool definition."""
        return self.search_hint

    def prompt(self, options: PromptOptions) -> str:
        """The prose of prompt.md, for the system prompt."""
        return self.prompt_file.read_text(encoding="utf-8").strip() if self.prompt_file else ""

    def input_schema(self) -> dict[str, Any]:
        return self.Input.model_json_schema()

    def parse_input(self, raw: Any) -> I:
        """The typed input, or a ToolError that names what is wrong."""
        try:
            return cast("I", self.Input.model_validate(raw))
        except ValidationError as error:
            raise ToolError(sentence_for(error, self.name), "invalid_input") from None

    # -- flags, functions of the input, fail-closed

    def is_read_only(self, input: I) -> bool:
        return False

    def is_concurrency_safe(self, input: I) -> bool:
        return False

    def is_destructive(self, input: I) -> bool:
        return False

    def is_enabled(self) -> bool:
        return True

    # -- gate

    async def validate_input(self, input: I, ctx: ToolContext) -> Validation:
        """Cheap checks first, before any permission is asked."""
        return VALID

    def permission_subjects(self, input: I, place: Place) -> tuple[Subject, ...]:
        return ()

    def check_permissions(self, input: I, place: Place) -> Verdict | None:
        return None

    def classifier_text(self, input: I) -> str:
        """What a classifier judges in auto mode. Empty text can never yield an allow."""
        return ""

    async def preview(self, input: I, ctx: ToolContext) -> Preview:
        return Preview((line(f"{self.name} ", (self.summary(input), "quiet")),))

    # -- work

    async def call(self, input: I, ctx: ToolContext) -> ToolResult[O]:
        raise ToolError(f"{self.name} has no work to do.")

    # -- answer

    def to_result_block(self, data: O) -> ResultContent:
        return data.model_dump_json()

    def is_result_truncated(self, data: O) -> bool:
        return False

    def observable_input(self, input: I, place: Place) -> dict[str, Any]:
        """The input with derived fields such as the resolved path, for transcripts and hooks; never sent to the API."""
        return input.model_dump(mode="json", exclude_none=True)


AnyTool = Tool[Any, Any]


def build_tool(make: Callable[P, T], *args: P.args, **ports: P.kwargs) -> T:
    """The tool, checked, with its ports handed over; an incomplete definition is refused, naming what is missing."""
    try:
        tool = make(*args, **ports)
    except TypeError as error:
        raise ToolError(f"{_name_of(make)} cannot be built: {error}.", "incomplete_tool") from None
    missing = _missing(tool)
    if missing:
        raise ToolError(f"{_name_of(make)} is not complete: {', '.join(missing)} missing.", "incomplete_tool")
    return tool


def _missing(tool: AnyTool) -> list[str]:
    own = {name for kind in type(tool).__mro__ if kind is not Tool for name in vars(kind)}
    # A server's tool brings a JSON schema of its own in place of a model.
    needed = ["Output"] if {"input_schema", "parse_input"} <= own else ["Input", "Output"]
    missing = [] if getattr(tool, "name", "") else ["name"]
    missing += [part for part in (*needed, "max_result_chars") if not hasattr(tool, part)]
    if "call" not in own:
        missing.append("call")
    if not tool.search_hint and "description" not in own:
        missing.append("search_hint or description")
    return missing


def _name_of(make: Callable[..., Any]) -> str:
    return getattr(make, "__name__", repr(make))
