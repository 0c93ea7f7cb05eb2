"""What acts on the world: reads and captures pools, writes quotas and ceilings, reclaims slots, submits jobs."""
