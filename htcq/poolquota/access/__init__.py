"""Access points: which jobs a schedd offers to the negotiator, and which it keeps back."""
