"""The rules: a package for each family, a module for each rule; ``htcq.audit.catalog`` lists them."""
