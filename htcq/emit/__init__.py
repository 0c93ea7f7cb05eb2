"""Renders HTCondor configuration, proves it harmless, and puts it where HTCondor reads it."""
