"""Renders HTCondor configuration, proves it harmless, and puts it where HTCondor reads it."""

#: What a machine does in a pool, and with it which file it gets.
EXECUTE, ACCESS, CENTRAL = "execute", "access", "central"
ROLES = (EXECUTE, ACCESS, CENTRAL)
