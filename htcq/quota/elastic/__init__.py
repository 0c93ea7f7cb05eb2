"""Elastic quotas: what each group may use now, between its guaranteed min and its max."""
