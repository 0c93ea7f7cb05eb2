"""Elastic quotas: what each group may use now, between the min that it is guaranteed and its max."""
