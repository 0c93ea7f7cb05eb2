"""The simulator: one negotiation cycle, a course of many, and what-if changes of the pool."""
