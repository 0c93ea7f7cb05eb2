"""The command line: one module a command; each parses, makes one call, prints one report, returns an exit status."""
