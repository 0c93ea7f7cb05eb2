"""What a real browser makes of the pages that htcq writes."""
