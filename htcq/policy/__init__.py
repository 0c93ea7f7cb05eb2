"""What a claim costs: consumption, weights and charges as HTCondor's daemons compute them."""
