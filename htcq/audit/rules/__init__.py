"""The rules: a package for each family, a module with a ``RULE`` for each rule; the catalog finds them."""
