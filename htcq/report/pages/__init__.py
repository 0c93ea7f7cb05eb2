"""Pages for a browser, each one file: the drawings, stories and tables of a result."""
