"""How long something took, how much there was of it, and when it happened, in as few characters as the eye needs."""

from __future__ import annotations

import time


def took(seconds: float) -> str:
    """Of what is over: `0.1s`, `14.2s`, `1m 38s`."""
    return f"{max(seconds, 0.0):.1f}s" if seconds < 59.95 else runs_for(seconds)


def runs_for(seconds: float) -> str:
    """Of what goes on, in whole seconds: `14s`, `1m 04s`, `2h 05m`."""
    whole = max(int(seconds), 0)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}m {rest:02}s" if minutes < 60 else f"{minutes // 60}h {minutes % 60:02}m"


def clock(moment: float) -> str:
    """The time of day, to the second."""
    return time.strftime("%H:%M:%S", time.localtime(moment))


def minute(moment: float) -> str:
    return time.strftime("%H:%M", time.localtime(moment))


def thousands(count: int) -> str:
    """`950`, `18.2k`, `1.4M`."""
    if count < 1_000:
        return str(count)
    return f"{count / 1_000:.1f}k" if count < 999_950 else f"{count / 1_000_000:.1f}M"
