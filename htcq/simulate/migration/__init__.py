"""A pool whose slots would weigh otherwise.

What becomes of quotas, usage, submitters and priorities.
"""
