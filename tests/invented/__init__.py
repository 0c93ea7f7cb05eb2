"""A pool that never was: machines, users, groups and jobs made up from a seed, told as HTCondor would tell them."""
