"""Renders HTCondor configuration, proves it harmless, and puts it where HTCondor reads it."""

#: What a machine does in a pool, and with it which file it gets.
EXECUTE, ACCESS, CENTRAL = "execute", "access", "central"
ROLES = (EXECUTE, ACCESS, CENTRAL)
#: The file with a site's groups, read after those of the roles: what it says of the negotiator has
#: the last word.
GROUPS_FILE = "50-htcq-groups.config"
