"""Bash: a command line in the person's shell, judged by what it does, ended with all it started."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from pydantic import Field

from tools.bash.data import BashOutput, BashProgress, changed_text, exit_text
from tools.bash.git_config import git_config_is_safe
from tools.bash.parse import parse
from tools.bash.readonly import only_reads, runs_git
from tools.bash.shell import Shell, ShellSettings
from tools.bash.subjects import subjects_of
from tools.bash.view import BashView
from tools.blocks import Code, line
from tools.context import Place, ToolContext
from tools.contract import SUMMARY_CHARS, VALID, Preview, PromptOptions, Tool, ToolResult, Validation, Verdict
from tools.inputs import ToolInput
from tools.permissions.subjects import CommandSubject, Subject
from tools.ports import Changes, Launcher, OutputFiles, Sandbox, SandboxState, Tasks
from tools.short import shortened

# Further lines of advice, each for where it is true.
_BACKGROUND = Path(__file__).with_name("background.md")
_SANDBOX = Path(__file__).with_name("sandbox.md")

DEFAULT_TIMEOUT_MS = 120_000
LONGEST_TIMEOUT_MS = 600_000
# The kernel takes no longer argument.
LONGEST_COMMAND_BYTES = 128 * 1024 - 1


class BashInput(ToolInput):
    command: str = Field(description="The command line to run.")
    timeout: int | None = Field(
        default=None,
        description=f"Milliseconds until it is ended: {DEFAULT_TIMEOUT_MS} by default, {LONGEST_TIMEOUT_MS} at most.",
    )
    description: str | None = Field(default=None, description="What it does, in five to ten words, for the person.")
    run_in_background: bool = Field(
        default=False, description="Do not wait for it: it goes on as a task until it ends, is stopped, or we end."
    )
    dangerously_disable_sandbox: bool = Field(
        default=False, description="Run it outside the sandbox. The person is always asked."
    )


class Bash(Tool[BashInput, BashOutput]):
    name = "Bash"
    aliases = ("run_shell",)
    search_hint = "run shell commands, programs, tests, git"
    Input = BashInput
    Output = BashOutput
    Progress = BashProgress
    max_result_chars = 30_000
    view = BashView()
    prompt_file = Path(__file__).with_name("prompt.md")
    may_touch_anything = True

    def __init__(
        self,
        launcher: Launcher,
        outputs: OutputFiles,
        git_is_safe: Callable[[str], bool] = git_config_is_safe,
        *,
        tasks: Tasks | None = None,
        changes: Changes | None = None,
        sandbox: Sandbox | None = None,
        settings: Callable[[], ShellSettings] = ShellSettings,
    ) -> None:
        self._shell = Shell(launcher, outputs, tasks, changes, sandbox, settings)
        self._git_is_safe = git_is_safe

    @property
    def _sandbox_state(self) -> SandboxState | None:
        return self._shell.sandbox.state if self._shell.sandbox is not None else None

    # -- identity and text

    def summary(self, input: BashInput) -> str:
        return shortened(input.command, SUMMARY_CHARS)

    def description(self, options: PromptOptions) -> str:
        return "Runs a command line in bash and returns its output and exit code. `cd` lasts inside the workspace."

    def prompt(self, options: PromptOptions) -> str:
        parts = [super().prompt(options)]
        if "TaskOutput" in options.tool_names:
            parts.append(_BACKGROUND.read_text(encoding="utf-8").strip())
        if self._sandbox_state is not None and self._sandbox_state.active:
            parts.append(_SANDBOX.read_text(encoding="utf-8").strip())
        return "\n".join(parts)

    # -- flags

    def is_read_only(self, input: BashInput) -> bool:
        """Where a git command is among it, as far as the folder of this process tells; the gate asks for the call's."""
        script = parse(input.command)
        return only_reads(script) and (not runs_git(script) or self._git_is_safe(os.getcwd()))

    def is_concurrency_safe(self, input: BashInput) -> bool:
        """A `cd` changes the folder for those after it, so it must run in its turn."""
        moves = any(word.text == "cd" for one in parse(input.command).commands for word in one.words)
        return not moves and self.is_read_only(input)

    def is_destructive(self, input: BashInput) -> bool:
        return any(isinstance(one, CommandSubject) and one.destructive for one in subjects_of(input.command))

    # -- gate

    async def validate_input(self, input: BashInput, ctx: ToolContext) -> Validation:
        problem = _problem(input)
        if input.run_in_background and self._shell.tasks is None:
            problem = "Nothing can go to the background here; run it without `run_in_background`."
        return Validation(problem, "invalid_input") if problem else VALID

    def permission_subjects(self, input: BashInput, place: Place) -> tuple[Subject, ...]:
        """Git's reading commands count as read-only here; whether its configuration is safe is the gate's to add."""
        return subjects_of(input.command)

    def check_permissions(self, input: BashInput, place: Place) -> Verdict | None:
        if input.dangerously_disable_sandbox:
            return Verdict("ask", "It is to run without a sandbox.")
        sandbox = self._sandbox_state
        if sandbox is not None and sandbox.missing and not self.is_read_only(input):
            return Verdict("ask", f"The sandbox is {sandbox.sentence}.")
        if sandbox is not None and sandbox.asks_less and not self.is_destructive(input):
            return Verdict("allow", "The sandbox keeps it inside the workspace, without a network.")
        return None

    def classifier_text(self, input: BashInput) -> str:
        return input.command

    async def preview(self, input: BashInput, ctx: ToolContext) -> Preview:
        told = (Code(input.command, "bash"), line(("in ", "quiet"), (ctx.folder, "path")))
        if not input.command.lstrip().startswith("sed"):
            return Preview(told)
        from tools.bash.sed import foreseen

        diff, ground = await foreseen(input.command, ctx)
        return Preview((*told, *diff), ground)

    # -- work

    async def call(self, input: BashInput, ctx: ToolContext) -> ToolResult[BashOutput]:
        from tools.bash.call import Wish, run_call

        wish = Wish(
            command=input.command,
            timeout=min(input.timeout or DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS) / 1000,
            in_background=input.run_in_background,
            in_sandbox=not input.dangerously_disable_sandbox,
        )
        return await run_call(wish, ctx, self._shell)

    # -- answer

    def to_result_block(self, data: BashOutput) -> str:
        ended = exit_text(data.exit_code) + (f" ({data.meaning})" if data.meaning else "")
        output = data.output.rstrip("\n") or ("" if data.task else "(no output)")
        parts = [output, data.note, changed_text(data.changed), ended, data.blocked]
        return "\n".join(part for part in parts if part)

    def is_result_truncated(self, data: BashOutput) -> bool:
        return data.truncated


def _problem(input: BashInput) -> str:
    """Why a command cannot be run at all; empty when it can."""
    if not input.command.strip():
        return "The command is empty; give the command line to run."
    if "\0" in input.command:
        return "The command holds a NUL character, which no shell takes; leave it out."
    if any("\ud800" <= char <= "\udfff" for char in input.command):
        return "The command holds half a surrogate pair, which is no character; spell it again."
    if len(input.command.encode()) > LONGEST_COMMAND_BYTES:
        return "The command is too long for a shell; write it to a file and run that."
    if input.timeout is not None and input.timeout <= 0:
        return "`timeout` is a number of milliseconds above 0; leave it out for two minutes."
    return ""
