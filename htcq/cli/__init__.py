"""The command line: one module for each command.

A command's module parses its options, makes one call, prints one report and returns an exit
status.
"""
