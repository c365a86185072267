from __future__ import annotations

from pathlib import Path

from tools.bash.environment import find_program, for_command, for_reading, is_within


def program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / name
    made.write_text("#!/bin/sh\n")
    made.chmod(0o755)
    return made


def test_D1_only_our_own_credentials_are_removed() -> None:
    env = for_command(
        {"ANTHROPIC_API_KEY": "x", "ANTHROPIC_BASE_URL": "x", "GH_TOKEN": "y", "SSH_AUTH_SOCK": "z", "PATH": "/bin"}
    )
    assert {name for name in env if name.startswith("ANTHROPIC")} == set()
    assert (env["GH_TOKEN"], env["SSH_AUTH_SOCK"]) == ("y", "z")


def test_D2_a_shell_is_not_changed_behind_its_back() -> None:
    env = for_command({"BASH_ENV": "x", "ENV": "x", "PS4": "x", "CDPATH": "x", "SHELLOPTS": "x", "PATH": "/bin"})
    assert not {"BASH_ENV", "ENV", "PS4", "CDPATH", "SHELLOPTS"} & set(env)


def test_D3_a_path_entry_that_means_the_working_folder_is_left_out() -> None:
    assert for_command({"PATH": ".:/bin::node_modules/.bin:/usr/bin"})["PATH"] == "/bin:/usr/bin"


def test_D3_programs_are_found_outside_the_workspace_only(tmp_path: Path) -> None:
    program(tmp_path / "work" / "bin", "tool")
    outside = program(tmp_path / "usr", "tool")
    path = {"PATH": f"{tmp_path}/work/bin:bin:{tmp_path}/usr"}
    assert find_program("tool", path, (str(tmp_path / "work"),)) == str(outside)
    assert find_program("tool", path, (str(tmp_path),)) is None


def test_D3_a_link_to_a_program_in_the_workspace_is_one_in_the_workspace(tmp_path: Path) -> None:
    inside = program(tmp_path / "work", "tool")
    (tmp_path / "usr").mkdir()
    (tmp_path / "usr" / "tool").symlink_to(inside)
    assert find_program("tool", {"PATH": f"{tmp_path}/usr"}, (str(tmp_path / "work"),)) is None


def test_D3_a_reader_is_never_the_workspace_s_own(tmp_path: Path) -> None:
    inside, outside = tmp_path / "work" / ".venv" / "bin", tmp_path / "usr"
    program(outside, "git")
    program(outside, "ls")
    program(inside, "python")
    path = {"PATH": f"{inside}:{outside}"}
    roots = (str(tmp_path / "work"),)
    # As long as nothing stands in for them the path stays, so that `which python` tells the truth.
    assert for_reading(path, roots, ["git", "ls"])["PATH"] == path["PATH"]
    program(inside, "git")
    assert for_reading(path, roots, ["ls"])["PATH"] == path["PATH"]
    assert for_reading(path, roots, ["ls", "git"])["PATH"] == str(outside)
    assert for_command(path)["PATH"] == path["PATH"]


def test_a_reader_gets_no_options_and_no_git_settings_from_outside() -> None:
    inherited = {
        "PATH": "/bin",
        "RIPGREP_CONFIG_PATH": "x",
        "GIT_EXTERNAL_DIFF": "x",
        "GIT_DIR": "x",
        "LD_PRELOAD": "x",
        "BASH_FUNC_ls%%": "x",
    }
    env = for_reading(inherited, (), ["rg"])
    assert not set(inherited) - {"PATH"} & set(env)
    assert env["GIT_OPTIONAL_LOCKS"] == "0"
    assert ("core.fsmonitor", "false") in {
        (env[f"GIT_CONFIG_KEY_{n}"], env[f"GIT_CONFIG_VALUE_{n}"]) for n in range(int(env["GIT_CONFIG_COUNT"]))
    }


def test_A28_a_sibling_with_the_same_beginning_is_not_within(tmp_path: Path) -> None:
    assert is_within(f"{tmp_path}/proj/x", (f"{tmp_path}/proj",))
    assert is_within(f"{tmp_path}/proj", (f"{tmp_path}/proj/",))
    assert not is_within(f"{tmp_path}/proj-evil", (f"{tmp_path}/proj",))
    assert is_within("/anything", ("/",))
