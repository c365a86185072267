"""What each well-known program can do with its words: the tables and the little languages behind `readonly.py`.

Everything here answers one question of a command's words: does it only read? Fail-closed: an option, a subcommand or a
piece of a program that is not known to be harmless is not.
"""
