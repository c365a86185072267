"""What the screen knows of the tools: how each looks, what its data is, and which of its calls go together.

Whatever a model, a server or an old session calls a tool, there is an answer here; nothing raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ConfigDict, ValidationError

from tools.blocks import Line, Span
from tools.contract import AnyTool, ToolError
from tools.inputs import ToolInput, ToolOutput
from tools.pool import Pool
from tools.view import LONGEST_VALUE, ToolView, ViewContext, text_of

Fold = Literal["read", "search", "list"]

SERVER_PREFIX = "mcp__"
# Names that are shorter on the screen than in the API.
SHORT_NAMES = {"WebFetch": "Fetch", "WebSearch": "Search", "TodoWrite": "Todo", "NotebookEdit": "Edit"}
FOLDS: dict[str, Fold] = {"Read": "read", "Grep": "search", "Glob": "list"}
# The tool whose words stand above calls that fold to the same kind.
FOLD_TOOLS: dict[Fold, str] = {kind: name for name, kind in FOLDS.items()}
COMMANDS = "Bash"


class Kinds:
    """`ctx` may be replaced, when the working folder changes."""

    def __init__(self, pool: Pool, ctx: ViewContext) -> None:
        self.ctx = ctx
        self._pool = pool
        self._generic = ToolView()
        self._of_servers = ServerToolView()
        # Tools that run beside others whatever their input is.
        self._always_beside: dict[str, bool] = {}

    def view(self, name: str) -> ToolView:
        tool = self._pool.find(name)
        view = tool.view if tool is not None else self._generic
        is_generic = type(view) is ToolView
        return self._of_servers.named(name) if is_generic and name.startswith(SERVER_PREFIX) else view

    def shown_name(self, name: str, input: Mapping[str, Any]) -> str:
        """What the person knows the tool as: `Fetch`, `github`."""
        tool = self._pool.find(name)
        if tool is not None and type(tool).user_facing_name is not AnyTool.user_facing_name:
            typed = self._typed(tool, input)
            if typed is not None and (shown := tool.user_facing_name(typed)) != tool.name:
                return shown
        if name.startswith(SERVER_PREFIX):
            return server_and_tool(name)[0]
        own = tool.name if tool is not None else name
        return SHORT_NAMES.get(own, own)

    def subject(self, name: str, input: Mapping[str, Any]) -> Line:
        """What a call is about, wherever that is said besides its row; a view that fails is reported there."""
        try:
            return self.view(name).use(input, self.ctx)
        except Exception:  # whatever it is: the activity line and the counts go on without it
            return self._generic.use(input, self.ctx)

    def went_wrong(self, name: str, output: ToolOutput) -> bool:
        try:
            return self.view(name).went_wrong(output)
        except Exception:  # as above
            return False

    def output(self, name: str, data: Mapping[str, Any] | None) -> ToolOutput | None:
        """Plain data of an event as the tool's own; None where it does not fit."""
        tool = self._pool.find(name)
        return _as_data(tool.Output, data) if tool is not None else None

    def progress(self, name: str, data: Mapping[str, Any] | None) -> ToolOutput | None:
        tool = self._pool.find(name)
        return _as_data(tool.Progress, data) if tool is not None else None

    def runs_beside_others(self, name: str, input: Mapping[str, Any]) -> bool:
        tool = self._pool.find(name)
        typed = self._typed(tool, input) if tool is not None else None
        if tool is None or typed is None:
            return False
        return _reads_beside(typed.command) if _is_git(tool, typed) else tool.is_concurrency_safe(typed)

    def always_beside_others(self, name: str) -> bool:
        """Whatever its input turns out to be, so that this is known while the input still streams in."""
        if name not in self._always_beside:
            tool = self._pool.find(name)
            self._always_beside[name] = tool is not None and _needs_no_input(tool)
        return self._always_beside[name]

    def folds(self, name: str, input: Mapping[str, Any]) -> Fold | None:
        """What kind of looking around a call is: of the tools for it, and of commands that do the same."""
        tool = self._pool.find(name)
        own = tool.name if tool is not None else name
        if own != COMMANDS:
            return FOLDS.get(own)
        from tools.bash.folding import fold_of

        return fold_of(text_of(input, "command"))

    @staticmethod
    def _typed(tool: AnyTool, input: Mapping[str, Any]) -> Any:
        try:
            return tool.parse_input(dict(input))
        except ToolError:
            return None


class LooseOutput(ToolOutput):
    """Data of a tool that is not there, or that has changed since: shown by its fields."""

    model_config = ConfigDict(frozen=True, extra="allow")


class ServerToolView(ToolView):
    """A server's tool: the name of the row is the server, so the subject begins with the tool."""

    def __init__(self, tool: str = "") -> None:
        self._tool = tool

    def named(self, name: str) -> ServerToolView:
        return ServerToolView(server_and_tool(name)[1])

    def use(self, partial_input: Mapping[str, Any], ctx: ViewContext) -> Line:
        first = next((value for value in partial_input.values() if isinstance(value, str) and value), "")
        brief = first[: LONGEST_VALUE + 1].split("\n", 1)[0]
        brief = brief if brief == first and len(first) <= LONGEST_VALUE else brief[: LONGEST_VALUE - 1] + "⋯"
        return Line((Span(self._tool), *([Span(f"  {brief}")] if first else [])))


def server_and_tool(name: str) -> tuple[str, str]:
    """`mcp__github__list_issues` is `list_issues` of `github`."""
    server, _, tool = name.removeprefix(SERVER_PREFIX).partition("__")
    return (server, tool) if server and tool else (name, "")


class _Unknown:
    """An input nobody may look at."""

    def __getattr__(self, name: str) -> Any:
        raise LookupError(name)


def _needs_no_input(tool: AnyTool) -> bool:
    try:
        return tool.is_concurrency_safe(_Unknown())
    except Exception:  # it looked at its input, in whatever way
        return False


def _is_git(tool: AnyTool, typed: Any) -> bool:
    """Bash asks git about its configuration then, a process that the screen cannot wait for."""
    if tool.name != COMMANDS or not isinstance(typed, ToolInput):
        return False
    from tools.bash.parse import parse
    from tools.bash.readonly import runs_git

    return runs_git(parse(text_of(typed.model_dump(include={"command"}), "command")))


def _reads_beside(command: str) -> bool:
    from tools.bash.parse import parse
    from tools.bash.readonly import only_reads

    script = parse(command)
    moves = any(word.text == "cd" for one in script.commands for word in one.words)
    return not moves and only_reads(script)


def _as_data(kind: type[ToolOutput], data: Mapping[str, Any] | None) -> ToolOutput | None:
    if data is None:
        return None
    try:
        return kind.model_validate(dict(data))
    except ValidationError:
        return None
