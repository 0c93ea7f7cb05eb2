"""What is wrong with a pool: rules, each with its evidence, and the findings that they make."""
