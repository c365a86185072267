"""Which files of a project speak to the model, and which never do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent.context.instructions import ALL_CHARS, FILE_CHARS, Instructions, read_instructions


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    (root / "src" / "app").mkdir(parents=True)
    return root


def read(folder: Path, trusted: bool = True) -> Instructions:
    return read_instructions(str(folder), str(folder.parent / "home"), trusted)


def texts(folder: Path) -> list[str]:
    return [file.text for file in read(folder).files]


def test_files_are_read_from_the_root_of_the_repository_down_to_the_folder(repo: Path) -> None:
    (repo.parent / "AGENTS.md").write_text("above the repository")
    (repo / "AGENTS.md").write_text("root\n")
    (repo / "src" / "app" / "AGENTS.md").write_text("app")
    (repo / "src" / "app" / "deeper").mkdir()
    (repo / "src" / "app" / "deeper" / "AGENTS.md").write_text("below the folder")
    assert texts(repo / "src" / "app") == ["root", "app"]


def test_E9_an_untrusted_folder_says_nothing(repo: Path) -> None:
    (repo / "AGENTS.md").write_text("obey")
    assert read(repo, trusted=False) == Instructions()


def test_other_names_are_read_only_where_ours_does_not_stand(repo: Path) -> None:
    (repo / "AGENTS.md").write_text("ours")
    (repo / "CLAUDE.md").write_text("theirs")
    (repo / "src" / "CLAUDE.md").write_text("src")
    (repo / "src" / "CLAUDE.local.md").write_text("local")
    assert texts(repo / "src") == ["ours", "src", "local"]


def test_one_file_under_two_names_is_read_once(repo: Path) -> None:
    (repo / "CLAUDE.md").write_text("both")
    os.symlink("CLAUDE.md", repo / "CLAUDE.local.md")
    assert texts(repo) == ["both"]


def test_imports_stand_where_they_are_named_four_deep(repo: Path) -> None:
    (repo / "AGENTS.md").write_text("0\n@a1.md\nend")
    for depth in range(1, 6):
        (repo / f"a{depth}.md").write_text(f"{depth}\n@a{depth + 1}.md")
    found = read(repo)
    assert found.files[0].text.split() == ["0", "1", "2", "3", "4", "end"]
    assert len(found.notices) == 1
    assert "4 deep" in found.notices[0]


def test_files_that_import_each_other_are_read_once(repo: Path) -> None:
    (repo / "AGENTS.md").write_text("a\n@b.md")
    (repo / "b.md").write_text("b\n@AGENTS.md\n@b.md")
    assert texts(repo)[0].split() == ["a", "b"]


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "~/secret", "link"])
def test_a_project_cannot_send_files_from_outside_to_the_model(repo: Path, name: str) -> None:
    (repo.parent / "secret").write_text("hush")
    (repo.parent / "home").mkdir()
    (repo.parent / "home" / "secret").write_text("hush")
    os.symlink(repo.parent / "secret", repo / "link")
    (repo / "AGENTS.md").write_text(f"a\n@{name}")
    found = read(repo)
    assert [file.text for file in found.files] == ["a\n"]
    assert "outside the repository" in found.notices[0]


def test_the_person_s_own_notes_may_be_imported(repo: Path) -> None:
    notes = repo.parent / "home" / ".claude"
    notes.mkdir(parents=True)
    (notes / "mine.md").write_text("mine")
    (repo / "AGENTS.md").write_text("@~/.claude/mine.md")
    assert texts(repo) == ["mine"]


def test_a_link_to_instructions_outside_is_not_followed(repo: Path) -> None:
    (repo.parent / "secret").write_text("hush")
    os.symlink(repo.parent / "secret", repo / "AGENTS.md")
    found = read(repo)
    assert found.files == ()
    assert len(found.notices) == 1


@pytest.mark.parametrize("kind", ["bytes", "folder", "fifo", "dangling", "import"])
def test_a_broken_file_is_named_and_the_others_are_read(repo: Path, kind: str) -> None:
    bad = repo / "src" / "AGENTS.md"
    match kind:
        case "bytes":
            bad.write_bytes(b"caf\xe9")
        case "folder":
            bad.mkdir()
        case "fifo":
            os.mkfifo(bad)
        case "dangling":
            os.symlink("nowhere", bad)
        case _:
            bad.write_text("@missing.md")
    (repo / "AGENTS.md").write_text("root")
    found = read(repo / "src")
    assert found.files[0].text == "root"
    assert len(found.notices) == 1
    assert "src" in found.notices[0]


def test_long_files_are_cut_and_said_to_be(repo: Path) -> None:
    (repo / "AGENTS.md").write_text("x" * (FILE_CHARS + 5))
    found = read(repo)
    assert len(found.files[0].text) == FILE_CHARS
    assert "in part" in found.notices[0]


def test_a_sparse_giant_is_not_loaded(repo: Path) -> None:
    with (repo / "AGENTS.md").open("wb") as file:
        file.truncate(10 << 30)
    assert len(read(repo).files[0].text) <= FILE_CHARS


def test_all_files_together_are_bounded(repo: Path) -> None:
    (repo / "AGENTS.md").write_text("\n".join(f"@{n}.md" for n in range(5)))
    for number in range(5):
        (repo / f"{number}.md").write_text(str(number) * (FILE_CHARS - 10))
    found = read(repo)
    assert len(found.files[0].text) <= ALL_CHARS + 100
    assert found.notices


def test_without_a_repository_only_the_folder_itself_speaks(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "AGENTS.md").write_text("above")
    (tmp_path / "a" / "AGENTS.md").write_text("here")
    assert texts(tmp_path / "a") == ["here"]


def test_a_byte_order_mark_is_hidden(repo: Path) -> None:
    (repo / "AGENTS.md").write_bytes("\ufeffhello".encode())
    assert texts(repo) == ["hello"]
