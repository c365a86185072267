"""The patterns of rules, as text matching alone: commands, paths, domains. No file is looked at here.

Commands and names know one sign, `*`, any run of characters. Paths are gitignore patterns below an anchor. Domains
match label by label.
"""

from __future__ import annotations

import functools
from typing import Literal, NamedTuple

from tools.permissions.segments import ANY_DEPTH, BadPattern, NamePattern, is_wild, name_pattern, reached

_BLANKS_OR_END = ("", " ", "\t", "\n")

Anchor = Literal["root", "home", "settings", "folder"]


def glob_matches(pattern: str, text: str) -> bool:
    """Whether the whole text fits a pattern in which `*` is any run of characters. Linear in the text."""
    if "*" not in pattern:
        return pattern == text
    head, *middle, tail = pattern.split("*")
    end = len(text) - len(tail)
    if not (text.startswith(head) and text.endswith(tail) and len(head) <= end):
        return False
    at = len(head)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def command_matches(pattern: str, text: str, *, restricts: bool = False) -> bool:
    """As `glob_matches`; a trailing ` *` or `:*` never fits the middle of a word, and also fits the bare command.

    Where it is not the only `*`, only a restricting rule is read so: `* --help *` allows `npm --help x` alone.
    """
    prefix = word_prefix(pattern)
    if prefix is None:
        return glob_matches(pattern, text)
    if "*" not in prefix:
        return text.startswith(prefix) and text[len(prefix) : len(prefix) + 1] in _BLANKS_OR_END
    bare = glob_matches(prefix, text) if restricts else text == prefix
    return bare or any(glob_matches(f"{prefix}{blank}*", text) for blank in " \t\n")


def word_prefix(pattern: str) -> str | None:
    """What stands before a trailing ` *` or `:*`; None where the pattern has neither."""
    return pattern[:-2] if pattern.endswith((" *", ":*")) else None


def domain_matches(pattern: str, host: str) -> bool:
    """`*` alone is every host, a leading `*.` any depth of subdomains; elsewhere `*` stays between two dots."""
    pattern, host = _plain_host(pattern), _plain_host(host)
    if pattern == "*":
        return bool(host)
    if pattern.startswith("*."):
        return host.endswith(pattern[1:]) and len(host) > len(pattern) - 1
    labels, wanted = host.split("."), pattern.split(".")
    return len(labels) == len(wanted) and all(map(glob_matches, wanted, labels))


def _plain_host(host: str) -> str:
    """As a URL's host is compared. A rule may write `bücher.de` or `xn--bcher-kva.de`."""
    labels = host.strip().strip("[]").rstrip(".").casefold().split(".")
    return ".".join(map(_plain_label, labels))


def _plain_label(label: str) -> str:
    try:
        return label if label.isascii() else label.encode("idna").decode("ascii")
    except UnicodeError:
        return label


class PathPattern(NamedTuple):
    """A gitignore pattern and what it is anchored to. `ups` counts leading `../`."""

    anchor: Anchor
    body: str
    rooted: bool
    ups: int = 0

    def matches(self, relative: str, *, restricts: bool, fold: bool) -> bool:
        """Whether a path below the anchor is meant. A restricting rule reads in doubt more, an allowing one less:
        `src/**` restricts every `src` at any depth and the folder itself, and allows only what is in the anchor's;
        `src/*` restricts also what is in a folder that it means, and allows one level alone."""
        core, inside_only = self.core()
        if not core:
            return True
        if fold:
            relative = same_file_key(relative)
        names = relative.split("/") if relative else []
        ends = reached(
            self.segments(restricts), len(names), lambda part, place: _name_pattern(part, fold).fits(names[place])
        )
        if restricts:
            return bool(ends)
        if inside_only:
            return any(end < len(names) for end in ends)
        return len(names) in ends or (bool(ends) and not is_wild(core.rpartition("/")[2]))

    def core(self) -> tuple[str, bool]:
        """The body without a trailing `/` or `/**`, and whether there was one: then only what lies inside is meant."""
        core = self.body
        while core.endswith(("/", "/**")):
            core = core[:-1] if core.endswith("/") else core[:-3]
        return ("", True) if core == "**" else (core, core != self.body)

    def segments(self, restricts: bool) -> list[str]:
        """The pattern as path segments, `**` for any depth: for comparing with another pattern."""
        core, inside_only = self.core()
        if not core:
            return [ANY_DEPTH]
        anchored = self._anchored(core, restricts, inside_only)
        return ([] if anchored else [ANY_DEPTH]) + core.split("/")

    def _anchored(self, core: str, restricts: bool, inside_only: bool) -> bool:
        if self.rooted or "/" in core:
            return True
        # One segment: a bare name is meant at any depth; `name/**` only where it takes something away, or where the
        # pattern says `name/`, which gitignore reads as a bare name too.
        return inside_only and not restricts and not self.body.endswith("/")


def parse_path(spec: str) -> PathPattern:
    """The pattern of `Read(spec)` or `Edit(spec)`, or BadPattern."""
    pattern = _anchor(spec.strip())
    if pattern.body.startswith("!"):
        raise BadPattern("a pattern that starts with `!` takes nothing back here")
    for name in pattern.segments(restricts=True):
        _name_pattern(name, fold=False)
    return pattern


def same_file_key(path: str) -> str:
    """One spelling for all names that a file system without case and normal forms takes for the same."""
    if path.isascii():
        return path.lower()
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _anchor(spec: str) -> PathPattern:
    if spec.startswith("//"):
        return PathPattern("root", spec.lstrip("/"), rooted=True)
    if spec == "~" or spec.startswith("~/"):
        return PathPattern("home", spec[2:], rooted=True)
    if spec.startswith("/"):
        return PathPattern("settings", spec[1:], rooted=True)
    ups, rooted = 0, False
    while spec in (".", "..") or spec.startswith(("./", "../")):
        ups += spec.startswith("..")
        spec, rooted = spec.partition("/")[2], True
    if "/../" in f"/{spec}/":
        raise BadPattern("`..` in the middle of a pattern matches nothing, write the path out")
    return PathPattern("folder", spec, rooted, ups)


@functools.lru_cache(maxsize=1024)
def _name_pattern(name: str, fold: bool) -> NamePattern:
    return name_pattern(same_file_key(name) if fold else name, ignore_case=fold)
