"""Tests of one negotiation cycle."""
