"""Lines that the tree takes and bash refuses: a body with nothing in it, a case or a test of another shape.

Bash runs nothing of such a line. But what it was meant to do nobody knows, so nothing in it counts as understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from tools.bash.tree import holds_expansion, leaves_of, text_of
from tools.bash.words import names

if TYPE_CHECKING:
    from tree_sitter import Node

_TERMINATORS = frozenset((";", "&", "\n", ";;"))
_SHAPES = {
    "if_statement": re.compile(r"if( S)+ then( S)+( elif_clause)*( else_clause)? fi"),
    "elif_clause": re.compile(r"elif( S)+ then( S)+"),
    "else_clause": re.compile(r"else( S)+"),
    "do_group": re.compile(r"do( S)+ done"),
    "while_statement": re.compile(r"(while|until)( S)+ do_group"),
    "compound_statement": re.compile(r"\{( S)+ \}|\(\(.*"),
    "subshell": re.compile(r"\(( S)+ \)"),
    "case_statement": re.compile(r"case S in( case_item)* esac"),
}
_CLAUSES = frozenset(("elif_clause", "else_clause", "do_group", "case_item"))
_ITEM_ENDS = frozenset((";;", ";&", ";;&"))
_QUOTED = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_VARIABLE = re.compile(r"\$\{[^{}]*\}|\$\w+")
_DIGITS = re.compile(rb"[0-9]+")
_COMPARE = names("= == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef")
_UNARY = re.compile(r"-[abcdefghknoprstuvwxzGLNORS]")
_LINE_MAY_END_AFTER = names("[[ && || (")
_LINE_MAY_END_BEFORE = names("]] && || )")


def is_refused(root: Node) -> bool:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        check = _CHECKS.get(node.type)
        if check is not None and check(node):
            return True
        waiting += node.children
    return False


def _has_another_shape(node: Node) -> bool:
    return not _SHAPES[node.type].fullmatch(" ".join(_kinds(node)))


def _kinds(node: Node) -> Iterator[str]:
    for child in node.children:
        if not child.is_named:
            if child.type not in _TERMINATORS:
                yield child.type
        elif child.type != "comment":
            yield child.type if child.type in _CLAUSES else "S"


def _is_no_loop(loop: Node) -> bool:
    """Its name, and what is behind its `in`, stand on the same line, and no `&` ends them."""
    source, start = loop.text or b"", loop.start_byte
    ends_line = any(
        one.type in ("for", "in")
        and other.is_named
        and b"\n" in source[one.end_byte - start : other.start_byte - start]
        for one, other in pairwise(loop.children)
    )
    return ends_line or any(child.type == "&" for child in loop.children)


def _is_no_case(case: Node) -> bool:
    source, start = case.text or b"", case.start_byte
    if _has_another_shape(case) or b"\n" in source[4 : case.children[1].start_byte - start]:
        return True
    if any(child.type in (";", "&") for child in case.children):
        return True
    items = [child for child in case.children if child.type == "case_item"]
    return any(map(_has_odd_pattern, items)) or (bool(items) and not _ends_before(items[-1], source[:-4], start))


def _has_odd_pattern(item: Node) -> bool:
    """Without a setting that nobody has set, a pattern holds no brackets."""
    end = next(at for at, child in enumerate(item.children) if child.type == ")")
    if b"\n" in (item.text or b"")[: item.children[end].start_byte - item.start_byte]:
        return True
    patterns = [child for child in item.children[:end] if child.is_named]
    plain = (_QUOTED.sub("", text_of(one)) for one in patterns if not holds_expansion(one))
    return any(re.search(r"[\s()|;&<>'\"]|\\$", one) for one in plain)


def _ends_before(item: Node, source: bytes, start: int) -> bool:
    """Whether the last command of the last item is over before the `esac`, which would be a word of it."""
    last = next(child for child in reversed(item.children) if child.type not in {"comment", "\n"})
    if last.type in _ITEM_ENDS or last.type in _TERMINATORS or last.type == ")":
        return True
    return bool(re.search(rb"[;&\n]", source[last.end_byte - start :]))


def _negates_within(pipeline: Node) -> bool:
    return any(child.type == "negated_command" for child in pipeline.children[1:])


def _goes_on_after(redirected: Node) -> bool:
    """Only a command has words behind a redirection; and a number before it must not belong to what is there."""
    redirects = [child for child in redirected.children if child.type == "file_redirect"]
    for one in redirects:
        if (
            one.prev_sibling is not None
            and one.prev_sibling.end_byte == one.start_byte
            and (one.text or b"")[:1].isdigit()
        ):
            return True
    if redirected.children[0].type == "command":
        return False
    return any(len(one.children_by_field_name("destination")) > 1 for one in redirects)


def _target_is_descriptor(redirect: Node) -> bool:
    """`< 2>&1`: the number belongs to the sign behind it."""
    last, above = redirect.children[-1], redirect
    while above.next_sibling is None and above.parent is not None:
        above = above.parent
    after = above.next_sibling
    return bool(
        _DIGITS.fullmatch(last.text or b"")
        and after is not None
        and after.start_byte == last.end_byte
        and (after.text or b"")[:1] in (b"<", b">")
    )


def _begins_late(redirect: Node) -> bool:
    """A heredoc begins on the next line, also where the tree sees the command go on there."""
    parts = {child.type: child for child in redirect.children}
    begin, body, start = parts.get("heredoc_start"), parts.get("heredoc_body"), redirect.start_byte
    if begin is None or body is None:
        return False
    between = (redirect.text or b"")[begin.end_byte - start : body.start_byte - start]
    return b"\n" in between.replace(b"\\\n", b"").rstrip()


# -- tests


def _is_no_test(test: Node) -> bool:
    leaves = [leaf for leaf in leaves_of(test) if leaf.type != "comment"]
    if leaves[0].type != "[[":
        return False
    source, start = test.text or b"", test.start_byte
    for one, other in pairwise(leaves):
        ends_line = b"\n" in source[one.end_byte - start : other.start_byte - start]
        if ends_line and one.type not in _LINE_MAY_END_AFTER and other.type not in _LINE_MAY_END_BEFORE:
            return True
    signed = (one for one, other in pairwise(leaves) if one.type == "-" and one.end_byte == other.start_byte)
    numbers = {one.start_byte for one in signed}
    return not _Test([leaf for leaf in leaves[1:-1] if leaf.start_byte not in numbers]).holds()


class _Test:
    """What stands between `[[` and `]]`, read as the shell reads it."""

    def __init__(self, leaves: list[Node]) -> None:
        self._leaves = leaves
        self._at = 0

    def holds(self) -> bool:
        return self._joined() and self._at == len(self._leaves)

    def _joined(self) -> bool:
        while self._term():
            if self._sign() not in ("&&", "||"):
                return True
            self._at += 1
        return False

    def _term(self) -> bool:
        while self._sign() == "!":
            self._at += 1
        if self._sign() == "(":
            self._at += 1
            return self._joined() and self._takes(")")
        if self._is_unary():
            self._at += 1
            return self._takes_word()
        if not self._takes_word():
            return False
        if self._sign() not in _COMPARE:
            return True
        sign = self._sign()
        self._at += 1
        return self._at < len(self._leaves) and _is_pattern(self._leaves[self._at], sign) and self._takes_any_word()

    def _sign(self) -> str:
        if self._at >= len(self._leaves):
            return ""
        leaf = self._leaves[self._at]
        return text_of(leaf) if leaf.type == "test_operator" or not leaf.is_named else ""

    def _is_unary(self) -> bool:
        leaf = self._leaves[self._at] if self._at < len(self._leaves) else None
        return leaf is not None and leaf.is_named and bool(_UNARY.fullmatch(text_of(leaf)))

    def _takes(self, sign: str) -> bool:
        found = self._sign() == sign
        self._at += found
        return found

    def _takes_word(self) -> bool:
        return not self._sign() and self._takes_any_word()

    def _takes_any_word(self) -> bool:
        leaf = self._leaves[self._at] if self._at < len(self._leaves) else None
        found = leaf is not None and leaf.is_named and leaf.end_byte > leaf.start_byte
        self._at += found
        return found


def _is_pattern(word: Node, sign: str) -> bool:
    """Brackets belong together; those of a glob have a sign before them."""
    plain = _VARIABLE.sub("_", _QUOTED.sub("_", text_of(word)))
    if holds_expansion(word) and ("$" in plain or "`" in plain):
        return True
    if re.search(r"['\"]|^#|\\$", plain):
        return False
    while (less := re.sub(r"[@?*+!]?\([^()]*\)" if sign == "=~" else r"[@?*+!]\([^()]*\)", "_", plain)) != plain:
        plain = less
    return not re.search(r"[\s();&<>]" if sign == "=~" else r"[\s()|;&<>]", plain)


_CHECKS: dict[str, Callable[[Node], bool]] = {
    **dict.fromkeys(_SHAPES, _has_another_shape),
    "for_statement": _is_no_loop,
    "case_statement": _is_no_case,
    "heredoc_redirect": _begins_late,
    "pipeline": _negates_within,
    "redirected_statement": _goes_on_after,
    "file_redirect": _target_is_descriptor,
    "herestring_redirect": _target_is_descriptor,
    "test_command": _is_no_test,
}
