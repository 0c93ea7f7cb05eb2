"""Several negotiation cycles of one pool.

How it fills, who waits how long, and what fits in between.
"""
