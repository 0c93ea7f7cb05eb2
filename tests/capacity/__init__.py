"""Tests of htcq.capacity."""
