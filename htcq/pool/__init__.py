"""A pool at one moment as plain records: slots, jobs, submitters, accounting, configuration."""
