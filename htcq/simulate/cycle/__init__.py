"""One negotiation cycle, match by match.

Who is asked in which order, what is matched or rejected, at what cost.
"""
