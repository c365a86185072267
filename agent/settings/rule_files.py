"""Permission rules put into a settings file and taken out of it, with all else in the file left as it is.

A change is made in the text, so that order, indentation and line ends stay, and is checked against what the file then
says; where the text does not let itself be changed so, the file is written anew. A file that cannot be read as settings
is never touched.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any, cast

from agent.settings.lines import Span, spans_of
from agent.settings.locations import settings_files
from tools.permissions.rules import Kind, Scope

Tree = dict[str, Any]
Change = Callable[[str], str]

# Somebody else may write the file between our look and our write.
TRIES = 3
BYTE_ORDER_MARK = "\ufeff"


class NotChanged(ValueError):
    """The file was left as it is; the sentence says why and what to do."""


def rule_file(scope: Scope, root: str, home: str) -> str:
    """Our settings file of a scope."""
    return next(file.path for file in settings_files(root, home) if file.ours and file.scope == scope)


def add_rules(path: str, kind: Kind, texts: Iterable[str]) -> bool:
    """Whether there was anything to add: a rule that stands there already is not written twice."""
    wanted = tuple(dict.fromkeys(texts))

    def added(text: str) -> str:
        for rule in wanted:
            text = text if rule in _listed(_tree(text, path), kind, path) else _with_rule(text, kind, rule)
        return text

    return _change(path, added)


def remove_rule(path: str, kind: Kind, rule: str) -> bool:
    """Whether it stood there. Every copy of it in the list goes."""

    def removed(text: str) -> str:
        while rule in (rules := _listed(_tree(text, path), kind, path)):
            text = _without_rule(text, kind, rules.index(rule))
        return text

    return os.path.exists(path) and _change(path, removed)


def _change(path: str, change: Change) -> bool:
    """Read, change, and write in one step; where the file changed meanwhile, from the start."""
    # A link to the file stays a link.
    real = os.path.realpath(path)
    with _folder_locked(os.path.dirname(real)):
        return _change_locked(path, real, change)


@contextlib.contextmanager
def _folder_locked(folder: str) -> Generator[None]:
    """Against another one of us. An editor does not know of the lock: for it the file is compared once more."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise NotChanged(f"{folder} cannot be used ({error.strerror}).") from None
    try:
        # It goes with the handle. A file system without locks is one that nobody shares.
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _change_locked(path: str, real: str, change: Change) -> bool:
    for _ in range(TRIES):
        before = _read(real)
        mark = BYTE_ORDER_MARK if before.startswith(BYTE_ORDER_MARK) else ""
        after = mark + change(before.removeprefix(BYTE_ORDER_MARK) or "{}")
        if _tree(after, path) == _tree(before, path):
            return False
        temporary = _written_beside(real, after if after.endswith("\n") else after + "\n")
        if _read(real) == before:
            os.replace(temporary, real)
            return True
        os.unlink(temporary)
    raise NotChanged(f"{path} was changed by somebody else again and again; try once more.")


def _read(real: str) -> str:
    try:
        with open(real, encoding="utf-8", newline="") as opened:
            return opened.read()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise NotChanged(f"{real} cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise NotChanged(f"{real} is not UTF-8; mend it first.") from None


def _written_beside(real: str, text: str) -> str:
    folder = os.path.dirname(real)
    temporary = os.path.join(folder, f".{os.path.basename(real)}.{secrets.token_hex(6)}")
    try:
        mode = os.stat(real).st_mode & 0o777 if os.path.exists(real) else 0o666
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise NotChanged(f"{real} cannot be written ({error.strerror}).") from None
    return temporary


# -- the text


def _tree(text: str, path: str) -> Tree:
    try:
        found: Any = json.loads(text.removeprefix(BYTE_ORDER_MARK) or "{}")
    except json.JSONDecodeError as error:
        raise NotChanged(f"{path}:{error.lineno}: it is not valid JSON ({error.msg}); mend it first.") from None
    except RecursionError:
        raise NotChanged(f"{path}: it is nested too deeply.") from None
    if not isinstance(found, dict):
        raise NotChanged(f"{path}: it must be an object, `{{...}}`; mend it first.")
    return cast("Tree", found)


def _listed(tree: Tree, kind: Kind, path: str) -> list[Any]:
    permissions: Any = tree.get("permissions", {})
    rules: Any = cast("Tree", permissions).get(kind, []) if isinstance(permissions, dict) else None
    if not isinstance(rules, list):
        raise NotChanged(f"{path}: `permissions.{kind}` must be a list of texts; mend it first.")
    return cast("list[Any]", rules)


def _with_rule(text: str, kind: Kind, rule: str) -> str:
    spans, tree = spans_of(text), _tree(text, "")
    new = json.dumps(rule, ensure_ascii=False)
    if ("permissions", kind) in spans:
        changed = _with_member(text, spans[("permissions", kind)], new)
    elif ("permissions",) in spans:
        changed = _with_member(text, spans[("permissions",)], f'"{kind}": [{new}]')
    else:
        changed = _with_member(text, spans[()], f'"permissions": {{"{kind}": [{new}]}}')
    tree.setdefault("permissions", {}).setdefault(kind, []).append(rule)
    return _checked(changed, tree)


def _with_member(text: str, around: Span, member: str) -> str:
    """The text with one more member at the end of an array or object, spaced as its first one is."""
    inside = text[around.start + 1 : around.end - 1]
    if not inside.strip():
        return text[: around.start + 1] + member + text[around.end - 1 :]
    space = inside[: len(inside) - len(inside.lstrip())]
    end = around.start + 1 + len(inside.rstrip())
    return f"{text[:end]},{space or ' '}{member}{text[end:]}"


def _without_rule(text: str, kind: Kind, place: int) -> str:
    spans, tree = spans_of(text), _tree(text, "")
    rules = tree["permissions"][kind]
    own = spans[("permissions", kind, place)]
    if place + 1 < len(rules):
        gone = Span(own.start, spans[("permissions", kind, place + 1)].start)
    elif place:
        gone = Span(spans[("permissions", kind, place - 1)].end, own.end)
    else:
        around = spans[("permissions", kind)]
        gone = Span(around.start + 1, around.end - 1)
    del rules[place]
    return _checked(text[: gone.start] + text[gone.end :], tree)


def _checked(changed: str, tree: Tree) -> str:
    """The changed text if it says what it is to say; else, as with a key that stands twice, all of it written anew."""
    try:
        if json.loads(changed) == tree:
            return changed
    except ValueError:
        pass
    return json.dumps(tree, indent=2, ensure_ascii=False)
