"""The version, as a constant: asking importlib.metadata for it costs five bare starts of Python."""

__version__ = "0.1.0"
