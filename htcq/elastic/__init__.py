"""Elastic quotas on a pool: what groups want and use, what to write as their quotas, and what to take back."""
