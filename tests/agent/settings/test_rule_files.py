from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.settings.rule_files import NotChanged, add_rules, remove_rule, rule_file


def test_each_scope_has_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    root, home = "/home/u/proj", "/home/u"
    assert rule_file("project", root, home) == "/home/u/proj/.agent-tui/settings.json"
    assert rule_file("local", root, home) == "/home/u/proj/.agent-tui/settings.local.json"
    assert rule_file("user", root, home) == "/home/u/.config/agent-tui/settings.json"


def test_a_file_that_is_not_there_is_made_with_its_folder(tmp_path: Path) -> None:
    file = tmp_path / ".agent-tui" / "settings.local.json"
    assert add_rules(str(file), "allow", ["Bash(npm test)", "Bash(ls *)", "Bash(npm test)"])
    assert json.loads(file.read_text()) == {"permissions": {"allow": ["Bash(npm test)", "Bash(ls *)"]}}
    assert [entry.name for entry in file.parent.iterdir()] == ["settings.local.json"], "nothing is left beside it"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{"permissions": {"allow": ["X"]}}\n'),
        ("", '{"permissions": {"allow": ["X"]}}\n'),
        ('{"model": "m"}\n', '{"model": "m", "permissions": {"allow": ["X"]}}\n'),
        ('{\n  "model": "m"\n}\n', '{\n  "model": "m",\n  "permissions": {"allow": ["X"]}\n}\n'),
        ('{"permissions": {"deny": ["Y"]}}', '{"permissions": {"deny": ["Y"], "allow": ["X"]}}\n'),
        ('{"permissions": {"allow": []}}', '{"permissions": {"allow": ["X"]}}\n'),
        ('{"permissions": {"allow": ["A"]}, "a": 1}', '{"permissions": {"allow": ["A", "X"]}, "a": 1}\n'),
        (
            '{\r\n\t"permissions": {\r\n\t\t"allow": [\r\n\t\t\t"A"\r\n\t\t]\r\n\t}\r\n}\r\n',
            '{\r\n\t"permissions": {\r\n\t\t"allow": [\r\n\t\t\t"A",\r\n\t\t\t"X"\r\n\t\t]\r\n\t}\r\n}\r\n',
        ),
        ('\ufeff{"a": "ä"}', '\ufeff{"a": "ä", "permissions": {"allow": ["X"]}}\n'),
    ],
)
def test_a_rule_is_added_and_all_else_stays_as_it_was(tmp_path: Path, before: str, after: str) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(before.encode())
    assert add_rules(str(file), "allow", ["X"])
    assert file.read_bytes().decode() == after
    assert not add_rules(str(file), "allow", ["X"])
    assert file.read_bytes().decode() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"permissions": {"allow": ["X"]}}\n', '{"permissions": {"allow": []}}\n'),
        ('{"permissions": {"allow": ["X", "A"]}}\n', '{"permissions": {"allow": ["A"]}}\n'),
        ('{"permissions": {"allow": ["A",   "X"]}}\n', '{"permissions": {"allow": ["A"]}}\n'),
        ('{"permissions": {"allow": ["X", "A", "X"]}}\n', '{"permissions": {"allow": ["A"]}}\n'),
        (
            '{"permissions": {"allow": [\n  "A",\n  "X",\n  "B"\n]}}\n',
            '{"permissions": {"allow": [\n  "A",\n  "B"\n]}}\n',
        ),
    ],
)
def test_a_rule_is_taken_out_and_all_else_stays_as_it_was(tmp_path: Path, before: str, after: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(before)
    assert remove_rule(str(file), "allow", "X")
    assert file.read_text() == after
    assert not remove_rule(str(file), "allow", "X")
    assert not remove_rule(str(file), "deny", "A")


def test_a_key_that_stands_twice_is_settled_as_the_program_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"permissions": {"allow": ["A"]}, "permissions": {"allow": ["B"]}}')
    assert add_rules(str(file), "allow", ["X"])
    assert json.loads(file.read_text()) == {"permissions": {"allow": ["B", "X"]}}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"a": 1,}', ":1: it is not valid JSON"),
        ("[]", "must be an object"),
        ('{"permissions": []}', "`permissions.allow` must be a list"),
        ('{"permissions": {"allow": "X"}}', "`permissions.allow` must be a list"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_broken_file_is_named_and_never_touched(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(content)
    for change in (lambda: add_rules(str(file), "allow", ["X"]), lambda: remove_rule(str(file), "allow", "X")):
        with pytest.raises(NotChanged, match=says.replace("{", ".").replace("(", ".")):
            change()
    assert file.read_text() == content


def test_a_file_that_is_no_text_is_named_and_never_touched(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(NotChanged, match="not UTF-8"):
        add_rules(str(file), "allow", ["X"])
    assert file.read_bytes() == b'{"a": "\xff"}'


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / ".agent-tui").write_text("x")
    with pytest.raises(NotChanged, match="cannot be"):
        add_rules(str(tmp_path / ".agent-tui" / "settings.json"), "allow", ["X"])


def test_a_link_stays_a_link_and_the_mode_is_kept(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o600)
    link = tmp_path / "settings.json"
    link.symlink_to(real)
    assert add_rules(str(link), "deny", ["X"])
    assert link.is_symlink()
    assert json.loads(real.read_text()) == {"permissions": {"deny": ["X"]}}
    assert stat.S_IMODE(os.stat(real).st_mode) == 0o600


def test_many_that_write_at_once_lose_nobodys_rule(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{}")
    names = [f"R{number}" for number in range(8)]
    threads = [threading.Thread(target=add_rules, args=(str(file), "allow", [name])) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rules = json.loads(file.read_text())["permissions"]["allow"]
    assert sorted(rules) == names
    assert list(tmp_path.iterdir()) == [file]


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(
    st.dictionaries(st.text(max_size=5), _values, max_size=4),
    st.lists(st.text(min_size=1, max_size=8), max_size=4, unique=True),
    st.text(min_size=1, max_size=8),
    st.sampled_from([None, 2, "\t"]),
)
def test_whatever_is_in_the_file_stays_there(
    others: dict[str, object], rules: list[str], new: str, indent: int | str | None
) -> None:
    from agent.settings.rule_files import _with_rule, _without_rule  # pyright: ignore[reportPrivateUsage] (text alone)

    others.pop("permissions", None)
    tree = {**others, "permissions": {"ask": ["Q"], "allow": list(rules)}}
    text = json.dumps(tree, indent=indent, ensure_ascii=False)
    more = _with_rule(text, "allow", new)
    assert json.loads(more) == {**others, "permissions": {"ask": ["Q"], "allow": [*rules, new]}}
    assert _without_rule(more, "allow", len(rules)).replace(" ", "") == text.replace(" ", "")
