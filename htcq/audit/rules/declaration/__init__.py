"""Rules on the groups that htcq.toml declares; no pool can break them, and 'htcq quota lint' alone checks them."""
