"""Actions on the world.

They read and capture pools, write quotas and ceilings, reclaim slots and submit jobs.
"""
