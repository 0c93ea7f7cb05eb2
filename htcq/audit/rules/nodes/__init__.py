"""Rules on machines: what is broken, stuck, or not there."""
