"""Rules as data: `Tool` and `Tool(spec)`, each knowing where it is written.

A rule that cannot work is never dropped in silence. It becomes a problem sentence with file and line; and where it
was meant to restrict but cannot be read, every call of its tool asks until it is mended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from tools.permissions.names import COMMAND_TOOLS, KNOWN_TOOLS, MATCHED_FIELDS, PATH_RULE_INSTEAD, PATH_TOOLS, canonical
from tools.permissions.patterns import PathPattern, glob_matches, parse_path
from tools.permissions.segments import BadPattern

Kind = Literal["allow", "ask", "deny"]
Scope = Literal["user", "project", "local", "flag", "session"]
# Scopes that lie in the folder itself, so that a stranger's repository may bring them.
FROM_THE_FOLDER: frozenset[Scope] = frozenset({"project", "local"})


class Source(NamedTuple):
    """Where rules come from. `root` is the folder that a pattern's leading `/` stands for."""

    scope: Scope
    root: str
    file: str = ""


class Rule(NamedTuple):
    text: str
    kind: Kind
    source: Source
    line: int = 0
    tool: str = ""
    # None: every use of the tool.
    spec: str | None = None
    path: PathPattern | None = None
    # Why it cannot work; such a rule allows nothing, and asks where it was to ask or deny.
    problem: str = ""

    @property
    def where(self) -> str:
        if not self.source.file:
            return f"{self.source.scope} rules"
        return f"{self.source.file}:{self.line}" if self.line else self.source.file

    @property
    def restricts(self) -> bool:
        return self.kind != "allow"

    @property
    def fails_closed(self) -> bool:
        """It was to restrict and cannot. A `!` pattern only wanted to take a restriction back: without it all holds."""
        return bool(self.problem) and self.restricts and not (self.spec or "").startswith("!")

    def names_tool(self, names: Sequence[str]) -> bool:
        """Whether the rule's tool is one of these names of a tool."""
        return self.tool in names or any(self._names(name) for name in names)

    def _names(self, name: str) -> bool:
        if "*" in self.tool:
            return glob_matches(self.tool, name)
        whole_server = _is_server(self.tool) and name.startswith(f"{self.tool}__")
        return whole_server or self.tool in (name, canonical(name))


class RuleSet(NamedTuple):
    rules: tuple[Rule, ...] = ()

    def of(self, kind: Kind) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.kind == kind)

    def plus(self, *more: Rule) -> RuleSet:
        return RuleSet((*self.rules, *more))

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(_sentence(rule) for rule in self.rules if rule.problem)

    def removes(self, names: Sequence[str]) -> Rule | None:
        """The deny rule that takes a tool away from the model altogether, if there is one."""
        whole = (rule for rule in self.of("deny") if rule.spec is None and not rule.problem)
        return next((rule for rule in whole if rule.names_tool(names)), None)


def parse_rule(text: str, kind: Kind, source: Source, line: int = 0) -> Rule:
    """The rule as written. What is wrong with it, if anything, stands in `problem`."""
    text = text.strip()
    rule = Rule(text, kind, source, line)
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        named = _NAME.match(text)
        return rule._replace(tool=canonical(named[0]) if named else "", problem=_shape_problem(text))
    rule = rule._replace(tool=canonical(shape["tool"]))
    spec = shape["spec"]
    if spec is None or spec.strip() == "*":
        return rule._replace(problem=_tool_problem(rule))
    rule = rule._replace(spec=spec.strip() if rule.tool not in COMMAND_TOOLS else spec)
    problem = _tool_problem(rule) or _spec_problem(rule, spec)
    if problem or rule.tool not in PATH_TOOLS:
        return rule._replace(problem=problem)
    try:
        return rule._replace(path=parse_path(spec))
    except BadPattern as bad:
        return rule._replace(problem=str(bad))


def parse_rules(lists: Iterable[tuple[Kind, Iterable[str]]], source: Source) -> RuleSet:
    """Rules without a place in a file: from flags, a session, a script."""
    return RuleSet(tuple(parse_rule(text, kind, source) for kind, texts in lists for text in texts))


def parameter_of(spec: str) -> tuple[str, str] | None:
    """`name:value` of a rule that matches an input field, if the spec has that shape."""
    shape = _PARAMETER.fullmatch(spec)
    return (shape["name"], shape["value"]) if shape else None


_NAME = re.compile(r"[A-Za-z_*][\w*.-]*")
_SHAPE = re.compile(rf"(?P<tool>{_NAME.pattern})(?:\((?P<spec>.*)\))?", re.DOTALL)
_DOMAIN = re.compile(r"\s*domain:\s*(\[[0-9a-fA-F:.]+\]|[^\s/:]+)\s*")
_PARAMETER = re.compile(r"\s*(?P<name>[a-z_][a-z0-9_]*)\s*:\s*(?P<value>.*?)\s*", re.DOTALL)


def _is_server(tool: str) -> bool:
    return tool.startswith("mcp__") and "__" not in tool[5:]


def _shape_problem(text: str) -> str:
    if not text:
        return "it is empty"
    if "(" in text and not text.endswith(")"):
        return "the parenthesis is not closed at the end"
    return "it has not the form Tool or Tool(pattern)"


def _tool_problem(rule: Rule) -> str:
    tool = rule.tool
    if "*" in tool:
        server, _, own_name = tool.removeprefix("mcp__").partition("__")
        anchored = tool.startswith("mcp__") and server and "*" not in server and own_name
        return "" if rule.restricts or anchored else "an allow rule may have `*` only after `mcp__server__`"
    if tool in KNOWN_TOOLS or tool.startswith("mcp__"):
        return ""
    return f"there is no tool named {tool}"


def _spec_problem(rule: Rule, spec: str) -> str:
    if not spec.strip():
        return f"the parentheses are empty, write `{rule.tool}` for every use"
    parameter = parameter_of(spec) if rule.restricts else None
    if rule.tool == "WebFetch" and (not parameter or parameter[0] == "domain"):
        return "" if _DOMAIN.fullmatch(spec) else "write `WebFetch(domain:example.com)`"
    if parameter and parameter[0] == MATCHED_FIELDS.get(rule.tool):
        return f"`{parameter[0]}` is not matched by name, write `{rule.tool}({_own_form(rule.tool)})`"
    if parameter:
        return ""
    if rule.tool in PATH_RULE_INSTEAD:
        instead = PATH_RULE_INSTEAD[rule.tool]
        return f"path rules for {rule.tool} are not consulted, write `{instead}({spec})`, which covers it"
    if rule.tool in COMMAND_TOOLS and not spec.removesuffix("*").rstrip(" :*"):
        return f"it has no command, write `{rule.tool}` for every use"
    if rule.tool.startswith("mcp__"):
        return "a server's tool takes no pattern in an allow rule"
    return ""


def _own_form(tool: str) -> str:
    return {"command": "the command *", "url": "domain:host"}.get(MATCHED_FIELDS[tool], "path/**")


def _sentence(rule: Rule) -> str:
    consequence = ""
    if rule.fails_closed and (rule.tool in KNOWN_TOOLS or rule.tool.startswith("mcp__")):
        consequence = f" Until it is mended every {rule.tool} call asks."
    return f"{rule.where}: the {rule.kind} rule `{rule.text}` cannot work: {rule.problem}.{consequence}"
