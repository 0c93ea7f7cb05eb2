"""What to take back from groups that use more than their runtime, for those that wait for what is theirs."""
