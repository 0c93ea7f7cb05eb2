"""The balance of a pool: where all of its capacity is, and what all of its idle jobs wait for."""
