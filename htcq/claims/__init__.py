"""One claim: whether a job matches a slot, its cost, the slot that is carved, and its weight."""
