"""Renders HTCondor configuration, proves it harmless, and puts it where HTCondor reads it."""

#: What a machine does in a pool, and with it which file it gets.
EXECUTE, ACCESS, CENTRAL = "execute", "access", "central"
ROLES = (EXECUTE, ACCESS, CENTRAL)
#: The daemon that reads a role's file, as HTCondor names it in knobs and to its parser.
SUBSYSTEMS = {EXECUTE: "STARTD", ACCESS: "SCHEDD", CENTRAL: "NEGOTIATOR"}
#: The file with a site's groups, read after those of the roles: what it says of the negotiator has
#: the last word.
GROUPS_FILE = "50-htcq-groups.config"
