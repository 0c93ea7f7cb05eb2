"""One module a result: what it has of columns, metrics and sentences."""
