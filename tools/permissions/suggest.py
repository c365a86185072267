"""What "always" would save: exactly what was shown, or wider rules; offered only if they then allow this very call."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace

from tools.permissions.decide import decide, would_allow
from tools.permissions.names import COMMAND_TOOLS
from tools.permissions.rules import Scope, Source, parse_rule
from tools.permissions.subjects import CommandSubject, DomainSubject, NamedSubject, PathSubject, Subject
from tools.permissions.world import Call, World

RULES_AT_MOST = 5

# What runs whatever it is given: a saved rule for one of them would say less than it seems to.
_RUNS_ANYTHING = frozenset(
    {"sudo", "doas", "su", "env", "xargs", "npx", "bunx", "pnpx", "uvx", "pipx", "eval", "exec", "source", ".", "ssh"}
    | {"sh", "bash", "zsh", "dash", "ksh", "fish", "csh", "tcsh", "pwsh", "powershell", "busybox"}
    | {"python", "pypy", "ipython", "node", "nodejs", "deno", "bun", "ts-node", "tsx", "ruby", "irb", "perl", "php"}
    | {
        "lua",
        "luajit",
        "tclsh",
        "expect",
        "awk",
        "gawk",
        "mawk",
        "osascript",
        "R",
        "Rscript",
        "julia",
        "java",
        "jshell",
    }
    | {"groovy", "scala", "kotlin", "swift", "dart", "elixir", "iex", "erl", "escript", "ghci", "runghc", "runhaskell"}
    | {"racket", "guile", "sbcl", "clojure", "vim", "vi", "nvim", "emacs", "ed", "sqlite3", "psql", "mysql"}
    | {"ash", "rbash", "mksh", "nu", "xonsh", "tmux", "screen", "at", "batch", "nsenter", "run0", "pkexec", "gosu"}
    | {"watch", "setsid", "ionice", "flock", "parallel", "script", "strace", "gdb", "docker", "podman"}
)
# What a pattern would let these do is not what was shown: they remove, reach out, or run what follows them.
_EXACT_ONLY = frozenset(
    {"rm", "rmdir", "unlink", "shred", "srm", "dd", "mkfs", "truncate", "wipefs", "chmod", "chown", "chgrp", "mv"}
    | {"find", "fd", "kill", "pkill", "killall", "curl", "wget", "nc", "scp", "rsync", "crontab", "systemctl"}
    | {"timeout", "nohup", "nice", "time", "stdbuf", "command", "builtin", "taskset", "chroot", "unshare", "caffeinate"}
)
# Some of what these can do loses work or runs anything, so a rule for one of them names at least the subcommand.
_NEEDS_SUBCOMMAND = frozenset(
    {"git", "gh", "kubectl", "helm", "aws", "gcloud", "az", "terraform", "uv", "poetry", "pipenv", "pdm", "hatch"}
    | {"rye", "conda", "mamba", "mise", "bundle", "go", "apt", "apt-get", "brew", "pip"}
)
_RUNNING_SUBCOMMANDS = frozenset({"run", "exec", "x", "dlx"})
_SERVER = re.compile(r"mcp__.+?(?=__)")
_SUBCOMMAND = re.compile(r"[A-Za-z][\w:-]*")
_PATTERN_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\*?["})

Rules = tuple[str, ...]


def suggest_rules(call: Call, world: World, scope: Scope = "local") -> Rules:
    """The rules that, once saved in this scope, allow this very call; none where "always" is not offered."""
    stops = suggest_stops(call, world, scope)
    return stops[0] if stops else ()


def suggest_stops(call: Call, world: World, scope: Scope = "local") -> tuple[Rules, ...]:
    """Alternatives from narrow to wide, the first for exactly what was shown; each allows this very call once saved."""
    if call.destructive or decide(call, world).kind != "ask":
        return ()
    ladders = [tuple(_ladder(subject, call, world)) for subject in _not_yet_allowed(call, world)]
    if not ladders or not all(ladders):
        return ()
    levels = range(max(map(len, ladders)))
    first, *wider = dict.fromkeys(
        tuple(dict.fromkeys(rule for ladder in ladders for rule in ladder[min(level, len(ladder) - 1)]))
        for level in levels
    )
    if not _would_allow(first, call, world, scope):
        return ()
    return (first, *(rules for rules in wider if _would_allow(rules, call, world, scope)))


def _not_yet_allowed(call: Call, world: World) -> Iterator[Subject | None]:
    for subject in call.subjects or (None,):
        part = replace(call, subjects=() if subject is None else (subject,))
        if not _is_allowed_within(part, call, world):
            yield subject


def _would_allow(rules: Rules, call: Call, world: World, scope: Scope) -> bool:
    if len(rules) > RULES_AT_MOST:
        return False
    source = Source(scope, world.folder)
    saved = world.rules.plus(*(parse_rule(text, "allow", source) for text in rules))
    return would_allow(call, replace(world, rules=saved))


def _is_allowed_within(part: Call, call: Call, world: World) -> bool:
    """Whether one subject of the call is allowed by itself; a path of a command stays a command's path."""
    if not call.runs_commands or part.runs_commands:
        return would_allow(part, world)
    harmless = CommandSubject("true", ("true",), ("true",), read_only=True)
    return would_allow(replace(part, subjects=(harmless, *part.subjects)), world)


def _ladder(subject: Subject | None, call: Call, world: World) -> Iterator[Rules]:
    """The rules for one subject, from exactly it to what is around it; nothing where no rule may be saved for it."""
    match subject:
        case CommandSubject():
            if not subject.destructive and subject.understood and _is_exact(subject):
                yield (f"{call.tool}({subject.text})",)
                yield from ((f"{call.tool}({wider})",) for wider in _wider_commands(subject))
        case PathSubject():
            yield from _path_ladder(subject, world)
        case DomainSubject(host):
            yield from _host_ladder(host, call.tool)
        case NamedSubject(name):
            yield (call.tool if name == call.tool else f"{call.tool}({name})",)
            if name == call.tool and (server := _SERVER.match(name)):
                yield (server[0],)
        case None:
            if call.tool not in COMMAND_TOOLS:
                yield (call.tool,)


def _host_ladder(host: str, tool: str) -> Iterator[Rules]:
    if host:
        yield (f"{tool}(domain:{host})",)
    if "." in host and not host.rpartition(".")[2].isdigit():
        # The pattern for the hosts below it does not cover the host itself.
        yield (f"{tool}(domain:{host})", f"{tool}(domain:*.{host})")


def _path_ladder(subject: PathSubject, world: World) -> Iterator[Rules]:
    """One rule for the link and one for its target, from the root, so that they mean the same in every scope."""
    tool = "Read" if subject.access == "read" else "Edit"
    files = [
        spelling
        for spelling in world.spellings(subject.path)
        if subject.access == "edit" or not world.inside_workspace(spelling)
    ]
    if not files:
        return
    yield tuple(f"{tool}(/{file.translate(_PATTERN_SIGNS)})" for file in files)
    folders = [os.path.dirname(file) for file in files]
    # A folder that holds the home, or all there is, is more than anybody means.
    if not any(folder == "/" or world.is_within(world.home, folder) for folder in folders):
        yield tuple(f"{tool}(/{folder.translate(_PATTERN_SIGNS)}/**)" for folder in folders)


def _wider_commands(subject: CommandSubject) -> Iterator[str]:
    """`npm ci *`, then `npm *`: with the wrappers taken off, as a rule looks through them."""
    words = min(subject.allow_spellings, key=len, default="").split()
    program = _program(words[0]) if words else ""
    if not program or "=" in words[0] or program in _EXACT_ONLY | _RUNS_ANYTHING:
        return
    if len(words) > 1 and _SUBCOMMAND.fullmatch(words[1]):
        if words[1] in _RUNNING_SUBCOMMANDS and program in _NEEDS_SUBCOMMAND:
            return
        if words[1] not in _RUNNING_SUBCOMMANDS - {"run"}:
            yield f"{words[0]} {words[1]} *"
    if program not in _NEEDS_SUBCOMMAND:
        yield f"{words[0]} *"


def _is_exact(subject: CommandSubject) -> bool:
    """Whether a rule with this text means this command alone, and the command does one foreseeable thing."""
    if "*" in subject.text or subject.text != subject.text.strip() or not subject.text:
        return False
    words = (text.split(maxsplit=1)[:1] for text in (subject.text, *subject.spellings))
    return not any(word and _program(word[0]) in _RUNS_ANYTHING for word in words)


def _program(word: str) -> str:
    """The program's name without its folder and version: /usr/bin/python3.11 is python."""
    return word.rpartition("/")[2].rstrip("0123456789.-") or word
