"""JSON Schemas: what they say is what is printed and read."""
