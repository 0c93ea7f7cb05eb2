"""Elastic quotas on a pool: demand and usage, the quotas to write, the jobs to take back."""
