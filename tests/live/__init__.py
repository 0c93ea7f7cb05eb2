"""Tests of htcq.live."""
