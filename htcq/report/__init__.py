"""Results for people and machines: each module here is one way to show what the other rooms computed."""
