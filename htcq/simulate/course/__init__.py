"""Several negotiation cycles of one pool: how it fills, who waits how long, and what fits in between."""
