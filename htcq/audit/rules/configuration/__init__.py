"""Rules on where configuration comes from, and on knobs without effect."""
