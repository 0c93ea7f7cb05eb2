"""Results for people and programs: each module prints what other packages computed."""
