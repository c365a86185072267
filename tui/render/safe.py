"""The one door for foreign text: whatever comes from outside passes here before it becomes part of a line."""

from tools.safe import exact, one_line, safe, safe_output

__all__ = ["exact", "one_line", "safe", "safe_output"]
