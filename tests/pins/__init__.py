"""Pins: everything that the commands print for machines, so that no change of it goes unseen."""
