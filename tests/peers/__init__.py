"""What programs of others say of what htcq writes for them."""
