"""Tests of htcq.policy."""
