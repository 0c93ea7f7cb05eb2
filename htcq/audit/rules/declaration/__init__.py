"""Rules on the groups that htcq.toml declares.

No pool can break them, and 'htcq quota lint' alone checks them.
"""
