"""The names rules may use: every tool's own name, its other names, and which tools a path rule stands for.

A list of its own, and not the registry, because a rule for a tool that is switched off here is no mistake.
"""

from __future__ import annotations

OTHER_NAMES = {
    "read_file": "Read",
    "write_file": "Write",
    "edit_file": "Edit",
    "notebook_edit": "NotebookEdit",
    "list_files": "Glob",
    "grep_search": "Grep",
    "run_shell": "Bash",
    "agent": "Agent",
    "Task": "Agent",
    "enter_plan_mode": "EnterPlanMode",
    "exit_plan_mode": "ExitPlanMode",
    "skill": "Skill",
    "tool_search": "ToolSearch",
    "web_fetch": "WebFetch",
}

_KNOWN = (
    "Read Write Edit NotebookEdit Glob Grep Bash PowerShell TaskOutput TaskStop Monitor Sleep REPL Agent SendMessage "
    "TodoWrite TaskCreate TaskGet TaskUpdate TaskList TeamCreate TeamDelete ListPeers Workflow EnterPlanMode "
    "ExitPlanMode EnterWorktree ExitWorktree Skill AskUserQuestion ToolSearch Brief StructuredOutput Config Snip "
    "CronCreate CronDelete CronList WebFetch WebSearch ListMcpResources ReadMcpResource LSP McpAuth WebBrowser "
    "PushNotification SendUserFile"
)
KNOWN_TOOLS = frozenset(_KNOWN.split())

# Tools whose own path rules would say less than they seem to: the rule that covers them all.
PATH_RULE_INSTEAD = {"Write": "Edit", "NotebookEdit": "Edit", "Glob": "Read", "Grep": "Read", "LSP": "Read"}

COMMAND_TOOLS = frozenset({"Bash", "PowerShell"})
PATH_TOOLS = frozenset({"Read", "Edit"})

# What a tool's rules match in their own way; a rule by parameter would be weaker than it looks.
MATCHED_FIELDS = {
    "Bash": "command",
    "PowerShell": "command",
    "Read": "file_path",
    "Edit": "file_path",
    "Write": "file_path",
    "NotebookEdit": "notebook_path",
    "Grep": "path",
    "Glob": "path",
    "WebFetch": "url",
}


def canonical(name: str) -> str:
    return OTHER_NAMES.get(name, name)
