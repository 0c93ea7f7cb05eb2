"""A pool whose slots would weigh otherwise: what becomes of quotas, usage, submitters and priorities."""
