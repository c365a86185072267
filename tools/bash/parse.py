"""From a shell line to its simple commands, by way of tree-sitter's syntax tree.

Every command in pipes, lists, groups, loops, functions, substitutions and heredocs is found. What the tree does not
make certain (an error, an unknown kind of node, words that touch where they should not) is a problem of the whole
script: its commands are then listed as far as they are seen, and nothing in it counts as understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tools.bash import shape, tree
from tools.bash.hidden import hidden_in
from tools.bash.script import (
    START,
    Assignment,
    Folders,
    Redirect,
    Script,
    SimpleCommand,
    after,
    either,
    is_own_name,
    problem_of,
)
from tools.bash.words import Word, is_plain, names, read_word

if TYPE_CHECKING:
    from tree_sitter import Node

DEEPEST = 60

_SIMPLE = names("command declaration_command unset_command test_command variable_assignment variable_assignments")
# Statements that are only a sequence of others, with these signs between them.
_SEQUENCES = names(
    "program compound_statement do_group negated_command if_statement elif_clause else_clause while_statement "
    "for_statement case_statement case_item"
)
_LOOPS = frozenset(("for_statement", "while_statement"))
_SIGNS = names("; & ( ) { } ! $( ` <( >( if then elif else fi while until do done for in case esac") | {"\n"}
_PLAIN_WORDS = frozenset(("word", "command_name", "number"))
_CASE_SIGNS = frozenset((";;", ";&", ";;&", "|"))
_IGNORED = frozenset(("comment", "heredoc_start", "heredoc_end", "file_descriptor"))


@lru_cache(maxsize=256)
def parse(command: str) -> Script:
    reading = _Reading()
    for problem in hidden_in(command):
        reading.problem(problem)
    root = tree.syntax_tree(command)
    if root is None:
        reading.gap("it is made of more parts than anybody could check")
    else:
        reading.whole(root, command)
    values = {name: tuple(known) if known is not None else None for name, known in reading.values.items()}
    return Script(
        command, tuple(reading.commands), tuple(reading.redirects), tuple(reading.problems), values, reading.gaps
    )


class _Around(NamedTuple):
    """What stands around a statement."""

    depth: int = 0
    in_condition: bool = False


@dataclass(slots=True)
class _Parts:
    """The parts of a simple command as they are collected."""

    words: list[Word] = field(default_factory=list[Word])
    assignments: list[Assignment] = field(default_factory=list[Assignment])
    redirects: list[Redirect] = field(default_factory=list[Redirect])
    fed: list[Word] = field(default_factory=list[Word])


@dataclass(slots=True)
class _Reading:
    commands: list[SimpleCommand] = field(default_factory=list[SimpleCommand])
    redirects: list[tuple[Redirect, Folders]] = field(default_factory=list[tuple[Redirect, Folders]])
    problems: list[str] = field(default_factory=list[str])
    variables: frozenset[str] = frozenset()
    values: dict[str, list[Word] | None] = field(default_factory=dict[str, "list[Word] | None"])
    gaps: bool = False

    def problem(self, why: str) -> None:
        if why not in self.problems:
            self.problems.append(why)

    def gap(self, why: str) -> None:
        """A problem because of which commands or redirections may have been missed."""
        self.gaps = True
        self.problem(why)

    def whole(self, root: Node, command: str) -> None:
        if root.has_error:
            self.gap("it does not parse as a shell command")
        if tree.comments_in_words(root):
            self.gap("what looks like a comment in it is none")
        if shape.is_refused(root):
            self.problem("it is no line that bash takes")
        if tree.words_in_signs(root):
            self.gap("a word in it touches a sign where they should not")
        if tree.takes_descriptor_for_word(root, command):
            self.gap("a word in it says to the shell what is redirected")
        if tree.leaves_words_out(root, command):
            self.gap("a blank in it is a word to the shell")
        try:
            self.statement(root, START, _Around())
        except RecursionError:
            self.gap("it is nested too deeply")
        if not self.commands:
            self.problem("it holds no command")

    # -- statements: each returns the folders the shell may stand in after it, if it succeeds

    def statement(self, node: Node, folders: Folders, around: _Around) -> Folders:
        if around.depth > DEEPEST:
            self.gap("it is nested too deeply")
            return None
        around = around._replace(depth=around.depth + 1)
        kind = node.type
        if kind == "redirected_statement":
            self._of_one_line(node)
        if kind in _SIMPLE:
            return self._simple(node, (), folders, around)
        if kind in tree.WORDS:
            self._feed([self.word(node, folders, around)], folders)
        elif kind == "file_redirect":
            self._simple(None, (node,), folders, around)
        elif kind not in _IGNORED:
            return self._compound(node, folders, around)
        return folders

    def _compound(self, node: Node, folders: Folders, around: _Around) -> Folders:
        match node.type:
            case "redirected_statement":
                return self._redirected(node, folders, around)
            case "list":
                return self._list(node, folders, around)
            case "pipeline":
                self._pipeline(node, folders, around)
            case "subshell":
                if tree.text_of(node).startswith("(("):
                    # Tried as a number first: a heredoc in it is then run as commands.
                    self.gap("`((` in it may begin a number")
                self._sequence(node, folders, around)
            case kind if kind in _SEQUENCES:
                return self._grouped(node, folders, around)
            case _:
                self._not_understood(node, around)
        return folders

    def _sequence(self, node: Node, folders: Folders, around: _Around) -> Folders:
        """One after the other: a `cd` among them may fail, and the next one still runs."""
        for child in node.children:
            if child.is_named:
                folders = either(folders, self.statement(child, folders, around))
            elif child.type not in _SIGNS and not (node.type == "case_item" and child.type in _CASE_SIGNS):
                self._odd(child)
        return folders

    def _grouped(self, node: Node, folders: Folders, around: _Around) -> Folders:
        if node.type == "compound_statement" and node.children[0].type == "((":
            self._not_understood(node, around)
            return folders
        if node.type == "for_statement":
            self._loop_variable(node, folders)
        if node.type == "do_group":
            around = around._replace(in_condition=False)
        elif node.type == "while_statement":
            around = around._replace(in_condition=True)
        if node.type not in _LOOPS:
            return self._sequence(node, folders, around)
        before = len(self.commands), len(self.redirects)
        end = self._sequence(node, folders, around)
        if end != folders:
            # It goes somewhere, and the next round begins there.
            del self.commands[before[0] :], self.redirects[before[1] :]
            end = self._sequence(node, None, around)
        return end

    def _loop_variable(self, loop: Node, folders: Folders) -> None:
        node = loop.child_by_field_name("variable")
        name = tree.text_of(node) if node else ""
        if any(
            one.type == "in" and other.is_named and one.end_byte == other.start_byte
            for one, other in pairwise(loop.children)
        ):
            self.gap("words touch where they should not")
        self._set(name, [read_word(tree.text_of(one)) for one in loop.children_by_field_name("value")])
        if not is_own_name(name):
            # It may be one that other commands obey, such as PATH.
            assignment = Assignment(name, Word("", "", expands=True), f"{name}=")
            self.commands.append(SimpleCommand((), (assignment,), folders=folders))

    def _set(self, name: str, values: list[Word] | None) -> None:
        self.variables |= {name}
        before = self.values.get(name, [])
        self.values[name] = None if before is None or values is None else [*before, *values]

    def _feed(self, words: list[Word], folders: Folders) -> None:
        """Variables that the shell expands outside of any command count as a command of their own."""
        expanding = tuple(word for word in words if word.variables or word.opaque)
        if expanding:
            self.commands.append(SimpleCommand((), folders=folders, variables=self.variables, fed=expanding))

    def _list(self, node: Node, folders: Folders, around: _Around) -> Folders:
        before, operator = folders, ""
        for child in node.children:
            if not child.is_named:
                operator = child.type
                if operator not in ("&&", "||"):
                    self._odd(child)
            elif operator == "||":
                folders = either(folders, self.statement(child, either(before, folders), around))
            else:
                folders = self.statement(child, folders, around)
        return folders

    def _pipeline(self, node: Node, folders: Folders, around: _Around) -> None:
        """Each part runs in a shell of its own: where it goes does not last."""
        for child in node.children:
            if child.is_named:
                self.statement(child, folders, around)
            elif child.type not in ("|", "|&"):
                self._odd(child)

    def _redirected(self, node: Node, folders: Folders, around: _Around) -> Folders:
        body = node.child_by_field_name("body")
        redirects = tuple(child for child in node.children if child != body)
        if body is None or body.type in _SIMPLE:
            return self._simple(body, redirects, folders, around)
        after = self.statement(body, folders, around)
        seen_from = either(folders, after)
        parts = _Parts()
        for child in redirects:
            self._redirect(child, parts, seen_from, around)
        self.redirects += [(redirect, seen_from) for redirect in parts.redirects]
        self._feed(parts.fed, seen_from)
        if parts.words:
            self.problem("words stand after a redirection where it is not understood")
        return after

    def _not_understood(self, node: Node, around: _Around) -> None:
        """A function's body is read too, for the rules that forbid; but a name in the line may now mean anything."""
        self.problem(f"it holds something that is not understood ({node.type.replace('_', ' ')})")
        for child in node.children:
            if child.is_named:
                self.statement(child, None, around)

    def _odd(self, sign: Node) -> None:
        self.problem(f"`{sign.type}` stands where it is not understood")

    # -- one simple command

    def _simple(self, node: Node | None, redirects: tuple[Node, ...], folders: Folders, around: _Around) -> Folders:
        parts = _Parts()
        for part in tree.parts_of(node) if node else ():
            if part.type == "variable_assignment" and not parts.words:
                parts.assignments.append(self._assignment(part, folders, around))
            elif part.type.endswith("_redirect"):
                self._redirect(part, parts, folders, around)
            elif part.type == "subshell":
                self._not_understood(part, around)
            else:
                parts.words.append(self.word(part, folders, around))
        if parts.words and parts.words[0].raw in tree.RESERVED - {"time"}:
            # `! { rm x; }`: the tree has cut the line elsewhere than the shell will.
            self.gap("a word of the shell stands where a command should")
        if node:
            self._of_one_line(node)
        if node and tree.ends_within(node):
            self.gap("a test in it ends before its bracket")
        for redirect in redirects:
            self._redirect(redirect, parts, folders, around)
        command = SimpleCommand(
            tuple(parts.words),
            tuple(parts.assignments),
            tuple(parts.redirects),
            folders,
            self.variables,
            tuple(parts.fed),
            around.in_condition,
        )
        self.commands.append(command._replace(problem=problem_of(command)))
        self._remember_variables(command)
        return after(command.words, folders)

    def _of_one_line(self, part: Node) -> None:
        if tree.spans_lines(part):
            self.gap("a command in it goes on over the end of a line")
        if tree.has_glued_words(part):
            self.gap("words touch where they should not")

    def _remember_variables(self, command: SimpleCommand) -> None:
        if command.name == "read":
            for word in command.words[1:]:
                self._set(word.text, None)
        elif not command.words:
            for one in command.assignments:
                added = one.raw.startswith(f"{one.name}+")
                self._set(one.name, None if added else [one.value])

    def _assignment(self, node: Node, folders: Folders, around: _Around) -> Assignment:
        whole = self.word(node, folders, around)
        name, _, raw = whole.raw.partition("=")
        value = read_word(raw)
        return Assignment(name.removesuffix("+"), whole._replace(raw=raw, text=value.text, home=value.home), whole.raw)

    def _redirect(self, node: Node, parts: _Parts, folders: Folders, around: _Around) -> None:
        self._of_one_line(node)
        if node.type == "file_redirect":
            operator = next((child.type for child in node.children if not child.is_named), "")
            targets = [self.word(one, folders, around) for one in node.children_by_field_name("destination")]
            parts.redirects.append(Redirect(operator, targets[0] if targets else None))
            # The grammar takes what follows a target for more targets; to the shell they are arguments.
            parts.words += targets[1:]
        elif node.type == "herestring_redirect":
            parts.redirects.append(Redirect("<<<"))
            for child in node.children:
                if child.is_named:
                    parts.fed.append(self.word(child, folders, around))
        elif node.type == "heredoc_redirect":
            self._heredoc(node, parts, folders, around)
        else:
            self._not_understood(node, around)

    def _heredoc(self, node: Node, parts: _Parts, folders: Folders, around: _Around) -> None:
        """Its body, and what stands after it on its first line: more redirections, a pipe, the next command."""
        parts.redirects.append(Redirect("<<"))
        if not tree.heredoc_is_clear(node):
            self.gap("where a text in it ends is not certain")
        delimiter = "".join(tree.text_of(child) for child in node.children if child.type == "heredoc_start")
        for index, child in enumerate(node.children):
            if child.type == "heredoc_body":
                if not set(delimiter) & set("'\"\\"):
                    parts.fed.append(self._expanding(child, Word(tree.text_of(child), ""), folders, around))
            elif child.type == "pipeline":
                self._pipeline(child, folders, around)
            elif child.type.endswith("_redirect"):
                self._redirect(child, parts, folders, around)
            elif node.field_name_for_child(index) == "argument":
                parts.words.append(self.word(child, folders, around))
            elif child.is_named:
                self.statement(child, after(tuple(parts.words), folders), around)

    # -- words

    def word(self, node: Node, folders: Folders, around: _Around) -> Word:
        word = read_word(tree.text_of(node))
        if node.type in _PLAIN_WORDS and is_plain(word.raw):
            return word
        read = self._expanding(node, word, folders, around)
        if word.expands and not tree.holds_expansion(node) and node.type != "ansi_c_string":
            self.gap("an expansion in it is not understood")
        if tree.ends_elsewhere(node):
            self.gap("a word in it ends elsewhere to the shell")
        if tree.hides_command(node):
            self.gap("what looks like a pattern in it may hold commands")
        stream = node.type == "process_substitution" and not read.opaque
        return read._replace(quoted=node.type == "string", stream=stream)

    def _expanding(self, node: Node, word: Word, folders: Folders, around: _Around) -> Word:
        """The word with what is known of its expansions."""
        found = self._expand(node, folders, around)
        variables = tuple(name for one in found if (name := tree.variable_read(one)))
        return word._replace(
            expands=word.expands or bool(found), variables=variables, opaque=any(map(tree.is_opaque, found))
        )

    def _expand(self, node: Node, folders: Folders, around: _Around) -> list[Node]:
        """The expansions in a word or a heredoc, with the commands in them read as well."""
        found = list(tree.expansions_in(node))
        if tree.overlooks_expansion(node, found):
            self.gap("an expansion in it is not understood")
        around = around._replace(depth=around.depth + 1)
        if around.depth > DEEPEST:
            self.gap("it is nested too deeply")
            return found
        for one in found:
            if one.type not in tree.SUBSTITUTIONS:
                for child in one.named_children:
                    self._expand(child, folders, around)
                continue
            if tree.may_be_arithmetic(one):
                self.gap("an expansion in it is not understood")
            if one.children[0].type == "`" and re.search(r"[\\`]", tree.written(one)[1:-1]):
                self.gap("backquotes stand in one another")
            self._sequence(one, folders, around)
        return found
