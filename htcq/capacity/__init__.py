"""How many claims fit: the claim-capacity models, and what they do on a node."""
