"""Who gets how much of the pool: group quotas as the negotiator computes them."""
