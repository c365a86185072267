"""Small questions to tree-sitter's nodes: which words, expansions and signs they hold."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from tools.bash.words import names

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

SUBSTITUTIONS = frozenset(("command_substitution", "process_substitution"))
EXPANSIONS = SUBSTITUTIONS | frozenset(("simple_expansion", "expansion", "arithmetic_expansion"))
WORDS = EXPANSIONS | names(
    "word string raw_string ansi_c_string concatenation number variable_name extglob_pattern brace_expression regex "
    "special_variable_name translated_string array variable_assignment test_operator command_name"
)
RESERVED = names("{ } ! if then elif else fi while until do done for case esac in function select coproc time")
LITERALS = frozenset(("raw_string", "ansi_c_string"))
_PLAIN_VARIABLE = re.compile(r"\$([A-Za-z_0-9@*#?$!-]+)|\$\{([A-Za-z_][A-Za-z_0-9]*)\}")
# Its length, a part of it, or another text in its place: with nothing in it that expands once more.
_SHAPED_VARIABLE = re.compile(
    r"\$\{(?:#(?P<length>\w+)|(?P<name>[A-Za-z_]\w*)"
    r"(?:(?::?[-+]|##?|%%?|//?[#%]?)[^$`\\\"'<>(){}\n]*|\^\^?|,,?|:[0-9]+(?::[0-9]+)?))\}"
)
_PLAIN_ARITHMETIC = re.compile(r"\$\(\([-+*/%0-9<>&|^~!=?:() \t]*\)\)")
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_SIGNS_OF_TEST = frozenset(("[", "]", "!", "=", "==", "!=", "=~"))
# A delimiter of a heredoc, plain or quoted as a whole: about others the tree errs.
_DELIMITER = re.compile(r"\\?([\w.-]+)|'([\w. -]+)'|\"([\w. -]+)\"", re.ASCII)
_ENDS_DELIMITER = re.compile(rb"[ \t\n;&|<>)]")
# What may stand before a comment. After anything else `#` is a letter of a word.
_BEFORE_COMMENT = b" \t\n;&|()"
# As many as a script of many pages has.
MOST_NODES = 2_000
MOST_SIGNS = 400
# Of a longer line this much is read first, then so much more: of what takes several times as long as any harmless line
# the end is not waited for.
STEP_BYTES = 2_000
_SECONDS_PER_BYTE = 1.5e-6
_SECONDS_BESIDES = 0.001
_SIGN = re.compile(r"&&|\|\||;;|[()|&;<>{}\[`]")
_HEREDOC_START = re.compile(r"<<-?[ \t]*[\\'\"]?([\w.-]+)", re.ASCII)
# What would run or expand, had the tree not overlooked it.
_OVERLOOKED = re.compile(rb"`|\$[({\[]")
# Behind a letter or a quote the digits of a descriptor belong to the word, and so does a `{`.
_BETWEEN_WORDS = b" \t\n;&|()<>`"
# A word of digits or in braces right before a redirection says which descriptor; one that is too long for this may.
_ENDS_IN_DESCRIPTOR = re.compile(rb"(?:^[^ \t\n;&|()<>`]*[0-9}]|[ \t\n;&|()<>`](?:[0-9]+|\{[^ \t\n;&|()<>`]*\}))\Z")
_LONG_WORD = 200
_DESCRIPTOR = re.compile(rb"[0-9]+")
# What stands between two words of one command, and between two commands.
_BLANKS = re.compile(rb"(?:[ \t]|\\\n)*")
_BETWEEN_PARTS = re.compile(rb"(?:[ \t\n]|\\\n)*")
# A test as the shell knows it: its brackets are words.
_TEST = re.compile(rb"\[\[[ \t\n].*(?<!\\)[ \t\n]\]\]|\[[ \t].*(?<!\\)[ \t]\]", re.DOTALL)
# To the shell they end a word, unless a backslash stands before them.
_ENDS_WORD = re.compile(rb"[;&<>\n]")
_PATTERNS = frozenset(("regex", "extglob_pattern"))
# The pieces of a word as the shell reads them, from their first sign to their last.
_PIECES = {
    "word": re.compile(rb"(?:[^\\\s;&|<>()'\"`]|\\.)*", re.DOTALL),
    "raw_string": re.compile(rb"'[^']*'"),
    "ansi_c_string": re.compile(rb"\$'(?:[^'\\]|\\.)*'", re.DOTALL),
    "string_content": re.compile(rb'(?:[^"\\]|\\.)*', re.DOTALL),
    "regex": re.compile(rb"""(?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*""", re.DOTALL),
}


def syntax_tree(command: str) -> Node | None:
    """None for a line of more or worse parts than anybody could check: what it takes to read one is bounded."""
    if "\0" in command or _signs_of_the_shell(command) > MOST_SIGNS:
        return None
    source = command.encode(errors="replace")
    if not _reads_fast(source):
        return None
    root = _parser().parse(source).root_node
    # A long line that does not parse is not looked into; cut in pieces it is.
    too_much = root.descendant_count > MOST_NODES or (root.has_error and len(source) > STEP_BYTES)
    return None if too_much else root


def _reads_fast(source: bytes) -> bool:
    """Once lost, the grammar takes the longer for each sign the more there are; and it cannot be stopped."""
    for end in range(STEP_BYTES, len(source), STEP_BYTES):
        began = time.thread_time()
        _parser().parse(source[:end])
        if time.thread_time() - began > end * _SECONDS_PER_BYTE + _SECONDS_BESIDES:
            return False
    return True


def _signs_of_the_shell(command: str) -> int:
    """Outside of heredocs, where they are text. Each that stands wrong costs the grammar a tenth of a millisecond."""
    if len(_SIGN.findall(command)) <= MOST_SIGNS:
        return 0
    count, waiting = 0, list[str]()
    for line in command.split("\n"):
        if waiting:
            if line.lstrip("\t") == waiting[0]:
                waiting.pop(0)
            continue
        count += len(_SIGN.findall(line))
        waiting += _HEREDOC_START.findall(line)
    return count


@lru_cache(maxsize=1)
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def text_of(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def parts_of(node: Node) -> Iterator[Node]:
    """The words, assignments and redirections of a simple command, in order."""
    if node.type == "variable_assignment":
        yield node
    elif node.type != "test_command":
        yield from node.children
    else:
        yield from leaves_of(node)


def ends_within(test: Node) -> bool:
    """Whether it ends elsewhere for the shell: `[[-f a > b ]]` is none, and in `[ ... ]` a `>` redirects."""
    if test.type != "test_command":
        return False
    if not _TEST.fullmatch(test.text or b""):
        return True
    if test.children[0].type == "[[":
        return False
    signs = (leaf.type for leaf in leaves_of(test) if not leaf.is_named)
    return any(sign not in _SIGNS_OF_TEST for sign in signs)


def expansions_in(node: Node) -> Iterator[Node]:
    """The outermost expansions in a word or a heredoc's body."""
    if node.type in EXPANSIONS:
        yield node
    elif node.type not in LITERALS:
        for child in node.children:
            yield from expansions_in(child)


def holds_expansion(node: Node) -> bool:
    return any(True for _ in expansions_in(node))


def heredoc_is_clear(redirect: Node) -> bool:
    """Whether it ends where the shell ends it: at a line that is the delimiter and nothing else."""
    parts = {child.type: child for child in redirect.children}
    start, end = parts.get("heredoc_start"), parts.get("heredoc_end")
    delimiter = _DELIMITER.fullmatch(text_of(start)) if start else None
    if delimiter is None or end is None or text_of(end) not in delimiter.groups():
        return False
    if start and not _ENDS_DELIMITER.match(redirect.text or b"", start.end_byte - redirect.start_byte):
        return False
    body = parts.get("heredoc_body")
    lines = [*(text_of(body).split("\n") if body else ()), _line_of(end)]
    ends = [line.lstrip("\t") if "<<-" in parts else line for line in lines]
    return ends.count(text_of(end)) == 1 and ends[-1] == text_of(end)


def _line_of(node: Node) -> str:
    root = node
    while root.parent is not None:
        root = root.parent
    source = (root.text or b"") + b"\n"
    start, end = node.start_byte - root.start_byte, node.end_byte - root.start_byte
    return source[source.rfind(b"\n", 0, start) + 1 : source.find(b"\n", end)].decode(errors="replace")


def written(expansion: Node) -> str:
    """Its text. Within quotes the tree takes blanks before it for a part of it: `"$x $y"`."""
    return text_of(expansion).lstrip(" \t\n")


def variable_read(expansion: Node) -> str:
    """The name in `$name`, `${name}` or `${name%.py}`; empty for everything that may do more than read a variable."""
    if expansion.type not in ("simple_expansion", "expansion"):
        return ""
    text = written(expansion)
    plain = _PLAIN_VARIABLE.fullmatch(text)
    if plain:
        return plain[1] or plain[2]
    shaped = _SHAPED_VARIABLE.fullmatch(text)
    return shaped["length"] or shaped["name"] if shaped else ""


def is_opaque(expansion: Node) -> bool:
    """Whether it may do more than show something. The commands in a substitution are judged by themselves."""
    match expansion.type:
        case "command_substitution":
            return False
        case "process_substitution":
            return not written(expansion).startswith("<(")
        case "arithmetic_expansion":
            return not _PLAIN_ARITHMETIC.fullmatch(written(expansion))
        case _:
            return not variable_read(expansion)


def comments_in_words(root: Node) -> bool:
    """Whether the tree takes for a comment what is a letter to the shell: `<<'A'#>x`."""
    source = root.text or b""
    if b"#" not in source:
        return False
    before = (node.start_byte - root.start_byte - 1 for node in _all_within(root) if node.type == "comment")
    return any(at >= 0 and source[at] not in _BEFORE_COMMENT for at in before)


def words_in_signs(root: Node) -> bool:
    """Whether what the tree takes for a sign is, or is part of, a word to the shell: `sed -i2>f`, `{ls; }`, `!ls`."""
    source = b"\n" + (root.text or b"") + b"\n"
    for node in _all_within(root):
        begin, end = node.start_byte - root.start_byte, node.end_byte - root.start_byte
        stands_apart = source[begin] in _BETWEEN_WORDS and source[max(begin - 1, 0)] not in b"\\"
        if node.type == "file_descriptor":
            if not stands_apart or not _DESCRIPTOR.fullmatch(node.text or b""):
                return True
        elif not node.is_named and (
            _sign_of(node) != node.type
            or (_is_reserved(node) and not (stands_apart and source[end + 1] in _BETWEEN_WORDS))
        ):
            return True
    return False


def _sign_of(node: Node) -> str:
    """What it is written as. Within quotes a sign may have the blanks before it: `"$x $y "`."""
    holder = node.parent if node.prev_sibling is not None else node.parent and node.parent.parent
    return text_of(node).lstrip(" \t\n") if holder and holder.type == "string" else text_of(node)


def leaves_words_out(root: Node, command: str) -> bool:
    """Whether something of the line is in no part of the tree: in `uniq a \\ ` the escaped blank is a word."""
    source = command.encode(errors="replace")
    ends = [(0, root.start_byte), (root.end_byte, len(source))]
    for node in _all_within(root):
        # In a word, and in a heredoc's body, its own text stands between what it holds.
        if node.children and node.type != "heredoc_body" and node.type not in WORDS - SUBSTITUTIONS:
            inside = ((child.start_byte, child.end_byte) for child in node.children)
            edges = [node.start_byte, *chain.from_iterable(inside), node.end_byte]
            ends += zip(edges[::2], edges[1::2], strict=True)
    return not all(_BETWEEN_PARTS.fullmatch(source, begin, end) for begin, end in ends)


def takes_descriptor_for_word(root: Node, command: str) -> bool:
    """Whether what the shell redirects counts as a word before it: `awk 0<f '{system("x")}'`, `awk {fd}<<<a ...`."""
    source = command.encode(errors="replace")
    return any(
        node.type.endswith("_redirect")
        and node.children[0].type != "file_descriptor"
        and _ENDS_IN_DESCRIPTOR.search(source[max(node.start_byte - _LONG_WORD, 0) : node.start_byte])
        for node in _all_within(root)
    )


def _is_reserved(sign: Node) -> bool:
    """Whether it is a word of the shell's, such as `then`, `!` and `{`."""
    above = sign.parent.type if sign.parent else ""
    return sign.type in RESERVED and above not in ("expansion", "brace_expression", "test_command", "unary_expression")


def _all_within(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


def may_be_arithmetic(substitution: Node) -> bool:
    """In a heredoc the tree takes `$((x))` for commands; to the shell it is a number that `x` says how to count."""
    text = written(substitution)
    return text[1:].startswith("((") and not _PLAIN_ARITHMETIC.fullmatch(text)


def overlooks_expansion(node: Node, found: list[Node]) -> bool:
    """Whether something in the text would still run or expand besides the expansions the tree shows."""
    source, start = node.text or b"", node.start_byte
    covered = sorted((one.start_byte - start, one.end_byte - start) for one in (*found, *_within(node, LITERALS)))
    at, rest = 0, b""
    for begin, end in covered:
        rest += source[at:begin] + b" "
        at = max(at, end)
    return bool(_OVERLOOKED.search(_ESCAPED.sub(b"", rest + source[at:])))


def hides_command(word: Node) -> bool:
    """Whether the tree takes for a pattern what may be commands: after `=~` it looks for one outside of `[[` too."""
    return any(
        _ENDS_WORD.search(_ESCAPED.sub(b"", pattern.text or b"")) or not _stands_in_test(pattern)
        for pattern in _within(word, _PATTERNS)
    )


def ends_elsewhere(word: Node) -> bool:
    """Whether a piece of it ends before the tree says so: `$'\\\\' ; rm x #'`, or a line's end in a word."""
    return any(not _PIECES[piece.type].fullmatch(piece.text or b"") for piece in _within(word, _PIECES.keys()))


def _within(word: Node, kinds: Collection[str]) -> Iterator[Node]:
    if word.type in kinds:
        yield word
    elif word.type not in EXPANSIONS:
        for child in word.children:
            yield from _within(child, kinds)


def _stands_in_test(pattern: Node) -> bool:
    """Within `[[ ]]`, or between the `in` and the `)` of a `case`."""
    above = pattern.parent
    while above is not None and above.type not in ("test_command", "case_item"):
        above = above.parent
    return above is not None and above.children[0].type != "["


def spans_lines(command: Node) -> bool:
    """Whether a line ends between its words: after a `=~` the tree goes on there, and the shell does not."""
    children = [*leaves_of(command)] if command.type == "test_command" else command.children
    if command.type == "test_command" and children[0].type == "[[":
        return False
    source, start = command.text or b"", command.start_byte
    gaps = (
        source[one.end_byte - start : other.start_byte - start]
        for one, other in pairwise(children)
        if one.type != "heredoc_body" and other.type not in ("heredoc_body", "heredoc_end")
    )
    return not all(map(_BLANKS.fullmatch, gaps))


def has_glued_words(part: Node) -> bool:
    """Words with nothing between them, of a command, a test or a redirection: the tree has cut one word in two."""
    match part.type:
        case "test_command":
            parts = [*leaves_of(part)]
            if parts[0].type == "[[":
                parts = [leaf for leaf in parts if leaf.is_named]
        case "file_redirect":
            parts = part.children_by_field_name("destination")
        case "command":
            parts = part.children
        case _:
            return False
    return any(
        one.end_byte == other.start_byte and not other.type.endswith("_redirect") for one, other in pairwise(parts)
    )


def leaves_of(node: Node) -> Iterator[Node]:
    if node.type in WORDS or not node.children:
        yield node
    else:
        for child in node.children:
            yield from leaves_of(child)
