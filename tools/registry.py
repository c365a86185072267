"""Every built-in tool, one line each, and which of them a session offers.

`all_base_tools` builds them, `enabled_tools` leaves out what the person does not want, `tools.pool.assemble_pool` puts
them in the order the model is sent. A tool's code is imported only when the tool is built: one that is behind a
feature that is off is never loaded, and `find_base_tool` loads the one it is asked for and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tools.contract import AnyTool, build_tool
from tools.permissions.rules import RuleSet
from tools.ports import Changes, Launcher, OutputFiles, Sandbox, Tasks, TodoBoard

if TYPE_CHECKING:
    from tools.bash.shell import ShellSettings
    from tools.files import Files

SIMPLE = frozenset({"Bash", "Read", "Edit"})
COORDINATOR = frozenset({"Agent", "TaskStop"})


@dataclass(frozen=True, slots=True)
class Ports:
    """What the built-in tools need from outside; each gets only its own."""

    files: Files
    launcher: Launcher
    outputs: OutputFiles
    todos: TodoBoard
    tasks: Tasks
    changes: Changes
    sandbox: Sandbox
    # What the settings say of commands, as they are now.
    shell: Callable[[], ShellSettings]
    # What is wrong with a settings file's text after an edit (path, text), None if it is no settings file or fine.
    check_settings: Callable[[str, str], str | None] | None = None


class BaseTool(NamedTuple):
    """A tool that is not loaded yet: how it is called and how it is built."""

    name: str
    build: Callable[[Ports], AnyTool]
    aliases: tuple[str, ...] = ()
    # The feature it is behind, and the feature that takes it away.
    only_with: str = ""
    not_with: str = ""

    def is_offered(self, features: frozenset[str]) -> bool:
        taken_away = bool(self.not_with) and self.not_with in features
        return not taken_away and (not self.only_with or self.only_with in features)


@dataclass(frozen=True, slots=True)
class Choice:
    """What the person chose by flags, environment and rules."""

    simple: bool = False
    coordinator: bool = False
    read_only: bool = False
    rules: RuleSet = field(default_factory=RuleSet)


def all_base_tools(ports: Ports, features: frozenset[str]) -> list[AnyTool]:
    return [base.build(ports) for base in BASE_TOOLS if base.is_offered(features)]


def find_base_tool(name: str, ports: Ports, features: frozenset[str]) -> AnyTool | None:
    """One tool by its name or alias, in exact case; no other tool is loaded."""
    for base in BASE_TOOLS:
        if name in (base.name, *base.aliases) and base.is_offered(features):
            return base.build(ports)
    return None


def enabled_tools(tools: Iterable[AnyTool], choice: Choice) -> list[AnyTool]:
    """Those that are sent to the model. What is left out here is denied by the gate, too, should it be called."""
    return [tool for tool in tools if _is_wanted(tool, choice) and tool.is_enabled()]


def _is_wanted(tool: AnyTool, choice: Choice) -> bool:
    if choice.simple and tool.name not in (SIMPLE | COORDINATOR if choice.coordinator else SIMPLE):
        return False
    if choice.read_only and not _can_be_read_only(tool):
        return False
    return choice.rules.removes((tool.name, *tool.aliases)) is None


def _can_be_read_only(tool: AnyTool) -> bool:
    """Whether it has a word of its own on that: the default says no to every input."""
    return tool.touches_nothing or type(tool).is_read_only is not AnyTool.is_read_only


def _bash(ports: Ports) -> AnyTool:
    from tools.bash.tool import Bash

    return build_tool(
        Bash,
        launcher=ports.launcher,
        outputs=ports.outputs,
        tasks=ports.tasks,
        changes=ports.changes,
        sandbox=ports.sandbox,
        settings=ports.shell,
    )


def _edit(ports: Ports) -> AnyTool:
    from tools.edit.tool import Edit

    return build_tool(Edit, files=ports.files, check_settings=ports.check_settings)


def _glob(_: Ports) -> AnyTool:
    from tools.glob.tool import Glob

    return build_tool(Glob)


def _grep(_: Ports) -> AnyTool:
    from tools.grep.tool import Grep

    return build_tool(Grep)


def _monitor(ports: Ports) -> AnyTool:
    from tools.monitor.tool import Monitor

    return build_tool(Monitor, tasks=ports.tasks)


def _notebook_edit(ports: Ports) -> AnyTool:
    from tools.notebook_edit.tool import NotebookEdit

    return build_tool(NotebookEdit, files=ports.files)


def _read(_: Ports) -> AnyTool:
    from tools.read.tool import Read

    return build_tool(Read)


def _task_output(ports: Ports) -> AnyTool:
    from tools.task_output.tool import TaskOutput

    return build_tool(TaskOutput, tasks=ports.tasks, sandbox=ports.sandbox)


def _task_stop(ports: Ports) -> AnyTool:
    from tools.task_stop.tool import TaskStop

    return build_tool(TaskStop, tasks=ports.tasks)


def _todo_write(ports: Ports) -> AnyTool:
    from tools.todo_write.tool import TodoWrite

    return build_tool(TodoWrite, todos=ports.todos)


def _write(ports: Ports) -> AnyTool:
    from tools.write.tool import Write

    return build_tool(Write, files=ports.files, check_settings=ports.check_settings)


# Names and aliases stand here once more so that a tool can be found without being loaded; a test holds them equal.
BASE_TOOLS = (
    BaseTool("Bash", _bash, aliases=("run_shell",)),
    BaseTool("Edit", _edit, aliases=("edit_file",)),
    BaseTool("Glob", _glob, aliases=("list_files",), not_with="shell_search"),
    BaseTool("Grep", _grep, aliases=("grep_search",), not_with="shell_search"),
    BaseTool("Monitor", _monitor),
    BaseTool("NotebookEdit", _notebook_edit, aliases=("notebook_edit",)),
    BaseTool("Read", _read, aliases=("read_file",)),
    BaseTool("TaskOutput", _task_output),
    BaseTool("TaskStop", _task_stop),
    BaseTool("TodoWrite", _todo_write),
    BaseTool("Write", _write, aliases=("write_file",)),
)
