"""Rules on what keeps waiting jobs from slots.

The causes are requests, requirements, limits, and how slots are filled.
"""
