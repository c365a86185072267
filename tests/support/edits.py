"""The labelled edits: a file before, an edit, and how it must end, byte for byte.

`own_edit_cases.jsonl` has a few fields more: `mode` (the file's permissions, kept) and `link` (a second name, kept).
"""

from __future__ import annotations

import base64
import json
import os
import stat
from pathlib import Path
from typing import Any

Row = dict[str, Any]

_FOLDER = Path(__file__).parents[1] / "vectors"


def labelled_edits() -> list[Row]:
    files = (_FOLDER / "edit_cases.jsonl", _FOLDER / "own_edit_cases.jsonl")
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").split("\n") if line]


def put_before(row: Row, file: Path) -> bool:
    """Lay out the file as it is before the edit; whether there is one."""
    if not row.get("file_exists", True):
        return False
    own = file.with_name(f"{file.name}.own") if row.get("link") == "symbolic" else file
    own.write_bytes(_bytes(row, "before"))
    if row.get("link") == "symbolic":
        file.symlink_to(own)
    if row.get("link") == "hard":
        os.link(file, file.with_name(f"{file.name}.other"))
    if "mode" in row:
        file.chmod(int(row["mode"], 8))
    return True


def edit_of(row: Row, file: Path) -> dict[str, Any]:
    change = {"old_string": row["old"], "new_string": row["new"], "replace_all": row["replace_all"]}
    return {"file_path": str(file), **change}


def wrong_end(row: Row, file: Path, outcome: str) -> str:
    """In which way it did not end as labelled; empty where it did."""
    after = file.read_bytes() if file.exists() else b""
    if outcome != row["expect"] or after != _bytes(row, "after"):
        return f"{row['id']} ({row['why']}): {outcome}, {after[:200]!r}"
    if row.get("link") == "symbolic" and not file.is_symlink():
        return f"{row['id']}: the link is gone"
    if row.get("link") == "hard" and not file.samefile(file.with_name(f"{file.name}.other")):
        return f"{row['id']}: the other name has become another file"
    if "mode" in row and stat.S_IMODE(file.stat().st_mode) != int(row["mode"], 8):
        return f"{row['id']}: the mode has changed"
    return ""


def _bytes(row: Row, key: str) -> bytes:
    if f"{key}_b64" in row:
        return base64.b64decode(row[f"{key}_b64"])
    return row[key].encode("utf-16" if "utf-16" in row.get("encoding", "") else "utf-8")
