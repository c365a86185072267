from __future__ import annotations

import time

import pytest

from tools.permissions.overlap import brace_alternatives, may_become, names_may_meet
from tools.permissions.patterns import command_matches, domain_matches, glob_matches, parse_path
from tools.permissions.segments import BadPattern


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("git status", "git status", True),
        ("git status", "git status -s", False),
        ("ls *", "ls", True),
        ("ls *", "ls -la", True),
        ("ls *", "ls\t-la", True),
        ("ls *", "lsof", False),
        ("ls*", "lsof", True),
        ("ls:*", "ls -la", True),
        ("ls:*", "lsof", False),
        ("npm run test:*", "npm run test:unit", False),
        ("git:* push", "git push", False),
        ("git * main", "git push origin main", True),
        ("git * main", "git push origin main --force", False),
        ("* --version", "cargo --version", True),
        ("* --help *", "npm --help run", True),
        ("* --help *", "npm --help", False),
        ("a*a", "a", False),
    ],
)
def test_a_command_pattern_fits_whole_commands(pattern: str, text: str, fits: bool) -> None:
    assert command_matches(pattern, text) is fits


def test_where_it_forbids_a_pattern_is_read_in_doubt_as_more() -> None:
    assert command_matches("* --force *", "npm --force", restricts=True)
    assert not command_matches("* --force *", "npm --forced", restricts=True)


def test_many_wildcards_over_a_long_text_take_no_time() -> None:
    before = time.process_time()
    assert not glob_matches("*a" * 30 + "*b", "a" * 20_000)
    assert time.process_time() - before < 0.5


@pytest.mark.parametrize(
    ("pattern", "host", "fits"),
    [
        ("example.com", "EXAMPLE.com.", True),
        ("example.com", "api.example.com", False),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "notexample.com", False),
        ("example.*", "example.org", True),
        ("bücher.de", "xn--bcher-kva.de", True),
        ("*.BÜCHER.de", "a.xn--bcher-kva.de", True),
        ("xn--bcher-kva.de", "xn--bcher-kva.de", True),
        ("bücher.de", "bucher.de", False),
        ("example.*", "example.evil.com", False),
        ("*", "anything.test", True),
        ("*", "", False),
        ("[::1]", "::1", True),
    ],
)
def test_a_domain_pattern_fits_hosts_label_by_label(pattern: str, host: str, fits: bool) -> None:
    assert domain_matches(pattern, host) is fits


@pytest.mark.parametrize(
    ("spec", "relative", "restricts", "fits"),
    [
        (".env", "packages/api/.env", True, True),
        ("./.env", "packages/api/.env", True, False),
        ("./.env", ".env", True, True),
        ("src/**", "vendor/src/lib.js", True, True),
        ("src/**", "vendor/src/lib.js", False, False),
        ("src/**", "src/lib.js", False, True),
        ("src/**", "src", True, True),
        ("src/**", "src", False, False),
        ("./secrets/**", "secretsX/a", True, False),
        ("*.pem", "deep/down/key.pem", True, True),
        ("docs/*.md", "docs/a.md", False, True),
        ("docs/*.md", "docs/sub/a.md", False, False),
        ("docs", "docs/a.md", False, True),
        ("docs/*", "docs/a.md", False, True),
        ("docs/*", "docs/sub/a.md", False, False),
        ("docs/*", "docs/sub/a.md", True, True),
        ("a*b*c", "axxbxxc", True, True),
        ("a*b*c", "axxcxxb", True, False),
        ("*a*a", "aa", True, True),
        ("*aa*aa*", "aaa", True, False),
        ("**/x/*.py", "a/b/x/c.py", True, True),
        ("a/**/b", "a/b", True, True),
        ("a[0-9].txt", "a7.txt", True, True),
        ("a[!0-9].txt", "a7.txt", True, False),
        ("a?c", "a/c", True, False),
        ("we\\*rd", "we*rd", True, True),
        ("we\\*rd", "weird", True, False),
        ("**", "any/thing", False, True),
    ],
)
def test_a_path_pattern_reads_as_in_gitignore(spec: str, relative: str, restricts: bool, fits: bool) -> None:
    assert parse_path(spec).matches(relative, restricts=restricts, fold=False) is fits


@pytest.mark.parametrize("spec", ["/".join(["**", "a"] * 30) + "/b", "*a" * 40 + "b", "**/" * 60 + "*a" * 20 + "b"])
def test_no_pattern_of_a_strangers_folder_holds_up_the_gate(spec: str) -> None:
    pattern = parse_path(spec)
    before = time.process_time()
    assert not pattern.matches("a/" * 150 + "a" * 255, restricts=True, fold=False)
    assert not may_become(("c*c",) * 150, tuple(pattern.segments(restricts=True)))
    assert time.process_time() - before < 0.5


@pytest.mark.parametrize("spec", ["!keep", "a[b", "a/../b", "a[z-a]"])
def test_a_pattern_that_cannot_work_is_refused_with_a_reason(spec: str) -> None:
    with pytest.raises(BadPattern):
        parse_path(spec)


def test_where_case_does_not_count_one_file_has_many_spellings() -> None:
    pattern = parse_path("Café.txt")
    assert pattern.matches("cafe\u0301.TXT", restricts=True, fold=True)
    assert not pattern.matches("cafe\u0301.TXT", restricts=True, fold=False)


@pytest.mark.parametrize(
    ("glob", "name", "may"),
    [
        (".e*", ".env", True),
        ("*", ".env", False),
        ("?env", ".env", False),
        (".[e]nv", ".env", True),
        ("{.env,x}", ".env", True),
        ("*.md", "*.pem", False),
        ("*.md", "README*", True),
        ("a" * 300, ".env", True),
    ],
)
def test_a_shells_glob_may_become_a_name(glob: str, name: str, may: bool) -> None:
    assert names_may_meet(glob, name) is may


def test_globs_are_compared_folder_by_folder() -> None:
    assert may_become(("src", "*", ".env"), ("**", ".env"))
    assert may_become(("secrets", "a*"), ("secrets",))
    assert not may_become(("docs", "*.md"), ("**", ".env"))
    assert may_become(("x",) * 1000, ("**", ".env"))


@pytest.mark.parametrize(
    ("path", "alternatives"),
    [
        ("a", ("a",)),
        ("{a,b}/c", ("a/c", "b/c")),
        ("{a,b{c,d}}", ("a", "bc", "bd")),
        ("{a}", ("{a}",)),
        ("f{1..9}", ("f*",)),
        ("{x,y/z}.py", ("x.py", "y/z.py")),
        ("{a,b}" * 12, None),
    ],
)
def test_a_shells_braces_are_taken_apart(path: str, alternatives: tuple[str, ...] | None) -> None:
    found = brace_alternatives(path)
    assert (found and set(found)) == (alternatives and set(alternatives))
