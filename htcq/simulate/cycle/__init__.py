"""One negotiation cycle, match by match: who is asked in which order, what is matched or rejected, at what cost."""
