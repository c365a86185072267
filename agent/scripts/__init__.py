"""The commands for scripts: no screen, no model, little to import."""
