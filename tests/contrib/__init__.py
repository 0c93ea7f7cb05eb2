"""The examples and programs of contrib do what they promise, as far as the programs that they are for can tell."""
