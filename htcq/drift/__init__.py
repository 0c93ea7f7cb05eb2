"""Drift: how the declared, configured, published, computed and used quotas differ over time."""
