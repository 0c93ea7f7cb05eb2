"""Tests of htcq.store."""
