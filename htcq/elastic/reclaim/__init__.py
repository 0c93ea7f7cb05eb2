"""Reclaim: what to take back from groups over their runtime for groups in need."""
