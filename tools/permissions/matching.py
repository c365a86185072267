"""Whether one rule speaks of one subject of a call, and if not, whether it nearly does and why it does not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from tools.permissions.overlap import is_glob, is_known_only_at_run_time, may_become
from tools.permissions.patterns import command_matches, domain_matches, glob_matches
from tools.permissions.rules import FROM_THE_FOLDER, Rule, parameter_of
from tools.permissions.subjects import CommandSubject, DomainSubject, NamedSubject, PathSubject, Subject
from tools.permissions.world import Call, World

# They run what follows them, so a pattern that allows the word would allow anything.
_RUNNERS = frozenset({"watch", "setsid", "ionice", "flock"})
_FIND_ACTIONS = re.compile(r"\s-(exec|execdir|ok|okdir|delete)\b")


def restricts(rule: Rule, subject: Subject | None, call: Call, world: World) -> bool:
    """Whether an ask or deny rule speaks of the subject (None: of a call that has none)."""
    if isinstance(subject, PathSubject) and rule.tool in _restricting_tools(subject):
        return rule.spec is None or _path_restricted(rule, subject.path, world)
    if not rule.names_tool(call.names):
        return False
    return rule.spec is None or _names_parameter(rule.spec, call) or _restricts_own(rule.spec, subject, world)


def allows(rule: Rule, subject: Subject | None, call: Call) -> bool:
    """Whether an allow rule covers the subject. A path's pattern is another question: `path_allowed`."""
    if isinstance(subject, PathSubject) and rule.spec is None and rule.tool == _allowing_tool(subject):
        return True
    if not rule.names_tool(call.names):
        return False
    if rule.spec is None:
        return True
    match subject:
        case CommandSubject():
            return _command_allowed(rule.spec, subject)
        case DomainSubject(host):
            return domain_matches(rule.spec.partition(":")[2], host)
        case NamedSubject(name):
            return command_matches(rule.spec, name)
        case _:
            return False


def path_allowed(rule: Rule, subject: PathSubject, spelling: str, world: World) -> bool:
    """Whether an allow rule's pattern covers one spelling of a path."""
    if rule.path is None or rule.tool != _allowing_tool(subject):
        return False
    return any(_path_matches(rule, relative, world) for relative in _below_anchor(rule, spelling, world))


def may_restrict(rule: Rule, subject: Subject | None, call: Call, world: World) -> bool:
    """Whether a shell may make of a path, by a glob or a variable, one that a restricting rule means; or whether a
    program may read a host, in a URL that names none, which one means."""
    if isinstance(subject, DomainSubject):
        return not subject.host and rule.spec is not None and rule.names_tool(call.names)
    if not (isinstance(subject, PathSubject) and call.runs_commands and rule.path):
        return False
    if rule.tool not in _restricting_tools(subject):
        return False
    if is_known_only_at_run_time(subject.path):
        return True
    pattern = tuple(rule.path.segments(restricts=True))
    return is_glob(subject.path) and any(
        may_become(tuple(relative.split("/")), pattern)
        for spelling in world.spellings(subject.path)
        for relative in _below_anchor(rule, spelling, world)
    )


def _path_restricted(rule: Rule, path: str, world: World) -> bool:
    """Whether a restricting rule's pattern means the path or what it leads to."""
    return any(
        _path_matches(rule, relative, world)
        for spelling in world.spellings(path)
        for relative in _below_anchor(rule, spelling, world)
    )


def is_trusted(rule: Rule, world: World) -> bool:
    """An allow rule that the folder brought counts only once the person trusted the folder."""
    return rule.restricts or world.trusted or rule.source.scope not in FROM_THE_FOLDER


def near_misses(subject: Subject | None, call: Call, world: World) -> Iterator[tuple[Rule, str]]:
    """Rules for the same thing that did not count for this subject, and why: those that allow, then the others."""
    rules = world.rules_for(call.names)
    for rule in rules:
        if not rule.restricts and (why := _why_not(rule, subject, call, world)):
            yield rule, why
    for rule in rules:
        if rule.restricts and (why := _why_it_does_not_restrict(rule, subject, call, world)):
            yield rule, why


def _why_not(rule: Rule, subject: Subject | None, call: Call, world: World) -> str:
    about_path = isinstance(subject, PathSubject) and rule.tool == _allowing_tool(subject)
    if not about_path and not rule.names_tool(call.names):
        return ""
    if rule.problem:
        return f"it cannot work: {rule.problem}"
    covers = allows(rule, subject, call) or (
        isinstance(subject, PathSubject)
        and any(path_allowed(rule, subject, spelling, world) for spelling in world.spellings(subject.path))
    )
    if covers and not is_trusted(rule, world):
        return "the folder that brings it is not trusted"
    if covers:
        return "it covers the link or its target, not both" if about_path else ""
    return _how_it_differs(rule, subject, world)


def _why_it_does_not_restrict(rule: Rule, subject: Subject | None, call: Call, world: World) -> str:
    """Of a path every other pattern differs somehow, so only commands and hosts have rules that are near."""
    if rule.problem or not rule.names_tool(call.names) or restricts(rule, subject, call, world):
        return ""
    return _how_it_differs(rule, subject, world) if isinstance(subject, CommandSubject | DomainSubject) else ""


def _how_it_differs(rule: Rule, subject: Subject | None, world: World) -> str:
    spec = rule.spec or ""
    match subject:
        case CommandSubject():
            return _command_difference(spec, subject)
        case PathSubject(path):
            if rule.path is None:
                return ""
            start = world.anchor_folder(rule.path.anchor, rule.source, rule.path.ups)
            inside = any(_below_anchor(rule, spelling, world) for spelling in world.spellings(path))
            return "the pattern does not match" if inside else f"it covers only paths below {start}"
        case DomainSubject(host):
            bare = spec.partition(":")[2].removeprefix("*.")
            if host == bare:
                return "it covers only subdomains"
            return f"{host} is another host than {bare}" if host.endswith(bare) else ""
        case _:
            return ""


def _command_difference(spec: str, subject: CommandSubject) -> str:
    first = spec.split(maxsplit=1)[:1]
    if not any(text.split(maxsplit=1)[:1] == first for text in subject.spellings):
        return ""
    if any(command_matches(spec, text) for text in subject.allow_spellings):
        if not subject.understood:
            return "what is run is decided only when it runs, so no pattern covers it"
        return "it runs another program, so only a rule for exactly this command covers it"
    if any(command_matches(spec, text) for text in subject.spellings):
        return "it fits only without what stands before the command"
    if "*" not in spec:
        return "it is for exactly that command"
    return "the text after the pattern differs"


def _restricting_tools(subject: PathSubject) -> tuple[str, ...]:
    # Who may not read a file may not edit it either.
    return ("Read",) if subject.access == "read" else ("Edit", "Read")


def _allowing_tool(subject: PathSubject) -> str:
    return "Read" if subject.access == "read" else "Edit"


def _names_parameter(spec: str, call: Call) -> bool:
    parameter = parameter_of(spec)
    if parameter is None or parameter[0] not in call.parameters:
        return False
    return glob_matches(parameter[1], call.parameters[parameter[0]])


def _restricts_own(spec: str, subject: Subject | None, world: World) -> bool:
    match subject:
        case CommandSubject():
            texts = _texts_to_restrict(subject.text, subject.spellings)
            if world.case_insensitive:
                # There `RM` is found under the name of rm.
                spec, texts = spec.casefold(), frozenset(text.casefold() for text in texts)
            return any(command_matches(spec, text, restricts=True) for text in texts)
        case DomainSubject(host):
            return spec.startswith("domain:") and domain_matches(spec.partition(":")[2], host)
        case NamedSubject(name):
            return command_matches(spec.casefold(), name.casefold())
        case _:
            return False


@lru_cache(maxsize=256)
def _texts_to_restrict(text: str, spellings: tuple[str, ...]) -> frozenset[str]:
    """Also with single blanks: every restricting rule looks at the same texts."""
    texts = (text, *spellings)
    return frozenset((*texts, *(" ".join(one.split()) for one in texts)))


def _command_allowed(spec: str, subject: CommandSubject) -> bool:
    exact = "*" not in spec
    if not exact and (not subject.understood or _runs_what_follows(subject.allow_spellings)):
        return False
    return any(command_matches(spec, text) for text in subject.allow_spellings)


def _runs_what_follows(texts: Iterable[str]) -> bool:
    for text in texts:
        word = text.split(maxsplit=1)[0].rpartition("/")[2] if text.split() else ""
        if word in _RUNNERS or (word == "find" and _FIND_ACTIONS.search(text)):
            return True
    return False


def _below_anchor(rule: Rule, spelling: str, world: World) -> list[str]:
    """The spelling relative to the rule's anchor, as written and as it really is; empty where it lies elsewhere."""
    if rule.path is None:
        return []
    anchor = world.anchor_folder(rule.path.anchor, rule.source, rule.path.ups)
    found = (world.below(spelling, folder) for folder in world.spellings(anchor))
    return [relative for relative in found if relative is not None]


def _path_matches(rule: Rule, relative: str, world: World) -> bool:
    if rule.path is None:
        return False
    return rule.path.matches(relative, restricts=rule.restricts, fold=world.case_insensitive)
