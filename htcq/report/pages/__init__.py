"""Pages for a browser: drawings, stories and the tables of a result, each one file that needs nothing else."""
