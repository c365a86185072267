"""Real git repositories to stage and commit in."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Repo:
    """`git("status")` says what git says, as text; names that are none stay what they are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        for name, value in (("user.name", "me"), ("user.email", "me@here"), ("commit.gpgSign", "false")):
            self.git("config", name, value)

    def git(self, *arguments: str, check: bool = True) -> str:
        env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        told = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=env, check=check, capture_output=True, stdin=subprocess.DEVNULL
        )
        return told.stdout.decode(errors="surrogateescape")

    def write(self, name: str, data: bytes, mode: int = 0o644) -> str:
        """The file's real path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)
        return os.path.realpath(path)

    def commit(self, message: str = "first") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def staged(self, name: str) -> bytes:
        return self.git("show", f":{name}").encode(errors="surrogateescape")

    def committed(self, name: str, commit: str = "HEAD") -> bytes:
        return self.git("show", f"{commit}:{name}").encode(errors="surrogateescape")

    def status(self) -> list[str]:
        return [one for one in self.git("status", "--porcelain", "-z").split("\0") if one]

    def hook(self, name: str, script: str) -> None:
        path = self.folder / ".git" / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
