"""Seeded mutation of everything that strangers, or a crash, may put before htcq: through every command.

``python -m tests.fuzz --help`` runs as many inputs as you like, and one that failed again.
"""
