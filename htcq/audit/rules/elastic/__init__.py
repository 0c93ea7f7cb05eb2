"""Rules on elastic quotas.

Their files break them, not pools, and 'htcq elastic compute' alone checks them.
"""
