"""Rules on slot weights and demand."""
