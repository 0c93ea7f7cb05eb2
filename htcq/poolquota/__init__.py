"""A pool's groups as its negotiator computes them: what is published, supply, demand, and who stands where."""
