"""What should have happened in a pool and did not, by what its daemons themselves count."""
