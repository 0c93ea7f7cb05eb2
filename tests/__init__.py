"""The tests of htcq; they mirror its rooms."""
