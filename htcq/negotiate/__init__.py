"""What would happen: a pool as its negotiator sees it, and what it makes of it in its next cycle."""
