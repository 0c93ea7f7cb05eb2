"""A pool's groups as its negotiator computes them.

What is published, supply, demand, and who stands where.
"""
