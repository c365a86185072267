"""How long a test waits for what should happen at once: only a fault may ever take so long, a busy machine never."""

PATIENCE = 90.0
