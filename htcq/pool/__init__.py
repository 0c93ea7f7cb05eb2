"""A pool at one moment: its slots, jobs, submitters, accounting records and configuration as plain records."""
