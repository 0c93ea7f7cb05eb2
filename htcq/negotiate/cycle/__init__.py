"""One negotiation cycle, match by match: who is asked in which order, what is matched or rejected, and what it costs."""
