"""The audit of a pool: rules, the evidence that they need, and their findings."""
