"""Rules on what keeps waiting jobs from slots: requests, requirements, limits, and how slots are filled."""
