"""What changed: the quotas of groups as declared, configured, published, computed and used, and how they ran apart."""
