"""The documents are true: pages against the code, examples against real runs."""
