"""Who speaks of one subject of a call, and what they say: rules, hooks, the tool, what is protected, the mode.

Each source is asked by itself and knows nothing of the others; which word counts is for `decide` to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from tools.permissions.decision import TraceStep
from tools.permissions.matching import allows, is_trusted, may_restrict, path_allowed, restricts
from tools.permissions.modes import file_command_operands
from tools.permissions.names import COMMAND_TOOLS
from tools.permissions.overlap import is_glob, is_known_only_at_run_time
from tools.permissions.protected import protected_part
from tools.permissions.removals import removal_problem
from tools.permissions.rules import Rule
from tools.permissions.subjects import CommandSubject, DomainSubject, NamedSubject, PathSubject, Subject
from tools.permissions.world import Call, World

STRICTNESS: dict[str, int] = {"allow": 0, "ask": 1, "deny": 2}
DEFAULT = "default"
OF_COMMAND = "command"


def words_on(subject: Subject | None, call: Call, world: World) -> tuple[TraceStep, ...]:
    """Every word on it, the strictest first; where nobody spoke, the default."""
    words = list(_words(subject, call, world)) or [_default(subject, call, world)]
    # Python's sort is stable: of equally strict words the first said stays first.
    words.sort(key=lambda word: -STRICTNESS[word.verdict])
    return tuple(words)


def label(subject: Subject | None, call: Call) -> str:
    """A subject as a person calls it."""
    match subject:
        case CommandSubject(text=text):
            return text
        case PathSubject(path, access, via):
            return f"{access} {path}" + (f" ({via})" if via else "")
        case DomainSubject(host):
            return host
        case NamedSubject(name):
            return name
        case None:
            return call.tool


def _words(subject: Subject | None, call: Call, world: World) -> Iterator[TraceStep]:
    yield from rule_words(subject, call, world)
    yield from _restrictions(subject, call, world)
    for source, verdict in (("hook", world.hook), ("tool", call.verdict)):
        if verdict is not None:
            yield say(source, verdict.kind, label(subject, call), verdict.reason)
    yield from _permissions(subject, call, world)


def rule_words(subject: Subject | None, call: Call, world: World) -> Iterator[TraceStep]:
    what = label(subject, call)
    for rule in world.rules_for(call.names):
        if rule.problem:
            if rule.fails_closed and rule.names_tool(call.names):
                unread = f"The {rule.kind} rule `{rule.text}` cannot be read: {rule.problem}."
                yield say("rule", "ask", what, unread, rule)
        elif rule.restricts:
            if restricts(rule, subject, call, world):
                yield _rule_word(rule, what)
            elif may_restrict(rule, subject, call, world):
                yield say("rule", "ask", what, f"It may become what the rule `{rule.text}` means.", rule)
        elif is_trusted(rule, world) and allows(rule, subject, call):
            yield _rule_word(rule, what)


def _restrictions(subject: Subject | None, call: Call, world: World) -> Iterator[TraceStep]:
    """What speaks against, besides rules: modes that forbid, protected paths, removals, what cannot be foreseen."""
    what = label(subject, call)
    if not _only_reads(subject, call):
        if world.read_only_flag:
            yield say("flag", "deny", what, "This session is read-only.")
        if world.mode == "plan":
            yield say("mode", "deny", what, "Plan mode changes nothing.")
    if isinstance(subject, PathSubject) and subject.access == "edit":
        part = _protected(subject, call, world)
        if part:
            yield say("protected", "ask", what, f"{part} is protected: programs obey what is written there.")
    if isinstance(subject, CommandSubject):
        for target in subject.removes:
            problem = removal_problem(target, world)
            if problem:
                yield say("removal", "ask", what, f"{problem[0].upper()}{problem[1:]}.")
        unforeseen = subject.hides_commands or not subject.understood
        if unforeseen and _has_command_restrictions(call, world):
            yield say("unforeseen", "ask", what, "What runs is decided only then, and a rule restricts some commands.")


def _permissions(subject: Subject | None, call: Call, world: World) -> Iterator[TraceStep]:
    """What speaks for it, besides rules without a path: reading in the workspace, the mode, touching nothing."""
    what = label(subject, call)
    if call.touches_nothing:
        yield say("tool", "allow", what, f"{call.tool} touches nothing by itself; what it starts is judged.")
    match subject:
        case PathSubject():
            yield from _path_permissions(subject, call, world)
        case CommandSubject():
            if subject.read_only and _git_is_safe(subject, world):
                yield say("read-only", "allow", what, _what_it_does(subject, world))
            elif world.mode == "acceptEdits" and (subject.only_edits or _arranges_files_here(subject, call, world)):
                yield say("mode", "allow", what, "acceptEdits accepts file commands in the workspace.")
        case _:
            return


def _what_it_does(subject: CommandSubject, world: World) -> str:
    """Of one that changes nothing; what follows a `cd` runs where that leads."""
    if not subject.leads_to:
        return "The command only reads."
    ends = (end for folder in subject.leads_to for end in world.spellings(folder))
    inside = all(map(world.inside_workspace, ends))
    return "It stays inside the workspace." if inside else "It leaves the workspace."


def _path_permissions(subject: PathSubject, call: Call, world: World) -> Iterator[TraceStep]:
    """Every spelling, the link and its target, must be covered by something."""
    inside = subject.stood_in and all(map(world.inside_workspace, world.spellings(subject.path)))
    if subject.of_command or inside:
        yield say(OF_COMMAND, "allow", label(subject, call), "What is said of the command is said of it.")
        return
    if call.runs_commands and is_known_only_at_run_time(subject.path):
        return
    spellings = world.spellings(subject.path)
    covers = [_cover(subject, spelling, call, world) for spelling in spellings]
    if all(covers):
        yield from (cover for cover in covers if cover)


def _cover(subject: PathSubject, spelling: str, call: Call, world: World) -> TraceStep | None:
    what = label(subject, call)
    for rule in world.rules_for(call.names):
        counts = rule.kind == "allow" and not rule.problem and is_trusted(rule, world)
        if counts and path_allowed(rule, subject, spelling, world):
            return _rule_word(rule, what)
    if spelling == "/dev/null":
        return say("read-only", "allow", what, "Nothing is kept there.")
    if subject.access == "read":
        if world.inside_workspace(spelling):
            return say("read-only", "allow", what, "Reading in the workspace needs no asking.")
        if spelling in world.readable_files:
            return say("read-only", "allow", what, "A stored result may be read.")
    elif world.mode == "acceptEdits" and _may_be_accepted(subject, spelling, call, world):
        return say("mode", "allow", what, "acceptEdits accepts edits in the workspace.")
    return None


def _may_be_accepted(subject: PathSubject, spelling: str, call: Call, world: World) -> bool:
    foreseen = not (call.runs_commands and is_glob(subject.path))
    return foreseen and not call.destructive and world.inside_workspace(spelling)


def _arranges_files_here(subject: CommandSubject, call: Call, world: World) -> bool:
    if subject.destructive or call.destructive or not subject.understood:
        return False
    if any(map(_changes_folder, call.subjects)):
        # Then its relative paths start somewhere else than ours.
        return False
    for text in subject.allow_spellings:
        operands = file_command_operands(text)
        if operands:
            edits = (PathSubject(operand, "edit") for operand in operands)
            return all(words_on(edit, call, world)[0].verdict == "allow" for edit in edits)
    return False


def _default(subject: Subject | None, call: Call, world: World) -> TraceStep:
    what = label(subject, call)
    if world.mode == "bypassPermissions" and world.bypass_allowed:
        return say("mode", "allow", what, "bypassPermissions allows what nobody speaks against.")
    if isinstance(subject, PathSubject):
        outside = not all(world.inside_workspace(spelling) for spelling in world.spellings(subject.path))
        if outside or subject.access == "read":
            return say(DEFAULT, "ask", what, "It is not known to lie in the workspace, and no rule allows it.")
    if isinstance(subject, CommandSubject) and subject.read_only:
        return say(DEFAULT, "ask", what, "This repository's configuration may make git run programs.")
    detail = f" {subject.why}" if isinstance(subject, CommandSubject) and subject.why else ""
    return say(DEFAULT, "ask", what, f"No rule allows it.{detail}")


def _only_reads(subject: Subject | None, call: Call) -> bool:
    """Whether the subject changes nothing. In a call that does change something, somebody must be to blame."""
    if call.touches_nothing:
        return True
    if call.read_only:
        return not isinstance(subject, PathSubject) or _reads(subject)
    return _reads(subject) and not all(_reads(other) for other in call.subjects)


def _reads(subject: Subject | None) -> bool:
    match subject:
        case CommandSubject():
            return subject.read_only
        case PathSubject(path, access):
            return access == "read" or path == "/dev/null"
        case _:
            return False


def _protected(subject: PathSubject, call: Call, world: World) -> str | None:
    shell_glob = call.runs_commands and is_glob(subject.path)
    found = (protected_part(spelling, shell_glob) for spelling in world.spellings(subject.path))
    return next((part for part in found if part), None)


def _has_command_restrictions(call: Call, world: World) -> bool:
    rules = (rule for rule in world.rules_for(call.names) if rule.tool in COMMAND_TOOLS)
    return any(rule.restricts and rule.spec for rule in rules)


def _git_is_safe(subject: CommandSubject, world: World) -> bool:
    return not runs_git(subject) or world.git_is_safe


def runs_git(subject: Subject) -> bool:
    """Whether a command is git's, by any of its spellings."""
    return "git" in _programs(subject)


def _changes_folder(subject: Subject) -> bool:
    return not _programs(subject).isdisjoint({"cd", "pushd", "popd"})


def _programs(subject: Subject) -> set[str]:
    """The programs a command starts with, by all its spellings."""
    if not isinstance(subject, CommandSubject):
        return set()
    words = (text.split(maxsplit=1)[:1] for text in (subject.text, *subject.spellings))
    return {word[0].rpartition("/")[2] for word in words if word}


def _rule_word(rule: Rule, what: str) -> TraceStep:
    return say("rule", rule.kind, what, f"The {rule.kind} rule `{rule.text}` matches.", rule)


def say(source: str, verdict: str, subject: str, reason: str, rule: Rule | None = None) -> TraceStep:
    return TraceStep(source, verdict, subject, reason, *((rule.where, rule.text) if rule else ()))
