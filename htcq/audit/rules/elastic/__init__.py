"""Rules on elastic quotas: their files, not pools, break them, and 'htcq elastic compute' alone checks them."""
