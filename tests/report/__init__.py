"""Tests of htcq.report."""
