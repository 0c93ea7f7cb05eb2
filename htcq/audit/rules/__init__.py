"""Rules: a package for each family, a module with a ``RULE`` for each rule.

The catalog finds them.
"""
