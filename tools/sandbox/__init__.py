"""Where commands may write, what they may not see, and that they have no network: walls that the system keeps.

`walls.py` says what the walls are, `bubblewrap.py`, `landlock.py` and `seatbelt.py` build them, each as far as it can,
and `sandbox.py` chooses one of them and says what cannot be had.
"""
