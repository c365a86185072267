"""Seeing what others do to the files of a session, and telling who it was as far as that can be known."""
