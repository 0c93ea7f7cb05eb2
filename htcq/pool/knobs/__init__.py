"""Knobs that change matching: one table by daemon, from HTCondor's sources by version.

It says which of them a simulation follows and what the others do, and which knobs a snapshot
has.
"""
