"""Rules on consumption policies."""
