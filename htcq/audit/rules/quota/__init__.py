"""Rules on group quotas, priorities and negotiation."""
